//! Format strings: each line is compared with `format!` of the same string and values.

use warploom::gpu_println;
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

use crate::Printed;

/// A kernel that prints its parameters by `$format`, and the lines that `format!` makes of the same.
macro_rules! printing {
    ($name:ident($($arg:ident: $ty:ty),*) $($format:literal)*) => {
        mod $name {
            use super::*;

            #[kernel]
            pub(super) fn print($($arg: $ty),*) {
                $( gpu_println!($format); )*
            }

            pub(super) fn lines($($arg: $ty),*) -> Vec<String> {
                vec![$( format!($format) + "\n" ),*]
            }
        }
    };
}

macro_rules! check {
    ($name:ident: $($args:expr),*) => {
        on_each_device(|device, stream| {
            let printed = Printed::of(device);
            $name::print::launch(stream, (1, 1), $($args),*)?;
            stream.synchronize()?;
            assert_eq!(printed.take(), $name::lines($($args),*));
            Ok(())
        })
    };
}

printing!(unsigned(a: u8, b: u16, c: u32, d: u64, e: usize)
    "{a} {b} {c} {d} {e}"
    "{a:?} {b:x} {c:X} {d:o} {e:b}"
    "{a:#?} {b:#x} {c:#X} {d:#o} {e:#b}"
    "{a:5}|{b:<7}|{c:^15}|{d:>12}|{e:*^25}"
    "{a:05}|{b:+}|{c:+08}|{d:#018x}|{e:<+22}|"
    "{a:e} {b:E} {c:.2e} {d:10.1e}| {e:x?}");

printing!(signed(a: i8, b: i16, c: i32, d: i64, e: isize)
    "{a} {b} {c} {d} {e}"
    "{a:?} {b:x} {c:X} {d:o} {e:b}"
    "{a:#?} {b:#x} {c:#X} {d:#o} {e:#b}"
    "{a:5}|{b:<7}|{c:^15}|{d:>12}|{e:*^25}"
    "{a:05}|{b:+}|{c:+08}|{d:#018x}|{e:<+22}|"
    "{a:e} {b:E} {c:.2e} {d:10.1e}| {e:X?}");

//@ rows: GPF-4, GPF-5, GPF-6, GPF-8, GPF-9, GPF-13
#[test]
fn integers_of_all_widths() {
    check!(unsigned: 0, 65_535, 7, u64::MAX, 1 << 40);
    check!(unsigned: 255, 1, u32::MAX, 1_000_000_007, usize::MAX);
    check!(signed: -128, 1, -7, i64::MIN, -(1 << 40));
    check!(signed: 127, -300, i32::MAX, -1, isize::MAX);
}

printing!(single(a: f32, b: f32, c: f32)
    "{a} {b} {c}"
    "{a:?} {b:e} {c:E}"
    "{a:.0} {b:.3} {c:.10}"
    "{a:9.2}|{b:<9.1}|{c:^+12.3}|"
    "{a:010.3}|{b:+}|{c:.2e}"
    "{a:*>14.4e}|{b:14?}|{c:#?}");

printing!(double(a: f64, b: f64, c: f64)
    "{a} {b} {c}"
    "{a:?} {b:e} {c:E}"
    "{a:.0} {b:.3} {c:.17}"
    "{a:9.2}|{b:<9.1}|{c:^+12.3}|"
    "{a:010.3}|{b:+}|{c:.12e}"
    "{a:*>14.4e}|{b:14?}|{c:#?}");

//@ rows: GPF-5, GPF-6, GPF-7, GPF-9, GPF-11
#[test]
fn floats_keep_all_their_digits() {
    check!(single: 0.1, -2.5e-8, 16_777_216.0);
    check!(single: -0.0, f32::NAN, f32::INFINITY);
    check!(single: f32::MIN_POSITIVE / 8.0, f32::MAX, 1.0 / 3.0);
    check!(double: 0.1, -2.5e-8, 1.0e16);
    check!(double: -0.0, f64::NAN, f64::NEG_INFINITY);
    check!(double: 5.0e-324, f64::MAX, 1.0 / 3.0);
}

printing!(others(a: bool, b: char, c: u128, d: i128)
    "{a} {b} {c} {d}"
    "{a:?} {b:?} {c:x} {d:?}"
    "{a:>7}|{b:^5}|{c:#x}|{d:45}|"
    "{a:<7}|{b:*<5}|{c:b}|{d:+050}|");

