//! The keys of `radixsort2` sorted by the host, for comparison: by std's `sort_unstable` on one thread, by rayon's on all.
//!
//! `cpu_sort N` prints a line for each: what is sorted, by what, and milliseconds, with tabs between.
#![expect(clippy::print_stdout, reason = "its times are what it is for")]

use std::error::Error;
use std::time::Instant;

use rayon::slice::ParallelSliceMut;

#[path = "../src/noise.rs"]
mod noise;

fn main() -> Result<(), Box<dyn Error>> {
    let n = std::env::args().nth(1).ok_or("how many keys?")?.parse()?;
    let integers: Vec<u32> = noise::noise(n).collect();
    let one_thread = |keys: &mut [u32]| keys.sort_unstable();
    let all_threads = |keys: &mut [u32]| keys.par_sort_unstable();
    time(
        "unsigned int keys",
        &integers,
        one_thread,
        all_threads,
        u32::le,
    )?;
    let floats: Vec<f32> = noise::noise(n)
        .map(|x| (x >> 8) as f32 / 16_777_216.0)
        .collect();
    let one_thread = |keys: &mut [f32]| keys.sort_unstable_by(f32::total_cmp);
    let all_threads = |keys: &mut [f32]| keys.par_sort_unstable_by(f32::total_cmp);
    time("float keys", &floats, one_thread, all_threads, f32::le)
}

/// Sorts a copy of the keys both ways.
fn time<K: Copy>(
    case: &str,
    keys: &[K],
    one_thread: impl Fn(&mut [K]),
    all_threads: impl Fn(&mut [K]),
    in_order: impl Fn(&K, &K) -> bool,
) -> Result<(), Box<dyn Error>> {
    let timed = |by: &str, sort: &dyn Fn(&mut [K])| {
        let mut sorted = keys.to_vec();
        let started = Instant::now();
        sort(&mut sorted);
        let ms = started.elapsed().as_secs_f64() * 1e3;
        if !sorted.is_sorted_by(&in_order) {
            return Err(format!("{case} are not in order after {by}"));
        }
        println!("{case}\t{by}\t{ms:.6}");
        Ok(())
    };
    let threads = rayon::current_num_threads();
    timed("std, one thread", &one_thread)?;
    timed(&format!("rayon, {threads} threads"), &all_threads)?;
    Ok(())
}
