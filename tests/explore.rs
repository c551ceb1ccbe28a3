//! Schedules of kernels with atomics: bugs that need one thread to come between two steps of another, each beside its repair.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

#[path = "explore/buffered.rs"]
mod buffered; // stores before loads
#[path = "explore/early.rs"]
mod early; // stores before newer ones

use std::cell::Cell;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::fence;

use warploom::prelude::*;
use warploom::testing::{
    Exploration, ExplorationError, Explored, Memory, ScheduleFailure, Strategy, explore,
};
use warploom::{Error, Result, StreamError};

/// Adds one in two steps, or in one.
#[kernel]
fn increment<const BUG: bool>(x: &[AtomicU32]) {
    if BUG {
        let before = x[0].load(Relaxed);
        x[0].store(before + 1, Relaxed);
    } else {
        x[0].fetch_add(1, Relaxed);
    }
}

fn incremented<const BUG: bool>(device: &Device, (blocks, threads): (u32, u32)) -> Result<()> {
    let stream = device.stream()?;
    let mut x = device.zeroed::<u32>(1)?;
    increment::<BUG>::launch(&stream, (blocks, threads), x.as_atomic())?;
    assert_eq!(x.to_vec(&stream)?, [blocks * threads], "an update is lost");
    Ok(())
}

/// Two locks, taken in the same order or not.
#[kernel]
fn two_locks<const BUG: bool>(block: Block, locks: &[AtomicU32]) {
    let (first, second) = match BUG && block.index() == 1 {
        true => (1, 0),
        false => (0, 1),
    };
    for lock in [first, second] {
        while locks[lock]
            .compare_exchange(0, 1, Acquire, Relaxed)
            .is_err()
        {}
    }
    for lock in [second, first] {
        locks[lock].store(0, Release);
    }
}

fn locked<const BUG: bool>(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut locks = device.zeroed::<u32>(2)?;
    two_locks::<BUG>::launch(&stream, Launch::new(2, 1), locks.as_atomic())?;
    assert_eq!(locks.to_vec(&stream)?, [0, 0]);
    Ok(())
}

/// All blocks meet twice at a barrier made of a counter: the last one resets it, or counts a generation.
#[kernel(cooperative)]
fn barrier_used_twice<const BUG: bool>(grid: Grid, words: &[AtomicU32]) {
    let (count, generation) = (&words[0], &words[1]);
    let blocks = grid.blocks() as u32;
    for _ in 0..2 {
        let before = generation.load(Acquire);
        if count.fetch_add(1, AcqRel) + 1 == blocks {
            count.store(0, Release);
            generation.fetch_add(1, Release);
        } else if BUG {
            while count.load(Acquire) != 0 {}
        } else {
            while generation.load(Acquire) == before {}
        }
    }
}

fn met_twice<const BUG: bool>(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut words = device.zeroed::<u32>(2)?;
    barrier_used_twice::<BUG>::launch(&stream, Launch::new(2, 1), words.as_atomic())?;
    assert_eq!(words.to_vec(&stream)?, [0, 2]);
    Ok(())
}

/// A version before and after two words: the reader takes them if it has not changed, and, repaired, if it was even.
#[kernel]
fn seqlock<const BUG: bool>(block: Block, words: &[AtomicU32], seen: &[AtomicU32]) {
    let (version, a, b) = (&words[0], &words[1], &words[2]);
    if block.index() == 0 {
        version.fetch_add(1, AcqRel);
        a.store(1, Relaxed);
        b.store(1, Relaxed);
        version.fetch_add(1, AcqRel);
        return;
    }
    let before = version.fetch_add(0, Acquire);
    let pair = (a.load(Relaxed), b.load(Relaxed));
    let is_same = version.fetch_add(0, AcqRel) == before;
    if is_same && (BUG || before % 2 == 0) {
        seen[0].store(pair.0, Relaxed);
        seen[1].store(pair.1, Relaxed);
    }
}

