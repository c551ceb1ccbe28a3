//! For tests: the library as `libcuda.so.1` of a child process, and questions to it from within.

use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libloading::{Library, Symbol};

/// The file's name as cargo makes it.
const BUILT: &str = "libwarploom_fake_driver.so";
/// The name under which programs look for the driver.
const WANTED: &str = "libcuda.so.1";
/// Tells a test that it runs in a child process.
const CHILD: &str = "WARPLOOM_FAKE_CHILD";

/// Where cargo put the library: beside the executable of a test, or in the folder above.
///
/// # Errors
/// A text that says where it was looked for.
pub fn library() -> Result<PathBuf, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let folders = executable.ancestors().skip(1).take(2);
    let places: Vec<PathBuf> = folders.map(|folder| folder.join(BUILT)).collect();
    places.iter().find(|place| place.exists()).cloned().ok_or_else(|| {
        format!("the fake driver is in none of {places:?}; build it: cargo build -p warploom-fake-driver")
    })
}

/// A folder in the file system that goes with this value.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A fresh one for temporary files; `name` tells it from others of this process.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(name: &str) -> std::io::Result<Folder> {
        let path =
            std::env::temp_dir().join(format!("warploom-fake-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Puts a library there as the driver.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn install(&self, library: &Path) -> std::io::Result<()> {
        std::fs::copy(library, self.0.join(WANTED)).map(drop)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Whatever stays behind is in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether this process was started by [`run_child`], so that [`Fake`] is there.
#[must_use]
pub fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs one test of this executable again, in a process of its own whose driver is the fake.
///
/// `options` is the value of `WARPLOOM_FAKE`; `variables` are set besides. `WARPLOOM_DEVICE` and `WARPLOOM_EMULATE` are not handed down.
///
/// # Errors
/// If the library is not there, or the system refuses.
pub fn run_child(test: &str, options: &str, variables: &[(&str, &str)]) -> Result<Output, String> {
    run_child_with(&library()?, test, options, variables)
}

/// [`run_child`] with another library for a driver.
///
/// # Errors
/// As [`run_child`].
pub fn run_child_with(
    library: &Path,
    test: &str,
    options: &str,
    variables: &[(&str, &str)],
) -> Result<Output, String> {
    let text = |error: std::io::Error| error.to_string();
    let folder = Folder::new(&test.replace("::", "-")).map_err(text)?;
    folder.install(library).map_err(text)?;
    let mut command = command(folder.path(), options, variables)?;
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]);
    command.output().map_err(text)
}

/// Runs all tests of this executable but `this` again, in a process of its own whose driver is the fake.
///
/// # Errors
/// As [`run_child`].
pub fn run_others(this: &str, options: &str) -> Result<Output, String> {
    let text = |error: std::io::Error| error.to_string();
    let folder = Folder::new("others").map_err(text)?;
    folder.install(&library()?).map_err(text)?;
    let mut command = command(folder.path(), options, &[])?;
    command.args(["--nocapture", "--skip", this]);
    command.output().map_err(text)
}

/// This executable in a process of its own, with a folder in which drivers are looked for first.
///
/// # Errors
/// If the system does not tell the executable's name.
pub fn command(
    folder: &Path,
    options: &str,
    variables: &[(&str, &str)],
) -> Result<Command, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut path = folder.as_os_str().to_owned();
    if let Some(more) = std::env::var_os("LD_LIBRARY_PATH") {
        path.push(":");
        path.push(more);
    }
    let mut command = Command::new(executable);
    command
        .env("LD_LIBRARY_PATH", path)
        .env("WARPLOOM_FAKE", options)
        .env(CHILD, "1")
        .env_remove("WARPLOOM_DEVICE")
        .env_remove("WARPLOOM_EMULATE")
        .env_remove("WARPLOOM_EMULATED_DEVICES")
        .envs(variables.iter().copied());
    Ok(command)
}

/// Fails with all that a child said unless it ran tests, with success.
///
/// # Panics
/// If it did not.
#[expect(clippy::panic, reason = "an assertion for tests")]
#[track_caller]
pub fn assert_passed(output: &Output) {
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    // A name that no test has would pass without a word.
    if !output.status.success() || !stdout.contains(" passed") || stdout.contains(" 0 passed") {
        panic!(
            "the child process ended with {}\n{stdout}\n{stderr}",
            output.status
        );
    }
}

/// The fake that this process has loaded as its driver.
#[derive(Debug)]
pub struct Fake(Library);

impl Fake {
    /// The library by the name that the runtime uses.
    ///
    /// # Errors
    /// If the process has no driver, or another one.
    pub fn loaded() -> Result<Fake, String> {
        // SAFETY: loading the fake runs no code; a real driver's initialisers may be run by any program.
        let library = unsafe { Library::new(WANTED) }.map_err(|error| error.to_string())?;
        let fake = Fake(library);
        fake.find::<extern "C" fn()>("warploom_fake_reset")?;
        Ok(fake)
    }

