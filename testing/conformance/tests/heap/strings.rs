//! `String`.

use warploom::prelude::*;
use warploom_harness::device_test::check;

#[kernel]
fn strings(i: Index1D, mut y: DisjointSlice<[u32; 3]>) {
    let n = i.get() % 13;
    if let Some(y) = y.get_mut(i) {
        let mut text = String::from("é");
        for k in 0..n {
            text.push_str("ab");
            text.push(if k % 2 == 0 { 'x' } else { '\u{1F980}' });
        }
        let longer = text.clone() + "end";
        let checksum = longer
            .bytes()
            .fold(7u32, |sum, b| sum.wrapping_mul(31) + u32::from(b));
        *y = [longer.len() as u32, longer.chars().count() as u32, checksum];
    }
}

fn expected(n: usize) -> [u32; 3] {
    let mut text = String::from("é");
    for k in 0..n {
        text.push_str(if k % 2 == 0 { "abx" } else { "ab\u{1F980}" });
    }
    text += "end";
    let checksum = text
        .bytes()
        .fold(7u32, |sum, b| sum.wrapping_mul(31) + u32::from(b));
    [text.len() as u32, text.chars().count() as u32, checksum]
}

//@ rows: HEAP-string
#[test]
fn a_string_grows() {
    let expected: Vec<[u32; 3]> = (0..140).map(|i| expected(i % 13)).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(140)?;
        strings::launch(stream, (2, 70), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn formatted(i: Index1D, mut y: DisjointSlice<u32>) {
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        let text = format!("{at:>6}/{:x}", at * 1000);
        *y = text
            .bytes()
            .fold(7u32, |sum, b| sum.wrapping_mul(31) + u32::from(b));
    }
}

//@ rows: HEAP-string
#[test]
fn format_works_where_its_cost_is_no_matter() {
    let sum = |text: String| {
        text.bytes()
            .fold(7u32, |sum, b| sum.wrapping_mul(31) + u32::from(b))
    };
    let expected: Vec<u32> = (0..40)
        .map(|at| sum(format!("{at:>6}/{:x}", at * 1000)))
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(40)?;
        formatted::launch(stream, (2, 20), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
