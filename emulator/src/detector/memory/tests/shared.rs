//! Shared memory.

use super::*;

struct Tile;

static TILE: SharedKey = SharedKey::new(TypeId::of::<Tile>(), "shared array");

struct Other;

static OTHER: SharedKey = SharedKey::new(TypeId::of::<Other>(), "shared array");

fn array(key: &'static SharedKey, bytes: usize) -> usize {
    // SAFETY: only its address is used.
    unsafe { intrinsics::shared_static(key, bytes, 16) }.addr()
}

#[test]
fn accesses_within_shared_arrays_are_right() {
    let shape = Shape {
        dynamic_shared_bytes: 36,
        ..Shape::new([2, 1, 1], [1, 1, 1])
    };
    let outcome = run_on(shape, || {
        // SAFETY: only its address is used.
        let dynamic = unsafe { intrinsics::dynamic_shared() }.addr();
        for (start, bytes) in [
            (array(&TILE, 132), 132),
            (array(&OTHER, 4), 4),
            (dynamic, 36),
        ] {
            let own = (0..bytes / 4).filter(|i| i % 4 == intrinsics::thread_idx_x() as usize);
            own.for_each(|i| write(start + 4 * i, 4));
        }
    });
    assert_eq!(outcome.reports, []);
}

#[test]
fn an_index_past_a_shared_array_is_out_of_bounds_although_another_follows() {
    let report = finding(|| {
        let tile = array(&TILE, 128);
        array(&OTHER, 128);
        read(tile + 128, 4);
    });
    assert_eq!(report.code, Code::SHARED_BOUNDS);
    assert_eq!(
        report.title,
        "out of bounds in shared memory: just past the end of a shared array of 128 bytes"
    );
    assert!(
        report.sides[0]
            .did
            .ends_with("element 32 of 32 if they have 4 bytes")
    );
}

#[test]
fn an_index_before_shared_memory_is_out_of_bounds() {
    let report = finding(|| read(array(&TILE, 64) - 8, 8));
    assert_eq!(report.code, Code::SHARED_BOUNDS);
    assert!(
        report.title.contains("8 bytes before the start"),
        "{}",
        report.title
    );
}

#[test]
fn a_vector_that_leaves_a_shared_array_is_out_of_bounds() {
    let report = finding(|| read(array(&TILE, 24) + 16, 16));
    assert_eq!(report.code, Code::SHARED_BOUNDS);
    assert!(
        report.title.contains("the last 8 bytes past the end"),
        "{}",
        report.title
    );
}

#[test]
fn dynamic_shared_memory_ends_where_the_launch_says() {
    let shape = Shape {
        dynamic_shared_bytes: 60,
        ..Shape::new([1, 1, 1], [1, 1, 1])
    };
    let outcome = run_on(shape, || {
        // SAFETY: only its address is used.
        let dynamic = unsafe { intrinsics::dynamic_shared() }.addr();
        write(dynamic + 56, 4);
        write(dynamic + 60, 4);
    });
    assert_eq!(outcome.reports.len(), 1);
    assert!(
        outcome.reports[0]
            .title
            .contains("dynamic shared memory of 60 bytes")
    );
}

#[test]
fn shared_memory_must_be_aligned() {
    let report = finding(|| read(array(&TILE, 64) + 4, 8));
    assert_eq!(report.code, Code::MISALIGNED);
}
