//! For tests: the library as `libcuda.so.1` of a child process, and questions to it from within.

use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use libloading::{Library, Symbol};

/// The file's name as cargo makes it.
const BUILT: &str = "libwarploom_fake_driver.so";
/// The name under which programs look for the driver.
const WANTED: &str = "libcuda.so.1";
/// Tells a test that it runs in a child process.
const CHILD: &str = "WARPLOOM_FAKE_CHILD";

/// After so long a test hangs.
const LONGEST: Duration = Duration::from_secs(900);

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

/// The library's bytes without some of its functions, as an older driver would have it. [`Folder::write`] takes them.
///
/// # Errors
/// If the library is not there or has no such function.
pub fn without(functions: &[&str]) -> Result<Vec<u8>, String> {
    let path = library()?;
    let mut bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
    for function in functions {
        // Its name in the table of names, which stands between zeros: under another name it is not found.
        let name = [b"\0", function.as_bytes(), b"\0"].concat();
        let found = bytes.windows(name.len()).position(|window| window == name);
        let at = found.ok_or_else(|| format!("{} has no function {function}", path.display()))?;
        bytes[at + 1] = b'-';
    }
    Ok(bytes)
}

/// A folder in the file system that goes with this value.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A fresh one for temporary files.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(name: &str) -> Result<Folder, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = name.replace("::", "-");
        let name = format!("warploom-fake-{}-{number}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).map_err(text)?;
        Ok(Folder(path))
    }

    /// Puts a library there as the driver.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn install(&self, library: &Path) -> std::io::Result<()> {
        std::fs::copy(library, self.0.join(WANTED)).map(drop)
    }

    /// Puts a file there that programs take for the driver, under both of its names.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        std::fs::write(self.0.join("libcuda.so"), bytes)?;
        std::fs::write(self.0.join(WANTED), bytes)
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
    let folder = Folder::new(test)?;
    folder.install(&library()?).map_err(text)?;
    run_child_in(&folder, test, options, variables)
}

/// [`run_child`] with a folder in which drivers are looked for first.
///
/// # Errors
/// As [`run_child`].
pub fn run_child_in(
    folder: &Folder,
    test: &str,
    options: &str,
    variables: &[(&str, &str)],
) -> Result<Output, String> {
    let mut command = command(folder, options, variables)?;
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]);
    command.output().map_err(text)
}

fn text(error: std::io::Error) -> String {
    error.to_string()
}

/// Runs all tests of this executable but `this` again, in a process of its own whose driver is the fake.
///
/// # Errors
/// As [`run_child`].
pub fn run_others(this: &str, options: &str) -> Result<Output, String> {
    let folder = Folder::new("others")?;
    folder.install(&library()?).map_err(text)?;
    let mut command = command(&folder, options, &[])?;
    command.args(["--nocapture", "--skip", this]);
    command.output().map_err(text)
}

fn command(folder: &Folder, options: &str, variables: &[(&str, &str)]) -> Result<Command, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut path = folder.0.as_os_str().to_owned();
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
    /// The library by the name that the runtime uses. From now on the process has a quarter of an hour: a test that hangs fails.
    ///
    /// # Errors
    /// If the process has no driver, or another one.
    pub fn loaded() -> Result<Fake, String> {
        // SAFETY: loading the fake runs no code; a real driver's initialisers may be run by any program.
        let library = unsafe { Library::new(WANTED) }.map_err(|error| error.to_string())?;
        let fake = Fake(library);
        fake.find::<extern "C" fn()>("warploom_fake_reset")?;
        std::thread::spawn(|| {
            std::thread::sleep(LONGEST);
            eprintln!("the test still runs after {LONGEST:?}: it hangs");
            std::process::abort();
        });
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

    /// From now on calls of this function take so many milliseconds before they do anything; calls of other threads overtake them.
    /// They are in the [log](Fake::log) at once.
    pub fn slow(&self, function: &str, milliseconds: u64) {
        let slow = self.must::<unsafe extern "C" fn(*const c_char, u64)>("warploom_fake_slow");
        // SAFETY: a C string.
        unsafe { slow(c_text(function).as_ptr(), milliseconds) };
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

    /// Forgets everything but the options and whether `cuInit` was called. What is alive is dead then.
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

/// For a test that needs a process of its own: in that process, the driver that was loaded; in the test's first process nothing, when the
/// child has passed. `options` and `variables` as for [`run_child`].
///
/// # Panics
/// If the child fails or cannot be started, or the fake is not the driver there.
#[track_caller]
#[expect(
    clippy::unwrap_used,
    reason = "a helper of tests may fail as the tests do"
)]
#[must_use]
pub fn fake_driver(test: &str, options: &str, variables: &[(&str, &str)]) -> Option<Fake> {
    if is_child() {
        return Some(Fake::loaded().unwrap());
    }
    assert_passed(&run_child(test, options, variables).unwrap());
    None
}

/// # Panics
/// If something of the driver is still alive, or the fake has something to complain about.
#[track_caller]
pub fn nothing_is_left(fake: &Fake) {
    assert_eq!(
        (fake.live(), fake.complaints()),
        (vec![], Vec::<String>::new())
    );
}

/// What can be alive.
const LIVE: [&str; 21] = [
    "contexts",
    "modules",
    "functions",
    "streams",
    "events",
    "graphs",
    "executable graphs",
    "pools",
    "links",
    "device memory",
    "pinned memory",
    "registered memory",
    "managed memory",
    "arrays",
    "mipmapped arrays",
    "external memory",
    "external semaphores",
    "graphics resources",
    "shareable memory",
    "textures",
    "surfaces",
];

fn c_text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}
