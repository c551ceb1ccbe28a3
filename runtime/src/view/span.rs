//! What every view is made of: elements that lie side by side in a buffer, and the rules about their numbers.

use std::ops::{Bound, Range, RangeBounds};

use crate::buffer::Buffer;
use crate::memory::MemoryError;

/// Contiguous elements of a buffer. The view that holds it decides which access is allowed.
pub(crate) struct Span<'a, T> {
    pub(crate) buffer: &'a Buffer,
    pub(crate) ptr: *mut T,
    pub(crate) len: usize,
}

// SAFETY: an address and a length; following the address takes unsafe code.
unsafe impl<T> Send for Span<'_, T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Span<'_, T> {}

impl<T> Clone for Span<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Span<'_, T> {}

impl<T> Span<'_, T> {
    /// The elements of `range`.
    pub(crate) fn slice(self, range: impl RangeBounds<usize>) -> Result<Self, MemoryError> {
        let range = resolve(range, self.len)?;
        Ok(Span {
            ptr: self.ptr.wrapping_add(range.start),
            len: range.len(),
            ..self
        })
    }

    /// The elements before `mid`, and those from `mid` on.
    pub(crate) fn split_at(self, mid: usize) -> Result<[Self; 2], MemoryError> {
        let back = self.slice(mid..)?;
        Ok([Span { len: mid, ..self }, back])
    }

    /// Where elements `at..at + given` start, that are to be copied.
    pub(crate) fn window(&self, at: usize, given: usize) -> Result<*mut T, MemoryError> {
        let refused = MemoryError::CopyOutOfRange {
            given,
            at,
            len: self.len,
        };
        let window = self.slice(at..at.saturating_add(given));
        Ok(window.map_err(|_| refused)?.ptr)
    }

    /// Rows of `width` elements in it.
    pub(crate) fn rows(&self, width: usize) -> Result<usize, MemoryError> {
        match (self.len, width) {
            (0, _) => Ok(0),
            (len, width) if width > 0 && len % width == 0 => Ok(len / width),
            (len, width) => Err(MemoryError::NotRectangular { len, width }),
        }
    }

    /// Refuses chunks without elements.
    pub(crate) fn check_chunks(&self, len: usize) -> Result<(), MemoryError> {
        match len {
            0 => Err(MemoryError::EmptyChunks { len: self.len }),
            _ => Ok(()),
        }
    }
}

/// The range as two numbers with `start <= end <= len`.
pub(crate) fn resolve(
    range: impl RangeBounds<usize>,
    len: usize,
) -> Result<Range<usize>, MemoryError> {
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => len,
    };
    if start <= end && end <= len {
        Ok(start..end)
    } else {
        Err(MemoryError::OutOfRange { start, end, len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_resolve_or_name_both_lengths() {
        assert_eq!(resolve(.., 5).unwrap(), 0..5);
        assert_eq!(resolve(2..=4, 5).unwrap(), 2..5);
        assert_eq!(resolve(5.., 5).unwrap(), 5..5);
        let text = resolve(3..9, 5).unwrap_err().to_string();
        assert!(
            text.contains("3..9") && text.contains("5 elements"),
            "{text}"
        );
        #[expect(clippy::reversed_empty_ranges, reason = "what is tested")]
        let reversed = resolve(4..2, 5);
        assert!(reversed.is_err());
        assert!(resolve(..=usize::MAX, 5).is_err());
    }
}
