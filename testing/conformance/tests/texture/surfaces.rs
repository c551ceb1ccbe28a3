//! Arrays that kernels write.

use warploom::ArrayElement;
use warploom::device_std::surface::{
    ReadOnly, Surface1d, Surface1dLayered, Surface2d, Surface2dLayered, Surface3d, SurfaceCube,
    SurfaceCubeLayered,
};
use warploom::device_std::texture::Texel;
use warploom::prelude::*;
use warploom::texture::Sampler;
use warploom::{ArrayShape, Result};
use warploom_harness::device_test::check;

use super::compared::noise;

#[kernel]
fn own<T: Texel>(i: Index2D, x: Surface2d<T, ReadOnly>, mut y: Surface2d<T>) {
    y.write(i, x.read(i.x() as i32 + 1, i.y() as i32));
}

/// The array to the left by one, in a launch that is larger than it.
fn elements_go_through<T: Texel + ArrayElement + PartialEq + std::fmt::Debug>(
    element: impl Fn(usize) -> T,
) {
    const WIDTH: usize = 37;
    const HEIGHT: usize = 23;
    let given: Vec<T> = (0..WIDTH * HEIGHT).map(&element).collect();
    let zero = T::from_registers([0; 4]);
    let moved = (0..WIDTH * HEIGHT).map(|k| {
        if k % WIDTH == WIDTH - 1 {
            zero
        } else {
            given[k + 1]
        }
    });
    let expected: Vec<T> = moved.collect();
    check(&expected, |device, stream| {
        let shape = ArrayShape::Plane {
            width: WIDTH,
            height: HEIGHT,
        }
        .with_surface();
        let x = device.array_from(shape, &given)?;
        let mut y = device.array_from(shape, &given)?;
        own::<T>::launch(
            stream,
            ((3, 3), (16, 9)),
            &x.surface()?,
            &mut y.surface_mut()?,
        )?;
        Ok(y.to_vec(stream)?)
    });
}

macro_rules! formats {
    ($($test:ident: $number:ty, |$k:ident| $given:expr;)*) => {$(
        #[test]
        fn $test() {
            let number = |$k: usize| -> $number { $given };
            elements_go_through::<$number>(number);
            elements_go_through::<[$number; 2]>(|k| [number(k), number(k + 7)]);
            elements_go_through::<[$number; 4]>(|k| [number(k), number(k + 7), number(k + 1), number(3 * k)]);
        }
    )*};
}

formats! {
    elements_of_u8_are_written: u8, |k| noise(k) as u8;
    elements_of_u16_are_written: u16, |k| noise(k) as u16;
    elements_of_u32_are_written: u32, |k| noise(k);
    elements_of_i8_are_written: i8, |k| noise(k) as i8;
    elements_of_i16_are_written: i16, |k| noise(k) as i16;
    elements_of_i32_are_written: i32, |k| noise(k) as i32;
    elements_of_f16_are_written: F16, |k| F16::from_f32(noise(k) as u8 as f32);
    elements_of_f32_are_written: f32, |k| noise(k) as f32;
}

#[kernel]
fn line(i: Index1D, mut y: Surface1d<u32>) {
    y.write(i, i.get() as u32 + 1);
}

#[kernel]
fn space(i: Index3D, mut y: Surface3d<u32>) {
    let before = y.read(i);
    y.write(i, before + (i.x() + 10 * i.y() + 100 * i.z()) as u32);
}

#[kernel]
fn layered_line(i: Index1D, mut y: Surface1dLayered<u32>) {
    for layer in 0..3 {
        y.write(i, layer, 100 * layer as u32 + i.get() as u32);
    }
}

#[kernel]
fn layered_plane(i: Index2D, mut y: Surface2dLayered<u32>) {
    for layer in 0..3 {
        y.write(i, layer, (100 * layer) as u32 + (i.x() + 10 * i.y()) as u32);
    }
}

#[kernel]
fn cube(i: Index2D, mut y: SurfaceCube<u32>) {
    for face in 0..6 {
        y.write(i, face, (100 * face) as u32 + (i.x() + 10 * i.y()) as u32);
    }
}

#[kernel]
fn cubes(i: Index2D, mut y: SurfaceCubeLayered<u32>) {
    for slice in 0..12 {
        y.write(
            i,
            slice % 6,
            slice / 6,
            (100 * slice) as u32 + (i.x() + 10 * i.y()) as u32,
        );
    }
}

