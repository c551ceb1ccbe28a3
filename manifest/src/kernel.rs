//! The description of a kernel on which all agree: what its launches must keep to, and how its parameters are handed over.
//!
//! `#[kernel]` writes it into the host's program and, as `DeviceKernel` of `warploom-device-std`, into the device code; the device pass
//! reads it there and writes it into the manifest; a launch compares both.

use std::fmt;

#[cfg(not(warploom_device))]
use serde::{Deserialize, Serialize};

/// What every launch of a kernel must keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Contract {
    /// Dimensions that a launch may have at most; 0 for any number.
    pub dims: u32,
    /// The block that a launch must have; 0 for any extent.
    pub block: [u32; 3],
    /// Most threads of a block; 0 for as many as the device runs.
    pub max_threads: u32,
    /// Blocks that should fit on one multiprocessor; 0 if it does not matter.
    pub min_blocks: u32,
    /// Whether the kernel has a `DynamicShared` parameter: its launches say how much.
    pub dynamic_shared: bool,
    /// The cluster that a launch must have, in blocks; 0 if the kernel does not say.
    pub cluster: [u32; 3],
    /// Whether launches must say how large a cluster is.
    pub cluster_at_launch: bool,
    /// Most blocks of a cluster; 0 for as many as the device runs.
    pub max_cluster: u32,
    /// Whether all blocks are there at the same time.
    pub cooperative: bool,
    /// Whether the kernel may start before the kernels ahead of it in its stream have ended, where it [waits](Contract::waits_in).
    pub dependent_launch: bool,
    /// Hash of the conditions of `requires`, with the values of the constants in them; 0 if there are none.
    pub conditions: u64,
}

impl Contract {
    /// Whether both are the same, without a branch for each field: every launch asks.
    #[inline]
    #[must_use]
    pub fn is(&self, other: &Contract) -> bool {
        let flat = |contract: &Contract| {
            let Contract {
                dims,
                block: [x, y, z],
                max_threads,
                min_blocks,
                dynamic_shared,
                cluster: [cx, cy, cz],
                cluster_at_launch,
                max_cluster,
                cooperative,
                dependent_launch,
                conditions,
            } = *contract;
            let flags = [
                dynamic_shared,
                cluster_at_launch,
                cooperative,
                dependent_launch,
            ];
            let [a, b, c, d] = flags.map(u32::from);
            let (low, high) = (conditions as u32, (conditions >> 32) as u32);
            [
                dims,
                x,
                y,
                z,
                max_threads,
                min_blocks,
                cx,
                cy,
                cz,
                max_cluster,
                a,
                b,
                c,
                d,
                low,
                high,
            ]
        };
        let pairs = flat(self).into_iter().zip(flat(other));
        pairs.fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
    }

    /// Whether the kernel's code begins with `griddepcontrol.wait` in an image for `sm`, 10 × compute capability: the device pass puts it there, and launches of
    /// such an image start before the kernels ahead of them have ended.
    #[must_use]
    pub const fn waits_in(&self, sm: u32) -> bool {
        self.dependent_launch && sm >= 90
    }

    /// The first part that differs, with both values; `None` if all are the same.
    #[must_use]
    pub fn difference(&self, other: &Contract) -> Option<(&'static str, String, String)> {
        fn differ<T: PartialEq + fmt::Debug>(
            name: &'static str,
            one: T,
            other: T,
        ) -> Option<(&'static str, String, String)> {
            (one != other).then(|| (name, format!("{one:?}"), format!("{other:?}")))
        }
        let (a, b) = (self, other);
        differ("dimensions", a.dims, b.dims)
            .or_else(|| differ("block", a.block, b.block))
            .or_else(|| differ("launch_bounds (threads)", a.max_threads, b.max_threads))
            .or_else(|| differ("launch_bounds (blocks)", a.min_blocks, b.min_blocks))
            .or_else(|| differ("launch_bounds (cluster)", a.max_cluster, b.max_cluster))
            .or_else(|| differ("cluster", a.cluster, b.cluster))
            .or_else(|| {
                differ(
                    "cluster at launch",
                    a.cluster_at_launch,
                    b.cluster_at_launch,
                )
            })
            .or_else(|| differ("dynamic shared memory", a.dynamic_shared, b.dynamic_shared))
            .or_else(|| differ("cooperative", a.cooperative, b.cooperative))
            .or_else(|| differ("dependent launch", a.dependent_launch, b.dependent_launch))
            .or_else(|| {
                let hash = |contract: &Contract| format!("{:016x}", contract.conditions);
                let differ = a.conditions != b.conditions;
                differ.then(|| ("hash of `requires` and its constants", hash(a), hash(b)))
            })
    }

