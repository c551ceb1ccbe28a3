//! Draws a sheet of vertices and a plate of heat, without a window: kernels compute, Vulkan draws, on the same memory.
//!
//! `cargo run --release -p warploom-vulkan-tests --example vulkan_frames -- [--frames N] [--validation] [--out FOLDER]`
//!
//! Draws N frames of each, and says whether file descriptors or memory were lost on the way. With `--out`, writes the last pictures as PNG.

use ash::vk::{BufferUsageFlags, ImageUsageFlags};
use warploom::{Device, Result, Stream};
use warploom_scenes::frames::{Options, repeat};
use warploom_vulkan::{Vulkan, VulkanOptions};
use warploom_vulkan_tests::heat::Heat;
use warploom_vulkan_tests::wave::{MemoryOf, Wave};

#[expect(clippy::print_stdout, reason = "a program")]
fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let options = Options::of_process("--validation")?;
    let device = Device::open()?;
    let (how, asked) = match options.switch {
        true => (VulkanOptions::new().validation(), ""),
        false => (VulkanOptions::new(), " (not asked for)"),
    };
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
        options.draw(name, &device, || {
            time += 0.01;
            wave.frame(time, &stream)
        })?;
        pictures.push(wave.picture()?);
    }
    println!("both pictures are the same: {}", pictures[0] == pictures[1]);
    options.write("vulkan_wave.png", &pictures[0]);

    let extent = match device.is_gpu() {
        true => [512, 384],
        false => [96, 64],
    };
    let mut heat = Heat::new(&vulkan, extent)?;
    options.draw("heat", &device, || heat.frame(4, &stream))?;
    options.write("vulkan_heat.png", &heat.picture()?);
    drop(heat);

    objects(&options, &vulkan, &device, &stream)?;
    let messages = vulkan.messages();
    println!(
        "messages of the validation layer: {}{asked}",
        messages.len()
    );
    for message in messages.iter().take(10) {
        println!("  {message}");
    }
    Ok(())
}

/// Makes and drops shared buffers and images, in both states, and memory for others.
fn objects(options: &Options, vulkan: &Vulkan, device: &Device, stream: &Stream) -> Result<()> {
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
    // The emulator keeps some memory that was freed, to find accesses to it; then it has as much as it keeps.
    repeat("objects of each kind", [n.max(1000), n], device, once)
}
