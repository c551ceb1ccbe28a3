//! The device linker's output file: containers, then the object file with instrumented code, then how long that is.

/// What one crate target gets.
#[derive(Debug, Default)]
pub(crate) struct Linked {
    /// Manifests and PTX.
    pub(crate) containers: Vec<u8>,
    /// An object file for the host; empty if there is none.
    pub(crate) instrumented: Vec<u8>,
}

impl Linked {
    pub(crate) fn has_kernels(&self) -> bool {
        let containers = warploom_manifest::container::unpack(&self.containers);
        containers.is_ok_and(|all| all.iter().any(|c| !c.manifest.kernels.is_empty()))
    }
}

const END: &[u8; 8] = b"wl-split";

/// One file of both.
pub(super) fn join(mut containers: Vec<u8>, instrumented: &[u8]) -> Vec<u8> {
    containers.extend_from_slice(instrumented);
    containers.extend_from_slice(&(instrumented.len() as u64).to_le_bytes());
    containers.extend_from_slice(END);
    containers
}

/// Both of one file.
pub(super) fn split(mut content: Vec<u8>) -> Linked {
    let mut instrumented = vec![];
    if let Some(rest) = content.strip_suffix(END)
        && let Some((rest, len)) = rest.split_last_chunk::<8>()
    {
        let len = u64::from_le_bytes(*len) as usize;
        let at = rest.len().saturating_sub(len);
        instrumented = rest[at..].to_vec();
        content.truncate(at);
    }
    Linked {
        containers: content,
        instrumented,
    }
}

#[cfg(test)]
mod tests {
    use super::{join, split};

    #[test]
    fn what_is_joined_is_split_again() {
        for instrumented in [&b""[..], b"\x7fELF and so on"] {
            let linked = split(join(b"containers".to_vec(), instrumented));
            assert_eq!(linked.containers, b"containers");
            assert_eq!(linked.instrumented, instrumented);
        }
    }
}
