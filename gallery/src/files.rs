//! What programs leave behind: pictures, timelines, tables.
#![expect(
    clippy::print_stdout,
    reason = "programs of the gallery talk to their users"
)]

use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use warploom::Device;

use crate::program::{Program, Result};

/// Seen from where the program is started.
pub(crate) const FOLDER: &str = "target/gallery";

impl Program {
    /// Writes a file to `target/gallery/` and says so.
    ///
    /// # Errors
    /// If it cannot be written; the text names it.
    pub fn write(&self, name: &str, text: &str) -> Result {
        let path = place(name)?;
        fs::write(&path, text).map_err(|error| unwritable(&path, &error))?;
        println!("wrote {}", path.display());
        Ok(())
    }

    /// Writes a picture, `rgb[y * width + x]`, to `target/gallery/` as PNG and says so.
    ///
    /// # Errors
    /// If the pixels are not whole rows, or the file cannot be written; the text names it.
    pub fn picture(&self, name: &str, width: usize, rgb: &[[u8; 3]]) -> Result {
        let path = place(name)?;
        let height = rgb.len().checked_div(width).unwrap_or(0);
        if height == 0 || width * height != rgb.len() {
            let pixels = rgb.len();
            return Err(format!("{name}: {pixels} pixels are no rows of {width}").into());
        }
        let file = fs::File::create(&path).map_err(|error| unwritable(&path, &error))?;
        let (width, height) = (u32::try_from(width)?, u32::try_from(height)?);
        let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(rgb.as_flattened())?;
            writer.finish()
        });
        written.map_err(|error| unwritable(&path, &error))?;
        println!("wrote {}", path.display());
        Ok(())
    }
}

impl Program {
    /// What `draw` makes on the program's device: given back, and written as [`Program::picture`] does. Where the device is a GPU, the
    /// emulator draws it as well, and each byte must be the same.
    ///
    /// # Errors
    /// That of `draw`; as [`Program::picture`].
    pub fn drawn(
        &self,
        name: &str,
        width: usize,
        draw: impl Fn(&Device) -> Result<Vec<[u8; 3]>>,
    ) -> Result<Vec<[u8; 3]>> {
        let rgb = draw(self.device())?;
        if self.device().is_gpu() {
            let emulated = draw(&Device::emulator())?;
            let both = rgb.as_flattened().iter().zip(emulated.as_flattened());
            let differing = both.filter(|(gpu, emulated)| gpu != emulated).count();
            let bytes = rgb.as_flattened().len();
            println!("{name}: {differing} of {bytes} bytes differ from the emulator's");
            self.is("bytes unlike the emulator's", differing, 0);
            self.is("pixels of the emulator", emulated.len(), rgb.len());
        }
        self.picture(name, width, &rgb)?;
        Ok(rgb)
    }
}

fn place(name: &str) -> Result<PathBuf> {
    let path = Path::new(FOLDER).join(name);
    fs::create_dir_all(FOLDER).map_err(|error| unwritable(&path, &error))?;
    Ok(path)
}

fn unwritable(path: &Path, error: &dyn std::error::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::ExitCode;

    #[test]
    fn pictures_are_whole_rows() {
        let status = crate::mistake(|program| {
            let rgb = vec![[1, 2, 3]; 12];
            program.picture("test_of_pictures.png", 4, &rgb)?;
            let path = Path::new(FOLDER).join("test_of_pictures.png");
            program.holds("a PNG", fs::read(&path)?.starts_with(b"\x89PNG"));
            let drawn = program.drawn("test_of_pictures.png", 4, |_| Ok(rgb.clone()))?;
            program.equal("what was drawn", &drawn, &rgb);
            fs::remove_file(&path)?;
            let error = program.picture("none.png", 5, &rgb).unwrap_err();
            program.is(
                "error",
                &*error.to_string(),
                "none.png: 12 pixels are no rows of 5",
            );
            Ok(())
        });
        assert_eq!(status, ExitCode::SUCCESS);
    }
}
