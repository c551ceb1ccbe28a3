//! Dependent launches: kernels that start before the kernel ahead of them has ended, and wait for it.

use warploom::Graph;
use warploom::device_std::launch_dependents;
use warploom::device_std::time::global_timer_ns;
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

/// More blocks than a GPU has places for: some start when others have ended.
const N: usize = 1_000_003;

/// Each thread reads what a thread of another block wrote, which it would find old in a cache if the kernel did not wait.
#[kernel(dependent_launch)]
fn mirrored(i: Index1D, a: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    launch_dependents();
    if let Some(y) = y.get_mut(i) {
        *y = x[x.len() - 1 - i.get()].wrapping_mul(3).wrapping_add(a);
    }
}

/// The same after so many nanoseconds, and without waiting for the kernels ahead by itself.
#[kernel]
fn late(i: Index1D, ns: u64, a: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    launch_dependents();
    let start = global_timer_ns();
    while global_timer_ns() - start < ns {}
    if let Some(y) = y.get_mut(i) {
        *y = x[x.len() - 1 - i.get()].wrapping_mul(3).wrapping_add(a);
    }
}

/// What either kernel makes of its input.
fn expected(x: &[u32], a: u32) -> Vec<u32> {
    let turned = x.iter().rev();
    turned.map(|x| x.wrapping_mul(3).wrapping_add(a)).collect()
}

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect()
}

/// Rounds of a chain: as many as show a race on a GPU, few on the emulator.
fn rounds(device: &Device) -> u32 {
    if device.driver_version().is_none() {
        3
    } else {
        400
    }
}

#[test]
fn each_kernel_of_a_chain_sees_all_that_the_one_ahead_wrote() {
    on_each_device(|device, stream| {
        let n = if device.driver_version().is_none() {
            1003
        } else {
            N
        };
        let mut values = numbers(n);
        let (mut x, mut y) = (device.upload(&values)?, device.zeroed::<u32>(n)?);
        // All others are queued while this one runs, and follow one another without the host.
        late::launch(stream, (1, 1), 5_000_000, 0, &x, &mut y)?;
        for a in 0..rounds(device) {
            mirrored::launch(stream, Launch::covering(n), a, &x, &mut y)?;
            std::mem::swap(&mut x, &mut y);
        }
        for a in 0..rounds(device) {
            values = expected(&values, a);
        }
        assert_eq!(x.to_vec(stream)?, values, "on {}", device.name());
        Ok(())
    });
}

#[test]
fn a_dependent_kernel_waits_for_slow_blocks_of_the_kernel_ahead() {
    on_each_device(|device, stream| {
        let n = 10_007;
        let mut values = numbers(n);
        let (mut x, mut y) = (device.upload(&values)?, device.zeroed::<u32>(n)?);
        for a in 0..rounds(device).min(20) {
            late::launch(stream, Launch::covering(n), 50_000, a, &x, &mut y)?;
            mirrored::launch(stream, Launch::covering(n), a, &y, &mut x)?;
            values = expected(&expected(&values, a), a);
        }
        assert_eq!(x.to_vec(stream)?, values, "on {}", device.name());
        Ok(())
    });
}

#[test]
fn what_stands_between_two_kernels_comes_before_a_dependent_one() {
    on_each_device(|device, stream| {
        let (n, other) = (10_007, device.stream()?);
        let values = numbers(n);
        let (x, mut y) = (device.upload(&values)?, device.zeroed::<u32>(n)?);
        let (mut of_other, mut z) = (device.zeroed::<u32>(n)?, device.zeroed::<u32>(n)?);
        for a in 0..rounds(device).min(20) {
            let shape = || Launch::covering(n);
            late::launch(stream, shape(), 20_000, a, &x, &mut y)?;
            y.fill(a, stream)?;
            mirrored::launch(stream, shape(), 1, &y, &mut z)?;
            assert_eq!(
                z.to_vec(stream)?,
                vec![3 * a + 1; n],
                "on {}",
                device.name()
            );
            // The buffer's latest use is on the other stream: an event stands between the kernels.
            late::launch(&other, shape(), 50_000, a, &x, &mut of_other)?;
            late::launch(stream, shape(), 0, a, &x, &mut y)?;
            mirrored::launch(stream, shape(), 1, &of_other, &mut z)?;
            let last = expected(&expected(&values, a), 1);
            assert_eq!(z.to_vec(stream)?, last, "on {}", device.name());
        }
        Ok(())
    });
}

#[test]
fn a_graph_has_dependent_kernels_in_their_order() {
    on_each_device(|device, stream| {
        let n = 10_007;
        let values = numbers(n);
        let (mut x, mut y) = (device.upload(&values)?, device.zeroed::<u32>(n)?);
        let graph = Graph::capture(device, |s| {
            late::launch(s, Launch::covering(n), 10_000, 1, &x, &mut y)?;
            mirrored::launch(s, Launch::covering(n), 2, &y, &mut x)
        })?;
        let graph = graph.instantiate()?;
        let mut last = values;
        for _ in 0..3 {
            graph.launch(stream)?;
            last = expected(&expected(&last, 1), 2);
        }
        assert_eq!(x.to_vec(stream)?, last, "on {}", device.name());
        Ok(())
    });
}
