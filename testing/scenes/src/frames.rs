//! Draws many frames and compares what the process has before and after.

use std::path::{Path, PathBuf};
use std::time::Instant;

use warploom::{Device, Result};

use crate::picture::Picture;

/// What the programs that draw frames are asked for.
#[derive(Debug)]
pub struct Options {
    /// `--frames N`: frames of each scene.
    pub frames: usize,
    /// `--out FOLDER`: where the last pictures are written as PNG.
    pub out: Option<PathBuf>,
    /// Whether the program's own switch was given.
    pub switch: bool,
}

impl Options {
    /// The options of this process, of which the program has one of its own: `switch`, as `--copies`.
    ///
    /// # Errors
    /// An unknown option, or a value that is missing or no number, with all options that there are.
    pub fn of_process(switch: &str) -> std::result::Result<Options, String> {
        let mut options = Options {
            frames: 100,
            out: None,
            switch: false,
        };
        let mut given = std::env::args().skip(1);
        while let Some(name) = given.next() {
            let wrong = |what: &str| format!("{what}: --frames N, --out FOLDER, {switch}");
            match name.as_str() {
                "--frames" => {
                    let frames = given.next().and_then(|n| n.parse().ok());
                    options.frames = frames.ok_or_else(|| wrong("--frames without a number"))?;
                }
                "--out" => {
                    let folder = given
                        .next()
                        .ok_or_else(|| wrong("--out without a folder"))?;
                    options.out = Some(folder.into());
                }
                other if other == switch => options.switch = true,
                other => return Err(wrong(&format!("no option {other}"))),
            }
        }
        Ok(options)
    }

    /// Draws all frames of a scene and prints their rate, and what the process has after the first tenth and at the end.
    ///
    /// # Errors
    /// Those of `frame`.
    #[expect(clippy::print_stdout, reason = "for programs")]
    pub fn draw(
        &self,
        name: &str,
        device: &Device,
        mut frame: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let first = self.frames / 10 + 1;
        for _ in 0..first {
            frame()?;
        }
        let before = Resources::of_process(device);
        let start = Instant::now();
        for _ in first..self.frames {
            frame()?;
        }
        let seconds = start.elapsed().as_secs_f64();
        let rate = self.frames.saturating_sub(first) as f64 / seconds;
        println!("{name}: {} frames, {rate:.0} per second", self.frames);
        before.report(name, device);
        Ok(())
    }

    /// Writes a picture to the folder that was asked for, if one was.
    #[expect(clippy::print_stdout, reason = "for programs")]
    pub fn write(&self, name: &str, picture: &Picture) {
        let Some(path) = self.out.as_deref().map(|folder: &Path| folder.join(name)) else {
            return;
        };
        match picture.write(&path) {
            Ok(()) => println!("wrote {}", path.display()),
            Err(error) => println!("cannot write {}: {error}", path.display()),
        }
    }
}

/// Runs `once` `first` times, then `then` times, and prints what the process has before and after the second series.
///
/// # Errors
/// Those of `once`.
#[expect(clippy::print_stdout, reason = "for programs")]
pub fn repeat(
    name: &str,
    [first, then]: [usize; 2],
    device: &Device,
    once: impl Fn() -> Result<()>,
) -> Result<()> {
    for _ in 0..first {
        once()?;
    }
    let before = Resources::of_process(device);
    for _ in 0..then {
        once()?;
    }
    println!("{name}: {then} made and dropped");
    before.report(name, device);
    Ok(())
}

/// What a process has.
#[derive(Clone, Copy)]
struct Resources {
    files: usize,
    /// Of this process, in host memory.
    resident_kib: u64,
    /// Free bytes of the device; 0 on the emulator, whose memory is the host's.
    free: u64,
}

impl Resources {
    fn of_process(device: &Device) -> Resources {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident = resident.and_then(|text| text.split_whitespace().next()?.parse().ok());
        Resources {
            files: std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count),
            resident_kib: resident.unwrap_or(0),
            free: match device.is_gpu() {
                true => device.memory_info().map_or(0, |memory| memory.free),
                false => 0,
            },
        }
    }

    #[expect(clippy::print_stdout, reason = "for programs")]
    fn report(self, name: &str, device: &Device) {
        let after = Resources::of_process(device);
        println!(
            "{name}: {} file descriptors before, {} after; {} KiB resident before, {} after; {} bytes of the device lost",
            self.files,
            after.files,
            self.resident_kib,
            after.resident_kib,
            self.free.saturating_sub(after.free)
        );
    }
}
