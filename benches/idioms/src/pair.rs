//! One idiom of Rust in a kernel, beside the same computation as a C programmer would write it.
//!
//! A pair is data: its kernels, how to run them, what the page says of it.

use std::error::Error;

use warploom::prelude::*;

/// Two kernels with equal results.
pub(crate) struct Pair {
    /// Its module; the kernels are `<module>::idiom` and `<module>::plain`.
    pub(crate) module: &'static str,
    /// What the idiom is.
    pub(crate) title: &'static str,
    /// Runs both; they must store the same.
    pub(crate) run: fn(&Stream) -> Result<(), Box<dyn Error>>,
}

/// Elements of every output: three blocks, the last one not full.
pub(crate) const OUTPUTS: usize = 700;
/// Elements of every input.
pub(crate) const INPUTS: usize = OUTPUTS + 300;
/// What kernels get as their number of steps.
pub(crate) const STEPS: usize = 37;

/// Values of an input.
pub(crate) trait Sample: Plain + Default + PartialEq {
    fn sample(at: usize) -> Self;
}

/// Whether both forms stored the same, and something that depends on the thread.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(
    idiom: &[T],
    plain: &[T],
) -> Result<(), Box<dyn Error>> {
    let mut stored = idiom.iter().zip(plain).enumerate();
    if let Some((at, (idiom, plain))) = stored.find(|(_, (idiom, plain))| idiom != plain) {
        return Err(
            format!("thread {at}: the idiom stores {idiom:?}, its plain form {plain:?}").into(),
        );
    }
    if idiom.windows(2).all(|two| two[0] == two[1]) {
        return Err("all threads store the same value: the comparison of both forms shows nothing; choose another input".into());
    }
    Ok(())
}

macro_rules! samples {
    ($($ty:ty: |$at:ident| $value:expr;)*) => {
        $(impl Sample for $ty {
            fn sample($at: usize) -> Self {
                $value
            }
        })*
    };
}

samples! {
    f32: |at| ((at * 37) % 101) as f32 - 50.0;
    f64: |at| ((at * 37) % 101) as f64 - 50.0;
    u8: |at| (at * 37) as u8;
    u32: |at| (at as u32).wrapping_mul(2_654_435_761) >> 7;
    i32: |at| ((at * 37) % 1009) as i32 - 500;
    u64: |at| (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
}

/// Declares pairs: both blocks see the thread's index, a number of steps, and the input, and give the thread's output.
///
/// ```text
/// pairs! {
///     /// `for k in 0..n`
///     range: f32 => f32, |t, n, x| { … } plain { … }
/// }
/// ```
macro_rules! pairs {
    ($(#[doc = $title:literal] $module:ident: $in:ty => $out:ty, |$t:ident, $n:ident, $x:ident| $idiom:block plain $plain:block)*) => {
        /// The pairs of this file.
        pub(crate) const PAIRS: &[$crate::pair::Pair] = &[
            $($crate::pair::Pair { module: stringify!($module), title: $title, run: $module::run },)*
        ];
        $(
            mod $module {
                use warploom::prelude::*;

                #[inline(always)]
                #[allow(
                    unused_variables,
                    clippy::all,
                    clippy::panic,
                    clippy::unwrap_used,
                    reason = "bodies are what people write, and not every one needs all parameters"
                )]
                fn by_idiom($t: usize, $n: usize, $x: &[$in]) -> $out $idiom

                #[inline(always)]
                #[allow(
                    unused_variables,
                    clippy::all,
                    clippy::panic,
                    clippy::unwrap_used,
                    reason = "bodies are what people write, and not every one needs all parameters"
                )]
                fn by_counters($t: usize, $n: usize, $x: &[$in]) -> $out $plain

                #[kernel]
                fn idiom(i: Index1D, n: usize, x: &[$in], mut y: DisjointSlice<$out>) {
                    if let Some(y) = y.get_mut(i) {
                        *y = by_idiom(i.get(), n, x);
                    }
                }

                #[kernel]
                fn plain(i: Index1D, n: usize, x: &[$in], mut y: DisjointSlice<$out>) {
                    if let Some(y) = y.get_mut(i) {
                        *y = by_counters(i.get(), n, x);
                    }
                }

                pub(super) fn run(stream: &Stream) -> Result<(), Box<dyn std::error::Error>> {
                    use $crate::pair::{INPUTS, OUTPUTS, STEPS, Sample};
                    let x: Vec<$in> = (0..INPUTS).map(<$in>::sample).collect();
                    let x = stream.device().upload(&x)?;
                    let mut found = Vec::new();
                    for of_idiom in [true, false] {
                        let mut y = stream.device().upload(&vec![<$out>::default(); OUTPUTS])?;
                        let shape = Launch::covering(OUTPUTS);
                        if of_idiom {
                            idiom::launch(stream, shape, STEPS, &x, &mut y)?;
                        } else {
                            plain::launch(stream, shape, STEPS, &x, &mut y)?;
                        }
                        found.push(y.to_vec(stream)?);
                    }
                    $crate::pair::same(&found[0], &found[1])
                }
            }
        )*
    };
}
pub(crate) use pairs;
