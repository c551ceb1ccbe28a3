//! Statics with a name that the host knows: each moves into its address space and keeps its bytes, its visibility and its name.
//!
//! ```text
//! host IR     @_RNv…COUNT = global [4 x i8] c"\04\00\00\00", section ".warploom.static;value;shop::COUNT;12;1;src/lib.rs"
//! device IR   @__warploom_static_COUNT = addrspace(1) externally_initialized global [4 x i8] c"\04\00\00\00"
//! ```
//! A static in device memory has two parts: its value, and a variable with the value's address, through which all code goes. In the image
//! of the crate that defines it the address is a constant and leaves no trace; in others the runtime writes it.
//! The macros of `warploom-device-std` write the section's name; nothing else tells such a static from others.

use crate::llvm::{Linkage, Module, Value};
use crate::roots;
use warploom_manifest::instrumented::Static;
use warploom_manifest::{Location, Space, Symbol};

/// What the section's name of such a static starts with.
const SECTION: &str = ".warploom.static;";
/// Continues it for the address of a value.
const PLACE: &str = "place;";
/// What its name in PTX starts with.
const PREFIX: &str = "__warploom_static_";
const GLOBAL: u32 = 1;
const CONSTANT: u32 = 4;
/// What constant statics of one image have at most, on every GPU.
const CONSTANT_BYTES: u64 = 65_536;

/// Which statics a module defines whose memory is in the image of that module's crate.
pub(crate) fn owned(module: &Module<'_>) -> Vec<String> {
    let globals = module.globals().into_iter();
    let defined = globals.filter(|g| g.initializer().is_some());
    let keys = defined.filter_map(|g| {
        Some(
            g.section()
                .strip_prefix(SECTION)?
                .strip_prefix(PLACE)?
                .to_owned(),
        )
    });
    keys.collect()
}

/// Moves all of them; returns what the manifest says of each, and adds what is wrong with some to `problems`. `owned`: see there.
pub(crate) fn place(
    module: &mut Module<'_>,
    owned: &[String],
    problems: &mut Vec<String>,
) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut places = Vec::new();
    for old in module.globals() {
        let section = old.section();
        let (Some(text), Some(initializer)) = (section.strip_prefix(SECTION), old.initializer())
        else {
            continue;
        };
        if let Some(key) = text.strip_prefix(PLACE) {
            if owned.iter().any(|o| o == key) {
                old.set_constant_global();
            } else {
                places.push((key.to_owned(), old));
            }
            continue;
        }
        let Some((space, name, at)) = parse(text) else {
            problems.push(format!(
                "a static of another version of warploom-device-std ({text}); use the same version of all warploom crates"
            ));
            continue;
        };
        let entry = unique(&name, &symbols);
        let address_space = if space == Space::Constant {
            CONSTANT
        } else {
            GLOBAL
        };
        let new = move_to(module, old, initializer, &entry, address_space);
        if space != Space::Device {
            // Kernels only read it. Of managed memory it is the address, which is written before the first kernel runs.
            new.set_constant_global();
        }
        symbols.push(Symbol {
            name,
            at,
            entry,
            space,
            size: roots::size_of_constant(initializer) as u64,
            align: old.alignment().into(),
            place: None,
        });
    }
    name_places(module, &places, &mut symbols);
    symbols
}

/// Puts a variable under a name and into a space of its own, for the host to write.
fn move_to<'ctx>(
    module: &mut Module<'ctx>,
    old: Value<'ctx>,
    initializer: Value<'ctx>,
    entry: &str,
    space: u32,
) -> Value<'ctx> {
    let new = module.add_global(entry, old.value_type(), space);
    new.set_initializer(initializer);
    new.set_alignment(old.alignment());
    // Until each image has its own part: see `show`.
    new.set_linkage(Linkage::Internal);
    new.set_externally_initialized();
    old.replace_all_uses_with(new.cast_to_generic());
    new
}

