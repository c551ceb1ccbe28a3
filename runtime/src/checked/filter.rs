//! Which launches the checking emulator checks: `WARPLOOM_CHECK_KERNELS` and `WARPLOOM_CHECK_LAUNCHES`.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

const KERNELS: &str = "WARPLOOM_CHECK_KERNELS";
const LAUNCHES: &str = "WARPLOOM_CHECK_LAUNCHES";

/// Which launches are checked where the emulator runs in checked mode; the others run in fast mode. CUDA: `--kernel-name`,
/// `--kernel-name-exclude`, `--launch-skip` and `--launch-count` of compute-sanitizer.
///
/// ```
/// use warploom_runtime::checked::Filter;
///
/// let filter = Filter::default().kernels("matmul,-matmul_naive")?.launches("2..=5")?;
/// assert!(filter.has_kernel("shop::matmul<f32>") && !filter.has_kernel("shop::matmul_naive"));
/// assert!(filter.has_launch("shop::matmul<f32>", 2) && !filter.has_launch("shop::matmul<f32>", 1));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Parts of names; none: all kernels.
    kernels: Vec<String>,
    /// Parts of the names of kernels that are left out.
    except: Vec<String>,
    /// Numbers of launches; none: all.
    launches: Vec<RangeInclusive<u64>>,
}

impl Filter {
    /// The same with kernels by name: parts of names with commas between them. A kernel is checked if its path with its generic arguments
    /// contains one of them, or all begin with `-`, and if it contains none of those that begin with `-`. Empty: all kernels.
    ///
    /// # Errors
    /// What is expected instead, if a name is empty.
    pub fn kernels(mut self, list: &str) -> Result<Filter, String> {
        for part in parts(list) {
            let (names, name) = match part.strip_prefix('-') {
                Some(name) => (&mut self.except, name.trim()),
                None => (&mut self.kernels, part),
            };
            if name.is_empty() {
                return Err("names of kernels, or parts of names, with commas between them are expected; `-` before a name leaves its kernels out".to_owned());
            }
            names.push(without_turbofish(name));
        }
        Ok(self)
    }

    /// The same with launches by number: numbers and ranges with commas between them, such as `1,4..=6,9..`. Launches of each device are counted
    /// from 1 on, as reports name them, whether they are checked or not. Empty: all launches.
    ///
    /// # Errors
    /// What is expected instead.
    pub fn launches(mut self, list: &str) -> Result<Filter, String> {
        for part in parts(list) {
            let range = range(part).ok_or("numbers of launches from 1 on with commas between them are expected, or ranges such as `2..=5`, `7..` and `..=3`")?;
            self.launches.push(range);
        }
        Ok(self)
    }

    /// Whether launches of this kernel are checked. `name`: its path with its generic arguments, as in `shop::transpose<32>`.
    #[must_use]
    pub fn has_kernel(&self, name: &str) -> bool {
        if self.kernels.is_empty() && self.except.is_empty() {
            return true; // as nearly always
        }
        let name = without_turbofish(name);
        let is_in = |list: &[String]| list.iter().any(|part| name.contains(part));
        (self.kernels.is_empty() || is_in(&self.kernels)) && !is_in(&self.except)
    }

    /// Whether the launch of this kernel is checked that is number `launch` of its device, from 1.
    #[must_use]
    pub fn has_launch(&self, name: &str, launch: u64) -> bool {
        let is_listed = self.launches.iter().any(|range| range.contains(&launch));
        (self.launches.is_empty() || is_listed) && self.has_kernel(name)
    }
}

/// What the environment asks for.
///
/// # Errors
/// What is wrong with a variable, and what it may say.
pub(crate) fn filter() -> Result<&'static Filter, String> {
    static FILTER: OnceLock<Result<Filter, String>> = OnceLock::new();
    let value = |name| {
        let value = std::env::var_os(name).unwrap_or_default();
        value.to_string_lossy().into_owned()
    };
    let read = || {
        let [kernels, launches] = [KERNELS, LAUNCHES].map(value);
        let filter = Filter::default().kernels(&kernels);
        let filter = filter.map_err(|expected| format!("{KERNELS}={kernels}: {expected}"))?;
        let filter = filter.launches(&launches);
        filter.map_err(|expected| format!("{LAUNCHES}={launches}: {expected}"))
    };
    FILTER.get_or_init(read).as_ref().map_err(Clone::clone)
}

/// What stands between commas; commas of generic arguments count as text. Nothing in an empty text.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    let parts = text.split(move |c| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|_| !text.trim().is_empty())
}

/// `transpose<32>` of `transpose::<32>`: `type_name` writes the one, reports the other.
fn without_turbofish(name: &str) -> String {
    name.replace("::<", "<")
}

fn range(text: &str) -> Option<RangeInclusive<u64>> {
    let number = |text: &str| text.trim().parse().ok().filter(|number| *number >= 1);
    let Some((first, last)) = text.split_once("..") else {
        let only = number(text)?;
        return Some(only..=only);
    };
    let first = match first.trim() {
        "" => 1,
        first => number(first)?,
    };
    let last = match last.strip_prefix('=') {
        Some(last) => number(last)?,
        None => last.trim().is_empty().then_some(u64::MAX)?,
    };
    (first <= last).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(kernels: &str, name: &str) -> bool {
        Filter::default().kernels(kernels).unwrap().has_kernel(name)
    }

    #[test]
    fn a_part_of_the_path_is_enough() {
        assert!(has("", "shop::scan"));
        assert!(has("shop::", "shop::scan") && has("can", "shop::scan"));
        assert!(!has("reduce", "shop::scan"));
        assert!(has("reduce, scan", "shop::scan"));
    }

    #[test]
    fn names_after_a_minus_are_left_out() {
        assert!(!has("-scan", "shop::scan") && has("-scan", "shop::reduce"));
        assert!(!has("shop,-scan", "shop::scan_blocks"));
        assert!(!has("shop,-scan", "depot::reduce"));
    }

    #[test]
    fn generic_arguments_are_part_of_the_name() {
        let name = "shop::transpose<f32, 32>";
        for wanted in [
            "transpose<f32, 32>",
            "transpose::<f32, 32>",
            "x,transpose<f32",
        ] {
            assert!(has(wanted, name), "{wanted}");
        }
        assert!(!has("transpose<f64, 32>", name));
    }

    #[test]
    fn launches_are_numbers_and_ranges() {
        let filter = Filter::default().launches("2, 4..=6,9..").unwrap();
        let checked: Vec<u64> = (1..12).filter(|n| filter.has_launch("k", *n)).collect();
        assert_eq!(checked, [2, 4, 5, 6, 9, 10, 11]);
        let first = Filter::default().kernels("scan").unwrap();
        let first = first.launches("..=3").unwrap();
        assert!(first.has_launch("scan", 3) && !first.has_launch("scan", 4));
        assert!(!first.has_launch("reduce", 1));
    }

    #[test]
    fn wrong_values_are_refused_with_what_is_expected() {
        for wrong in [",", "a,", "-", "a,-"] {
            let expected = Filter::default().kernels(wrong).unwrap_err();
            assert!(expected.starts_with("names of kernels, "), "{expected}");
        }
        for wrong in ["0", "x", "1,", "3..=2", "1..4", "-1", "..=0", "1-4"] {
            let expected = Filter::default().launches(wrong).unwrap_err();
            assert!(
                expected.starts_with("numbers of launches from 1 on "),
                "{expected}"
            );
        }
    }
}
