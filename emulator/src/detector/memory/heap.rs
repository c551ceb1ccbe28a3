//! The device's heap, from which kernels' `Box`, `Vec` and `String` come: each piece on its own, between zones that are not used.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, PoisonError};

use super::allocation::End;
use super::global::GlobalMemory;
use super::init::tell;
use super::report::{freed_side, lane_side, users_site, who};
use super::words::Count;
use super::{Allocation, registry};
use crate::engine::fiber::with_running;
use crate::engine::launch::Launch;
use crate::finding::{Code, Place, Report, Severity, Side};
use crate::memory_kind::{Birth, Kind};
use crate::site::{Origin, SiteId, site};
use crate::sync::StaticMutex;

/// What the driver's heap aligns to.
const ALIGN: usize = 16;

/// Bytes on each side of a piece that are not used.
const ZONE: usize = 256;

/// What CUDA's heap has if nothing is set.
const DEFAULT_LIMIT: usize = 8 << 20;

/// One heap for the process: what a kernel allocates may be freed by a later one.
static PIECES: StaticMutex<BTreeMap<usize, Piece>> = StaticMutex::new(BTreeMap::new());
static USED: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(DEFAULT_LIMIT);

struct Piece {
    memory: GlobalMemory,
    /// The run that allocated it: see [`run_of`].
    run: usize,
}

/// Bytes that kernels of instrumented code can allocate from now on, in all: 8 MiB if nothing was said. One for all emulators of the process.
pub fn limit_heap(bytes: usize) {
    LIMIT.store(bytes, Relaxed);
}

/// A piece of the device's heap for the lane that runs, aligned to 16 bytes, filled with 0xA5; null if there is no room, or for 0 bytes.
pub fn heap_alloc(bytes: u64) -> *mut u8 {
    let Ok(bytes) = usize::try_from(bytes) else {
        return ptr::null_mut();
    };
    if bytes == 0 || !reserve(bytes) {
        return ptr::null_mut();
    }
    let (made, layout) = (origin(here()), Layout::new::<u8>());
    let what = (Kind::Heap, Birth::Uninitialised);
    let Some(memory) = GlobalMemory::with_zone(ZONE, (bytes, layout), what, "", made) else {
        USED.fetch_sub(size(bytes), Relaxed);
        return ptr::null_mut();
    };
    let start = memory.start();
    let mut pieces = PIECES.lock().unwrap_or_else(PoisonError::into_inner);
    let run = with_running(|running| run_of(running.set.launch)).unwrap_or(0);
    pieces.insert(start.addr().get(), Piece { memory, run });
    start.as_ptr()
}

/// Frees what [`heap_alloc`] gave. What is no piece of the heap, or was freed before, stays as it is and is a finding.
pub(crate) fn heap_free(start: *mut u8) {
    if start.is_null() {
        return;
    }
    let piece = {
        let mut pieces = PIECES.lock().unwrap_or_else(PoisonError::into_inner);
        pieces.remove(&start.addr())
    };
    let site = here();
    match piece {
        Some(Piece { mut memory, .. }) => {
            USED.fetch_sub(size(memory.bytes()), Relaxed);
            let by = who().map(|who| (who, site));
            memory.free(End { trace: None, by });
        }
        None => tell(Code::BAD_FREE, site, || bad_free(start.addr(), site)),
    }
}

/// What a run is told from others by: only among those that run at the same time.
fn run_of(launch: &Launch) -> usize {
    ptr::from_ref(launch).addr()
}

/// Pieces of the heap that the run of `launch` leaves behind, which ends now: a note for each place where they were allocated, because a later
/// kernel may free them.
pub(crate) fn leaks(launch: &Launch) -> Vec<Report> {
    let mut left = Vec::new();
    {
        let mut pieces = PIECES.lock().unwrap_or_else(PoisonError::into_inner);
        for (start, piece) in pieces.iter_mut() {
            if piece.run == run_of(launch) {
                piece.run = 0;
                left.extend(registry::find(*start));
            }
        }
    }
    let mut by_place: BTreeMap<(&str, u32, u32), Vec<Arc<Allocation>>> = BTreeMap::new();
    for piece in left {
        let made = piece.made;
        let key = (made.file, made.line, made.column);
        by_place.entry(key).or_default().push(piece);
    }
    let places = by_place.into_values();
    places.map(|pieces| leak(&pieces)).collect()
}

fn leak(pieces: &[Arc<Allocation>]) -> Report {
    let bytes = pieces.iter().map(|piece| piece.bytes).sum();
    let (n, bytes) = (Count(pieces.len(), "piece"), Count(bytes, "byte"));
    let title = format!("{n} of the device's heap ({bytes}) not freed when the kernel ended");
    let mut report = Report::new(Code::LEAK, title)
        .why("what a kernel allocates stays until a kernel frees it, or the process lets go of the GPU")
        .help("drop the value in the kernel; if a later kernel frees it, all is well");
    report.severity = Severity::Note;
    match pieces.first().map(|piece| piece.made) {
        Some(made) if made.line != 0 => report.side(Side {
            place: Some(Place {
                file: made.file.to_owned(),
                line: made.line,
                column: made.column,
            }),
            stack: vec![],
            who: None,
            did: format!("{n} allocated here"),
        }),
        _ => report,
    }
}

fn bad_free(address: usize, site: SiteId) -> Report {
    let freed =
        registry::find_freed(address).filter(|one| one.kind == Kind::Heap && one.start == address);
    if let Some(freed) = freed {
        let title = format!(
            "a piece of the device's heap of {} is freed twice",
            Count(freed.bytes, "byte")
        );
        let report = Report::new(Code::BAD_FREE, title).side(lane_side(site, "frees it again"));
        let report = match freed_side(freed.ending()) {
            Some(side) => report.side(side),
            None => report,
        };
        return report.help("let one owner free it: two values were made of one address");
    }
    let what = match registry::find(address) {
        Some(one) if one.kind == Kind::Heap => format!(
            "it lies {} behind the start of a piece",
            Count(address - one.start, "byte")
        ),
        Some(_) => "it is memory of the device, but not of its heap".to_owned(),
        None => "nothing was allocated there".to_owned(),
    };
    Report::new(
        Code::BAD_FREE,
        format!("free of {address:#x}, which is no piece of the device's heap"),
    )
    .side(lane_side(site, "frees it"))
    .why(what)
    .help("free only what a kernel has allocated, by the address that it got")
}

/// Takes room for `bytes` bytes, if there is so much.
fn reserve(bytes: usize) -> bool {
    let taken = USED.try_update(Relaxed, Relaxed, |used| {
        let used = used.checked_add(size(bytes))?;
        (used <= LIMIT.load(Relaxed)).then_some(used)
    });
    taken.is_ok()
}

/// What a piece takes of the heap.
fn size(bytes: usize) -> usize {
    bytes.checked_next_multiple_of(ALIGN).unwrap_or(usize::MAX)
}

/// From where the lane that runs calls: std allocates and frees for the user's line, in functions of its own.
fn here() -> SiteId {
    users_site(SiteId(
        with_running(|running| running.site.get()).unwrap_or(0),
    ))
}

fn origin(at: SiteId) -> Origin {
    site(at).map_or(Origin::default(), |info| {
        let frame = info.frame();
        Origin {
            file: &frame.file,
            line: frame.line,
            column: frame.column,
        }
    })
}
