//! A panic of a kernel is an `Err` with its place and message; everything else goes on.
//!
//! The functions that panic carry a mark, `//~ name`, on the line that the message must name.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "the kernels are here to panic, and the helpers of a test may fail as the test does"
)]

use std::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;
use warploom::{KernelPanic, StreamError};
use warploom_harness::device_test::on_each_device;

/// Blocks and threads of most launches here.
const SHAPE: (u32, u32) = (3, 50);
/// The one thread that panics: thread 7 of block 1.
const CULPRIT: usize = 57;

#[kernel]
fn culprit<F: Fn(&[u32], u32) -> u32 + Copy + Send + Sync + 'static>(
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
    f: F,
) {
    let Some(y) = y.get_mut(i) else { return };
    *y = if i.get() == CULPRIT {
        f(x, x[i.get()])
    } else {
        1
    };
}

#[kernel]
fn plus_one(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + 1;
    }
}

/// Line and column of `text` on the line that is marked with `name`.
#[track_caller]
fn place(name: &str, text: &str) -> (u32, u32) {
    let mark = format!("//~ {name}");
    let mut lines = include_str!("panics.rs").lines().zip(1..);
    let marked = lines.find(|(line, _)| line.ends_with(&mark));
    let (line, number) = marked.unwrap_or_else(|| panic!("no line is marked {mark}"));
    let column = line.find(text).expect("the text stands on the line");
    (number, column as u32 + 1)
}

#[track_caller]
fn panic_of(stream: &Stream) -> KernelPanic {
    match stream.synchronize() {
        Err(StreamError::Panic(panic)) => *panic,
        other => panic!("on {}: {other:?}", stream.device().name()),
    }
}

/// Lets thread [`CULPRIT`] call `f` with `x`, which counts from 0 to 149, and its own element, 57. All others write 1.
///
/// Expects the message, at `text` on the line marked `name`; and that nothing else has suffered.
#[track_caller]
fn panics(
    (name, text): (&str, &str),
    message: &str,
    f: impl Fn(&[u32], u32) -> u32 + Copy + Send + Sync + 'static,
) {
    let (line, column) = place(name, text);
    let file = file!();
    on_each_device(|device, stream| {
        let count: Vec<u32> = (0..150).collect();
        let other = device.upload(&[0xfeed_beefu32; 33])?;
        let x = device.upload(&count)?;
        let mut y = device.zeroed::<u32>(150)?;
        culprit::launch(stream, SHAPE, &x, &mut y, f)?;
        let on = device.name();
        let panic = panic_of(stream);
        let found = panic.to_string();
        let expected = format!(
            "kernel `culprit` panicked at {file}:{line}:{column}: {message} (block (1,0,0), thread (7,0,0); launched at {file}:"
        );
        assert!(
            found.starts_with(&expected),
            "on {on}:\n  {found}\nwhere this was expected:\n  {expected}"
        );

        // Said once; what others wrote is there; the device takes more work; no other buffer has changed.
        stream.synchronize()?;
        let mut written = [1; 150];
        written[CULPRIT] = 0;
        assert_eq!(y.to_vec(stream)?, written, "on {on}");
        plus_one::launch(stream, SHAPE, &x, &mut y)?;
        let next: Vec<u32> = count.iter().map(|v| v + 1).collect();
        assert_eq!(y.to_vec(stream)?, next, "on {on}");
        assert_eq!(other.to_vec(stream)?, [0xfeed_beef; 33], "on {on}");
        Ok(())
    });
}

fn index(x: &[u32], v: u32) -> u32 {
    x[v as usize + 1000] //~ index
}

fn index_of_an_array(_: &[u32], v: u32) -> u32 {
    let table = [[1, 2, 3], [4, 5, 6]];
    table[v as usize % 2][v as usize] //~ index of an array
}

#[test]
fn index_out_of_bounds() {
    let message = "index out of bounds: the len is 150 but the index is 1057";
    panics(("index", "x[v"), message, index);
    let message = "index out of bounds: the len is 3 but the index is 57";
    panics(("index of an array", "table"), message, index_of_an_array);
}

fn range_end(x: &[u32], v: u32) -> u32 {
    x[5..v as usize * 10].len() as u32 //~ range end
}

