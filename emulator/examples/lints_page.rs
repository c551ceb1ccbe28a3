//! Makes the page of `docs/pictures/`: a kernel with one of each weakness, as the lints show it.
//!
//! ```sh
//! cargo run -p warploom-emulator --example lints_page -- target/pages
//! ```
//!
//! Instrumented kernels tell the lints of their accesses by themselves. This program does it by hand, so that it needs no device compiler.

use std::collections::HashMap;
use std::panic::Location;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, PoisonError};
use std::{env, io};

use warploom_emulator::check::{
    Access, AccessKind, Frame, Lints, Page, SiteId, SiteInfo, Sources, Space, SyncKind, register,
};
use warploom_emulator::{Shape, intrinsics, run};

const N: usize = 512;
const TILE: usize = 32;

/// Transposes a matrix of `n` × `n`, tile by tile, and adds up its elements.
fn transpose_and_sum(input: &Array, output: &Array, total: &Array, tile: &Array, sums: &Array) {
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
        output.store((y0 + tx) * N + x0, 0);
    }
    // Every thread adds, though one per block would do.
    total.add(0, if t == 0 { sums.load(0) } else { 0 });
}

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).unwrap_or_else(|| "target/pages".into());
    let (grid, block) = ([(N / TILE) as u32, (N / TILE) as u32, 1], [32, 8, 1]);
    let shape = Shape {
        workers: Some(1), // one watcher
        ..Shape::new(grid, block)
    };
    let (input, output) = (
        Array::new(0x7f40_0000_0000, N * N),
        Array::new(0x7f40_0040_0000, N * N),
    );
    let total = Array::new(0x7f40_0080_0000, 1);
    let (tile, sums) = (Array::new(0x400, TILE * TILE), Array::new(0x1400, 256));
    for i in 0..N * N {
        input.cells[i].store((i % 7) as u32, Ordering::Relaxed);
    }
    watch(|watch| watch.lints = Some(Lints::new(grid, block)));
    let kernel = || {
        transpose_and_sum(&input, &output, &total, &tile, &sums);
        tell(|lints, block, thread| lints.exit(block, thread));
    };
    run(shape, &kernel).map_err(io::Error::other)?;
    let lints = watch(|watch| watch.lints.take());
    let profile = lints
        .ok_or_else(|| io::Error::other("nothing was watched"))?
        .finish();
    let page = Page {
        kernel: "transpose_and_sum::<32>",
        launch: "launch 1 at examples/lints_page.rs",
        device: "H200 (9.0), emulated",
        failure: None,
        profile: &profile,
        reports: &[],
    };
    let path = page.write(Path::new(&folder), &Sources::of_this_program())?;
    eprintln!("{}", path.display());
    Ok(())
}

/// Memory of a device, at an address of it.
struct Array {
    address: u64,
    cells: Vec<AtomicU32>,
}

impl Array {
    fn new(address: u64, len: usize) -> Self {
        let cells = (0..len).map(|_| AtomicU32::new(0)).collect();
        Self { address, cells }
    }

    #[track_caller]
    fn load(&self, at: usize) -> u32 {
        self.touch(at, AccessKind::Load);
        self.cells[at].load(Ordering::Relaxed)
    }

    #[track_caller]
    fn store(&self, at: usize, value: u32) {
        self.touch(at, AccessKind::Store);
        self.cells[at].store(value, Ordering::Relaxed);
    }

    #[track_caller]
    fn add(&self, at: usize, value: u32) {
        self.touch(at, AccessKind::Atomic);
        self.cells[at].fetch_add(value, Ordering::Relaxed);
    }

    #[track_caller]
    fn touch(&self, at: usize, kind: AccessKind) {
        let site = site(Location::caller());
        let shared = self.address < 0x10_0000;
        tell(|lints, block, thread| {
            lints.access(Access {
                site,
                block,
                thread,
                address: self.address + 4 * at as u64,
                bytes: 4,
                kind,
                space: Some(if shared { Space::Shared } else { Space::Global }),
            });
        });
    }
}

#[track_caller]
fn sync_threads() {
    let site = site(Location::caller());
    let last = watch(|watch| {
        watch.arrived = (watch.arrived + 1) % 256;
        watch.arrived == 0
    });
    if last {
        tell(|lints, block, _| lints.sync(SyncKind::Block, site, block, (0, 0)));
    }
    intrinsics::barrier(0);
}

/// The only worker's watcher.
#[derive(Default)]
struct Watch {
    lints: Option<Lints>,
    arrived: u32,
    sites: HashMap<&'static Location<'static>, SiteId>,
}

#[expect(clippy::disallowed_types, reason = "no model test runs an example")]
static WATCH: LazyLock<std::sync::Mutex<Watch>> = LazyLock::new(Default::default);

fn watch<R>(of: impl FnOnce(&mut Watch) -> R) -> R {
    of(&mut WATCH.lock().unwrap_or_else(PoisonError::into_inner))
}

fn tell(of: impl FnOnce(&mut Lints, u64, u32)) {
    let block = u64::from(intrinsics::block_idx_x())
        + (N / TILE) as u64 * u64::from(intrinsics::block_idx_y());
    let thread = intrinsics::thread_idx_x() + 32 * intrinsics::thread_idx_y();
    watch(|watch| {
        if let Some(lints) = &mut watch.lints {
            of(lints, block, thread);
        }
    });
}

fn site(at: &'static Location<'static>) -> SiteId {
    watch(|watch| {
        *watch.sites.entry(at).or_insert_with(|| {
            let frame = Frame {
                file: at.file().into(),
                line: at.line(),
                column: at.column(),
                function: "transpose_and_sum".into(),
            };
            SiteId(register(vec![SiteInfo {
                frames: vec![frame],
                shown: 0,
            }]))
        })
    })
}
