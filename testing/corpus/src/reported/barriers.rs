//! Barriers of the block that part of it does not reach, and waits that never end.

use warploom::device_std::Mbarrier;
use warploom::device_std::atomic::{AcqRel, Acquire, Atomic, Release, spin_wait};
use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// acts-project/acts#307: a barrier in a branch that depends on the thread's number; the others meet the next barrier instead.
#[kernel]
fn barrier_depends_on_the_thread<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let most = shared_array!(u32, 1);
    let t = block.thread();
    // SAFETY: barriers around the store. The bug is the point.
    unsafe {
        if t == 0 {
            most.set(0, 0);
        }
        block.sync();
        if t < 32 {
            if t == 0 {
                most.set(0, x[0]); //~? WL0101
            }
            if BUG {
                block.sync(); //~ WL0204 first
            }
        }
        if !BUG || t >= 32 {
            block.sync(); //~ WL0204 second
        }
        if let Some(y) = y.get_mut(i) {
            *y = most.get(0); //~? WL0101
        }
    }
}

/// pytorch/FBGEMM#5857: threads without an element return before the barriers of their group.
#[kernel]
fn trailing_groups_return<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let exponents = shared_array!(u32, 64);
    let (t, n) = (block.thread(), x.len());
    if BUG && i.get() >= n {
        return;
    }
    // SAFETY: each thread has its own element, a barrier before others read.
    unsafe {
        exponents.set(t, if i.get() < n { x[i.get()] } else { 0 });
        block.sync(); //~ WL0201
        let group = t / 8 * 8;
        if i.get() < n {
            let most = (0..8).map(|k| exponents.get(group + k)).max();
            *y.raw().add(i.get()) = most.unwrap_or(0);
        }
    }
}

