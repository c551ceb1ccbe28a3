//! The layers of each crate: a module may name modules of its own layer and of those below, never above.
//!
//! A layer is a list of module paths; the longest path that is a prefix of a module's decides. The crate root is the facade and
//! may name everything.

use super::imports::Imports;
use super::root;
use std::collections::BTreeSet;

/// The folder of a crate, and its layers, from the lowest: name and modules.
type Layers = (
    &'static str,
    &'static [(&'static str, &'static [&'static str])],
);

/// All crates with more than one layer.
const CRATES: &[Layers] = &[
    (
        "emulator",
        &[
            (
                "data",
                &[
                    "access_costs",
                    "sync",
                    "site",
                    "source",
                    "memory_kind",
                    "model",
                    "exact",
                    "matrix",
                    "fault",
                    "shape",
                    "control",
                    "random",
                    "options",
                    "finding",
                    "tensor",
                    "texture",
                ],
            ),
            (
                "data of the engine",
                &[
                    "engine::bulk",
                    "engine::checker",
                    "engine::launch",
                    "engine::livelock",
                    "engine::mbarrier",
                    "engine::panic_record",
                    "engine::pending",
                    "engine::remarks",
                    "engine::reserve",
                    "engine::shared",
                    "engine::shared_array",
                    "engine::stack",
                    "engine::stack_of_threads",
                    "engine::tls",
                    "engine::warp_op",
                ],
            ),
            (
                "parts of the engine",
                &[
                    "engine::context",
                    "engine::grid",
                    "engine::order",
                    "engine::thread_pool",
                    "engine::warp",
                ],
            ),
            ("blocks", &["engine::block"]),
            ("engine", &["engine"]),
            (
                "shadow memory and clocks",
                &[
                    "detector::clock",
                    "detector::cursor",
                    "detector::epochs",
                    "detector::exits",
                    "detector::footprint",
                    "detector::hints",
                    "detector::line",
                    "detector::memory",
                    "detector::observer",
                    "detector::order",
                    "detector::pending_acquires",
                    "detector::seq_cst",
                    "detector::shadow",
                    "detector::slot",
                    "detector::space",
                    "detector::touch",
                    "detector::turn",
                    "detector::window",
                ],
            ),
            ("detector", &["detector"]),
            ("reports", &["report"]),
            ("intrinsics", &["intrinsics", "host"]),
            ("entry", &["run", "check", "device_pass"]),
        ],
    ),
    (
        "runtime",
        &[
            (
                "data",
                &[
                    "kernel",
                    "launch_config",
                    "launch_shape",
                    "limits",
                    "past_launch",
                    "sync",
                    "unsupported",
                ],
            ),
            ("driver types", &["cuda::sys"]),
            (
                "driver calls",
                &["cuda::driver", "cuda::health", "cuda::result"],
            ),
            ("driver objects", &["cuda"]),
            (
                "devices, streams and memory",
                &[
                    "buffer",
                    "checked",
                    "device",
                    "event",
                    "graph::error",
                    "graph::record",
                    "heap",
                    "interop::dlpack",
                    "interop::error",
                    "interop::external",
                    "interop::foreign",
                    "interop::graphics",
                    "launch::arguments",
                    "launch::blocking",
                    "launch::cache",
                    "launch::error",
                    "launch::values",
                    "memory",
                    "model",
                    "module::embedded",
                    "module::error",
                    "module::images",
                    "occupancy",
                    "panics",
                    "print",
                    "stream",
                    "symbol",
                    "tensor",
                    "texture",
                    "view",
                ],
            ),
            ("launch", &["launch", "module::function"]),
            ("module", &["module"]),
            ("errors", &["error"]),
            ("graph", &["graph"]),
            ("conveniences", &["interop", "profile", "testing"]),
        ],
    ),
    (
        "kernel-build",
        &[
            (
                "data",
                &[
                    "archive",
                    "call",
                    "elf",
                    "environment",
                    "fork",
                    "hash",
                    "instructions",
                    "jobs",
                    "options",
                    "platform",
                    "sources",
                    "versions",
                ],
            ),
            ("LLVM", &["llvm"]),
            (
                "IR",
                &["passes", "reach", "roots", "run_on_host", "sample", "watch"],
            ),
            ("passes for correctness", &["lower"]),
            ("passes for speed", &["opt"]),
            ("instrumentation", &["instrument"]),
            ("pipeline", &["pipeline"]),
            ("device linker", &["linker"]),
            (
                "nested build",
                &[
                    "agreement",
                    "cargo",
                    "embed",
                    "graph",
                    "groups",
                    "inputs",
                    "outer",
                    "package",
                    "reuse",
                    "shim",
                    "toolchain",
                    "wrapper",
                ],
            ),
            ("self-test", &["installation", "self_test"]),
            (
                "build script",
                &["builder", "nested", "pass", "proof", "roles"],
            ),
        ],
    ),
    (
        "cargo-warploom",
        &[
            ("files and pages", &["html", "temporary"]),
            ("project", &["command_line", "cuda_tools", "project"]),
            (
                "code of kernels",
                &[
                    "device_code",
                    "llvm_ir",
                    "machine_code",
                    "ptx",
                    "ptxas",
                    "ptxas_costs",
                    "select",
                    "source_lines",
                ],
            ),
            (
                "subcommands",
                &[
                    "check",
                    "doctor",
                    "new_project",
                    "report",
                    "sanitize",
                    "show",
                ],
            ),
        ],
    ),
    (
        "device-std",
        &[
            (
                "intrinsics",
                &["intrinsics", "panic_record", "print::record"],
            ),
            (
                "contracts",
                &[
                    "const_text",
                    "derived",
                    "hint",
                    "host_address",
                    "layout",
                    "plain",
                    "scope",
                    "target",
                ],
            ),
            (
                "values",
                &[
                    "address",
                    "atomic",
                    "debug",
                    "dependent_launch",
                    "dpx",
                    "foreign",
                    "grid_const",
                    "half",
                    "index",
                    "integer",
                    "kernel",
                    "math",
                    "panic",
                    "print",
                    "round",
                    "statics",
                    "time",
                    "vector",
                ],
            ),
            (
                "threads",
                &["barrier", "block", "grid", "heap", "shared", "warp"],
            ),
            (
                "collectives",
                &[
                    "cluster", "groups", "memory", "mma", "output", "pipeline", "surface",
                    "tcgen05", "texture", "tma", "wgmma", "wmma",
                ],
            ),
        ],
    ),
    (
        "kernel-macros",
        &[
            (
                "tokens",
                &["enclosing", "errors", "fragments", "pass", "root", "spans"],
            ),
            ("model", &["arguments", "kernel"]),
            ("rules", &["check"]),
            ("expansion", &["derive", "expand", "print", "ptx"]),
            ("attribute", &["kernel_attribute"]),
        ],
    ),
];

