//! Half floats and pairs of them as atomics.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::device_std::{Bf16, Bf16x2, F16, F16x2};
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

macro_rules! sums {
    ($($test:ident, $kernel:ident: $ty:ty as $bits:ty, $one:expr, $sum:expr;)*) => {$(
        #[kernel]
        fn $kernel(sums: &[Atomic<$ty>]) {
            let [up, down, ..] = sums else { return };
            up.fetch_add($one, Relaxed);
            down.fetch_sub($one, Relaxed);
        }

        //@ rows: AT-1, AT-2
        #[test]
        fn $test() {
            on_each_device(|device, stream| {
                let mut sums = device.zeroed::<$ty>(2)?;
                $kernel::launch(stream, (3, 40), sums.as_atomics())?;
                let found: Vec<$bits> = sums.to_vec(stream)?.into_iter().map(|x| x.to_bits()).collect();
                let sign: $bits = found[0] ^ found[1];
                assert_eq!(found[0], { let sum: $ty = $sum; sum.to_bits() }, "on {}", device.name());
                assert_eq!(found[0], found[1] ^ sign, "the signs alone differ");
                Ok(())
            });
        }
    )*};
}

// 120 threads: whole numbers that every format holds.
sums! {
    f16_counts, count_f16: F16 as u16, F16::from_f32(1.0), F16::from_f32(120.0);
    bf16_counts, count_bf16: Bf16 as u16, Bf16::from_f32(1.0), Bf16::from_f32(120.0);
    pairs_of_f16_count, count_f16x2: F16x2 as u32, F16x2::new(F16::from_f32(1.0), F16::from_f32(2.0)), F16x2::new(F16::from_f32(120.0), F16::from_f32(240.0));
    pairs_of_bf16_count, count_bf16x2: Bf16x2 as u32, Bf16x2::new(Bf16::from_f32(1.0), Bf16::from_f32(2.0)), Bf16x2::new(Bf16::from_f32(120.0), Bf16::from_f32(240.0));
}
