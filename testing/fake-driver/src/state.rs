//! Everything that the fake knows, under one lock, and the gate that every call goes through.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::code::Code;
use crate::driver::arrays::{Array, Mipmapped};
use crate::driver::external::{External, Semaphore};
use crate::driver::graphics::Resource;
use crate::driver::kinds::Pool;
use crate::driver::reserved::Allocation;
use crate::driver::textures::Object;
use crate::graph::{Executable, Graph};
use crate::link::Link;
use crate::memory::Region;
use crate::module::Module;
use crate::options::{Options, Rule};
use crate::work::{Event, Stream};

/// Handles of one kind, and what they stand for. A handle is never used twice.
#[derive(Debug)]
pub(crate) struct Table<T> {
    kind: u64,
    next: u64,
    unknown: Code,
    all: BTreeMap<u64, T>,
}

impl<T> Table<T> {
    const fn new(kind: u64, unknown: Code) -> Table<T> {
        Table {
            kind,
            next: 1,
            unknown,
            all: BTreeMap::new(),
        }
    }

    pub(crate) fn add(&mut self, value: T) -> u64 {
        let handle = self.kind << 48 | self.next << 4;
        self.next += 1;
        self.all.insert(handle, value);
        handle
    }

    pub(crate) fn get(&self, handle: u64) -> Result<&T, Code> {
        self.all.get(&handle).ok_or(self.unknown)
    }

    pub(crate) fn get_mut(&mut self, handle: u64) -> Result<&mut T, Code> {
        self.all.get_mut(&handle).ok_or(self.unknown)
    }

    pub(crate) fn remove(&mut self, handle: u64) -> Result<T, Code> {
        self.all.remove(&handle).ok_or(self.unknown)
    }

    pub(crate) fn retain(&mut self, keep: impl FnMut(&u64, &mut T) -> bool) {
        self.all.retain(keep);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.all.iter().map(|(handle, value)| (*handle, value))
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
}

/// One GPU.
#[derive(Debug, Default)]
pub(crate) struct Gpu {
    /// How often its primary context is retained.
    pub(crate) retained: u64,
    /// The primary context, while it is retained.
    pub(crate) context: u64,
    pub(crate) flags: u32,
}

/// A context.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) device: i32,
    pub(crate) limits: HashMap<i32, usize>,
    /// The code that all later calls answer with, after an error that breaks a context.
    pub(crate) broken: Option<Code>,
    pub(crate) flags: u32,
    /// Not a primary one: made by `cuCtxCreate`.
    pub(crate) own: bool,
    /// The contexts whose memory its work may reach.
    pub(crate) peers: Vec<u64>,
}

/// Everything that the fake knows.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) options: Options,
    pub(crate) initialised: bool,
    /// The fault of a kernel after which no call gives a context any more.
    pub(crate) fault: Option<Code>,
    pub(crate) gpus: Vec<Gpu>,
    pub(crate) contexts: Table<Context>,
    pub(crate) modules: Table<Module>,
    /// Module and index of its kernel.
    pub(crate) functions: Table<(u64, usize)>,
    pub(crate) streams: Table<Stream>,
    pub(crate) events: Table<Event>,
    pub(crate) graphs: Table<Graph>,
    /// A node's graph and its place there.
    pub(crate) graph_nodes: Table<(u64, usize)>,
    pub(crate) executables: Table<Executable>,
    pub(crate) pools: Table<Pool>,
    pub(crate) links: Table<Link>,
    pub(crate) arrays: Table<Array>,
    pub(crate) mipmapped: Table<Mipmapped>,
    pub(crate) textures: Table<Object>,
    pub(crate) surfaces: Table<Object>,
    pub(crate) external: Table<External>,
    pub(crate) semaphores: Table<Semaphore>,
    pub(crate) graphics: Table<Resource>,
    pub(crate) allocations: Table<Allocation>,
    /// Reserved addresses, and how many bytes there are.
    pub(crate) reserved: BTreeMap<u64, usize>,
    /// All memory, by address.
    pub(crate) regions: BTreeMap<u64, Region>,
    pub(crate) next_address: u64,
    /// Recordings of events that are queued, and the stream of each.
    pub(crate) pending_records: HashMap<u64, u64>,
    pub(crate) records: u64,
    /// Calls so far, those of the fake's own functions aside.
    pub(crate) calls: u64,
    pub(crate) log: Option<Vec<&'static str>>,
    pub(crate) rules: Vec<Rule>,
    /// Calls of this function take so many milliseconds before they do anything.
    pub(crate) slow: Option<(String, u64)>,
    /// How many calls a rule answered.
    pub(crate) injected: u64,
    pub(crate) launches: u64,
    pub(crate) threads_run: u64,
    /// By how much the devices' clock is ahead of the host's.
    pub(crate) extra_ns: u64,
    started: Instant,
    /// What a real driver would have let pass, and no program should do.
    pub(crate) complaints: Vec<String>,
}

