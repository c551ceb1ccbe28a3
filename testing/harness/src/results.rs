//! Files of results in `benches/results`: JSON, one for each GPU in the folder of a benchmark.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why results cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// A file or folder cannot be read or written.
    #[error("cannot read or write {path}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// A file is there, but holds something else.
    #[error("{path} does not hold results of this benchmark; run it again to write them anew")]
    Format {
        /// The file.
        path: PathBuf,
        /// What the parser says.
        #[source]
        source: serde_json::Error,
    },
}

/// Name of the result file of a GPU: `NVIDIA H200` becomes `nvidia-h200.json`.
#[must_use]
pub fn file_name(gpu: &str) -> String {
    format!("{}.json", slug(gpu))
}

/// A device's name as a part of file names: `NVIDIA H200` becomes `nvidia-h200`.
pub(crate) fn slug(device: &str) -> String {
    let words = device
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    words.join("-")
}

/// Writes a file, one field per line, and its folder if it is missing.
///
/// # Errors
/// [`ResultsError`] if that fails.
pub fn write(path: &Path, results: &(impl Serialize + ?Sized)) -> Result<(), ResultsError> {
    let text = serde_json::to_string_pretty(results).map_err(in_format(path))?;
    write_text(path, &(text + "\n"))
}

pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), ResultsError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(in_file(folder))?;
    }
    fs::write(path, text).map_err(in_file(path))
}

/// Reads a file.
///
/// # Errors
/// [`ResultsError`] if that fails, or it holds something else.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T, ResultsError> {
    serde_json::from_str(&read_text(path)?).map_err(in_format(path))
}

pub(crate) fn read_text(path: &Path) -> Result<String, ResultsError> {
    fs::read_to_string(path).map_err(in_file(path))
}

/// Reads all `*.json` of a folder in the order of their names. A folder that is missing is empty.
///
/// # Errors
/// [`ResultsError`] names the first file that is not what it should be.
pub fn read_folder<T: DeserializeOwned>(folder: &Path) -> Result<Vec<T>, ResultsError> {
    files(folder, "json")?
        .iter()
        .map(|path| read(path))
        .collect()
}

/// The files of a folder with that extension in the order of their names, none if the folder is missing.
pub(crate) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, ResultsError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(in_file(folder))?;
    let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(in_file(folder))?;
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    Ok(paths)
}

pub(crate) fn in_file(path: &Path) -> impl FnOnce(io::Error) -> ResultsError {
    let path = path.to_owned();
    move |source| ResultsError::File { path, source }
}

pub(crate) fn in_format(path: &Path) -> impl FnOnce(serde_json::Error) -> ResultsError {
    let path = path.to_owned();
    move |source| ResultsError::Format { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_the_gpu() {
        assert_eq!(file_name("NVIDIA H200"), "nvidia-h200.json");
        assert_eq!(
            file_name("NVIDIA GeForce RTX 5090 (Laptop)"),
            "nvidia-geforce-rtx-5090-laptop.json"
        );
    }

    #[test]
    fn what_is_written_can_be_read() {
        let folder = std::env::temp_dir().join(format!("warploom-results-{}", std::process::id()));
        write(&folder.join("b.json"), &[1, 2]).unwrap();
        write(&folder.join("a.json"), &[3]).unwrap();
        fs::write(folder.join("notes.txt"), "no results").unwrap();
        let read: Vec<Vec<u32>> = read_folder(&folder).unwrap();
        fs::write(folder.join("c.json"), "{}").unwrap();
        let wrong = read_folder::<Vec<u32>>(&folder).unwrap_err().to_string();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(read, [vec![3], vec![1, 2]]);
        assert!(wrong.contains("c.json does not hold results"), "{wrong}");
    }

    #[test]
    fn a_folder_that_is_not_there_is_empty() {
        let none: Vec<u32> = read_folder(Path::new("/there/is/no/such/folder")).unwrap();
        assert_eq!(none, [0; 0]);
    }
}
