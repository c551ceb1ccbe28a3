//! The tiles of the kernels, and what is known of their speed: one table for each class of elements.
//!
//! Columns: the kernel; rows and columns of a tile; of a warp, how often 16 rows and how often 16 columns; stages; blocks that a multiprocessor holds; products
//! of a multiprocessor and clock when all are busy. Before these come the tiles of warp groups: columns, stages, speed. Behind these come the tiles of fused multiply-adds:
//! the kernel and its threads, `64 QM` rows, `threads / 4 · QN` columns, `8 DEPTH` of K, blocks, speed.
//! Speeds decide between tiles alone; [`Plan`](crate::MatmulPlan) says how.

use warploom::device_std::mma::{E4m3, E5m2, Tf32};
use warploom::device_std::{Bf16, F16};

use crate::Error;
use crate::arithmetic::{Arithmetic, Numbers, Output};
use crate::call::{Call, launch_groups, launch_with};
use crate::epilogue::Epilogue;
use crate::kernels::simt::{multiply_add, multiply_add_128, multiply_add_wide};
use crate::kernels::tensor::{PADDING, tensor_128, tensor_256};
use crate::kernels::warp_groups::{
    BYTES_64, BYTES_128, BYTES_192, BYTES_256, BYTES_STAGES_64, BYTES_STAGES_128, BYTES_STAGES_256,
    DEPTH_BYTES, ROWS, groups_64, groups_128, groups_192, groups_256, stages_64, stages_128,
    stages_256,
};
use crate::matrix::Layout;
use crate::plan::{Family, Tile};

/// A tile of a kernel on tensor cores.
pub(crate) const fn tensor(
    size: usize,
    rows: u32,
    columns: u32,
    stages: u32,
    blocks: u32,
    speed: u32,
) -> Tile {
    let depth = 128 / size as u32;
    let staged = rows * (columns + PADDING as u32) * if size == 8 { 8 } else { 4 };
    let tiles = stages * (rows + columns) * 128;
    Tile {
        family: Family::Tensor,
        rows,
        columns,
        depth,
        blocks,
        speed,
        stages,
        shared_bytes: if tiles > staged { tiles } else { staged },
    }
}

/// A tile of the kernel of fused multiply-adds.
pub(crate) const fn simt(
    sum: usize,
    threads: u32,
    qm: u32,
    qn: u32,
    depth: u32,
    blocks: u32,
    speed: u32,
) -> Tile {
    let (rows, columns) = (64 * qm, threads / 4 * qn);
    let buffers = 2 * 8 * depth * (rows + columns);
    let staged = rows * columns;
    Tile {
        family: Family::Simt,
        rows,
        columns,
        depth: 8 * depth,
        blocks,
        speed,
        stages: 2,
        shared_bytes: sum as u32 * if buffers > staged { buffers } else { staged },
    }
}

/// A tile of a kernel of warp groups.
pub(crate) const fn groups(
    size: usize,
    columns: u32,
    stages: u32,
    shared_bytes: u32,
    speed: u32,
) -> Tile {
    Tile {
        family: Family::WarpGroups,
        rows: ROWS as u32,
        columns,
        depth: (DEPTH_BYTES / size) as u32,
        blocks: 1,
        speed,
        stages,
        shared_bytes,
    }
}

