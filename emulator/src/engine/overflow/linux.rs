//! The handler of the signal that an access to a reserve raises.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::mem;
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::{Once, OnceLock};

use corosensei::stack::{DefaultStack, Stack as _};
use libc::{c_int, c_void, siginfo_t, ucontext_t};

use super::{Guard, Guards, INSTRUMENTED, Overflow, end_lane};
use crate::engine::fiber::{Running, with_running};
use crate::engine::reserve::open_reserve;
use crate::options::Mode;

/// Room for the processor's registers (some 11 KiB with AMX), the handler, and the unwinder.
const HANDLER_BYTES: usize = 128 * 1024;

/// Installs the handler, once in the process, and gives this OS thread a stack to run it on, once.
pub(crate) fn prepare() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(install);
    thread_local! {
        static OWN: RefCell<Option<HandlerStack>> = const { RefCell::new(None) };
    }
    // While the OS thread ends, nothing is reported.
    let _ = OWN.try_with(|own| {
        if let Ok(mut own) = own.try_borrow_mut()
            && own.is_none()
        {
            *own = HandlerStack::new();
        }
    });
}

/// The stack on which the handler runs on one OS thread. That of the standard library has room for its own handler only.
struct HandlerStack(DefaultStack);

impl HandlerStack {
    /// `None`: there is no memory, and a stack overflow ends the process without a report.
    fn new() -> Option<Self> {
        let stack = Self(DefaultStack::new(HANDLER_BYTES).ok()?);
        let new = libc::stack_t {
            ss_sp: ptr::without_provenance_mut(stack.start()),
            ss_flags: 0,
            ss_size: HANDLER_BYTES,
        };
        // SAFETY: the memory stays until `drop` has taken it back.
        let failed = unsafe { libc::sigaltstack(&raw const new, ptr::null_mut()) } != 0;
        (!failed).then_some(stack)
    }

    /// The lowest address above the guard page.
    fn start(&self) -> usize {
        self.0.base().get() - HANDLER_BYTES
    }
}

impl Drop for HandlerStack {
    fn drop(&mut self) {
        let none = libc::stack_t {
            ss_sp: ptr::null_mut(),
            ss_flags: libc::SS_DISABLE,
            ss_size: HANDLER_BYTES,
        };
        let mut now = none;
        // SAFETY: writes to a local variable.
        unsafe { libc::sigaltstack(ptr::null(), &raw mut now) };
        if now.ss_sp.addr() == self.start() {
            // SAFETY: the OS thread has no such stack from here on.
            unsafe { libc::sigaltstack(&raw const none, ptr::null_mut()) };
        }
    }
}

/// What handled the signal before.
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

fn install() {
    // SAFETY: zero is a valid value of all its fields.
    let mut previous: libc::sigaction = unsafe { mem::zeroed() };
    // SAFETY: writes to a local variable.
    if unsafe { libc::sigaction(libc::SIGSEGV, ptr::null(), &raw mut previous) } != 0 {
        return;
    }
    let _ = PREVIOUS.set(previous);
    // SAFETY: as above.
    let mut ours: libc::sigaction = unsafe { mem::zeroed() };
    let handler: extern "C-unwind" fn(c_int, *mut siginfo_t, *mut c_void) = on_fault;
    ours.sa_sigaction = handler as usize;
    // Not blocked meanwhile: a lane that is unwound does not return from the handler.
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
    // SAFETY: the handler leaves every signal alone that is not about a stack of ours, and does there what its comments argue.
    unsafe { libc::sigaction(libc::SIGSEGV, &raw const ours, ptr::null_mut()) };
}

/// Runs on the OS thread that made the access, at the instruction that made it.
extern "C-unwind" fn on_fault(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the operating system hands it in.
    let info_here = unsafe { &*info };
    // SAFETY: the signal is one about an address.
    let address = unsafe { info_here.si_addr() }.addr();
    // SAFETY: the operating system hands it in.
    let context_here = unsafe { &*context.cast::<ucontext_t>() };
    let (at, stack_pointer) = registers(context_here);
    let what = with_running(|running| judge(running, address, at, stack_pointer));
    match what.unwrap_or(Verdict::Elsewhere) {
        Verdict::Elsewhere => forward(signal, info, context),
        Verdict::GoesOn => {}
        // The instruction is one of instrumented code: the unwinder goes from here over the interrupted instruction to the emulator's frames.
        Verdict::Ends => end_lane(),
    }
}

enum Verdict {
    /// No overflow of a lane.
    Elsewhere,
    /// The access can be made now.
    GoesOn,
    /// The lane is to be unwound.
    Ends,
}

/// How far above the reserve the stack pointer may be when code makes an access into it: a frame without probes has less than a page.
const FRAME_BYTES: usize = 4096;