/// Lets the runtime write the addresses of statics that other crates define.
fn name_places<'ctx>(
    module: &mut Module<'ctx>,
    places: &[(String, Value<'ctx>)],
    symbols: &mut [Symbol],
) {
    for (key, old) in places {
        let key = parse(&format!("value;{key}"));
        let is_it = |s: &&mut Symbol| {
            let key = key.as_ref();
            key.is_some_and(|(space, name, at)| (s.space, &s.name, &s.at) == (*space, name, at))
        };
        // By now it holds the address of a value that has moved.
        if let (Some(symbol), Some(initializer)) =
            (symbols.iter_mut().find(is_it), old.initializer())
        {
            // No name of Rust has a `$`.
            let entry = format!("{}$place", symbol.entry);
            move_to(module, *old, initializer, &entry, GLOBAL).set_constant_global();
            symbol.place = Some(entry);
        }
    }
}

/// Which static a variable of a section of this name stands for, if for any.
pub(crate) fn of_section(section: &str) -> Option<Static> {
    let text = section.strip_prefix(SECTION)?;
    let key = text.strip_prefix(PLACE);
    let (space, name, at) = match key {
        Some(key) => parse(&format!("value;{key}"))?,
        None => parse(text)?,
    };
    let place = key.is_some();
    Some(Static {
        space,
        place,
        name,
        at,
    })
}

/// `value;shop::COUNT;12;1;src/lib.rs`.
fn parse(text: &str) -> Option<(Space, String, Location)> {
    let parts: Vec<&str> = text.splitn(5, ';').collect();
    let [space, name, line, column, file] = parts[..] else {
        return None;
    };
    let space = match space {
        "value" => Space::Device,
        "constant" => Space::Constant,
        "managed" => Space::Managed,
        _ => return None,
    };
    let at = Location {
        file: file.to_owned(),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    };
    Some((space, name.to_owned(), at))
}

/// The last part of the name, with a number where several statics share it.
fn unique(name: &str, taken: &[Symbol]) -> String {
    let last = name.rsplit("::").next().unwrap_or(name);
    let clean = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let base: String = PREFIX.chars().chain(last.chars().map(clean)).collect();
    let mut entry = base.clone();
    let mut number = 1;
    while taken.iter().any(|s| s.entry == entry) {
        number += 1;
        entry = format!("{base}_{number}");
    }
    entry
}

fn all<'ctx>(module: &Module<'ctx>) -> impl Iterator<Item = Value<'ctx>> + use<'ctx> {
    let globals = module.globals().into_iter();
    globals.filter(|g| g.name().starts_with(PREFIX))
}

/// Lets LLVM drop those that nothing uses. What it must not do while they are so: change code, for it would drop stores that only
/// the host sees.
pub(crate) fn hide(module: &Module<'_>) {
    all(module).for_each(|g| g.set_linkage(Linkage::Internal));
}

/// Makes them visible to the host, so that they stay as they are.
pub(crate) fn show(module: &Module<'_>) {
    all(module).for_each(|g| g.set_linkage(Linkage::External));
}

/// Those of `symbols` that an image has; an error if it has more constant memory than any GPU.
pub(crate) fn of_image(module: &Module<'_>, symbols: &[Symbol]) -> Result<Vec<Symbol>, String> {
    let names: Vec<String> = all(module).map(Value::name).collect();
    let symbols = symbols.iter().filter(|s| names.contains(&s.entry));
    let symbols: Vec<Symbol> = symbols.cloned().collect();
    let constants = symbols.iter().filter(|s| s.space == Space::Constant);
    let bytes: u64 = constants.clone().map(|s| s.size).sum();
    if bytes > CONSTANT_BYTES {
        let list: Vec<String> = constants
            .map(|s| {
                format!(
                    "`{}` ({} bytes, {}:{})",
                    s.name, s.size, s.at.file, s.at.line
                )
            })
            .collect();
        return Err(format!(
            "constant statics that kernels use together have {bytes} bytes, and constant memory has {CONSTANT_BYTES}: {}; put the largest into a buffer, or into a `device_static!`",
            list.join(", ")
        ));
    }
    Ok(symbols)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_read() {
        let (space, name, at) = parse("managed;shop::stock::COUNT;12;5;/src/a;b.rs").unwrap();
        assert_eq!((space, &*name), (Space::Managed, "shop::stock::COUNT"));
        assert_eq!((&*at.file, at.line, at.column), ("/src/a;b.rs", 12, 5));
        assert!(parse("value;shop::COUNT;12").is_none());
    }
}