macro_rules! tuned {
    ($([$($ty:ident)+] $needs:expr, $tiles:tt)*) => {$(
        $(tuned!(@one $ty $needs, $tiles);)+
    )*};
    (@one $ty:ident $needs:expr, {
        $({$groups:ident $bytes:ident: $groups_columns:literal, $groups_stages:literal; $groups_speed:literal})*
        $([$kernel:ident $threads:literal: $rows:literal $columns:literal, $mt:literal $np:literal, $stages:literal; $blocks:literal $speed:literal])*
        $(($simt:ident $simt_threads:literal: $qm:literal $qn:literal $depth:literal; $simt_blocks:literal $simt_speed:literal))+
    }) => {
        impl Arithmetic for $ty {
            const TENSOR_CORES: Option<u32> = $needs;
            const TILES: &'static [Tile] = &[
                $(groups(size_of::<Self::Element>(), $groups_columns, $groups_stages, $bytes, $groups_speed),)*
                $(tensor(size_of::<Self::Element>(), $rows, $columns, $stages, $blocks, $speed),)*
                $(simt(size_of::<Self::Sum>(), $simt_threads, $qm, $qn, $depth, $simt_blocks, $simt_speed),)+
            ];

            fn launch<LA: Layout, LB: Layout, O: Output<Self::Sum>, E: Epilogue<Self::Sum>>(
                tile: usize,
                call: Call<'_, Self, O, E>,
            ) -> Result<(), Error> {
                let mut launches = 0..;
                $(
                    if launches.next() == Some(tile) {
                        return launch_groups!(call, $groups::<Self, LA::AsFirst<Self>, LB::AsSecond<Self>, O, E, { DEPTH_BYTES / size_of::<<Self as Numbers>::Element>() }>);
                    }
                )*
                $(
                    if launches.next() == Some(tile) {
                        return launch_with!(call, $threads, $kernel::<Self, LA, LB, O, E, $rows, $columns, $mt, $np, $stages>);
                    }
                )*
                $(
                    if launches.next() == Some(tile) {
                        return launch_with!(call, $simt_threads, $simt::<Self, LA, LB, O, E, $qm, $qn, $depth>);
                    }
                )+
                Err(Error::OtherPlan { what: "a tile below", planned: Self::TILES.len(), given: tile })
            }
        }
    };
}

tuned! {
    [F16 Bf16] Some(80), {
        {groups_256 BYTES_256: 256, 4; 1900}
        {groups_192 BYTES_192: 192, 4; 1800}
        {groups_128 BYTES_128: 128, 4; 1600}
        {groups_64 BYTES_64: 64, 8; 1100}
        [tensor_256 256: 128 256, 4 4, 3; 1 1100]
        [tensor_128 128: 128 128, 4 4, 3; 2 1050]
        [tensor_128 128: 64 64, 2 2, 4; 3 450]
        [tensor_128 128: 16 128, 1 2, 4; 3 400]
        [tensor_128 128: 128 16, 2 1, 4; 3 400]
        (multiply_add 256: 2 2 1; 2 100)
    }
    [i8] Some(80), {
        {groups_256 BYTES_256: 256, 4; 3600}
        {groups_128 BYTES_128: 128, 4; 2900}
        {groups_64 BYTES_64: 64, 8; 1900}
        [tensor_256 256: 128 256, 4 4, 3; 1 1850]
        [tensor_128 128: 128 128, 4 4, 3; 2 1800]
        [tensor_128 128: 64 64, 2 2, 4; 3 1400]
        [tensor_128 128: 16 128, 1 2, 4; 3 700]
        (multiply_add 256: 2 2 1; 2 100)
    }
    [E4m3 E5m2] Some(89), {
        {stages_256 BYTES_STAGES_256: 256, 4; 3300}
        {stages_128 BYTES_STAGES_128: 128, 4; 2700}
        {stages_64 BYTES_STAGES_64: 64, 8; 1800}
        [tensor_128 128: 128 128, 4 4, 3; 2 750]
        [tensor_128 128: 64 64, 2 2, 4; 3 700]
        [tensor_128 128: 16 128, 1 2, 4; 3 400]
        (multiply_add 256: 2 2 1; 2 100)
    }
    [Tf32] Some(80), {
        {groups_256 BYTES_256: 256, 4; 980}
        {groups_128 BYTES_128: 128, 4; 850}
        {groups_64 BYTES_64: 64, 8; 600}
        [tensor_256 256: 128 256, 4 4, 3; 1 520]
        [tensor_128 128: 128 128, 4 4, 3; 2 490]
        [tensor_128 128: 64 64, 2 2, 4; 3 400]
        [tensor_128 128: 16 128, 1 2, 4; 3 200]
        (multiply_add 256: 2 2 1; 2 100)
    }
    [f64] Some(80), {
        [tensor_128 128: 128 64, 4 2, 4; 2 131]
        [tensor_128 128: 64 64, 2 2, 3; 2 112]
        (multiply_add 256: 1 1 2; 2 50)
    }
    [f32] None, {
        (multiply_add_wide 256: 4 2 1; 1 116)
        (multiply_add_128 128: 2 4 1; 2 110)
        (multiply_add 256: 1 1 2; 2 58)
    }
}