/// What an access to `address` by the instruction `at` is to a block that runs on this OS thread.
fn judge(running: &Running<'_>, address: usize, at: usize, stack_pointer: usize) -> Verdict {
    let judged = running.guards.at(address, |guard| {
        if stack_pointer > guard.below.end + FRAME_BYTES {
            return Verdict::Elsewhere; // a pointer of the kernel's own
        }
        if is_instrumented(at) {
            return Verdict::Ends;
        }
        // In the emulator's own code, locks may be held: it goes on on the reserve, and the lane ends at its next step.
        let is_checked = running.set.launch.options.mode == Mode::Checked;
        if is_checked && guard.open_for.get().is_none() && open_reserve(&guard.below).is_ok() {
            guard.open_for.set(Some(running.thread.get()));
            running.spin.ends_next_step();
            return Verdict::GoesOn;
        }
        die(running)
    });
    judged.unwrap_or(Verdict::Elsewhere)
}

impl Guards {
    /// Calls `act` with what lies below a stack, if an address is in it.
    fn at<R>(&self, address: usize, act: impl FnOnce(&Guard) -> R) -> Option<R> {
        // No code that runs on a lane's stack has it borrowed to change it.
        let guards = self.0.try_borrow().ok()?;
        let found = guards.iter().find(|guard| guard.below.contains(&address));
        found.map(act)
    }
}

/// Whether an address is one of instrumented code.
fn is_instrumented(address: usize) -> bool {
    let [start, end] = &INSTRUMENTED;
    let [start, end] = [start, end].map(|at| at.load(Ordering::Relaxed).addr());
    (start..end).contains(&address)
}

/// The address of the instruction, and the stack pointer.
#[cfg(target_arch = "x86_64")]
fn registers(context: &ucontext_t) -> (usize, usize) {
    let all = &context.uc_mcontext.gregs;
    let [at, stack_pointer] = [libc::REG_RIP, libc::REG_RSP].map(|n| all[n as usize] as usize);
    (at, stack_pointer)
}

/// The address of the instruction, and the stack pointer.
#[cfg(target_arch = "aarch64")]
fn registers(context: &ucontext_t) -> (usize, usize) {
    let all = &context.uc_mcontext;
    (all.pc as usize, all.sp as usize)
}

/// Ends the process with a message: native code cannot be unwound from any instruction, and frames that are left without being unwound
/// would break what safe code relies on, as in `thread::scope`.
#[cold]
fn die(running: &Running<'_>) -> ! {
    let options = &running.set.launch.options;
    let [block, thread] = [
        running.registers.block.get(),
        running.shape.thread_at(running.thread.get()),
    ];
    let mut text = Text::default();
    let overflow = Overflow {
        stack_bytes: options.stack_bytes,
    };
    // What does not fit is left out.
    let _ = write!(text, "\nwarploom: ");
    if !options.kernel.is_empty() {
        let _ = write!(text, "kernel `{}`, ", options.kernel);
    }
    let _ = writeln!(
        text,
        "block ({}, {}, {}), thread ({}, {}, {}): {overflow}. Native code cannot be unwound from there, so the process ends here; checked \
         runs report it and go on",
        block[0], block[1], block[2], thread[0], thread[1], thread[2],
    );
    // Neither allocates nor locks: the code that overflowed may hold any lock.
    // SAFETY: so many bytes are there.
    unsafe { libc::write(2, text.bytes.as_ptr().cast(), text.length) };
    // SAFETY: may be called anywhere.
    unsafe { libc::abort() }
}

/// A text in a local variable.
struct Text {
    bytes: [u8; 1024],
    length: usize,
}

impl Default for Text {
    fn default() -> Self {
        Self {
            bytes: [0; 1024],
            length: 0,
        }
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = &mut self.bytes[self.length..];
        let n = room.len().min(text.len());
        room[..n].copy_from_slice(&text.as_bytes()[..n]);
        self.length += n;
        Ok(())
    }
}

/// Leaves the signal to what handled it before.
fn forward(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let previous = PREVIOUS.get();
    let handler = previous.map_or(libc::SIG_DFL, |previous| previous.sa_sigaction);
    let takes_info = previous.is_some_and(|previous| previous.sa_flags & libc::SA_SIGINFO != 0);
    match handler {
        libc::SIG_DFL | libc::SIG_IGN => {
            // The access is made again, and ends the process then.
            // SAFETY: zero is a valid value of all its fields, and says that the default is wanted.
            let default: libc::sigaction = unsafe { mem::zeroed() };
            // SAFETY: as above.
            unsafe { libc::sigaction(signal, &raw const default, ptr::null_mut()) };
        }
        handler if takes_info => {
            // SAFETY: with this flag it is a function of this type.
            let handler = unsafe {
                mem::transmute::<usize, extern "C" fn(c_int, *mut siginfo_t, *mut c_void)>(handler)
            };
            handler(signal, info, context);
        }
        handler => {
            // SAFETY: without the flag it is a function of this type.
            let handler = unsafe { mem::transmute::<usize, extern "C" fn(c_int)>(handler) };
            handler(signal);
        }
    }
}
