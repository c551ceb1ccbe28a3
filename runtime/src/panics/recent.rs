//! The launches that are not known to have ended well: errors of later calls may be theirs.

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

use super::KernelPanic;
use super::reported::Reported;
use crate::past_launch::PastLaunch;

/// Most kernels remembered between two waits.
const RECENT: usize = 64;

/// Which kernels were launched where since their stream was last waited for.
#[derive(Default)]
pub(crate) struct Recent {
    list: Vec<Launched>,
}

/// How often [`launches_so_far`] was called. Outside of any lock: a thread that queries a stream repeatedly must not wait for another thread
/// that loads device code. Launches are many and only read it; waits are few and count it up.
static ASKED: AtomicU64 = AtomicU64::new(0);

/// Tells the launches that are noted so far from later ones. Taken before a wait, it says for which launches the wait was.
pub(crate) fn launches_so_far() -> u64 {
    ASKED.fetch_add(1, Ordering::AcqRel)
}

struct Launched {
    name: &'static str,
    /// What [`launches_so_far`] gives after the latest of these launches, or less.
    number: u64,
    launch: PastLaunch,
}

impl Launched {
    #[inline]
    fn is(&self, stream: u64, name: &'static str, at: &'static Location<'static>) -> bool {
        self.launch.stream == stream
            && std::ptr::eq(self.launch.at, at)
            && std::ptr::eq(self.name, name)
    }

    #[inline]
    fn again(&mut self, [grid, block]: [[u32; 3]; 2], times: u64) {
        self.number = ASKED.load(Ordering::Acquire);
        (self.launch.grid, self.launch.block) = (grid, block);
        self.launch.times += times;
    }
}

/// What is known to be done: everything that the stream was given when there had been so many launches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done {
    /// `None`: each stream of the device.
    pub(crate) stream: Option<u64>,
    /// From [`launches_so_far`].
    pub(crate) launches: u64,
}