fn range_start(x: &[u32], v: u32) -> u32 {
    x[v as usize * 3..].len() as u32 //~ range start
}

fn range_order(x: &[u32], v: u32) -> u32 {
    x[v as usize..v as usize - 3].len() as u32 //~ range order
}

fn split(x: &[u32], v: u32) -> u32 {
    x.split_at(v as usize + 100).0[0] //~ split
}

fn copy(x: &[u32], v: u32) -> u32 {
    let mut some = [0; 9];
    some.copy_from_slice(&x[..v as usize]); //~ copy
    some[3]
}

#[test]
fn ranges_out_of_bounds() {
    let message = "range end index 570 out of range for slice of length 150";
    panics(("range end", "[5"), message, range_end);
    let message = "range start index 171 out of range for slice of length 150";
    panics(("range start", "[v"), message, range_start);
    let message = "slice index starts at 57 but ends at 54";
    panics(("range order", "[v"), message, range_order);
    panics(("split", "split_at("), "mid > len", split);
    let message =
        "copy_from_slice: source slice length (57) does not match destination slice length (9)";
    panics(("copy", "copy_from_slice("), message, copy);
}

fn unwrap(x: &[u32], v: u32) -> u32 {
    *x.iter().find(|x| **x > v + 200).unwrap() //~ unwrap
}

fn expect(x: &[u32], v: u32) -> u32 {
    *x.get(v as usize * 7).expect("seven times the number") //~ expect
}

fn unwrap_number(x: &[u32], v: u32) -> u32 {
    x.binary_search(&(v + 1000)).unwrap() as u32 //~ unwrap number
}

fn unwrap_result(_: &[u32], v: u32) -> u32 {
    u8::try_from(v * 5).unwrap().into() //~ unwrap result
}

#[test]
fn options_and_results() {
    let message = "called `Option::unwrap()` on a `None` value";
    panics(("unwrap", "unwrap()"), message, unwrap);
    panics(("expect", "expect("), "seven times the number", expect);
    let message = "called `Result::unwrap()` on an `Err` value: TryFromIntError(())";
    panics(("unwrap result", "unwrap()"), message, unwrap_result);
    let message = "called `Result::unwrap()` on an `Err` value: 150";
    panics(("unwrap number", "unwrap()"), message, unwrap_number);
}

fn divide(x: &[u32], v: u32) -> u32 {
    v / x[v as usize - 57] //~ divide
}

fn remainder(x: &[u32], v: u32) -> u32 {
    v % x[v as usize - 57] //~ remainder
}

fn quotient_overflows(_: &[u32], v: u32) -> u32 {
    ((v << 31) as i32 / (56 - v as i32)) as u32 //~ quotient overflows
}

#[test]
fn divisions() {
    panics(("divide", "v / "), "attempt to divide by zero", divide);
    let message = "attempt to calculate the remainder with a divisor of zero";
    panics(("remainder", "v % "), message, remainder);
    let message = "attempt to divide with overflow";
    panics(("quotient overflows", "((v"), message, quotient_overflows);
}

#[cfg(debug_assertions)]
fn add(_: &[u32], v: u32) -> u32 {
    v + (u32::MAX - 30) //~ add
}

#[cfg(debug_assertions)]
fn subtract(x: &[u32], v: u32) -> u32 {
    x[3] - v //~ subtract
}

#[cfg(debug_assertions)]
fn multiply(_: &[u32], v: u32) -> u32 {
    u32::from(v as u8 * 5) //~ multiply
}

#[cfg(debug_assertions)]
fn negate(_: &[u32], v: u32) -> u32 {
    -((v << 31) as i32) as u32 //~ negate
}

#[cfg(debug_assertions)]
fn shift(_: &[u32], v: u32) -> u32 {
    1 << v //~ shift
}

/// In the release profile they wrap, as everywhere in Rust.
#[cfg(debug_assertions)]
#[test]
fn overflows() {
    panics(("add", "v +"), "attempt to add with overflow", add);
    let message = "attempt to subtract with overflow";
    panics(("subtract", "x[3]"), message, subtract);
    let message = "attempt to multiply with overflow";
    panics(("multiply", "v as u8"), message, multiply);
    panics(("negate", "-(("), "attempt to negate with overflow", negate);
    let message = "attempt to shift left with overflow";
    panics(("shift", "1 <<"), message, shift);
}

