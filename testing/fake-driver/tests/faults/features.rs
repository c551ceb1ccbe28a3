//! The rest of what the runtime does with the driver: streams with options, host functions, page-locked memory, graphs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom_device_std::texture::{Cube, D2};
use warploom_runtime::device::ContextLimit;
use warploom_runtime::interop::external::{
    ExternalError, ExternalPlace, Handover, HostMemory, HostSemaphore, SemaphoreKind,
};
use warploom_runtime::interop::graphics::{GlImage, ReadOnly, ReadWrite, WriteDiscard};
use warploom_runtime::texture::{Filter, Sampler, SurfaceObject, TextureObject};
use warploom_runtime::{
    Advice, ArrayShape, Device, Error, EventOptions, Graph, Launch, MemoryLocation, PinnedOptions,
    PoolOptions, StreamOptions, TensorMap, TensorMapMut,
};

use crate::carried::saxpy;

pub(crate) fn streams(device: &Device) -> Result<(), Error> {
    let priorities = device.stream_priorities()?;
    let options = StreamOptions::new()
        .priority(priorities.greatest)
        .blocking();
    let (one, two) = (device.stream_with(options)?, device.default_stream()?);
    let event = device.event_with(EventOptions::new().without_timing().blocking_wait())?;
    let x = device.upload(&[1.0f32; 4])?;
    let mut y = device.zeroed::<f32>(4)?;
    saxpy(&one, Launch::new(1, 4), 2.0, &x, &mut y)?;
    let called = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&called);
    one.launch_host(move || {
        counter.fetch_add(1, Relaxed);
    })?;
    one.record(&event)?;
    two.wait(&event)?;
    saxpy(&two, Launch::new(1, 4), 2.0, &x, &mut y)?;
    while !event.query()? {}
    assert_eq!(called.load(Relaxed), 1);
    while !two.query()? {}
    event.synchronize()?;
    assert_eq!(y.to_vec(&one)?, [4.0; 4]);
    Ok(())
}

pub(crate) fn pinned(device: &Device) -> Result<(), Error> {
    let (one, two) = (device.stream()?, device.stream()?);
    let source = device.pinned_from(&[1.0f32, 2.0, 3.0, 4.0])?;
    let mut mapped = device.pinned_with::<f32>(4, PinnedOptions::new().mapped().portable())?;
    let mut y = device.zeroed::<f32>(4)?;
    y.copy_from_pinned(0, &source, &one)?;
    y.copy_to_pinned(0, &mut mapped, &one)?;
    // A kernel on the host's memory, on another stream.
    saxpy(&two, Launch::new(1, 4), 1.0, &y, mapped.device_slice_mut()?)?;
    assert_eq!(mapped.as_slice()?, [2.0, 4.0, 6.0, 8.0]);
    mapped.as_mut_slice()?.fill(0.5);
    y.copy_from_pinned(2, mapped.slice(..2)?, &two)?;
    assert_eq!(y.to_vec(&one)?, [1.0, 2.0, 0.5, 0.5]);
    Ok(())
}

pub(crate) fn graphs(device: &Device) -> Result<(), Error> {
    let stream = device.stream()?;
    let x = device.upload(&[1.0f32; 4])?;
    let mut y = device.zeroed::<f32>(4)?;
    let mut z = device.zeroed::<f32>(4)?;
    let mut graph = Graph::new(device)?;
    let launch = graph.add(|s| saxpy(s, Launch::new(1, 4), 2.0, &x, &mut y))?;
    graph.add(|s| z.copy_from_device(0, &y, s))?;
    let mut graph = graph.instantiate()?;
    graph.launch(&stream)?;
    graph.launch(&stream)?;
    assert_eq!(z.to_vec(&stream)?, [4.0; 4]);
    let mut triples = device.zeroed::<[u32; 3]>(4)?;
    let fills = Graph::capture(device, |s| triples.fill([1, 2, 3], s))?;
    let mut whole = Graph::new(device)?;
    whole.add_graph(&fills)?;
    whole.instantiate()?.launch(&stream)?;
    assert_eq!(triples.to_vec(&stream)?, [[1, 2, 3]; 4]);
    graph.update(launch, |s| saxpy(s, Launch::new(1, 4), -4.0, &x, &mut y))?;
    graph.launch(&stream)?;
    assert_eq!(z.to_vec(&stream)?, [0.0; 4]);
    // The graph goes last, with work in flight.
    graph.launch(&stream)?;
    drop((x, y, z, stream));
    Ok(())
}

