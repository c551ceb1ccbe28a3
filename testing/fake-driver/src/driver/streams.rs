//! Streams, events and callbacks.

use crate::code::Code;
use crate::state::{Held, driver, not_null, put};
use crate::work::{Callback, Event, Stream, Work, drain, step, submit};

/// `CU_EVENT_DISABLE_TIMING`.
const NO_TIMING: u32 = 2;

fn create(state: &mut Held, flags: u32, priority: i32) -> Result<u64, Code> {
    if flags > 1 {
        return Err(Code::INVALID_VALUE);
    }
    let context = state.current()?;
    let stream = Stream {
        context,
        flags,
        priority: priority.clamp(-5, 0),
        ..Stream::default()
    };
    Ok(state.streams.add(stream))
}

/// Whether an event's latest recording is done.
fn recorded(state: &Held, event: u64) -> Result<bool, Code> {
    Ok(state.is_done(state.events.get(event)?.last))
}

driver! {
    /// Makes a stream.
    fn cuStreamCreate(state; stream: *mut u64, flags: u32) needs Context {
        not_null(stream)?;
        let made = create(state, flags, 0)?;
        put(stream, made)
    }

    /// Makes a stream with a priority.
    fn cuStreamCreateWithPriority(state; stream: *mut u64, flags: u32, priority: i32) needs Context {
        not_null(stream)?;
        let made = create(state, flags, priority)?;
        put(stream, made)
    }

    /// Destroys a stream; its work is still done.
    fn cuStreamDestroy_v2(state; stream: u64) needs Context {
        let stream = state.stream(stream)?;
        let found = state.streams.get_mut(stream)?;
        if found.is_null {
            return Err(Code::INVALID_HANDLE);
        }
        found.destroyed = true;
        let context = found.context;
        if !state.unfinished(context).contains(&stream) {
            state.streams.remove(stream)?;
        }
        Ok(())
    }

    /// Waits for a stream.
    fn cuStreamSynchronize(state; stream: u64) needs Context {
        let stream = state.stream(stream)?;
        drain(state, stream, None)
    }

    /// Whether a stream is done. Where work is queued, one piece is done by each question.
    fn cuStreamQuery(state; stream: u64) needs Context {
        let stream = state.stream(stream)?;
        if step(state, stream)? {
            return Err(Code::NOT_READY);
        }
        Ok(())
    }

    /// A stream's flags.
    fn cuStreamGetFlags(state; stream: u64, flags: *mut u32) needs Context {
        let stream = state.stream(stream)?;
        put(flags, state.streams.get(stream)?.flags)
    }

    /// A stream's priority.
    fn cuStreamGetPriority(state; stream: u64, priority: *mut i32) needs Context {
        let stream = state.stream(stream)?;
        put(priority, state.streams.get(stream)?.priority)
    }

    /// The context that a stream belongs to.
    fn cuStreamGetCtx(state; stream: u64, context: *mut u64) needs Context {
        // Any context's stream, unlike those that get work.
        let stream = match stream {
            0..=2 => state.stream(stream)?,
            other => other,
        };
        put(context, state.streams.get(stream)?.context)
    }

    /// Makes a stream wait for an event's latest recording.
    fn cuStreamWaitEvent(state; stream: u64, event: u64, flags: u32) needs Context {
        if flags > 1 {
            return Err(Code::INVALID_VALUE);
        }
        match state.events.get(event)?.last {
            Some(id) => submit(state, stream, Work::Wait(id)),
            None => state.stream(stream).map(drop),
        }
    }

    /// Queues a function of the program.
    fn cuLaunchHostFunc(state; stream: u64, function: Option<unsafe extern "system" fn(usize)>, data: usize) needs Context {
        let function = function.ok_or(Code::INVALID_VALUE)?;
        submit(state, stream, Work::Call(Callback { function, data }))
    }

    /// Makes an event.
    fn cuEventCreate(state; event: *mut u64, flags: u32) needs Context {
        not_null(event)?;
        // Only events without times go to other processes.
        if flags > 7 || flags & 4 != 0 && flags & NO_TIMING == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let context = state.current()?;
        let made = state.events.add(Event { context, flags, last: None, time: None });
        put(event, made)
    }

    /// Destroys an event; who waits for it goes on waiting.
    fn cuEventDestroy_v2(state; event: u64) needs Context {
        state.events.remove(event).map(drop)
    }

    /// Marks the work that a stream was given so far.
    fn cuEventRecord(state; event: u64, stream: u64) needs Context {
        let context = state.current()?;
        let found = state.events.get(event)?;
        if found.context != context {
            return Err(Code::INVALID_HANDLE);
        }
        state.stream(stream)?;
        state.records += 1;
        let id = state.records;
        state.events.get_mut(event)?.last = Some(id);
        submit(state, stream, Work::Record { event, id })
    }

    /// Waits for an event's latest recording.
    fn cuEventSynchronize(state; event: u64) needs Context {
        if let Some(id) = state.events.get(event)?.last
            && let Some(stream) = state.pending_records.get(&id).copied()
        {
            drain(state, stream, Some(id))?;
        }
        Ok(())
    }

    /// Whether an event's latest recording is done. Where work is queued, one piece is done by each question.
    fn cuEventQuery(state; event: u64) needs Context {
        if recorded(state, event)? {
            return Ok(());
        }
        let id = state.events.get(event)?.last.unwrap_or(0);
        if let Some(stream) = state.pending_records.get(&id).copied() {
            step(state, stream)?;
        }
        Err(Code::NOT_READY)
    }

    /// Milliseconds between the recordings of two events.
    fn cuEventElapsedTime(state; ms: *mut f32, start: u64, end: u64) needs Context {
        not_null(ms)?;
        let mut times = [None; 2];
        for (time, event) in times.iter_mut().zip([start, end]) {
            let found = state.events.get(event)?;
            if found.flags & NO_TIMING != 0 || found.last.is_none() {
                return Err(Code::INVALID_HANDLE);
            }
            *time = found.time;
        }
        if !recorded(state, start)? || !recorded(state, end)? {
            return Err(Code::NOT_READY);
        }
        let [Some(start), Some(end)] = times else { return Err(Code::NOT_READY) };
        put(ms, (end as f64 - start as f64) as f32 / 1e6)
    }

    /// Starts the profiler: there is none.
    fn cuProfilerStart(_state;) needs Context {
        Ok(())
    }

    /// Stops the profiler.
    fn cuProfilerStop(_state;) needs Context {
        Ok(())
    }
}
