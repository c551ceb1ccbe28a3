//! Where in the source something happens: a call that rustc compiled for the host, or a numbered site of instrumented code.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::ptr;
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

/// Where in the source of the host something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Origin {
    /// Source file.
    pub file: &'static str,
    /// Line, from 1; 0 if it is not known.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl From<&'static Location<'static>> for Origin {
    fn from(at: &'static Location<'static>) -> Self {
        Self {
            file: at.file(),
            line: at.line(),
            column: at.column(),
        }
    }
}

/// What is known of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteInfo {
    /// The place itself first, then where it was inlined, innermost first. A registered place has one at least.
    pub frames: Vec<Frame>,
    /// Which of `frames` a reader wants to see: the innermost that is neither of the standard library nor of the device library. Their
    /// number: none is, and the reader wants to see who called this function.
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
        self.frames.get(self.shown_frame()).unwrap_or(&UNKNOWN)
    }

    /// Which of the frames is shown: the outermost if all are of libraries.
    pub(crate) fn shown_frame(&self) -> usize {
        self.shown.min(self.frames.len().saturating_sub(1))
    }

    /// Whether a frame is neither of the standard library nor of the device library.
    pub(crate) fn is_users(&self) -> bool {
        self.shown < self.frames.len()
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
        site.shown = site.shown.min(site.frames.len());
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

/// The innermost place of the user's code among `at` and the calls that led there, and the calls outside of it; `at` if there is none.
pub(crate) fn users_place(at: SiteId, calls: &[u32]) -> (SiteId, &[u32]) {
    let is_users = |at: SiteId| site(at).is_some_and(SiteInfo::is_users);
    if !is_users(at)
        && let Some(index) = calls.iter().rposition(|call| is_users(SiteId(*call)))
    {
        return (SiteId(calls[index]), &calls[..index]);
    }
    (at, calls)
}

/// A place in the source. As small as a reference: each lane that waits leaves one.
///
/// Two are equal if they name the same file, line and column.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    /// A location, whose address is even; or an odd address that is none: twice the number of a site, plus one.
    at: *const Location<'static>,
}

impl Site {
    /// No place.
    pub(crate) const NOWHERE: Self = Self {
        at: ptr::without_provenance(1),
    };

    /// Whether both came from the same call or site: quicker than to compare them, and may be false for equal ones.
    #[inline(always)]
    pub(crate) fn is_same(self, other: Self) -> bool {
        ptr::eq(self.at, other.at)
    }

    /// Orders the sites of one piece of instrumented code, and calls, in the same way in each run.
    #[inline(always)]
    pub(crate) fn rank(self) -> usize {
        self.at.addr()
    }

    /// Where a function of the emulator was called.
    #[inline(always)]
    pub(crate) fn of_call(location: &'static Location<'static>) -> Self {
        const { assert!(align_of::<Location<'static>>() > 1) }
        Self {
            at: ptr::from_ref(location),
        }
    }

    /// A place in instrumented code, which is not number 0.
    #[inline(always)]
    pub(crate) fn of_site(site: u32) -> Self {
        Self {
            at: ptr::without_provenance(site as usize * 2 + 1),
        }
    }

    /// The site, if it is one.
    #[inline(always)]
    pub(crate) fn site(self) -> Option<SiteId> {
        let at = self.at.addr();
        (at & 1 == 1).then_some(SiteId((at / 2) as u32))
    }

    fn location(self) -> Option<&'static Location<'static>> {
        // SAFETY: an even address came from a reference.
        (self.at.addr() & 1 == 0).then(|| unsafe { &*self.at })
    }

    fn info(self) -> Option<&'static SiteInfo> {
        self.site().and_then(site)
    }

    fn parts(self) -> (&'static str, u32, u32) {
        match (self.location(), self.info()) {
            (Some(location), _) => (location.file(), location.line(), location.column()),
            (None, Some(info)) => {
                let frame = info.frame();
                (&frame.file, frame.line, frame.column)
            }
            (None, None) => ("", 0, 0),
        }
    }

    /// The source file; empty if the site was not registered.
    pub(crate) fn file(self) -> &'static str {
        self.parts().0
    }

    /// The line, from 1; 0 if it is not known.
    pub(crate) fn line(self) -> u32 {
        self.parts().1
    }

    /// The column, from 1; 0 if it is not known.
    pub(crate) fn column(self) -> u32 {
        self.parts().2
    }

    /// The number of the site. Callers in native code get one here, so that reports can name places of both kinds.
    pub(crate) fn id(self) -> SiteId {
        static NATIVE: StaticMutex<BTreeMap<(&str, u32, u32), SiteId>> =
            StaticMutex::new(BTreeMap::new());
        let Some(location) = self.location() else {
            return self.site().unwrap_or_default();
        };
        let mut native = NATIVE.lock().unwrap_or_else(PoisonError::into_inner);
        let id = native.entry(self.parts()).or_insert_with(|| {
            let frame = Frame {
                file: location.file().to_owned(),
                line: location.line(),
                column: location.column(),
                function: String::new(),
            };
            SiteId(register(vec![SiteInfo {
                frames: vec![frame],
                shown: 0,
            }]))
        });
        *id
    }
}

impl PartialEq for Site {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.at, other.at) || self.parts() == other.parts()
    }
}

impl Eq for Site {}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            ("", ..) => f.write_str("an unknown place"),
            (file, line, column) => write!(f, "{file}:{line}:{column}"),
        }
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn frame(line: u32) -> Frame {
        Frame {
            file: "src/k.rs".into(),
            line,
            column: 7,
            function: "k".into(),
        }
    }

    #[test]
    fn calls_are_equal_by_line_and_column() {
        let here = || Site::of_call(Location::caller());
        assert_eq!(here(), here(), "the closure's own place");
        let one = Site::of_call(Location::caller());
        let two = Site::of_call(Location::caller());
        assert_ne!(one, two);
        assert_eq!((one.file(), one.line()), (file!(), line!() - 3));
    }

    #[test]
    fn a_site_is_what_was_registered() {
        let info = |shown, lines: &[u32]| SiteInfo {
            frames: lines.iter().copied().map(frame).collect(),
            shown,
        };
        let first = register(vec![info(1, &[900, 3, 40]), info(0, &[3]), info(0, &[4])]);
        let place = |n| Site::of_site(first + n);
        assert_eq!(place(0).to_string(), "src/k.rs:3:7");
        assert_eq!(place(0), place(1), "the line of the source");
        assert_ne!(place(0), place(2));
        assert_eq!(place(2).site(), Some(SiteId(first + 2)));
    }

    #[test]
    fn an_unknown_site_is_no_place() {
        let place = Site::of_site(u32::MAX / 4);
        assert_eq!(
            (place.file(), place.line(), place.to_string()),
            ("", 0, "an unknown place".to_owned())
        );
    }
}
