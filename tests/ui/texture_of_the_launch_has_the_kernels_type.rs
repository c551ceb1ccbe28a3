//@ rows: GTEX-8
use warploom::prelude::*;

#[kernel]
fn k(_x: Texture2d<f32>) {}

fn main() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let bytes = device.array_uninit::<u8>((4, 4))?;
    let texture = bytes.texture::<warploom::device_std::texture::D2, _>(Default::default())?;
    k::launch(&stream, Launch::covering(1), &texture)?;
    Ok(())
}
