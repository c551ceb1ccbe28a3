//! Own switches, for the calling convention of Unix.

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
use std::arch::{asm, naked_asm};
use std::cell::Cell;

use corosensei::stack::Stack as _;

use super::{Context, Main};
use crate::engine::stack::Stack;

/// The stacks of the lanes of one block.
pub(crate) struct Fibers {
    stacks: Vec<Stack>,
}

impl Fibers {
    pub(crate) fn new() -> Self {
        Self { stacks: Vec::new() }
    }

    /// A fiber that has not started: the first switch to it calls `main(data)` on its stack.
    pub(crate) fn add(&mut self, stack: Stack, main: Main, data: *const ()) -> Context {
        let top = stack.base().get() as *mut usize;
        let words = [start as *const () as usize, data.addr(), main as usize];
        data.expose_provenance();
        let context = top.wrapping_sub(words.len());
        // SAFETY: the stack is larger than these words, aligned to 16, and nothing runs on it.
        unsafe { context.cast::<[usize; 3]>().write(words) };
        self.stacks.push(stack);
        Context(context.cast())
    }

    /// The stacks, for other uses.
    ///
    /// # Safety
    /// No fiber will be switched to again, and nothing on their stacks has to be dropped.
    pub(crate) unsafe fn into_stacks(self) -> Vec<Stack> {
        self.stacks
    }
}

/// Through which the lanes of one block switch.
pub(crate) struct Link {
    scheduler: Cell<Context>,
}

impl Link {
    pub(crate) fn new() -> Self {
        Self {
            scheduler: Cell::new(Context::NONE),
        }
    }

    /// The scheduler, as lanes switch to it.
    #[inline(always)]
    pub(crate) fn scheduler(&self) -> Context {
        self.scheduler.get()
    }

    /// Switches from the scheduler to a fiber; returns when one switches to the scheduler.
    ///
    /// # Safety
    /// `to` is suspended or has not started, and is one of `fibers`. Fibers switch through this link only.
    #[inline(never)]
    pub(crate) unsafe fn enter(&self, _fibers: &mut Fibers, to: Context) {
        // SAFETY: the caller's promise.
        unsafe { switch(self.scheduler.as_ptr(), to) }
    }

    /// Switches from the fiber that runs; returns when something switches to what is left at `save`.
    ///
    /// # Safety
    /// `save` can be written. `to` is [`Link::scheduler`], or a fiber of the same block that is suspended or has not started.
    #[inline(always)]
    pub(crate) unsafe fn switch(&self, save: *mut Context, to: Context) {
        // SAFETY: the caller's promise.
        unsafe { switch(save, to) }
    }
}

/// Leaves the own context at `save` and goes on at `to`.
///
/// Jumps, and does not return: processors predict a return by the calls before it, which were those of another stack. Calls and returns
/// of lanes that run the same code still match up.
///
/// # Safety
/// `save` can be written, and `to` is a context that nothing has switched to since it was left.
#[inline(always)]
unsafe fn switch(save: *mut Context, to: Context) {
    // SAFETY: all registers that a call must preserve are on the stack or clobbered. The switch back restores the stack pointer
    // of here, and jumps to the label.
    unsafe {
        asm!(
            "push rbp",
            "push rbx",
            "lea rax, [rip + 2f]",
            "push rax",
            "mov [rdi], rsp",
            "mov rsp, rsi",
            "pop rax",
            "jmp rax",
            "2:",
            "pop rbx",
            "pop rbp",
            inout("rdi") save => _,
            inout("rsi") to.0 => _,
            out("r12") _,
            out("r13") _,
            out("r14") _,
            out("r15") _,
            clobber_abi("sysv64"),
        );
    }
}

/// Brings two lines from `at` on near, if the address is valid.
#[inline(always)]
pub(super) fn prefetch(at: *const u8) {
    // SAFETY: a hint, which ignores addresses that are not valid.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    // SAFETY: as above.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(64).cast()) };
}

/// The first code on each stack: calls what [`Fibers::add`] left there. It has no caller, and says so to unwinders.
///
/// # Safety
/// Only [`switch`] comes here.
#[unsafe(naked)]
unsafe extern "C" fn start() -> ! {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined rip",
        "pop rdi",
        "pop rax",
        "xor ebp, ebp",
        "call rax",
        "ud2",
        ".cfi_endproc",
    )
}
