//! Makes the page of `docs/pictures/`: a kernel with one of each weakness, as the lints show it.
//!
//! ```sh
//! cargo run -p warploom-emulator --example lints_page -- target/pages
//! ```
//!
//! Kernels that the device linker instruments call the emulator's hooks by themselves. This program calls them by hand, so that it needs no
//! device compiler.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the body of a kernel is one sequence of intrinsics with one reason"
)]

use std::any::TypeId;
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::panic::Location;
use std::path::Path;
use std::sync::{LazyLock, PoisonError};
use std::{env, io, mem};

use warploom_emulator::check::{
    self, Birth, Frame, HOOKS, Kind, Mode, Options, Page, SiteInfo, Sources,
};
use warploom_emulator::{Shape, SharedKey, Together, intrinsics, run_with};

const N: usize = 512;
const TILE: usize = 32;

/// Transposes a matrix of `n` × `n`, tile by tile, and adds up its elements.
fn transpose_and_sum(input: &Array, output: &Array, marks: &Array, total: &Array) {
    let (tile, sums) = (shared(&TILE_KEY, TILE * TILE), shared(&SUMS_KEY, 256));
    let (tx, ty) = (
        intrinsics::thread_idx_x() as usize,
        intrinsics::thread_idx_y() as usize,
    );
    let (x0, y0) = (
        TILE * intrinsics::block_idx_x() as usize,
        TILE * intrinsics::block_idx_y() as usize,
    );
    let t = ty * TILE + tx;

    let mut sum = 0;
    for row in (ty..TILE).step_by(8) {
        let value = input.load((y0 + row) * N + x0 + tx);
        tile.store(row * TILE + tx, value);
        sum += value;
    }
    sync_threads();

    // The tile is read by columns: all lanes of a warp in one bank.
    for row in (ty..TILE).step_by(8) {
        let value = tile.load(tx * TILE + row);
        output.store((x0 + row) * N + y0 + tx, value);
    }
    sync_threads();

    sums.store(t, sum);
    sync_threads();
    // The lanes that go on lie further and further apart.
    let mut stride = 1;
    while stride < 256 {
        if t.is_multiple_of(2 * stride) {
            let other = sums.load(t + stride);
            sums.store(t, sums.load(t) + other);
        }
        sync_threads();
        stride *= 2;
    }

    // A mark for every element of the first column of the tile, down the matrix.
    if ty == 0 {
        marks.store((y0 + tx) * N + x0, 1);
    }
    // Every thread adds, though one per block would do.
    total.add(0, if t == 0 { sums.load(0) } else { 0 });
}

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).unwrap_or_else(|| "target/pages".into());
    let tiles = (N / TILE) as u32;
    let shape = Shape::new([tiles, tiles, 1], [TILE as u32, 8, 1]);
    let [input, output, marks, total] = [N * N, N * N, N * N, 1].map(Array::global);
    let mut options = Options::default();
    (options.mode, options.lints) = (Mode::Checked, true);
    let kernel = || transpose_and_sum(&input, &output, &marks, &total);
    let outcome = run_with(shape, Together::default(), &options, &kernel);
    let page = Page {
        kernel: "transpose_and_sum::<32>",
        launch: "launch 1 at examples/lints_page.rs",
        device: "emulated: 9.0 (H200)",
        failure: None,
        profile: &outcome.profile.unwrap_or_default(),
        reports: &outcome.reports,
    };
    let path = page.write(Path::new(&folder), &Sources::of_this_program())?;
    eprintln!("{}", path.display());
    Ok(())
}

/// Words of memory, global or shared.
struct Array {
    start: *mut u32,
    len: usize,
    /// Of global memory: aligned as a driver aligns it.
    _owned: Vec<Aligned>,
}

#[repr(align(256))]
struct Aligned {
    _words: UnsafeCell<[u32; 64]>,
}

// SAFETY: the kernel has no races; the checks would say so.
unsafe impl Sync for Array {}

