//! How many layers and levels there are, as kernels ask for it.

use warploom::ArrayShape;
use warploom::device_std::surface::ReadOnly;
use warploom::prelude::*;
use warploom::texture::Sampler;
use warploom_harness::device_test::check;

#[kernel]
fn layers_of_textures(
    i: Index1D,
    lines: Texture1dLayered<f32>,
    planes: Texture2dLayered<f32>,
    cubes: TextureCubeLayered<f32>,
    mut y: DisjointSlice<u32>,
) {
    if let Some(y) = y.get_mut(i) {
        *y = [lines.layers(), planes.layers(), cubes.layers()][i.get()];
    }
}

#[kernel]
fn layers_of_surfaces(
    i: Index1D,
    lines: Surface1dLayered<f32, ReadOnly>,
    planes: Surface2dLayered<f32, ReadOnly>,
    cubes: SurfaceCubeLayered<f32, ReadOnly>,
    mut y: DisjointSlice<u32>,
) {
    if let Some(y) = y.get_mut(i) {
        *y = [lines.layers(), planes.layers(), cubes.layers()][i.get()];
    }
}

#[test]
fn layers_are_counted() {
    check(&[5, 3, 2, 5, 3, 2], |device, stream| {
        let lines = ArrayShape::Lines {
            width: 7,
            layers: 5,
        };
        let planes = ArrayShape::Planes {
            width: 7,
            height: 4,
            layers: 3,
        };
        let cubes = ArrayShape::Cubes { side: 8, layers: 2 };
        let lines = device.array_uninit::<f32>(lines.with_surface())?;
        let planes = device.array_uninit::<f32>(planes.with_surface())?;
        let cubes = device.array_uninit::<f32>(cubes.with_surface())?;
        let (mut of_textures, mut of_surfaces) = (device.zeroed(3)?, device.zeroed(3)?);
        layers_of_textures::launch(
            stream,
            (1, 3),
            &lines.texture(Sampler::new())?,
            &planes.texture(Sampler::new())?,
            &cubes.texture(Sampler::new().normalized())?,
            &mut of_textures,
        )?;
        layers_of_surfaces::launch(
            stream,
            (1, 3),
            &lines.surface()?,
            &planes.surface()?,
            &cubes.surface()?,
            &mut of_surfaces,
        )?;
        Ok([of_textures.to_vec(stream)?, of_surfaces.to_vec(stream)?].concat())
    });
}

#[kernel]
fn levels_of(i: Index1D, one: Texture3d<f32>, five: Texture2d<f32>, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = [one.levels(), five.levels(), five.size_of_level(5)[1]][i.get()];
    }
}

#[test]
fn levels_are_counted() {
    check(&[1, 5, 0], |device, stream| {
        let one = device.array_uninit::<f32>((4, 4, 4))?;
        let five = device.mipmapped_uninit::<f32>((64, 33), 5)?;
        let mut y = device.zeroed(3)?;
        levels_of::launch(
            stream,
            (1, 3),
            &one.texture(Sampler::new())?,
            &five.texture(Sampler::new().normalized())?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}