    /// Any launch.
    pub const ANY: Contract = Contract {
        dims: 0,
        block: [0; 3],
        max_threads: 0,
        min_blocks: 0,
        dynamic_shared: false,
        cluster: [0; 3],
        cluster_at_launch: false,
        max_cluster: 0,
        cooperative: false,
        dependent_launch: false,
        conditions: 0,
    };
}

/// How a parameter is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub enum ParamKind {
    /// The bytes of the value.
    ByValue,
    /// A device pointer and a length, read only.
    Slice,
    /// A device pointer and a length, written.
    SliceMut,
    /// A device pointer, a width and a height, written.
    Slice2DMut,
}

/// A parameter that a launch passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Param {
    /// By value, or as one of the kinds of slices.
    pub kind: ParamKind,
    /// Size in bytes of the value, or of one element.
    pub size: u64,
    /// Alignment in bytes of the value, or of one element.
    pub align: u64,
}

impl Param {
    /// The bytes of a `T`.
    #[must_use]
    pub const fn by_value<T>() -> Param {
        Param::of::<T>(ParamKind::ByValue)
    }

    /// The bytes of a `T`, which all threads read at one place.
    #[must_use]
    pub const fn grid_const<T>() -> Param {
        Param::by_value::<T>()
    }

    /// A raw pointer, as it is.
    #[must_use]
    pub const fn pointer<T>() -> Param {
        Param::by_value::<T>()
    }

    /// Address and length of a slice to read.
    #[must_use]
    pub const fn slice<T>() -> Param {
        Param::of::<T>(ParamKind::Slice)
    }

    /// Address and length of a slice to write.
    #[must_use]
    pub const fn slice_mut<T>() -> Param {
        Param::of::<T>(ParamKind::SliceMut)
    }

    /// Address, width and height of rows to write.
    #[must_use]
    pub const fn slice_2d_mut<T>() -> Param {
        Param::of::<T>(ParamKind::Slice2DMut)
    }

    const fn of<T>(kind: ParamKind) -> Param {
        Param {
            kind,
            size: size_of::<T>() as u64,
            align: align_of::<T>() as u64,
        }
    }

    /// What the address of a slice's first element is a multiple of, and so that of each element: the element's alignment, or the largest
    /// power of two that divides its size, up to the 16 bytes of a vector access. So the four `f32` of a `[f32; 4]` are one access.
    #[inline]
    #[must_use]
    pub const fn start_align(&self) -> u64 {
        let of_size = self.size & self.size.wrapping_neg();
        let vector = if of_size < 16 { of_size } else { 16 };
        if vector > self.align {
            vector
        } else {
            self.align
        }
    }

    /// Sizes of the parameters of the device function that this one becomes: a value without bytes becomes none.
    pub fn device_sizes(&self) -> impl Iterator<Item = u64> + use<> {
        let (count, size) = match self.kind {
            ParamKind::ByValue => (usize::from(self.size > 0), self.size),
            ParamKind::Slice | ParamKind::SliceMut => (2, 8),
            ParamKind::Slice2DMut => (3, 8),
        };
        std::iter::repeat_n(size, count)
    }

    /// The sum of [`device_sizes`](Param::device_sizes).
    #[inline]
    #[must_use]
    pub fn device_bytes(&self) -> u64 {
        match self.kind {
            ParamKind::ByValue => self.size,
            ParamKind::Slice | ParamKind::SliceMut => 16,
            ParamKind::Slice2DMut => 24,
        }
    }

    /// Alignment of the parameters of the device function.
    #[inline]
    #[must_use]
    pub fn device_align(&self) -> u64 {
        match self.kind {
            ParamKind::ByValue => self.align,
            _ => 8,
        }
    }
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ParamKind::ByValue => "a value",
            ParamKind::Slice => "a slice of elements",
            ParamKind::SliceMut => "an output of elements",
            ParamKind::Slice2DMut => "a 2D output of elements",
        };
        let (size, align) = (self.size, self.align);
        write!(f, "{what} of {size} bytes, aligned to {align}")
    }
}
