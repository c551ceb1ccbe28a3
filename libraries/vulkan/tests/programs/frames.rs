//! Draws a sheet of vertices and a plate of heat, without a window: kernels compute, Vulkan draws, on the same memory.
//!
//! `cargo run --release -p warploom-vulkan-tests --example frames -- [--frames N] [--validation] [--out FOLDER]`
//!
//! Draws N frames of each, and says whether file descriptors or memory of the device were lost on the way. With `--out`, writes the last pictures as PNG.

use std::path::PathBuf;
use std::time::Instant;

use warploom::{Device, Result, Stream};
use warploom_vulkan::{Vulkan, VulkanOptions};
use warploom_vulkan_tests::heat::Heat;
use warploom_vulkan_tests::offscreen::Picture;
use warploom_vulkan_tests::wave::{MemoryOf, Wave};

struct Options {
    frames: usize,
    validation: bool,
    out: Option<PathBuf>,
}

fn options() -> Options {
    let mut options = Options {
        frames: 100,
        validation: false,
        out: None,
    };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        match name.as_str() {
            "--frames" => {
                let frames = given.next().and_then(|n| n.parse().ok());
                options.frames = frames.unwrap_or(options.frames);
            }
            "--validation" => options.validation = true,
            "--out" => options.out = given.next().map(PathBuf::from),
            other => eprintln!("no option {other}: --frames N, --validation, --out FOLDER"),
        }
    }
    options
}

#[expect(clippy::print_stdout, reason = "a program")]
fn main() -> Result<()> {
    let options = options();
    let device = Device::open()?;
    let mut how = VulkanOptions::new();
    if options.validation {
        how = how.validation();
    }
    let vulkan = Vulkan::open(&device, how)?;
    let stream = device.stream()?;
    println!("kernels on {}, Vulkan on {}", device.name(), vulkan.name());

    let size = if device.is_gpu() { 512 } else { 96 };
    let mut pictures = vec![];
    for (memory, name) in [
        (MemoryOf::Vulkan, "wave"),
        (MemoryOf::Cuda, "wave in memory of CUDA"),
    ] {
        let mut wave = Wave::new(&vulkan, memory, [size, size], [640, 480])?;
        let mut time = 0.0;
        run(&options, name, &device, || {
            time += 0.01;
            wave.frame(time, &stream)
        })?;
        pictures.push(wave.picture()?);
    }
    println!("both pictures are the same: {}", pictures[0] == pictures[1]);
    write(&options, "vulkan_wave.png", &pictures[0]);

    let extent = if device.is_gpu() {
        [512, 384]
    } else {
        [96, 64]
    };
    let mut heat = Heat::new(&vulkan, extent)?;
    let picture = run(&options, "heat", &device, || heat.frame(4, &stream))
        .and_then(|()| Ok(heat.picture()?))?;
    write(&options, "vulkan_heat.png", &picture);
    drop(heat);

    objects(&options, &vulkan, &device, &stream)?;
    let messages = vulkan.messages();
    let asked = if options.validation {
        ""
    } else {
        " (not asked for)"
    };
    println!(
        "messages of the validation layer: {}{asked}",
        messages.len()
    );
    for message in messages.iter().take(10) {
        println!("  {message}");
    }
    Ok(())
}

/// File descriptors of this process, and the bytes of the device that are free.
fn resources(device: &Device) -> (usize, u64) {
    let files = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let free = match device.is_gpu() {
        true => device.memory_info().map_or(0, |memory| memory.free),
        false => 0, // the emulator's memory is the host's, which others use
    };
    (files, free)
}

/// Draws all frames and compares what the process has after the first tenth with what it has at the end.
#[expect(clippy::print_stdout, reason = "a program")]
fn run(
    options: &Options,
    name: &str,
    device: &Device,
    mut frame: impl FnMut() -> Result<()>,
) -> Result<()> {
    let first = options.frames / 10 + 1;
    for _ in 0..first {
        frame()?;
    }
    let before = resources(device);
    let start = Instant::now();
    for _ in first..options.frames {
        frame()?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let rest = options.frames.saturating_sub(first);
    let per_second = rest as f64 / seconds;
    println!(
        "{name}: {} frames, {per_second:.0} per second",
        options.frames
    );
    report(name, before, resources(device));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a program")]
fn report(name: &str, before: (usize, u64), after: (usize, u64)) {
    let lost = before.1.saturating_sub(after.1);
    println!(
        "{name}: {} file descriptors before, {} after; {lost} bytes of the device lost",
        before.0, after.0
    );
}

/// Makes and drops shared buffers and images, in both states, and memory for others.
#[expect(clippy::print_stdout, reason = "a program")]
fn objects(options: &Options, vulkan: &Vulkan, device: &Device, stream: &Stream) -> Result<()> {
    use ash::vk::{BufferUsageFlags, ImageUsageFlags};
    let once = || -> Result<()> {
        let buffer = vulkan.shared_buffer::<u32>(1 << 16, BufferUsageFlags::STORAGE_BUFFER)?;
        let mut buffer = buffer.acquire(stream)?;
        buffer.as_slice_mut().fill(7, stream)?;
        drop(buffer.release(stream)?);
        let image = vulkan.shared_image::<f32>(256, 16, ImageUsageFlags::SAMPLED)?;
        drop(image.acquire(stream)?);
        Ok(())
    };
    let n = options.frames / 10 + 1;
    once()?;
    let before = resources(device);
    for _ in 0..n {
        once()?;
    }
    println!("objects: {n} buffers and images made and dropped");
    report("objects", before, resources(device));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a program")]
fn write(options: &Options, name: &str, picture: &Picture) {
    if let Some(folder) = &options.out {
        let path = folder.join(name);
        match picture.write(&path) {
            Ok(()) => println!("wrote {}", path.display()),
            Err(error) => println!("cannot write {}: {error}", path.display()),
        }
    }
}
