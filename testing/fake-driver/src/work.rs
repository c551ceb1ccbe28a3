//! Streams, events and the work that streams are given.
//!
//! Usually work is done when it is submitted. Where a test chose `queued`, it waits in its stream until a call waits for it, and no
//! other stream's work is done on the way, unless an event asks for it: a program that forgets to wait sees old data.

use std::collections::VecDeque;

use crate::code::Code;
use crate::exec::{self, Run};
use crate::state::{Held, State};

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: u32 = 1;

/// A stream.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    pub(crate) context: u64,
    pub(crate) flags: u32,
    pub(crate) priority: i32,
    /// Whether it is its context's own, which no call makes or destroys.
    pub(crate) is_null: bool,
    /// Destroyed, but not done.
    pub(crate) destroyed: bool,
    /// Some thread runs its callback.
    pub(crate) busy: bool,
    pub(crate) queue: VecDeque<Work>,
}

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) context: u64,
    pub(crate) flags: u32,
    /// Its latest recording.
    pub(crate) last: Option<u64>,
    /// When the latest recording that is done was done, by the devices' clock.
    pub(crate) time: Option<u64>,
}

/// A launch as it waits in a stream.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    pub(crate) function: u64,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) params: Vec<u8>,
}

/// Something to do, in order with the other work of its stream.
#[derive(Debug, Clone)]
pub(crate) enum Work {
    /// Between two addresses, of the host or the device.
    Copy {
        to: Address,
        from: Address,
        bytes: usize,
    },
    /// Writes the first `width` bytes of `value` `count` times.
    Fill {
        to: u64,
        value: u32,
        width: usize,
        count: usize,
    },
    Launch(Launch),
    /// A recording of an event.
    Record {
        event: u64,
        id: u64,
    },
    /// Waits for a recording.
    Wait(u64),
    /// A function of the program, with its argument.
    Call(Callback),
    /// Frees memory.
    Free(u64),
    /// Signals a semaphore of another API.
    Signal {
        semaphore: u64,
        value: u64,
    },
    /// Waits for a semaphore of another API.
    WaitFor {
        semaphore: u64,
        value: u64,
    },
}

/// A function of the program, and what it is given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Callback {
    pub(crate) function: unsafe extern "system" fn(usize),
    pub(crate) data: usize,
}

/// An address of the device, or of the host.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Address {
    Device(u64),
    Host(usize),
}

impl State {
    /// The stream that a handle means: 0 to 2 are the context's own.
    pub(crate) fn stream(&self, handle: u64) -> Result<u64, Code> {
        let context = self.current()?;
        if handle <= 2 {
            let own = |(_, stream): &(u64, &Stream)| stream.is_null && stream.context == context;
            let found = self.streams.iter().find(own);
            return found.map(|(handle, _)| handle).ok_or(Code::INVALID_CONTEXT);
        }
        let stream = self.streams.get(handle)?;
        if stream.destroyed || stream.is_null || stream.context != context {
            return Err(Code::INVALID_HANDLE);
        }
        Ok(handle)
    }

    /// Whether a recording is done.
    pub(crate) fn is_done(&self, record: Option<u64>) -> bool {
        record.is_none_or(|id| !self.pending_records.contains_key(&id))
    }

    /// Forgets what the streams of a context were still to do.
    pub(crate) fn discard(&mut self, context: u64) {
        let mut left = vec![];
        self.streams.retain(|handle, stream| {
            if stream.context == context {
                stream.queue.clear();
                left.push(*handle);
            }
            !(stream.context == context && stream.destroyed)
        });
        self.pending_records
            .retain(|_, stream| !left.contains(stream));
    }

    /// The streams of a context that have something to do, destroyed ones too.
    pub(crate) fn unfinished(&self, context: u64) -> Vec<u64> {
        let of = |(_, s): &(u64, &Stream)| s.context == context && (s.busy || !s.queue.is_empty());
        self.streams
            .iter()
            .filter(of)
            .map(|(handle, _)| handle)
            .collect()
    }

    /// Complains if queued work uses memory that is about to go.
    pub(crate) fn check_unused(&mut self, call: &str, start: u64, bytes: usize) {
        let end = start + bytes as u64;
        let within = |at: u64| (start..end).contains(&at);
        let place = |place: &Address| match place {
            Address::Device(at) => within(*at),
            Address::Host(at) => within(*at as u64),
        };
        let uses = |work: &Work| match work {
            Work::Copy { to, from, .. } => place(to) || place(from),
            Work::Fill { to, .. } => within(*to),
            Work::Launch(launch) => {
                let words = launch.params.as_chunks::<8>().0;
                words.iter().any(|word| within(u64::from_le_bytes(*word)))
            }
            _ => false,
        };
        let using = self
            .streams
            .iter()
            .flat_map(|(_, stream)| &stream.queue)
            .find(|w| uses(w));
        if let Some(work) = using.map(|work| format!("{work:?}")) {
            self.complain(format!("{call} of memory that queued work uses: {work}"));
        }
    }

    /// Complains if queued work signals a semaphore that is about to go, or waits for it.
    pub(crate) fn check_semaphore_unused(&mut self, about: u64) {
        let uses = |work: &&Work| matches!(work, Work::Signal { semaphore, .. } | Work::WaitFor { semaphore, .. } if *semaphore == about);
        let using = self.streams.iter().flat_map(|(_, s)| &s.queue).find(uses);
        if let Some(work) = using.map(|work| format!("{work:?}")) {
            self.complain(format!(
                "cuDestroyExternalSemaphore of one that queued work uses: {work}"
            ));
        }
    }

