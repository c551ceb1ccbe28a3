//! What the checks know of a launch's arguments: the names of slices, which memory is only read, and where the values are that kernels only read.

use warploom_emulator::check::{self, Birth, Kind};

use crate::kernel::Kernel;
use crate::launch::arguments::Arg;
use warploom_device_std::layout;

/// The arguments of one launch, until it is dropped.
pub(crate) struct Parameters(Vec<*const u8>);

impl Parameters {
    /// For the next run on this OS thread.
    pub(crate) fn announce(kernel: &Kernel, args: &[Arg<'_>]) -> Parameters {
        let mut values = Vec::new();
        let layouts = || kernel.layouts.iter().copied();
        let may_be_written = |start: *const u8, bytes: usize| {
            // Without a layout for each, nothing is known of values.
            kernel.layouts.len() != args.len()
                || args
                    .iter()
                    .zip(layouts())
                    .any(|(arg, layout)| may_write(arg, layout, start, bytes))
        };
        announce_ways(kernel, args);
        for arg in args {
            if let Some((start, bytes)) = arg.slice() {
                check::name_view(start, bytes, arg.name());
                if arg.is_only_read() && !may_be_written(start, bytes) {
                    check::reads_only(start, bytes);
                }
            }
            if let Some(start) = arg.place() {
                let param = arg.param();
                let (bytes, align) = (param.size as usize, param.align as usize);
                // Of its elements nothing is known but what they are aligned to.
                let (kind, birth) = (Kind::Parameter, Birth::Initialised);
                check::allocate(start, bytes, align, align, kind, birth, arg.name());
                values.push(start);
            }
        }
        Parameters(values)
    }
}

impl Drop for Parameters {
    fn drop(&mut self) {
        check::forget_views(); // of a launch that did not run
        self.0.iter().for_each(|start| check::free(*start));
    }
}

/// Whether a kernel may get at memory by something else than slices: an address, or a value that may have one in it.
pub(crate) fn may_have_addresses(kernel: &Kernel, args: &[Arg<'_>]) -> bool {
    let may = |(arg, layout): (&Arg<'_>, u64)| {
        let size = arg.param().size;
        arg.slice().is_none() && arg.place().is_some() && (size > 8 || size == 8 && layout == 0)
    };
    kernel.layouts.len() != args.len() || args.iter().zip(kernel.layouts.iter().copied()).any(may)
}

/// By what a kernel gets at memory: slices, and what may be or have addresses.
fn announce_ways(kernel: &Kernel, args: &[Arg<'_>]) {
    if kernel.layouts.len() != args.len() {
        check::may_lead_to(None);
        return;
    }
    for (arg, layout) in args.iter().zip(kernel.layouts.iter().copied()) {
        match arg.slice() {
            Some((start, bytes)) => {
                check::gets_slice(start, bytes);
                // Elements that may be addresses.
                let (size, align) = (arg.param().size, arg.param().align);
                if size >= 8 && align >= 8 && layout != layout::name("f64") {
                    check::may_lead_to(None);
                }
            }
            None => check::may_lead_to(word(arg, layout)),
        }
    }
}

/// The word that an argument without a length is, 0 if it is too small for an address; `None`: it may have several in it.
fn word(arg: &Arg<'_>, layout: u64) -> Option<u64> {
    let Some(value) = arg.place() else {
        return Some(arg.address());
    };
    let (size, align) = (arg.param().size, arg.param().align);
    if size < 8 || align < 8 {
        return Some(0);
    }
    if size > 8 || !WORDS.contains(&layout) {
        return None; // its bytes may be padding, which must not be read
    }
    // SAFETY: the argument borrows a number or pointer of 8 bytes.
    Some(unsafe { value.cast::<u64>().read_unaligned() })
}

/// Whether an argument may lead a kernel to write some of these bytes: another slice of them, a pointer or number that is an address there, or a value
/// that may have such a word in it.
fn may_write(arg: &Arg<'_>, layout: u64, start: *const u8, bytes: usize) -> bool {
    let end = start.addr().saturating_add(bytes);
    if let Some((other, length)) = arg.slice() {
        let is_apart = other.addr() >= end || other.addr().saturating_add(length) <= start.addr();
        return !arg.is_only_read() && !is_apart;
    }
    word(arg, layout).is_none_or(|word| (start.addr() as u64..=end as u64).contains(&word))
}

/// The layouts of numbers of 8 bytes, and of raw pointers, which have none.
const WORDS: [u64; 6] = [
    0,
    layout::name("usize"),
    layout::name("isize"),
    layout::name("u64"),
    layout::name("i64"),
    layout::name("f64"),
];
