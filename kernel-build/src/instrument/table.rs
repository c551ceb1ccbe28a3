//! Calls through a table: what instrumented code asks of the emulator is found when the program runs, not when it is linked.

use super::access::{ALIGNED, GROUP};
use super::group::Group;
use super::local;
use crate::llvm::{LlvmError, Machine, Module, Type, Value};
use crate::lower::symbols::INTRINSIC;
use std::fmt::Write as _;

/// The table: one address for each symbol.
pub(super) const TABLE: &str = "warploom_symbols";
/// The number of the first place.
pub(super) const FIRST_SITE: &str = "warploom_first_site";
/// What the emulator calls when a kernel reaches what no device has.
const UNAVAILABLE: &str = "__warploom.host.unavailable";
/// An intrinsic that gives a lane the same number each time: one call serves a whole kernel.
const LANE_ID: &str = "llvm.nvvm.read.ptx.sreg.laneid";
/// The hook that says where the lane's registers are, and these, in order: three words each, whose names end with the axis. One call serves
/// a whole kernel for all of them.
const LANE: &str = "check.lane";
const REGISTERS: &[&str] = &[
    "llvm.nvvm.read.ptx.sreg.tid.",
    "llvm.nvvm.read.ptx.sreg.ctaid.",
    "llvm.nvvm.read.ptx.sreg.ntid.",
    "llvm.nvvm.read.ptx.sreg.nctaid.",
];
/// Functions of C that every program has.
const OF_C: &[&str] = &["memcpy", "memmove", "memset", "memcmp", "bcmp"];

/// Gives every function that is only declared a body; returns the symbols of the table, in order.
pub(super) fn bind(
    module: &mut Module<'_>,
    machine: &Machine<'_>,
    groups: &[Group],
) -> Result<Vec<String>, LlvmError> {
    let mut symbols: Vec<String> = Vec::new();
    let mut slot = |name: &str| {
        symbols.iter().position(|s| s == name).unwrap_or_else(|| {
            symbols.push(name.to_owned());
            symbols.len() - 1
        })
    };
    let mut text = super::entries::BODIES.to_owned();
    for function in module.functions() {
        let name = function.name();
        let used = function.is_declaration() && function.is_used();
        if !used
            || name.starts_with("llvm.")
            || name.starts_with("param.")
            || OF_C.contains(&&*name)
        {
            continue;
        }
        if let Some(hook) = name.strip_prefix("check.") {
            let number = hook.strip_prefix(GROUP).and_then(|n| n.parse().ok());
            if let Some(group) = number.and_then(|n: usize| groups.get(n)) {
                text.push_str(&group_body(&name, group, &mut slot));
                continue;
            }
            if let Some(align) = hook.strip_prefix(ALIGNED) {
                text.push_str(&aligned_body(&name, align, slot("check.aligned")));
                continue;
            }
            if let Some(compared) = local::Compared::of_hook(hook) {
                text.push_str(&local_body(&name, &compared, slot("check.local")));
                continue;
            }
            let plain = hook.split(':').next().unwrap_or(hook);
            let number = slot(&format!("check.{plain}"));
            text.push_str(&hook_body(function, plain, number));
        } else if let Some(offset) = register(&name) {
            text.push_str(&register_body(&name, offset, slot(LANE)));
        } else if name.starts_with(INTRINSIC) && !name.starts_with("__warploom.ptx:") {
            text.push_str(&call_body(function, slot(&name)));
        } else {
            text.push_str(&unavailable_body(function, slot(UNAVAILABLE)));
        }
    }
    let count = symbols.len().max(1);
    let _ = writeln!(
        text,
        "@{TABLE} = global [{count} x ptr] zeroinitializer, align 8"
    );
    let _ = writeln!(text, "@{FIRST_SITE} = global i32 0, align 4");
    let mut bodies = Module::from_text(module.context(), &text)?;
    bodies.set_target(&module.triple(), &machine.data_layout());
    module.link(bodies)?;
    Ok(symbols)
}

fn fetch(number: usize) -> String {
    fetch_as("f", number)
}

fn fetch_as(name: &str, number: usize) -> String {
    format!(
        "  %{name} = load ptr, ptr getelementptr ([0 x ptr], ptr @{TABLE}, i64 0, i64 {number}), align 8, !invariant.load !{{}}\n"
    )
}

