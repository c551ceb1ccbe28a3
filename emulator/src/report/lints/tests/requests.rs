//! Sectors and bank conflicts, counted by hand.

use super::super::SECTOR_BYTES;
use super::super::request::{Passes, Request, Sectors};
use super::super::stride::{Pattern, padding};
use super::*;

/// Lanes of `mask`; lane l at `start + l * stride`.
fn strided(start: u64, stride: u64, bytes: u32, mask: u32) -> Request {
    let mut request = Request::new(bytes);
    for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
        request.add(lane, start + u64::from(lane) * stride);
    }
    request
}

fn sectors(request: &Request) -> (u64, u64) {
    let Sectors { touched, ideal, .. } = request.sectors();
    (touched, ideal)
}

fn passes(request: &Request) -> (u64, u64, u32) {
    let Passes { made, ideal, ways } = request.passes();
    (made, ideal, ways)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[test]
fn strides_of_floats_touch_as_many_sectors_as_they_span() {
    for stride in 1..=33 {
        // Up to 8 floats the lanes leave out no sector; from there on each lane has one of its own.
        let touched = if stride < 8 { 31 * stride / 8 + 1 } else { 32 };
        let request = strided(GLOBAL, 4 * stride, 4, u32::MAX);
        assert_eq!(sectors(&request), (touched, 4), "stride {stride}");
    }
}

//@ rows: GCC-22, GPFM-2, GPFM-9
#[test]
fn strides_of_floats_conflict_by_the_common_divisor_with_32() {
    for stride in 1..=33 {
        let ways = gcd(32, stride);
        let request = strided(1024, 4 * stride, 4, u32::MAX);
        assert_eq!(passes(&request), (ways, 1, ways as u32), "stride {stride}");
    }
}

#[test]
fn neighbouring_elements_of_any_width_fill_their_sectors() {
    for (bytes, touched) in [(1, 1), (2, 2), (4, 4), (8, 8), (16, 16)] {
        let request = strided(GLOBAL, bytes, bytes as u32, u32::MAX);
        assert_eq!(sectors(&request), (touched, touched), "{bytes} bytes");
    }
}

//@ rows: GPFM-10
#[test]
fn neighbouring_elements_of_any_width_have_no_conflicts() {
    // 8 bytes go by half-warps, 16 bytes by quarter-warps.
    for (bytes, made) in [(1, 1), (2, 1), (4, 1), (8, 2), (16, 4)] {
        let request = strided(0, bytes, bytes as u32, u32::MAX);
        assert_eq!(passes(&request), (made, made, 1), "{bytes} bytes");
    }
}

#[test]
fn wide_elements_conflict_within_their_part_of_the_warp() {
    // Every second double: 16 lanes with 32 words in 16 banks, twice.
    assert_eq!(passes(&strided(0, 16, 8, u32::MAX)), (4, 2, 2));
    // Every second vector of 16 bytes: 8 lanes with 32 words in 16 banks, four times.
    assert_eq!(passes(&strided(0, 32, 16, u32::MAX)), (8, 4, 2));
}

#[test]
fn strides_of_wide_elements_conflict_by_the_common_divisor_with_their_part() {
    // A half-warp of 8 bytes has 16 pairs of banks, a quarter-warp of 16 bytes 8 groups of four.
    for (bytes, lanes) in [(8, 16), (16, 8)] {
        let parts = 32 / lanes;
        for stride in 1..=33 {
            let ways = gcd(lanes, stride);
            let request = strided(1024, bytes * stride, bytes as u32, u32::MAX);
            let expected = (parts * ways, parts, ways as u32);
            assert_eq!(passes(&request), expected, "{bytes} bytes, stride {stride}");
        }
    }
}

#[test]
fn lanes_of_a_part_share_a_wide_word() {
    for (bytes, parts) in [(8, 2), (16, 4)] {
        let request = strided(1024, 0, bytes, u32::MAX);
        assert_eq!(passes(&request), (parts, parts, 1), "{bytes} bytes");
    }
    // Neighbours in pairs: 8 words of 8 bytes for each half-warp.
    let mut pairs = Request::new(8);
    for lane in 0..32 {
        pairs.add(lane, 8 * u64::from(lane / 2));
    }
    assert_eq!(passes(&pairs), (2, 2, 1));
}

#[test]
fn a_request_that_is_moved_by_sectors_costs_the_same() {
    for (stride, bytes) in [(4, 4), (12, 4), (24, 8), (16, 16), (3, 1), (128, 4)] {
        for mask in [u32::MAX, 0x0ff0_1234, 1] {
            let before = strided(1028 & !(bytes - 1), stride, bytes as u32, mask);
            for by in [32, 64, 4096, 96] {
                let after = strided((1028 & !(bytes - 1)) + by, stride, bytes as u32, mask);
                let is_moved = |a: &Request, b| a.is_moved(b, SECTOR_BYTES);
                assert!(is_moved(&after, &before) && is_moved(&before, &after));
                assert_eq!(after.sectors(), before.sectors());
                assert_eq!(after.passes(), before.passes());
            }
        }
    }
    let before = strided(1024, 4, 4, u32::MAX);
    for other in [
        strided(1028, 4, 4, u32::MAX),
        strided(1024, 8, 4, u32::MAX),
        strided(1024, 4, 8, u32::MAX),
        strided(1024, 4, 4, 0xffff),
    ] {
        assert!(!other.is_moved(&before, SECTOR_BYTES));
    }
}

#[test]
fn a_request_that_is_moved_by_words_takes_the_same_passes() {
    for (stride, bytes) in [
        (4, 4),
        (12, 4),
        (24, 8),
        (16, 16),
        (3, 1),
        (6, 2),
        (128, 4),
        (4, 8),
        (12, 12),
    ] {
        for mask in [u32::MAX, 0x0ff0_1234, 1] {
            let before = strided(1056, stride, bytes, mask);
            let step = before.step_of_banks();
            for by in (0..9).map(|n| n * step) {
                let after = strided(1056 + by, stride, bytes, mask);
                assert!(after.is_moved(&before, step), "{stride} {bytes} {by}");
                assert_eq!(after.passes(), before.passes(), "{stride} {bytes} {by}");
                assert_eq!(after.instructions(), before.instructions());
            }
        }
    }
    let one = |bytes| strided(1024, 16, bytes, u32::MAX).step_of_banks();
    assert_eq!([1, 2, 4, 8, 16, 12].map(one), [4, 4, 4, 8, 16, 32]);
    let before = strided(1024, 4, 4, u32::MAX);
    assert!(!strided(1026, 4, 4, u32::MAX).is_moved(&before, before.step_of_banks()));
}

#[test]
fn parts_without_lanes_take_no_pass() {
    // Lanes 0 to 7 of 16 bytes each: one quarter-warp. Two lanes in each half-warp of 8 bytes.
    assert_eq!(passes(&strided(0, 16, 16, 0xff)), (1, 1, 1));
    assert_eq!(passes(&strided(0, 8, 8, 0x3_0003)), (2, 2, 1));
}

#[test]
fn words_of_different_parts_never_conflict() {
    // Lanes 0 to 15 and 16 to 31 take the same banks, in passes of their own.
    let mut request = strided(0, 8, 8, 0xffff);
    for lane in 16..32 {
        request.add(lane, 4096 + 8 * u64::from(lane - 16));
    }
    assert_eq!(passes(&request), (2, 2, 1));
}

#[test]
fn conflicts_of_doubles_are_reported_by_their_half_warps() {
    let every = |stride: u64| {
        run(64, 32, 1, move |block, _, t| {
            let access = shared(read(block, t, 1024 + 8 * stride * u64::from(t)));
            vec![Access {
                bytes: 8,
                align: 8,
                ..access
            }]
        })
    };
    assert_eq!(codes(&every(1)), []);
    assert_eq!(codes(&every(3)), []);
    let found = report(&every(2), Code::BANK_CONFLICT);
    assert_eq!(
        found.title,
        "2-way bank conflict in shared memory: each read takes 4 passes where 2 would do"
    );
}

#[test]
fn a_start_within_a_sector_costs_one_more() {
    assert_eq!(sectors(&strided(GLOBAL + 4, 4, 4, u32::MAX)), (5, 4));
    assert_eq!(sectors(&strided(GLOBAL + 132, 4, 4, u32::MAX)), (5, 4));
    assert_eq!(sectors(&strided(GLOBAL + 1, 1, 1, u32::MAX)), (2, 1));
}

//@ rows: GPFM-8
#[test]
fn lanes_at_one_address_share_it() {
    let request = strided(GLOBAL, 0, 4, u32::MAX);
    assert_eq!(sectors(&request), (1, 1));
    assert_eq!(passes(&request), (1, 1, 1));
    assert_eq!(Pattern::of(&request), Pattern::Same);
}

//@ rows: GCC-22, GPFM-8, GPFM-10
#[test]
fn bytes_of_one_word_are_no_conflict() {
    let mut request = strided(0, 1, 1, u32::MAX);
    assert_eq!(passes(&request), (1, 1, 1));
    // Lane 31 goes to another word of bank 0.
    request.add(31, 128);
    assert_eq!(passes(&request), (2, 1, 2));
}

#[test]
fn half_a_warp_needs_half() {
    assert_eq!(sectors(&strided(GLOBAL, 4, 4, 0xffff)), (2, 2));
    assert_eq!(passes(&strided(0, 8, 4, 0xffff)), (1, 1, 1));
    assert_eq!(passes(&strided(0, 16, 16, 0xffff)), (2, 2, 1));
}

#[test]
fn every_second_lane_fetches_twice_what_it_wants() {
    let request = strided(GLOBAL, 4, 4, 0x5555_5555);
    assert_eq!(sectors(&request), (4, 2));
    assert_eq!(request.sectors().wanted, 64);
    assert_eq!(Pattern::of(&request), Pattern::Stride(4));
}

//@ rows: GPFM-10
#[test]
fn a_structure_is_read_piece_by_piece() {
    // 24 bytes: three instructions of 8; each spans 24 sectors and wants 256 bytes.
    let request = strided(GLOBAL, 24, 24, u32::MAX);
    assert_eq!((request.unit(), sectors(&request)), (8, (72, 24)));
    // Three floats: three instructions of 4, at a stride of three words.
    let request = strided(0, 12, 12, u32::MAX);
    assert_eq!((request.unit(), passes(&request)), (4, (3, 3, 1)));
}

//@ rows: P-20
#[test]
fn the_up_sweep_of_a_scan_conflicts_as_the_book_says() {
    let ways = |level: u32| {
        let offset = 1 << level;
        let mut request = Request::new(4);
        for t in 0..(256 / offset).min(32) {
            request.add(t as u32, 4 * (offset * (2 * t + 1) - 1));
        }
        request.passes().ways
    };
    let ways: Vec<_> = (0..9).map(ways).collect();
    assert_eq!(ways, [2, 4, 8, 16, 16, 8, 4, 2, 1]);
}

#[test]
fn patterns_name_the_distance_of_most_lanes() {
    assert_eq!(
        Pattern::of(&strided(0, 12, 4, u32::MAX)),
        Pattern::Stride(12)
    );
    assert_eq!(Pattern::of(&strided(0, 12, 4, 1 << 7)), Pattern::Alone);
    // Tile of 16 columns: two rows of 16 lanes, the second one 4 KiB further.
    let mut rows = strided(0, 64, 4, u32::MAX);
    for lane in 16..32 {
        rows.add(lane, 4096 + u64::from(lane - 16) * 64);
    }
    assert_eq!(
        Pattern::of(&rows),
        Pattern::Mostly {
            stride: 64,
            run: 16
        }
    );
    let mut wild = Request::new(4);
    for lane in 0..32 {
        wild.add(lane, u64::from(lane * lane * 4));
    }
    assert_eq!(Pattern::of(&wild), Pattern::Irregular);
}

#[test]
fn downward_strides_are_negative() {
    let mut request = Request::new(4);
    for lane in 0..32 {
        request.add(lane, 1024 - 4 * u64::from(lane));
    }
    assert_eq!(Pattern::of(&request), Pattern::Stride(-4));
    assert_eq!(sectors(&request), (5, 4));
}

#[test]
fn one_element_of_padding_cures_a_column() {
    assert_eq!(padding(&strided(0, 128, 4, u32::MAX)), Some((32, 1, 1)));
    assert_eq!(padding(&strided(0, 128, 8, u32::MAX)), Some((16, 1, 2)));
    assert_eq!(padding(&strided(0, 4, 4, u32::MAX)), None);
}

//@ rows: P-41
#[test]
fn a_column_of_a_matrix_is_reported_with_its_stride() {
    let profile = run(64, 32, 1, |block, _, t| {
        vec![read(block, t, GLOBAL + 4 * block + 4096 * u64::from(t))]
    });
    let found = report(&profile, Code::UNCOALESCED);
    assert_eq!(
        found.title,
        "uncoalesced read of global memory: 32 sectors per request where 4 would do (12 % efficient)"
    );
    assert_eq!(found.count, 64);
    assert!(notes(&found, "why").contains("neighbouring lanes are 4096 bytes apart"));
    assert!(
        notes(&found, "note")
            .contains("warp 0 of block 0: lane 0 at 0x7f000000, lane 1 at 0x7f001000")
    );
    assert!(notes(&found, "help").contains("(1024 elements) is probably a row"));
}

#[test]
fn a_row_of_a_matrix_is_not_reported() {
    let profile = run(64, 32, 1, |block, _, t| {
        vec![read(block, t, GLOBAL + 4096 * block + 4 * u64::from(t))]
    });
    assert_eq!(codes(&profile), []);
    let line = &profile.lines[0];
    assert_eq!(
        (line.sectors.sum, line.sectors.of, line.bytes),
        (256, 64, 64 * 128)
    );
}

#[test]
fn few_requests_are_no_evidence() {
    let profile = run(31, 32, 1, |block, _, t| {
        vec![read(block, t, GLOBAL + 4096 * u64::from(t))]
    });
    assert_eq!(codes(&profile), []);
}

//@ rows: P-20, GPFM-2
#[test]
fn a_column_of_a_tile_is_reported_with_the_padding() {
    let profile = run(64, 32, 1, |block, _, t| {
        vec![write(shared(read(block, t, 1024 + 128 * u64::from(t))))]
    });
    let found = report(&profile, Code::BANK_CONFLICT);
    assert_eq!(
        found.title,
        "32-way bank conflict in shared memory: each write takes 32 passes where 1 would do"
    );
    assert!(
        notes(&found, "help")
            .contains("with 33 instead of 32 elements per row the same request takes 1 pass")
    );
    assert!(notes(&found, "why").contains("the first words of 32 lanes lie in 1 of 32 banks"));
}

#[test]
fn a_padded_tile_is_not_reported() {
    let profile = run(64, 32, 1, |block, _, t| {
        vec![shared(read(block, t, 1024 + 132 * u64::from(t)))]
    });
    assert_eq!(codes(&profile), []);
}
