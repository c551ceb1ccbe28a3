//! Shared memory: declarations move into its address space.

use crate::llvm::{Attribute, Linkage, Module, Value};

/// Called once per declaration, by a function of its own per type, size and place in the source: each call is one allocation.
const STATIC: &str = "__warploom.shared_static";
const SHARED: u32 = 3;

/// A static shared allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Array {
    /// The variable's name in device IR.
    pub(crate) variable: String,
    pub(crate) bytes: u64,
    /// Which it is in the source.
    pub(crate) text: String,
}

/// Gives every static shared declaration its memory; adds what is wrong with some to `problems`.
pub(crate) fn place(module: &mut Module<'_>, problems: &mut Vec<String>) -> Vec<Array> {
    let always_inline = Attribute::named(module.context(), "alwaysinline", 0);
    let calls: Vec<(Value<'_>, Value<'_>)> = module
        .functions()
        .into_iter()
        .flat_map(|f| f.instructions().into_iter().map(move |i| (f, i)))
        .filter_map(|(f, i)| i.as_call().map(|c| (f, c)))
        .filter(|(_, c)| c.callee().as_function().is_some_and(|f| f.name() == STATIC))
        .collect();
    let mut arrays = Vec::new();
    for (index, (function, call)) in calls.into_iter().enumerate() {
        let args = call.args();
        let (Some(bytes), Some(align)) = (
            args.first().and_then(|a| a.as_integer()),
            args.get(1).and_then(|a| a.as_integer()),
        ) else {
            problems.push(format!(
                "the size of a shared array is not known at build time (in `{:#}`)",
                rustc_demangle::demangle(&function.name())
            ));
            continue;
        };
        let ty = module.i8_type().array(bytes.max(1));
        let variable = format!("shared_{index}");
        let global = module.add_global(&variable, ty, SHARED);
        global.set_initializer(ty.undef());
        global.set_linkage(Linkage::Internal);
        // Other threads write it: LLVM must not conclude anything from the undefined initial value.
        global.set_externally_initialized();
        global.set_alignment(u32::try_from(align).unwrap_or(16));
        call.replace_all_uses_with(global.cast_to_generic());
        // SAFETY: its result was just replaced, and the handle ends here.
        unsafe { call.erase_instruction() };
        function.remove_attribute(Attribute::FUNCTION, "noinline");
        if let Some(always_inline) = always_inline {
            function.add_attribute(Attribute::FUNCTION, always_inline);
        }
        let text = describe(&function.name());
        arrays.push(Array {
            variable,
            bytes,
            text,
        });
    }
    arrays
}

/// The array that an instance of `warploom_device_std`'s `shared_site::<T, N, Site>` stands for, in the user's terms.
fn describe(symbol: &str) -> String {
    let name = format!("{:#}", rustc_demangle::demangle(symbol));
    let arguments = name
        .split_once("shared_site::<")
        .and_then(|(_, rest)| rest.strip_suffix('>'));
    let [element, count, site] = match arguments.map(split) {
        Some(parts) if parts.len() == 3 => [parts[0], parts[1], parts[2]],
        _ => return format!("`{name}`"),
    };
    // `#[kernel]` ends the name of a tile's type with that of its parameter.
    let tile = site.rsplit_once("::__Tile").and_then(|(_, rest)| {
        let (_, name) = rest.trim_end_matches('>').split_once('_')?;
        Some(name)
    });
    if let Some(tile) = tile {
        return format!("the shared tile `{tile}` of {count} `{element}`");
    }
    match site.split_once("::{closure") {
        Some((function, _)) => {
            let function = function.trim_end_matches("::__body");
            let kernel = function.strip_prefix('<').and_then(|f| f.strip_suffix('>'));
            let function = kernel.unwrap_or(function);
            format!("a shared array of {count} `{element}` in `{function}`")
        }
        None => format!("{count} `{element}` of warploom's own (`{site}`)"),
    }
}

/// Generic arguments, apart.
fn split(arguments: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, byte) in arguments.bytes().enumerate() {
        match byte {
            b'<' | b'[' | b'(' | b'{' => depth += 1,
            b']' | b')' | b'}' => depth -= 1,
            // Not that of `->`.
            b'>' if !arguments[..at].ends_with('-') => depth -= 1,
            b',' if depth == 0 => {
                parts.push(arguments[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(arguments[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn arrays_are_described_in_the_users_terms() {
        let site = "warploom_device_std::intrinsics::shared::shared_site";
        let tile =
            "warploom_device_std::shared::tile::TileSite<1, <shop::sum>::__entry::__Tile1_my_rows>";
        for (arguments, text) in [
            (
                format!("[f64; 512], 300, {tile}"),
                "the shared tile `my_rows` of 300 `[f64; 512]`",
            ),
            (
                "fn(u32) -> u32, 64, <shop::sum>::__body::{closure#0}".into(),
                "a shared array of 64 `fn(u32) -> u32` in `shop::sum`",
            ),
            (
                "(u32, f32), 64, shop::scan::<u32, f32>::{closure#0}".into(),
                "a shared array of 64 `(u32, f32)` in `shop::scan::<u32, f32>`",
            ),
            (
                "u32, 33, warploom_device_std::groups::block::Site".into(),
                "33 `u32` of warploom's own (`warploom_device_std::groups::block::Site`)",
            ),
        ] {
            assert_eq!(describe(&format!("{site}::<{arguments}>")), text);
        }
        assert_eq!(describe("other"), "`other`");
    }
}