impl Recent {
    /// Remembers a launch, and says where. Costs a comparison of addresses if the same was launched before.
    pub(crate) fn note(
        &mut self,
        stream: u64,
        names: [&'static str; 2],
        shape: [[u32; 3]; 2],
        at: &'static Location<'static>,
    ) -> usize {
        self.note_times(stream, names, shape, at, 1)
    }

    /// Remembers so many launches, the latest of this shape.
    pub(crate) fn note_times(
        &mut self,
        stream: u64,
        [name, base]: [&'static str; 2],
        shape: [[u32; 3]; 2],
        at: &'static Location<'static>,
        times: u64,
    ) -> usize {
        let same = |old: &Launched| old.is(stream, name, at);
        if let Some(place) = self.list.iter().rposition(same) {
            self.list[place].again(shape, times);
            return place;
        }
        if self.list.len() == RECENT {
            self.list.remove(0);
        }
        let [grid, block] = shape;
        let launch = PastLaunch {
            kernel: base,
            grid,
            block,
            at,
            stream,
            times,
        };
        self.list.push(Launched {
            name,
            number: ASKED.load(Ordering::Acquire),
            launch,
        });
        self.list.len() - 1
    }

    /// Remembers a launch that was noted at `place`, if it is there still.
    #[inline]
    pub(crate) fn note_again(
        &mut self,
        place: usize,
        stream: u64,
        name: &'static str,
        shape: [[u32; 3]; 2],
        at: &'static Location<'static>,
    ) -> bool {
        match self.list.get_mut(place) {
            Some(old) if old.is(stream, name, at) => {
                old.again(shape, 1);
                true
            }
            _ => false,
        }
    }

    /// That work was waited for and checked.
    pub(crate) fn forget(&mut self, done: Done) {
        let is_done = |old: &Launched| {
            let stream = done.stream.is_none_or(|stream| stream == old.launch.stream);
            stream && old.number <= done.launches
        };
        self.list.retain(|old| !is_done(old));
    }

    /// All launches that an error may come from, those of `stream` first.
    pub(crate) fn candidates(&self, stream: Option<u64>) -> Box<[PastLaunch]> {
        let (own, others): (Vec<_>, Vec<_>) = self
            .list
            .iter()
            .map(|launched| launched.launch.clone())
            .partition(|launch| Some(launch.stream) == stream);
        own.into_iter().chain(others).collect()
    }

    /// Adds the kernel and its launch. `name`: the full name of the kernel that has the reported number.
    pub(crate) fn explain(&self, reported: Reported, name: Option<&str>) -> KernelPanic {
        let known = self.list.iter().find(|old| Some(old.name) == name);
        let (kernel, launched_at) = match (known, name) {
            (Some(known), _) => (known.launch.kernel.to_owned(), Some(known.launch.at)),
            (None, Some(name)) => (short(name).to_owned(), None),
            (None, None) => self.guess(),
        };
        KernelPanic {
            kernel,
            message: reported.message,
            file: reported.file,
            line: reported.line,
            column: reported.column,
            block: reported.block,
            thread: reported.thread,
            launched_at,
            findings: vec![],
        }
    }

    /// The kernel, when the device does not know: one that was launched since the last wait.
    fn guess(&self) -> (String, Option<&'static Location<'static>>) {
        let mut names: Vec<&str> = Vec::new();
        for launched in &self.list {
            if !names.contains(&launched.launch.kernel) {
                names.push(launched.launch.kernel);
            }
        }
        match &*self.list {
            [] => ("?".to_owned(), None),
            [only] => (only.launch.kernel.to_owned(), Some(only.launch.at)),
            _ => (names.join(" or "), None),
        }
    }
}

/// `scale` for `shop::kernels::scale<f32>`.
fn short(name: &str) -> &str {
    let path = name.split('<').next().unwrap_or(name);
    path.rsplit("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::past_launch::{CandidateLaunches, NAMED};

    const SHAPE: [[u32; 3]; 2] = [[4, 1, 1], [256, 1, 1]];

    fn reported() -> Reported {
        Reported {
            kernel: 3,
            message: "index out of bounds: the len is 5 but the index is 7".to_owned(),
            file: "src/main.rs".to_owned(),
            line: 12,
            column: 9,
            block: [1, 0, 0],
            thread: [3, 0, 0],
        }
    }

    #[test]
    fn a_panic_names_its_kernel_and_launch() {
        let here = Location::caller();
        let mut recent = Recent::default();
        recent.note(1, ["shop::other", "other"], SHAPE, here);
        recent.note(1, ["shop::saxpy", "saxpy"], SHAPE, here);
        let panic = recent.explain(reported(), Some("shop::saxpy"));
        assert_eq!(
            panic.to_string(),
            format!(
                "kernel `saxpy` panicked at src/main.rs:12:9: index out of bounds: the len is 5 but the index is 7 \
                 (block (1,0,0), thread (3,0,0); launched at {here})"
            )
        );
    }

    #[test]
    fn a_kernel_that_was_not_noted_has_its_short_name() {
        let panic = Recent::default().explain(reported(), Some("a::b<f32>"));
        assert_eq!(panic.kernel, "b");
    }

    #[test]
    fn an_unknown_kernel_is_one_of_those_launched() {
        let here = Location::caller();
        let mut recent = Recent::default();
        let kernel = |recent: &Recent| recent.explain(reported(), None).kernel;
        assert_eq!(kernel(&recent), "?");
        recent.note(1, ["shop::first", "first"], SHAPE, here);
        assert_eq!(kernel(&recent), "first");
        recent.note(2, ["shop::second", "second"], SHAPE, here);
        recent.note(2, ["shop::second", "second"], SHAPE, here);
        assert_eq!(kernel(&recent), "first or second");
        recent.forget(Done {
            stream: Some(1),
            launches: launches_so_far(),
        });
        assert_eq!(kernel(&recent), "second");
    }

    #[test]
    fn only_the_latest_launches_are_remembered() {
        let mut recent = Recent::default();
        for stream in 0..1000 {
            recent.note(stream, ["shop::first", "first"], SHAPE, Location::caller());
        }
        assert_eq!(recent.list.len(), RECENT);
    }

    #[test]
    fn a_wait_forgets_what_was_launched_before_it() {
        let (first, second) = (Location::caller(), record_at());
        let mut recent = Recent::default();
        recent.note(1, ["shop::first", "first"], SHAPE, first);
        recent.note(1, ["shop::second", "second"], SHAPE, second);
        let launches = launches_so_far();
        recent.note(1, ["shop::first", "first"], SHAPE, first);
        recent.forget(Done {
            stream: Some(1),
            launches,
        });
        let left = recent.candidates(Some(1));
        let left: Vec<_> = left.iter().map(|l| (l.kernel, l.times)).collect();
        assert_eq!(left, [("first", 2)]);
    }

    #[track_caller]
    fn record_at() -> &'static Location<'static> {
        Location::caller()
    }

    #[test]
    fn the_launches_of_the_stream_come_first() {
        let here = Location::caller();
        let mut recent = Recent::default();
        recent.note(1, ["shop::first", "first"], SHAPE, here);
        recent.note(2, ["shop::second", "second"], [[1, 1, 1], [32, 1, 1]], here);
        let candidates = recent.candidates(Some(2));
        assert_eq!(
            CandidateLaunches(&candidates).to_string(),
            format!(
                "; probably caused by one of: `second` at {here} (grid (1,1,1), block (32,1,1), stream 2), `first` at {here} \
                 (grid (4,1,1), block (256,1,1), stream 1); to know which, run with CUDA_LAUNCH_BLOCKING=1 or call \
                 `Device::set_launch_blocking`"
            )
        );
        assert_eq!(
            CandidateLaunches(&candidates[1..]).to_string(),
            format!(
                "; probably caused by `first` at {here} (grid (4,1,1), block (256,1,1), stream 1)"
            )
        );
    }

    #[test]
    fn a_message_names_a_few_launches() {
        let mut recent = Recent::default();
        for stream in 0..20 {
            recent.note(stream, ["shop::first", "first"], SHAPE, Location::caller());
        }
        let text = CandidateLaunches(&recent.candidates(None)).to_string();
        assert_eq!(text.matches("`first`").count(), NAMED);
        assert!(text.contains(" and 12 more; to know which"), "{text}");
    }
}