    /// Complains if queued launches need code that is about to go.
    pub(crate) fn check_idle(&mut self, module: u64) {
        let needs = |work: &&Work| match work {
            Work::Launch(launch) => self
                .functions
                .get(launch.function)
                .is_ok_and(|f| f.0 == module),
            _ => false,
        };
        let needing = self.streams.iter().flat_map(|(_, s)| &s.queue).find(needs);
        if let Some(work) = needing.map(|work| format!("{work:?}")) {
            self.complain(format!(
                "cuModuleUnload of code that a queued launch needs: {work}"
            ));
        }
    }

    fn real(&self, place: Address, bytes: usize) -> Result<*mut u8, Code> {
        match place {
            Address::Device(at) => self.resolve(at, bytes).map_err(|_| Code::ILLEGAL_ADDRESS),
            Address::Host(at) => Ok(std::ptr::with_exposed_provenance_mut(at)),
        }
    }

    fn execute(&mut self, context: u64, work: &Work) -> Result<(), Code> {
        match work {
            Work::Copy { to, from, bytes } => {
                let (to, from) = (self.real(*to, *bytes)?, self.real(*from, *bytes)?);
                // SAFETY: memory of the device was found just now; the caller promised host memory to stay until he has waited.
                unsafe { to.copy_from(from, *bytes) };
            }
            Work::Fill {
                to,
                value,
                width,
                count,
            } => {
                let start = self.real(Address::Device(*to), width * count)?;
                let value = value.to_le_bytes();
                for i in 0..*count {
                    let to = start.wrapping_add(i * width);
                    // SAFETY: within the memory found just now.
                    unsafe { to.copy_from_nonoverlapping(value.as_ptr(), *width) };
                }
            }
            Work::Launch(launch) => self.run(context, launch)?,
            Work::Record { event, id } => {
                self.pending_records.remove(id);
                let now = self.clock();
                if let Ok(event) = self.events.get_mut(*event) {
                    event.time = Some(now);
                }
            }
            Work::Free(address) => self.remove_region(*address),
            Work::Signal { semaphore, value } => self.signal(*semaphore, *value)?,
            Work::WaitFor { semaphore, value } => self.wait_for(*semaphore, *value)?,
            Work::Wait(_) | Work::Call(_) => {}
        }
        Ok(())
    }

    fn run(&mut self, context: u64, launch: &Launch) -> Result<(), Code> {
        let (module, _) = *self.functions.get(launch.function)?;
        let (_, kernel) = self.kernel(launch.function)?;
        let Some(program) = kernel.entry.program.clone() else {
            return Ok(());
        };
        let run = Run {
            program: &program,
            module,
            context,
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
            params: &launch.params,
        };
        exec::run(self, &run)
    }
}

/// Gives a stream work, which is done at once unless it is to wait.
pub(crate) fn submit(held: &mut Held, stream: u64, work: Work) -> Result<(), Code> {
    let stream = held.stream(stream)?;
    let found = held.streams.get(stream)?;
    let (context, is_null, flags) = (found.context, found.is_null, found.flags);
    // The context's own stream and all streams that are not "non-blocking" keep one order.
    let others: Vec<u64> = held
        .streams
        .iter()
        .filter(|(handle, other)| {
            let ordered = if is_null {
                other.flags & NON_BLOCKING == 0
            } else {
                other.is_null
            };
            *handle != stream
                && other.context == context
                && ordered
                && (is_null || flags & NON_BLOCKING == 0)
        })
        .map(|(handle, _)| handle)
        .collect();
    for other in others {
        drain(held, other, None)?;
    }
    if let Work::Record { id, .. } = work {
        held.pending_records.insert(id, stream);
    }
    held.streams.get_mut(stream)?.queue.push_back(work);
    if held.options.queued == 0 {
        // What goes wrong breaks the context; the next call says so, as with a real driver.
        let _ = drain(held, stream, None);
    }
    Ok(())
}

/// Does a stream's work: all of it, or up to a recording.
///
/// # Errors
/// What broke the context.
pub(crate) fn drain(held: &mut Held, stream: u64, until: Option<u64>) -> Result<(), Code> {
    while until.is_none_or(|id| held.pending_records.contains_key(&id)) {
        if !step(held, stream)? {
            break;
        }
    }
    // A stream that was destroyed goes when it is done.
    held.streams.retain(|handle, found| {
        *handle != stream || !found.destroyed || found.busy || !found.queue.is_empty()
    });
    Ok(())
}

/// Does one piece of a stream's work; `false` if there was none.
pub(crate) fn step(held: &mut Held, stream: u64) -> Result<bool, Code> {
    let Ok(found) = held.streams.get_mut(stream) else {
        return Ok(false);
    };
    let context = found.context;
    if found.busy {
        // Another thread runs the callback that comes first.
        held.unlocked(std::thread::yield_now);
        return Ok(true);
    }
    let Some(work) = found.queue.pop_front() else {
        return Ok(false);
    };
    match work {
        Work::Wait(id) => {
            if let Some(other) = held.pending_records.get(&id).copied() {
                drain(held, other, Some(id))?;
            }
        }
        Work::Call(Callback { function, data }) => {
            found.busy = true;
            // SAFETY: the caller promised a function that takes this.
            held.unlocked(|| unsafe { function(data) });
            if let Ok(found) = held.streams.get_mut(stream) {
                found.busy = false;
            }
        }
        work => {
            if let Err(code) = held.execute(context, &work) {
                held.breaks(context, code);
            }
        }
    }
    match held.contexts.get(context)?.broken {
        Some(code) => Err(code),
        None => Ok(true),
    }
}

/// Does all work of a context.
pub(crate) fn drain_all(held: &mut Held, context: u64) -> Result<(), Code> {
    while let Some(stream) = held.unfinished(context).first() {
        drain(held, *stream, None)?;
    }
    Ok(())
}