/// The types of a function's parameters, each with `zeroext` or `signext` where it has that; and the result.
fn signature(function: Value<'_>) -> (String, Vec<String>) {
    let (result, params) = function.value_type().signature();
    let extension = |index| {
        let mut all = ["zeroext", "signext"].into_iter();
        all.find(|e| function.has_attribute_at(index, e))
    };
    let result = match extension(0) {
        Some(extension) => format!("{extension} {}", result.to_text()),
        None => result.to_text(),
    };
    let with = |(ty, index): (&Type<'_>, u32)| match extension(index) {
        Some(extension) => format!("{} {extension}", ty.to_text()),
        None => ty.to_text(),
    };
    (result, params.iter().zip(1..).map(with).collect())
}

fn call_body(function: Value<'_>, number: usize) -> String {
    let (result, params) = signature(function);
    let list: Vec<String> = params
        .iter()
        .enumerate()
        .map(|(i, p)| format!("{p} %{i}"))
        .collect();
    let list = list.join(", ");
    let name = function.name();
    let fetch = fetch(number);
    let is_fixed = name.strip_prefix(INTRINSIC) == Some(LANE_ID);
    let (around, within) = if is_fixed {
        ("", "nounwind willreturn memory(none)")
    } else {
        (" convergent", "convergent")
    };
    if result == "void" {
        format!(
            "define void @\"{name}\"({list}) alwaysinline convergent {{\n{fetch}  call void %f({list}) convergent\n  ret void\n}}\n"
        )
    } else {
        let plain = result.rsplit(' ').next().unwrap_or(&result).to_owned();
        let plain = if result.contains('{') || result.contains('[') {
            result.clone()
        } else {
            plain
        };
        format!(
            "define {result} @\"{name}\"({list}) alwaysinline{around} {{\n{fetch}  %r = call {result} %f({list}) {within}\n  ret {plain} %r\n}}\n"
        )
    }
}

/// How far behind the start of the lane's registers this one is, if it is one of them.
fn register(name: &str) -> Option<usize> {
    let intrinsic = name.strip_prefix(INTRINSIC)?;
    let axis = |rest| ["x", "y", "z"].iter().position(|axis| *axis == rest);
    let mut registers = REGISTERS.iter().enumerate();
    registers.find_map(|(n, one)| Some(12 * n + 4 * axis(intrinsic.strip_prefix(one)?)?))
}

fn register_body(name: &str, offset: usize, number: usize) -> String {
    let fetch = fetch(number);
    format!(
        "define i32 @\"{name}\"() alwaysinline {{\n{fetch}  %lane = call ptr %f() nounwind willreturn memory(none)\n  \
         %at = getelementptr i8, ptr %lane, i64 {offset}\n  %r = load i32, ptr %at, align 4, !invariant.load !{{}}\n  ret i32 %r\n}}\n"
    )
}

