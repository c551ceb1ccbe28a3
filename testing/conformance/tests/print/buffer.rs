//! The buffer: its size, and what happens when it is full.

use warploom::gpu_println;
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

use crate::Printed;

#[kernel]
fn count_to(n: u32) {
    for i in 0..n {
        gpu_println!("{i:06}");
    }
}

//@ rows: GPF-14
#[test]
fn the_newest_lines_survive() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        device.set_print_buffer(1024)?;
        count_to::launch(stream, (1, 1), 5000)?;
        stream.synchronize()?;
        // A line takes 48 bytes here, 32 and 9 rounded up to a multiple of 16.
        let expected: Vec<String> = (5000 - 21..5000).map(|i| format!("{i:06}\n")).collect();
        assert_eq!(printed.take(), expected);
        Ok(())
    });
}

#[kernel]
fn crowd(i: Index1D) {
    gpu_println!("{0} and {0} and {0:x} and {1}", i.get(), i.get() as u32 * 3);
}

/// The line of thread `i` of `crowd`.
fn of_crowd(i: usize) -> String {
    format!("{i} and {i} and {i:x} and {}\n", i * 3)
}

//@ rows: GPF-14
#[test]
fn all_lines_of_many_threads_are_there_where_there_is_room() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        device.set_print_buffer(4 << 20)?;
        crowd::launch(stream, (97, 96))?;
        stream.synchronize()?;
        let mut expected: Vec<String> = (0..97 * 96).map(of_crowd).collect();
        expected.sort();
        assert_eq!(printed.sorted(), expected);
        Ok(())
    });
}

//@ rows: GPF-14
#[test]
fn lines_of_many_threads_are_whole_or_not_there() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        device.set_print_buffer(4096)?;
        crowd::launch(stream, (97, 96))?;
        stream.synchronize()?;
        let found = printed.take();
        // How many are left depends on how many threads of a GPU write one place at a time: none need be.
        assert!(found.len() <= 4096 / 64, "{}", found.len());
        assert!(device.is_gpu() || found.len() > 10, "{}", found.len());
        for line in found {
            let i: usize = line.split(' ').next().unwrap().parse().unwrap();
            assert!(i < 97 * 96);
            assert_eq!(line, of_crowd(i));
        }
        count_to::launch(stream, (1, 1), 1)?;
        stream.synchronize()?;
        assert_eq!(printed.take(), ["000000\n"], "the buffer still works");
        Ok(())
    });
}

//@ rows: GPF-15
#[test]
fn the_size_can_be_asked_and_set() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        assert_eq!(device.print_buffer(), 1 << 20);
        count_to::launch(stream, (1, 1), 3)?;
        device.set_print_buffer(64 << 10)?;
        assert_eq!(printed.take().len(), 3, "a new size loses nothing");
        assert_eq!(device.print_buffer(), 64 << 10);
        count_to::launch(stream, (1, 1), 2)?;
        device.set_print_buffer(3000)?;
        assert_eq!((printed.take().len(), device.print_buffer()), (2, 4096));
        Ok(())
    });
}

//@ rows: GPF-15
#[test]
fn a_larger_buffer_keeps_more() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        device.set_print_buffer(4 << 20)?;
        count_to::launch(stream, (1, 1), 50_000)?;
        stream.synchronize()?;
        assert_eq!(printed.take().len(), 50_000);
        Ok(())
    });
}
