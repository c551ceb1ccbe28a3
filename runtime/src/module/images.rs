//! Which device code runs on which GPU, and which of several a GPU gets: rules alone, without any device.
//!
//! | code | runs on compute capability `X.y` |
//! |---|---|
//! | binary for `X.z` (`sm_Xz`) | if `z <= y`, within the same major number |
//! | binary for one family (`sm_Xzf`) or one GPU (`sm_Xza`) | as above; on `X.z` alone |
//! | PTX for `V.w` | if `V.w <= X.y`: the driver compiles it, for GPUs that came later too |
//! | PTX for one family, for one GPU | within the same major number; on that one alone |

use std::fmt;
use std::str::FromStr;

/// What code was made for: a compute capability, and how far beyond it the code goes.
///
/// ```
/// use warploom_runtime::module::images::Arch;
/// let hopper: Arch = "sm_90a".parse()?;
/// assert_eq!(hopper, Arch::exact(9, 0));
/// assert_eq!(Arch::new(8, 6).to_string(), "sm_86");
/// # Ok::<(), warploom_runtime::module::images::UnknownArch>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Arch {
    /// Major and minor compute capability.
    pub capability: (u32, u32),
    /// Where else the code runs.
    pub reach: Reach,
}

/// How far code goes beyond the compute capability that it was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// PTX on all later GPUs, binaries on those of the same major number.
    General,
    /// On later GPUs of the same major number: `sm_100f`.
    Family,
    /// On no other: `sm_90a`.
    Exact,
}

/// What the driver has to do with code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Compile it.
    Ptx,
    /// Load it.
    Binary,
}

/// A text that names no architecture.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no architecture; write it as `sm_90`, `sm_90a` or `sm_100f`")]
pub struct UnknownArch {
    /// The text.
    pub given: String,
}

impl Arch {
    /// Code that goes as far as its kind does: `sm_86` is `Arch::new(8, 6)`.
    #[must_use]
    pub const fn new(major: u32, minor: u32) -> Arch {
        Arch {
            capability: (major, minor),
            reach: Reach::General,
        }
    }

    /// Code for one compute capability alone: `sm_90a` is `Arch::exact(9, 0)`.
    #[must_use]
    pub const fn exact(major: u32, minor: u32) -> Arch {
        Arch {
            capability: (major, minor),
            reach: Reach::Exact,
        }
    }

    /// Code for a family: `sm_100f` is `Arch::family(10, 0)`.
    #[must_use]
    pub const fn family(major: u32, minor: u32) -> Arch {
        Arch {
            capability: (major, minor),
            reach: Reach::Family,
        }
    }

    /// Whether a GPU of this compute capability can load code that was made for `self`.
    ///
    /// ```
    /// use warploom_runtime::module::images::{Arch, Form};
    /// assert!(Arch::new(8, 0).runs_on(Form::Binary, (8, 6)));
    /// assert!(!Arch::new(8, 6).runs_on(Form::Binary, (8, 0)));
    /// assert!(!Arch::new(8, 0).runs_on(Form::Binary, (9, 0)));
    /// assert!(Arch::new(8, 0).runs_on(Form::Ptx, (9, 0)));
    /// ```
    #[must_use]
    pub fn runs_on(self, form: Form, device: (u32, u32)) -> bool {
        let same_major = self.capability.0 == device.0;
        match (self.reach, form) {
            (Reach::Exact, _) => self.capability == device,
            (Reach::Family, _) | (Reach::General, Form::Binary) => {
                same_major && self.capability.1 <= device.1
            }
            (Reach::General, Form::Ptx) => self.capability <= device,
        }
    }
}

/// The image that a GPU gets, by its position: binaries before PTX, which costs a compilation; among equals the one made for this GPU
/// alone, then the one for the newest GPU. `None` if none runs there.
///
/// ```
/// use warploom_runtime::module::images::{Arch, Form, choose};
/// let images = [(Form::Ptx, Arch::new(7, 5)), (Form::Binary, Arch::new(8, 0))];
/// assert_eq!(choose(&images, (7, 5)), Some(0));
/// assert_eq!(choose(&images, (8, 9)), Some(1));
/// assert_eq!(choose(&images, (9, 0)), Some(0));
/// assert_eq!(choose(&images, (7, 0)), None);
/// ```
#[must_use]
pub fn choose(images: &[(Form, Arch)], device: (u32, u32)) -> Option<usize> {
    let rank = |(form, arch): &(Form, Arch)| {
        let nearness = match arch.reach {
            Reach::Exact => 2,
            Reach::Family => 1,
            Reach::General => 0,
        };
        (*form == Form::Binary, nearness, arch.capability)
    };
    let runs = images
        .iter()
        .enumerate()
        .filter(|(_, (form, arch))| arch.runs_on(*form, device));
    // The first among equals.
    runs.rev()
        .max_by_key(|(_, image)| rank(image))
        .map(|(at, _)| at)
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.capability;
        let reach = match self.reach {
            Reach::General => "",
            Reach::Family => "f",
            Reach::Exact => "a",
        };
        write!(f, "sm_{major}{minor}{reach}")
    }
}

impl FromStr for Arch {
    type Err = UnknownArch;

    fn from_str(text: &str) -> Result<Arch, UnknownArch> {
        let unknown = || UnknownArch {
            given: text.to_owned(),
        };
        let number = text
            .strip_prefix("sm_")
            .or_else(|| text.strip_prefix("compute_"))
            .ok_or_else(unknown)?;
        let (digits, reach) = match number.as_bytes() {
            [.., b'a'] => (&number[..number.len() - 1], Reach::Exact),
            [.., b'f'] => (&number[..number.len() - 1], Reach::Family),
            _ => (number, Reach::General),
        };
        if digits.len() < 2 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(unknown());
        }
        let sm: u32 = digits.parse().map_err(|_| unknown())?;
        Ok(Arch {
            capability: (sm / 10, sm % 10),
            reach,
        })
    }
}

#[cfg(test)]
#[path = "images_tests.rs"]
mod tests;