fn literal(_: &[u32], _: u32) -> u32 {
    panic!("a literal") //~ literal
}

fn formatted(x: &[u32], v: u32) -> u32 {
    panic!("x = {v:#06x}, {:?}, {}", x.get(3), "text") //~ formatted
}

fn unreachable(_: &[u32], v: u32) -> u32 {
    unreachable!("{v} of {}", 2) //~ unreachable
}

fn todo(_: &[u32], _: u32) -> u32 {
    unimplemented!() //~ todo
}

/// Panics in its caller's name.
#[track_caller]
fn checked(v: u32) -> u32 {
    if v > 50 {
        panic!("{v} is too large")
    } else {
        v
    }
}

fn values(x: &[u32], v: u32) -> u32 {
    let (a, half, c) = (v as u8, v as f32 / 2.0, -i64::from(v));
    let (same, d) = (v == 3, x[3]);
    panic!("{a} {:?} {half} {c:#x} {same} {d:?}", 'x') //~ values
}

fn wide_values(_: &[u32], v: u32) -> u32 {
    let wide = u128::from(v) << 100;
    panic!("{wide:#b} {:?} {:e}", -(wide as i128), f64::from(v)) //~ wide values
}

struct Own(u32);

impl std::fmt::Display for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "own {}", self.0)
    }
}

fn own(_: &[u32], v: u32) -> u32 {
    panic!("{} and {v}", Own(v)) //~ own
}

#[test]
fn values_of_many_types() {
    let message = format!("57 'x' 28.5 {:#x} false 3", -57i64);
    panics(("values", "panic!"), &message, values);
    let wide = 57u128 << 100;
    let message = format!("{wide:#b} {:?} {:e}", -(wide as i128), 57f64);
    panics(("wide values", "panic!"), &message, wide_values);
    panics(("own", "panic!"), "own 57 and 57", own);
}

fn of_the_caller(_: &[u32], v: u32) -> u32 {
    checked(v / 2) + checked(v) //~ of the caller
}

#[test]
fn panics_by_name() {
    panics(("literal", "panic!"), "a literal", literal);
    panics(
        ("formatted", "panic!"),
        "x = 0x0039, Some(3), text",
        formatted,
    );
    let message = "internal error: entered unreachable code: 57 of 2";
    panics(("unreachable", "unreachable!"), message, unreachable);
    panics(("todo", "unimplemented!"), "not implemented", todo);
    let message = "57 is too large";
    panics(("of the caller", "checked(v)"), message, of_the_caller);
}

fn assert(_: &[u32], v: u32) -> u32 {
    assert!(v < 50); //~ assert
    v
}

fn assert_with_text(x: &[u32], v: u32) -> u32 {
    assert!(v as usize > x.len(), "{v} against {}", x.len()); //~ assert with text
    v
}

fn assert_ne(x: &[u32], v: u32) -> u32 {
    assert_ne!(v, x[57]); //~ assert ne
    v
}

fn assert_eq(x: &[u32], v: u32) -> u32 {
    assert_eq!(v + 1, x[4], "thread {v}"); //~ assert eq
    v
}

#[test]
fn assertions() {
    panics(("assert", "assert!"), "assertion failed: v < 50", assert);
    panics(
        ("assert with text", "assert!"),
        "57 against 150",
        assert_with_text,
    );
    let message = "assertion `left == right` failed: thread 57\n  left: 58\n right: 4";
    panics(("assert eq", "assert_eq!"), message, assert_eq);
    let message = "assertion `left != right` failed\n  left: 57\n right: 57";
    panics(("assert ne", "assert_ne!"), message, assert_ne);
}

fn long_text(_: &[u32], v: u32) -> u32 {
    panic!("{:>900}|{v}", "far to the right") //~ long text
}

#[test]
fn a_long_message() {
    let message = format!("{:>900}|57", "far to the right");
    panics(("long text", "panic!"), &message, long_text);
}

