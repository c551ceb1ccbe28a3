//! Findings about addresses in words.

use super::Allocation;
use super::allocation::End;
use super::classify::{Access, Finding, How, In, Wrong, distance};
use super::parts::Part;
use super::words::{Count, Words};
use crate::engine::fiber::with_running;
use crate::engine::shared_array::Array;
use crate::finding::{Code, Report, Side, Who, trace};
use crate::site::SiteId;

impl Finding<'_> {
    /// The finding in words, for the lane that runs.
    pub(crate) fn report(&self) -> Report {
        let access = self.access;
        match &self.wrong {
            Wrong::Outside(one) => self.outside(one),
            Wrong::OutsidePart(one, part) => self.outside_part(one, *part),
            Wrong::OutsideShared(array, offset) => outside_shared(access, *array, *offset),
            Wrong::Freed(one) => self.freed(one),
            Wrong::Misaligned(place) => self.misaligned(place),
            Wrong::ReadOnly(one) => self.read_only(one),
            Wrong::Unwritten(one, missing) => self.unwritten(one, *missing),
            Wrong::Stack => stack(access),
            Wrong::Null => null(access),
            Wrong::Host(what, nearest) => self.host(what, nearest.as_deref()),
            Wrong::Nowhere(nearest) => {
                let title = format!("address {:#x} is no memory", access.address);
                let report = Report::new(Code::GLOBAL_BOUNDS, title)
                    .side(side(access, &format!("{} there", access.did())))
                    .why("nothing was ever allocated at this address, or near it");
                self.far(report, nearest.as_deref())
                    .help("check how the address is computed: an index, an offset in bytes instead of elements, an integer that was no address")
            }
        }
    }

    pub(super) fn words<'a>(&'a self, one: &'a Allocation) -> Words<'a> {
        Words::new(self.snapshot, one, self.access.address)
    }

    fn outside(&self, one: &Allocation) -> Report {
        let Access { address, bytes, .. } = self.access;
        let words = self.words(one);
        let (element, whole) = (words.element(address), words.whole());
        let title = format!(
            "`{element}` is out of bounds: `{whole}` has {}",
            words.length()
        );
        let title = match element.contains(' ') {
            true => format!("{element} is out of bounds: there are {}", words.length()),
            false => title,
        };
        let far = distance(one, address);
        let (how_far, help) = if one.contains(address) {
            let over = address + bytes - one.end();
            let how_far = format!("the last {} past the end", Count(over, "byte"));
            (how_far, "an access of several elements at once needs all of them: handle the last elements one by one".to_owned())
        } else if address < one.start {
            let how_far = format!("{} before the start", Count(far, "byte"));
            (how_far, "an index below 0 wraps to a very large one: compare before the subtraction, or skip the threads at the edge".to_owned())
        } else {
            let how_far = match far {
                0 => "just past the end".to_owned(),
                _ => format!("{} past the end", Count(far, "byte")),
            };
            let help = format!(
                "let only threads whose index is below {} do this, or launch fewer",
                words.len()
            );
            (how_far, help)
        };
        let did = format!(
            "{} {element} ({bytes} bytes), {how_far}",
            self.access.verb()
        );
        let report = Report::new(Code::GLOBAL_BOUNDS, title).side(side(self.access, &did));
        with(report, words.made()).help(help)
    }

    fn outside_part(&self, one: &Allocation, part: Part) -> Report {
        let Access { address, bytes, .. } = self.access;
        let words = self.words(one);
        let (element, whole) = (words.element(address), words.whole());
        let title = format!(
            "`{element}` is out of bounds: the launch passes a part of {}, and `{whole}` has {}",
            words.without_a_name(),
            words.length()
        );
        let how_far = if address < part.start {
            format!("{} before its start", Count(part.start - address, "byte"))
        } else if address < part.end {
            let over = address + bytes - part.end;
            format!("the last {} past its end", Count(over, "byte"))
        } else if address == part.end {
            "just past its end".to_owned()
        } else {
            format!("{} past its end", Count(address - part.end, "byte"))
        };
        let did = format!(
            "{} {element} ({bytes} bytes), {how_far}",
            self.access.verb()
        );
        let report = Report::new(Code::GLOBAL_BOUNDS, title)
            .side(side(self.access, &did))
            .why("a kernel may access no more than the slices that it is given, although the buffer goes on there; on a GPU such an access is not noticed");
        with(report, words.made())
            .help("let only threads whose index is in the slice do this, or pass as much of the buffer as the kernel uses")
    }

    fn freed(&self, one: &Allocation) -> Report {
        let words = self.words(one);
        let element = words.element(self.access.address);
        let did = format!(
            "{} {element} ({} bytes)",
            self.access.verb(),
            self.access.bytes
        );
        let title = format!("use of freed memory: {element}");
        let report = Report::new(Code::USE_AFTER_FREE, title).side(side(self.access, &did));
        let report = with(report, freed_side(one.ending()));
        with(report, words.made()).help(
            "keep the memory until no kernel that has its address will run: an address does not keep a buffer alive, a slice does",
        )
    }

    fn misaligned(&self, place: &In) -> Report {
        let Access { address, align, .. } = self.access;
        let what = match place {
            In::Global(one) => self.words(one).element(address),
            In::Shared => "shared memory".to_owned(),
            In::Stack => "a local variable".to_owned(),
        };
        let rest = Count(address & (align - 1), "byte");
        let title = format!("misaligned access to {what}: {rest} past a multiple of {align}");
        let did = format!("{} of {what}, at address {address:#x}", self.access.did());
        let report = Report::new(Code::MISALIGNED, title)
            .side(side(self.access, &did))
            .why(format!(
                "an access of this type needs an address that is a multiple of {align}; a GPU ends the launch otherwise"
            ));
        let report = match place {
            In::Global(one) => with(report, self.words(one).made()),
            In::Shared | In::Stack => report,
        };
        report.help("start vectors at an index that is a multiple of their length, or use `read_unaligned` and `write_unaligned`")
    }

    fn read_only(&self, one: &Allocation) -> Report {
        let words = self.words(one);
        let element = words.element(self.access.address);
        let title = format!("write to read-only memory: {element}");
        let did = format!(
            "{} {element} ({} bytes)",
            self.access.verb(),
            self.access.bytes
        );
        let (why, help) = match one.kind {
            super::Kind::Parameter => (
                "parameters of a kernel are in constant memory: all threads have the same ones",
                "copy the parameter into a local variable, and change that",
            ),
            super::Kind::Global => (
                "the launch passes this memory to the kernel as a shared slice only: no thread may write it meanwhile, and a GPU may read it through a cache that does not see writes",
                "pass it as an output, as a slice of atomics, or as a raw pointer",
            ),
            _ => (
                "kernels only read constant memory; the host writes it between launches",
                "use a `device_static!` or a buffer for what kernels write",
            ),
        };
        let report = Report::new(Code::READ_ONLY, title).side(side(self.access, &did));
        with(report.why(why), words.made()).help(help)
    }

    fn host(&self, what: &str, nearest: Option<&Allocation>) -> Report {
        let address = self.access.address;
        let title = format!("address {address:#x} is memory of the host");
        let report = Report::new(Code::HOST_MEMORY, title)
            .side(side(self.access, &format!("{} there", self.access.did())))
            .why(format!(
                "this is {what}: a GPU cannot reach it, although the emulator could"
            ));
        self.far(report, nearest).help(
            "copy the data into a buffer (`device.upload`) and hand that to the kernel; a `managed_static!` is seen from both sides",
        )
    }

    /// Which index it would be, if the address was meant for the nearest memory.
    fn far(&self, report: Report, nearest: Option<&Allocation>) -> Report {
        let Some(one) = nearest else {
            return report;
        };
        let words = self.words(one);
        let far = distance(one, self.access.address);
        let side = match self.access.address < one.start {
            true => "before its start",
            false => "past its end",
        };
        report.note(format!(
            "the nearest memory of the device is {}, with {}: this is {} {side}, where {} would be",
            words.whole(),
            words.length(),
            Count(far, "byte"),
            words.element(self.access.address),
        ))
    }
}

