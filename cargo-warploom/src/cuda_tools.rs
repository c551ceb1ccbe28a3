//! Where NVIDIA's programs are: in what the user names, in a toolkit, in Python packages.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program of NVIDIA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// Names the file.
    variable: &'static str,
    /// The Python package that has it.
    package: &'static str,
    /// What it is for.
    pub(crate) purpose: &'static str,
}

pub(crate) const PTXAS: Tool = Tool {
    name: "ptxas",
    variable: "WARPLOOM_PTXAS",
    package: "nvidia-cuda-nvcc",
    purpose: "`cargo warploom sass` and `report`",
};

pub(crate) const NVDISASM: Tool = Tool {
    name: "nvdisasm",
    variable: "WARPLOOM_NVDISASM",
    package: "nvidia-cuda-nvdisasm",
    purpose: "`cargo warploom sass`, and for the number of instructions in `report`",
};

pub(crate) const COMPUTE_SANITIZER: Tool = Tool {
    name: "compute-sanitizer",
    variable: "WARPLOOM_COMPUTE_SANITIZER",
    package: "nvidia-cuda-sanitizer-api",
    purpose: "`cargo warploom sanitize`",
};

pub(crate) const ALL: [Tool; 3] = [PTXAS, NVDISASM, COMPUTE_SANITIZER];

/// The machine, as the search sees it.
pub(crate) struct Machine<'a> {
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// `/`
    pub(crate) root: &'a Path,
    /// The folders of Python packages, which only Python knows.
    pub(crate) of_python: &'a dyn Fn() -> Vec<PathBuf>,
}

impl Tool {
    /// The program on this machine.
    pub(crate) fn find(self) -> Result<PathBuf, String> {
        self.find_on(&Machine {
            variable: &|name| std::env::var_os(name).filter(|value| !value.is_empty()),
            root: Path::new("/"),
            of_python: &of_python,
        })
    }

    pub(crate) fn find_on(self, machine: &Machine<'_>) -> Result<PathBuf, String> {
        let variable = machine.variable;
        if let Some(named) = variable(self.variable).map(PathBuf::from) {
            return match named.is_file() {
                true => Ok(named),
                false => Err(format!("{}={} is no file", self.variable, named.display())),
            };
        }
        let name = format!("{}{}", self.name, std::env::consts::EXE_SUFFIX);
        let in_folder = |folder: PathBuf| Some(folder.join(&name)).filter(|path| path.is_file());
        folders(machine)
            .into_iter()
            .find_map(in_folder)
            .or_else(|| {
                (machine.of_python)()
                    .iter()
                    .find_map(|packages| in_packages(packages, &name))
            })
            .ok_or_else(|| self.missing())
    }

    fn missing(self) -> String {
        let Tool {
            name,
            variable,
            package,
            ..
        } = self;
        format!(
            "{name} is in no CUDA toolkit (CUDA_HOME, PATH, /usr/local/cuda*) and in no Python package; {} or name the file with {variable}",
            self.remedy_of(package)
        )
    }

    fn remedy_of(self, package: &str) -> String {
        format!("`{}` gets it, without a GPU or a driver,", install(package))
    }

    /// The command that installs it.
    pub(crate) fn remedy(self) -> String {
        format!(
            "{}, or name the file with {}",
            install(self.package),
            self.variable
        )
    }
}

fn install(package: &str) -> String {
    format!("python3 -m pip install {package}")
}

/// The folders of programs: beside the one that is named, of the toolkit that is named, of `PATH`, of the usual places, newest first.
fn folders(machine: &Machine<'_>) -> Vec<PathBuf> {
    let variable = machine.variable;
    let mut folders = Vec::new();
    for tool in ALL {
        let named = variable(tool.variable).map(PathBuf::from);
        folders.extend(named.and_then(|file| file.parent().map(Path::to_owned)));
    }
    for home in ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"] {
        folders.extend(variable(home).map(|home| Path::new(&home).join("bin")));
    }
    if let Some(path) = variable("PATH") {
        folders.extend(std::env::split_paths(&path));
    }
    let local = machine.root.join("usr/local");
    folders.push(local.join("cuda/bin"));
    let versions = sorted(&local).into_iter().rev();
    let is_toolkit = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("cuda-"))
    };
    folders.extend(versions.filter(is_toolkit).map(|path| path.join("bin")));
    folders
}

/// The program in a folder of Python packages: `nvidia/cu13/bin`, `nvidia/cuda_nvcc/bin`; the newest.
fn in_packages(packages: &Path, name: &str) -> Option<PathBuf> {
    let all = sorted(&packages.join("nvidia")).into_iter().rev();
    let mut files = all.map(|package| package.join("bin").join(name));
    files.find(|path| path.is_file())
}

