//! A launch of a kernel: what all of them are given.

use warploom::device_std::Plain;
use warploom::{DeviceSlice, DeviceSliceMut, Stream};

use crate::arithmetic::Arithmetic;
use crate::kernels::problem::Problem;

/// The arguments of a kernel, for all tiles the same.
#[doc(hidden)]
pub struct Call<'c, A: Arithmetic, O: Plain, E> {
    pub(crate) stream: &'c Stream,
    pub(crate) a: DeviceSlice<'c, A::Element>,
    pub(crate) b: DeviceSlice<'c, A::Element>,
    /// What bulk copies read A and B by, for the kernels that need it.
    pub(crate) maps: Option<[A::Map<'c>; 2]>,
    pub(crate) bias: DeviceSlice<'c, A::Sum>,
    pub(crate) problem: Problem,
    pub(crate) batches: u32,
    pub(crate) shared_bytes: u32,
    pub(crate) alpha: A::Sum,
    pub(crate) beta: A::Sum,
    pub(crate) epilogue: E,
    pub(crate) c: DeviceSliceMut<'c, O>,
    pub(crate) partial: DeviceSliceMut<'c, A::Sum>,
}

/// Matrices of a launch at most: the second extent of a grid.
pub(crate) const BATCHES: u32 = 65535;

/// Launches a kernel with the arguments of a [`Call`], as often as there are 65535 matrices.
macro_rules! launch_with {
    ($call:expr, $threads:literal, $($kernel:tt)+) => {{
        let mut call = $call;
        let blocks = call.problem.tiles_m * call.problem.tiles_n * call.problem.splits;
        while call.batches > 0 {
            let batches = call.batches.min(crate::call::BATCHES);
            let shape = warploom::Launch::new((blocks, batches), $threads).dynamic_shared(call.shared_bytes);
            $($kernel)+::launch(
                call.stream,
                shape,
                call.a,
                call.b,
                call.bias,
                call.problem,
                call.alpha,
                call.beta,
                call.epilogue,
                &mut call.c,
                &mut call.partial,
            )?;
            call.problem.first_batch += batches;
            call.batches -= batches;
        }
        Ok(())
    }};
}
pub(crate) use launch_with;

/// Launches a kernel of warp groups, as often as a number counts the tiles of all matrices. Blocks compute one tile after the other.
macro_rules! launch_groups {
    ($call:expr, $($kernel:tt)+) => {{
        let mut call = $call;
        let Some([a, b]) = &call.maps else {
            return Err(Error::OtherPlan { what: "a number of maps of", planned: 2, given: 0 });
        };
        let multiprocessors = call.stream.device().limits().multiprocessors.max(1);
        let of_matrix = call.problem.tiles_m * call.problem.tiles_n * call.problem.splits;
        while call.batches > 0 {
            let batches = call.batches.min((i32::MAX as u32 / of_matrix.max(1)).max(1));
            let items = of_matrix * batches;
            let shape = warploom::Launch::new(items.min(multiprocessors), 384).dynamic_shared(call.shared_bytes);
            $($kernel)+::launch(
                call.stream,
                shape,
                a,
                b,
                call.bias,
                call.problem,
                items,
                call.alpha,
                call.beta,
                call.epilogue,
                &mut call.c,
                &mut call.partial,
            )?;
            call.problem.first_batch += batches;
            call.batches -= batches;
        }
        Ok(())
    }};
}
pub(crate) use launch_groups;
