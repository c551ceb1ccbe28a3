//! Draws a sheet of vertices and a plate of heat, without a window: kernels compute, OpenGL draws, on the same memory.
//!
//! `cargo run --release -p warploom-gl-tests --example opengl_frames -- [--frames N] [--copies] [--out FOLDER]`
//!
//! Draws N frames of each with a debug context, and says whether file descriptors or memory were lost on the way. With `--copies`, takes an OpenGL that shares nothing
//! with the kernels' GPU, too. With `--out`, writes the last pictures as PNG.

use warploom::{ArrayShape, Device, Error, Result, Stream};
use warploom_gl::{OpenGl, OpenGlOptions, ReadOnly, ReadWrite};
use warploom_gl_tests::heat::Heat;
use warploom_gl_tests::wave::Wave;
use warploom_scenes::frames::{Options, repeat};

#[expect(clippy::print_stdout, reason = "a program")]
fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let options = Options::of_process("--copies")?;
    let device = Device::open()?;
    let how = context(&options).debug();
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
    options.draw("wave", &device, || {
        time += 0.01;
        wave.frame(time, &stream)
    })?;
    options.write("opengl_wave.png", &wave.picture()?);
    drop(wave);

    let extent = match device.is_gpu() {
        true => [512, 384],
        false => [96, 64],
    };
    let mut heat = Heat::new(&opengl, extent)?;
    options.draw("heat", &device, || heat.frame(4, &stream))?;
    options.write("opengl_heat.png", &heat.picture()?);
    drop(heat);

    objects(&options, &opengl, &device, &stream)?;
    let messages = opengl.messages()?;
    println!("messages of OpenGL: {}", messages.len());
    for message in messages.iter().take(10) {
        println!("  {message}");
    }
    Ok(())
}

fn context(options: &Options) -> OpenGlOptions {
    match options.switch {
        true => OpenGlOptions::new().allow_copies(),
        false => OpenGlOptions::new(),
    }
}

/// Makes and drops shared objects, in both states, and contexts.
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
    repeat("objects of each kind", [n.max(1000), n], device, once)?;
    repeat("contexts", [10, 20], device, || {
        let other = OpenGl::open(device, context(options))?;
        drop(other.shared_buffer::<u32, _>(64, ReadWrite)?.map(stream)?);
        Ok::<(), Error>(())
    })
}
