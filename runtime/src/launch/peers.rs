//! Arguments in the memory of other devices: which a launch may use, and which not.

use crate::buffer::Buffer;
use crate::cuda::peer_access::PeerAccess;
use crate::launch::arguments::Arg;
use crate::launch::error::LaunchError;
use crate::launch::request::LaunchRequest;

/// Refuses the memory of another device that kernels of `device` may not use. Argument `i`, from 0.
#[cold]
pub(super) fn check_reach(
    request: &LaunchRequest<'_>,
    i: usize,
    buffer: &Buffer,
    access: &PeerAccess,
) -> Result<(), LaunchError> {
    let (device, peer) = (request.device(), buffer.device());
    let remedy = if device.is_gpu() != peer.is_gpu() {
        APART
    } else if request.args[i].is_by_object() {
        "textures and surfaces stay with their device: copy the memory there with `copy_from_peer`, and make one of the copy"
    } else if !buffer.is_for_peers() {
        "memory of this kind stays with its device: copy it with `copy_from_peer`"
    } else if device.reaches(peer, access) {
        return Ok(());
    } else {
        "make both from the same `Device` or its clones, or let the stream's device reach the other's memory with `enable_peer_access`"
    };
    Err(wrong_device(request, i, buffer, remedy))
}

/// What to do with memory of the emulator for a GPU, and the other way round.
const APART: &str = "a GPU and the emulator reach nothing of each other: make both from the same `Device` or its clones, or copy through the host, with `to_vec` and `copy_from`";

/// Refuses arguments of other devices again, while `access` keeps those that there are.
#[cold]
pub(super) fn check_peers(
    request: &LaunchRequest<'_>,
    access: &PeerAccess,
) -> Result<(), LaunchError> {
    of_others(request).try_for_each(|(i, buffer)| check_reach(request, i, buffer, access))
}

/// Refuses all arguments of other devices, for a graph: access may end between its runs.
#[cold]
pub(super) fn refuse_peers(request: &LaunchRequest<'_>) -> Result<(), LaunchError> {
    let Some((i, buffer)) = of_others(request).next() else {
        return Ok(());
    };
    let remedy = match request.device().is_gpu() == buffer.device().is_gpu() {
        true => {
            "the launches of a graph use memory of their own device: copy it there with `copy_from_peer`, which a graph can record"
        }
        false => APART,
    };
    Err(wrong_device(request, i, buffer, remedy))
}

/// The arguments of other devices than this one, with their places from 0.
fn of_others<'a>(request: &LaunchRequest<'a>) -> impl Iterator<Item = (usize, &'a Buffer)> {
    let device = request.device();
    let buffers = request.args.iter().map(Arg::buffer).enumerate();
    let buffers = buffers.filter_map(|(i, buffer)| Some((i, buffer?)));
    buffers.filter(|(_, buffer)| !buffer.device().is_same(device))
}

fn wrong_device(
    request: &LaunchRequest<'_>,
    i: usize,
    buffer: &Buffer,
    remedy: &'static str,
) -> LaunchError {
    LaunchError::WrongDevice {
        kernel: request.kernel.base,
        argument: i + 1,
        buffer: buffer.device().name().to_owned(),
        stream: request.device().name().to_owned(),
        remedy,
    }
}
