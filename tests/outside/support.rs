//! What the tests of outside crates share: a copy of a crate in a temporary folder, cargo in a user's environment, device code read
//! back from an executable.

use object::{Object as _, ObjectSection as _};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};
use std::time::SystemTime;
use warploom_manifest::Manifest;
use warploom_manifest::container::{self, SECTION};

/// `build.rs` of nearly every crate here.
pub(crate) const BUILD: &str = "fn main() {\n    warploom_build::compile();\n}\n";

/// A crate outside the workspace, in a folder of its own.
pub(crate) struct Outside {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    env: BTreeMap<String, String>,
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) ok: bool,
    pub(crate) code: Option<i32>,
    /// Standard output and error.
    pub(crate) text: String,
    /// Standard output alone.
    pub(crate) printed: String,
}

/// The device code of one crate target.
#[derive(Debug)]
pub(crate) struct DeviceCode {
    pub(crate) manifest: Manifest,
    pub(crate) ptx: Vec<String>,
}

impl DeviceCode {
    pub(crate) fn kernels(&self) -> Vec<&str> {
        self.manifest
            .kernels
            .iter()
            .map(|k| k.name.as_str())
            .collect()
    }
}

impl Outside {
    /// A copy of `tests/outside/<name>`.
    pub(crate) fn copy(name: &str, place: &str) -> Outside {
        let outside = Outside::empty(name, place);
        copy(
            &repository().join("tests/outside").join(name),
            &outside.folder,
        );
        outside
    }

    /// A package with the usual manifest and `build.rs`, and this `src/main.rs`. Names are unique: tests share target folders.
    pub(crate) fn program(name: &str, main: &str) -> Outside {
        Outside::package(name).file("src/main.rs", main)
    }

    /// A package without targets.
    pub(crate) fn package(name: &str) -> Outside {
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nwarploom = \"0.1\"\n\n[build-dependencies]\nwarploom-build = \"0.1\"\n"
        );
        let outside = Outside::empty(name, name);
        outside
            .file("Cargo.toml", &manifest)
            .file("build.rs", BUILD)
    }

    /// An empty folder for a package of this name, with this repository's lock file.
    pub(crate) fn empty(name: &str, place: &str) -> Outside {
        let folder = workshop().join(place);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        Outside {
            name: name.to_owned(),
            folder,
            env: BTreeMap::new(),
        }
    }

    /// The same environment in a folder below, for a package that something else has made.
    pub(crate) fn within(mut self, folder: &str) -> Outside {
        self.folder = self.folder.join(folder);
        self
    }

    /// Writes a file of the crate.
    pub(crate) fn file(self, path: &str, text: &str) -> Outside {
        self.write(path, text);
        self
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Appends to a file of the crate.
    pub(crate) fn append(self, path: &str, text: &str) -> Outside {
        let before = fs::read_to_string(self.folder.join(path)).unwrap();
        self.file(path, &(before + text))
    }

    pub(crate) fn replace(&self, path: &str, from: &str, to: &str) {
        let before = fs::read_to_string(self.folder.join(path)).unwrap();
        assert!(before.contains(from), "{path} has no {from:?}");
        self.write(path, &before.replace(from, to));
    }

    pub(crate) fn env(mut self, key: &str, value: impl Into<String>) -> Outside {
        self.env.insert(key.to_owned(), value.into());
        self
    }

    /// Runs cargo here, offline, with the target folder of this test.
    pub(crate) fn cargo(&self, args: &[&str]) -> CommandOutput {
        self.run(Path::new(&std::env::var_os("CARGO").unwrap()), args)
    }

    pub(crate) fn run(&self, program: &Path, args: &[&str]) -> CommandOutput {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.folder);
        for (key, _) in std::env::vars() {
            let cargo = key.starts_with("CARGO") && key != "CARGO_HOME";
            if cargo
                || key.starts_with("WARPLOOM")
                || key == "RUSTFLAGS"
                || key == "LD_LIBRARY_PATH"
            {
                command.env_remove(key);
            }
        }
        command
            .env("CARGO_TARGET_DIR", target_folder())
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TERM_COLOR", "never")
            // Half of what linking costs; the device pass sets its own level of debug information.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0")
            .env("WARPLOOM_DEVICE", "emulator")
            .envs(&self.env);
        let output = command.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let text = [output.stdout, output.stderr].concat();
        CommandOutput {
            ok: output.status.success(),
            code: output.status.code(),
            printed,
            text: String::from_utf8_lossy(&text).into_owned(),
        }
    }

    #[track_caller]
    pub(crate) fn builds(&self) -> CommandOutput {
        self.works(&["build"])
    }

    #[track_caller]
    pub(crate) fn works(&self, args: &[&str]) -> CommandOutput {
        let said = self.cargo(args);
        assert!(said.ok, "cargo {args:?} in {}:\n{}", self.name, said.text);
        said
    }

    /// What the build of a broken crate says.
    #[track_caller]
    pub(crate) fn fails(&self) -> String {
        let said = self.cargo(&["build"]);
        assert!(!said.ok, "{} builds:\n{}", self.name, said.text);
        // Other crates' warnings are not the matter here.
        let lines = said.text.lines();
        lines
            .skip_while(|l| !l.starts_with("error"))
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Runs a program that was built, and returns what it printed.
    #[track_caller]
    pub(crate) fn prints(&self, program: &str) -> String {
        let said = self.run(&target_folder().join(program), &[]);
        assert!(said.ok, "{program}:\n{}", said.text);
        said.text
    }

    /// The device code in `debug/<name>`.
    pub(crate) fn device_code(&self) -> Vec<DeviceCode> {
        device_code(&target_folder().join("debug").join(&self.name))
    }

    /// The PTX of all targets in `debug/<name>`.
    pub(crate) fn ptx(&self) -> String {
        self.device_code()
            .iter()
            .flat_map(|c| c.ptx.clone())
            .collect()
    }

    /// When this package's build script ran last.
    pub(crate) fn script_ran(&self) -> SystemTime {
        let stamps = self.script_folders().into_iter().filter_map(|f| {
            fs::metadata(f.join("invoked.timestamp"))
                .and_then(|m| m.modified())
                .ok()
        });
        stamps.max().expect("the build script ran")
    }

    /// What cargo keeps of this package's build scripts.
    pub(crate) fn script_folders(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(target_folder().join("debug/build")).unwrap();
        let prefix = format!("{}-", self.name);
        folders
            .map(|f| f.unwrap().path())
            .filter(|f| {
                f.file_name()
                    .unwrap()
                    .to_string_lossy()
                    .starts_with(&prefix)
            })
            .collect()
    }
}

