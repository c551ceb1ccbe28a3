//! Elements beside the coordinates.

use warploom::ArrayShape;
use warploom::device_std::texture::{
    Texture1d, Texture1dLayered, Texture2d, Texture2dLayered, Texture3d,
};
use warploom::prelude::*;
use warploom::texture::{Address, Filter, Sampler};
use warploom_harness::device_test::check;

use super::compared::{numbers, same_numbers};

/// Each of −8 to 7 along x, and along y by the row.
fn offset(k: usize) -> [i32; 2] {
    [(k % 16) as i32 - 8, (k / 16 % 16) as i32 - 8]
}

#[kernel]
fn beside(
    i: Index1D,
    image: Texture2d<f32>,
    at: &[[f32; 2]],
    by: &[[i32; 2]],
    mut y: DisjointSlice<f32>,
) {
    if let (Some(y), Some(&[u, v]), Some(&by)) = (y.get_mut(i), at.get(i.get()), by.get(i.get())) {
        *y = image.sample_offset(u, v, by);
    }
}

/// An image of 37 by 23, at places in and around it, with each offset.
#[track_caller]
fn all_points(sampler: Sampler, extents: [f32; 2]) {
    let n = 256 * 40;
    let at: Vec<[f32; 2]> = (0..n)
        .map(|k| {
            let along =
                |steps: usize, extent: f32| ((k * steps % 997) as f32 / 997.0 * 2.0 - 0.5) * extent;
            [along(331, extents[0]), along(577, extents[1])]
        })
        .collect();
    let by: Vec<[i32; 2]> = (0..n).map(offset).collect();
    same_numbers(|device, stream| {
        let image = device.array_from((37, 23), &numbers(37 * 23))?;
        let mut y = device.zeroed(n)?;
        beside::launch(
            stream,
            Launch::covering(n),
            &image.texture(sampler)?,
            &device.upload(&at)?,
            &device.upload(&by)?,
            &mut y,
        )?;
        stream.synchronize()?;
        Ok(y)
    });
}

#[test]
fn an_offset_counts_elements() {
    let expected: Vec<f32> = (0..256)
        .map(|k| {
            let [x, y] = offset(k);
            (100 * (9 + y) + 10 + x) as f32
        })
        .collect();
    let given: Vec<f32> = (0..20 * 19)
        .map(|k| (100 * (k / 20) + k % 20) as f32)
        .collect();
    check(&expected, |device, stream| {
        let image = device.array_from((20, 19), &given)?;
        let at = vec![[10.5, 9.5]; 256];
        let by: Vec<[i32; 2]> = (0..256).map(offset).collect();
        let mut y = device.zeroed(256)?;
        beside::launch(
            stream,
            Launch::covering(256),
            &image.texture(Sampler::new())?,
            &device.upload(&at)?,
            &device.upload(&by)?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn clamped_neighbours_of_elements() {
    all_points(Sampler::new(), [37.0, 23.0]);
}

#[test]
fn filtered_neighbours_within_a_border() {
    let sampler = Sampler::new()
        .filter(Filter::Linear)
        .address_all(Address::Border)
        .border([3.5; 4]);
    all_points(sampler, [37.0, 23.0]);
}

#[test]
fn filtered_neighbours_of_repeated_coordinates() {
    let sampler = Sampler::new()
        .filter(Filter::Linear)
        .normalized()
        .address_all(Address::Wrap);
    all_points(sampler, [1.0, 1.0]);
}

#[test]
fn neighbours_of_reflected_coordinates() {
    let sampler = Sampler::new().normalized().address_all(Address::Mirror);
    all_points(sampler, [1.0, 1.0]);
}

#[kernel]
fn rows_and_slices(
    i: Index1D,
    row: Texture1d<f32>,
    space: Texture3d<f32>,
    rows: Texture1dLayered<f32>,
    planes: Texture2dLayered<f32>,
    mut y: DisjointSlice<[f32; 4]>,
) {
    let by = (i.get() as i32) % 16 - 8;
    if let Some(y) = y.get_mut(i) {
        *y = [
            row.sample_offset(10.5, by),
            space.sample_offset(3.5, 2.5, 1.5, [by, 1, -1]),
            rows.sample_offset(9.5, 1, by),
            planes.sample_offset(9.5, 2.5, 1, [by, -2]),
        ];
    }
}

#[test]
fn each_dimension_has_offsets() {
    // Beyond the edges of a row there is a border, also above and below it.
    let bordered = Sampler::new()
        .address_all(Address::Border)
        .border([-1.0; 4]);
    let expected: Vec<[f32; 4]> = (-8..8)
        .map(|by: i32| {
            [
                if (0..15).contains(&(10 + by)) {
                    (10 + by) as f32
                } else {
                    -1.0
                },
                ((3 + by).clamp(0, 4) + 10 * 3) as f32,
                (1000 + (9 + by).clamp(0, 14)) as f32,
                (1000 + (9 + by).clamp(0, 14)) as f32,
            ]
        })
        .collect();
    check(&expected, |device, stream| {
        let row: Vec<f32> = (0..15).map(|k| k as f32).collect();
        let space: Vec<f32> = (0..5 * 4 * 3)
            .map(|k| (k % 5 + 10 * (k / 5 % 4) + 100 * (k / 20)) as f32)
            .collect();
        let rows: Vec<f32> = (0..30).map(|k| (k % 15 + 1000 * (k / 15)) as f32).collect();
        let planes: Vec<f32> = (0..15 * 3 * 2)
            .map(|k| (k % 15 + 100 * (k / 15 % 3) + 1000 * (k / 45)) as f32)
            .collect();
        let row = device.array_from(15, &row)?;
        let space = device.array_from((5, 4, 3), &space)?;
        let rows = device.array_from(
            ArrayShape::Lines {
                width: 15,
                layers: 2,
            },
            &rows,
        )?;
        let planes = device.array_from(
            ArrayShape::Planes {
                width: 15,
                height: 3,
                layers: 2,
            },
            &planes,
        )?;
        let mut y = device.zeroed::<[f32; 4]>(16)?;
        rows_and_slices::launch(
            stream,
            (1, 16),
            &row.texture(bordered)?,
            &space.texture(Sampler::new())?,
            &rows.texture(Sampler::new())?,
            &planes.texture(Sampler::new())?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn in_levels(i: Index1D, image: Texture2d<f32>, mut y: DisjointSlice<f32>) {
    let k = i.get() as i32;
    if let Some(y) = y.get_mut(i) {
        *y = image.sample_level_offset(0.5, 0.5, (k / 8) as f32, [k % 8 - 4, 0]);
    }
}

#[test]
fn offsets_count_elements_of_the_level() {
    // Levels of 16, 8 and 4 by 4, 2 and 1, whose elements have the number of the level and of the column.
    let expected: Vec<f32> = (0..24)
        .map(|k| {
            let (level, by) = (k / 8, k % 8 - 4);
            let width = 16 >> level;
            (100 * level + (width / 2 + by).clamp(0, width - 1)) as f32
        })
        .collect();
    check(&expected, |device, stream| {
        let mut image = device.mipmapped_uninit::<f32>((16, 4), 3)?;
        for level in 0..3u32 {
            let (width, height) = (16 >> level, 4 >> level);
            let texels: Vec<f32> = (0..width * height)
                .map(|k| (100 * level as usize + k % width) as f32)
                .collect();
            image
                .level_mut(level)?
                .as_slice_mut()
                .copy_from(&texels, stream)?;
        }
        let mut y = device.zeroed(24)?;
        in_levels::launch(
            stream,
            (1, 24),
            &image.texture(Sampler::new().normalized())?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}