    fn find<T>(&self, name: &str) -> Result<Symbol<'_, T>, String> {
        // SAFETY: the callers name functions of `control.rs` with their types.
        unsafe { self.0.get(name.as_bytes()) }
            .map_err(|error| format!("not the fake driver: {error}"))
    }

    /// A function of the driver, for calls past the runtime.
    ///
    /// # Errors
    /// If the fake has none of this name.
    ///
    /// # Safety
    /// `T` is the function's type.
    pub unsafe fn function<T>(&self, name: &str) -> Result<Symbol<'_, T>, String> {
        self.find(name)
    }

    /// Sets an option. See the README.
    ///
    /// # Panics
    /// If there is none of this name.
    pub fn set(&self, key: &str, value: u64) {
        let set = self.must::<unsafe extern "C" fn(*const c_char, u64) -> i32>("warploom_fake_set");
        // SAFETY: a C string.
        let done = unsafe { set(c_text(key).as_ptr(), value) };
        assert_eq!(done, 0, "the fake has no option `{key}`");
    }

    /// Makes calls fail: `FUNCTION:NTH:CODE`. See the README.
    ///
    /// # Panics
    /// If the text is no rule.
    pub fn fail(&self, rule: &str) {
        let fail = self.must::<unsafe extern "C" fn(*const c_char) -> i32>("warploom_fake_fail");
        // SAFETY: a C string.
        let done = unsafe { fail(c_text(rule).as_ptr()) };
        assert_eq!(done, 0, "`{rule}` is no rule");
    }

    /// From now on no call fails by a rule.
    pub fn fail_nothing(&self) {
        let fail = self.must::<unsafe extern "C" fn(*const c_char) -> i32>("warploom_fake_fail");
        // SAFETY: null is allowed.
        unsafe { fail(std::ptr::null()) };
    }

    /// Live handles of a kind, or how often something happened. See the README.
    ///
    /// # Panics
    /// If there is no such number.
    #[must_use]
    pub fn count(&self, of: &str) -> u64 {
        let count = self.must::<unsafe extern "C" fn(*const c_char) -> i64>("warploom_fake_count");
        // SAFETY: a C string.
        let number = unsafe { count(c_text(of).as_ptr()) };
        assert!(number >= 0, "the fake does not count `{of}`");
        number.unsigned_abs()
    }

    /// All kinds of handles and memory of which some are alive, with their number.
    #[must_use]
    pub fn live(&self) -> Vec<(&'static str, u64)> {
        let all = LIVE.iter().map(|kind| (*kind, self.count(kind)));
        all.filter(|(_, count)| *count > 0).collect()
    }

    /// Starts a list of calls anew.
    pub fn start_log(&self) {
        self.must::<extern "C" fn()>("warploom_fake_start_log")();
    }

    /// The functions that were called since, in order.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        self.text("log")
    }

    /// What a real driver lets pass, but no program should do: freeing what queued work uses, leaving things in a context.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        self.text("complaints")
    }

    /// Breaks a GPU's context as an error of a kernel does.
    pub fn break_context(&self, device: i32, code: i32) {
        let done = self.must::<extern "C" fn(i32, i32) -> i32>("warploom_fake_break")(device, code);
        assert_eq!(done, 0, "there is no GPU {device}");
    }

    /// Forgets everything but the options. Only while nothing is alive.
    pub fn reset(&self) {
        self.must::<extern "C" fn()>("warploom_fake_reset")();
    }

    fn text(&self, of: &str) -> Vec<String> {
        type Text = unsafe extern "C" fn(*const c_char, *mut u8, usize) -> usize;
        let text = self.must::<Text>("warploom_fake_text");
        let of = c_text(of);
        // SAFETY: null is allowed.
        let room = unsafe { text(of.as_ptr(), std::ptr::null_mut(), 0) };
        let mut bytes = vec![0; room];
        // SAFETY: so much room there is.
        unsafe { text(of.as_ptr(), bytes.as_mut_ptr(), room) };
        String::from_utf8_lossy(&bytes)
            .lines()
            .map(str::to_owned)
            .collect()
    }

    #[expect(
        clippy::panic,
        reason = "`loaded` has found one of the fake's functions, so that the others are there"
    )]
    fn must<T>(&self, name: &str) -> Symbol<'_, T> {
        self.find(name).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// What can be alive.
const LIVE: [&str; 9] = [
    "contexts",
    "modules",
    "functions",
    "streams",
    "events",
    "device memory",
    "pinned memory",
    "registered memory",
    "managed memory",
];

fn c_text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}
