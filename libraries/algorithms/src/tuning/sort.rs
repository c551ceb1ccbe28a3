// Written by the benchmark of the algorithms, `--tune`, on NVIDIA H200 on 2026-11-26.
macro_rules! sort_tunings {
    ($with:ident! { $($arguments:tt)* }) => {
        $with! { $($arguments)*
            (0..=4, 0) => (27, 3);
            (5..=8, 0) => (15, 3);
            (9.., 0) => (7, 3);
            (0..=4, 1..=4) => (26, 2);
            (0..=4, 5..=8) => (15, 2);
            (5..=8, 1..=8) => (15, 2);
            (9.., 1..=8) => (7, 3);
            (0..=4, 9..) => (11, 2);
            (5.., 9..) => (7, 2);
        }
    };
}
pub(crate) use sort_tunings;
