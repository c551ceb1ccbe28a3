//! A crate that knows nothing of GPUs: glam.

use glam::{DVec3, IVec2, Mat3, Mat4, Quat, Vec2, Vec3, Vec3A, Vec4};

use crate::{N, agree, floats};

fn vector(x: &[f32], i: usize) -> Vec3 {
    let at = |k: usize| x[(i + k) % x.len()];
    Vec3::new(at(0), at(1), at(2))
}

/// Sums of at most four products: the order of additions is glam's, which differs between processors with and without SIMD.
fn rounded<const K: usize>(values: [f32; K]) -> [i32; K] {
    values.map(|v| (v * 64.0).round() as i32)
}

fn vectors(x: &[f32], i: usize) -> [f32; 8] {
    let (a, b) = (vector(x, i), vector(x, i + 3));
    let cross = a.cross(b);
    let clamped = (a * 2.0 - b).clamp(Vec3::splat(-3.0), Vec3::ONE).abs();
    let flat = Vec2::new(a.x, b.y).perp_dot(Vec2::new(b.x, a.y));
    let double = DVec3::new(f64::from(a.x), 1.0, f64::from(b.z)).length_squared();
    [
        cross.x,
        cross.y,
        cross.z,
        a.dot(b),
        a.max(b).min_element(),
        clamped.element_sum(),
        flat,
        double as f32,
    ]
}

#[test]
fn vectors_of_three() {
    agree(&floats(N), vectors);
}

fn lengths(x: &[f32], i: usize) -> [i32; 5] {
    let (a, b) = (vector(x, i), Vec3A::from(vector(x, i + 1)));
    let four = Vec4::from((a, 0.5)).normalize_or_zero();
    rounded([
        a.length(),
        b.length(),
        a.normalize_or_zero().y,
        four.w,
        b.reject_from(Vec3A::X).z,
    ])
}

#[test]
fn lengths_and_directions() {
    agree(&floats(N), lengths);
}

fn matrices(x: &[f32], i: usize) -> [i32; 5] {
    let (a, b) = (vector(x, i), vector(x, i + 1));
    let move_and_turn = Mat4::from_rotation_translation(Quat::from_rotation_y(a.x), b);
    let there = move_and_turn.transform_point3(a);
    let back = move_and_turn.inverse().transform_point3(there);
    let three = Mat3::from_cols(a, b, Vec3::Z).transpose();
    rounded([
        there.x,
        there.z,
        (back - a).length(),
        three.determinant(),
        (move_and_turn * move_and_turn).w_axis.y,
    ])
}

#[test]
fn matrices_and_their_inverses() {
    agree(&floats(N), matrices);
}

fn rotations(x: &[f32], i: usize) -> [i32; 4] {
    let (axis, v) = (
        vector(x, i).try_normalize().unwrap_or(Vec3::Y),
        vector(x, i + 2),
    );
    let turn = Quat::from_axis_angle(axis, x[i]);
    let half = Quat::IDENTITY.slerp(turn, 0.5);
    let twice = (half * half * v - turn * v).length();
    let (to_axis, angle) = turn.to_axis_angle();
    let grid = IVec2::new(v.x as i32, 3).rem_euclid(IVec2::splat(4));
    rounded([
        (turn * v).x,
        twice.min(1.0),
        (to_axis * angle.sin()).y,
        (grid.x + grid.y) as f32,
    ])
}

#[test]
fn rotations_by_quaternions() {
    agree(&floats(N), rotations);
}
