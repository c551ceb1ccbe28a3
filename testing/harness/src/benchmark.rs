//! A benchmark is data: what runs, against which twin, at which sizes, what it moves or computes, what is expected.

/// One algorithm, written in Rust and once more for the peer. `R` is the function that runs, verifies and times both.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark<R> {
    /// Name of the row, and of the kernel.
    pub name: &'static str,
    /// Under what the table shows it, with others of its kind.
    pub group: &'static str,
    /// The same algorithm on the other side.
    pub twin: Twin,
    /// What a size counts: elements, rows, bodies, launches.
    pub unit: &'static str,
    /// Sizes that are measured on a GPU.
    pub sizes: &'static [u64],
    /// A size at which the emulator verifies the Rust side in little time.
    pub small: u64,
    /// What one run of a size must move or compute.
    pub traffic: fn(u64) -> Traffic,
    /// What keeps it from being faster.
    pub bound: Bound,
    /// What is expected, and why; written before the measurement.
    pub prediction: &'static str,
    /// Runs, verifies and times one size.
    pub run: R,
}

/// Where the peer's code is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Twin {
    /// File name of the CUDA C++ source in `benches/cuda`, without the extension.
    pub file: &'static str,
    /// Name of the `extern "C"` kernel in it.
    pub function: &'static str,
    /// What the peer is called in the table.
    pub peer: &'static str,
}

impl Twin {
    /// The twin of a kernel: `benches/cuda/<name>.cu` with a kernel of the same name, compiled by nvcc.
    #[must_use]
    pub const fn cuda(name: &'static str) -> Self {
        Self::of(name, name)
    }

    /// One of several kernels in `benches/cuda/<file>.cu`, compiled by nvcc.
    #[must_use]
    pub const fn of(file: &'static str, function: &'static str) -> Self {
        Self {
            file,
            function,
            peer: NVCC,
        }
    }
}

/// What the table calls a twin in CUDA C++.
pub const NVCC: &str = "nvcc -O3";

/// The work that one run must do, whatever the code looks like.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Traffic {
    /// Bytes read and written in device memory.
    Bytes(u64),
    /// Floating-point operations; a fused multiply-add counts as two.
    Flops(u64),
    /// Neither: the time itself is the result.
    None,
}

impl Traffic {
    /// The bytes, if bytes are what counts.
    #[must_use]
    pub fn bytes(self) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Flops(_) | Self::None => None,
        }
    }

    /// The operations, if operations are what counts.
    #[must_use]
    pub fn flops(self) -> Option<u64> {
        match self {
            Self::Flops(flops) => Some(flops),
            Self::Bytes(_) | Self::None => None,
        }
    }
}

/// What keeps both sides of a benchmark from being faster, as counted before the measurement, each with the reason; bandwidth needs none.
///
/// By Little's law an H200 has its bandwidth only while enough is under way: 4.8 TB/s at 0.8 µs are 3.8 MB, 29 KB for each of its 132 multiprocessors.
/// A multiprocessor has 2048 threads at most. One load of 4 bytes each is 8 KiB, and one of 16 bytes 32 KiB.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Bound {
    /// Device memory: such a kernel is to have [`SHARE`] of the speed of a copy at its largest size.
    Bandwidth,
    /// Waiting for device memory, with too little under way to fill it.
    Latency(&'static str),
    /// Arithmetic units, and the registers that feed them.
    Compute(&'static str),
    /// Atomic operations that meet at few places, or are all over memory.
    Atomics(&'static str),
    /// Shared memory, the read-only cache, and barriers around them.
    SharedMemory(&'static str),
    /// Accesses without an order: most of each transaction is for nothing.
    Irregular(&'static str),
    /// The host, the driver or the bus.
    Host(&'static str),
}

/// Of the speed of a copy, what a kernel that is bound by bandwidth is to have at least.
pub const SHARE: f64 = 0.95;

impl Bound {
    /// In a word or two, as the table has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bandwidth => "bandwidth",
            Self::Latency(_) => "latency",
            Self::Compute(_) => "compute",
            Self::Atomics(_) => "atomics",
            Self::SharedMemory(_) => "shared memory",
            Self::Irregular(_) => "irregular",
            Self::Host(_) => "host",
        }
    }

    /// Why it is not bandwidth.
    #[must_use]
    pub fn why(self) -> Option<&'static str> {
        match self {
            Self::Bandwidth => None,
            Self::Latency(why)
            | Self::Compute(why)
            | Self::Atomics(why)
            | Self::SharedMemory(why)
            | Self::Irregular(why)
            | Self::Host(why) => Some(why),
        }
    }
}

/// Times of both sides in milliseconds, in the order in which they were taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// The Rust kernel.
    pub ours_ms: Vec<f64>,
    /// The peer.
    pub peer_ms: Vec<f64>,
    /// The Rust kernel written with `unsafe`; empty if there is none.
    pub unchecked_ms: Vec<f64>,
}

/// How often both sides run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Repetitions {
    /// Runs of each side whose times are thrown away.
    pub warm_up: usize,
    /// Runs of each side that count.
    pub measured: usize,
}