fn read_whole<const BUG: bool>(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let (mut words, mut seen) = (device.zeroed::<u32>(3)?, device.zeroed::<u32>(2)?);
    seqlock::<BUG>::launch(
        &stream,
        Launch::new(2, 1),
        words.as_atomic(),
        seen.as_atomic(),
    )?;
    let seen = seen.to_vec(&stream)?;
    assert_eq!(seen[0], seen[1], "half of a write was read");
    Ok(())
}

/// A stack of nodes 1 and 2: `next[node]` is the node below, 0 none. Block 0 pops one; block 1 pops both and pushes the first again. The head has a count of changes above
/// 16 bits, unless the bug leaves it out.
#[kernel]
fn pop<const BUG: bool>(
    block: Block,
    head: &[AtomicU32],
    next: &[AtomicU32],
    popped: &[AtomicU32],
) {
    let with_count = |old: u32, node: u32| match BUG {
        true => node,
        false => (old & !0xffff).wrapping_add(0x1_0000) | node,
    };
    let take = || loop {
        let old = head[0].load(Acquire);
        let node = old & 0xffff;
        if node == 0 {
            return 0;
        }
        let below = next[node as usize].load(Relaxed);
        let new = with_count(old, below);
        if head[0].compare_exchange(old, new, AcqRel, Relaxed).is_ok() {
            return node;
        }
    };
    if block.index() == 0 {
        popped[0].store(take(), Relaxed);
        return;
    }
    let (first, second) = (take(), take());
    popped[1].store(second, Relaxed);
    if first == 0 {
        return;
    }
    loop {
        let old = head[0].load(Acquire);
        next[first as usize].store(old & 0xffff, Relaxed);
        let new = with_count(old, first);
        if head[0].compare_exchange(old, new, AcqRel, Relaxed).is_ok() {
            return;
        }
    }
}

fn popped_once<const BUG: bool>(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let (mut head, mut next) = (device.upload(&[1u32])?, device.upload(&[0u32, 2, 0])?);
    let mut popped = device.zeroed::<u32>(2)?;
    let launch = Launch::new(2, 1);
    pop::<BUG>::launch(
        &stream,
        launch,
        head.as_atomic(),
        next.as_atomic(),
        popped.as_atomic(),
    )?;
    let popped = popped.to_vec(&stream)?;
    let next = next.to_vec(&stream)?;
    // Each node is in one place: popped by one of the blocks, or in the stack.
    let mut nodes: Vec<u32> = popped.into_iter().filter(|node| *node != 0).collect();
    let mut node = head.to_vec(&stream)?[0] & 0xffff;
    while node != 0 && nodes.len() < 9 {
        nodes.push(node);
        node = next[node as usize];
    }
    nodes.sort_unstable();
    assert_eq!(nodes, [1, 2], "a node is in two places");
    Ok(())
}

/// Each block says that it wants to enter, and enters if the other does not want to.
#[kernel]
fn enter<const BUG: bool>(block: Block, wants: &[AtomicU32], inside: &[AtomicU32]) {
    let (own, other) = (block.index(), 1 - block.index());
    wants[own].store(1, Release);
    if !BUG {
        fence(SeqCst);
    }
    if wants[other].load(Acquire) == 0 {
        inside[0].fetch_add(1, Relaxed);
    }
}

fn entered<const BUG: bool>(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let (mut wants, mut inside) = (device.zeroed::<u32>(2)?, device.zeroed::<u32>(1)?);
    let launch = Launch::new(2, 1);
    enter::<BUG>::launch(&stream, launch, wants.as_atomic(), inside.as_atomic())?;
    assert!(inside.to_vec(&stream)?[0] < 2, "both are inside");
    Ok(())
}

