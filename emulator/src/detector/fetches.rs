//! Reads of arrays through textures, for an observer: by tiles, where single accesses would tell of rows.

use super::observer::Observer;
use super::state::current;

/// The lane that runs reads an array through a texture: `read` makes the accesses, which checks see as others. An observer is told once: of the place in the order of tiles that `read` gives,
/// and of the bytes there.
pub(crate) fn fetches<R>(read: impl FnOnce() -> (R, Option<(usize, usize)>)) -> R {
    let tell = |tells: &dyn Fn(&dyn Observer, u32, u32)| {
        if let Some((running, checks)) = current()
            && let Some(observer) = &checks.observer
        {
            tells(&**observer, running.thread.get(), running.site.get());
        }
    };
    tell(&|observer, thread, _| observer.is_at_mbarrier(thread, true));
    let (result, first) = read();
    tell(&|observer, thread, site| {
        observer.is_at_mbarrier(thread, false);
        if let Some((address, bytes)) = first {
            observer.fetches(thread, site, address, bytes);
        }
    });
    result
}
