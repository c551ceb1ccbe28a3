//! Where in the source something happens: a call that rustc compiled for the host, or a site of instrumented code.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::ptr;
use std::sync::PoisonError;

use crate::check::{Frame, SiteId, SiteInfo, register, site};
use crate::sync::StaticMutex;

/// A place in the source. As small as a reference: each lane that waits leaves one.
///
/// Two are equal if a reader would look at the same file, line and column.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// A location, whose address is even; or an odd address that is none: twice the number of a site, plus one.
    at: *const Location<'static>,
}

impl Place {
    /// No place.
    pub(crate) const NOWHERE: Self = Self {
        at: ptr::without_provenance(1),
    };

    /// Whether both came from the same call or site: quicker than to compare them, and may be false for equal ones.
    #[inline(always)]
    pub(crate) fn is_same(self, other: Self) -> bool {
        ptr::eq(self.at, other.at)
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

    /// The source file; empty if nobody registered the site.
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

impl PartialEq for Place {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.at, other.at) || self.parts() == other.parts()
    }
}

impl Eq for Place {}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            ("", ..) => f.write_str("an unknown place"),
            (file, line, column) => write!(f, "{file}:{line}:{column}"),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::check::register;

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
        let here = || Place::of_call(Location::caller());
        assert_eq!(here(), here(), "the closure's own place");
        let one = Place::of_call(Location::caller());
        let two = Place::of_call(Location::caller());
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
        let place = |n| Place::of_site(first + n);
        assert_eq!(place(0).to_string(), "src/k.rs:3:7");
        assert_eq!(place(0), place(1), "the line that a reader looks at");
        assert_ne!(place(0), place(2));
        assert_eq!(place(2).site(), Some(SiteId(first + 2)));
    }

    #[test]
    fn an_unknown_site_is_no_place() {
        let place = Place::of_site(u32::MAX / 4);
        assert_eq!(
            (place.file(), place.line(), place.to_string()),
            ("", 0, "an unknown place".to_owned())
        );
    }
}