/// Block 0 hands a value on to block 1, and that to block 2, by flags. The fences are for the block, or for the device.
#[kernel]
fn hand_on<const BUG: bool>(block: Block, words: &[AtomicU32], seen: &[AtomicU32]) {
    let fence = || match BUG {
        true => warploom::device_std::atomic::fence(
            warploom::device_std::atomic::AcqRel,
            warploom::device_std::atomic::scope::Block,
        ),
        false => warploom::device_std::atomic::fence(
            warploom::device_std::atomic::AcqRel,
            warploom::device_std::atomic::scope::Device,
        ),
    };
    let number = block.index();
    match number {
        0 => words[0].store(7, Relaxed),
        _ => while words[number].load(Relaxed) == 0 {},
    }
    fence();
    if number < 2 {
        words[number + 1].store(1, Relaxed);
    } else {
        seen[0].store(words[0].load(Relaxed), Relaxed);
    }
}

fn handed_on<const BUG: bool>(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let (mut words, mut seen) = (device.zeroed::<u32>(3)?, device.zeroed::<u32>(1)?);
    let launch = Launch::new(3, 1);
    hand_on::<BUG>::launch(&stream, launch, words.as_atomic(), seen.as_atomic())?;
    assert_eq!(seen.to_vec(&stream)?, [7], "the value is not there yet");
    Ok(())
}

/// Lanes of a warp pass a token on, each waiting for the one before it.
#[kernel]
fn in_turn(block: Block, turn: &[AtomicU32]) {
    let own = block.thread() as u32;
    while turn[0].load(Acquire) != own {}
    turn[0].store(own + 1, Release);
}

/// The schedule in which a body failed.
#[track_caller]
fn failure_of(explored: std::result::Result<Explored, ExplorationError>) -> ScheduleFailure {
    explored.unwrap_err().schedule().unwrap()
}

/// Explores all schedules of a body that is right.
#[track_caller]
fn is_right(body: impl Fn(&Device) -> Result<()>) -> Explored {
    let explored = Exploration::new()
        .strategy(Strategy::Exhaustive)
        .executions(20_000);
    let explored = explored.run(body).unwrap();
    assert!(explored.complete, "{explored:?}");
    explored
}

/// Finds the bug by each strategy; gives the failure that the exhaustive one found.
#[track_caller]
fn is_wrong(body: impl Fn(&Device) -> Result<()>, message: &str) -> ScheduleFailure {
    let by = |strategy| {
        let exploration = Exploration::new().strategy(strategy).executions(20_000);
        let failure = failure_of(exploration.run(&body));
        assert!(failure.message.contains(message), "{strategy:?}: {failure}");
        assert!(failure.switches <= failure.switches_before, "{failure}");
        failure
    };
    by(Strategy::Random);
    by(Strategy::Priorities { depth: 3 });
    by(Strategy::Automatic);
    by(Strategy::Exhaustive)
}

#[test]
fn a_lost_update_between_blocks() {
    let failure = is_wrong(
        |device| incremented::<true>(device, (2, 1)),
        "an update is lost",
    );
    assert_eq!(failure.switches, 1, "{failure}");
    let text = failure.to_string();
    for part in [
        "launch 0: `increment`, grid (2,1,1), block (1,1,1)",
        "block 1 thread 0",
        "reads  x  0",
        "writes x  0 -> 1",
        "1, unchanged",
        "tests/explore.rs:",
        "WARPLOOM_REPLAY='",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let explored = is_right(|device| incremented::<false>(device, (2, 1)));
    assert_eq!(explored.executions, 2, "the additions in two orders");
}

#[test]
fn a_lost_update_within_a_warp() {
    is_wrong(
        |device| incremented::<true>(device, (1, 3)),
        "an update is lost",
    );
    is_right(|device| incremented::<false>(device, (1, 3)));
}

#[test]
fn locks_in_two_orders() {
    let failure = is_wrong(locked::<true>, "WL0221");
    assert_eq!(failure.switches, 1, "{failure}");
    is_right(locked::<false>);
}

#[test]
fn a_barrier_of_a_counter_used_twice() {
    is_wrong(met_twice::<true>, "WL0221");
    is_right(met_twice::<false>);
}

#[test]
fn a_version_that_is_odd() {
    is_wrong(read_whole::<true>, "half of a write was read");
    is_right(read_whole::<false>);
}

#[test]
fn a_node_that_comes_back() {
    is_wrong(popped_once::<true>, "a node is in two places");
    is_right(popped_once::<false>);
}

/// The bug is in none of all sequentially consistent executions.
#[track_caller]
fn is_right_in_order(body: impl Fn(&Device) -> Result<()>) {
    let exploration = Exploration::new()
        .strategy(Strategy::Exhaustive)
        .memory(Memory::SequentiallyConsistent);
    assert!(exploration.run(body).unwrap().complete);
}

#[test]
fn a_missing_fence_between_a_store_and_a_load() {
    let failure = is_wrong(entered::<true>, "both are inside");
    assert_eq!(failure.old_loads, 1, "{failure}");
    is_right_in_order(entered::<true>);
    is_right(entered::<false>);
}

#[test]
fn a_fence_of_too_narrow_a_scope() {
    let failure = is_wrong(handed_on::<true>, "the value is not there yet");
    let text = failure.to_string();
    for part in [
        "1 load of an older value",
        "0, though 7 is newer",
        "2.0@1~1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(failure.page.contains("class=\"old\""), "{}", failure.page);
    is_right_in_order(handed_on::<true>);
    is_right(handed_on::<false>);
}

