//! What a kernel is on the emulator beside being a kernel: a function of the host, to be debugged, which may use what the host has.
//!
//! The other rows `GEM-…` are proved where the property is: blocks and stacks in `emulator/tests/memory.rs`, warps in
//! `emulator/tests/faithful.rs`.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of #[test] functions"
)]

use std::sync::Mutex;

use warploom::model::{Emulator, Mode};
use warploom::prelude::*;
use warploom::testing::Comparison;
use warploom::{Result, assert_gpu_matches_emulator};
use warploom_harness::device_test::opens_a_gpu;

/// The kernel as the host's compiler made it.
fn native() -> Device {
    Emulator::new().mode(Mode::Fast).device()
}

#[kernel]
fn knows(i: Index1D, mut y: DisjointSlice<[u32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        *y = [u32::from(is_device()), arch()];
    }
}

//@ rows: GEM-1
#[test]
fn a_device_without_an_architecture_is_the_emulator() -> Result<()> {
    for device in [Device::emulator(), native()] {
        let stream = device.stream()?;
        let mut y = device.zeroed(40)?;
        knows::launch(&stream, Launch::new(1, 40), &mut y)?;
        assert_eq!(y.to_vec(&stream)?, [[1, 0]; 40]);
    }
    assert!(!is_device(), "this is the host");
    Ok(())
}

static TRACES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The line of the call in `traced`, counted from its first.
const TRACED_LINE: u32 = line!() + 6;

#[kernel]
fn traced(block: Block) {
    block.sync(); // from here on a stack of its own
    #[cfg(not(warploom_device))]
    TRACES.lock().unwrap().push(helper());
    block.sync();
}

#[cfg(not(warploom_device))]
#[inline(never)]
fn helper() -> String {
    std::backtrace::Backtrace::force_capture().to_string()
}

//@ rows: GEM-5
#[test]
fn a_backtrace_in_a_kernel_names_the_kernel_and_its_line() -> Result<()> {
    let stream = native().stream()?;
    traced::launch(&stream, Launch::new(1, 2))?;
    stream.synchronize()?;
    let traces = TRACES.lock().unwrap();
    assert_eq!(traces.len(), 2);
    for trace in &*traces {
        let helper = trace.find("emulation::helper").unwrap();
        let kernel = trace.find("emulation::traced").unwrap();
        assert!(helper < kernel, "{trace}");
        // Tests of release builds have no lines. What is inlined into the kernel's closure may have a frame of its own before it.
        if cfg!(debug_assertions) {
            let place = format!("emulation.rs:{TRACED_LINE}");
            assert!(trace[helper..].contains(&place), "{place}: {trace}");
        }
    }
    Ok(())
}

#[kernel]
#[allow(clippy::print_stdout, reason = "that kernels can is the point")]
fn writes_a_file(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 1;
        #[cfg(not(warploom_device))]
        {
            use std::io::Write;
            println!("thread {} writes", thread_idx().x);
            let file = std::fs::OpenOptions::new().append(true).open(path());
            writeln!(file.unwrap(), "{}", thread_idx().x).unwrap();
        }
    }
}

fn path() -> std::path::PathBuf {
    std::env::temp_dir().join(format!("warploom-emulation-{}", std::process::id()))
}

//@ rows: GEM-6
#[test]
fn a_kernel_prints_and_writes_a_file() -> Result<()> {
    std::fs::write(path(), "").unwrap();
    let device = native();
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(50)?;
    writes_a_file::launch(&stream, Launch::new(1, 50), &mut y)?;
    stream.synchronize()?;
    let written = std::fs::read_to_string(path()).unwrap();
    std::fs::remove_file(path()).unwrap();
    let mut lines: Vec<u32> = written.lines().map(|line| line.parse().unwrap()).collect();
    lines.sort_unstable();
    assert_eq!(lines, Vec::from_iter(0..50));
    Ok(())
}

static ASKED: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Of the host: it has a lock and a heap.
#[cfg(not(warploom_device))]
fn host_function(x: u32) -> u32 {
    let mut asked = ASKED.lock().unwrap();
    asked.push(x);
    asked.len() as u32
}

