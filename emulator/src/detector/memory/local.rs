//! Accesses outside of a local variable. Instrumented code compares offsets with the variable's size itself, and comes here when one is outside.

use super::init::tell;
use super::report::{lane_side, users_site};
use super::words::Count;
use crate::engine::fiber::{end_lane, with_running};
use crate::finding::{Code, Report};
use crate::site::SiteId;

/// The lane that runs is about to access `bytes` bytes, `offset` bytes behind the start of a local variable of `size` bytes, which does not have them all. Ends the lane, if
/// accesses are checked.
#[cold]
pub(crate) fn outside(offset: i64, bytes: u64, size: u64, writes: bool, site: u32) {
    let checked = with_running(|running| running.checks.is_some());
    if checked == Some(true) {
        let site = SiteId(site);
        tell(Code::LOCAL_BOUNDS, users_site(site), || {
            report(offset, bytes, size, writes, site)
        });
        end_lane();
    }
}

fn report(offset: i64, bytes: u64, size: u64, writes: bool, site: SiteId) -> Report {
    let how_far = match u64::try_from(offset) {
        Err(_) => format!("{} before its start", far(offset.unsigned_abs())),
        Ok(offset) if offset < size => {
            format!("the last {} past its end", far(offset + bytes - size))
        }
        Ok(offset) if offset == size => "just past its end".to_owned(),
        Ok(offset) => format!("{} past its end", far(offset - size)),
    };
    // The type of its elements is not known here; the access has their size as a rule.
    let element = if size.is_multiple_of(bytes) && offset % bytes.cast_signed() == 0 {
        format!(
            ", element {} of {} if they have {bytes} bytes",
            offset / bytes.cast_signed(),
            size / bytes
        )
    } else {
        String::new()
    };
    let verb = if writes { "writes" } else { "reads" };
    let title = format!("out of bounds of a local variable of {}", far(size));
    let did = format!("{verb} {}, {how_far}{element}", far(bytes));
    Report::new(Code::LOCAL_BOUNDS, title)
        .side(lane_side(site, &did))
        .why("other local variables of the thread lie there, or what a function returns to: on a GPU the access changes or reads those, and nothing ends the launch")
        .help("compare the index with the array's length, or make the array as long as the largest index needs; indexing (`array[k]`) panics instead")
}

fn far(bytes: u64) -> Count {
    Count(bytes as usize, "byte")
}
