//! How a panicked kernel thread tells the host: one record per loaded module in mapped host memory, written by the first thread that
//! panics.
//!
//! ```text
//! thread                                  host
//! 1 exchange the claim word with 1        0 claim, ready = 0, before the launch
//!   (was 1: another reports, go to 5)
//! 2 fields, text                          6 after the launch: ready == 1 -> read the fields
//! 3 system fence
//! 4 ready = 1
//! 5 exit
//! ```

/// What the host reads after a panic. The layout is part of the contract between kernel and host.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PanicRecord {
    /// For the host's use; kernels claim through a word of device memory.
    pub claimed: u32,
    /// 1 when all other fields are written.
    pub ready: u32,
    /// Which kernel of the module.
    pub kernel: u32,
    /// [`TEXT`](Self::TEXT) or [`BOUNDS`](Self::BOUNDS).
    pub kind: u32,
    /// The index, if the kind is `BOUNDS`.
    pub index: u64,
    /// The length that it exceeded, if the kind is `BOUNDS`.
    pub len: u64,
    /// The source file; its last 256 bytes if it is longer.
    pub file: [u8; 256],
    /// Bytes used of `file`.
    pub file_len: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Bytes used of `text`.
    pub text_len: u32,
    /// The message, cut at 1024 bytes.
    pub text: [u8; 1024],
    /// The coordinates of the block.
    pub block: [u32; 3],
    /// The coordinates of the thread in its block.
    pub thread: [u32; 3],
}

impl PanicRecord {
    /// `text` holds the message.
    pub const TEXT: u32 = 0;
    /// An index was out of bounds; `index` and `len` say how, and there is no text.
    pub const BOUNDS: u32 = 1;

    /// Nothing happened.
    #[must_use]
    pub const fn empty() -> Self {
        PanicRecord {
            claimed: 0,
            ready: 0,
            kernel: 0,
            kind: 0,
            index: 0,
            len: 0,
            file: [0; 256],
            file_len: 0,
            line: 0,
            column: 0,
            text_len: 0,
            text: [0; 1024],
            block: [0; 3],
            thread: [0; 3],
        }
    }
}

const _: () =
    assert!(size_of::<PanicRecord>() == 1352 && core::mem::offset_of!(PanicRecord, text) == 304);
