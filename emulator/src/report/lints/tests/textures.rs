//! Reads of arrays, whose sectors are tiles.

use super::*;
use crate::texture::{Dimensions, Format, Image, Layout, Level};

const WIDTH: usize = 256;

fn image() -> Image {
    let level = Level {
        offset: 0,
        width: WIDTH as u32,
        height: 64,
        depth: 1,
        row_pitch: 4 * WIDTH,
        slice_pitch: 4 * WIDTH * 64,
    };
    Image {
        base: std::ptr::without_provenance_mut(GLOBAL as usize),
        format: Format::Float32,
        channels: 1,
        dimensions: Dimensions::D2,
        layout: Layout::Tiles,
        levels: vec![level],
    }
}

/// Eight warps read these elements: column and row of each lane.
fn reads(element: impl Fn(u32) -> (usize, usize)) -> Profile {
    fetches(false, element)
}

fn fetches(is_filtered: bool, element: impl Fn(u32) -> (usize, usize)) -> Profile {
    let image = image();
    run(8, 256, 1, |block, _, t| {
        let (x, y) = element(t % 32);
        let at = image.base.wrapping_byte_add(4 * (y * WIDTH + x));
        let Some((address, bytes)) = image.fetched(at, 4, is_filtered) else {
            return Vec::new();
        };
        vec![Access {
            space: Some(Space::Texture),
            bytes: bytes as u32,
            align: bytes as u32,
            ..read(block, t, address as u64)
        }]
    })
}

fn sectors(profile: &Profile) -> (u64, u64) {
    let tally = &profile.spots[0].tally;
    (
        tally.sectors.touched / tally.requests,
        tally.sectors.ideal / tally.requests,
    )
}

#[test]
fn a_sector_has_four_elements_of_each_of_two_rows() {
    // Lane after lane along a row: half of each sector.
    assert_eq!(sectors(&reads(|lane| (lane as usize, 2))), (8, 4));
    // Blocks of 8 by 4.
    let block = |lane: u32| (lane as usize % 8, lane as usize / 8);
    assert_eq!(sectors(&reads(block)), (4, 4));
    // Down a column: two rows in a sector.
    assert_eq!(sectors(&reads(|lane| (5, lane as usize))), (16, 4));
    // One element for all.
    assert_eq!(sectors(&reads(|_| (5, 6))), (1, 1));
}

#[test]
fn rows_and_blocks_are_not_reported_and_scattered_elements_are() {
    assert_eq!(codes(&reads(|lane| (lane as usize, 2))), []);
    assert_eq!(
        codes(&reads(|lane| (lane as usize % 8, lane as usize / 8))),
        []
    );
    let scattered = reads(|lane| (8 * lane as usize, lane as usize));
    let found = report(&scattered, Code::SCATTERED_FETCHES);
    assert!(
        found
            .title
            .contains("32 sectors per request where 4 would do"),
        "{}",
        found.title
    );
    assert!(notes(&found, "why").contains("16 bytes of each of two rows"));
    assert_eq!(
        codes(&reads(|lane| (5, lane as usize))),
        [Code::SCATTERED_FETCHES]
    );
}

#[test]
fn bytes_of_an_image_keep_their_number_in_the_order_of_tiles() {
    let image = image();
    let mut seen: Vec<usize> = (0..4 * WIDTH * 64)
        .map(|byte| image.tiled(image.base.wrapping_byte_add(byte)).unwrap())
        .collect();
    seen.sort_unstable();
    assert!(seen.windows(2).all(|pair| pair[1] == pair[0] + 1));
}

#[test]
fn memory_in_rows_has_no_tiles() {
    let image = Image {
        layout: Layout::Rows,
        ..image()
    };
    assert_eq!(image.tiled(image.base), None);
}

#[test]
fn parts_of_a_picture_that_begin_within_tiles_are_not_reported() {
    assert_eq!(codes(&reads(|lane| (1 + lane as usize, 3))), []);
    let block =
        |across: u32| move |lane| ((1 + lane % across) as usize, (1 + lane / across) as usize);
    assert_eq!(codes(&reads(block(8))), []);
    assert_eq!(codes(&reads(block(16))), []);
}

#[test]
fn a_filtered_read_uses_the_neighbour_in_the_row_too() {
    // A picture at half its size: each second element is the first of a read.
    let halved = |lane: u32| (1 + 2 * lane as usize, 3);
    assert_eq!(codes(&fetches(true, halved)), []);
    assert_eq!(codes(&reads(halved)), [Code::SCATTERED_FETCHES]);
    let far = |lane: u32| (8 * lane as usize, 3);
    assert_eq!(codes(&fetches(true, far)), [Code::SCATTERED_FETCHES]);
}

#[test]
fn an_array_of_one_row_has_no_tiles() {
    let mut image = image();
    image.levels[0].height = 1;
    assert_eq!(image.tiled(image.base), Some(image.base.addr()));
}
