//! What a launch refuses: every message names the value, the limit and the way out, and nothing has run.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test may fail as the test does"
)]

use warploom::prelude::*;
use warploom::{LaunchError, Result};
use warploom_harness::device_test::{check, on_each_device};

/// Expects a refusal in these words, with the device's name for `{device}`, and an untouched output of 64 elements.
#[track_caller]
fn refused(
    expected: &str,
    launch: impl Fn(&Stream, &mut DeviceBuffer<u32>) -> std::result::Result<(), LaunchError>,
) {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<u32>(64)?;
        let text = launch(stream, &mut y).unwrap_err().to_string();
        assert_eq!(text, expected.replace("{device}", device.name()));
        stream.synchronize()?;
        assert_eq!(y.to_vec(stream)?, [0; 64], "on {}", device.name());
        Ok(())
    });
}

#[kernel]
fn flat(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = block_dim().x;
    }
}

#[kernel(dim(2))]
fn no_index(block: Block, mut y: DisjointSlice<u32, PerBlock>) {
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = 1 + block_dim().y;
    }
}

#[test]
fn more_dimensions_than_the_kernel_has() {
    refused(
        "cannot launch `flat` with grid.y = 2: the kernel is 1-dimensional, so grid.y must be 1; use a 1-dimensional launch such as `Launch::covering(n)`, or an index of more dimensions in the kernel",
        |stream, y| flat::launch(stream, Launch::new((1, 2), 32), y),
    );
    refused(
        "cannot launch `no_index` with block.z = 3: the kernel is 2-dimensional, so block.z must be 1; use a 2-dimensional launch such as `Launch::covering_2d(width, height)`, or an index of more dimensions in the kernel",
        |stream, y| no_index::launch(stream, Launch::new(1, (2, 2, 3)), y),
    );
}

#[kernel]
fn deep(_i: Index3D, _y: DisjointSlice<u32>) {}

#[test]
fn fewer_dimensions_than_the_index_has() {
    for (given, shape) in [
        ("Launch::covering(300)", Launch::covering(300)),
        ("Launch::covering(1)", Launch::covering(1).block((16, 4))),
    ] {
        refused(
            &format!(
                "cannot launch `exact_block` with `{given}`, which covers x alone: the kernel's index has 2 dimensions; use `Launch::covering_2d(width, height)`"
            ),
            |stream, y| exact_block::launch(stream, shape, y.view_2d_mut(8).unwrap()),
        );
    }
    refused(
        "cannot launch `exact_block` with `Launch::covering(9)`, which covers x alone: the kernel's index has 2 dimensions; use `Launch::covering_2d(width, height)`",
        |stream, y| {
            let best = exact_block::function(stream.device())?
                .best_block(|_| 0)
                .unwrap();
            exact_block::launch(stream, best.covering(9), y.view_2d_mut(8).unwrap())
        },
    );
    refused(
        "cannot launch `deep` with `Launch::covering_2d(8, 9)`, which covers x and y: the kernel's index has 3 dimensions; use `Launch::new(grid, block)` with triples, such as `Launch::new((2, 4, 4), (32, 4, 4))`",
        |stream, y| deep::launch(stream, Launch::covering_2d(8, 9), y),
    );
    // One row is what was asked for, and so is a kernel without an index.
    check(&[1_604_000, 1_604_001, 1_604_002], |device, stream| {
        let mut y = device.zeroed(3)?;
        exact_block::launch(stream, Launch::covering_2d(3, 1), y.view_2d_mut(3)?)?;
        exact_block::launch(stream, Launch::covering(0), y.view_2d_mut(3)?)?;
        no_index::launch(stream, Launch::covering(3), &mut device.zeroed(3)?)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel(block(16, 4))]
fn exact_block(i: Index2D, mut y: DisjointSlice2D<u32>) {
    let width = y.width();
    if let Some(y) = y.get_mut(i) {
        *y = (block_dim().x * 100 + block_dim().y) * 1000 + (i.y() * width + i.x()) as u32;
    }
}

#[test]
fn another_block_than_the_declared_one() {
    refused(
        "cannot launch `exact_block` with blocks of [4, 16, 1] threads: the kernel is declared for [16, 4, 1]; launch it with this block, or with `Launch::covering_2d(width, height)`, which takes it",
        |stream, y| {
            exact_block::launch(
                stream,
                Launch::new((4, 1), (4, 16)),
                y.view_2d_mut(16).unwrap(),
            )
        },
    );
    let expected: Vec<u32> = (0..9 * 21).map(|k| 1_604_000 + k).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(9 * 21)?;
        exact_block::launch(stream, Launch::covering_2d(21, 9), y.view_2d_mut(21)?)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel(launch_bounds(100, 2))]
fn bounded(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = block_dim().x;
    }
}

#[kernel(max_registers(24), fma)]
fn few_registers(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = a * 2.0 + x[i.get()];
    }
}

