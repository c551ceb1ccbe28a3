//! Places in the source of instrumented code, numbered over the whole program.

use std::sync::{OnceLock, PoisonError};

use crate::sync::StaticMutex;

/// The number of a place in the source of instrumented code. 0 is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SiteId(pub u32);

/// A line of source text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Frame {
    /// Source file, as the compiler was given it.
    pub file: String,
    /// Line, from 1; 0 if it is not known.
    pub line: u32,
    /// Column, from 1; 0 if it is not known.
    pub column: u32,
    /// The function's name; empty if it is not known.
    pub function: String,
}

/// What is known of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteInfo {
    /// The place itself first, then where it was inlined, innermost first. A registered place has one at least.
    pub frames: Vec<Frame>,
    /// Which of `frames` a reader wants to see: the innermost that is neither of the standard library nor of the device library.
    pub shown: usize,
}

impl SiteInfo {
    /// The line to show.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        static UNKNOWN: Frame = Frame {
            file: String::new(),
            line: 0,
            column: 0,
            function: String::new(),
        };
        let frame = self.frames.get(self.shown);
        frame.or(self.frames.first()).unwrap_or(&UNKNOWN)
    }
}

struct Chunk {
    first: u32,
    sites: Vec<SiteInfo>,
}

static CHUNKS: OnceLock<StaticMutex<Vec<&'static Chunk>>> = OnceLock::new();

/// Numbers the places of one piece of instrumented code: that of `sites[i]` is the result plus `i`. They stay for ever.
pub fn register(mut sites: Vec<SiteInfo>) -> u32 {
    for site in &mut sites {
        if site.frames.is_empty() {
            site.frames.push(Frame::default());
        }
        site.shown = site.shown.min(site.frames.len() - 1);
    }
    let chunks = CHUNKS.get_or_init(StaticMutex::default);
    let mut chunks = chunks.lock().unwrap_or_else(PoisonError::into_inner);
    let first = chunks
        .last()
        .map_or(1, |chunk| chunk.first + chunk.sites.len() as u32);
    chunks.push(Box::leak(Box::new(Chunk { first, sites })));
    first
}

/// What is known of a place.
#[must_use]
pub fn site(id: SiteId) -> Option<&'static SiteInfo> {
    let chunks = CHUNKS.get()?;
    let chunks = chunks.lock().unwrap_or_else(PoisonError::into_inner);
    let at = chunks
        .partition_point(|chunk| chunk.first <= id.0)
        .checked_sub(1)?;
    let chunk = chunks[at];
    chunk.sites.get((id.0 - chunk.first) as usize)
}
