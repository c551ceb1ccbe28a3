//! Several pieces of work at a time, as many as cargo's job server allows.

use jobserver::{Acquired, Client};
use std::num::NonZero;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// Does all the work, in this order. A build script has one slot of its own; for each further thread it takes one from cargo, and gives it back.
pub(crate) fn run<T: Send>(tasks: Vec<T>, work: &(dyn Fn(T) + Sync)) {
    // SAFETY: cargo has set the variable, and this process has inherited the descriptors that it names; nothing else in this process owns them. Where another
    // program has set it (make), and they are no pipes here, there is no client.
    let found = unsafe { Client::from_env_ext(true) };
    run_within(found.client.ok(), tasks, work);
}

/// Without a job server (started by `#[kernel]`, or by another program than cargo), one thread for each core.
fn run_within<T: Send>(client: Option<Client>, tasks: Vec<T>, work: &(dyn Fn(T) + Sync)) {
    let further = tasks.len().saturating_sub(1);
    let queue = Mutex::new(tasks.into_iter());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let worker = || {
        while let Some(task) = next() {
            work(task);
        }
    };
    if further == 0 {
        return worker();
    }
    let Some(client) = client else {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        return thread::scope(|scope| {
            for _ in 0..further.min(threads - 1) {
                scope.spawn(worker);
            }
            worker();
        });
    };
    let (sender, tokens) = mpsc::channel();
    let helper = client.into_helper_thread(move |token| {
        // Nothing receives it any more when all is done; then it goes back.
        drop(sender.send(token));
    });
    let Ok(helper) = helper else {
        return worker();
    };
    for _ in 0..further {
        helper.request_token();
    }
    let worker = &worker;
    thread::scope(|scope| {
        scope.spawn(move || {
            for token in tokens {
                scope.spawn(move || {
                    worker();
                    drop(token);
                });
            }
        });
        worker();
        // Requests that were not answered end here, and the channel with them.
        drop(helper);
    });
}

/// Where slots for further processes come from.
pub(crate) struct Slots(Option<Client>);

/// A slot of cargo's job server, which is given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    token: Acquired,
}

impl Slots {
    /// Those of cargo's job server; without one there are none.
    pub(crate) fn of_cargo() -> Slots {
        // SAFETY: as in `run`.
        let found = unsafe { Client::from_env_ext(true) };
        Slots(found.client.ok())
    }

    /// A slot, if one is free.
    pub(crate) fn take(&self) -> Option<Slot> {
        let token = self.0.as_ref()?.try_acquire().ok()??;
        Some(Slot { token })
    }
}

impl Slot {
    /// Another process has given it back.
    pub(crate) fn was_given_back(self) {
        self.token.drop_without_releasing();
    }

    /// One of a job server that has one.
    #[cfg(test)]
    pub(crate) fn of(server: &Client) -> Slot {
        let token = server.acquire().unwrap();
        Slot { token }
    }
}

#[cfg(test)]
mod tests {
    use super::run_within;
    use jobserver::Client;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn everything_is_done_once() {
        for client in [None, Some(Client::new(3).unwrap())] {
            for count in [0, 1, 2, 17] {
                let done = Mutex::new(vec![]);
                run_within(client.clone(), (0..count).collect(), &|task| {
                    done.lock().unwrap().push(task);
                });
                let mut done = done.into_inner().unwrap();
                done.sort_unstable();
                assert_eq!(done, (0..count).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn threads_are_as_many_as_slots_and_slots_are_given_back() {
        let client = Client::new(2).unwrap();
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        run_within(Some(client.clone()), vec![(); 20], &|()| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(20));
            now.fetch_sub(1, Ordering::SeqCst);
        });
        assert_eq!(most.into_inner(), 3);
        assert_eq!(client.available().unwrap(), 2);
    }
}