//@ rows: GLA-9
#[test]
fn more_threads_than_the_launch_bounds() {
    refused(
        "cannot launch `bounded` with 101 threads per block: the kernel runs with at most 100 (its launch bounds, or its registers); lower the block size, or raise the bounds",
        |stream, y| bounded::launch(stream, Launch::new(1, 101), y),
    );
    // Covering keeps to the bounds by itself, in whole warps.
    check(&[96; 333], |device, stream| {
        let mut y = device.zeroed(333)?;
        bounded::launch(stream, Launch::covering(333), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
    check(&[7.0, 8.0, 9.0], |device, stream| {
        let mut y = device.zeroed(3)?;
        few_registers::launch(
            stream,
            Launch::covering(3),
            3.0,
            &device.upload(&[1.0, 2.0, 3.0])?,
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}

//@ rows: GLA-4, GER-4
#[test]
fn blocks_and_grids_that_no_device_runs() {
    refused(
        "cannot launch `flat` with 1025 threads per block: {device} runs at most 1024; use more blocks, or lower the block size",
        |stream, y| flat::launch(stream, Launch::new(1, 1025), y),
    );
    refused(
        "cannot launch `no_index` with 1056 threads per block: {device} runs at most 1024; use more blocks, or lower the block size",
        |stream, y| no_index::launch(stream, Launch::new(1, (33, 32)), y),
    );
    refused(
        "cannot launch `no_index` with grid.y = 65536: {device} has at most 65535; use more work per thread, or another dimension",
        |stream, y| no_index::launch(stream, Launch::new((1, 65_536), 1), y),
    );
    for (shape, what) in [
        (Launch::new(0, 32), "grid.x"),
        (Launch::new(4, 0), "block.x"),
        (Launch::new((4, 0), 1), "grid.y"),
    ] {
        refused(
            &format!(
                "cannot launch `no_index` with {what} = 0: every dimension is at least 1; for no elements use `Launch::covering(0)` or do not launch"
            ),
            |stream, y| no_index::launch(stream, shape, y),
        );
    }
}

#[kernel(requires(x.len() == y.len(), n > 0, x.len().is_multiple_of(n as usize)))]
fn required(i: Index1D, n: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] / n;
    }
}

#[test]
fn conditions_that_do_not_hold() {
    on_each_device(|device, stream| {
        let (x, mut y) = (device.upload(&[12u32; 12])?, device.zeroed::<u32>(12)?);
        let shape = Launch::covering(12);
        let mut text = |n, x: warploom::DeviceSlice<'_, u32>| {
            required::launch(stream, shape, n, x, &mut y)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            text(3, x.slice(..9)?),
            "cannot launch `required`: it requires `x.len() == y.len()`, but x.len() = 9, y.len() = 12; pass arguments that meet it"
        );
        assert!(
            text(0, x.as_slice())
                .starts_with("cannot launch `required`: it requires `n > 0`, but ")
        );
        let last =
            "cannot launch `required`: it requires `x.len().is_multiple_of(n as usize)`, but ";
        assert!(
            text(5, x.as_slice()).starts_with(last),
            "{}",
            text(5, x.as_slice())
        );
        required::launch(stream, shape, 4, &x, &mut y)?;
        assert_eq!(y.to_vec(stream)?, [3; 12]);
        Ok(())
    });
}

#[kernel]
fn reach_dynamic(shared: DynamicShared<u32>, mut y: DisjointSlice<u32, PerBlock>, block: Block) {
    let last = shared.len() - 1;
    // SAFETY: one thread, in a launch of one thread per block.
    unsafe { shared.set(last, 9) };
    // SAFETY: as above.
    let value = unsafe { shared.get(last) };
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = value + shared.len() as u32;
    }
}

//@ rows: GLA-4
#[test]
fn dynamic_shared_memory_has_a_limit() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<u32>(3)?;
        let shape = Launch::new(3, 1);
        let error =
            reach_dynamic::launch(stream, shape.dynamic_shared(1 << 20), &mut y).unwrap_err();
        let text = error.to_string();
        let start = "cannot launch `reach_dynamic` with 1048576 bytes of dynamic shared memory beside 0 bytes of its own: a block on ";
        assert!(
            text.starts_with(start) && text.ends_with("; use a smaller tile"),
            "{text}"
        );
        // More than the 48 KiB that CUDA gives without being asked.
        let bytes = if device.is_gpu() { 60_000 } else { 200_000 };
        reach_dynamic::launch(stream, shape.dynamic_shared(bytes), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [9 + bytes / 4; 3]);
        Ok(())
    });
}