/// Calls `f`, a closure of the host's program.
#[kernel]
fn calls<F: Fn(u32) -> u32 + Copy>(i: Index1D, f: F, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = f(i.get() as u32);
    }
}

//@ rows: GEM-7
#[test]
fn a_kernel_calls_a_closure_and_a_function_of_the_host() -> Result<()> {
    let device = native();
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(40)?;
    let offset = 100;
    calls::launch(
        &stream,
        Launch::new(1, 40),
        move |x: u32| {
            #[cfg(not(warploom_device))]
            host_function(x);
            x + offset
        },
        &mut y,
    )?;
    assert_eq!(y.to_vec(&stream)?, Vec::from_iter(100..140));
    let mut asked = ASKED.lock().unwrap().clone();
    asked.sort_unstable();
    assert_eq!(asked, Vec::from_iter(0..40));
    Ok(())
}

#[kernel]
fn divergent(block: Block) {
    if block.index() == 1 && block.thread() >= 5 {
        return_at_another_barrier(block);
    } else {
        block.sync();
    }
}

fn return_at_another_barrier(block: Block) {
    // SAFETY: none: this is the mistake that the test is about. It is made on the emulator only.
    unsafe { warploom::device_std::intrinsics::barrier(7) };
    let _ = block;
}

//@ rows: GEM-8
#[test]
fn a_wrong_barrier_is_an_error_that_names_block_and_threads() -> Result<()> {
    for device in [Device::emulator(), native()] {
        let stream = device.stream()?;
        divergent::launch(&stream, Launch::new(3, 40))?;
        let text = stream.synchronize().unwrap_err().to_string();
        for part in ["(1, 0, 0)", "(5, 0, 0)", "35 threads", "emulation.rs:"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        stream.synchronize()?;
    }
    Ok(())
}

/// Writes `n` times.
#[kernel]
fn writes(i: Index1D, n: u32, mut y: DisjointSlice<u32>) {
    for k in 0..n {
        if let Some(y) = y.get_mut(i) {
            *y = std::hint::black_box(k);
        }
    }
}

#[test]
fn an_emulator_takes_threads_for_endless_when_it_is_told_to() -> Result<()> {
    let device = Emulator::new().mode(Mode::Checked).step_limit(1000);
    let device = device.device();
    let (stream, mut y) = (device.stream()?, device.zeroed::<u32>(2)?);
    writes::launch(&stream, Launch::new(1, 2), 100, &mut y)?;
    assert_eq!(y.to_vec(&stream)?, [99, 99]);
    writes::launch(&stream, Launch::new(1, 2), 10_000, &mut y)?;
    let text = stream.synchronize().unwrap_err().to_string();
    assert!(text.contains("WL0224"), "{text}");
    Ok(())
}

/// A polynomial, a division and a root, each rounded once.
#[kernel]
fn rounds(i: Index1D, x: &[f32], mut y: DisjointSlice<[f32; 3]>) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [(x * x - 3.0) * x + 0.1, 1.0 / x, x.abs().sqrt()];
    }
}

fn all_exponents() -> Vec<f32> {
    let bits = (0..=0xffu32).flat_map(|exponent| {
        [0u32, 1, 0x2a_aaaa, 0x7f_ffff].map(|fraction| exponent << 23 | fraction)
    });
    bits.flat_map(|bits| [f32::from_bits(bits), -f32::from_bits(bits)])
        .collect()
}

//@ rows: GEM-11, GEM-12, GFP-7
#[test]
fn floats_are_rounded_as_on_a_gpu_subnormal_ones_too() {
    let x = all_exponents();
    opens_a_gpu();
    assert_gpu_matches_emulator!(Comparison::exact(), |device| {
        let stream = device.stream()?;
        let mut y = device.zeroed::<[f32; 3]>(x.len())?;
        rounds::launch(
            &stream,
            Launch::covering(x.len()),
            &device.upload(&x)?,
            &mut y,
        )?;
        let y = y.to_vec(&stream)?;
        for (x, [.., inverse, root]) in x.iter().zip(&y) {
            let expected = (1.0 / x, x.abs().sqrt());
            let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            let fits = same(*inverse, expected.0) && same(*root, expected.1);
            assert!(fits, "on {}: {x:e}", device.name());
        }
        Ok(y)
    });
}