/// 1bit-MONSTER/1bit-MONSTER#1262: a warp leaves the loop at an expert that is not there, and misses the barriers of the rest of the loop.
#[kernel]
fn warps_leave_the_loop<const BUG: bool>(
    block: Block,
    i: Index1D,
    experts: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let t = block.thread();
    let mut sum = 0;
    // SAFETY: barriers between writing and reading, and before the next round.
    unsafe {
        for round in 0..4 {
            let expert = experts[2 * round + t / 32];
            if BUG && expert == 99 {
                break;
            }
            tile.set(t, expert % 99);
            block.sync(); //~ WL0201
            sum += tile.get(t); //~? WL0201
            block.sync(); //~? WL0201
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// 1bit-MONSTER/1bit-MONSTER#620: the barrier stands within the branch of the first warp.
#[kernel]
fn barrier_within_the_first_warp<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let sums = shared_array!(u32, 4);
    let sum = warp.reduce_sum(x[i.get()]);
    // SAFETY: barriers between writing and reading. The bug is the point.
    unsafe {
        if warp.lane() == 0 {
            sums.set(warp.index() as usize, sum);
        }
        block.sync();
        if block.thread() < 32 {
            if block.thread() == 0 {
                sums.set(0, (0..2).map(|k| sums.get(k)).sum()); //~? WL0101
            }
            if BUG {
                block.sync(); //~ WL0201
            }
        }
        if !BUG {
            block.sync();
        }
        if let Some(y) = y.get_mut(i) {
            *y = sums.get(0); //~? WL0101
        }
    }
}

/// predibase/lorax#156: blocks take as many steps as their segment has, and wait for the grid in each.
#[kernel(cooperative)]
fn steps_of_the_segment<const BUG: bool>(
    grid: CooperativeGrid,
    block: Block,
    i: Index1D,
    steps: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let own = steps[block.index()];
    let most = steps.iter().copied().max().unwrap_or(0);
    let mut done = 0;
    for step in 0..if BUG { own } else { most } {
        done += u32::from(step < own);
        grid.sync(); //~ WL0222
    }
    if let Some(y) = y.get_mut(i) {
        *y = done;
    }
}

/// NVIDIA/cub#369: a barrier of the grid by hand, in a launch whose blocks need not all be there at once.
#[kernel]
fn grid_barrier_by_hand<const BUG: bool>(
    block: Block,
    i: Index1D,
    arrived: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    if block.leader().is_some() {
        arrived[0].fetch_add(1, AcqRel);
        if BUG {
            while arrived[0].load(Acquire) < grid_dim().x {
                //~?^ WL0221
                spin_wait(50); //~ WL0221
            }
        }
    }
    block.sync(); //~? WL0221
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}

/// 1bit-MONSTER/1bit-MONSTER#405: the experts spin on the flag of a router that did not run.
#[kernel(cooperative)]
fn router_did_not_run<const BUG: bool>(
    block: Block,
    i: Index1D,
    flags: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    if block.index() == 0 {
        if !BUG && block.thread() == 0 {
            flags[0].store(1, Release);
        }
    } else {
        while flags[0].load(Acquire) == 0 {
            //~?^ WL0221
            spin_wait(32); //~ WL0221
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = 2;
    }
}

/// NVIDIA/cuvs#1768: the step of a loop over the grid is the block's index times the number of blocks: 0 in block 0.
#[kernel]
fn step_of_block_0<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let (n, to) = (y.len(), y.raw());
    let threads = if BUG { block.index() } else { block.threads() };
    let mut at = i.get();
    while at < n {
        // SAFETY: below the end, and each thread has its own elements.
        unsafe { *to.add(at) = at as u32 }; //~ WL0224 //~? WL0114
        at += threads * grid_dim().x as usize;
    }
}

/// sonots/cumo#240: the step of a loop over the grid is a product of 32 bits that has wrapped to 0.
#[kernel]
fn step_has_wrapped<const BUG: bool>(i: Index1D, width: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    let step = if BUG {
        width.wrapping_mul(65_536) as usize
    } else {
        i.count()
    };
    let (mut at, mut sum) = (i.get(), 0_u32);
    while at < x.len() {
        sum = sum.wrapping_add(x[at]); //~ WL0224
        at += step;
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// NVIDIA/Fuser#4524: consumers wait for a stage behind the last one, whose barrier no thread arrives at.
#[kernel]
fn waits_behind_the_last_stage<const BUG: bool>(
    block: Block,
    i: Index1D,
    stages: u32,
    mut y: DisjointSlice<u32>,
) {
    let (memory, data) = (shared_array!(u64, 8), shared_array!(u32, 8));
    let (t, stages) = (block.thread(), stages as usize);
    // SAFETY: initialised by one thread, before the others use them; one arrival each. The bug is the point.
    unsafe {
        if t == 0 {
            for k in 0..8 {
                Mbarrier::new(memory, k).init(1);
                data.set(k, 0);
            }
        }
        block.sync();
        let mut sum = 0;
        if t == 0 {
            for k in 0..stages {
                data.set(k, k as u32 + 1);
                let _ = Mbarrier::new(memory, k).arrive();
            }
        } else if t >= 32 {
            for k in 0..8 {
                if BUG || k < stages {
                    Mbarrier::new(memory, k).wait_parity(0); //~ WL0220
                    sum += data.get(k);
                }
            }
        }
        if let Some(y) = y.get_mut(i) {
            *y = sum;
        }
    }
}

/// mozkomor/GrinGoldMiner#1: a `continue` that skips the barrier of its round.
#[kernel]
fn continue_past_the_barrier<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let t = block.thread();
    let mut rounds = 0;
    for round in 0..3 {
        let empty = x[64 * round + t] < 20 && t < 32;
        if BUG && empty {
            continue;
        }
        rounds += u32::from(!empty);
        block.sync(); //~ WL0201
    }
    if let Some(y) = y.get_mut(i) {
        *y = rounds;
    }
}

/// ggml-org/llama.cpp#13469: a barrier that part of the warps executes, so that they meet the others one barrier off.
#[kernel]
fn warps_one_barrier_off<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between writing and reading. The bug is the point.
    unsafe {
        if BUG && t < 32 {
            block.sync(); //~ WL0204 first
        }
        tile.set(t, x[i.get()]); //~? WL0101
        block.sync(); //~ WL0204 second //~? WL0201
        let other = tile.get(63 - t); //~? WL0101 //~? WL0020
        if let Some(y) = y.get_mut(i) {
            *y = other;
        }
    }
}

cases!("barriers.rs":
    case!(barrier_depends_on_the_thread, "acts-project/acts#307", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, barrier_depends_on_the_thread, (1, 64), &input, &mut y);
        run.expect(&y, |_| x[0])
    }),
    case!(trailing_groups_return, "pytorch/FBGEMM#5857", |run| {
        let x = noise(104);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(104)?);
        launch!(run, trailing_groups_return, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 8 * 8..][..8].iter().max().copied().unwrap_or(0))
    }),
    case!(warps_leave_the_loop, "1bit-MONSTER/1bit-MONSTER#1262", |run| {
        let experts = [1_u32, 2, 3, 99, 5, 6, 7, 8];
        let (input, mut y) = (run.upload(&experts)?, run.zeroed::<u32>(64)?);
        launch!(run, warps_leave_the_loop, (1, 64), &input, &mut y);
        run.expect(&y, |_| 16)
    }),
    case!(barrier_within_the_first_warp, "1bit-MONSTER/1bit-MONSTER#620", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, barrier_within_the_first_warp, (1, 64), &input, &mut y);
        run.expect(&y, |_| x.iter().sum())
    }),
    case!(steps_of_the_segment, "predibase/lorax#156", |run| {
        let (steps, mut y) = (run.upload(&[2_u32, 3, 1])?, run.zeroed::<u32>(96)?);
        launch!(run, steps_of_the_segment, (3, 32), &steps, &mut y);
        run.expect(&y, |i| [2, 3, 1][i / 32])
    }).hangs(),
    case!(grid_barrier_by_hand, "NVIDIA/cub#369", |run| {
        let (mut arrived, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(128)?);
        launch!(run, grid_barrier_by_hand, (4, 32), arrived.as_atomics(), &mut y);
        run.expect(&y, |_| 1)
    }).hangs(),
    case!(router_did_not_run, "1bit-MONSTER/1bit-MONSTER#405", |run| {
        let (mut flags, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(64)?);
        launch!(run, router_did_not_run, (2, 32), flags.as_atomics(), &mut y);
        run.expect(&y, |_| 2)
    }).hangs(),
    case!(step_of_block_0, "NVIDIA/cuvs#1768", |run| {
        let mut y = run.zeroed::<u32>(100)?;
        launch!(run, step_of_block_0, (2, 32), &mut y);
        run.expect(&y, |i| i as u32)
    }).hangs(),
    case!(step_has_wrapped, "sonots/cumo#240", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(100))?, run.zeroed::<u32>(64)?);
        launch!(run, step_has_wrapped, (2, 32), 65_536, &x, &mut y);
        run.expect(&y, |i| (i..100).step_by(64).map(|k| k as u32).sum())
    }).hangs(),
    case!(waits_behind_the_last_stage, "NVIDIA/Fuser#4524", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, waits_behind_the_last_stage, (1, 64), 5, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { 15 })
    }).hangs(),
    case!(continue_past_the_barrier, "mozkomor/GrinGoldMiner#1", |run| {
        let x = noise(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, continue_past_the_barrier, (1, 64), &input, &mut y);
        run.expect(&y, |i| (0..3).map(|round| u32::from(x[64 * round + i] >= 20 || i >= 32)).sum())
    }).hangs(),
    case!(warps_one_barrier_off, "ggml-org/llama.cpp#13469", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, warps_one_barrier_off, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[63 - i])
    }),
);