impl State {
    fn new() -> State {
        let (options, rules) = Options::from_env();
        State {
            options,
            initialised: false,
            fault: None,
            gpus: vec![],
            contexts: Table::new(0xC0, Code::INVALID_CONTEXT),
            modules: Table::new(0xC1, Code::INVALID_HANDLE),
            functions: Table::new(0xC2, Code::INVALID_HANDLE),
            streams: Table::new(0xC3, Code::INVALID_HANDLE),
            events: Table::new(0xC4, Code::INVALID_HANDLE),
            graphs: Table::new(0xC5, Code::INVALID_VALUE),
            graph_nodes: Table::new(0xC6, Code::INVALID_VALUE),
            executables: Table::new(0xC7, Code::INVALID_VALUE),
            pools: Table::new(0xC8, Code::INVALID_VALUE),
            links: Table::new(0xC9, Code::INVALID_HANDLE),
            arrays: Table::new(0xCA, Code::INVALID_HANDLE),
            mipmapped: Table::new(0xCB, Code::INVALID_HANDLE),
            textures: Table::new(0xCC, Code::INVALID_VALUE),
            surfaces: Table::new(0xCD, Code::INVALID_VALUE),
            external: Table::new(0xCE, Code::INVALID_HANDLE),
            semaphores: Table::new(0xCF, Code::INVALID_HANDLE),
            graphics: Table::new(0xD1, Code::INVALID_HANDLE),
            allocations: Table::new(0xD0, Code::INVALID_VALUE),
            reserved: BTreeMap::new(),
            regions: BTreeMap::new(),
            next_address: 0x7A_0000_0000_0000,
            pending_records: HashMap::new(),
            records: 0,
            calls: 0,
            log: None,
            rules,
            slow: None,
            injected: 0,
            launches: 0,
            threads_run: 0,
            extra_ns: 0,
            started: Instant::now(),
            complaints: vec![],
        }
    }

    /// The calling thread's context.
    pub(crate) fn current(&self) -> Result<u64, Code> {
        match CURRENT.get() {
            0 => Err(Code::INVALID_CONTEXT),
            context if self.contexts.get(context).is_err() => Err(Code::CONTEXT_IS_DESTROYED),
            context => Ok(context),
        }
    }

    /// The GPU of this number.
    pub(crate) fn gpu(&mut self, device: i32) -> Result<&mut Gpu, Code> {
        let index = usize::try_from(device).map_err(|_| Code::INVALID_DEVICE)?;
        self.gpus.get_mut(index).ok_or(Code::INVALID_DEVICE)
    }

    /// The devices' clock, in nanoseconds: the host's, and what kernels waited for that they did not have to.
    pub(crate) fn clock(&self) -> u64 {
        let host = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        host.saturating_add(self.extra_ns)
    }

    pub(crate) fn complain(&mut self, about: String) {
        self.complaints.push(about);
    }

    /// What the first rule that fits says about this call.
    fn injected(&mut self, name: &'static str) -> Option<Code> {
        let mut answer = None;
        for rule in &mut self.rules {
            if rule.function.as_deref().is_none_or(|of| of == name) {
                rule.seen += 1;
                if rule.nth.is_none_or(|nth| nth == rule.seen) {
                    answer = answer.or(Some(rule.code));
                }
            }
        }
        self.injected += u64::from(answer.is_some());
        answer
    }

    /// Makes an error that breaks contexts do so.
    pub(crate) fn breaks(&mut self, context: u64, code: Code) {
        if code.is_fault() && self.options.recovers == 0 {
            self.fault = self.fault.or(Some(code));
        }
        if let Ok(found) = self.contexts.get_mut(context)
            && found.broken.is_none()
        {
            found.broken = Some(code);
            self.discard(context);
        }
    }
}

/// What a call needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// `cuInit` was called.
    Init,
    /// The calling thread has a context, and nothing broke it.
    Context,
}

