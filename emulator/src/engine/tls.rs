//! Two addresses that each OS thread keeps: the block that runs there, and what is kept to check it. Null in host code.
//!
//! Each hook of instrumented code and each intrinsic asks. In a library `thread_local!` is a call, which the linker of a program replaces
//! by one instruction; but the registers that the call would change stay saved, and that was a third of a checked access. Where the
//! processor and the format of programs are known, the same instruction is asked for at once, and nothing is saved.

/// The word of the block that runs on this OS thread.
pub(crate) const RUNNING: usize = 0;
/// The word of what checks it; null where nothing is checked.
pub(crate) const CHECKER: usize = 1;

#[cfg(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    target_os = "linux",
    not(miri)
))]
mod chosen {
    use std::arch::{asm, global_asm};

    /// The name of the words. Programs may have another version of this crate beside this one.
    macro_rules! name {
        () => {
            concat!(
                "warploom_emulator_here_",
                env!("CARGO_PKG_VERSION_MAJOR"),
                "_",
                env!("CARGO_PKG_VERSION_MINOR"),
                "_",
                env!("CARGO_PKG_VERSION_PATCH"),
            )
        };
    }

    // Zero at the start of each OS thread.
    global_asm!(
        ".pushsection .tbss.warploom_emulator_here,\"awT\",@nobits",
        ".p2align 4",
        concat!(".globl ", name!(), ""),
        concat!(".hidden ", name!(), ""),
        concat!(".type ", name!(), ",@object"),
        concat!(".size ", name!(), ",16"),
        concat!(name!(), ":"),
        ".zero 16",
        ".popsection",
    );

    /// Word number `N`, 0 or 1.
    #[inline(always)]
    pub(crate) fn get<const N: usize>() -> *const () {
        const { assert!(N < 2) };
        let word: *const ();
        // SAFETY: reads the OS thread's own word, which has an offset of its own from where `fs` points.
        unsafe {
            asm!(
                concat!("mov {word}, qword ptr [rip + ", name!(), "@GOTTPOFF]"),
                "mov {word}, qword ptr fs:[{word} + 8 * {n}]",
                word = out(reg) word,
                n = const N,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        word
    }

    /// Sets it.
    #[inline(always)]
    pub(crate) fn set<const N: usize>(value: *const ()) {
        const { assert!(N < 2) };
        // SAFETY: as in `get`, and nothing but these two accesses it.
        unsafe {
            asm!(
                concat!("mov {offset}, qword ptr [rip + ", name!(), "@GOTTPOFF]"),
                "mov qword ptr fs:[{offset} + 8 * {n}], {value}",
                offset = out(reg) _,
                value = in(reg) value,
                n = const N,
                options(nostack, preserves_flags),
            );
        }
    }
}

#[cfg(not(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    target_os = "linux",
    not(miri)
)))]
mod chosen {
    use std::cell::Cell;
    use std::ptr;

    thread_local! {
        static WORDS: [Cell<*const ()>; 2] = const { [Cell::new(ptr::null()), Cell::new(ptr::null())] };
    }

    /// Word number `N`, 0 or 1.
    #[inline(always)]
    pub(crate) fn get<const N: usize>() -> *const () {
        WORDS.with(|words| words[N].get())
    }

    /// Sets it.
    #[inline(always)]
    pub(crate) fn set<const N: usize>(value: *const ()) {
        WORDS.with(|words| words[N].set(value));
    }
}

pub(crate) use chosen::{get, set};

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_os_thread_has_words_of_its_own() {
        let (a, b) = (1_u8, 2_u8);
        set::<0>((&raw const a).cast());
        set::<1>((&raw const b).cast());
        std::thread::spawn(|| {
            assert!(get::<0>().is_null() && get::<1>().is_null());
            set::<0>(std::ptr::without_provenance(8));
        })
        .join()
        .unwrap();
        assert_eq!(get::<0>(), (&raw const a).cast());
        assert_eq!(get::<1>(), (&raw const b).cast());
        set::<0>(std::ptr::null());
        assert!(get::<0>().is_null());
        assert_eq!(get::<1>(), (&raw const b).cast());
        set::<1>(std::ptr::null());
    }
}
