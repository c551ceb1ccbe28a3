//! How kernels are compiled, by the size of an element: elements of a thread, blocks of a multiprocessor.
//!
//! What the sorts by digits have is a table, [`sort`]: for the sizes of a key and a value, the items of a thread and the blocks that a multiprocessor holds at once,
//! which decides how many registers a thread has (80 for two blocks of 384 threads, 56 for three). `--tune sort` of the benchmark of the algorithms measures the
//! candidates on a GPU and writes the table. A program has the kernels of its own row alone: a choice when it runs, such as by the architecture, would need more.

mod sort; // the table of the sorts by digits

pub(crate) use sort::sort_tunings;

/// The number for the size of `T`: up to 1, 2, 4, 8 and more bytes.
pub(crate) const fn by_size<T>(items: [usize; 5]) -> usize {
    match size_of::<T>() {
        0..=1 => items[0],
        2 => items[1],
        3..=4 => items[2],
        5..=8 => items[3],
        _ => items[4],
    }
}