#[test]
fn threads_that_take_turns_have_few_schedules() {
    let explored = is_right(|device| {
        let stream = device.stream()?;
        let mut turn = device.zeroed::<u32>(1)?;
        in_turn::launch(&stream, Launch::new(1, 3), turn.as_atomic())?;
        assert_eq!(turn.to_vec(&stream)?, [3]);
        Ok(())
    });
    assert!(explored.executions < 200, "{explored:?}");
}

#[test]
fn the_call_for_tests_fails_with_the_schedule() {
    let panic = std::panic::catch_unwind(|| explore(|device| incremented::<true>(device, (2, 1))));
    let payload = panic.unwrap_err();
    let text = payload.downcast_ref::<String>().unwrap();
    assert!(
        text.contains("an update is lost") && text.contains("WARPLOOM_REPLAY="),
        "{text}"
    );
    assert!(explore(|device| incremented::<false>(device, (2, 1))).complete);
}

#[test]
fn the_same_seed_explores_the_same_schedules() {
    let failure = |seed| {
        let exploration = Exploration::new().strategy(Strategy::Random).seed(seed);
        let failure = exploration.run(|device| incremented::<true>(device, (3, 1)));
        failure_of(failure)
    };
    let [one, two] = [failure(3), failure(3)];
    assert_eq!(
        (one.execution, &one.schedule),
        (two.execution, &two.schedule)
    );
}

#[test]
fn the_page_has_a_column_for_each_thread() {
    let body = |device: &Device| incremented::<true>(device, (2, 1));
    let failure = failure_of(Exploration::new().run(body));
    assert!(
        failure
            .page
            .contains("<th>block 0 thread 0</th><th>block 1 thread 0</th>")
    );
    assert!(failure.page.contains("class=\"switch\""));
    assert_eq!(failure.page_at, None);
}

#[test]
fn an_error_that_no_wait_has_reported_is_a_failure() {
    let failure = Exploration::new().run(|device| {
        let stream = device.stream()?;
        let mut turn = device.zeroed::<u32>(1)?;
        in_turn::launch(&stream, Launch::new(2, 1), turn.as_atomic())?;
        std::mem::forget(stream);
        Ok(())
    });
    // Both blocks are number 0 of their block: the second waits for ever.
    let failure = failure_of(failure);
    assert!(failure.message.contains("WL0221"), "{failure}");
}

/// Each execution launches fewer blocks than the one before, and the last ones none.
fn shrinking(executions: &Cell<u32>) -> impl Fn(&Device) -> Result<()> {
    |device| {
        let blocks = 3 - executions.get().min(3);
        executions.set(executions.get() + 1);
        match blocks {
            0 => Ok(()),
            blocks => incremented::<false>(device, (blocks, 1)),
        }
    }
}

