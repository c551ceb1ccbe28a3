//! The block of bytes that a program carries per crate target.
//!
//! ```text
//! 0   8   16  24             24+m            total
//! MAGIC total m  manifest JSON  PTX texts, each ended by a zero byte; padded to 16
//! ```
//!
//! All such blocks of a program stand one after the other in the section [`SECTION`]; zero padding between them is skipped.

use crate::{Image, Manifest};

/// Name of the section that holds the containers; a C identifier, so that linkers define `__start_` and `__stop_` for it.
pub const SECTION: &str = "warploom_images";

const MAGIC: u64 = u64::from_le_bytes(*b"WARPLM01");
const HEADER: usize = 24;
const ALIGN: usize = 16;

/// A container that was found in a program.
#[derive(Debug, Clone)]
pub struct Container<'a> {
    /// What the device pass said.
    pub manifest: Manifest,
    payload: &'a [u8],
}

impl<'a> Container<'a> {
    /// The PTX text of `image`, with the zero byte that ends it; `None` if the container is damaged.
    #[must_use]
    pub fn ptx(&self, image: &Image) -> Option<&'a [u8]> {
        let start = usize::try_from(image.offset).ok()?;
        let end = start.checked_add(usize::try_from(image.len).ok()?)?;
        let text = self.payload.get(start..=end)?;
        (text.last() == Some(&0)).then_some(text)
    }
}

/// Whether a file starts with a container.
#[must_use]
pub fn starts(content: &[u8]) -> bool {
    content.starts_with(&MAGIC.to_le_bytes())
}

/// Packs one target's manifest and PTX texts (architecture, exact, text). The manifest's `images` are filled in here.
///
/// # Errors
/// If the manifest cannot be written as JSON.
#[cfg(not(warploom_device))]
pub fn pack(
    mut manifest: Manifest,
    texts: &[(u32, bool, String)],
) -> Result<Vec<u8>, serde_json::Error> {
    let mut payload = Vec::new();
    manifest.images.clear();
    for (sm, exact, text) in texts {
        manifest.images.push(Image {
            sm: *sm,
            exact: *exact,
            offset: payload.len() as u64,
            len: text.len() as u64,
        });
        payload.extend_from_slice(text.as_bytes());
        payload.push(0);
    }
    let json = serde_json::to_vec(&manifest)?;
    let total = (HEADER + json.len() + payload.len()).next_multiple_of(ALIGN);
    let mut out = Vec::with_capacity(total);
    for word in [MAGIC, total as u64, json.len() as u64] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(&json);
    out.extend_from_slice(&payload);
    out.resize(total, 0);
    Ok(out)
}

/// Finds every container in the bytes of the section.
///
/// # Errors
/// A text that says what is damaged and where.
pub fn unpack(mut section: &[u8]) -> Result<Vec<Container<'_>>, String> {
    let whole = section.len();
    let mut found = Vec::new();
    while section.len() >= HEADER {
        let at = whole - section.len();
        let word = |i: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&section[8 * i..8 * i + 8]);
            u64::from_le_bytes(bytes)
        };
        if word(0) == 0 {
            section = &section[8..];
            continue;
        }
        if word(0) != MAGIC {
            return Err(format!(
                "no device image starts at byte {at} of section `{SECTION}`"
            ));
        }
        let damaged = || format!("the device image at byte {at} of section `{SECTION}` is cut off");
        let total = usize::try_from(word(1)).map_err(|_| damaged())?;
        let json = usize::try_from(word(2)).map_err(|_| damaged())?;
        let body = section.get(HEADER..total).ok_or_else(damaged)?;
        let (json, payload) = body.split_at_checked(json).ok_or_else(damaged)?;
        let manifest = crate::read(json).map_err(|e| {
            format!("the device image at byte {at} has an unreadable manifest: {e}")
        })?;
        found.push(Container { manifest, payload });
        section = &section[total..];
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(target: &str) -> Manifest {
        Manifest {
            target: target.into(),
            failure: None,
            kernels: vec![],
            images: vec![],
            symbols: vec![],
        }
    }

    #[test]
    fn two_containers_with_padding_between_are_found() {
        let mut section = vec![0; 16];
        section.extend(
            pack(
                manifest("a"),
                &[(75, false, "one".into()), (90, true, "two".into())],
            )
            .unwrap(),
        );
        section.extend([0; 48]);
        section.extend(pack(manifest("b"), &[]).unwrap());
        let found = unpack(&section).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[0].ptx(&found[0].manifest.images[1]),
            Some(&b"two\0"[..])
        );
        assert_eq!(found[1].manifest.target, "b");
    }

    #[test]
    fn a_cut_container_is_an_error() {
        let whole = pack(manifest("a"), &[(75, false, "text".into())]).unwrap();
        assert!(
            unpack(&whole[..whole.len() - 16])
                .unwrap_err()
                .contains("cut off")
        );
    }
}