/// Every thread of the block writes, all but one meet at the barrier, and each reads its neighbour's.
#[kernel]
fn exchange(i: Index1D, block: Block, mut y: DisjointSlice<u32>) {
    let cells = shared_array!(u32, 64);
    let t = block.thread();
    cells.atomic(t).store(i.get() as u32, Relaxed);
    assert!(i.get() != CULPRIT, "before the barrier"); //~ barrier
    block.sync();
    let next = cells.atomic((t + 1) % block.threads()).load(Relaxed);
    block.sync();
    if let Some(y) = y.get_mut(i) {
        *y = next;
    }
}

#[test]
fn the_rest_of_the_block_meets_at_the_barrier() {
    let (line, _) = place("barrier", "assert!");
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<u32>(150)?;
        exchange::launch(stream, SHAPE, &mut y)?;
        let panic = panic_of(stream);
        assert_eq!(
            (panic.line, panic.message.as_str()),
            (line, "before the barrier")
        );
        let mut expected: Vec<u32> = (0..150).map(|i| i / 50 * 50 + (i + 1) % 50).collect();
        expected[CULPRIT] = 0;
        assert_eq!(y.to_vec(stream)?, expected, "on {}", device.name());
        Ok(())
    });
}

#[kernel]
fn all_panic(x: &[u32]) {
    let (block, thread) = (block_idx(), thread_idx());
    let at = 1000 * block.y + 100 * block.x + 10 * thread.z + thread.y;
    let _ = x[at as usize + 10]; //~ all
}

#[test]
fn one_of_many_is_reported() {
    let (line, column) = place("all", "x[at");
    on_each_device(|device, stream| {
        let x = device.zeroed::<u32>(10)?;
        all_panic::launch(stream, Launch::new((3, 2), (1, 9, 4)), &x)?;
        let panic = panic_of(stream);
        assert_eq!(
            (panic.line, panic.column),
            (line, column),
            "on {}",
            device.name()
        );
        let ([bx, by, _], [_, ty, tz]) = (panic.block, panic.thread);
        let index = 1000 * by + 100 * bx + 10 * tz + ty + 10;
        let message = format!("index out of bounds: the len is 10 but the index is {index}");
        assert_eq!(panic.message, message, "on {}: {panic}", device.name());
        // In other orders of threads another is the first.
        if !device.is_gpu() && std::env::var_os("WARPLOOM_SCHEDULES").is_none() {
            assert_eq!(
                (panic.block, panic.thread),
                ([0; 3], [0; 3]),
                "the emulator names the first"
            );
        }
        // One report for the whole launch.
        stream.synchronize()?;
        Ok(())
    });
}

#[kernel]
fn misuse(block: Block, mut tile: SharedTile<u32, 60>, raw: bool) {
    let cells = shared_array!(u32, 5);
    let t = block.thread();
    if t == 33 && raw {
        cells.atomic(t).store(1, Relaxed); //~ raw
    } else if t == 33 {
        tile.set_own(1, 2); //~ tile
    }
    let _ = tile.publish(&block);
}

#[test]
fn misuse_of_shared_memory_names_the_users_line() {
    for (raw, name, text, message) in [
        (
            true,
            "raw",
            "atomic(",
            "element 33 of a shared array with 5 elements",
        ),
        (
            false,
            "tile",
            "set_own",
            "index out of bounds: the len is 60 but the index is 73",
        ),
    ] {
        let (line, column) = place(name, text);
        on_each_device(|device, stream| {
            misuse::launch(stream, (1, 40), raw)?;
            let panic = panic_of(stream);
            let found = (panic.message.as_str(), panic.line, panic.column);
            assert_eq!(
                found,
                (message, line, column),
                "on {}: {panic}",
                device.name()
            );
            Ok(())
        });
    }
}

//@ rows: GER-1, GER-2
#[test]
fn whatever_waits_reports_the_panic() {
    on_each_device(|device, stream| {
        let x = device.upload(&[0u32; 150])?;
        let mut y = device.zeroed::<u32>(150)?;
        culprit::launch(stream, SHAPE, &x, &mut y, literal)?;
        let text = y
            .to_vec(stream)
            .expect_err("the kernel panicked")
            .to_string();
        assert!(
            text.contains("a literal (block (1,0,0), thread (7,0,0)"),
            "{text}"
        );
        assert_eq!(y.to_vec(stream)?[CULPRIT], 0);
        Ok(())
    });
}