#[test]
fn all_schedules_of_a_body_that_is_not_deterministic_are_an_error() {
    let executions = Cell::new(0);
    let exhaustive = Exploration::new().strategy(Strategy::Exhaustive);
    let failure = exhaustive.run(shrinking(&executions)).unwrap_err();
    assert!(matches!(
        failure,
        ExplorationError::NotDeterministic { execution: 2 }
    ));
    let text = failure.to_string();
    assert!(
        text.starts_with("execution 2 made other atomic accesses"),
        "{text}"
    );
    assert!(text.contains("Strategy::Automatic"), "{text}");
}

#[test]
fn an_execution_without_the_accesses_of_the_one_before_is_not_deterministic() {
    let executions = Cell::new(2);
    let exhaustive = Exploration::new().strategy(Strategy::Exhaustive);
    let once = |device: &Device| match executions.replace(executions.get() + 1) {
        2 => incremented::<false>(device, (2, 1)),
        _ => Ok(()),
    };
    let failure = exhaustive.run(once).unwrap_err();
    assert!(
        failure.to_string().starts_with("execution 2 made"),
        "{failure}"
    );
}

#[test]
fn other_strategies_take_bodies_that_are_not_deterministic() {
    let executions = Cell::new(0);
    let explored = Exploration::new()
        .executions(20)
        .run(shrinking(&executions));
    let explored = explored.unwrap();
    assert!(!explored.complete);
    assert_eq!((explored.executions, executions.get()), (20, 20));
}

#[test]
fn a_data_race_is_found_in_the_first_execution() {
    #[kernel]
    fn race(block: Block, x: &[AtomicU32], mut y: DisjointSlice<u32>) {
        let raw = y.raw();
        if block.index() == 0 {
            // SAFETY: the race is what the test is about.
            unsafe { *raw = 1 };
            x[0].store(1, Relaxed);
        } else if x[0].load(Relaxed) == 1 {
            // SAFETY: as above.
            unsafe { *raw += 1 };
        }
    }
    let failure = Exploration::new().run(|device| {
        let stream = device.stream()?;
        let (mut x, mut y) = (device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?);
        race::launch(&stream, Launch::new(2, 1), x.as_atomic(), &mut y)?;
        match stream.synchronize() {
            Err(StreamError::Check(found)) => Err(Error::Stream(StreamError::Check(found))),
            other => Ok(other?),
        }
    });
    let failure = failure_of(failure);
    assert_eq!((failure.execution, failure.switches), (1, 0), "{failure}");
    assert!(failure.message.contains("WL0122"), "{failure}");
}

/// Block 0 releases one word after the other, then says without order that both are there. Block 1 may read the older flag: it knows the first word then, and the second only if it is the
/// newer flag.
#[kernel]
fn older_flag<const SECOND: bool>(
    block: Block,
    flags: &[AtomicU32],
    mut words: DisjointSlice<u32>,
    seen: &[AtomicU32],
) {
    let words = words.raw();
    if block.index() == 0 {
        for number in 0..2 {
            // SAFETY: there are two words.
            let word = unsafe { words.add(number) };
            // SAFETY: a race where the test says so.
            unsafe { word.write(5) };
            flags[0].store(number as u32 + 1, Release);
        }
        flags[1].store(1, Relaxed);
    } else {
        while flags[1].load(Relaxed) == 0 {}
        if flags[0].load(Acquire) == 1 {
            // SAFETY: as above.
            let word = unsafe { words.add(usize::from(SECOND)) };
            // SAFETY: as above.
            seen[0].store(unsafe { word.read() }, Relaxed);
        }
    }
}