impl Array {
    fn global(len: usize) -> Self {
        let words = || Aligned {
            _words: UnsafeCell::new([0; 64]),
        };
        let owned: Vec<_> = (0..len.div_ceil(64)).map(|_| words()).collect();
        let start = owned.as_ptr().cast_mut().cast::<u32>();
        check::allocate(
            start.cast(),
            4 * len,
            4,
            4,
            Kind::Global,
            Birth::Initialised,
            "array",
        );
        Self {
            start,
            len,
            _owned: owned,
        }
    }

    fn at(&self, index: usize) -> *mut u32 {
        assert!(index < self.len);
        self.start.wrapping_add(index)
    }

    #[track_caller]
    fn load(&self, index: usize) -> u32 {
        let at = self.at(index);
        (TABLE.load4)(at.cast(), site(Location::caller()));
        // SAFETY: within the memory; no other thread accesses the word at the same time.
        unsafe { at.read() }
    }

    #[track_caller]
    fn store(&self, index: usize, value: u32) {
        let at = self.at(index);
        (TABLE.store4)(at.cast(), value.into(), site(Location::caller()));
        // SAFETY: as above.
        unsafe { at.write(value) }
    }

    #[track_caller]
    fn add(&self, index: usize, value: u32) {
        (TABLE.at)(site(Location::caller()));
        // SAFETY: as above. Relaxed, for the whole device.
        unsafe { intrinsics::atomic_fetch_add_u32(self.at(index), value, 2) };
    }
}

struct Tile;
static TILE_KEY: SharedKey = SharedKey::new(TypeId::of::<Tile>(), "u32");
struct Sums;
static SUMS_KEY: SharedKey = SharedKey::new(TypeId::of::<Sums>(), "u32");

/// Words that the block shares.
fn shared(key: &'static SharedKey, len: usize) -> Array {
    Array {
        // SAFETY: no more than the block has room for, from the same place in all threads.
        start: unsafe { intrinsics::shared_static(key, 4 * len, 16) }.cast(),
        len,
        _owned: vec![],
    }
}

#[track_caller]
fn sync_threads() {
    (TABLE.at)(site(Location::caller()));
    intrinsics::block_barrier();
}

/// The hooks that the kernel needs.
struct Hooks {
    load4: extern "C-unwind" fn(*const u8, u32),
    store4: extern "C-unwind" fn(*const u8, u64, u32),
    at: extern "C-unwind" fn(u32),
}

static TABLE: LazyLock<Hooks> = LazyLock::new(|| {
    let find = |name: &str| {
        HOOKS
            .iter()
            .find(|hook| hook.name == name)
            .map(|hook| hook.address)
    };
    let address = |name: &str| find(name).unwrap_or(std::ptr::null());
    // SAFETY: the table holds functions of these types under these names.
    unsafe {
        Hooks {
            load4: mem::transmute::<*const (), extern "C-unwind" fn(*const u8, u32)>(address(
                "check.load4",
            )),
            store4: mem::transmute::<*const (), extern "C-unwind" fn(*const u8, u64, u32)>(
                address("check.store4"),
            ),
            at: mem::transmute::<*const (), extern "C-unwind" fn(u32)>(address("check.at")),
        }
    }
});

#[expect(clippy::disallowed_types, reason = "no model test runs an example")]
type Sites = std::sync::Mutex<HashMap<&'static Location<'static>, u32>>;

/// The number of a call's place.
fn site(at: &'static Location<'static>) -> u32 {
    static SITES: LazyLock<Sites> = LazyLock::new(Sites::default);
    let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    *sites.entry(at).or_insert_with(|| {
        let frame = Frame {
            file: at.file().into(),
            line: at.line(),
            column: at.column(),
            function: "transpose_and_sum".into(),
        };
        check::register(vec![SiteInfo {
            frames: vec![frame],
            shown: 0,
        }])
    })
}