/// Runs ours, peer, ours, peer, …; each function returns its own time in milliseconds.
///
/// Whatever changes slowly during the run (clocks, temperature, other users of the machine) meets both sides alike.
///
/// # Errors
/// The first error of either function.
pub fn interleave<E>(
    repetitions: Repetitions,
    mut ours: impl FnMut() -> Result<f64, E>,
    mut peer: impl FnMut() -> Result<f64, E>,
) -> Result<Times, E> {
    in_turn(repetitions, &mut [&mut ours, &mut peer])
}

/// A run of one side, which returns its time in milliseconds.
pub type Timed<'a, E> = &'a mut dyn FnMut() -> Result<f64, E>;

/// As [`interleave`], for up to three sides in the order of the fields of [`Times`].
///
/// # Errors
/// The first error of any side.
pub fn in_turn<E>(repetitions: Repetitions, sides: &mut [Timed<'_, E>]) -> Result<Times, E> {
    for _ in 0..repetitions.warm_up {
        for side in &mut *sides {
            side()?;
        }
    }
    let mut times = Times::default();
    let Times {
        ours_ms,
        peer_ms,
        unchecked_ms,
    } = &mut times;
    for _ in 0..repetitions.measured {
        let lists = [&mut *ours_ms, &mut *peer_ms, &mut *unchecked_ms];
        for (side, list) in sides.iter_mut().zip(lists) {
            list.push(side()?);
        }
    }
    Ok(times)
}

/// Up to `most` places below `len`: all of them, or the first, the last and others without a pattern.
pub fn places(len: usize, most: usize) -> impl Iterator<Item = usize> {
    /// 2^64 by the golden ratio: its multiples are all over the numbers of 64 bit.
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let count = len.min(most);
    let place = move |i: usize| {
        let part = u128::from((i as u64).wrapping_mul(STEP));
        match i {
            i if count == len => i,
            1 => len - 1,
            _ => ((part * len as u128) >> 64) as usize,
        }
    };
    (0..count).map(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn sides_alternate_and_the_warm_up_is_dropped() {
        let order = RefCell::new(String::new());
        let run = |side: char| {
            order.borrow_mut().push(side);
            Ok::<_, ()>(order.borrow().len() as f64)
        };
        let repetitions = Repetitions {
            warm_up: 1,
            measured: 2,
        };
        let times = interleave(repetitions, || run('o'), || run('p')).unwrap();
        assert_eq!(order.into_inner(), "opopop");
        assert_eq!(
            times,
            Times {
                ours_ms: vec![3.0, 5.0],
                peer_ms: vec![4.0, 6.0],
                unchecked_ms: Vec::new(),
            }
        );
    }

    #[test]
    fn a_third_side_takes_its_turn() {
        let order = RefCell::new(String::new());
        let run = |side: char| {
            order.borrow_mut().push(side);
            Ok::<_, ()>(order.borrow().len() as f64)
        };
        let repetitions = Repetitions {
            warm_up: 0,
            measured: 2,
        };
        let times = in_turn(
            repetitions,
            &mut [&mut || run('o'), &mut || run('p'), &mut || run('u')],
        )
        .unwrap();
        assert_eq!(order.into_inner(), "opuopu");
        assert_eq!(times.unchecked_ms, [3.0, 6.0]);
    }

    #[test]
    fn the_first_error_ends_the_run() {
        let repetitions = Repetitions {
            warm_up: 0,
            measured: 3,
        };
        assert_eq!(
            interleave(repetitions, || Ok(1.0), || Err("peer")),
            Err("peer")
        );
    }
}
