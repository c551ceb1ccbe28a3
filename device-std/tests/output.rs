//! Each space deals out every element once, whatever the sizes.
mod launch;
use launch::{Output, launch};
use warploom_device_std::*;

fn index<'k>() -> Index1D<'k> {
    // SAFETY: the launches of this file are one-dimensional; used in the thread that makes it.
    unsafe { Index1D::from_launch() }
}

const SIZES: [usize; 6] = [0, 1, 31, 99, 100, 1000];

#[test]
fn linear_deals_out_each_element_once() {
    for len in SIZES {
        let y = Output::new(0u32, len);
        let result = launch(3, 33, || {
            let mut y = y.slice::<Linear>();
            assert_eq!((y.len(), y.is_empty()), (len, len == 0));
            if let Some(y) = y.get_mut(index()) {
                *y += 1;
            }
        });
        let expected = Vec::from_iter((0..len).map(|at| u32::from(at < 99)));
        assert_eq!((result, y.read()), (Ok(()), expected), "{len} elements");
    }
}

#[test]
fn grid_stride_deals_out_each_element_once() {
    for len in SIZES {
        let y = Output::new(0usize, len);
        let result = launch(3, 7, || {
            for (at, y) in y.slice::<GridStride>().iter_mut(index()) {
                *y += at + 1;
            }
        });
        assert_eq!(
            (result, y.read()),
            (Ok(()), Vec::from_iter(1..=len)),
            "{len} elements"
        );
    }
}

#[test]
fn grid_stride_elements_may_be_held_together() {
    let y = Output::new(0u32, 50);
    let result = launch(2, 5, || {
        let mut slice = y.slice::<GridStride>();
        let held = Vec::from_iter(slice.iter_mut(index()));
        for (at, y) in held {
            *y = at as u32;
        }
    });
    assert_eq!((result, y.read()), (Ok(()), Vec::from_iter(0..50)));
}

#[test]
fn chunks_deal_out_whole_chunks_once() {
    for len in SIZES {
        let y = Output::new(0u32, len);
        let result = launch(5, 9, || {
            if let Some(chunk) = y.slice::<Chunks<7>>().get_mut(index()) {
                chunk.iter_mut().for_each(|y| *y += 1);
            }
        });
        let dealt = (len / 7).min(45) * 7;
        let expected = Vec::from_iter((0..len).map(|at| u32::from(at < dealt)));
        assert_eq!((result, y.read()), (Ok(()), expected), "{len} elements");
    }
}

#[test]
fn per_block_deals_out_one_element_to_each_block() {
    for len in [0, 5, 12, 20] {
        let y = Output::new(0u32, len);
        let result = launch((3, 2, 2), (4, 3), || {
            // SAFETY: used in the thread that makes it.
            let block = unsafe { Block::from_launch() };
            if let Some(y) = block
                .leader()
                .and_then(|leader| y.slice::<PerBlock>().get_mut(leader).map(|y| *y += 1))
            {
                y
            }
        });
        let expected = Vec::from_iter((0..len).map(|at| u32::from(at < 12)));
        assert_eq!((result, y.read()), (Ok(()), expected), "{len} elements");
    }
}

#[test]
fn per_warp_deals_out_one_element_to_each_warp() {
    // Blocks of 75 threads in rows: two whole warps, and one of eleven threads.
    for len in [0, 7, 18, 25] {
        let y = Output::new(0u32, len);
        let result = launch((3, 2), (5, 15), || {
            // SAFETY: used in the thread that makes it.
            let warp = unsafe { Warp::from_launch() };
            let leader = warp.leader();
            assert_eq!(leader.is_some(), warp.lane() == 0);
            if let Some(leader) = leader
                && let Some(y) = y.slice::<PerWarp>().get_mut(leader)
            {
                *y += 1 + warp.index();
            }
        });
        let dealt = |at: usize| if at < 18 { 1 + at as u32 % 3 } else { 0 };
        let expected = Vec::from_iter((0..len).map(dealt));
        assert_eq!((result, y.read()), (Ok(()), expected), "{len} elements");
    }
}

#[test]
fn matrix_keeps_to_its_width() {
    for (width, height) in [(1, 1), (5, 8), (9, 3), (40, 2)] {
        let m = Output::new(0u32, width * height);
        let result = launch((2, 2), (8, 4), || {
            // SAFETY: the launch is two-dimensional; used in the thread that makes it.
            let i = unsafe { Index2D::from_launch() };
            let mut m = m.matrix::<Linear>(width);
            assert_eq!((m.width(), m.height()), (width, height));
            if let Some(m) = m.get_mut(i) {
                *m += (i.y() * 100 + i.x()) as u32;
            }
        });
        let cell = |at: usize| {
            if at % width < 16 && at / width < 8 {
                (at / width * 100 + at % width) as u32
            } else {
                0
            }
        };
        assert_eq!(
            (result, m.read()),
            (Ok(()), Vec::from_iter((0..width * height).map(cell))),
            "{width} x {height}"
        );
    }
}

