//! What kernels reach, and what they must not: operating system, threads, host assembly.
//!
//! The graph is taken before optimisation, while calls still have the lines where they were written. After optimisation, what is still
//! undefined cannot run on a device; the graph then tells how each kernel gets there.

mod references; // which functions and globals reach which

use crate::hash::{HashMap, HashSet};
use crate::llvm::{Module, Value};
use crate::roots::Root;
pub(crate) use references::{References, symbols};
use std::collections::{BTreeMap, VecDeque};

/// Who refers to whom, and where.
pub(crate) struct Graph {
    edges: HashMap<String, Vec<Edge>>,
}

#[derive(Clone)]
struct Edge {
    to: String,
    at: Option<(String, u32, u32)>,
}

impl Graph {
    /// The references of every function that has a body.
    pub(crate) fn of(functions: &[Value<'_>]) -> Graph {
        let mut edges = HashMap::default();
        let mut reached = HashMap::default();
        for function in functions.iter().filter(|f| !f.is_declaration()) {
            let mut list: Vec<Edge> = Vec::new();
            for instruction in function.instructions() {
                let mut names = HashSet::default();
                for operand in instruction.operands() {
                    collect_names(operand, &mut reached, &mut names);
                }
                if let Some(call) = instruction.as_call()
                    && let Some(text) = call.callee().asm_text()
                    && !text.trim().is_empty()
                {
                    names.insert(format!("{ASM}{text}"));
                }
                for to in names {
                    if !list.iter().any(|e| e.to == to) {
                        list.push(Edge {
                            to,
                            at: instruction.debug_location(),
                        });
                    }
                }
            }
            edges.insert(function.name(), list);
        }
        Graph { edges }
    }

    /// The shortest way from a function to a symbol: each step's name and the line that refers to it.
    pub(crate) fn path(&self, from: &str, to: &str) -> Option<Vec<Step>> {
        let mut before: HashMap<&str, (&str, &Edge)> = HashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            if at == to {
                let mut steps = Vec::new();
                let mut here = to;
                while let Some((previous, edge)) = before.get(here) {
                    steps.push(Step {
                        name: here.to_owned(),
                        at: edge.at.clone(),
                    });
                    here = previous;
                }
                steps.reverse();
                return Some(steps);
            }
            for edge in self.edges.get(at).into_iter().flatten() {
                if edge.to != from && !before.contains_key(edge.to.as_str()) {
                    before.insert(&edge.to, (at, edge));
                    queue.push_back(&edge.to);
                }
            }
        }
        None
    }

    /// Everything reached from a function.
    pub(crate) fn reachable(&self, from: &str) -> HashSet<String> {
        let mut seen = HashSet::from_iter([from.to_owned()]);
        let mut todo = vec![from.to_owned()];
        while let Some(at) = todo.pop() {
            for edge in self.edges.get(&at).into_iter().flatten() {
                if seen.insert(edge.to.clone()) {
                    todo.push(edge.to.clone());
                }
            }
        }
        seen
    }
}

/// Marks host assembly among the names of the graph.
pub(crate) const ASM: &str = "asm!:";

/// What names of intrinsics start with.
const OF_LLVM: &str = "llvm.";

/// One step on the way from a kernel to what it must not reach.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) at: Option<(String, u32, u32)>,
}

type Reached<'ctx> = HashMap<Value<'ctx>, Vec<String>>;

/// Functions and thread-locals that a constant refers to, through tables and other statics.
fn collect_names<'ctx>(
    value: Value<'ctx>,
    reached: &mut Reached<'ctx>,
    names: &mut HashSet<String>,
) {
    if value.as_function().is_some() {
        names.insert(value.name());
    } else if let Some(global) = value.as_global() {
        if let Some(known) = reached.get(&global) {
            names.extend(known.iter().cloned());
            return;
        }
        reached.insert(global, vec![]);
        let mut inner = HashSet::default();
        if global.is_thread_local() || global.is_declaration() {
            inner.insert(global.name());
        } else if let Some(initializer) = global.initializer() {
            collect_names(initializer, reached, &mut inner);
        }
        reached.insert(global, inner.iter().cloned().collect());
        names.extend(inner);
    } else if value.is_constant() {
        for operand in value.operands() {
            collect_names(operand, reached, names);
        }
    }
}

