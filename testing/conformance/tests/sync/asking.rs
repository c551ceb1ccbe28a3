//! Barriers that ask all threads, and give each the same answer.

use warploom::prelude::*;
use warploom_harness::device_test::check;

#[kernel]
fn ask(block: Block, i: Index1D, limits: &[u32], mut y: DisjointSlice<[u32; 12]>) {
    let t = block.thread() as u32;
    let mut answers = [0; 12];
    for (k, limit) in limits.iter().enumerate() {
        if k < 4 {
            answers[3 * k] = block.sync_count(t < *limit);
            answers[3 * k + 1] = u32::from(block.sync_all(t < *limit));
            answers[3 * k + 2] = u32::from(block.sync_any(t < *limit));
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = answers;
    }
}

//@ rows: SY-2, SY-3, SY-4, GSY-3, GSY-4, GSY-5
#[test]
fn none_some_all_but_one_all() {
    for block in [128u32, 96, 70, 33, 1] {
        let limits = [0, block / 2, block - 1, block];
        let mut answers = [0; 12];
        for (k, limit) in limits.into_iter().enumerate() {
            answers[3 * k] = limit;
            answers[3 * k + 1] = u32::from(limit == block);
            answers[3 * k + 2] = u32::from(limit > 0);
        }
        let expected = vec![answers; 3 * block as usize];
        check(&expected, |device, stream| {
            let mut y = device.zeroed(expected.len())?;
            ask::launch(stream, (3, block), &device.upload(&limits)?, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// Every third thread leaves before the question, among them whole answers.
#[kernel]
fn ask_those_left(block: Block, i: Index1D, mut y: DisjointSlice<[u32; 3]>) {
    let t = block.thread() as u32;
    if t % 3 == 1 || t / 32 == 1 {
        return;
    }
    let answers = [
        block.sync_count(t.is_multiple_of(2)),
        u32::from(block.sync_all(t % 3 != 1)),
        u32::from(block.sync_any(t % 3 == 1)),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = answers;
    }
}

//@ rows: SY-2, SY-3, SY-4
#[test]
fn threads_that_returned_are_not_asked() {
    let block = 106u32;
    let stays = |t: u32| t % 3 != 1 && t / 32 != 1;
    let count = (0..block).filter(|t| stays(*t) && t % 2 == 0).count() as u32;
    let expected: Vec<[u32; 3]> = (0..2 * block)
        .map(|i| {
            if stays(i % block) {
                [count, 1, 0]
            } else {
                [0; 3]
            }
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        ask_those_left::launch(stream, (2, block), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// The question is a barrier like any other: it orders memory.
#[kernel]
fn ask_and_read(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    use std::sync::atomic::Ordering::Relaxed;
    let slots = shared_array!(u32, 96);
    let t = block.thread();
    slots.atomic(t).store(t as u32, Relaxed);
    let n = block.sync_count(true);
    let first = slots.atomic(95 - t).load(Relaxed);
    let all = block.sync_all(true);
    slots.atomic(t).store(first + n, Relaxed);
    let any = block.sync_any(true);
    let second = slots.atomic((t + 40) % 96).load(Relaxed);
    if let Some(y) = y.get_mut(i) {
        *y = second + u32::from(all) * 1000 + u32::from(any) * 2000;
    }
}

//@ rows: SY-2, SY-3, SY-4, GSY-3, GSY-4, GSY-5
#[test]
fn a_question_orders_memory() {
    let expected: Vec<u32> = (0..2 * 96)
        .map(|i| 95 - (i % 96 + 40) % 96 + 96 + 3000)
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        ask_and_read::launch(stream, (2, 96), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