/// What the elements are if each is written with its coordinates.
fn coordinates([width, height, depth]: [u32; 3]) -> Vec<u32> {
    let all = (0..width * height * depth)
        .map(|k| k % width + 10 * (k / width % height) + 100 * (k / width / height));
    all.collect()
}

#[test]
fn a_thread_writes_its_own_element_of_a_line() {
    let expected: Vec<u32> = (1..=77).collect();
    check(&expected, |device, stream| {
        let mut y =
            device.array_from(ArrayShape::Line { width: 77 }.with_surface(), &[0_u32; 77])?;
        line::launch(stream, (3, 32), &mut y.surface_mut()?)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn a_thread_reads_and_writes_its_own_element_of_a_space() {
    let expected: Vec<u32> = coordinates([9, 7, 5])
        .into_iter()
        .map(|k| k + 1000)
        .collect();
    check(&expected, |device, stream| {
        let shape = ArrayShape::Space {
            width: 9,
            height: 7,
            depth: 5,
        }
        .with_surface();
        let mut y = device.array_from(shape, &[1000_u32; 315])?;
        space::launch(stream, ((2, 2, 2), (8, 4, 3)), &mut y.surface_mut()?)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn a_thread_writes_its_own_element_of_each_layer() {
    check(&coordinates([9, 1, 3]), |device, stream| {
        let mut y = device.array_from(
            ArrayShape::Lines {
                width: 9,
                layers: 3,
            }
            .with_surface(),
            &[0_u32; 27],
        )?;
        layered_line::launch(stream, (2, 8), &mut y.surface_mut()?)?;
        Ok(y.to_vec(stream)?)
    });
    check(&coordinates([9, 7, 3]), |device, stream| {
        let shape = ArrayShape::Planes {
            width: 9,
            height: 7,
            layers: 3,
        }
        .with_surface();
        let mut y = device.array_from(shape, &[0_u32; 189])?;
        layered_plane::launch(stream, ((2, 2), (8, 4)), &mut y.surface_mut()?)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn a_thread_writes_its_own_element_of_each_face() {
    check(&coordinates([5, 5, 6]), |device, stream| {
        let mut y =
            device.array_from(ArrayShape::Cube { side: 5 }.with_surface(), &[0_u32; 150])?;
        cube::launch(stream, ((2, 2), (4, 4)), &mut y.surface_mut()?)?;
        Ok(y.to_vec(stream)?)
    });
    check(&coordinates([5, 5, 12]), |device, stream| {
        let mut y = device.array_from(
            ArrayShape::Cubes { side: 5, layers: 2 }.with_surface(),
            &[0_u32; 300],
        )?;
        cubes::launch(stream, ((2, 2), (4, 4)), &mut y.surface_mut()?)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn at_the_edges(
    i: Index1D,
    x: Surface2d<u32, ReadOnly>,
    at: &[[i32; 2]],
    mut y: DisjointSlice<[u32; 2]>,
) {
    if let (Some(y), Some(&[u, v])) = (y.get_mut(i), at.get(i.get())) {
        *y = [x.read_clamped(u, v), x.read(u, v)];
    }
}

#[test]
fn reads_outside_are_moved_to_the_edge_or_give_zeros() {
    let at: [[i32; 2]; 9] = [
        [0, 0],
        [2, 1],
        [-1, 0],
        [3, 0],
        [0, 2],
        [-1, -1],
        [i32::MAX, 1],
        [i32::MIN, 1],
        [1 << 30, 0],
    ];
    let expected = at.map(|[x, y]| {
        let clamped = 10 * y.clamp(0, 1) + x.clamp(0, 2) + 1;
        let inside = (0..3).contains(&x) && (0..2).contains(&y);
        [clamped as u32, if inside { clamped as u32 } else { 0 }]
    });
    check(&expected, |device, stream| {
        let shape = ArrayShape::Plane {
            width: 3,
            height: 2,
        }
        .with_surface();
        let x = device.array_from(shape, &[1, 2, 3, 11, 12, 13])?;
        let mut y = device.zeroed::<[u32; 2]>(at.len())?;
        at_the_edges::launch(stream, (1, 32), &x.surface()?, &device.upload(&at)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// A read far outside is no error: the context goes on, and so does the launch.
#[test]
fn reads_outside_leave_the_context_as_it_is() {
    let at = [[3, 0], [-1, 0], [0, 2], [i32::MAX, i32::MIN], [1, 1]];
    check(&[0, 0, 0, 0, 12], |device, stream| {
        let shape = ArrayShape::Plane {
            width: 3,
            height: 2,
        }
        .with_surface();
        let x = device.array_from(shape, &[1, 2, 3, 11, 12, 13])?;
        let mut y = device.zeroed::<[u32; 2]>(at.len())?;
        at_the_edges::launch(stream, (1, 32), &x.surface()?, &device.upload(&at)?, &mut y)?;
        stream.synchronize()?;
        Ok(y.to_vec(stream)?.iter().map(|pair| pair[1]).collect())
    });
}

/// Thread 0 writes two elements, of which one is outside.
#[kernel]
fn stores(i: Index1D, mut y: Surface2d<u32>, x: i32, clamped: bool) {
    if i.get() == 0 {
        if clamped {
            // SAFETY: one thread alone accesses the surface.
            unsafe { y.store_clamped(x, 0, 7) };
        } else {
            // SAFETY: as above.
            unsafe { y.store_zero(x, 0, 7) };
        }
        // SAFETY: as above.
        let before = unsafe { y.load(2, 1) };
        // SAFETY: as above.
        unsafe { y.store(1, 1, before + 1) };
    }
}

#[test]
fn stores_outside_are_moved_to_the_edge_or_dropped() {
    for (x, clamped, expected) in [
        (-3, true, [7, 2, 3, 11, 14, 13]),
        (3, true, [1, 2, 7, 11, 14, 13]),
        (3, false, [1, 2, 3, 11, 14, 13]),
        (i32::MAX, false, [1, 2, 3, 11, 14, 13]),
        (i32::MIN, true, [7, 2, 3, 11, 14, 13]),
    ] {
        check(&expected, |device, stream| {
            let shape = ArrayShape::Plane {
                width: 3,
                height: 2,
            }
            .with_surface();
            let mut y = device.array_from(shape, &[1, 2, 3, 11, 12, 13])?;
            stores::launch(stream, (1, 32), &mut y.surface_mut()?, x, clamped)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

#[kernel]
fn sizes(
    i: Index1D,
    plane: Surface2d<u32>,
    space: Surface3d<u32>,
    cube: SurfaceCube<u32>,
    mut y: DisjointSlice<u32>,
) {
    if let Some(y) = y.get_mut(i) {
        let ([a, b], [c, d, e], [f, g]) = (plane.size(), space.size(), cube.size());
        *y = [a, b, c, d, e, f, g][i.get()];
    }
}

#[test]
fn surfaces_say_how_large_they_are() {
    check(&[9, 7, 5, 4, 3, 6, 6], |device, stream| {
        let surface = |shape: ArrayShape| -> Result<_> {
            Ok(device.array_uninit::<u32>(shape.with_surface())?)
        };
        let mut plane = surface(ArrayShape::Plane {
            width: 9,
            height: 7,
        })?;
        let mut space = surface(ArrayShape::Space {
            width: 5,
            height: 4,
            depth: 3,
        })?;
        let mut cube = surface(ArrayShape::Cube { side: 6 })?;
        let mut y = device.zeroed::<u32>(7)?;
        sizes::launch(
            stream,
            (1, 7),
            &mut plane.surface_mut()?,
            &mut space.surface_mut()?,
            &mut cube.surface_mut()?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}

/// What one launch writes through a surface the next reads through a texture of the same array.
#[kernel]
fn through_a_texture(i: Index1D, x: Texture2d<u32>, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x.sample((i.get() % 9) as f32, (i.get() / 9) as f32);
    }
}

#[kernel]
fn fill(i: Index2D, mut y: Surface2d<u32>) {
    y.write(i, (i.x() + 9 * i.y()) as u32);
}

//@ rows: GTEX-25
#[test]
fn a_texture_sees_what_an_earlier_launch_wrote() {
    let expected: Vec<u32> = (0..63).collect();
    check(&expected, |device, stream| {
        let shape = ArrayShape::Plane {
            width: 9,
            height: 7,
        }
        .with_surface();
        let mut image = device.array_from(shape, &[0_u32; 63])?;
        fill::launch(stream, ((2, 1), (8, 8)), &mut image.surface_mut()?)?;
        let mut y = device.zeroed::<u32>(63)?;
        let texture = image.texture(Sampler::new())?;
        through_a_texture::launch(stream, Launch::covering(63), &texture, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