/// The message for a kernel that reaches something that no device has.
pub(crate) fn explain(kernel: &Root<'_>, symbol: &str, steps: &[Step]) -> String {
    let Root {
        base, file, line, ..
    } = kernel;
    let shown = |name: &str| format!("{:#}", rustc_demangle::demangle(name));
    let visible = visible(steps);
    // Of an instruction, the function that has it.
    let is_function = |s: &&Step| !s.name.starts_with(ASM) && !s.name.starts_with(OF_LLVM);
    let culprit = steps[..visible].iter().rev().find(is_function);
    let culprit = culprit.map_or_else(|| base.clone(), |s| shown(&s.name));
    let need = Need::of(symbol);
    // `thread_local!` names what it makes after the variable: `COUNT::{K#0}::…`.
    let culprit = match (need, culprit.split_once("::{")) {
        (Need::ThreadLocal, Some((variable, _))) => variable.to_owned(),
        _ => culprit,
    };
    let needs = need.text(symbol);
    let of_crate = foreign_crate(&kernel.package, &steps[..visible])
        .map(|name| format!(" (crate `{name}`)"))
        .unwrap_or_default();
    let mut text = format!(
        "kernel `{base}` cannot run on a GPU: it reaches `{culprit}`{of_crate}, which needs {needs}\n  kernel `{base}` at {file}:{line}"
    );
    for step in steps
        .iter()
        .take(visible)
        .filter(|s| is_function(s) && !is_inside_std(s))
    {
        let at = step.at.as_ref().map_or_else(
            || "no line known".to_owned(),
            |(file, line, column)| format!("{file}:{line}:{column}"),
        );
        text.push_str(&format!("\n    calls `{}` at {at}", shown(&step.name)));
    }
    text.push_str(&format!("\n  {}", need.remedy(&culprit)));
    text
}

const STD: [&str; 5] = ["std", "core", "alloc", "hashbrown", "std_detect"];

/// The crate that calls what no device has: the last on the way that is not the standard library, unless it is the kernel's own.
fn foreign_crate(package: &str, steps: &[Step]) -> Option<String> {
    let crates: Vec<String> = steps.iter().filter_map(|s| crate_of(&s.name)).collect();
    let caller = crates.iter().rev().find(|c| !STD.contains(&c.as_str()))?;
    let own = package.split(' ').next().unwrap_or_default();
    (*caller != own.replace('-', "_")).then(|| caller.clone())
}

/// The crate of a function; of a method, that of the type or trait that comes first.
fn crate_of(name: &str) -> Option<String> {
    let text = format!("{:#}", rustc_demangle::demangle(name));
    let path = text.trim_start_matches(['<', '&', '(', '[', '*']);
    let path = path
        .trim_start_matches("mut ")
        .trim_start_matches("const ")
        .trim_start_matches("dyn ");
    let (first, _) = path.split_once("::")?;
    let is_name = first.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !first.is_empty()).then(|| first.to_owned())
}

/// Whether a step stands in the standard library's sources: generic code that was compiled with the user's.
fn is_inside_std(step: &Step) -> bool {
    step.at
        .as_ref()
        .is_some_and(|(file, _, _)| file.starts_with("library/") || file.starts_with("/rustc/"))
}

/// What every call of the operating system reaches when it fails: it says nothing of what the call is for.
fn is_about_errors(symbol: &str) -> bool {
    ["__errno_location", "__xpg_strerror_r", "strlen"].contains(&symbol)
}

/// Whether a value's end leads there: the way that makes the value says more.
fn is_about_drops(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.name.contains("drop_in_place"))
}

/// How many steps are the user's business: up to the first function of the standard library.
fn visible(steps: &[Step]) -> usize {
    let of_std = |step: &Step| {
        let text = format!("{:#}", rustc_demangle::demangle(&step.name));
        let text = text.trim_start_matches('<');
        ["std::", "core::", "alloc::", "hashbrown::"]
            .iter()
            .any(|c| text.starts_with(c))
    };
    steps.iter().position(of_std).map_or(steps.len(), |i| i + 1)
}