/// A hook: places get their number in the whole program, values become 64 bits.
fn hook_body(function: Value<'_>, hook: &str, number: usize) -> String {
    let (_, params) = function.value_type().signature();
    let types: Vec<String> = params.iter().map(|p| p.to_text()).collect();
    let list: Vec<String> = types
        .iter()
        .enumerate()
        .map(|(i, ty)| format!("{ty} %{i}"))
        .collect();
    let with_extension = |one: &String| match one.strip_prefix("i1 ") {
        Some(value) => format!("i1 zeroext {value}"),
        None => one.clone(),
    };
    let mut args: Vec<String> = list.iter().map(with_extension).collect();
    let mut body = fetch(number);
    if hook != "leave" {
        let last = types.len() - 1;
        let _ = writeln!(
            body,
            "  %first = load i32, ptr @{FIRST_SITE}, align 4, !invariant.load !{{}}\n  %site = add i32 %first, %{last}"
        );
        args[last] = "i32 %site".into();
    }
    let wide = match hook {
        _ if hook.starts_with("store") && hook != "store" && hook != "store16" => Some(1),
        "copy" | "late" => Some(2),
        "fill" => Some(1),
        "early" => Some(4),
        _ => None,
    };
    if let Some(at) = wide {
        let (ty, value) = (&types[at], format!("%{at}"));
        let (more, as_int) = match &**ty {
            "i64" => (String::new(), value),
            "ptr" => (
                format!("  %w = ptrtoint ptr {value} to i64\n"),
                "%w".to_owned(),
            ),
            "float" => (
                format!("  %b = bitcast float {value} to i32\n  %w = zext i32 %b to i64\n"),
                "%w".to_owned(),
            ),
            "double" => (
                format!("  %w = bitcast double {value} to i64\n"),
                "%w".to_owned(),
            ),
            "half" => (
                format!("  %b = bitcast half {value} to i16\n  %w = zext i16 %b to i64\n"),
                "%w".to_owned(),
            ),
            ty => (
                format!("  %w = zext {ty} {value} to i64\n"),
                "%w".to_owned(),
            ),
        };
        body.push_str(&more);
        args[at] = format!("i64 {as_int}");
    }
    let (name, list, args) = (function.name(), list.join(", "), args.join(", "));
    if hook == "early" {
        return format!(
            "define i1 @\"{name}\"({list}) alwaysinline {{\n{body}  %r = call zeroext i1 %f({args})\n  ret i1 %r\n}}\n"
        );
    }
    format!(
        "define void @\"{name}\"({list}) alwaysinline {{\n{body}  call void %f({args})\n  ret void\n}}\n"
    )
}

/// What is added to the count of a row whose reads go from the highest address down.
const DOWN: u32 = 1 << 31;

/// The hook of a group of reads: it asks for one row after the other, and calls the hooks of all reads where one row has news. The last row
/// counts the reads, so that the lane makes as many steps on either way.
fn group_body(name: &str, group: &Group, slot: &mut impl FnMut(&str) -> usize) -> String {
    let n_bases = group
        .reads
        .iter()
        .map(|read| read.base + 1)
        .max()
        .unwrap_or(0);
    let params: Vec<String> = (0..n_bases).map(|i| format!("ptr %{i}")).collect();
    let params = params.join(", ");
    let site = |name: &str, site: u32| {
        format!(
            "  %{name}.first = load i32, ptr @{FIRST_SITE}, align 4, !invariant.load !{{}}\n  %{name}.site = add i32 %{name}.first, {site}\n"
        )
    };
    if let ([], [a, b]) = (&group.rows[..], &group.reads[..]) {
        let hook = fetch_as("f", slot(&format!("check.pair{}", a.bytes)));
        let (at_a, at_b) = (site("a", a.site), site("b", b.site));
        return format!(
            "define void @\"{name}\"({params}) alwaysinline {{\n{hook}{at_a}{at_b}  \
             %a.at = getelementptr i8, ptr %{}, i64 {}\n  %b.at = getelementptr i8, ptr %{}, i64 {}\n  \
             call void %f(ptr %a.at, ptr %b.at, i32 %a.site, i32 %b.site)\n  ret void\n}}\n",
            a.base, a.offset, b.base, b.offset,
        );
    }
    let mut asks = String::new();
    for (n, row) in group.rows.iter().enumerate() {
        let steps = if n + 1 == group.rows.len() {
            group.reads.len()
        } else {
            0
        };
        let hook = fetch_as(&format!("r{n}"), slot(&format!("check.row{}", row.bytes)));
        let at_site = site(&format!("r{n}"), row.site);
        let _ = write!(
            asks,
            "{hook}{at_site}  %r{n}.at = getelementptr i8, ptr %{base}, i64 {first}\n  \
             %r{n}.quiet = call zeroext i1 %r{n}(ptr %r{n}.at, i64 {step}, i32 {count}, i32 {steps}, i32 %r{n}.site)\n  \
             br i1 %r{n}.quiet, label %after{n}, label %news\nafter{n}:\n",
            base = row.base,
            first = row.first,
            step = row.step,
            count = row.count | if row.down { DOWN } else { 0 },
        );
    }
    let mut reads = String::new();
    for (n, read) in group.reads.iter().enumerate() {
        let hook = fetch_as(&format!("h{n}"), slot(&format!("check.load{}", read.bytes)));
        let at_site = site(&format!("h{n}"), read.site);
        let _ = write!(
            reads,
            "{hook}{at_site}  %h{n}.at = getelementptr i8, ptr %{base}, i64 {offset}\n  \
             call void %h{n}(ptr %h{n}.at, i32 %h{n}.site)\n",
            base = read.base,
            offset = read.offset,
        );
    }
    format!(
        "define void @\"{name}\"({params}) alwaysinline {{\n{asks}  ret void\n\
         news:\n  call void @\"{name}.one.by.one\"({params}) cold\n  ret void\n}}\n\
         define void @\"{name}.one.by.one\"({params}) noinline cold {{\n{reads}  ret void\n}}\n"
    )
}