//@ rows: GPF-9
#[test]
fn words_and_wide_integers() {
    check!(others: true, 'a', 1 << 100, -(1 << 99));
    check!(others: false, '\n', 0, i128::MAX);
    check!(others: true, '\u{1F980}', u128::MAX, i128::MIN);
}

#[kernel]
fn texts(i: Index1D) {
    const NAMES: [&str; 4] = ["", "x", "größer als 8 Bytes", "{not} a hole"];
    let name = NAMES[i.get() % 4];
    gpu_println!(
        "{} [{name}] [{name:?}] [{name:>20}] [{name:*^7.3}] [{:.*}]",
        i.get(),
        2,
        name
    );
}

//@ rows: GPF-9
#[test]
fn texts_are_copied() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        texts::launch(stream, (1, 4))?;
        stream.synchronize()?;
        let names = ["", "x", "größer als 8 Bytes", "{not} a hole"].into_iter();
        let expected: Vec<String> = (0..)
            .zip(names)
            .map(|(i, name)| {
                format!("{i} [{name}] [{name:?}] [{name:>20}] [{name:*^7.3}] [{name:.2}]\n")
            })
            .collect();
        assert_eq!(printed.sorted(), expected);
        Ok(())
    });
}

#[kernel]
fn counts_at_run_time(width: u32, precision: u32, value: f64) {
    let (w, p) = (width as usize, precision as usize);
    gpu_println!(
        "[{value:w$.p$}] [{:>1$}] [{:<+1$.2$e}] [{3:.*}]",
        value,
        w,
        p,
        value
    );
    gpu_println!("[{0:1$}] [{0:<w$}] {{{0}}} {value:p$.w$}", width, w);
}

//@ rows: GPF-6, GPF-7
#[test]
fn width_and_precision_may_be_arguments() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        counts_at_run_time::launch(stream, (1, 1), 12, 3, 2.0 / 3.0)?;
        stream.synchronize()?;
        let (w, p, value) = (12, 3, 2.0 / 3.0);
        let expected = [
            format!(
                "[{value:w$.p$}] [{:>1$}] [{:<+1$.2$e}] [{3:.*}]\n",
                value, w, p, value
            ),
            "[          12] [12          ] {12} 0.666666666667\n".to_owned(),
        ];
        assert_eq!(printed.take(), expected);
        Ok(())
    });
}

#[kernel]
fn pointers(i: Index1D, x: &[u32], mut seen: DisjointSlice<u64>) {
    if let Some(seen) = seen.get_mut(i) {
        let pointer = &raw const x[i.get()];
        gpu_println!(
            "{:p} {pointer:?} {:#p} {:>20p}|",
            pointer,
            &x[i.get()],
            pointer
        );
        *seen = pointer.addr() as u64;
    }
}

//@ rows: GPF-9
#[test]
fn pointers_are_addresses() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        let x = device.zeroed::<u32>(5)?;
        let mut seen = device.zeroed(5)?;
        pointers::launch(stream, (1, 5), &x, &mut seen)?;
        let seen = seen.to_vec(stream)?;
        let mut expected: Vec<String> = seen
            .iter()
            .map(|a| format!("{a:#x} {a:#x} {a:#018x} {a:>#20x}|\n"))
            .collect();
        expected.sort();
        assert_eq!(printed.sorted(), expected);
        Ok(())
    });
}

#[kernel]
fn thirty_two(x: &[u32]) {
    gpu_println!(
        "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
        x[0],
        x[1],
        x[2],
        x[3],
        x[4],
        x[5],
        x[6],
        x[7],
        x[8],
        x[9],
        x[10],
        x[11],
        x[12],
        x[13],
        x[14],
        x[15],
        x[16],
        x[17],
        x[18],
        x[19],
        x[20],
        x[21],
        x[22],
        x[23],
        x[24],
        x[25],
        x[26],
        x[27],
        x[28],
        x[29],
        x[30],
        x[31]
    );
}

//@ rows: GPF-12
#[test]
fn a_call_takes_32_values() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        let values: Vec<u32> = (100..132).collect();
        let x = device.upload(&values)?;
        thirty_two::launch(stream, (1, 1), &x)?;
        stream.synchronize()?;
        let expected: Vec<String> = values.iter().map(u32::to_string).collect();
        assert_eq!(printed.take(), [expected.join(" ") + "\n"]);
        Ok(())
    });
}
