//! Threads of a block that do different things: a report or wrong values, and never an access outside or a race.

use warploom::Device;
use warploom::prelude::*;
use warploom_algorithms::block::{BlockPieces, Pieces, RadixOrder};
use warploom_algorithms::block_storage;

/// What the emulator says of a launch of one block.
#[track_caller]
fn message(launched: Result<(), impl std::fmt::Display>, stream: &Stream) -> String {
    match launched {
        Ok(()) => stream
            .synchronize()
            .map_or_else(|error| error.to_string(), |()| String::new()),
        Err(error) => error.to_string(),
    }
}

/// The last warp leaves out a piece.
#[kernel(block(64))]
fn skipped(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let mut storage = block_storage!(block, 64, bytes: 1024);
    let mut items = [i.get() as u32, 1];
    if block.thread() < 32 {
        items = block.blocked_to_striped(&mut storage, items);
    }
    if let Some(y) = y.get_mut(i) {
        *y = items[0];
    }
    block.sync();
}

#[test]
fn a_piece_that_some_threads_leave_out_is_reported() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed(64).unwrap();
    let said = message(skipped::launch(&stream, (1, 64), &mut y), &stream);
    // Beside the warning that the threads met at barriers of different places: what the others would have written.
    assert!(
        said.contains("read of uninitialised shared memory"),
        "{said}"
    );
    assert!(said.contains("kernel `skipped` has 1 error"), "{said}");
}

/// Warps use the storage for pieces of different types, which have equally many barriers.
#[kernel(block(64))]
fn different(block: Block, i: Index1D, mut y: DisjointSlice<[u64; 2]>) {
    let mut storage = block_storage!(block, 64, bytes: 4096);
    let items = [i.get() as u64; 2];
    let result = if block.thread() < 32 {
        block.blocked_to_striped(&mut storage, items)
    } else {
        let [a, b] = items.map(|item| item as u8);
        block
            .left_neighbours(&mut storage, [a, b], 3)
            .map(u64::from)
    };
    if let Some(y) = y.get_mut(i) {
        *y = result;
    }
}

#[test]
fn different_pieces_of_two_warps_are_reported_and_do_not_race() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed(64).unwrap();
    let said = message(different::launch(&stream, (1, 64), &mut y), &stream);
    // As above.
    assert!(said.contains("kernel `different` has 1 error"), "{said}");
    assert!(
        said.contains("read of uninitialised shared memory"),
        "{said}"
    );
}

/// A block of another size than its storage is for.
#[kernel]
fn of_256(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let mut storage = block_storage!(block, 256, bytes: 16384);
    let [item] = block.radix_sort(&mut storage, [i.get() as u32], RadixOrder::DESCENDING);
    if let Some(y) = y.get_mut(i) {
        *y = item;
    }
}

#[test]
fn a_storage_for_another_block_is_a_panic_in_the_kernel() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed(256).unwrap();
    assert_eq!(
        message(of_256::launch(&stream, (1, 256), &mut y), &stream),
        ""
    );
    for threads in [32, 255, 512] {
        let said = message(of_256::launch(&stream, (1, threads), &mut y), &stream);
        assert!(
            said.contains("another number of threads"),
            "{threads}: {said}"
        );
    }
}

/// The second half of the block has returned.
#[kernel(block(64))]
fn half(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let mut storage = block_storage!(block, 64, bytes: 4096);
    if block.thread() >= 32 {
        return;
    }
    let items = block.left_neighbours(&mut storage, [i.get() as u32], 7);
    let [item] = block.merge_sort(&mut storage, items, |a, b| a > b);
    if let Some(y) = y.get_mut(i) {
        *y = item;
    }
}

#[test]
fn threads_that_returned_are_not_waited_for_and_their_items_are_reported() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed(64).unwrap();
    let said = message(half::launch(&stream, (1, 64), &mut y), &stream);
    assert!(said.contains("kernel `half` has"), "{said}");
    assert!(
        said.contains("read of uninitialised shared memory"),
        "{said}"
    );
}

/// As [`half`], where the memory holds large words before the second warp returns: a sort takes them for its counts.
#[kernel(block(64))]
fn half_of_a_sort(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let mut storage = block_storage!(block, 64, bytes: 4096);
    let large = block.blocked_to_striped(&mut storage, [u32::MAX - 4095; 8]);
    if block.thread() >= 32 {
        return;
    }
    let items = block.radix_sort(&mut storage, large, RadixOrder::ASCENDING);
    if let Some(y) = y.get_mut(i) {
        *y = items[7];
    }
}

#[test]
fn a_sort_writes_nothing_outside_of_its_memory_when_threads_have_returned() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed(64).unwrap();
    let said = message(half_of_a_sort::launch(&stream, (1, 64), &mut y), &stream);
    assert!(!said.contains("panicked"), "{said}");
}
