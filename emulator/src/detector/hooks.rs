//! What instrumented code calls before it accesses memory, by name.
//!
//! All take and give scalars in C's convention, and may unwind. `site` is the number of the place in the source. What is not in this
//! table instrumented code calls through the table of intrinsics of the device library, after [`at`] said from where.

use super::early::{self, Relaxed};
use super::memory::outside_local;
use super::order::SYSTEM;
use super::slot::AccessKind;
use super::{access, atomic, fast, fast_atomic, rows, state};
use crate::engine::fiber;

/// A function that instrumented code may call, and its name.
#[derive(Debug, Clone, Copy)]
pub struct Hook {
    /// The name by which instrumented code asks for it.
    pub name: &'static str,
    /// Its address.
    pub address: *const (),
}

// SAFETY: addresses of functions.
unsafe impl Sync for Hook {}

macro_rules! hooks {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? $body:block)*) => {
        $($(#[$doc])* extern "C-unwind" fn $name($($arg: $ty),*) $(-> $ret)? $body)*

        /// Every hook.
        pub static HOOKS: &[Hook] = &[$(Hook {
            name: concat!("check.", stringify!($name)),
            address: $name as *const (),
        }),*];
    };
}

hooks! {
    /// A read of 1 byte.
    fn load1(at: *const u8, site: u32) { fast::read::<1>(at, site); }
    /// A read of 2 bytes, which must be aligned to 2.
    fn load2(at: *const u8, site: u32) { fast::read::<2>(at, site); }
    /// A read of 4 bytes, which must be aligned to 4.
    fn load4(at: *const u8, site: u32) { fast::read::<4>(at, site); }
    /// A read of 8 bytes, which must be aligned to 8.
    fn load8(at: *const u8, site: u32) { fast::read::<8>(at, site); }
    /// A read of 16 bytes, which must be aligned to 16.
    fn load16(at: *const u8, site: u32) { fast::read::<16>(at, site); }
    /// A read of any other number of bytes, or with another alignment.
    fn load(at: *const u8, bytes: u64, align: u32, site: u32) { access::any(at.addr(), bytes as usize, align, AccessKind::READ, site); }
    /// Reads of 4 bytes each, `count` of them (at least one), from one site: the lowest at `at`, each other `step` bytes behind the one before. The highest bit of `count`: the
    /// code makes them from the highest down. All rows of a group are asked for one after the other, and only the last one's `steps` are more than none.
    /// True: they may be done, and `steps` steps of the lane are counted. False: each is to be announced on its own, and nothing is counted.
    fn row4(at: *const u8, step: u64, count: u32, steps: u32, site: u32) -> bool { rows::read::<4>(at, step, count, steps, site) }
    /// The same with 8 bytes each.
    fn row8(at: *const u8, step: u64, count: u32, steps: u32, site: u32) -> bool { rows::read::<8>(at, step, count, steps, site) }
    /// The same with 16 bytes each.
    fn row16(at: *const u8, step: u64, count: u32, steps: u32, site: u32) -> bool { rows::read::<16>(at, step, count, steps, site) }
    /// Two reads of 4 bytes each, one after the other, which must be aligned to 4. Nothing between them is announced.
    fn pair4(a: *const u8, b: *const u8, site_a: u32, site_b: u32) { fast::read_two::<4>((a, site_a), (b, site_b)); }
    /// The same with 8 bytes each.
    fn pair8(a: *const u8, b: *const u8, site_a: u32, site_b: u32) { fast::read_two::<8>((a, site_a), (b, site_b)); }
    /// A write of 1 byte.
    fn store1(at: *const u8, value: u64, site: u32) { fast::write::<1>(at, Some(value), site); }
    /// A write of 2 bytes, which must be aligned to 2.
    fn store2(at: *const u8, value: u64, site: u32) { fast::write::<2>(at, Some(value), site); }
    /// A write of 4 bytes, which must be aligned to 4.
    fn store4(at: *const u8, value: u64, site: u32) { fast::write::<4>(at, Some(value), site); }
    /// A write of 8 bytes, which must be aligned to 8.
    fn store8(at: *const u8, value: u64, site: u32) { fast::write::<8>(at, Some(value), site); }
    /// A write of 16 bytes, which must be aligned to 16.
    fn store16(at: *const u8, site: u32) { fast::write::<16>(at, None, site); }
    /// A write of any other number of bytes, or with another alignment.
    fn store(at: *const u8, bytes: u64, align: u32, site: u32) { access::any(at.addr(), bytes as usize, align, AccessKind::WRITE, site); }
    /// A copy from `from` to `to` that the processor makes next.
    fn copy(to: *const u8, from: *const u8, bytes: u64, site: u32) {
        access::copy(to.addr(), from.addr(), bytes as usize, site);
    }
    /// A filling of memory that the processor makes next.
    fn fill(to: *const u8, bytes: u64, site: u32) { access::any(to.addr(), bytes as usize, 1, AccessKind::WRITE, site); }
    /// A read (or a write) of a local variable of `size` bytes, which is not in it as a whole. What is in it is not announced.
    fn local(offset: i64, bytes: u64, size: u64, writes: u32, site: u32) { outside_local(offset, bytes, size, writes != 0, site); }
    /// A copy or filling of memory whose address is no multiple of `align`, as the processor, and a GPU, take it to be. Aligned ones are not announced.
    fn aligned(at: *const u8, bytes: u64, align: u32, writes: u32, site: u32) { access::misaligned(at.addr(), bytes as usize, align, writes != 0, site); }
    /// An atomic operation of Rust's own atomics or a volatile access, which the processor makes next. `how`: bits 0..2 say what (0 a load, 1 a
    /// store, 2 a read and a write), bit 2 that it is volatile rather than atomic, bits 4.. the order as in the table of intrinsics
    /// (0 relaxed, 1 acquire, 2 release, 3 both, 4 sequentially consistent). The scope is the system's.
    fn atomic(at: *const u8, bytes: u32, how: u32, site: u32) { fast_atomic::announced(at, bytes, how, site); }
    /// Whether the relaxed store of `value` to `to`, of at most 8 bytes, comes before the relaxed load of `from`, which the processor or an intrinsic makes next. True: it has been made.
    /// False: it is announced by `late`. `how` is 4 × order + scope of the store.
    fn early(from: *const u8, from_bytes: u32, to: *const u8, bytes: u32, value: u64, how: u32, site: u32) -> bool {
        early::comes_first((from, from_bytes as usize), Relaxed { at: to, bytes: bytes as usize, value, how, site })
    }
    /// Makes a store of which `early` was asked, unless that has made it: `is_made` is its answer.
    fn late(to: *const u8, bytes: u32, value: u64, how: u32, is_made: bool, site: u32) {
        if !is_made {
            early::makes(Relaxed { at: to, bytes: bytes as usize, value, how, site });
        }
    }
    /// Where the lane's registers are: three words each of `%tid`, `%ctaid`, `%ntid` and `%nctaid`, which stay what they are while it runs.
    fn lane() -> *const u8 { fiber::registers().cast() }
    /// A fence of Rust's own, of the system's scope; the order as in the table of intrinsics.
    fn fence(order: u32, site: u32) { atomic::fence_at(order << 2 | SYSTEM, site); }
    /// A call of a function that was not inlined, from `site`.
    fn enter(site: u32) { state::enter(site); }
    /// The end of that call.
    fn leave() { state::leave(); }
    /// The next intrinsic is called from `site`.
    fn at(site: u32) { state::at(site); }
}
