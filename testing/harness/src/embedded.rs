//! Device code written by hand, put into a test program the way `warploom-build` does it.

/// Bytes of magic and lengths at the start of a container.
const HEADER: usize = 24;

/// A container in the section of a program where the runtime looks for device code: header, manifest, PTX.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct Container<const BYTES: usize>([u8; BYTES]);

/// The size of a container with this manifest and an image of `image_bytes` bytes.
#[must_use]
pub const fn container_bytes(manifest: &str, image_bytes: usize) -> usize {
    (HEADER + manifest.len() + image_bytes + 1).next_multiple_of(16)
}

impl<const BYTES: usize> Container<BYTES> {
    /// A container of [`container_bytes`] bytes. The manifest says that its image has `image_bytes` bytes; what `ptx` leaves of them is
    /// filled with line ends.
    ///
    /// # Panics
    /// If `ptx` is longer than `image_bytes`, or `BYTES` is another number.
    #[must_use]
    pub const fn new(manifest: &str, ptx: &[u8], image_bytes: usize) -> Self {
        assert!(ptx.len() <= image_bytes && BYTES == container_bytes(manifest, image_bytes));
        let mut bytes = [0; BYTES];
        let header = [
            u64::from_le_bytes(*b"WARPLM01"),
            BYTES as u64,
            manifest.len() as u64,
        ];
        let mut i = 0;
        while i < HEADER {
            bytes[i] = header[i / 8].to_le_bytes()[i % 8];
            i += 1;
        }
        i = 0;
        while i < manifest.len() {
            bytes[HEADER + i] = manifest.as_bytes()[i];
            i += 1;
        }
        i = 0;
        while i < image_bytes {
            bytes[HEADER + manifest.len() + i] = if i < ptx.len() { ptx[i] } else { b'\n' };
            i += 1;
        }
        Container(bytes)
    }
}

/// Puts a manifest and PTX, padded to a number of bytes, into the program: `embed_device_code!(MANIFEST, PTX, 8192);`
#[macro_export]
macro_rules! embed_device_code {
    ($manifest:expr, $ptx:expr, $image_bytes:expr) => {
        const _: () = {
            use $crate::embedded::{Container, container_bytes};
            #[cfg(target_os = "linux")]
            #[used]
            #[unsafe(link_section = "warploom_images")]
            static CONTAINER: Container<{ container_bytes($manifest, $image_bytes) }> =
                Container::new($manifest, $ptx, $image_bytes);
        };
    };
}
