use super::{Element, Fill, Reduction, Swizzle, TensorMap};

fn map() -> TensorMap {
    TensorMap {
        base: 0x1000,
        element: Element::Bf16,
        rank: 3,
        dims: [70, 1 << 32, 5, 0, 0],
        strides: [2, 144, 1 << 39, 0, 0],
        extents: [64, 256, 3, 1, 1],
        steps: [1, 1, 2, 1, 1],
        swizzle: Swizzle::B128,
        fill: Fill::Nan,
    }
}

#[test]
fn a_map_is_read_as_it_was_written() {
    let map = map();
    assert_eq!(TensorMap::from_words(&map.to_words()), Some(map));
}

#[test]
fn other_bytes_are_no_map() {
    let mut words = map().to_words();
    words[0] ^= 1;
    assert_eq!(TensorMap::from_words(&words), None);
    assert_eq!(TensorMap::from_words(&[0; 16]), None);
}

#[test]
fn parts_are_permuted_within_their_piece() {
    assert_eq!(Swizzle::B128.apply(0x080), 0x090);
    assert_eq!(Swizzle::B128.apply(0x3f4), 0x384);
    assert_eq!(Swizzle::B64.apply(0x180), 0x1b0);
    assert_eq!(Swizzle::B64.apply(0x1f0), 0x1c0);
    assert_eq!(Swizzle::B32.apply(0x090), 0x080);
    assert_eq!(Swizzle::B32.apply(0x110), 0x110);
    assert_eq!(Swizzle::None.apply(0x3f4), 0x3f4);
}

#[test]
fn rows_at_an_edge_are_partly_inside() {
    let map = map();
    let rows: Vec<_> = map.rows(&[-4, -1, 3]).collect();
    assert_eq!(rows.len(), 256 * 2);
    assert_eq!(rows[0].inside, 0);
    let (row, stride) = (rows[1], 3 << 39);
    assert_eq!((row.offset, row.bytes), (128, 128));
    assert_eq!((row.before, row.inside), (8, 120));
    assert_eq!(row.address, 0x1000 + stride);
    let right = map.rows(&[32, 0, 0]).next();
    assert_eq!(right.map(|row| (row.before, row.inside)), Some((0, 76)));
}

#[test]
fn steps_leave_elements_out() {
    let map = map();
    assert_eq!(map.taken(2), 2);
    assert_eq!(map.box_bytes(), 64 * 256 * 2 * 2);
    assert_eq!(
        map.rows(&[0, 0, 3]).filter(|row| row.inside > 0).count(),
        256
    );
}

#[test]
fn reductions_follow_their_types() {
    let minus_one = u64::from(u32::MAX);
    assert_eq!(
        Element::S32.reduce(Reduction::Min, 3, minus_one),
        Some(minus_one)
    );
    assert_eq!(Element::U32.reduce(Reduction::Min, 3, minus_one), Some(3));
    assert_eq!(Element::U32.reduce(Reduction::Inc, 3, 3), Some(0));
    assert_eq!(Element::U32.reduce(Reduction::Dec, 0, 9), Some(9));
    assert_eq!(
        Element::F16.reduce(Reduction::Add, 0x3c00, 0x3c00),
        Some(0x4000)
    );
    assert_eq!(
        Element::F16.reduce(Reduction::Max, 0x3c00, 0xc000),
        Some(0x3c00)
    );
    assert_eq!(Element::F32.reduce(Reduction::And, 1, 1), None);
    assert_eq!(Element::S64.reduce(Reduction::Add, 1, 1), None);
    assert_eq!(Element::U8.reduce(Reduction::Add, 1, 1), None);
}

#[test]
fn rows_that_are_shorter_than_a_piece_have_one_each() {
    let short = TensorMap {
        extents: [8, 4, 1, 1, 1],
        ..map()
    };
    assert_eq!((short.box_bytes(), short.shared_bytes()), (64, 512));
    assert_eq!(short.rows(&[0; 3]).nth(1).map(|row| row.offset), Some(128));
}

#[test]
fn copies_round_to_19_bits() {
    // As an H200 does.
    let pairs = [
        (0x3f80_0fff, 0x3f80_0000),
        (0x3f80_1000, 0x3f80_0000),
        (0x3f80_1001, 0x3f80_2000),
        (0x3f80_3000, 0x3f80_4000),
        (0x7f7f_ffff, 0x7f80_0000),
        (0x7f80_0001, 0x7fff_e000),
        (0x7fff_ffff, 0x7fff_e000),
        (0x0000_1000, 0),
        (0x8000_1fff, 0x8000_2000),
        (0xff80_0000, 0xff80_0000),
    ];
    for (given, expected) in pairs {
        assert_eq!(Element::Tf32.loaded(given), expected, "{given:x}");
    }
    assert_eq!(Element::F32.loaded(0x3f80_0fff), 0x3f80_0fff);
}

#[test]
fn rows_are_written_in_parts_of_16_bytes() {
    let odd = TensorMap {
        dims: [61, 9, 1, 1, 1],
        ..map()
    };
    let ends = |rows: super::Rows<'_>| rows.map(|row| row.inside).max();
    assert_eq!(ends(odd.rows(&[0; 3])), Some(122));
    assert_eq!(ends(odd.written_rows(&[0; 3])), Some(128));
}