/// Managed memory, pools, rows with a pitch, arrays, registered vectors.
pub(crate) fn kinds(device: &Device) -> Result<(), Error> {
    let (one, two) = (device.stream()?, device.stream()?);
    let x = device.upload(&[1.0f32; 4])?;
    let mut both = device.managed_from(&[1.0f32, 2.0, 3.0, 4.0])?;
    both.advise(Advice::PreferredLocation(MemoryLocation::Device))?;
    both.prefetch(.., MemoryLocation::Device, &one)?;
    saxpy(&one, Launch::new(1, 4), 1.0, &x, &mut both)?;
    assert_eq!(both.as_slice()?, [2.0, 3.0, 4.0, 5.0]);

    let pool = device.new_pool(PoolOptions::new().release_threshold(1 << 20))?;
    let mut pooled = pool.filled(4, 3.0f32, &one)?;
    saxpy(&two, Launch::new(1, 4), 2.0, &x, &mut pooled)?;
    assert_eq!(pooled.to_vec(&two)?, [5.0; 4]);
    drop(pooled);
    pool.trim_to(0)?;

    let mut rows = device.pitched_zeroed::<u32>((3, 2))?;
    rows.fill(7, &one)?;
    assert_eq!(rows.to_vec(&two)?, [7; 6]);

    let mut array = device.array_from((3, 2), &[1u32, 2, 3, 4, 5, 6])?;
    array
        .part_mut(1.., .., ..)?
        .copy_from_device(rows.rect(1.., ..)?, &one)?;
    rows.as_slice_mut()
        .copy_from_device(array.as_slice(), &two)?;
    assert_eq!(rows.to_vec(&one)?, [1, 7, 7, 4, 7, 7]);

    let mut elements = vec![1.0f32, 2.0, 3.0, 4.0];
    let mut pinned = device.register(&mut elements, PinnedOptions::new())?;
    let mut y = device.zeroed::<f32>(4)?;
    y.copy_from_pinned(0, &pinned, &one)?;
    saxpy(&one, Launch::new(1, 4), 1.0, &x, &mut y)?;
    y.copy_to_pinned(0, &mut pinned, &two)?;
    assert_eq!(pinned.take_vec()?, [2.0, 3.0, 4.0, 5.0]);
    Ok(())
}

/// Maps of tensors.
pub(crate) fn tensors(device: &Device) -> Result<(), Error> {
    let mut x = device.zeroed::<f32>(64 * 8)?;
    let map = TensorMap::builder(x.as_slice(), [64, 8])
        .block([32, 4])
        .build()?;
    assert_eq!(map.box_bytes(), 32 * 4 * 4);
    let map = TensorMapMut::builder(x.as_slice_mut(), [512])
        .block([256])
        .build()?;
    assert_eq!(map.box_bytes(), 1024);
    Ok(())
}

/// Textures and surfaces, of all kinds of memory.
pub(crate) fn textures(device: &Device) -> Result<(), Error> {
    let stream = device.stream()?;
    let mut image = device.mipmapped_uninit::<f32>(ArrayShape::from((4, 2)).with_surface(), 2)?;
    let mut coarse = image.level_mut(1)?;
    coarse.as_slice_mut().copy_from(&[0.5, 0.25], &stream)?;
    let surface: SurfaceObject<'_, D2, f32> = coarse.into_surface()?;
    assert_ne!(surface.raw_handle(), 0);
    let smooth = Sampler::new().normalized().filter(Filter::Linear);
    let texture: TextureObject<'_, D2, f32> = image.texture(smooth)?;
    assert_ne!(texture.raw_handle(), 0);
    let array = device.array_from(ArrayShape::Cube { side: 1 }, &[1u8, 2, 3, 4, 5, 6])?;
    let texture: TextureObject<'_, Cube, u8> = array.texture(Sampler::new())?;
    assert_ne!(texture.raw_handle(), 0);
    let (x, rows) = (
        device.zeroed::<f32>(8)?,
        device.pitched_zeroed::<f32>((3, 2))?,
    );
    let texture: TextureObject<'_, _, f32> = x.texture()?;
    assert_ne!(texture.raw_handle(), 0);
    let texture: TextureObject<'_, _, f32> = rows.texture(Sampler::new())?;
    assert_ne!(texture.raw_handle(), 0);
    assert_eq!(image.level(1)?.as_slice().to_vec(&stream)?, [0.5, 0.25]);
    Ok(())
}

