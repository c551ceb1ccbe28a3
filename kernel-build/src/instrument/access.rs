//! A hook before each access to memory, and before each intrinsic that orders or moves memory.
//!
//! Left out: accesses whose address is that of a constant of the program, and of a local variable, as far as the code shows it. An access to a part of a local variable compares
//! with its size (`local.rs`).

use super::early::{self, Store};
use super::group::{Group, group};
use super::local::{self, is_private};
use super::places::Places;
use crate::hash::HashMap;
use crate::llvm::{Module, Op, Type, TypeKind, Value};
use crate::lower::symbols::INTRINSIC;

/// Parts of the names of intrinsics that do something at a place: they are told where they are called from.
const PLACED: &[&str] = &[
    "host.",
    "barrier",
    "bar.",
    "sync",
    "vote",
    "match",
    "shfl",
    "redux",
    "activemask",
    "atom",
    "memory.",
    "fence",
    "membar",
    "cp.",
    "mbarrier",
    "cluster",
    "shared",
    "heap",
    "elect",
    "mapa",
    "ld.",
    "st.",
    "red.",
    "trap",
    "nanosleep",
    "print",
    "wgmma",
    "tcgen05",
    "tex.",
    "tld4.",
    "suld.",
];

/// What was put in.
#[derive(Default)]
pub(super) struct Hooked {
    /// The range of new places of each function.
    pub(super) ranges: HashMap<String, [u32; 2]>,
    /// The groups of reads, by their numbers.
    pub(super) groups: Vec<Group>,
}

/// The name of the hook of group number `number`, which is made for it.
pub(super) const GROUP: &str = "group.";

/// The name of the hooks that compare an address with an alignment, which stands behind it.
pub(super) const ALIGNED: &str = "aligned:";

/// Puts the hooks into every function.
pub(super) fn instrument(module: &mut Module<'_>, places: &mut Places) -> Hooked {
    let mut hooked = Hooked::default();
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        let name = format!("{:#}", rustc_demangle::demangle(&function.name()));
        let first = places.sites.len() as u32;
        let instructions = function.instructions();
        let mut i = 0;
        // The next store that may have been made early, with the answer.
        let mut early = None;
        while let Some(instruction) = instructions.get(i).copied() {
            if let Some((store, answer)) =
                early.take_if(|(one, _): &mut (Store<'_>, _)| one.store == instruction)
            {
                late(module, places, store, answer, &name);
                i += 1;
                continue;
            }
            if early.is_none() {
                early = before_load(module, places, &instructions[i..], &name);
            }
            i += match grouped(
                module,
                places,
                &instructions[i..],
                &name,
                &mut hooked.groups,
            ) {
                0 => {
                    let next = instructions.get(i + 1).copied();
                    before(module, places, instruction, next, &name);
                    1
                }
                covered => {
                    for read in &instructions[i..i + covered] {
                        bounds(module, places, *read, &name);
                    }
                    covered
                }
            };
        }
        let range = [first, places.sites.len() as u32];
        hooked.ranges.insert(function.name(), range);
    }
    hooked
}

/// Before a load behind which a store stands that may come first: asks whether it does. Gives the store and the answer.
fn before_load<'ctx>(
    module: &mut Module<'ctx>,
    places: &mut Places,
    instructions: &[Value<'ctx>],
    function: &str,
) -> Option<(Store<'ctx>, Value<'ctx>)> {
    let ((from, bytes), store) = early::pair(module, instructions)?;
    let site = site(module, places, store.store, function);
    let number = |number| module.i32_type().integer(number);
    let [from_bytes, to_bytes, how] = [bytes, store.bytes, store.how].map(number);
    let args = [from, from_bytes, store.to, to_bytes, store.value, how, site];
    let types = args.map(|arg| arg.ty());
    let name = format!("check.early:{}", store.value.ty().to_text());
    let ty = module.integer_type(1).function(&types);
    let hook = module.declare(&name, ty);
    Some((store, module.call_before(instructions[0], hook, &args)))
}

/// In place of that store.
fn late<'ctx>(
    module: &mut Module<'ctx>,
    places: &mut Places,
    store: Store<'ctx>,
    is_made: Value<'ctx>,
    function: &str,
) {
    let site = site(module, places, store.store, function);
    let number = |number| module.i32_type().integer(number);
    let [bytes, how] = [store.bytes, store.how].map(number);
    let args = [store.to, bytes, store.value, how, is_made, site];
    let name = format!("late:{}", store.value.ty().to_text());
    hook(module, store.store, &name, &args);
    // SAFETY: it has no result, and the handle ends here.
    unsafe { store.store.erase_instruction() };
}

