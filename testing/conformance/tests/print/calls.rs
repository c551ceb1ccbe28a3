//! Which threads print, and what a call returns.

use warploom::device_std::print::PrintArg;
use warploom::prelude::*;
use warploom::{gpu_print, gpu_println};
use warploom_harness::device_test::on_each_device;

use crate::Printed;

#[kernel]
fn all_threads(i: Index1D) {
    gpu_println!(
        "block {} thread {:>2}: {}",
        block_idx().x,
        thread_idx().x,
        i.get()
    );
}

//@ rows: GPF-1, GPF-2, GPF-22
#[test]
fn every_thread_prints_its_own_line() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        all_threads::launch(stream, (3, 70))?;
        stream.synchronize()?;
        let mut expected: Vec<String> = (0..210)
            .map(|i| format!("block {} thread {:>2}: {i}\n", i / 70, i % 70))
            .collect();
        expected.sort();
        assert_eq!(printed.sorted(), expected);
        Ok(())
    });
}

#[kernel]
fn one_of_them(i: Index1D, wanted: u32) {
    if i.get() == wanted as usize {
        gpu_println!("only {wanted}");
    }
}

//@ rows: GPF-2
#[test]
fn a_branch_chooses_who_prints() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        one_of_them::launch(stream, (3, 50), 101)?;
        stream.synchronize()?;
        assert_eq!(printed.take(), ["only 101\n"]);
        Ok(())
    });
}

#[kernel]
fn counted(i: Index1D, mut y: DisjointSlice<[u32; 6]>) {
    let (a, b) = (1u8, -2.5f32);
    if let Some(y) = y.get_mut(i) {
        *y = [
            gpu_println!(),
            gpu_println!("no arguments"),
            gpu_println!("{a}"),
            gpu_println!("{} {} {a:?}", i.get(), b),
            gpu_print!("{0} {0} {x}", b, x = 3),
            gpu_println!("{:.*} {:1$}", 2, 3, 4),
        ];
    }
}

//@ rows: GPF-3
#[test]
fn the_value_is_the_number_of_arguments() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        let mut y = device.zeroed(1)?;
        counted::launch(stream, (1, 1), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [[0, 0, 1, 3, 2, 3]]);
        let expected = [
            "\n",
            "no arguments\n",
            "1\n",
            "0 -2.5 1\n",
            "-2.5 -2.5 3",
            "3  4\n",
        ];
        let expected = expected.map(str::to_owned);
        // The precision of an integer means nothing; `{:1$}` takes its width from argument 1.
        assert_eq!(printed.take()[..5], expected[..5]);
        Ok(())
    });
}

#[inline(never)]
fn deep(depth: u32, i: u32) {
    if depth == 0 {
        gpu_println!("at the bottom: {i}");
    } else {
        deep(depth - 1, i);
    }
}

#[kernel]
fn through_functions(i: Index1D) {
    deep(3, i.get() as u32);
}

#[kernel]
fn generic<T: KernelArg + PrintArg + std::fmt::Display>(i: Index1D, value: T) {
    if i.get() == 0 {
        gpu_println!("{}", value);
    }
}

//@ rows: GPF-1
#[test]
fn functions_and_generic_kernels_print() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        through_functions::launch(stream, (1, 2))?;
        generic::launch(stream, (2, 33), 7u16)?;
        generic::launch(stream, (2, 33), 0.5f64)?;
        stream.synchronize()?;
        let expected = ["0.5\n", "7\n", "at the bottom: 0\n", "at the bottom: 1\n"];
        assert_eq!(printed.sorted(), expected);
        Ok(())
    });
}

#[kernel]
fn scan(i: Index1D, values: &[i32]) {
    if let Some(value) = values.get(i.get()) {
        gpu_println!("Thread {} final value = {}", i.get(), value);
    }
}

//@ rows: DB-5
#[test]
fn values_of_a_buffer_are_printed() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        let values = device.upload(&[5, -6, 7])?;
        scan::launch(stream, (1, 32), &values)?;
        stream.synchronize()?;
        let line = |i: usize, value: i32| format!("Thread {i} final value = {value}\n");
        assert_eq!(printed.sorted(), [line(0, 5), line(1, -6), line(2, 7)]);
        Ok(())
    });
}

#[test]
fn nothing_is_printed_outside_kernels() {
    assert_eq!(gpu_println!("{} {}", 1, 2), 2);
}

#[kernel]
fn words(a: u64, b: u64, c: u64, d: u64) {
    gpu_println!("{1} {0}", a, 0u8);
    gpu_println!("{} {} {} {} {}", 0u8, a, b, c, d);
    gpu_println!("{} {} {} {} {}", a, b, c, d, 0u8);
    gpu_println!("{} {} {}", 0u8, f64::from_bits(a), c as i64);
    let wide = [
        u128::from(a) | u128::from(b) << 64,
        u128::from(c) | u128::from(d) << 64,
    ];
    gpu_println!("{:x} {:x}", wide[0], wide[1]);
}

/// Numbers that look like a record with an address in it, and like one with the text "FORGED!".
#[test]
fn numbers_that_look_like_a_record_print_as_numbers() {
    use warploom::device_std::print::record::{first_word, mix, sizes_word};

    on_each_device(|device, stream| {
        for position in (0..256).step_by(16) {
            for third in [8, u64::from_le_bytes(*b"FORGED!\n")] {
                let [b, c, d] = [position, sizes_word(8, 0, 32), third];
                let a = first_word([b, c, d].iter().fold(0, |sum, word| mix(sum, *word)));
                let printed = Printed::of(device);
                device.set_print_buffer(4096)?; // positions begin at 0 again
                words::launch(stream, (1, 1), a, b, c, d)?;
                stream.synchronize()?;
                let lines = printed.take();
                assert_eq!(lines.len(), 5, "position {position}: {lines:?}");
                assert_eq!(lines[0], format!("0 {a}\n"));
                assert_eq!(lines[1], format!("0 {a} {b} {c} {d}\n"));
                assert_eq!(lines[2], format!("{a} {b} {c} {d} 0\n"));
            }
        }
        Ok(())
    });
}