/// What a folder holds, by name; numbers in names by their value: `cuda-9.2` before `cuda-13.0`.
fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort_by_cached_key(|path| {
        let text = path.to_string_lossy().into_owned();
        let mut parts = text.split(|c: char| !c.is_ascii_digit());
        let numbers: Vec<u64> = parts.by_ref().filter_map(|p| p.parse().ok()).collect();
        (
            text.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
                .to_owned(),
            numbers,
        )
    });
    paths
}

/// The folders of packages of virtual environments, and of the Python of `PATH`.
fn of_python() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter();
    let environments = environments.filter_map(std::env::var_os).map(PathBuf::from);
    for environment in environments.chain([PathBuf::from(".venv")]) {
        for lib in sorted(&environment.join("lib")).into_iter().rev() {
            folders.push(lib.join("site-packages"));
        }
        folders.push(environment.join("Lib/site-packages"));
    }
    let ask =
        "import site; print('\\n'.join(site.getsitepackages() + [site.getusersitepackages()]))";
    for python in ["python3", "python"] {
        let said = Command::new(python)
            .args(["-c", ask])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        if let Some(said) = said.ok().filter(|said| said.status.success()) {
            let text = String::from_utf8_lossy(&said.stdout).into_owned();
            folders.extend(text.lines().map(PathBuf::from));
            break;
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::Folder;

    /// A machine with these files, and with these variables, whose values are folders of it.
    fn find(tool: Tool, files: &[&str], variables: &[(&str, &str)]) -> Result<String, String> {
        let folder = Folder::new().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let variable = |name: &str| {
            let value = variables.iter().find(|v| v.0 == name)?.1;
            Some(folder.path().join(value).into_os_string())
        };
        let found = tool.find_on(&Machine {
            variable: &variable,
            root: folder.path(),
            of_python: &|| vec![folder.path().join("packages")],
        });
        let shorten = |path: PathBuf| {
            let short = path.strip_prefix(folder.path()).unwrap();
            short.to_string_lossy().into_owned()
        };
        found.map(shorten)
    }

    const EVERYWHERE: [&str; 7] = [
        "named/ptxas",
        "home/bin/ptxas",
        "path/ptxas",
        "usr/local/cuda-9.2/bin/ptxas",
        "usr/local/cuda-13.0/bin/ptxas",
        "packages/nvidia/cu13/bin/ptxas",
        "packages/nvidia/cuda_nvcc/bin/ptxas",
    ];

    #[test]
    fn places_are_searched_in_order() {
        let all = [
            ("WARPLOOM_PTXAS", "named/ptxas"),
            ("CUDA_HOME", "home"),
            ("PATH", "path"),
        ];
        for (from, expected) in ["named/ptxas", "home/bin/ptxas", "path/ptxas"]
            .iter()
            .enumerate()
        {
            assert_eq!(
                find(PTXAS, &EVERYWHERE, &all[from..]).as_deref(),
                Ok(*expected)
            );
        }
        let newest = find(PTXAS, &EVERYWHERE, &[]);
        assert_eq!(newest.as_deref(), Ok("usr/local/cuda-13.0/bin/ptxas"));
        let package = find(PTXAS, &EVERYWHERE[5..], &[("PATH", "path")]);
        assert_eq!(
            package.as_deref(),
            Ok("packages/nvidia/cuda_nvcc/bin/ptxas")
        );
    }

    #[test]
    fn other_tools_are_beside_the_one_that_is_named() {
        let found = find(
            NVDISASM,
            &["named/ptxas", "named/nvdisasm", "path/nvdisasm"],
            &[("WARPLOOM_PTXAS", "named/ptxas"), ("PATH", "path")],
        );
        assert_eq!(found.as_deref(), Ok("named/nvdisasm"));
    }

    #[test]
    fn what_is_missing_has_a_remedy() {
        let missing = find(PTXAS, &[], &[]).unwrap_err();
        assert_eq!(
            missing,
            "ptxas is in no CUDA toolkit (CUDA_HOME, PATH, /usr/local/cuda*) and in no Python package; `python3 -m pip install nvidia-cuda-nvcc` gets it, without a GPU or a driver, or name the file with WARPLOOM_PTXAS"
        );
        let wrong = find(PTXAS, &EVERYWHERE, &[("WARPLOOM_PTXAS", "nothing")]).unwrap_err();
        assert!(
            wrong.starts_with("WARPLOOM_PTXAS=") && wrong.ends_with("/nothing is no file"),
            "{wrong}"
        );
    }
}
