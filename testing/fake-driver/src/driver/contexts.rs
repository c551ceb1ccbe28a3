//! Contexts beside the primary ones, the stack of a thread's contexts, and peers.

use crate::code::Code;
use crate::driver::devices::{FLAGS, destroy, make, may_open};
use crate::state::{Held, driver, not_null, pop, push, put};
use crate::work::{Address, Work, submit};

/// Whether one GPU reaches the other: a test can choose that some are alone.
fn joined(held: &mut Held, device: i32, peer: i32) -> Result<bool, Code> {
    held.gpu(device)?;
    held.gpu(peer)?;
    let alone = |device: i32| held.options.alone >> device & 1 != 0;
    Ok(device != peer && !alone(device) && !alone(peer))
}

/// The GPUs of the current context and of another one.
fn pair(held: &Held, peer: u64) -> Result<(u64, i32, i32), Code> {
    let context = held.current()?;
    let (ours, theirs) = (held.contexts.get(context)?, held.contexts.get(peer)?);
    Ok((context, ours.device, theirs.device))
}

/// Memory that lies in a context's GPU.
fn memory_of(held: &Held, context: u64, at: u64, bytes: usize) -> Result<Address, Code> {
    let device = held.contexts.get(context)?.device;
    if bytes > 0 {
        let (region, _) = held.region_of(at, bytes).ok_or(Code::INVALID_VALUE)?;
        if region.device != device {
            return Err(Code::INVALID_VALUE);
        }
    }
    Ok(Address::Device(at))
}

driver! {
    /// Makes a context and puts it on top of the thread's.
    fn cuCtxCreate_v2(state; context: *mut u64, flags: u32, device: i32) needs Init {
        not_null(context)?;
        may_open(state, device)?;
        if flags & !FLAGS != 0 || (flags & 7).count_ones() > 1 {
            return Err(Code::INVALID_VALUE);
        }
        let made = make(state, device, flags, true);
        push(made);
        put(context, made)
    }

    /// Destroys a context that was made, with all that is in it. If it is current, the one beneath becomes so.
    fn cuCtxDestroy_v2(state; context: u64) needs Init {
        let found = state.contexts.get(context)?;
        if !found.own {
            return Err(Code::INVALID_CONTEXT);
        }
        let device = found.device;
        if state.current() == Ok(context) {
            pop()?;
        }
        destroy(state, context, device)
    }

    /// Puts a context on top of the thread's.
    fn cuCtxPushCurrent_v2(state; context: u64) needs Init {
        state.contexts.get(context)?;
        push(context);
        Ok(())
    }

    /// Takes the top of the thread's contexts away.
    fn cuCtxPopCurrent_v2(_state; context: *mut u64) needs Init {
        let popped = pop()?;
        if context.is_null() {
            return Ok(());
        }
        put(context, popped)
    }

    /// What the current context was made with.
    fn cuCtxGetFlags(state; flags: *mut u32) needs Context {
        let context = state.current()?;
        put(flags, state.contexts.get(context)?.flags)
    }

    /// Makes all of the L2 cache ordinary.
    fn cuCtxResetPersistingL2Cache(_state;) needs Context {
        Ok(())
    }

    /// Whether one GPU reaches the other's memory.
    fn cuDeviceCanAccessPeer(state; can: *mut i32, device: i32, peer: i32) needs Init {
        let joined = joined(state, device, peer)?;
        put(can, i32::from(joined))
    }

    /// What is said of the way from one GPU to the other.
    fn cuDeviceGetP2PAttribute(state; value: *mut i32, attribute: i32, device: i32, peer: i32) needs Init {
        let joined = joined(state, device, peer)?;
        if device == peer {
            return Err(Code::INVALID_DEVICE);
        }
        match attribute {
            1 => put(value, i32::from(!joined)),
            2 | 3 => put(value, i32::from(joined)),
            4 | 5 => put(value, 0),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// Lets the current context reach another's memory.
    fn cuCtxEnablePeerAccess(state; peer: u64, flags: u32) needs Context {
        let (context, device, peer_device) = pair(state, peer)?;
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        if device == peer_device {
            return Err(Code::INVALID_DEVICE);
        }
        if !joined(state, device, peer_device)? {
            return Err(Code::PEER_ACCESS_UNSUPPORTED);
        }
        let peers = &mut state.contexts.get_mut(context)?.peers;
        if peers.contains(&peer) {
            return Err(Code::PEER_ACCESS_ALREADY_ENABLED);
        }
        peers.push(peer);
        Ok(())
    }

    /// Ends that.
    fn cuCtxDisablePeerAccess(state; peer: u64) needs Context {
        let (context, ..) = pair(state, peer)?;
        let peers = &mut state.contexts.get_mut(context)?.peers;
        let before = peers.len();
        peers.retain(|one| *one != peer);
        if peers.len() == before {
            return Err(Code::PEER_ACCESS_NOT_ENABLED);
        }
        Ok(())
    }

    /// Queues a copy between the memories of two contexts.
    fn cuMemcpyPeerAsync(state; to: u64, to_context: u64, from: u64, from_context: u64, bytes: usize, stream: u64) needs Context {
        for context in [to_context, from_context] {
            if let Some(code) = state.contexts.get(context)?.broken {
                return Err(code);
            }
        }
        let to = memory_of(state, to_context, to, bytes)?;
        let from = memory_of(state, from_context, from, bytes)?;
        submit(state, stream, Work::Copy { to, from, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::set_current;

    #[test]
    fn a_threads_contexts_are_a_stack() {
        set_current(0);
        assert_eq!(pop(), Err(Code::INVALID_CONTEXT));
        set_current(1);
        push(2);
        set_current(3); // replaces the top
        assert_eq!((pop(), pop()), (Ok(3), Ok(1)));
        assert_eq!(pop(), Err(Code::INVALID_CONTEXT));
    }
}
