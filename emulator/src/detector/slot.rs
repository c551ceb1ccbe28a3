//! One access, as it is remembered.

/// An access that a granule remembers. All zero: none.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Slot {
    /// The lane, by its number in the grid.
    pub(super) who: u32,
    /// The lane's time.
    pub(super) t: u32,
    /// The site and the kind.
    pub(super) what: AccessKind,
}

/// A site (upper 23 bits) and what was done there (lower 9).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct AccessKind(u32);

impl AccessKind {
    pub(crate) const READ: u32 = 1;
    pub(crate) const WRITE: u32 = 2;
    pub(crate) const ATOMIC: u32 = 4;
    pub(crate) const VOLATILE: u32 = 8;
    const SCOPE_SHIFT: u32 = 4;
    /// Atomics have their size from here on, three bits; other accesses the two below.
    const SIZE_SHIFT: u32 = 6;
    /// The target of an asynchronous copy.
    pub(crate) const COPY: u32 = 64;
    /// Bytes go to where it is followed which of them have a value: moving those without one is no use of them.
    pub(crate) const MOVES: u32 = 128;
    const SITE_SHIFT: u32 = 9;

    #[inline(always)]
    pub(crate) const fn new(kind: u32, site: u32) -> Self {
        Self(site << Self::SITE_SHIFT | kind)
    }

    /// An atomic of so many bytes, 1 to 16. Any other number: of no size that is compared.
    #[inline(always)]
    pub(crate) const fn with_size(self, bytes: usize) -> Self {
        let size = match bytes {
            1 | 2 | 4 | 8 | 16 => bytes.trailing_zeros() + 1,
            _ => 0,
        };
        Self(self.0 | size << Self::SIZE_SHIFT)
    }

    /// The bytes of an atomic, if it is compared by them.
    pub(crate) const fn size(self) -> Option<usize> {
        match self.0 >> Self::SIZE_SHIFT & 7 {
            0 => None,
            size => Some(1 << (size - 1)),
        }
    }

    /// Whether two atomics that overlap are of one size, as far as that is compared.
    #[inline(always)]
    pub(crate) const fn is_as_wide_as(self, other: Self) -> bool {
        let (a, b) = (
            self.0 >> Self::SIZE_SHIFT & 7,
            other.0 >> Self::SIZE_SHIFT & 7,
        );
        a == b || a == 0 || b == 0
    }

    pub(crate) const fn is_copy(self) -> bool {
        self.0 & (Self::COPY | Self::ATOMIC) == Self::COPY
    }

    pub(crate) const fn moves(self) -> bool {
        self.0 & (Self::MOVES | Self::ATOMIC) == Self::MOVES
    }

    pub(crate) const fn with_scope(self, scope: u32) -> Self {
        Self(self.0 | scope << Self::SCOPE_SHIFT)
    }

    #[inline(always)]
    pub(crate) const fn is(self, kind: u32) -> bool {
        self.0 & kind != 0
    }

    /// 0 the block, 1 the cluster, 2 the device, 3 the system; of atomics only.
    pub(crate) const fn scope(self) -> u32 {
        self.0 >> Self::SCOPE_SHIFT & 3
    }

    pub(crate) const fn site(self) -> u32 {
        self.0 >> Self::SITE_SHIFT
    }

    /// Whether either of two has one of these kinds.
    #[inline(always)]
    pub(crate) const fn either(self, other: Self, kind: u32) -> bool {
        (self.0 | other.0) & kind != 0
    }
}
