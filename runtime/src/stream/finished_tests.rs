//! Futures and their thread, with events that the test sets.

use std::sync::Condvar;
use std::sync::mpsc::RecvTimeoutError;
use std::task::Wake;
use std::time::Duration;

use super::*;

type Answer = Result<(), DriverError>;

/// An event that the test sets.
#[derive(Clone, Default)]
struct Fake(Arc<(Mutex<Option<Answer>>, Condvar)>);

impl Fake {
    fn set(&self, done: Result<(), DriverError>) {
        *lock(&self.0.0) = Some(done);
        self.0.1.notify_all();
    }
}

impl Signal for Fake {
    fn query(&self) -> Result<bool, DriverError> {
        match &*lock(&self.0.0) {
            None => Ok(false),
            Some(done) => done.clone().map(|()| true),
        }
    }

    fn synchronize(&self) -> Result<(), DriverError> {
        let state = lock(&self.0.0);
        let state = self.0.1.wait_while(state, |state| state.is_none()).unwrap();
        state.clone().unwrap()
    }
}

struct Tell(Sender<&'static str>, &'static str);

impl Wake for Tell {
    fn wake(self: Arc<Self>) {
        assert!(self.1 != "panic", "a waker that panics");
        let _ = self.0.send(self.1);
    }
}

fn failed() -> DriverError {
    DriverError {
        code: 719,
        name: "CUDA_ERROR_LAUNCH_FAILED".to_owned(),
        text: "unspecified launch failure".to_owned(),
        call: "cuEventSynchronize",
        launches: Box::default(),
    }
}

struct Setup {
    waiter: Waiter,
    sender: Sender<&'static str>,
    woken: Receiver<&'static str>,
}

impl Setup {
    fn new() -> Setup {
        let (sender, woken) = channel();
        Setup {
            waiter: Waiter::default(),
            sender,
            woken,
        }
    }

    fn poll(
        &self,
        progress: &Arc<Progress>,
        name: &'static str,
    ) -> Option<Result<(), DriverError>> {
        let waker = Waker::from(Arc::new(Tell(self.sender.clone(), name)));
        progress.poll(&mut Context::from_waker(&waker), Some(&self.waiter))
    }
}

#[test]
fn work_that_is_done_needs_no_thread() {
    let (setup, fake) = (Setup::new(), Fake::default());
    fake.set(Ok(()));
    let progress = Arc::new(Progress::of(fake));
    assert_eq!(setup.poll(&progress, "first"), Some(Ok(())));
    assert!(lock(&setup.waiter.0).is_none());
}

#[test]
fn the_latest_waker_is_woken_once() {
    let (setup, fake) = (Setup::new(), Fake::default());
    let progress = Arc::new(Progress::of(fake.clone()));
    assert_eq!(setup.poll(&progress, "old"), None);
    assert_eq!(setup.poll(&progress, "new"), None);
    assert!(setup.woken.try_recv().is_err());
    fake.set(Ok(()));
    assert_eq!(setup.woken.recv(), Ok("new"));
    assert_eq!(setup.poll(&progress, "late"), Some(Ok(())));
    let again = setup.woken.recv_timeout(Duration::from_millis(20));
    assert_eq!(again, Err(RecvTimeoutError::Timeout));
}

#[test]
fn a_failure_wakes_and_is_the_answer() {
    let (setup, fake) = (Setup::new(), Fake::default());
    let progress = Arc::new(Progress::of(fake.clone()));
    assert_eq!(setup.poll(&progress, "first"), None);
    fake.set(Err(failed()));
    assert_eq!(setup.woken.recv(), Ok("first"));
    assert_eq!(setup.poll(&progress, "first"), Some(Err(failed())));
}

#[test]
fn one_thread_serves_all_futures_of_a_stream() {
    let (setup, fakes) = (Setup::new(), [Fake::default(), Fake::default()]);
    let progress = fakes.clone().map(|fake| Arc::new(Progress::of(fake)));
    assert_eq!(setup.poll(&progress[0], "first"), None);
    assert_eq!(setup.poll(&progress[1], "second"), None);
    fakes[1].set(Ok(()));
    fakes[0].set(Ok(()));
    assert_eq!(setup.woken.recv(), Ok("first"));
    assert_eq!(setup.woken.recv(), Ok("second"));
}

#[test]
fn a_waker_that_panics_keeps_no_other_asleep() {
    let (setup, fakes) = (Setup::new(), [Fake::default(), Fake::default()]);
    let progress = fakes.clone().map(|fake| Arc::new(Progress::of(fake)));
    assert_eq!(setup.poll(&progress[0], "panic"), None);
    assert_eq!(setup.poll(&progress[1], "second"), None);
    fakes[0].set(Ok(()));
    fakes[1].set(Ok(()));
    assert_eq!(setup.woken.recv(), Ok("second"));
}

#[test]
fn a_future_may_go_before_its_end() {
    let (setup, fake) = (Setup::new(), Fake::default());
    let progress = Arc::new(Progress::of(fake.clone()));
    assert_eq!(setup.poll(&progress, "gone"), None);
    drop(progress);
    let next = Arc::new(Progress::of(fake.clone()));
    fake.set(Ok(()));
    assert_eq!(setup.woken.recv(), Ok("gone"));
    assert_eq!(setup.poll(&next, "next"), Some(Ok(())));
}

#[test]
fn without_a_thread_a_poll_waits() {
    let fake = Fake::default();
    let progress = Arc::new(Progress::of(fake.clone()));
    let setter = thread::spawn(move || {
        thread::sleep(Duration::from_millis(5));
        fake.set(Ok(()));
    });
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(progress.poll(&mut context, None), Some(Ok(())));
    setter.join().unwrap();
}
