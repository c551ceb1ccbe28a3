//! Textures and surfaces on the fake driver: what they keep, what they wait for, and what never reaches the driver. Each test runs in a process of its own.

#![cfg(target_os = "linux")]

use warploom_device_std::surface::Surface2d;
use warploom_device_std::texture::{D2, D3, Texture2d, TextureLinear};
use warploom_fake_driver::testing::{Fake, fake_driver, nothing_is_left};
use warploom_runtime::module::{Code, ForeignKernel};
use warploom_runtime::texture::{Filter, Sampler, SurfaceObject, TextureObject};
use warploom_runtime::{
    ArrayOptions, ArrayShape, Device, Graph, Launch, LaunchError, Result, TextureError,
};

/// Kernels that do nothing: the fake has no texture units.
const PTX: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry one(.param .u64 object)
{
    ret;
}
.visible .entry two(.param .u64 a, .param .u64 b)
{
    ret;
}
";

/// Work is not done until a thread waits for it: an object that goes too early is found.
const QUEUED: &str = "queued=1";

type Reader = ForeignKernel<(Texture2d<'static, f32>,)>;
type Writer = ForeignKernel<(Surface2d<'static, f32>,)>;

fn reader(device: &Device) -> Result<Reader> {
    Ok(device.load(&Code::ptx(PTX)?)?.kernel("one")?)
}

fn writer(device: &Device) -> Result<Writer> {
    Ok(device.load(&Code::ptx(PTX)?)?.kernel("one")?)
}

fn count(fake: &Fake, name: &str) -> usize {
    fake.log().iter().filter(|call| *call == name).count()
}

//@ rows: GTEX-5
#[test]
fn an_array_and_its_texture_stay_as_long_as_launches_use_them() -> Result<()> {
    let test = "an_array_and_its_texture_stay_as_long_as_launches_use_them";
    let Some(fake) = fake_driver(test, QUEUED, &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let (stream, kernel) = (device.stream()?, reader(&device)?);
    let array = device.array_from((4, 4), &[1.0f32; 16])?;
    let texture: TextureObject<'_, D2, f32> = array.texture(Sampler::new())?;
    // SAFETY: `one` has this parameter, and does nothing.
    unsafe { kernel.launch(&stream, Launch::new(1, 1), (&texture,))? };
    drop(texture);
    assert_eq!(fake.count("textures"), 1, "the launch is still queued");
    drop(array); // waits
    assert_eq!((fake.count("textures"), fake.count("launches")), (0, 1));
    drop((stream, kernel, device));
    nothing_is_left(&fake);
    Ok(())
}

#[test]
fn a_graph_keeps_the_textures_of_its_launches() -> Result<()> {
    let test = "a_graph_keeps_the_textures_of_its_launches";
    let Some(fake) = fake_driver(test, QUEUED, &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let (stream, kernel) = (device.stream()?, reader(&device)?);
    let array = device.array_from((4, 4), &[1.0f32; 16])?;
    let mut graph = Graph::new(&device)?;
    // SAFETY: `one` has this parameter, and does nothing.
    graph.add(|s| unsafe {
        kernel.launch(s, Launch::new(1, 1), (&array.texture(Sampler::new())?,))?;
        Ok::<_, warploom_runtime::Error>(())
    })?;
    // Others come and go, more than are kept unused.
    for other in 0..100 {
        let _: TextureObject<'_, D2, f32> =
            array.texture(Sampler::new().border([other as f32; 4]))?;
    }
    drop(array);
    let graph = graph.instantiate()?;
    graph.launch(&stream)?;
    drop(graph); // with the run in flight
    stream.synchronize()?;
    assert_eq!(fake.count("launches"), 1);
    drop((stream, kernel, device));
    nothing_is_left(&fake);
    Ok(())
}

#[test]
fn textures_that_nothing_uses_are_given_up() -> Result<()> {
    let test = "textures_that_nothing_uses_are_given_up";
    let Some(fake) = fake_driver(test, QUEUED, &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let (stream, kernel) = (device.stream()?, reader(&device)?);
    let array = device.array_from((4, 4), &[1.0f32; 16])?;
    for border in 0..200 {
        let sampler = Sampler::new().border([border as f32; 4]);
        // SAFETY: `one` has this parameter, and does nothing.
        unsafe { kernel.launch(&stream, Launch::new(1, 1), (&array.texture(sampler)?,))? };
        assert!(fake.count("textures") <= 33, "{}", fake.count("textures"));
    }
    drop((array, stream, kernel, device));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GTEX-10, GTEX-26, GTEX-27
#[test]
fn the_same_texture_is_made_once_and_other_settings_make_another() -> Result<()> {
    let test = "the_same_texture_is_made_once_and_other_settings_make_another";
    let Some(fake) = fake_driver(test, "", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let array = device.array_from((4, 4), &[1.0f32; 16])?;
    fake.start_log();
    for _ in 0..10 {
        let _: TextureObject<'_, D2, f32> = array.texture(Sampler::new())?;
        let _: TextureObject<'_, D2, f32> = array.texture(Sampler::new().filter(Filter::Linear))?;
    }
    assert_eq!(count(&fake, "cuTexObjectCreate"), 2);
    drop((array, device));
    assert_eq!(count(&fake, "cuTexObjectDestroy"), 2);
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GTEX-25
#[test]
fn a_read_waits_for_what_another_stream_wrote_through_a_surface() -> Result<()> {
    let test = "a_read_waits_for_what_another_stream_wrote_through_a_surface";
    let Some(fake) = fake_driver(test, QUEUED, &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let (one, two) = (device.stream()?, device.stream()?);
    let (read, write) = (reader(&device)?, writer(&device)?);
    let mut array = device.array_uninit::<f32>(ArrayShape::from((4, 4)).with_surface())?;
    // SAFETY: `one` has this parameter, and does nothing.
    unsafe { write.launch(&one, Launch::new(1, 1), (&mut array.surface_mut()?,))? };
    fake.start_log();
    // SAFETY: as above.
    unsafe { read.launch(&two, Launch::new(1, 1), (&array.texture(Sampler::new())?,))? };
    assert_eq!(count(&fake, "cuStreamWaitEvent"), 1);
    // SAFETY: as above.
    unsafe { read.launch(&two, Launch::new(1, 1), (&array.texture(Sampler::new())?,))? };
    assert_eq!(
        count(&fake, "cuStreamWaitEvent"),
        1,
        "the same stream again"
    );
    array.copy_from(&[0.0; 16], &one)?;
    assert_eq!(count(&fake, "cuStreamWaitEvent"), 2);
    drop((array, one, two, read, write, device));
    nothing_is_left(&fake);
    Ok(())
}

#[test]
fn textures_stay_with_their_device_also_where_peers_reach_the_memory() -> Result<()> {
    let test = "textures_stay_with_their_device_also_where_peers_reach_the_memory";
    let Some(fake) = fake_driver(test, "devices=2", &[]) else {
        return Ok(());
    };
    let (a, b) = (Device::cuda(0)?, Device::cuda(1)?);
    a.enable_peer_access(&b)?;
    let (stream, kernel) = (a.stream()?, reader(&a)?);
    let rows = b.pitched_zeroed::<f32>((4, 4))?;
    let texture: TextureObject<'_, D2, f32> = rows.texture(Sampler::new())?;
    // SAFETY: `one` has this parameter, and does nothing.
    let refused = unsafe { kernel.launch(&stream, Launch::new(1, 1), (&texture,)) };
    let Err(LaunchError::WrongDevice { remedy, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert!(
        remedy.contains("textures and surfaces stay with their device"),
        "{remedy}"
    );
    drop((rows, stream, kernel, a, b));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GTEX-8
#[test]
fn what_is_refused_never_reaches_the_driver() -> Result<()> {
    let test = "what_is_refused_never_reaches_the_driver";
    let Some(fake) = fake_driver(test, "", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let array = device.array_uninit::<u8>((4, 4))?;
    let mip = device.mipmapped_uninit::<f32>((4, 4), 2)?;
    let linear = device.zeroed::<f32>(300)?;
    fake.start_log();
    let dimensions: Result<TextureObject<'_, D3, u8>, _> = array.texture(Sampler::new());
    let filter: Result<TextureObject<'_, D2, u8>, _> =
        array.texture(Sampler::new().filter(Filter::Linear));
    let levels: Result<TextureObject<'_, D2, f32>, _> = mip.texture(Sampler::new());
    let surface: Result<SurfaceObject<'_, D2, u8, _>, _> = array.surface();
    let start: Result<TextureObject<'_, _, f32>, _> = linear.slice(1..)?.texture();
    let cubes = ArrayShape::Cubes {
        side: 4,
        layers: 342,
    };
    assert!(matches!(dimensions, Err(TextureError::Dimensions { .. })));
    assert!(matches!(filter, Err(TextureError::FilterOfIntegers { .. })));
    assert!(matches!(levels, Err(TextureError::UnnormalizedLevels)));
    assert!(matches!(surface, Err(TextureError::NotForSurfaces { .. })));
    assert!(matches!(
        start,
        Err(TextureError::Start {
            given: 4,
            align: 512,
            ..
        })
    ));
    assert!(device.array_uninit::<u8>(cubes).is_err());
    assert!(device.mipmapped_uninit::<u8>((4, 4), 4).is_err());
    let calls = fake.log();
    let asked = [
        "cuDeviceGetAttribute",
        "cuCtxSetCurrent",
        "cuDeviceGetTexture1DLinearMaxWidth",
    ];
    assert!(
        calls.iter().all(|call| asked.contains(&&**call)),
        "{calls:?}"
    );
    drop((array, mip, linear, device));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GDM-4, GDM-7
#[test]
fn levels_and_faces_are_copied_by_themselves_also_in_graphs() -> Result<()> {
    let test = "levels_and_faces_are_copied_by_themselves_also_in_graphs";
    let Some(fake) = fake_driver(test, QUEUED, &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let stream = device.stream()?;
    let shape = ArrayShape::Cube { side: 2 };
    let mut cubes = device.mipmapped_uninit::<u32>(ArrayOptions::new(shape), 2)?;
    let data: Vec<u32> = (0..24).collect();
    cubes
        .level_mut(0)?
        .as_slice_mut()
        .copy_from(&data, &stream)?;
    let mut graph = Graph::new(&device)?;
    graph.add(|s| {
        let mut levels = cubes.levels_mut();
        let [fine, coarse] = &mut levels[..] else {
            unreachable!("two levels were asked for")
        };
        let corners = fine.as_level().part(1.., 1.., ..)?;
        coarse.as_slice_mut().copy_from_device(corners, s)
    })?;
    graph.instantiate()?.launch(&stream)?;
    assert_eq!(
        cubes.level(1)?.as_slice().to_vec(&stream)?,
        [3, 7, 11, 15, 19, 23]
    );
    assert_eq!(
        cubes.level(0)?.part(.., .., 4..5)?.to_vec(&stream)?,
        [16, 17, 18, 19]
    );
    drop((cubes, stream, device));
    nothing_is_left(&fake);
    Ok(())
}

#[test]
fn linear_memory_of_a_pool_waits_for_its_textures() -> Result<()> {
    let test = "linear_memory_of_a_pool_waits_for_its_textures";
    let Some(fake) = fake_driver(test, QUEUED, &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let stream = device.stream()?;
    let module = device.load(&Code::ptx(PTX)?)?;
    let kernel =
        module.kernel::<(TextureLinear<'static, f32>, TextureLinear<'static, f32>)>("two")?;
    let pooled = device.pool()?.filled(128, 1.0f32, &stream)?;
    let other = device.zeroed::<f32>(128)?;
    // SAFETY: `two` has these parameters, and does nothing.
    unsafe {
        kernel.launch(
            &stream,
            Launch::new(1, 1),
            (&pooled.texture()?, &other.texture()?),
        )?
    };
    drop((pooled, other));
    assert_eq!(fake.count("textures"), 0);
    drop((stream, module, kernel, device));
    nothing_is_left(&fake);
    Ok(())
}
