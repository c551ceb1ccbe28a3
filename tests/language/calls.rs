//! Calls that are not known at compile time, recursion, functions that stay functions.

use std::any::Any;
use std::cell::Cell;

use warploom::prelude::*;
use warploom_harness::device_test::{check, check_map, collatz_steps};

use crate::{N, agree, floats, noise};

trait Surface {
    fn area(&self) -> f32;
    fn grown(&self, by: f32) -> f32 {
        self.area() + by
    }
}

struct Square(f32);
struct Disc {
    radius: f32,
    hole: f32,
}
struct Nothing;

impl Surface for Square {
    fn area(&self) -> f32 {
        self.0 * self.0
    }
}
impl Surface for Disc {
    fn area(&self) -> f32 {
        3.0 * (self.radius * self.radius - self.hole * self.hole)
    }
    fn grown(&self, by: f32) -> f32 {
        Square(self.radius + by).area()
    }
}
impl Surface for Nothing {
    fn area(&self) -> f32 {
        -1.0
    }
}

fn surfaces(x: &[f32], i: usize) -> [f32; 3] {
    let (square, disc) = (
        Square(x[i]),
        Disc {
            radius: x[i],
            hole: 0.5,
        },
    );
    let all: [&dyn Surface; 4] = [&square, &disc, &Nothing, &square];
    let one = all[(x[i].to_bits() >> 7) as usize % all.len()];
    [
        one.area(),
        one.grown(2.0),
        all.iter().map(|s| s.grown(1.0)).sum(),
    ]
}

//@ rows: GCX-6
#[test]
fn trait_objects_in_an_array() {
    agree(&floats(N), surfaces);
}

static NOTHING: Nothing = Nothing;
type Entry = (&'static (dyn Surface + Sync), fn(u32, u32) -> u32);

static TABLE: [Entry; 3] = [
    (&NOTHING, u32::wrapping_add),
    (&Square(2.5), |a, b| a ^ b),
    (
        &Disc {
            radius: 3.0,
            hole: 1.0,
        },
        smaller,
    ),
];

fn smaller(a: u32, b: u32) -> u32 {
    a.min(b)
}

fn table_of_functions(x: &[u32], i: usize) -> [u32; 2] {
    let (surface, function) = &TABLE[x[i] as usize % TABLE.len()];
    [function(x[i], i as u32), surface.area().to_bits()]
}

//@ rows: GFN-12
#[test]
fn function_pointers_and_objects_in_a_static() {
    agree(&noise(N), table_of_functions);
}

fn function_pointers(x: &[u32], i: usize) -> u32 {
    fn apply(f: fn(u32) -> u32, times: u32, v: u32) -> u32 {
        (0..times).fold(v, |v, _| f(v))
    }
    let steps: [fn(u32) -> u32; 4] = [|v| v / 2, u32::swap_bytes, |v| v.wrapping_mul(5), |v| !v];
    apply(steps[x[i] as usize % 4], x[i] >> 8 & 7, x[i])
}

//@ rows: GFN-12
#[test]
fn function_pointers_chosen_by_data() {
    agree(&noise(N), function_pointers);
}

fn any(x: &[u32], i: usize) -> u32 {
    let (number, text) = (x[i], "four");
    let value: &dyn Any = if number.is_multiple_of(3) {
        &text
    } else {
        &number
    };
    value
        .downcast_ref::<u32>()
        .copied()
        .or(value.downcast_ref::<&str>().map(|t| t.len() as u32))
        .unwrap_or(0)
}

#[test]
fn types_are_known_at_run_time() {
    agree(&noise(N), any);
}

fn ackermann(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

fn fibonacci(n: u32) -> u32 {
    if n < 2 {
        n
    } else {
        fibonacci(n - 1) + fibonacci(n - 2)
    }
}

fn is_even(n: u32) -> bool {
    n == 0 || is_odd(n - 1)
}

fn is_odd(n: u32) -> bool {
    n != 0 && is_even(n - 1)
}

/// Recursion with memory of its own at each depth.
fn permutations(used: &mut [bool; 4], at: usize, sum: u32) -> u32 {
    if at == used.len() {
        return sum;
    }
    let mut total = 0u32;
    for k in 0..used.len() {
        if !std::mem::replace(&mut used[k], true) {
            total = total.wrapping_mul(3) + permutations(used, at + 1, sum * 4 + k as u32);
            used[k] = false;
        }
    }
    total
}

fn recursion(x: &[u32], i: usize) -> [u32; 4] {
    let n = x[i] % 8;
    let mut used = [n == 1, false, n == 3, false];
    let fixed = used.iter().filter(|u| **u).count();
    [
        ackermann(n % 3, n),
        fibonacci(n + 3),
        u32::from(is_even(n + i as u32 % 9)),
        permutations(&mut used, fixed, n),
    ]
}

//@ rows: GFN-9, GCX-10
#[test]
fn recursive_functions() {
    agree(&noise(N), recursion);
}

#[kernel]
fn collatz(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = collatz_steps(x[i.get()]);
    }
}

#[test]
fn a_function_of_another_crate_that_is_never_inlined() {
    let x: Vec<u32> = (0..N as u32).collect();
    check_map(
        &x,
        |stream, x, y| collatz::launch(stream, Launch::covering(N), x, y),
        |i| collatz_steps(i as u32),
    );
}

#[inline(never)]
fn many_arguments(
    a: u8,
    b: &[u32],
    c: f64,
    d: (u16, bool),
    e: [u32; 5],
    f: Option<u32>,
) -> (u64, [u32; 5]) {
    let sum = u64::from(a) + b.len() as u64 + c as u64 + u64::from(d.0) + u64::from(f.unwrap_or(3));
    (sum, if d.1 { e.map(|v| v / 2) } else { e })
}

fn large_values(x: &[u32], i: usize) -> [u32; 6] {
    let v = x[i];
    let f = v.checked_sub(1 << 31);
    let (sum, e) = many_arguments(
        v as u8,
        &x[i..],
        f64::from(v),
        (v as u16, v.is_multiple_of(2)),
        [v, 1, 2, 3, v],
        f,
    );
    [(sum ^ sum >> 32) as u32, e[0], e[1], e[2], e[3], e[4]]
}

#[test]
fn many_arguments_and_large_results() {
    agree(&noise(N), large_values);
}

/// Notes the order in which values are dropped.
struct Note<'a>(&'a Cell<u32>, u32);

