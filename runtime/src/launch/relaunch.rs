//! The fast path of a launch: the kernel, the shape and the kinds of arguments that this line launched last, on a GPU.
//!
//! Most launches of most programs are such. Everything that the slow path ([`submit`](super::submit)) would check again is compared with
//! what passed there; whatever differs takes the slow path, which says what is wrong. The driver's work throws ours out of the caches, so
//! that each instruction here costs several times what it would in a loop of its own: there are few, and no call that is not needed.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::cuda::DriverError;
use crate::device::{Gpu, Submission};
use crate::launch::arguments::Arg;
use crate::launch::cache::LoadedKernel;
use crate::launch::request::LaunchRequest;
use crate::sync::lock;

/// Addresses of parameters: launches with more take the slow path.
const PARAMS: usize = 48;

/// Queues a launch that is the latest one of its line again; `false`, and nothing happened, if it is not, or if memory of another device is
/// in it.
///
/// # Safety
/// As [`submit`](super::submit) or `submit_loaded`. `gpu` is that of the stream's device, and the stream does not record.
#[inline]
pub(super) unsafe fn relaunch(
    gpu: &Gpu,
    request: &LaunchRequest<'_>,
) -> Result<bool, Box<DriverError>> {
    let &LaunchRequest {
        stream,
        kernel,
        args,
        caller,
        ..
    } = request;
    let (device, queue) = (stream.device(), stream.queue());
    let Some(cuda) = queue.cuda() else {
        return Ok(false);
    };
    let mut guard = gpu.submission();
    let Submission { cache, recent, .. } = &mut *guard;
    // After the submission's lock, always.
    let mut loaded = request.loaded.map(lock);
    let known = match &mut loaded {
        Some(loaded) => Some(&mut **loaded),
        None => cache.latest(kernel, caller),
    };
    let Some(LoadedKernel {
        function,
        params,
        validated: Some(validated),
        recent_index,
        ..
    }) = known
    else {
        return Ok(false);
    };
    if !validated.is(&request.launch, &kernel.contract)
        || args.len() != params.len()
        || args.len() * 3 > PARAMS
    {
        return Ok(false);
    }
    let mut few = [const { MaybeUninit::<*mut c_void>::uninit() }; PARAMS];
    let (mut n, mut stay) = (0, true);
    for (arg, param) in args.iter().zip(&**params) {
        if arg.param() != *param
            || arg.is_misaligned()
            || arg.uncovered(&validated.shape.grid).is_some()
        {
            return Ok(false);
        }
        if let Some(buffer) = arg.buffer() {
            if !buffer.device().is_same(device) {
                return Ok(false);
            }
            stay &= buffer.record_use_if_same(queue);
        }
        // No launch that passed has blocks which wait for each other: the word for that is used by none.
        arg.addresses(&0, |address| {
            // SAFETY: three per argument at most, for which there is room, as was checked.
            unsafe { few.get_unchecked_mut(n) }.write(address);
            n += 1;
        });
    }
    if !stay {
        for buffer in args.iter().filter_map(Arg::buffer) {
            buffer.record_use(queue)?;
        }
    }
    let params = few.as_mut_ptr().cast();
    // SAFETY: `n` addresses were written, one per parameter of the device function, in order: the arguments' kinds, sizes and alignments
    // are those that were compared with the device code's. The buffers note this stream, and wait for it before they free or hand over
    // their memory.
    unsafe { function.launch(cuda, &validated.shape, params)? };
    let shape = [validated.shape.grid, validated.shape.block];
    let (stream, names) = (queue.id(), [kernel.name, kernel.base]);
    if !recent.note_again(*recent_index, stream, kernel.name, shape, caller) {
        *recent_index = recent.note(stream, names, shape, caller);
    }
    Ok(true)
}
