//! HeCBench `pnpoly`: which points lie in a polygon, by the parity of the edges to their right.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "pnpoly",
    run,
};

/// Corners of the polygon.
const CORNERS: usize = 600;

#[kernel(fma)]
fn point_in_polygon(
    i: Index1D,
    points: &[[f32; 2]],
    corners: &[[f32; 2]],
    mut inside: DisjointSlice<i32>,
) {
    let Some(inside) = inside.get_mut(i) else {
        return;
    };
    let [x, y] = points[i.get()];
    let before = corners.iter().cycle().skip(corners.len() - 1);
    let crossings = corners.iter().zip(before).filter(|([xj, yj], [xk, yk])| {
        let between = (*yj > y) != (*yk > y);
        between && x < (xk - xj) * (y - yj) / (yk - yj) + xj
    });
    *inside = (crossings.count() % 2) as i32;
}

fn reference(corners: &[[f32; 2]], [x, y]: [f32; 2]) -> i32 {
    let mut inside = 0;
    let mut k = corners.len() - 1;
    for j in 0..corners.len() {
        let ([xj, yj], [xk, yk]) = (corners[j], corners[k]);
        if (yj > y) != (yk > y) && x < (xk - xj) * (y - yj) / (yk - yj) + xj {
            inside = 1 - inside;
        }
        k = j;
    }
    inside
}

/// A star around the middle.
fn star() -> Vec<[f32; 2]> {
    let corner = |k: usize| {
        let angle = std::f32::consts::TAU * k as f32 / CORNERS as f32;
        let radius = if k.is_multiple_of(2) { 0.9 } else { 0.5 };
        [radius * angle.cos(), radius * angle.sin()]
    };
    (0..CORNERS).map(corner).collect()
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, 1 << 19][scale as usize];
    let corners = star();
    // Where rounding decides, contraction could too: points within a millionth of an edge are moved to the middle.
    let is_near = |[x, y]: [f32; 2]| {
        corners
            .iter()
            .zip(corners.iter().cycle().skip(1))
            .any(|(a, b)| {
                let crossing = (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0];
                (a[1] > y) != (b[1] > y) && (x - crossing).abs() < 1e-6
            })
    };
    let coordinates = noise(2 * n, 1);
    let mut points: Vec<[f32; 2]> = coordinates.chunks(2).map(|p| [p[0], p[1]]).collect();
    points
        .iter_mut()
        .filter(|p| is_near(**p))
        .for_each(|p| *p = [0.01, 0.02]);
    let expected = |at: usize| reference(&corners, points[at]);
    let mut inside = side.sampled(&vec![-1; n], expected, 0.0)?;
    let (d_points, d_corners) = (side.upload(&points)?, side.upload(&corners)?);
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![
        &d_points,
        n as i32,
        &d_corners,
        CORNERS as i32,
        &inside.buffer
    ];
    // SAFETY: points and how many, corners and how many, a number for each point.
    let twin = unsafe { Call::new("point_in_polygon", blocks, 256, arguments) };
    side.kernel(
        "point_in_polygon",
        vec![twin],
        &mut inside,
        |stream, inside| {
            let shape = Launch::new(blocks, 256);
            Ok(point_in_polygon::launch(
                stream,
                shape,
                &d_points,
                &d_corners,
                &mut inside.buffer,
            )?)
        },
    )
}
