//! How a panicked kernel thread tells the host: one record per loaded module in mapped host memory, written by the first thread that
//! panics.
//!
//! ```text
//! thread                                        host
//!                                               0 the module's variable holds the record's address + FREE; ready = 0; before the launch
//! 1 clear FREE in the variable
//!   (was not set: go to 4)
//! 2 head, values, text
//! 3 ready = its kind, release, system scope     5 after the launch: ready != 0 -> read the fields
//! 4 exit                                        6 read what the fields point to, ready = 0, FREE into the variable
//! ```
//! Of all threads that panic, one sees FREE: step 1 is one atomic operation. The host writes the variable's lower half only, which is one store for
//! the GPU: a thread that panics meanwhile sees the address with FREE, or without it, and never a part of it. Until step 6 no other thread writes the record,
//! in whichever block, stream or launch it panics.
//!
//! The thread writes numbers only, so that a panic costs a kernel few instructions: of the source location and of constant texts the addresses. The host
//! reads these from the module's constants in device memory, and makes the message.

/// What the host reads after a panic. The layout is part of the contract between kernel and host.
///
/// Words of 64 bits, so that two of them are written at once.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug)]
pub struct PanicRecord {
    /// The address of the location, or 0.
    pub place: u64,
    /// What the kind says.
    pub first: u64,
    /// What the kind says.
    pub second: u64,
    /// The thread's coordinates y and z, in the lower and the upper half.
    pub thread_yz: u64,
    /// The block's coordinates x and y.
    pub block_xy: u64,
    /// The block's coordinate z and the thread's coordinate x.
    pub block_z_thread_x: u64,
    /// What the kind says.
    pub values: [u64; PanicRecord::VALUES_MAX],
    /// The kind, when all other fields are written; 0 before.
    pub ready: u32,
    /// A message that the thread itself made.
    pub text: [u8; PanicRecord::TEXT_MAX],
}

impl PanicRecord {
    /// The thread wrote the message: `first` bytes of `text`.
    pub const WRITTEN: u32 = 1;
    /// An index, `first`, was not below a length, `second`.
    pub const BOUNDS: u32 = 2;
    /// The message is a constant of `second` bytes at the address `first`.
    pub const LITERAL: u32 = 3;
    /// The range `first..second` is none of a slice whose length is `values[0]`.
    pub const RANGE: u32 = 4;
    /// The heap has no `first` bytes left.
    pub const OUT_OF_MEMORY: u32 = 5;

    /// The message is in the form of `warploom_manifest::message`, `second` bytes at the address `first`, with the words in `values`.
    pub const FORMATTED: u32 = 6;

    /// Set in the module's variable, beside the record's address, unless a thread has panicked since the host last looked. The variable is 0 if no host waits.
    pub const FREE: u64 = 1;
    /// Longer messages are cut.
    pub const TEXT_MAX: usize = 1024;
    /// Most values beside the first two.
    pub const VALUES_MAX: usize = 8;

    /// Nothing happened.
    #[must_use]
    pub const fn empty() -> Self {
        PanicRecord {
            place: 0,
            first: 0,
            second: 0,
            thread_yz: 0,
            block_xy: 0,
            block_z_thread_x: 0,
            values: [0; PanicRecord::VALUES_MAX],
            ready: 0,
            text: [0; PanicRecord::TEXT_MAX],
        }
    }
}

/// What the linker makes of a `core::panic::Location` of device code.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PanicLocation {
    /// The address of the file's name.
    pub file: u64,
    /// Its bytes.
    pub file_len: u64,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Which kernel of the module, from 1; 0 if several share the code.
    pub kernel: u32,
    /// So that the size is a multiple of the alignment.
    pub padding: u32,
}

const _: () = assert!(
    size_of::<PanicLocation>() == 32
        && core::mem::offset_of!(PanicLocation, kernel) == 24
        && core::mem::offset_of!(PanicRecord, values) == 48
        && core::mem::offset_of!(PanicRecord, text) == 116
);
