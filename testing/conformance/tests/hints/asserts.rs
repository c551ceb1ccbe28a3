//! Conditions that do not hold end the thread, and say where and why.

use warploom::prelude::*;
use warploom::{KernelPanic, StreamError};
use warploom_harness::device_test::on_each_device;

#[track_caller]
fn panic_of(stream: &Stream) -> KernelPanic {
    match stream.synchronize() {
        Err(StreamError::Panic(panic)) => *panic,
        other => panic!("on {}: {other:?}", stream.device().name()),
    }
}

#[kernel]
fn bare(i: Index1D, x: &[u32]) {
    assert!(x[i.get()] < 50); // here: bare
}

#[kernel]
fn worded(i: Index1D, x: &[u32]) {
    let value = x[i.get()];
    assert!(value < 50, "{value} is too large for thread {}", i.get()); // here: worded
}

#[kernel]
fn equal(i: Index1D, x: &[u32]) {
    assert_eq!(x[i.get()] / 50, 0); // here: equal
}

/// The line of this file that ends with `// here: <name>`.
fn line(name: &str) -> u32 {
    let mark = format!("// here: {name}");
    let lines = include_str!("asserts.rs").lines();
    let at = lines.zip(1..).find(|(line, _)| line.ends_with(&mark));
    at.map_or(0, |(_, number)| number)
}

//@ rows: DB-1
#[test]
fn a_false_condition_is_reported_with_its_place_and_thread() {
    on_each_device(|device, stream| {
        let values: Vec<u32> = (0..75).map(|i| if i == 57 { 99 } else { 3 }).collect();
        let x = device.upload(&values)?;
        bare::launch(stream, (3, 25), &x)?;
        let panic = panic_of(stream);
        assert_eq!((&*panic.kernel, panic.line), ("bare", line("bare")));
        assert!(panic.file.ends_with("hints/asserts.rs"), "{}", panic.file);
        assert_eq!(panic.message, "assertion failed: x[i.get()] < 50");
        assert_eq!((panic.block, panic.thread), ([2, 0, 0], [7, 0, 0]));

        worded::launch(stream, (3, 25), &x)?;
        let panic = panic_of(stream);
        assert_eq!((&*panic.kernel, panic.line), ("worded", line("worded")));
        assert_eq!(panic.message, "99 is too large for thread 57");

        equal::launch(stream, (3, 25), &x)?;
        let panic = panic_of(stream);
        assert_eq!((&*panic.kernel, panic.line), ("equal", line("equal")));
        assert!(
            panic.message.contains("left: 1\n right: 0"),
            "{}",
            panic.message
        );
        Ok(())
    });
}

//@ rows: DB-1
#[test]
fn true_conditions_change_nothing() {
    on_each_device(|device, stream| {
        let x = device.upload(&[1; 75])?;
        bare::launch(stream, (3, 25), &x)?;
        worded::launch(stream, (3, 25), &x)?;
        equal::launch(stream, (3, 25), &x)?;
        stream.synchronize()?;
        Ok(())
    });
}

#[kernel]
fn debugged(i: Index1D, mut y: DisjointSlice<u32>) {
    let wanted = i.get() as u32;
    if let Some(y) = y.get_mut(i) {
        debug_assert!({
            *y += 10;
            wanted < 100
        });
        *y += 1;
    }
}

//@ rows: DB-2
#[test]
fn debug_assertions_are_those_of_the_build() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(70)?;
        debugged::launch(stream, (2, 35), &mut y)?;
        let expected = if cfg!(debug_assertions) { 11 } else { 1 };
        assert_eq!(y.to_vec(stream)?, [expected; 70]);
        Ok(())
    });
}