thread_local! {
    static CURRENT: Cell<u64> = const { Cell::new(0) };
    /// The contexts beneath the current one.
    static BENEATH: RefCell<Vec<u64>> = const { RefCell::new(vec![]) };
    /// Whether the thread runs a callback, in which driver calls are not allowed.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

pub(crate) fn set_current(context: u64) {
    CURRENT.set(context);
}

/// Puts a context on top of the thread's.
pub(crate) fn push(context: u64) {
    BENEATH.with_borrow_mut(|beneath| beneath.push(CURRENT.replace(context)));
}

/// Takes the top of the thread's contexts away; the one beneath is current then, or none.
pub(crate) fn pop() -> Result<u64, Code> {
    let beneath = BENEATH.with_borrow_mut(Vec::pop);
    match CURRENT.replace(beneath.unwrap_or(0)) {
        0 if beneath.is_none() => Err(Code::INVALID_CONTEXT),
        popped => Ok(popped),
    }
}

pub(crate) fn current_or_null() -> u64 {
    CURRENT.get()
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// The state, locked.
pub(crate) struct Held(Option<MutexGuard<'static, Option<State>>>);

impl Held {
    pub(crate) fn lock() -> Held {
        let mut guard = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        guard.get_or_insert_with(State::new);
        Held(Some(guard))
    }

    /// Forgets everything but the options and whether `cuInit` was called.
    pub(crate) fn reset(&mut self) {
        let mut fresh = State::new();
        fresh.options = self.options;
        fresh.rules.clear();
        fresh.initialised = self.initialised;
        fresh.gpus.resize_with(self.gpus.len(), Gpu::default);
        **self = fresh;
    }

    /// Lets others call the driver for a while.
    fn sleep(&mut self, milliseconds: u64) {
        self.0 = None;
        std::thread::sleep(Duration::from_millis(milliseconds));
        self.0 = Held::lock().0;
    }

    /// Runs a callback of the user, who may do anything but call the driver.
    pub(crate) fn unlocked(&mut self, callback: impl FnOnce()) {
        self.0 = None;
        IN_CALLBACK.set(true);
        callback();
        IN_CALLBACK.set(false);
        self.0 = Held::lock().0;
    }
}

#[expect(
    clippy::expect_used,
    reason = "`lock` has put a state there, and nothing takes it away"
)]
impl Deref for Held {
    type Target = State;

    fn deref(&self) -> &State {
        let guard = self.0.as_ref().expect("locked");
        guard.as_ref().expect("made when it was locked")
    }
}

#[expect(clippy::expect_used, reason = "as above")]
impl DerefMut for Held {
    fn deref_mut(&mut self) -> &mut State {
        let guard = self.0.as_mut().expect("locked");
        guard.as_mut().expect("made when it was locked")
    }
}

/// One call of a driver function: counted, logged, failed if a test asked for it, refused if something is missing; then `body`.
pub(crate) fn call(
    name: &'static str,
    needs: Needs,
    body: impl FnOnce(&mut Held) -> Result<(), Code>,
) -> i32 {
    if IN_CALLBACK.get() {
        return Code::NOT_PERMITTED.0;
    }
    let mut held = Held::lock();
    held.calls += 1;
    if let Some(log) = &mut held.log {
        log.push(name);
    }
    if let Some((of, milliseconds)) = &held.slow
        && of == name
    {
        let milliseconds = *milliseconds;
        held.sleep(milliseconds);
    }
    let answer = gate(&mut held, name, needs).and_then(|()| body(&mut held));
    answer.map_or_else(|code| code.0, |()| 0)
}

fn gate(held: &mut Held, name: &'static str, needs: Needs) -> Result<(), Code> {
    let injected = held.injected(name);
    if let Some(code) = injected {
        // A context that cannot be made current is gone.
        let gone = name == "cuCtxSetCurrent" && code == Code::INVALID_CONTEXT;
        if (code.is_sticky() || gone)
            && needs != Needs::Nothing
            && let Ok(context) = held.current()
        {
            held.breaks(context, code);
        }
        return Err(code);
    }
    if needs != Needs::Nothing && !held.initialised {
        return Err(Code::NOT_INITIALIZED);
    }
    if needs == Needs::Context {
        let context = held.current()?;
        if let Some(code) = held.contexts.get(context)?.broken {
            return Err(code);
        }
    }
    Ok(())
}

/// Declares functions of the driver: `fn name(state; arguments) needs X { body }`. The body gives a `Result<(), Code>`, `state` is what
/// the fake knows, locked. It stands in an `unsafe` block: the driver trusts its caller's pointers.
macro_rules! driver {
    ($($(#[$meta:meta])* fn $name:ident($state:ident; $($arg:ident: $ty:ty),* $(,)?) needs $needs:ident $body:block)*) => { $(
        $(#[$meta])*
        ///
        /// # Safety
        /// What the driver's manual asks for.
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "name and parameters are the driver's own")]
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn $name($($arg: $ty),*) -> i32 {
            $crate::state::call(stringify!($name), $crate::state::Needs::$needs, |$state| {
                // SAFETY: the caller promises what the driver's manual asks for; the fake checks what can be checked.
                #[allow(unused_unsafe, reason = "some functions take no pointers")]
                unsafe { $body }
            })
        }
    )* };
}
pub(crate) use driver;

/// Writes an answer to where the caller points.
///
/// # Safety
/// `to` is null or points to memory for a `T`.
pub(crate) unsafe fn put<T>(to: *mut T, value: T) -> Result<(), Code> {
    if to.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the caller's promise. Callers in C may not align.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Refuses null.
pub(crate) fn not_null<T>(pointer: *const T) -> Result<*const T, Code> {
    if pointer.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    Ok(pointer)
}
