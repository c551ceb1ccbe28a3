//! Fields of a vector that are accessed one after the other: one access, as NVIDIA's compiler makes of them.

use super::*;

/// Reads of the fields of `n` elements of 4 bytes, from `address` on, by code that knows it to be aligned to `align` bytes. Line 1 and on.
fn fields(block: u64, t: u32, address: u64, n: u32, align: u32) -> Vec<Access> {
    let known = |offset: u32| match offset {
        0 => align,
        _ => align.min(1 << offset.trailing_zeros()),
    };
    let field = |k: u32| Access {
        align: known(4 * k),
        ..at_line(1 + k, read(block, t, address + 4 * u64::from(k)))
    };
    (0..n).map(field).collect()
}

/// Requests and sectors of each line.
fn sectors(profile: &Profile) -> Vec<(u32, u64, u64)> {
    let lines = profile.lines.iter().filter(|line| line.requests > 0);
    let of = lines.map(|line| (line.line, line.requests, line.sectors.sum));
    of.collect()
}

fn vector_at(block: u64, t: u32, bytes: u64) -> u64 {
    GLOBAL + bytes * (32 * block + u64::from(t))
}

#[test]
fn fields_of_an_aligned_vector_are_one_access() {
    for (n, bytes) in [(2, 8), (4, 16)] {
        let profile = run(64, 32, 1, |block, _, t| {
            fields(block, t, vector_at(block, t, bytes), n, bytes as u32)
        });
        assert_eq!(codes(&profile), [], "{n} fields");
        assert_eq!(sectors(&profile), [(1, 64, 64 * bytes)], "{n} fields");
        assert_eq!(profile.lines[0].bytes, 64 * 32 * bytes);
    }
}

#[test]
fn writes_of_fields_are_one_access_too() {
    let profile = run(64, 32, 1, |block, _, t| {
        let fields = fields(block, t, vector_at(block, t, 16), 4, 16);
        fields.into_iter().map(write).collect()
    });
    assert_eq!(sectors(&profile), [(1, 64, 64 * 16)]);
    assert_eq!(codes(&profile), []);
}

#[test]
fn a_structure_of_twice_the_width_is_two_accesses() {
    let profile = run(64, 32, 1, |block, _, t| {
        fields(block, t, vector_at(block, t, 32), 8, 32)
    });
    // Each of the two touches half of all sectors that it could fill.
    assert_eq!(sectors(&profile), [(1, 64, 64 * 32), (5, 64, 64 * 32)]);
}

#[test]
fn fields_without_the_alignment_are_accesses_of_their_own() {
    let profile = run(64, 32, 1, |block, _, t| {
        fields(block, t, vector_at(block, t, 16), 4, 4)
    });
    assert_eq!(codes(&profile), [Code::UNCOALESCED; 4]);
    assert!(notes(&profile.reports()[0], "help").contains("as one vector"));
}

#[test]
fn fields_of_two_vectors_may_be_read_in_turns() {
    let profile = run(64, 32, 1, |block, _, t| {
        let at = vector_at(block, t, 16);
        let (a, b) = (
            fields(block, t, at, 4, 16),
            fields(block, t, at + 0x10_0000, 4, 16),
        );
        let b = b
            .into_iter()
            .zip(11..)
            .map(|(one, line)| at_line(line, one));
        a.into_iter().zip(b).flat_map(|(a, b)| [a, b]).collect()
    });
    assert_eq!(sectors(&profile), [(1, 64, 64 * 16), (11, 64, 64 * 16)]);
}

#[test]
fn a_synchronisation_ends_a_vector() {
    let profile = run(64, 32, 2, |block, interval, t| {
        let fields = fields(block, t, vector_at(block, t, 16), 4, 16);
        let (first, last) = fields.split_at(2);
        [first, last][interval as usize].to_vec()
    });
    // Each of the two has 8 bytes, 16 bytes apart.
    assert_eq!(sectors(&profile), [(1, 64, 64 * 16), (3, 64, 64 * 16)]);
}

#[test]
fn a_loop_over_vectors_has_a_request_in_each_iteration() {
    let profile = run(8, 32, 1, |block, _, t| {
        let row = |k: u64| vector_at(block, t, 16) + k * 0x1_0000;
        (0..600)
            .flat_map(|k| fields(block, t, row(k), 4, 16))
            .collect()
    });
    assert_eq!(sectors(&profile), [(1, 8 * 600, 8 * 600 * 16)]);
}

#[test]
fn vectors_in_shared_memory_are_served_by_quarter_warps() {
    let profile = run(64, 32, 1, |block, _, t| {
        let fields = fields(block, t, 1024 + 16 * u64::from(t), 4, 16);
        fields.into_iter().map(shared).collect()
    });
    let line = &profile.lines[0];
    assert_eq!(
        (profile.lines.len(), line.passes.sum, line.ways),
        (1, 64 * 4, 1)
    );
    assert_eq!(codes(&profile), []);
}
