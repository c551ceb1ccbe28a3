//! What the program learns of the code: a record in a section of its own, which points to a text, the table and the entries.

use super::entries;
use super::places::Places;
use super::table::{FIRST_SITE, TABLE};
use crate::hash::HashMap;
use crate::llvm::{Linkage, LlvmError, Machine, Module, Value};
use crate::lower::statics as lowered;
use crate::reach::References;
use crate::roots::Root;
use std::fmt::Write as _;
use warploom_manifest::instrumented::{Global, Instrumented, Kernel, MAGIC, SECTION, Static};

/// The statics that the host can ask for, by their symbols; they lose their sections.
pub(super) fn statics(module: &Module<'_>) -> HashMap<String, Static> {
    let mut found = HashMap::default();
    for global in module.globals() {
        if global.is_declaration() {
            continue;
        }
        if let Some(known) = lowered::of_section(&global.section()) {
            // The program may write it before the code runs.
            global.set_externally_initialized();
            global.set_variable_global();
            found.insert(global.name(), known);
        }
        global.clear_host_placement();
    }
    found
}

/// The kernels, and why some cannot run like this.
pub(super) fn kernels(module: &Module<'_>, roots: &[Root<'_>], names: &[String]) -> Vec<Kernel> {
    let functions = module.functions();
    let ptx: Vec<Value<'_>> = functions
        .into_iter()
        .filter(|f| f.name().starts_with("__warploom.ptx:") && f.is_used())
        .collect();
    let references = References::of(module);
    let describe = |(root, name): (&Root<'_>, &String)| {
        let reached = references.reached(module.function(&entries::symbol(name)));
        let has_ptx = ptx.iter().any(|f| reached.contains(f));
        Kernel {
            entry: name.clone(),
            at: (root.file.clone(), root.line),
            sites: [0; 2],
            unsupported: has_ptx.then(|| "it has inline PTX".to_owned()),
        }
    };
    roots.iter().zip(names).map(describe).collect()
}

/// The same under the name that people gave it: findings show it.
fn shown(global: &Global) -> Global {
    Global {
        name: format!("{:#}", rustc_demangle::demangle(&global.name)),
        ..global.clone()
    }
}

/// Adds the record.
pub(super) fn add(
    module: &mut Module<'_>,
    machine: &Machine<'_>,
    target: &str,
    kernels: Vec<Kernel>,
    symbols: Vec<String>,
    places: Places,
    statics: &HashMap<String, Static>,
) -> Result<(), LlvmError> {
    let mut globals = Vec::new();
    for global in module.globals() {
        let name = global.name();
        if global.is_declaration()
            || name.starts_with("llvm.")
            || name == TABLE
            || name == FIRST_SITE
        {
            continue;
        }
        globals.push((
            global,
            Global {
                bytes: module.store_size(global.value_type()),
                constant: global.is_constant_global(),
                of: statics.get(&name).cloned(),
                name,
            },
        ));
    }
    // Linking finds only what is visible.
    globals
        .iter()
        .for_each(|(global, _)| global.set_linkage(Linkage::External));
    let text = Instrumented {
        target: target.to_owned(),
        symbols,
        entries: kernels,
        folder: places.folder(),
        files: places.files,
        functions: places.functions,
        sites: places.sites,
        globals: globals.iter().map(|(_, g)| shown(g)).collect(),
    };
    let json = serde_json::to_string(&text).unwrap_or_default();
    let mut ir = String::new();
    for (_, global) in &globals {
        let _ = writeln!(ir, "@\"{}\" = external global i8", global.name);
    }
    let entries: Vec<String> = text
        .entries
        .iter()
        .map(|k| entries::symbol(&k.entry))
        .collect();
    for entry in &entries {
        let _ = writeln!(ir, "declare void @\"{entry}\"(ptr)");
    }
    let list = |names: &mut dyn Iterator<Item = &str>| {
        let items: Vec<String> = names.map(|n| format!("ptr @\"{n}\"")).collect();
        items.join(", ")
    };
    let bytes: String = json.bytes().map(escaped).collect();
    let _ = writeln!(
        ir,
        "@{TABLE} = external global i8\n@{FIRST_SITE} = external global i8\n\
         @warploom_text = private constant [{} x i8] c\"{bytes}\"\n\
         @warploom_entries = private constant [{} x ptr] [{}]\n\
         @warploom_globals = private constant [{} x ptr] [{}]\n\
         @warploom_record = internal global {{ i64, ptr, i64, ptr, ptr, ptr, ptr }} {{ i64 {MAGIC}, ptr @warploom_text, i64 {}, ptr @{TABLE}, ptr @{FIRST_SITE}, ptr @warploom_entries, ptr @warploom_globals }}, section \"{SECTION}\", align 8\n\
         @llvm.used = appending global [1 x ptr] [ptr @warploom_record], section \"llvm.metadata\"",
        json.len(),
        entries.len(),
        list(&mut entries.iter().map(String::as_str)),
        globals.len(),
        list(&mut globals.iter().map(|(_, g)| g.name.as_str())),
        json.len(),
    );
    let mut record = Module::from_text(module.context(), &ir)?;
    record.set_target(&module.triple(), &machine.data_layout());
    module.link(record)?;
    for global in module.globals() {
        if !global.is_declaration() && !global.name().starts_with("llvm.") {
            global.set_linkage(Linkage::Internal);
        }
    }
    Ok(())
}

fn escaped(byte: u8) -> String {
    if byte.is_ascii_graphic() && byte != b'"' && byte != b'\\' || byte == b' ' {
        char::from(byte).to_string()
    } else {
        format!("\\{byte:02X}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statics_are_called_as_people_call_them() {
        let global = Global {
            name: "_RNvCsWx6pFMFdWY_4mist5COUNT".into(),
            bytes: 4,
            constant: false,
            of: None,
        };
        assert_eq!(shown(&global).name, "mist::COUNT");
    }
}
