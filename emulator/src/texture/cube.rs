//! Faces of cubes.

use super::axis::coordinate;

/// Where a direction meets a cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OnFace {
    /// 0 to 5: +x, −x, +y, −y, +z, −z.
    pub(super) face: u32,
    /// From 0 to 1, in units of the hardware.
    pub(super) at: [f64; 2],
}

/// Units of a coordinate on a face, from its centre to an edge.
const UNITS: f64 = 1_048_576.0;

/// The face of a direction. Of equally long components z comes before y, and that before x.
///
/// Instructions get what the compiler makes of a direction: its components times the approximate reciprocal of the longest, that of a great one flushed to zero.
pub(super) fn face(direction: [f32; 3]) -> OnFace {
    let longest = direction
        .iter()
        .fold(0.0f32, |longest, component| longest.max(component.abs()));
    let flushed = |value: f32| if value.is_subnormal() { 0.0 } else { value };
    let inverse = flushed(1.0 / flushed(longest));
    let scaled = direction.map(|component| component * inverse);
    let [x, y, z] = scaled.map(coordinate);
    // What is no number is shorter than all others.
    let [ax, ay, az] = scaled.map(|component| {
        if component.is_nan() {
            -1.0
        } else {
            coordinate(component).abs()
        }
    });
    let (face, s, t) = if az >= ax && az >= ay {
        match z < 0.0 {
            false => (4, x, -y),
            true => (5, -x, -y),
        }
    } else if ay >= ax {
        match y < 0.0 {
            false => (2, x, z),
            true => (3, x, -z),
        }
    } else {
        match x < 0.0 {
            false => (0, -z, -y),
            true => (1, z, -y),
        }
    };
    let at = [s, t].map(|along| ((along.clamp(-1.0, 1.0) * UNITS).floor() + UNITS) / (2.0 * UNITS));
    OnFace { face, at }
}

/// The texel beside a face, at most one beyond an edge, as one of the face there: number of the face, column and row. `None` beyond a corner, where there is none.
pub(super) fn beyond(face: u32, [x, y]: [i64; 2], extent: u32) -> Option<[u32; 3]> {
    let extent = i64::from(extent);
    // From the centre of the face, in halves of texels; the face itself is as far from the centre of the cube.
    let [s, t] = [x, y].map(|at| 2 * at + 1 - extent);
    let folded = |along: i64| along.clamp(-extent, extent);
    let outward = match (s.abs() > extent, t.abs() > extent) {
        (true, true) => return None,
        (false, false) => extent,
        _ => extent - 1,
    };
    let (s, t) = (folded(s), folded(t));
    let [x, y, z] = match face {
        0 => [outward, -t, -s],
        1 => [-outward, -t, s],
        2 => [s, outward, t],
        3 => [s, -outward, -t],
        4 => [s, -t, outward],
        _ => [-s, -t, -outward],
    };
    let (face, s, t) = match extent {
        _ if z == extent => (4, x, -y),
        _ if z == -extent => (5, -x, -y),
        _ if y == extent => (2, x, z),
        _ if y == -extent => (3, x, -z),
        _ if x == extent => (0, -z, -y),
        _ => (1, z, -y),
    };
    let texel = |along: i64| u32::try_from((along + extent - 1) / 2).unwrap_or(0);
    Some([face, texel(s), texel(t)])
}