fn reads_older_flag<const SECOND: bool>(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let (mut flags, mut words) = (device.zeroed::<u32>(2)?, device.zeroed::<u32>(2)?);
    let mut seen = device.zeroed::<u32>(1)?;
    let launch = Launch::new(2, 1);
    older_flag::<SECOND>::launch(
        &stream,
        launch,
        flags.as_atomic(),
        &mut words,
        seen.as_atomic(),
    )?;
    stream.synchronize()?;
    Ok(())
}

#[test]
fn an_older_store_orders_what_came_before_it_and_no_more() {
    is_right(reads_older_flag::<false>);
    is_right_in_order(reads_older_flag::<true>);
    let failure = failure_of(Exploration::new().run(reads_older_flag::<true>));
    assert!(failure.message.contains("WL012"), "{failure}");
    assert_eq!(failure.old_loads, 1, "{failure}");
}

/// A bug's name, and a body in which it shows.
type Bug = (&'static str, fn(&Device) -> Result<()>);

const BUGS: [Bug; 10] = [
    ("a lost update between blocks", |device| {
        incremented::<true>(device, (2, 1))
    }),
    ("a lost update within a warp", |device| {
        incremented::<true>(device, (1, 3))
    }),
    ("locks in two orders", locked::<true>),
    ("a barrier of a counter used twice", met_twice::<true>),
    ("a seqlock whose odd versions are read", read_whole::<true>),
    (
        "a stack without a count of changes (ABA)",
        popped_once::<true>,
    ),
    (
        "a missing fence between a store and a load",
        entered::<true>,
    ),
    ("fences of too narrow a scope", handed_on::<true>),
    (
        "a box that is emptied before it is filled",
        early::emptied::<true>,
    ),
    (
        "a slot that is given back before it is read",
        buffered::given_back::<true>,
    ),
];

/// In which execution the bug shows: by the exhaustive strategy, and the median of 20 seeds of the others. And its switches.
fn costs((name, body): Bug, memory: Memory) -> String {
    let found = |strategy, seed| {
        let exploration = Exploration::new()
            .strategy(strategy)
            .executions(20_000)
            .memory(memory)
            .seed(seed);
        failure_of(exploration.run(body))
    };
    let median = |strategy| {
        let mut executions: Vec<_> = (0..20)
            .map(|seed| found(strategy, seed).execution)
            .collect();
        executions.sort_unstable();
        format!("{} ({})", executions[10], executions[19])
    };
    let exhaustive = found(Strategy::Exhaustive, 0);
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} |\n",
        exhaustive.switches,
        exhaustive.old_loads,
        exhaustive.early_stores,
        exhaustive.execution,
        median(Strategy::Priorities { depth: 3 }),
        median(Strategy::Random),
    )
}

#[test]
fn the_document_says_how_soon_bugs_are_found() {
    let rows = BUGS.map(|bug| costs(bug, Memory::Weak));
    for (bug, row) in BUGS.into_iter().zip(&rows).take(6) {
        assert_eq!(*row, costs(bug, Memory::SequentiallyConsistent));
    }
    let rows = rows.concat();
    let bless = "cargo test -p warploom-tests --test explore document";
    let text = format!(
        "# How soon schedules show a bug\n\n\
         <!-- Generated by tests/explore.rs. To write it anew: WARPLOOM_BLESS=1 {bless} -->\n\n\
         The bugs of `tests/explore.rs` between atomics, none of which the emulator's order without switches shows but where 1 is written. *Switches*, *older values* (loads of them) and *early stores* (stores before newer ones, or before a load of their thread): those of the smallest failing schedule. The other columns: which \
         execution of the body was the first to fail. Of strategies with a seed the median of 20 seeds, and the largest. No bug was missed by any seed. The repaired form of each \
         was explored to the end without a failure. Of the first six the figures are the same with sequentially consistent memory.\n\n\
         | bug | switches | older values | early stores | exhaustive | priorities, depth 3 | random |\n|---|---|---|---|---|---|---|\n{rows}"
    );
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    warploom_harness::generated::assert_current(
        root.as_ref(),
        "docs/generated/schedules.md",
        &text,
        bless,
    );
}