/// What a file carries in its section of device code.
pub(crate) fn device_code(file: &Path) -> Vec<DeviceCode> {
    device_code_in(&fs::read(file).unwrap())
}

/// The same of a file's content.
pub(crate) fn device_code_in(bytes: &[u8]) -> Vec<DeviceCode> {
    let parsed = object::File::parse(bytes).unwrap();
    let Some(section) = parsed.section_by_name(SECTION) else {
        return vec![];
    };
    let containers = container::unpack(section.data().unwrap()).unwrap();
    // A target has a container per image; here they are one, under the target's name without its kind.
    let mut merged: Vec<DeviceCode> = Vec::new();
    let parts = containers.iter().map(|c| DeviceCode {
        ptx: c
            .manifest
            .images
            .iter()
            .map(|image| String::from_utf8_lossy(c.ptx(image).unwrap()).into_owned())
            .collect(),
        manifest: c.manifest.clone(),
    });
    for part in parts {
        match merged
            .iter_mut()
            .find(|m| m.manifest.target == part.manifest.target)
        {
            Some(whole) => {
                whole.manifest.kernels.extend(part.manifest.kernels);
                for (all, text) in whole.ptx.iter_mut().zip(part.ptx) {
                    all.push_str(&text);
                }
            }
            None => merged.push(part),
        }
    }
    for whole in &mut merged {
        let name = whole.manifest.target.split(' ').next().unwrap_or_default();
        whole.manifest.target = name.to_owned();
    }
    merged
}

/// Copies a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap().path();
        let copied = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy(&entry, &copied);
        } else {
            fs::copy(entry, copied).unwrap();
        }
    }
}

pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Cargo locks a target folder while it builds, so tests that run side by side have one each, as far as there are so many: in each all dependencies are built.
const TARGET_FOLDERS: usize = 2;

/// How many tests build in each.
static BUILDING: Mutex<[usize; TARGET_FOLDERS]> = Mutex::new([0; TARGET_FOLDERS]);

/// The target folder of a test, as long as its thread runs.
struct Place(usize);

impl Place {
    fn take() -> Place {
        let mut building = BUILDING.lock().unwrap();
        let folder = (0..TARGET_FOLDERS).min_by_key(|folder| building[*folder]);
        let folder = folder.unwrap();
        building[folder] += 1;
        Place(folder)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        BUILDING.lock().unwrap()[self.0] -= 1;
    }
}

/// Where all crates of this test are built: under this package's own target folder, and kept, so that the next test finds its dependencies built.
pub(crate) fn target_folder() -> PathBuf {
    thread_local! {
        static PLACE: Place = Place::take();
    }
    all_target_folders().join(PLACE.with(|place| place.0.to_string()))
}

fn all_target_folders() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside")
}

/// Where the copies lie: outside the repository, always at the same place, so that cargo knows them again.
pub(crate) fn workshop() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let place: u64 = all_target_folders()
            .to_string_lossy()
            .bytes()
            .fold(7, |hash, byte| {
                hash.wrapping_mul(0x100_0000_01b3) ^ u64::from(byte)
            });
        let folder = std::env::temp_dir().join(format!("warploom-outside-{place:x}"));
        fs::create_dir_all(folder.join(".cargo")).unwrap();
        // The crates are not in a registry yet.
        let crates = [
            ("warploom", ""),
            ("warploom-build", "kernel-build"),
            ("warploom-device-std", "device-std"),
            ("warploom-emulator", "emulator"),
            ("warploom-macros", "kernel-macros"),
            ("warploom-manifest", "manifest"),
            ("warploom-runtime", "runtime"),
        ];
        let patches = crates.map(|(name, path)| {
            format!(
                "{name} = {{ path = {:?} }}\n",
                repository().join(path).display().to_string()
            )
        });
        let config = format!("[patch.crates-io]\n{}", patches.concat());
        fs::write(folder.join(".cargo/config.toml"), config).unwrap();
        folder
    })
}