/// Puts a hook before the group of reads that begins here; says how many instructions it covers, 0 if there is none.
fn grouped<'ctx>(
    module: &mut Module<'ctx>,
    places: &mut Places,
    instructions: &[Value<'ctx>],
    function: &str,
    groups: &mut Vec<Group>,
) -> usize {
    let first = instructions[0];
    if first.op() != Op::Load || is_private(first.operands()[0]) {
        return 0;
    }
    let Some((group, bases, covered)) = group(module, places, instructions, function) else {
        return 0;
    };
    hook(module, first, &format!("{GROUP}{}", groups.len()), &bases);
    groups.push(group);
    covered
}

fn before<'ctx>(
    module: &mut Module<'ctx>,
    places: &mut Places,
    instruction: Value<'ctx>,
    next: Option<Value<'ctx>>,
    function: &str,
) {
    let operands = instruction.operands();
    match (instruction.op(), &operands[..]) {
        (Op::Load, [at, ..]) if !is_private(*at) => {
            let site = site(module, places, instruction, function);
            load(module, instruction, *at, site);
        }
        (Op::Store, [value, at, ..]) if !is_private(*at) => {
            let site = site(module, places, instruction, function);
            store(module, instruction, *value, *at, site);
        }
        (Op::AtomicRmw, [at, value, ..]) | (Op::CmpXchg, [at, _, value, ..])
            if !is_private(*at) =>
        {
            let site = site(module, places, instruction, function);
            let how = 2 | order(instruction.ordering()) << 4;
            atomic(module, instruction, *at, value.ty(), how, site);
        }
        (Op::Load | Op::Store, _) => bounds(module, places, instruction, function),
        (Op::Fence, _) => {
            let site = site(module, places, instruction, function);
            let order = module.i32_type().integer(order(instruction.ordering()));
            hook(module, instruction, "fence", &[order, site]);
        }
        (Op::Call, _) => call(module, places, instruction, next, function),
        _ => {}
    }
}

/// Before a load or store of a local variable: compares its place with the variable's size, unless the place is a number that fits.
fn bounds<'ctx>(
    module: &mut Module<'ctx>,
    places: &mut Places,
    access: Value<'ctx>,
    function: &str,
) {
    let operands = access.operands();
    let (at, ty, writes) = match (access.op(), &operands[..]) {
        (Op::Load, [at, ..]) => (*at, access.ty(), 0),
        (Op::Store, [value, at, ..]) => (*at, value.ty(), 1),
        _ => return,
    };
    let bytes = module.store_size(ty);
    let Some(place) = local::Place::of(module, at).filter(|place| !place.fits(bytes)) else {
        return;
    };
    let mut args = place.indices();
    args.push(site(module, places, access, function));
    hook(module, access, &place.hook(bytes, writes), &args);
}

fn site<'ctx>(
    module: &Module<'ctx>,
    places: &mut Places,
    instruction: Value<'ctx>,
    function: &str,
) -> Value<'ctx> {
    let site = places.of(instruction, function);
    module.i32_type().integer(u64::from(site))
}

fn load<'ctx>(module: &mut Module<'ctx>, load: Value<'ctx>, at: Value<'ctx>, site: Value<'ctx>) {
    let order_number = load.ordering();
    if load.is_volatile() || order_number > 1 {
        let volatile = u64::from(load.is_volatile()) << 2;
        return atomic(
            module,
            load,
            at,
            load.ty(),
            volatile | order(order_number) << 4,
            site,
        );
    }
    let bytes = module.store_size(load.ty());
    let align = u64::from(load.alignment());
    if matches!(bytes, 1 | 2 | 4 | 8 | 16) && align == bytes {
        hook(module, load, &format!("load{bytes}"), &[at, site]);
    } else {
        let (bytes, align) = (
            module.i64_type().integer(bytes),
            module.i32_type().integer(align),
        );
        hook(module, load, "load", &[at, bytes, align, site]);
    }
}