/// What a way to a missing symbol means to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    System,
    Assembly,
    ThreadLocal,
}

impl Need {
    fn of(symbol: &str) -> Need {
        if symbol.starts_with(ASM) || symbol.starts_with(OF_LLVM) {
            Need::Assembly
        } else if symbol.contains("thread_local")
            || symbol.contains("__RUST_STD_INTERNAL_VAL")
            || symbol.contains("LazyStorage")
            || symbol.contains("EagerStorage")
        {
            Need::ThreadLocal
        } else {
            Need::System
        }
    }

    fn text(self, symbol: &str) -> String {
        let shown = format!("{:#}", rustc_demangle::demangle(symbol));
        match self {
            Need::System => format!("`{shown}` of the operating system or of a host library"),
            Need::Assembly if symbol.starts_with(OF_LLVM) => {
                format!("an instruction of the host processor (`{symbol}`)")
            }
            Need::Assembly => {
                let line = symbol
                    .trim_start_matches(ASM)
                    .lines()
                    .next()
                    .unwrap_or_default();
                format!("assembly of the host processor (`{}`)", line.trim())
            }
            Need::ThreadLocal => {
                "the host thread that the variable belongs to (`thread_local!`)".into()
            }
        }
    }

    fn remedy(self, culprit: &str) -> &'static str {
        match self {
            _ if culprit.contains("io::stdio::_print")
                || culprit.contains("io::stdio::_eprint") =>
            {
                "print with `gpu_println!` or `gpu_print!`, whose text appears when the host next waits for the stream"
            }
            _ if culprit.contains("time::Instant") || culprit.contains("time::SystemTime") => {
                "take the time on the host, with two events around the launch for example, or read the GPU's clock: `warploom::device_std::time`"
            }
            _ if culprit.contains("thread::functions::sleep") => {
                "wait with `warploom::device_std::time::nanosleep`"
            }
            Need::System | Need::Assembly => {
                "do this on the host, and hand the kernel its result as a parameter"
            }
            Need::ThreadLocal => {
                "keep the value in a local variable, or hand it over as a parameter"
            }
        }
    }
}

/// Which of `symbols` each kernel reaches, once per kernel, in the order of the kernels.
pub(crate) fn first_reached<'a>(
    graph: &Graph,
    entries: impl Iterator<Item = &'a str>,
    symbols: &[String],
) -> BTreeMap<usize, (String, Vec<Step>)> {
    let mut found = BTreeMap::new();
    for (index, entry) in entries.enumerate() {
        let ways = symbols
            .iter()
            .filter_map(|s| graph.path(entry, s).map(|p| (s.clone(), p)));
        let shortest = ways.min_by_key(|(s, p)| {
            (
                visible(p),
                is_about_drops(p),
                Need::of(s),
                is_about_errors(s),
                p.len(),
            )
        });
        if let Some(shortest) = shortest {
            found.insert(index, shortest);
        }
    }
    found
}

/// Calls `each` with every instruction that the kernels of `names` reach.
pub(crate) fn visit<'ctx>(
    module: &Module<'ctx>,
    names: &[&str],
    mut each: impl FnMut(Value<'ctx>),
) {
    let mut todo: Vec<Value<'_>> = names.iter().filter_map(|n| module.function(n)).collect();
    let mut seen: HashSet<Value<'_>> = todo.iter().copied().collect();
    while let Some(value) = todo.pop() {
        let mut next: Vec<Value<'_>> = Vec::new();
        if value.as_function().is_some() {
            for instruction in value.instructions() {
                each(instruction);
                next.extend(instruction.operands());
            }
        } else if value.as_global().is_some() {
            next.extend(value.initializer());
        } else {
            next = value.operands();
        }
        todo.extend(
            next.into_iter()
                .filter(|v| v.is_constant() && seen.insert(*v)),
        );
    }
}