/// The layer of a module: its number from below.
fn layer(layers: &[(&str, &[&str])], module: &str) -> Option<usize> {
    let holds =
        |path: &str| path.is_empty() || module == path || module.starts_with(&format!("{path}::"));
    let matches = layers.iter().enumerate().flat_map(|(number, (_, paths))| {
        let paths = paths.iter().filter(|path| holds(path));
        paths.map(move |path| (path.len(), number))
    });
    matches.max().map(|(_, number)| number)
}

/// The imports of a crate that run upwards, and modules that no layer has.
fn violations(layers: &[(&str, &[&str])], imports: &Imports) -> Vec<String> {
    let mut found = Vec::new();
    for (module, targets) in imports.edges.iter().filter(|(m, _)| !m.is_empty()) {
        let Some(own) = layer(layers, module) else {
            found.push(format!("`{module}` is in no layer"));
            continue;
        };
        for target in targets {
            if let Some(other) = layer(layers, target).filter(|other| *other > own) {
                found.push(format!(
                    "`{module}` ({}) names `{target}` ({})",
                    layers[own].0, layers[other].0
                ));
            }
        }
    }
    found
}

#[test]
fn imports_never_run_upwards() {
    for (folder, layers) in CRATES {
        let imports = Imports::of(&root().join(folder).join("src"));
        let found = violations(layers, &imports);
        assert!(
            found.is_empty(),
            "{folder}: {} imports run upwards:\n{}",
            found.len(),
            found.join("\n")
        );
        let circles = imports.circles();
        let sizes: Vec<usize> = circles.iter().map(BTreeSet::len).collect();
        println!(
            "{folder}: {} modules, import circles of {sizes:?} modules",
            imports.edges.len()
        );
        if std::env::var_os("WARPLOOM_CIRCLES").is_some() {
            println!("{circles:#?}");
        }
    }
}

#[test]
fn an_upward_import_is_found() {
    let mut imports = Imports::default();
    let edge = |from: &str, to: &str| (from.to_owned(), BTreeSet::from([to.to_owned()]));
    imports
        .edges
        .extend([edge("low", "high::part"), edge("high", "low")]);
    imports
        .edges
        .extend([("high::part".to_owned(), BTreeSet::new())]);
    let layers: &[(&str, &[&str])] = &[("data", &["low"]), ("engine", &["high"])];
    assert_eq!(
        violations(layers, &imports),
        ["`low` (data) names `high::part` (engine)"]
    );
}
