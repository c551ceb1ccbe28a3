//! Whether all OS threads of a run only have blocks left whose threads poll memory that no lane changes.
//!
//! A worker whose lanes only poll makes many rounds through them without a change of memory, and then votes. A change of memory by any
//! worker makes all votes void, as soon as that worker says so: at its own vote, or when it leaves. So when all workers that are left
//! have voted, each has looked often enough since the last change, and no worker is left to make another.

use std::time::Duration;

use crate::sync::{Condvar, Mutex, lock, wait_timeout};

/// For how long a worker that has voted waits for the votes of the others before it makes its rounds again: another worker may have written what its lanes poll,
/// and not say so before it votes itself.
const WAIT: Duration = Duration::from_millis(10);

/// Shared by the workers of a run.
#[derive(Debug, Default)]
pub(crate) struct LivelockDetector {
    state: Mutex<State>,
    /// All have voted, or a change has become known.
    decided: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Workers that have not left.
    working: usize,
    /// Workers that have voted since the last change that is known.
    votes: usize,
    /// Grows with each change that becomes known.
    epoch: u64,
    /// Workers that wait for votes or a change.
    waiting: usize,
}

/// What a worker knows of the votes.
#[derive(Debug, Default)]
pub(crate) struct Vote {
    /// The epoch in which it has been looking, from its beginning on.
    epoch: Option<u64>,
    voted: bool,
}

impl LivelockDetector {
    #[cfg(test)]
    pub(crate) fn new(working: usize) -> Self {
        let quiet = Self::default();
        quiet.begin(working);
        quiet
    }

    /// So many workers will work from now on, or leave without having. Earlier votes are void.
    pub(crate) fn begin(&self, working: usize) {
        let mut state = lock(&self.state);
        state.working = working;
        self.change(&mut state);
    }

    /// A worker has made all its rounds without a change of memory since it voted last; `changed`: but it had changed some before.
    /// True: no lane of the run will ever go on. Waits for the votes of the others, for a time that is limited.
    pub(crate) fn vote(&self, vote: &mut Vote, changed: bool) -> bool {
        let mut state = lock(&self.state);
        if changed {
            self.change(&mut state);
        }
        if vote.epoch != Some(state.epoch) {
            // The rounds began before the change: make them again.
            *vote = Vote {
                epoch: Some(state.epoch),
                voted: false,
            };
            return false;
        }
        if !vote.voted {
            vote.voted = true;
            state.votes += 1;
        }
        if state.votes < state.working {
            // Without polling: the workers that have not voted may need this processor. Once is enough, as the rounds that follow find all that has changed.
            state.waiting += 1;
            state = wait_timeout(&self.decided, state, WAIT);
            state.waiting -= 1;
        } else {
            self.notify(&state);
        }
        vote.epoch == Some(state.epoch) && state.votes >= state.working
    }

    /// A worker is done, and may have changed memory.
    pub(crate) fn leave(&self) {
        let mut state = lock(&self.state);
        state.working -= 1;
        self.change(&mut state);
    }

    fn change(&self, state: &mut State) {
        state.epoch += 1;
        state.votes = 0;
        self.notify(state);
    }

    /// Wakes those that wait for votes. Launches without polling have none, and make no call of the operating system here.
    fn notify(&self, state: &State) {
        if state.waiting > 0 {
            self.decided.notify_all();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn all_must_have_looked_since_the_last_change() {
        let quiet = LivelockDetector::new(2);
        let [mut one, mut two] = [Vote::default(), Vote::default()];
        assert!(!quiet.vote(&mut one, true), "it changed something before");
        assert!(!quiet.vote(&mut one, false), "the other works");
        assert!(!quiet.vote(&mut two, true), "which changed something too");
        assert!(!quiet.vote(&mut two, false), "so the first vote is void");
        assert!(!quiet.vote(&mut one, false), "and has to be cast anew");
        assert!(quiet.vote(&mut one, false));
        assert!(quiet.vote(&mut two, false));
    }

    #[test]
    fn who_left_is_not_waited_for() {
        let quiet = LivelockDetector::new(2);
        let mut one = Vote::default();
        assert!(!quiet.vote(&mut one, false));
        assert!(!quiet.vote(&mut one, false));
        quiet.leave();
        assert!(!quiet.vote(&mut one, false), "it may have changed memory");
        assert!(quiet.vote(&mut one, false));
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicBool, Ordering};
    use loom::thread;

    use super::*;

    /// Polls until it sees the flag (true) or is told that no thread will set it (false). `changed`: it has changed memory before.
    fn poll(quiet: &LivelockDetector, flag: &AtomicBool, mut changed: bool) -> bool {
        let mut vote = Vote::default();
        loop {
            // One round is all rounds here.
            if flag.load(Ordering::Acquire) {
                return true;
            }
            if quiet.vote(&mut vote, std::mem::take(&mut changed)) {
                return false;
            }
            thread::yield_now();
        }
    }

    #[test]
    fn loom_a_change_that_comes_is_waited_for() {
        loom::model(|| {
            let shared = Arc::new((LivelockDetector::new(2), AtomicBool::new(false)));
            let other = thread::spawn({
                let shared = shared.clone();
                move || {
                    shared.1.store(true, Ordering::Release);
                    shared.0.leave();
                }
            });
            assert!(poll(&shared.0, &shared.1, false), "gave up too early");
            other.join().unwrap();
        });
    }

    #[test]
    fn loom_two_that_wait_for_each_other_are_told() {
        loom::model(|| {
            let shared = Arc::new((LivelockDetector::new(2), AtomicBool::new(false)));
            let other = thread::spawn({
                let shared = shared.clone();
                move || poll(&shared.0, &shared.1, false)
            });
            assert!(!poll(&shared.0, &shared.1, false));
            assert!(!other.join().unwrap());
        });
    }

    #[test]
    fn loom_a_poller_that_goes_on_and_sets_a_flag_is_waited_for() {
        loom::model(|| {
            let flags = [false; 2].map(AtomicBool::new);
            let shared = Arc::new((LivelockDetector::new(2), flags));
            let other = thread::spawn({
                let shared = shared.clone();
                move || {
                    assert!(poll(&shared.0, &shared.1[0], false), "the second gave up");
                    shared.1[1].store(true, Ordering::Release);
                    shared.0.leave();
                }
            });
            shared.1[0].store(true, Ordering::Release);
            assert!(poll(&shared.0, &shared.1[1], true), "the first gave up");
            other.join().unwrap();
        });
    }
}
