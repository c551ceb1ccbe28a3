//! Inputs: numbers at which something changes, and noise.

/// True. With `NATIVE` the kernel needs 9.0: its image then has the instructions of 8.0 and 9.0, for which others have several.
#[inline(always)]
pub(crate) fn native<const NATIVE: bool>() -> bool {
    !NATIVE || warploom::device_std::intrinsics::clusters() > 0
}

/// Numbers without a pattern, the same in each run.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
}

/// How many inputs a test takes: fewer where everything is slow.
pub(crate) const MANY: usize = if cfg!(debug_assertions) {
    20_000
} else {
    200_000
};

pub(crate) fn special_f32() -> Vec<f32> {
    let positive = [
        0.0,
        f32::from_bits(1),
        f32::from_bits(2),
        f32::from_bits(0x007f_ffff),
        f32::MIN_POSITIVE,
        1.0f32.next_down(),
        1.0,
        1.0f32.next_up(),
        0.1,
        1.5,
        3.0,
        2f32.powi(-75),
        2f32.powi(64),
        f32::MAX.sqrt(),
        f32::MAX.next_down(),
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    positive.iter().flat_map(|&x| [x, -x]).collect()
}

pub(crate) fn special_f64() -> Vec<f64> {
    let positive = [
        0.0,
        f64::from_bits(1),
        f64::from_bits(2),
        f64::from_bits(0x000f_ffff_ffff_ffff),
        f64::MIN_POSITIVE,
        1.0f64.next_down(),
        1.0,
        1.0f64.next_up(),
        0.1,
        1.5,
        3.0,
        2f64.powi(-538),
        2f64.powi(200),
        f64::MAX.sqrt(),
        f64::MAX.next_down(),
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    positive.iter().flat_map(|&x| [x, -x]).collect()
}

/// Triples: all pairs of special numbers, then noise, half of it with exponents near each other.
pub(crate) fn triples<T: Copy>(
    special: &[T],
    count: usize,
    random: impl Fn(&mut Noise, bool) -> T,
) -> Vec<[T; 3]> {
    let mut all = Vec::new();
    for (k, &a) in special.iter().enumerate() {
        for (l, &b) in special.iter().enumerate() {
            all.push([a, b, special[(k * 7 + l * 5) % special.len()]]);
            all.push([a, b, special[(k + l) % special.len()]]);
        }
    }
    let mut noise = Noise(3);
    while all.len() < count {
        let near = all.len() % 2 == 0;
        all.push([(); 3].map(|()| random(&mut noise, near)));
    }
    all
}

pub(crate) fn triples_f32(count: usize) -> Vec<[f32; 3]> {
    triples(&special_f32(), count, |noise, near| {
        let bits = noise.next() as u32;
        match near {
            true => f32::from_bits(bits & 0x8fff_ffff | 0x3000_0000 | (bits >> 3 & 0x0800_0000)),
            false => f32::from_bits(bits),
        }
    })
}

pub(crate) fn triples_f64(count: usize) -> Vec<[f64; 3]> {
    triples(&special_f64(), count, |noise, near| {
        let bits = noise.next();
        match near {
            true => f64::from_bits(bits & 0x803f_ffff_ffff_ffff | 0x3fc0_0000_0000_0000),
            false => f64::from_bits(bits),
        }
    })
}
