//! How many elements a thread has, by the size of an element.

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
