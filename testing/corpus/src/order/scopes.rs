//! Scopes that do not reach the other thread.

use warploom::device_std::atomic::{AcqRel, Acquire, Atomic, Relaxed, Release, legacy, scope};
use warploom::prelude::*;

use crate::case::{case, cases, doubles, launch, noise};

/// A counter of all blocks, at the scope of one.
#[kernel]
fn counter_of_the_block<const BUG: bool>(i: Index1D, x: &[u32], counter: &[Atomic<u32>]) {
    if x[i.get()] >= 50 {
        if BUG {
            counter[0].at::<scope::Block>().fetch_add(1, Relaxed); //~ WL0121
        } else {
            counter[0].fetch_add(1, Relaxed);
        }
    }
}

/// CUDA's names: the suffix `_block`, in a histogram of the grid.
#[kernel]
fn histogram_of_the_block<const BUG: bool>(i: Index1D, x: &[u32], bins: &[Atomic<u32>]) {
    let bin = &bins[x[i.get()] as usize];
    if BUG {
        legacy::atomic_add_block(bin, 1); //~ WL0121
    } else {
        legacy::atomic_add(bin, 1);
    }
}

/// The greatest value, at the scope of a cluster, in two clusters.
#[kernel(cluster(2, 1, 1))]
fn maximum_of_the_cluster<const BUG: bool>(i: Index1D, x: &[u32], most: &[Atomic<u32>]) {
    let v = x[i.get()];
    if BUG {
        most[0].at::<scope::Cluster>().fetch_max(v, Relaxed); //~ WL0121
    } else {
        most[0].fetch_max(v, Relaxed);
    }
}

/// A sum of `f64` at the scope of the block.
#[kernel]
fn sum_of_the_block<const BUG: bool>(i: Index1D, x: &[f64], sum: &[Atomic<f64>]) {
    let v = x[i.get()];
    if BUG {
        sum[0].at::<scope::Block>().fetch_add(v, Relaxed); //~ WL0121
    } else {
        sum[0].fetch_add(v, Relaxed);
    }
}

/// One block adds at the scope of the device, the others at their own.
#[kernel]
fn one_scope_narrowed<const BUG: bool>(block: Block, total: &[Atomic<u64>]) {
    if block.index() == 0 || !BUG {
        total[0].fetch_add(1, AcqRel); //~ WL0121 second
    } else if block.index() == 1 {
        total[0].at::<scope::Block>().fetch_add(1, AcqRel); //~ WL0121 first
    }
}

/// Tickets by compare-and-exchange.
#[kernel]
fn tickets_of_the_block<const BUG: bool>(
    i: Index1D,
    next: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    let mut ticket = 0;
    while ticket < 1000 {
        let swapped = if BUG {
            let next = next[0].at::<scope::Block>();
            next.compare_exchange(ticket, ticket + 1, Release, Acquire) //~ WL0121
        } else {
            next[0].compare_exchange(ticket, ticket + 1, Release, Acquire)
        };
        match swapped {
            Ok(_) => break,
            Err(now) => ticket = now,
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = u32::from(ticket < 1000);
    }
}

cases!("scopes.rs":
    case!(counter_of_the_block, "narrow one scope", |run| {
        let x = noise(192);
        let (input, mut counter) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        launch!(run, counter_of_the_block, (3, 64), &input, counter.as_atomics());
        run.expect(&counter, |_| x.iter().filter(|&&v| v >= 50).count() as u32)
    }),
    case!(histogram_of_the_block, "narrow one scope, histogram", |run| {
        let x = noise(256);
        let (input, mut bins) = (run.upload(&x)?, run.zeroed::<u32>(100)?);
        launch!(run, histogram_of_the_block, (4, 64), &input, bins.as_atomics());
        run.expect(&bins, |bin| x.iter().filter(|&&v| v as usize == bin).count() as u32)
    }),
    case!(maximum_of_the_cluster, "narrow one scope", |run| {
        let x = noise(128);
        let (input, mut most) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        launch!(run, maximum_of_the_cluster, (4, 32), &input, most.as_atomics());
        run.expect(&most, |_| x.iter().copied().max().unwrap_or(0))
    }),
    case!(sum_of_the_block, "narrow one scope, reduce", |run| {
        let x = doubles(96);
        let (input, mut sum) = (run.upload(&x)?, run.zeroed::<f64>(1)?);
        launch!(run, sum_of_the_block, (3, 32), &input, sum.as_atomics());
        run.expect(&sum, |_| x.iter().sum())
    }),
    case!(one_scope_narrowed, "narrow one scope", |run| {
        let mut total = run.zeroed::<u64>(1)?;
        launch!(run, one_scope_narrowed, (3, 32), total.as_atomics());
        run.expect(&total, |_| 96)
    }),
    case!(tickets_of_the_block, "narrow one scope", |run| {
        let (mut next, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(96)?);
        launch!(run, tickets_of_the_block, (3, 32), next.as_atomics(), &mut y);
        run.expect(&y, |_| 1)
    }),
);