#[test]
fn patches_deal_out_whole_rectangles_once() {
    for (width, height) in [(1, 1), (6, 9), (7, 11), (40, 30)] {
        let m = Output::new(0u32, width * height);
        let result = launch((2, 2), (5, 2), || {
            // SAFETY: the launch is two-dimensional; used in the thread that makes it.
            let i = unsafe { Index2D::from_launch() };
            let mut m = m.matrix::<Patches<3, 2>>(width);
            if let Some(mut patch) = m.get_mut(i) {
                for row in 0..3 {
                    patch.row_mut(row).iter_mut().for_each(|value| *value += 1);
                }
            }
        });
        // Ten patches side by side and four above each other, if there is room for them.
        let (columns, rows) = ((width / 2).min(10) * 2, (height / 3).min(4) * 3);
        let cell = |at: usize| u32::from(at % width < columns && at / width < rows);
        assert_eq!(
            (result, m.read()),
            (Ok(()), Vec::from_iter((0..width * height).map(cell))),
            "{width} x {height}"
        );
    }
}

#[test]
fn a_patch_has_no_row_behind_its_last() {
    let m = Output::new(0u32, 16);
    let result = launch((1, 1), (1, 1), || {
        // SAFETY: the launch is two-dimensional; used in the thread that makes it.
        let i = unsafe { Index2D::from_launch() };
        if let Some(mut patch) = m.matrix::<Patches<2, 2>>(4).get_mut(i) {
            patch.row_mut(2)[0] = 1;
        }
    });
    let text = format!("{:?}", result.unwrap_err());
    assert!(text.contains("the len is 2 but the index is 2"), "{text}");
    assert_eq!(m.read(), vec![0; 16]);
}

#[test]
fn windows_deal_out_each_element_of_their_cores_once() {
    for len in SIZES {
        for threads in [1, 9, 14, 16, 33] {
            let (first, all) = (Output::new(0usize, len), Output::new(0usize, len));
            let result = launch(7, threads, || {
                // SAFETY: used in the thread that makes it.
                let t = unsafe { Block::from_launch() }.thread();
                let (mut first, mut all) = (
                    first.slice::<Windows<10, 3>>(),
                    all.slice::<Windows<10, 3>>(),
                );
                let place = first.position(index(), t);
                if let Some(y) = first.get_mut(index()) {
                    assert!((3..13).contains(&t));
                    *y += place as usize + 1;
                }
                for (slot, y) in all.iter_mut(index()) {
                    assert!((3..13).contains(&slot) && slot % threads as usize == t);
                    *y += element(slot) + 1;
                }
            });
            let written = |at: usize| at < 70;
            let first_of = |at: usize| {
                if written(at) && at % 10 + 3 < threads as usize {
                    at + 1
                } else {
                    0
                }
            };
            let all_of = |at: usize| if written(at) { at + 1 } else { 0 };
            assert_eq!(result, Ok(()));
            assert_eq!(
                first.read(),
                Vec::from_iter((0..len).map(first_of)),
                "{len} by {threads}"
            );
            assert_eq!(
                all.read(),
                Vec::from_iter((0..len).map(all_of)),
                "{len} by {threads}"
            );
        }
    }
    /// The element of a slot, counted otherwise than by `position`.
    fn element(slot: usize) -> usize {
        block_idx().x as usize * 10 + slot - 3
    }
}

#[test]
fn windows_without_a_halo_are_chunks_of_blocks() {
    let y = Output::new(0u32, 100);
    let result = launch(3, 32, || {
        for (slot, y) in y.slice::<Windows<40, 0>>().iter_mut(index()) {
            *y += block_idx().x * 100 + slot as u32 + 1;
        }
    });
    let of = |at: usize| (at / 40 * 100 + at % 40 + 1) as u32;
    assert_eq!(
        (result, y.read()),
        (Ok(()), Vec::from_iter((0..100).map(of)))
    );
}

#[test]
fn elements_of_a_window_may_be_held_together() {
    let y = Output::new(0u32, 50);
    let result = launch(3, 5, || {
        let mut slice = y.slice::<Windows<20, 2>>();
        let held = Vec::from_iter(slice.iter_mut(index()));
        for (slot, y) in held {
            *y = slot as u32;
        }
    });
    let of = |at: usize| at as u32 % 20 + 2;
    assert_eq!(
        (result, y.read()),
        (Ok(()), Vec::from_iter((0..50).map(of)))
    );
}

#[test]
fn windows_of_a_matrix_deal_out_each_element_once() {
    for (width, height) in [(1, 1), (6, 9), (7, 11), (40, 30)] {
        for block in [(6, 7), (8, 9), (4, 20)] {
            let m = Output::new(0u32, width * height);
            let result = launch((3, 4), block, || {
                // SAFETY: the launch is two-dimensional; used in the thread that makes it.
                let i = unsafe { Index2D::from_launch() };
                let mut m = m.matrix::<Windows2D<4, 3, 1, 2>>(width);
                let (x, y) = m.position(i);
                if let Some(m) = m.get_mut(i) {
                    *m += (y * 100 + x) as u32 + 1;
                }
            });
            let written = |x: usize, y: usize| {
                (x < 12 && y < 12) && x % 4 + 1 < block.0 as usize && y % 3 + 2 < block.1 as usize
            };
            let cell = |at: usize| {
                let (x, y) = (at % width, at / width);
                if written(x, y) {
                    (y * 100 + x + 1) as u32
                } else {
                    0
                }
            };
            assert_eq!(
                (result, m.read()),
                (Ok(()), Vec::from_iter((0..width * height).map(cell))),
                "{width} x {height} by {block:?}"
            );
        }
    }
}
