//! Performance, as a run with lints shows it.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom_emulator::check::{AccessCosts, Code, Mode, Options, Report};
use warploom_emulator::texture::{
    Coordinates, Dimensions, Format, Image, Layout, Level, Request, Sampling, TextureObject,
};
use warploom_emulator::{Shape, Together, intrinsics, run_with};

use crate::support::*;

/// What a run with lints finds: the same with one OS thread and with three.
fn lints(blocks: u32, threads: u32, program: impl Fn() + Sync) -> Vec<Report> {
    let run = |workers| {
        let shape = Shape {
            workers: Some(workers),
            ..Shape::new([blocks, 1, 1], [threads, 1, 1])
        };
        let mut options = Options::default();
        (options.mode, options.lints) = (Mode::Checked, true);
        let outcome = run_with(shape, Together::default(), &options, &program);
        assert_eq!(outcome.fault, None);
        assert!(outcome.profile.is_some());
        // Shared memory lies elsewhere on another OS thread.
        let mut reports = outcome.reports;
        reports.sort_by_key(|report| (report.code, report.title.clone()));
        reports
    };
    let one = run(1);
    assert_eq!(run(3), one, "with three OS threads, and with one");
    one
}

#[test]
fn a_column_of_global_memory_is_uncoalesced() {
    let x = Buffer::<u32>::new("x", 64 * 32 * 32);
    let line = line!() + 2;
    let found = lints(64, 32, || {
        load(x.at(32 * 32 * block() + 32 * me()));
    });
    let (lines, count) = only(&found, Code::UNCOALESCED);
    assert_eq!((lines, count), (vec![line], 64));
    let who = found[0].sides[0].who.unwrap();
    assert_eq!((who.block, who.thread), ([0, 0, 0], [0, 0, 0]));
}

#[test]
fn a_row_of_global_memory_is_not() {
    let x = Buffer::<u32>::new("x", 64 * 32);
    assert_eq!(lints(64, 32, || _ = load(x.at(32 * block() + me()))), []);
}

#[test]
fn a_column_of_a_tile_conflicts() {
    let found = lints(64, 32, || {
        store(tile(32 * me() % 1024), 0);
    });
    let (_, count) = only(&found, Code::BANK_CONFLICT);
    assert_eq!(count, 64);
    assert!(found[0].title.starts_with("32-way bank conflict"));
}

#[test]
fn half_a_warp_is_divergent() {
    let found = lints(64, 64, || {
        store(tile(me()), 0);
        if me().is_multiple_of(4) {
            for _ in 0..4 {
                load(tile(me()));
            }
        }
    });
    let (lines, count) = only(&found, Code::DIVERGENCE);
    assert_eq!((lines.len(), count), (1, 64 * 2 * 4));
}

#[test]
fn a_barrier_between_a_write_and_its_reader_stays() {
    let found = lints(8, 64, || {
        store(tile(me()), 0);
        barrier();
        load(tile(63 - me()));
    });
    assert_eq!(found, []);
}

#[test]
fn a_barrier_at_the_end_orders_nothing() {
    let line = line!() + 3;
    let found = lints(8, 64, || {
        store(tile(me()), 0);
        barrier();
    });
    assert_eq!(only(&found, Code::REDUNDANT_BARRIER), (vec![line], 8));
}

#[test]
fn a_barrier_that_answers_stays() {
    let found = lints(8, 64, || {
        here();
        // SAFETY: all threads come here.
        unsafe { intrinsics::barrier_count(0, true) };
    });
    assert_eq!(found, []);
}

#[test]
fn threads_that_return_at_once_are_idle() {
    let found = lints(8, 64, || {
        if me() < 32 {
            store(tile(me()), 0);
        }
    });
    let (lines, count) = only(&found, Code::IDLE_LANES);
    assert_eq!((lines, count), (vec![], 8 * 32));
}

#[test]
fn warp_operations_part_what_lanes_do() {
    let x = Buffer::<u32>::new("x", 32);
    let found = lints(64, 32, || {
        for _ in 0..4 {
            load(x.at(me()));
            here();
            intrinsics::warp_sync(u32::MAX);
        }
    });
    assert_eq!(found, []);
}

#[test]
fn a_counter_of_all_threads_is_contended() {
    let n = Buffer::<u32>::new("n", 1);
    let found = lints(32, 64, || {
        add(n.at(0), 1, RELAXED | DEVICE);
    });
    let (lines, count) = only(&found, Code::CONTENTION);
    assert_eq!((lines.len(), count), (1, 2048));
    assert!(found[0].title.contains("2\u{a0}048 threads"));
}

#[test]
fn polls_of_one_address_are_not_contention() {
    let n = Buffer::<u32>::new("n", 1);
    let found = lints(32, 64, || {
        get(n.at(0), RELAXED | DEVICE);
        load_volatile(n.at(0));
    });
    assert_eq!(found, []);
}

#[test]
fn nothing_is_watched_unless_asked_for() {
    let shape = Shape::new([1, 1, 1], [32, 1, 1]);
    let mut options = Options::default();
    options.mode = Mode::Checked;
    let outcome = run_with(shape, Together::default(), &options, &barrier);
    assert!(outcome.profile.is_none() && outcome.reports.is_empty());
}

