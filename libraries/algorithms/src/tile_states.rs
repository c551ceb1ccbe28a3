//! The memory in which tiles tell later ones what they have; see [`lookback`](crate::lookback).

use warploom::device_std::atomic::Atomic;
use warploom::prelude::*;
use warploom::{DeviceBuffer, DeviceSlice};

use crate::Error;

/// The first `words` words of `planned`, which belongs to `what`, or as many of the device's pool, which `own` keeps: all 0.
pub(crate) fn cleared<'p>(
    planned: Option<&'p mut DeviceBuffer<u64>>,
    own: &'p mut Option<DeviceBuffer<u64>>,
    (what, words): (&'static str, usize),
    stream: &Stream,
) -> Result<DeviceSlice<'p, Atomic<u64>>, Error> {
    let states = match planned {
        Some(states) => states,
        None => own.insert(stream.device().pool()?.alloc_uninit(words, stream)?),
    };
    clear(states, (what, words), stream)
}

/// The first `words` words of `states`, which belong to `what`: all 0.
pub(crate) fn clear<'p>(
    states: &'p mut DeviceBuffer<u64>,
    (what, words): (&'static str, usize),
    stream: &Stream,
) -> Result<DeviceSlice<'p, Atomic<u64>>, Error> {
    Error::check_room(what, states.len(), words)?;
    states.slice_mut(..words)?.fill(0, stream)?;
    Ok(states.as_atomics().slice(..words)?)
}