impl Drop for Note<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() * 10 + self.1);
    }
}

fn drops(x: &[u32], i: usize) -> u32 {
    let order = Cell::new(0);
    {
        let _first = Note(&order, 1);
        let second = Note(&order, 2);
        let third = Note(&order, 3);
        if x[i].is_multiple_of(2) {
            drop(second);
        }
        let _fourth = [Note(&order, 4), Note(&order, 5)];
        if x[i].is_multiple_of(3) {
            std::mem::forget(third);
        }
    }
    order.get()
}

#[test]
fn values_are_dropped_in_order() {
    agree(&noise(N), drops);
}

fn constant<const N: i32>() -> i32 {
    N
}

/// A kernel that a macro writes, with an expression and a type of its caller.
macro_rules! rows_of {
    ($name:ident, $width:expr, $sign:expr, $count:ty) => {
        #[kernel(requires(x.len() >= 10 * $width))]
        fn $name(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
            let weights: [$count; 10 * $width] = [1; 10 * $width];
            assert_eq!(constant::<$sign>(), $sign);
            assert_eq!(weights.len(), 10 * $width);
            if let Some(y) = y.get_mut(i) {
                let row = (i.get() / (10 * $width)) as u32;
                *y = x[i.get()].wrapping_add(row * 10 * $width) ^ $sign.unsigned_abs();
            }
        }
    };
}
rows_of!(rows_of_thirty, 2 + 1, -7_i32, u16);

#[test]
fn expressions_that_a_macro_puts_into_a_kernel_stay_whole() {
    let x = noise(N);
    let expected: Vec<u32> = (x.iter().zip(0..))
        .map(|(x, i)| x.wrapping_add(i / 30 * 30) ^ 7)
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(N)?;
        rows_of_thirty::launch(stream, Launch::covering(N), &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
