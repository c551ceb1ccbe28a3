//! Accesses outside of a surface, which has coordinates instead of addresses.

use super::init::tell;
use super::report::lane_side;
use crate::engine::fiber::{end_lane, with_running};
use crate::finding::{Code, Report};
use crate::site::SiteId;

/// The lane that runs accesses `bytes` bytes, an element, where a surface of these extents has none, in the mode in which that is an error. Ends the lane, if accesses are checked.
///
/// Of `at`, the first number counts bytes, the others rows and slices, layers or faces.
pub(crate) fn outside(at: [i32; 3], bytes: usize, extents: [u32; 3]) {
    let site = with_running(|running| {
        let site = SiteId(running.site.get());
        running.checks.as_deref().map(|_| site)
    });
    if let Some(site) = site.flatten() {
        tell(Code::SURFACE_BOUNDS, site, || {
            report(at, bytes, extents, site)
        });
        end_lane();
    }
}

fn report([x, y, z]: [i32; 3], bytes: usize, extents: [u32; 3], site: SiteId) -> Report {
    let [width, height, depth] = extents;
    let x = i64::from(x).div_euclid(bytes as i64);
    let (element, whole) = match extents {
        [_, 1, 1] => (format!("element {x}"), format!("{width} elements")),
        [_, _, 1] => (
            format!("element ({x}, {y})"),
            format!("{width} by {height} elements"),
        ),
        _ => (
            format!("element ({x}, {y}, {z})"),
            format!("{width} by {height} by {depth} elements"),
        ),
    };
    Report::new(
        Code::SURFACE_BOUNDS,
        format!("{element} is outside of the surface, which has {whole}"),
    )
    .side(lane_side(site, &format!("accesses {element} ({bytes} bytes)")))
    .why("a GPU ends the launch at such an access, and no later launch of the process runs")
    .help("compare the coordinates with `size()`, or use the access that is moved to the edge (`_clamped`) or left out (`_zero`)")
}