fn store<'ctx>(
    module: &mut Module<'ctx>,
    store: Value<'ctx>,
    value: Value<'ctx>,
    at: Value<'ctx>,
    site: Value<'ctx>,
) {
    let order_number = store.ordering();
    if store.is_volatile() || order_number > 1 {
        let volatile = u64::from(store.is_volatile()) << 2;
        return atomic(
            module,
            store,
            at,
            value.ty(),
            1 | volatile | order(order_number) << 4,
            site,
        );
    }
    let bytes = module.store_size(value.ty());
    let align = u64::from(store.alignment());
    let scalar = !matches!(value.ty().kind(), TypeKind::Other | TypeKind::Void);
    if matches!(bytes, 1 | 2 | 4 | 8) && align == bytes && scalar {
        // By type: the hook's wrapper makes 64 bits of it.
        let name = format!("store{bytes}:{}", value.ty().to_text());
        hook(module, store, &name, &[at, value, site]);
    } else if bytes == 16 && align == 16 {
        hook(module, store, "store16", &[at, site]);
    } else {
        let (bytes, align) = (
            module.i64_type().integer(bytes),
            module.i32_type().integer(align),
        );
        hook(module, store, "store", &[at, bytes, align, site]);
    }
}

fn atomic<'ctx>(
    module: &mut Module<'ctx>,
    instruction: Value<'ctx>,
    at: Value<'ctx>,
    ty: Type<'ctx>,
    how: u64,
    site: Value<'ctx>,
) {
    let bytes = module.store_size(ty);
    let (bytes, how) = (
        module.i32_type().integer(bytes),
        module.i32_type().integer(how),
    );
    hook(module, instruction, "atomic", &[at, bytes, how, site]);
}

fn call<'ctx>(
    module: &mut Module<'ctx>,
    places: &mut Places,
    call: Value<'ctx>,
    next: Option<Value<'ctx>>,
    function: &str,
) {
    let Some(callee) = call.callee().as_function() else {
        return;
    };
    let name = callee.name();
    let args = call.args();
    if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
        let [to, from, bytes, ..] = args[..] else {
            return;
        };
        if !(is_private(to) && is_private(from)) {
            let site = site(module, places, call, function);
            alignment(module, call, (to, 0, 1), bytes, site);
            alignment(module, call, (from, 1, 0), bytes, site);
            let narrow = bytes.ty().kind() == TypeKind::Integer(32);
            hook(
                module,
                call,
                if narrow { "copy:i32" } else { "copy" },
                &[to, from, bytes, site],
            );
        }
    } else if name.starts_with("llvm.memset.") {
        let [to, _, bytes, ..] = args[..] else { return };
        if !is_private(to) {
            let site = site(module, places, call, function);
            alignment(module, call, (to, 0, 1), bytes, site);
            let narrow = bytes.ty().kind() == TypeKind::Integer(32);
            hook(
                module,
                call,
                if narrow { "fill:i32" } else { "fill" },
                &[to, bytes, site],
            );
        }
    } else if let Some(rest) = name.strip_prefix(INTRINSIC) {
        let register = rest.contains("read.ptx.sreg") || rest.contains("|mov.u32");
        if !register && PLACED.iter().any(|part| rest.contains(part)) {
            let site = site(module, places, call, function);
            hook(module, call, "at", &[site]);
        }
    } else if !callee.is_declaration() {
        let site = site(module, places, call, function);
        hook(module, call, "enter", &[site]);
        if let Some(next) = next {
            hook(module, next, "leave", &[]);
        }
    }
}

/// Before a copy or filling of memory that is done in words: the processor, and a GPU, fault where argument number `index` is no multiple of what the call promises of it.
fn alignment<'ctx>(
    module: &mut Module<'ctx>,
    call: Value<'ctx>,
    (at, index, writes): (Value<'ctx>, u32, u64),
    bytes: Value<'ctx>,
    site: Value<'ctx>,
) {
    let align = call.alignment_of_argument(index);
    if align > 1 && !is_private(at) {
        let width = bytes.ty().to_text();
        let writes = module.i32_type().integer(writes);
        let name = format!("{ALIGNED}{align}:{width}");
        hook(module, call, &name, &[at, bytes, writes, site]);
    }
}

/// Calls the hook of this name; what stands behind a colon tells variants by type apart.
fn hook<'ctx>(module: &mut Module<'ctx>, before: Value<'ctx>, name: &str, args: &[Value<'ctx>]) {
    let name = format!("check.{name}");
    let types: Vec<Type<'ctx>> = args.iter().map(|a| a.ty()).collect();
    let hook = module.declare(&name, module.void_type().function(&types));
    module.call_before(before, hook, args);
}

/// LLVM's number of an order as the table of intrinsics has it.
fn order(llvm: i32) -> u64 {
    match llvm {
        4 => 1,
        5 => 2,
        6 => 3,
        7 => 4,
        _ => 0,
    }
}
