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

/// A site (upper 24 bits) and what was done there (lower 8).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct AccessKind(u32);

impl AccessKind {
    pub(crate) const READ: u32 = 1;
    pub(crate) const WRITE: u32 = 2;
    pub(crate) const ATOMIC: u32 = 4;
    pub(crate) const VOLATILE: u32 = 8;
    const SCOPE_SHIFT: u32 = 4;
    /// The target of an asynchronous copy.
    pub(crate) const COPY: u32 = 64;
    /// Bytes go to where it is followed which of them have a value: moving those without one is no use of them.
    pub(crate) const MOVES: u32 = 128;

    #[inline(always)]
    pub(crate) const fn new(kind: u32, site: u32) -> Self {
        Self(site << 8 | kind)
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
        self.0 >> 8
    }

    /// Whether either of two has one of these kinds.
    #[inline(always)]
    pub(crate) const fn either(self, other: Self, kind: u32) -> bool {
        (self.0 | other.0) & kind != 0
    }
}