#[test]
fn covering_nothing_runs_nothing() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<u32>(64)?;
        flat::launch(stream, Launch::covering(0), &mut y)?;
        exact_block::launch(stream, Launch::covering_2d(0, 8), y.view_2d_mut(8)?)?;
        flat::launch(stream, Launch::covering(0), &mut device.zeroed::<u32>(0)?)?;
        assert_eq!(y.to_vec(stream)?, [0; 64]);
        // An empty output is no reason to refuse a launch.
        flat::launch(stream, Launch::new(2, 32), &mut device.zeroed::<u32>(0)?)?;
        Ok(())
    });
}

//@ rows: P-44
#[test]
fn covering_takes_the_least_number_of_blocks() {
    for n in [1, 255, 256, 257, 1003] {
        let expected = vec![256; n];
        check(&expected, |device, stream| {
            let mut y = device.zeroed(n)?;
            flat::launch(stream, Launch::covering(n), &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// Kernels are called as modules are, so that their names stay free for variables.
#[test]
fn variables_may_have_the_names_of_kernels() {
    check(&[256; 100], |device, stream| {
        let flat = device.zeroed(100)?;
        let mut required = flat;
        let flat = Launch::covering(100);
        flat::launch(stream, flat, &mut required)?;
        Ok(required.to_vec(stream)?)
    });
}

//@ rows: GDR-7
#[test]
fn buffers_of_another_device() -> Result<()> {
    let (here, there) = (Device::emulator(), Device::emulator());
    let stream = here.stream()?;
    let (x, mut y) = (there.upload(&[4u32; 8])?, here.zeroed::<u32>(8)?);
    let error = required::launch(&stream, Launch::covering(8), 2, &x, &mut y).unwrap_err();
    assert!(
        matches!(error, LaunchError::WrongDevice { argument: 2, .. }),
        "{error}"
    );
    assert_eq!(y.to_vec(&stream)?, [0; 8]);
    Ok(())
}

/// The message names the user's kernel and line, whatever calls the launch.
//@ rows: GER-4
#[test]
fn launches_report_their_callers_line() -> Result<()> {
    let stream = Device::emulator().stream()?;
    let x = stream.device().zeroed::<f32>(2)?;
    let mut y = stream.device().zeroed::<f32>(8)?;
    few_registers::launch(&stream, Launch::covering(8), 1.0, &x, &mut y)?;
    let line = line!() - 1;
    let text = stream.synchronize().unwrap_err().to_string();
    let sentence = text.lines().next().unwrap();
    assert!(
        sentence.ends_with(&format!("launched at {}:{line}:5)", file!())),
        "{text}"
    );
    Ok(())
}