fn outside_shared(access: Access, array: Option<Array>, offset: isize) -> Report {
    let Access { bytes, .. } = access;
    let Some(array) = array else {
        let title = "out of bounds in shared memory: the block has none";
        return Report::new(Code::SHARED_BOUNDS, title)
            .side(side(access, &format!("{} of it", access.did())))
            .why("the kernel declares no shared memory before this access, and was launched without dynamic shared memory")
            .help("launch it with as many `dynamic_shared_bytes` as it uses");
    };
    let name = match array.type_name {
        None => "dynamic shared memory".to_owned(),
        Some(type_name) if array.site == 0 => format!("a {type_name}"),
        Some(_) => array.name(),
    };
    let whole = Count(array.bytes, "byte");
    let inside = offset - array.start.cast_signed();
    let far = Count(array.distance(offset), "byte");
    let how_far = if inside < 0 {
        format!("{far} before the start")
    } else if inside.cast_unsigned() < array.bytes {
        let over = inside.cast_unsigned() + bytes - array.bytes;
        format!("the last {} past the end", Count(over, "byte"))
    } else if far.0 == 0 {
        "just past the end".to_owned()
    } else {
        format!("{far} past the end")
    };
    // The array's elements are not known here; the access has their size as a rule.
    let unit = bytes.cast_signed();
    let element = (inside % unit == 0 && array.bytes % bytes == 0).then(|| {
        format!(
            ", element {} of {} if they have {bytes} bytes",
            inside / unit,
            array.bytes / bytes
        )
    });
    let title = format!("out of bounds in shared memory: {how_far} of {name} of {whole}");
    let did = format!(
        "{} of shared memory, {how_far} of {name}{}",
        access.did(),
        element.unwrap_or_default()
    );
    let help = match array.type_name {
        None => "launch with more `dynamic_shared_bytes`, or check the index against what there is",
        Some(_) => {
            "check the index against the array's length; rows with padding have more elements than columns"
        }
    };
    Report::new(Code::SHARED_BOUNDS, title)
        .side(side(access, &did))
        .why("on a GPU the next array lies there, or nothing: the access would change other data, or end the launch")
        .help(help)
}