/// The comparison of a place in a local variable with its size; only what is outside is announced.
fn local_body(name: &str, compared: &local::Compared, number: usize) -> String {
    let local::Compared {
        writes,
        bytes,
        size,
        start,
        steps,
    } = compared;
    let params: Vec<String> = (0..steps.len()).map(|i| format!("i64 %{i}, ")).collect();
    let params = params.concat();
    let last = steps.len();
    let mut sum = format!("  %s0 = add i64 {start}, 0\n");
    for (i, step) in steps.iter().enumerate() {
        let _ = write!(
            sum,
            "  %p{i} = mul i64 %{i}, {step}\n  %s{} = add i64 %s{i}, %p{i}\n",
            i + 1
        );
    }
    // The first place that is outside.
    let outside = (size + 1).saturating_sub(*bytes);
    let fetch = fetch(number);
    format!(
        "define void @\"{name}\"({params}i32 %{last}) alwaysinline {{\n{sum}  %out = icmp uge i64 %s{last}, {outside}\n  \
         br i1 %out, label %outside, label %inside, !prof !{{!\"branch_weights\", i32 1, i32 1048575}}\noutside:\n{fetch}  \
         %first = load i32, ptr @{FIRST_SITE}, align 4, !invariant.load !{{}}\n  %site = add i32 %first, %{last}\n  \
         call void %f(i64 %s{last}, i64 {bytes}, i64 {size}, i32 {writes}, i32 %site) cold\n  br label %inside\ninside:\n  ret void\n}}\n"
    )
}

/// The comparison of an address with what it has to be a multiple of; only one that is none is announced. Behind the alignment stands the type of the length.
fn aligned_body(name: &str, how: &str, number: usize) -> String {
    let (align, width) = how.split_once(':').unwrap_or((how, "i64"));
    let long = if width == "i64" {
        "  %long = add i64 %1, 0\n".to_owned()
    } else {
        format!("  %long = zext {width} %1 to i64\n")
    };
    let fetch = fetch(number);
    format!(
        "define void @\"{name}\"(ptr %0, {width} %1, i32 %2, i32 %3) alwaysinline {{\n  %a = ptrtoint ptr %0 to i64\n  %rest = urem i64 %a, {align}\n  \
         %odd = icmp ne i64 %rest, 0\n  br i1 %odd, label %misaligned, label %aligned, !prof !{{!\"branch_weights\", i32 1, i32 1048575}}\nmisaligned:\n{fetch}{long}  \
         %first = load i32, ptr @{FIRST_SITE}, align 4, !invariant.load !{{}}\n  %site = add i32 %first, %3\n  \
         call void %f(ptr %0, i64 %long, i32 {align}, i32 %2, i32 %site) cold\n  br label %aligned\naligned:\n  ret void\n}}\n"
    )
}

fn unavailable_body(function: Value<'_>, number: usize) -> String {
    let (result, params) = signature(function);
    let list: Vec<String> = params
        .iter()
        .enumerate()
        .map(|(i, p)| format!("{p} %{i}"))
        .collect();
    let name = function.name();
    let text = format!("{:#}", rustc_demangle::demangle(&name));
    let bytes: String = text.bytes().map(|b| format!("\\{b:02X}")).collect();
    format!(
        "@\"name of {name}\" = private constant [{} x i8] c\"{bytes}\\00\"\ndefine {result} @\"{name}\"({}) {{\n{}  call void %f(ptr @\"name of {name}\")\n  unreachable\n}}\n",
        text.len() + 1,
        list.join(", "),
        fetch(number),
    )
}
