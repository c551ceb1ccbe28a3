//! Sets of lanes.
use warploom_device_std::LaneMask;

const SOME: [u32; 7] = [
    0,
    1,
    0x8000_0000,
    0xFFFF_FFFF,
    0x0F0F_0F0F,
    0x8421_0810,
    0xDEAD_BEEF,
];

#[test]
fn lanes_come_lowest_first() {
    for bits in SOME {
        let mask = LaneMask::from_bits(bits);
        let lanes: Vec<u32> = (0..32).filter(|lane| bits >> lane & 1 == 1).collect();
        assert!(mask.iter().eq(lanes.iter().copied()), "{mask:?}");
        assert_eq!(mask.iter().len(), lanes.len());
        assert_eq!(
            (mask.count(), mask.is_empty()),
            (lanes.len() as u32, lanes.is_empty())
        );
        assert_eq!(mask.lowest(), lanes.first().copied());
        for n in 0..33 {
            assert_eq!(mask.nth(n), lanes.get(n as usize).copied(), "{mask:?} {n}");
        }
        for lane in 0..40 {
            assert_eq!(
                mask.contains(lane),
                lanes.contains(&lane),
                "{mask:?} {lane}"
            );
        }
    }
}

#[test]
fn operators_are_those_of_sets() {
    for a in SOME {
        for b in SOME {
            let (x, y) = (LaneMask::from_bits(a), LaneMask::from(b));
            let all = [x & y, x | y, x ^ y, x - y, !x].map(LaneMask::bits);
            assert_eq!(all, [a & b, a | b, a ^ b, a & !b, !a]);
            let (mut and, mut or) = (x, x);
            and &= y;
            or |= y;
            assert_eq!((and, or), (x & y, x | y));
            assert_eq!(x.contains_all(y), b & !a == 0);
        }
    }
}

#[test]
fn the_first_and_those_below() {
    assert_eq!(LaneMask::first(0), LaneMask::EMPTY);
    assert_eq!(LaneMask::first(5).bits(), 0b11111);
    assert_eq!(LaneMask::first(32), LaneMask::FULL);
    assert_eq!(LaneMask::first(99), LaneMask::FULL);
    assert_eq!(LaneMask::below(31).bits(), 0x7FFF_FFFF);
    assert_eq!(LaneMask::below(0), LaneMask::EMPTY);
    assert_eq!(LaneMask::of(31).bits(), 1 << 31);
    assert_eq!(format!("{:?}", LaneMask::of(4)), "LaneMask(0x00000010)");
}