/// Memory and semaphores of another API, and memory for one.
#[expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "all imports are of what this function made"
)]
pub(crate) fn external(device: &Device) -> Result<(), Error> {
    let stream = device.stream()?;
    let other = |error: std::io::Error| ExternalError::Host {
        what: "be the other API",
        reason: error.to_string(),
    };
    let (memory, image) = (HostMemory::new(64), HostMemory::new(64));
    let (memory, image) = (memory.map_err(other)?, image.map_err(other)?);
    let [timeline, done, ready, third] = [(); 4].map(|()| HostSemaphore::new());
    let (timeline, done, ready, third) = (timeline?, done?, ready?, third?);
    // SAFETY: nothing here works on the memory out of turn.
    let (buffer, array, (own, exported)) = unsafe {
        let semaphore = |of: &HostSemaphore, kind| device.import_semaphore(of.fd()?, kind);
        let one = Handover::timeline(semaphore(&timeline, SemaphoreKind::Timeline)?, 0);
        let kind = SemaphoreKind::Binary;
        let two = Handover::binary(semaphore(&done, kind)?, semaphore(&ready, kind)?);
        let three = Handover::timeline(semaphore(&third, SemaphoreKind::Timeline)?, 0);
        let (fd, place) = (
            memory.fd().map_err(other)?,
            ExternalPlace::new(64).offset(32),
        );
        let buffer = device.import_buffer::<f32>(fd, place, 4, one)?;
        let (fd, place) = (
            image.fd().map_err(other)?,
            ExternalPlace::new(64).dedicated(),
        );
        let shape = ArrayShape::from((4, 2)).with_surface();
        let array = device.import_mipmapped_array::<u32>(fd, place, shape, 2, two)?;
        (buffer, array, device.export_buffer::<f32>(4, three)?)
    };
    let mut own = own.acquire(&stream)?;
    let mut buffer = buffer.acquire(&stream)?;
    own.as_slice_mut()
        .copy_from(0, &[1.0, 2.0, 3.0, 4.0], &stream)?;
    saxpy(
        &stream,
        Launch::new(1, 4),
        2.0,
        &*own,
        buffer.as_slice_mut(),
    )?;
    let theirs = (buffer.release(&stream)?, own.release(&stream)?);
    stream.synchronize()?;
    assert_eq!((timeline.value(), third.value()), (1, 1));
    done.signal(1)?;
    let mut array = array.acquire(&stream)?;
    let mut coarse = array.level_mut(1)?;
    coarse.as_slice_mut().copy_from(&[7, 8], &stream)?;
    let texture: TextureObject<'_, D2, u32> = array.texture(Sampler::new().normalized())?;
    assert_ne!(texture.raw_handle(), 0);
    let array = array.release(&stream)?;
    stream.synchronize()?;
    assert_eq!((done.value(), ready.value()), (0, 1));
    // SAFETY: it is the other API's turn; the finest level has 8 elements.
    let found = unsafe { image.start().cast::<u32>().add(8).cast::<[u32; 2]>().read() };
    assert_eq!(found, [7, 8]);
    let bytes = usize::try_from(exported.allocation_bytes).unwrap_or(0);
    let exported = HostMemory::map(exported.fd, bytes).map_err(other)?;
    // SAFETY: as above.
    let found = unsafe { exported.start().cast::<[f32; 2]>().read() };
    assert_eq!(found, [1.0, 2.0]);
    drop((theirs, array));
    Ok(())
}

/// What a device says of itself.
pub(crate) fn facts(device: &Device) -> Result<(), Error> {
    let stack = device.context_limit(ContextLimit::Stack)?;
    device.set_context_limit(ContextLimit::Stack, stack)?;
    let memory = device.memory_info()?;
    assert!(memory.free <= memory.total);
    assert_eq!(device.properties()?.compute_capability, (9, 0));
    Ok(())
}

/// Objects of the fake's OpenGL, whose names say what they are.
#[expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "all are registered for the same reason"
)]
pub(crate) fn graphics(device: &Device) -> Result<(), Error> {
    let (one, two) = (device.stream()?, device.stream()?);
    assert!(device.is_of_gl_context()?);
    // A buffer of 32 bytes; images of f32: a plane of 4 x 2, and 4 x 2 x 3.
    let (plane, space) = (0x2010_0204, 0x2013_0204);
    // SAFETY: the fake has no OpenGL, and so no context that must be current.
    let (mut buffer, read, deep, drawn) = unsafe {
        let shape = ArrayShape::from((4, 2)).with_surface();
        let (texture, volume) = (GlImage::Texture(plane), GlImage::Texture(space));
        (
            device.register_gl_buffer::<f32, _>(32, 8, ReadWrite)?,
            device.register_gl_buffer::<f32, _>(16, 4, ReadOnly)?,
            device.register_gl_image::<f32, _>(volume, (4, 2, 3), WriteDiscard)?,
            device.register_gl_image::<f32, _>(texture, shape, ReadWrite)?,
        )
    };
    for turn in [1.0, 2.0] {
        let mut ours = buffer.map(&one)?;
        ours.as_slice_mut().fill(turn, &two)?;
        assert_eq!(ours.to_vec(&one)?, [turn; 8]);
        buffer = ours.unmap(&one)?;
    }
    let mut drawn = drawn.map(&two)?;
    let mut level = drawn.as_level_mut();
    level.as_slice_mut().copy_from(&[0.5; 8], &one)?;
    let texture: TextureObject<'_, D2, f32> = drawn.texture(Sampler::new())?;
    assert_ne!(texture.raw_handle(), 0);
    let drawn = drawn.unmap(&two)?.map(&one)?; // its texture goes
    assert_eq!(drawn.to_vec(&one)?, [0.5; 8]);
    drop(drawn); // still mapped
    drop(deep.map(&one)?.unmap(&two)?);
    drop(read.map(&one)?);
    Ok(())
}