fn stack(access: Access) -> Report {
    let title = "access to another thread's local memory";
    Report::new(Code::LOCAL_BOUNDS, title)
        .side(side(access, &format!("{} of another thread's local variables", access.did())))
        .why("local variables belong to one thread: on a GPU the same address means other memory in each thread")
        .help("hand values to other threads through shared memory, or by a shuffle")
}

fn null(access: Access) -> Report {
    let address = access.address;
    let title = match address {
        0 => "access through a null pointer".to_owned(),
        _ => format!(
            "access through a null pointer, {} on",
            Count(address, "byte")
        ),
    };
    Report::new(Code::GLOBAL_BOUNDS, title)
        .side(side(access, &format!("{} at address {address:#x}", access.did())))
        .why("no memory has an address below 65536")
        .help("check the pointer for null before its use, and where it comes from: an empty buffer, an address that the host never wrote")
}

/// Where memory was freed, as a line of a report.
pub(super) fn freed_side(end: Option<&End>) -> Option<Side> {
    let end = end?;
    if let Some((who, site)) = end.by {
        return Some(Side::at(site, who, "freed it"));
    }
    let place = trace::place(end.trace.as_ref()?)?;
    Some(Side {
        place: Some(place),
        stack: vec![],
        who: None,
        did: "freed here".to_owned(),
    })
}

fn with(report: Report, side: Option<Side>) -> Report {
    match side {
        Some(side) => report.side(side),
        None => report,
    }
}

/// The lane that runs, and what it did.
pub(super) fn side(access: Access, did: &str) -> Side {
    lane_side(access.site, did)
}

pub(super) fn lane_side(site: SiteId, did: &str) -> Side {
    match who() {
        Some(who) => Side::at(users_site(site), who, did),
        None => Side {
            who: None,
            ..Side::at(site, HOST, did)
        },
    }
}

/// The line to name of what the lane that runs does at `at`.
pub(super) fn users_site(at: SiteId) -> SiteId {
    let named = with_running(|running| {
        let checks = running.checks.as_deref()?;
        Some(checks.users_site(running.thread.get(), at))
    });
    named.flatten().unwrap_or(at)
}

const HOST: Who = Who {
    block: [0; 3],
    thread: [0; 3],
    warp: 0,
    lane: 0,
};

/// The lane that runs.
pub(crate) fn who() -> Option<Who> {
    with_running(|running| {
        let thread = running.thread.get();
        Who {
            block: running.registers.block.get(),
            thread: running.registers.place.get(),
            warp: thread / crate::engine::warp::LANES,
            lane: thread % crate::engine::warp::LANES,
        }
    })
}

impl Access {
    fn verb(&self) -> &'static str {
        match self.how {
            How::Reads => "reads",
            How::Writes => "writes",
            How::Changes => "atomically changes",
        }
    }

    /// `reads 4 bytes`.
    fn did(&self) -> String {
        format!("{} {}", self.verb(), Count(self.bytes, "byte"))
    }
}
