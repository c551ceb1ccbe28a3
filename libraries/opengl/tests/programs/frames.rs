//! Draws a sheet of vertices and a plate of heat, without a window: kernels compute, OpenGL draws, on the same memory.
//!
//! `cargo run --release -p warploom-gl-tests --example frames -- [--frames N] [--copies] [--out FOLDER]`
//!
//! Draws N frames of each with a debug context, and says whether file descriptors or memory were lost on the way. With `--copies`, takes an OpenGL that shares nothing
//! with the kernels' GPU, too. With `--out`, writes the last pictures as PNG.

use std::path::PathBuf;
use std::time::Instant;

use warploom::{ArrayShape, Device, Result, Stream};
use warploom_gl::{OpenGl, OpenGlOptions, ReadOnly, ReadWrite};
use warploom_gl_tests::heat::Heat;
use warploom_gl_tests::offscreen::Picture;
use warploom_gl_tests::wave::Wave;

struct Options {
    frames: usize,
    copies: bool,
    out: Option<PathBuf>,
}

fn options() -> Options {
    let mut options = Options {
        frames: 100,
        copies: false,
        out: None,
    };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        match name.as_str() {
            "--frames" => {
                let frames = given.next().and_then(|n| n.parse().ok());
                options.frames = frames.unwrap_or(options.frames);
            }
            "--copies" => options.copies = true,
            "--out" => options.out = given.next().map(PathBuf::from),
            other => eprintln!("no option {other}: --frames N, --copies, --out FOLDER"),
        }
    }
    options
}

#[expect(clippy::print_stdout, reason = "a program")]
fn main() -> Result<()> {
    let options = options();
    let device = Device::open()?;
    let mut how = OpenGlOptions::new().debug();
    if options.copies {
        how = how.allow_copies();
    }
    let opengl = OpenGl::open(&device, how)?;
    let stream = device.stream()?;
    let form = match opengl.is_in_place() {
        true => "in place",
        false => "by copies",
    };
    println!(
        "kernels on {}, OpenGL on {}, {form}",
        device.name(),
        opengl.name()
    );

    let size = if device.is_gpu() { 512 } else { 96 };
    let mut wave = Wave::new(&opengl, [size, size], [640, 480])?;
    let mut time = 0.0;
    run(&options, "wave", &device, || {
        time += 0.01;
        wave.frame(time, &stream)
    })?;
    write(&options, "opengl_wave.png", &wave.picture()?);
    drop(wave);

    let extent = match device.is_gpu() {
        true => [512, 384],
        false => [96, 64],
    };
    let mut heat = Heat::new(&opengl, extent)?;
    run(&options, "heat", &device, || heat.frame(4, &stream))?;
    write(&options, "opengl_heat.png", &heat.picture()?);
    drop(heat);

    objects(&options, &opengl, &device, &stream)?;
    let messages = opengl.messages()?;
    println!("messages of OpenGL: {}", messages.len());
    for message in messages.iter().take(10) {
        println!("  {message}");
    }
    Ok(())
}

/// What a program has.
#[derive(Clone, Copy)]
struct Resources {
    files: usize,
    /// Of this process, in host memory.
    resident_kib: u64,
    /// Free bytes of the device; 0 on the emulator, whose memory is the host's.
    free: u64,
}

fn resources(device: &Device) -> Resources {
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
fn report(name: &str, before: Resources, after: Resources) {
    println!(
        "{name}: {} file descriptors before, {} after; {} KiB resident before, {} after; {} bytes of the device lost",
        before.files,
        after.files,
        before.resident_kib,
        after.resident_kib,
        before.free.saturating_sub(after.free)
    );
}

/// Makes and drops shared objects, in both states, and contexts.
#[expect(clippy::print_stdout, reason = "a program")]
fn objects(options: &Options, opengl: &OpenGl, device: &Device, stream: &Stream) -> Result<()> {
    let once = || -> Result<()> {
        let mut buffer = opengl
            .shared_buffer::<u32, _>(1 << 16, ReadWrite)?
            .map(stream)?;
        buffer.as_slice_mut().fill(7, stream)?;
        drop(buffer.unmap(stream)?);
        let shape = ArrayShape::from((256, 16)).with_surface();
        drop(
            opengl
                .shared_texture::<f32, _>(shape, ReadWrite)?
                .map(stream)?,
        );
        drop(opengl.shared_renderbuffer::<[u8; 4], _>(64, 64, ReadOnly)?);
        Ok(())
    };
    let n = options.frames / 10 + 1;
    // The emulator keeps some memory that was freed, to find accesses to it; then it has as much as it keeps.
    for _ in 0..n.max(1000) {
        once()?;
    }
    let before = resources(device);
    for _ in 0..n {
        once()?;
    }
    println!("objects: {n} of each kind made and dropped");
    report("objects", before, resources(device));

    let context = || -> Result<()> {
        let mut how = OpenGlOptions::new();
        if options.copies {
            how = how.allow_copies();
        }
        let other = OpenGl::open(device, how)?;
        drop(other.shared_buffer::<u32, _>(64, ReadWrite)?.map(stream)?);
        Ok(())
    };
    for _ in 0..10 {
        context()?;
    }
    let before = resources(device);
    for _ in 0..20 {
        context()?;
    }
    println!("contexts: 20 opened and closed");
    report("contexts", before, resources(device));
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