/// What a run with lints finds where the lanes of a warp read these columns and rows of a picture of 64 by 64 words through a texture.
fn reads_of_a_picture(layout: Layout, place: impl Fn(usize) -> [usize; 2] + Sync) -> Vec<Report> {
    let x = Buffer::<u32>::new("x", 64 * 64);
    let level = Level {
        offset: 0,
        width: 64,
        height: 64,
        depth: 1,
        row_pitch: 256,
        slice_pitch: 64 * 256,
    };
    let image = Image {
        base: x.at(0).cast(),
        format: Format::Unsigned32,
        channels: 1,
        dimensions: Dimensions::D2,
        layout,
        levels: vec![level],
    };
    let sampling = Sampling::default();
    let object = TextureObject { image, sampling };
    let handle = (&raw const object).expose_provenance() as u64;
    lints(64, 32, || {
        let [column, row] = place(me()).map(|at| at as f32 + 0.5);
        let request = Request::new(Coordinates::Float([column, row, 0.0]));
        let mut out = [0; 4];
        // SAFETY: the object and its elements live until the launch ends, and are only read; `out` has four words.
        unsafe { intrinsics::texture_fetch(out.as_mut_ptr(), handle, &request) };
    })
}

#[test]
fn reads_of_an_array_are_counted_by_tiles() {
    assert_eq!(reads_of_a_picture(Layout::Tiles, |lane| [lane, 3]), []);
    assert_eq!(
        reads_of_a_picture(Layout::Tiles, |lane| [lane % 8, lane / 8]),
        []
    );
    let found = reads_of_a_picture(Layout::Tiles, |lane| [3, lane]);
    let (_, count) = only(&found, Code::SCATTERED_FETCHES);
    assert_eq!(count, 64);
}

#[test]
fn reads_of_pitched_memory_are_counted_by_rows() {
    assert_eq!(reads_of_a_picture(Layout::Rows, |lane| [lane, 3]), []);
    let found = reads_of_a_picture(Layout::Rows, |lane| [3, lane]);
    let (_, count) = only(&found, Code::UNCOALESCED);
    assert_eq!(count, 64);
    assert!(
        found[0].title.contains("32 sectors per request"),
        "{}",
        found[0].title
    );
}

/// What accesses cost and what is found, where groups of rows are asked for by row, and where each read is announced; and how many groups of the former were told at once.
fn in_rows_and_one_by_one(
    threads: u32,
    group: impl Fn() -> Vec<RowOf> + Sync,
) -> ([(AccessCosts, Vec<Report>); 2], u32) {
    let told = AtomicU32::new(0);
    let runs = [true, false].map(|in_rows| {
        let shape = Shape {
            workers: Some(1),
            ..Shape::new([3, 1, 1], [threads, 1, 1])
        };
        let mut options = Options::default();
        (options.mode, options.lints) = (Mode::Checked, true);
        let outcome = run_with(shape, Together::default(), &options, &|| {
            for i in 0..16 {
                store(tile(i * 64 + me() % 64), 1);
            }
            barrier();
            for _ in 0..3 {
                // Some announce all of them.
                let is_told = load_group(&group(), in_rows && me() % 7 != 3);
                told.fetch_add(is_told.into(), Relaxed);
            }
        });
        assert_eq!(outcome.fault, None);
        let mut reports = outcome.reports;
        reports.sort_by_key(|report| (report.code, report.title.clone()));
        (outcome.profile.unwrap().access_costs(), reports)
    });
    (runs, told.into_inner())
}

#[test]
fn rows_of_a_group_count_as_their_reads() {
    let x = Buffer::<u32>::new("x", 1 << 14);
    let ([rows, reads], told) = in_rows_and_one_by_one(64, || {
        vec![
            (tile(me() * 16 % 512).cast_const(), 1, 16, here_site()),
            // From the highest down, at one address by all.
            (tile(900).cast_const(), -9, 12, here_site()),
            (x.at(100 * me() + 600).cast_const(), -13, 20, here_site()),
            (x.at(me()).cast_const(), 32, 7, here_site()),
        ]
    });
    assert_eq!(rows, reads);
    // 306 when this test runs alone, from 296 on beside other tests.
    assert!(told > 200, "{told} of {}", 3 * 3 * 64);
}

#[test]
fn a_group_of_which_one_row_is_not_told_counts_once() {
    let x = Buffer::<u32>::new("x", 1 << 14);
    let ([rows, reads], told) = in_rows_and_one_by_one(64, || {
        // What is remembered of 4096 words lies side by side: some of the second rows have words of two such parts.
        let far = if me().is_multiple_of(2) { 0 } else { 4090 };
        vec![
            (tile(me() * 16 % 512).cast_const(), 2, 16, here_site()),
            (x.at(far).cast_const(), 1, 16, here_site()),
        ]
    });
    assert_eq!(rows, reads);
    assert!((1..400).contains(&told), "{told} of {}", 3 * 3 * 64);
}

#[test]
fn two_rows_of_one_site_count_in_the_order_of_the_code() {
    let ([rows, reads], told) = in_rows_and_one_by_one(64, || {
        let site = here_site();
        // The lanes of a warp have the same words in each read, whose order is that of the code.
        vec![
            (tile(0).cast_const(), 1, 16, site),
            (tile(512).cast_const(), 3, 16, site),
        ]
    });
    assert_eq!(rows, reads);
    assert_eq!(told, 0);
}

#[test]
fn rows_beyond_the_requests_that_are_analysed_count_as_their_reads() {
    let x = Buffer::<u32>::new("x", 1 << 14);
    let ([rows, reads], told) = in_rows_and_one_by_one(33, || {
        let count = 200 + me() as u32 % 5;
        vec![
            (x.at(8 * me()).cast_const(), 1, count, here_site()),
            (tile(0).cast_const(), 64, 16, here_site()),
        ]
    });
    assert_eq!(rows, reads);
    assert!(told > 100, "{told} of {}", 3 * 3 * 33);
}
