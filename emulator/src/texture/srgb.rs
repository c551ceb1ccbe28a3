//! From sRGB to linear.
use super::filter::Part;

pub(super) fn sum(_parts: &[Part]) -> u32 {
    0
}
