//! Instructions of tensor memory: the device library calls a few symbols with a number that says which instruction it is, as a constant in the last argument.
//!
//! | bits of the number | of `tcgen05.load`, `tcgen05.loaded` and `tcgen05.store` |
//! |---|---|
//! | 0, 1 | shape: `32x32b`, `16x64b`, `16x128b`, `16x256b` |
//! | 8 to 15 | how often it is repeated along the columns: a power of 2 |
//!
//! | bits of the number | of `tcgen05.product` |
//! |---|---|
//! | 0, 1 | kind: `f16`, `tf32`, `f8f6f4`, `i8` |
//! | 2 | A is in tensor memory |
//! | 3 | the product replaces D instead of being added |
//!
//! Each call gets as its callee a symbol of [`super::register_asm`] that spells the instruction. What is loaded may be read when `tcgen05.wait::ld` has been executed:
//! that instruction takes the registers and gives them back, so that no use of them can move in front of it.

use super::register_asm::{self, REGISTERS};
use crate::llvm::Module;

const LOAD: &str = "__warploom.tcgen05.load";
const LOADED: &str = "__warploom.tcgen05.loaded";
const STORE: &str = "__warploom.tcgen05.store";
const PRODUCT: &str = "__warploom.tcgen05.product";

/// Where an instruction can be executed.
const FLAGS: &str = "volatile+memory+exact100+ptx86";
/// The same where all lanes of the warp execute it together.
const FLAGS_OF_WARP: &str = "volatile+memory+convergent+exact100+ptx86";

/// Shapes, with the registers of a lane for one of them, and how often one can be repeated.
const SHAPES: [(&str, u32, u32); 4] = [
    ("32x32b", 1, 128),
    ("16x64b", 1, 128),
    ("16x128b", 2, 64),
    ("16x256b", 4, 32),
];
const KINDS: [&str; 4] = ["f16", "tf32", "f8f6f4", "i8"];

/// Gives each call the instruction that its number names.
pub(super) fn bind(module: &mut Module<'_>, problems: &mut Vec<String>) {
    register_asm::bind(module, &[LOAD, LOADED, STORE, PRODUCT], spell, problems);
}

/// The symbol of the instruction with this number.
fn spell(symbol: &str, code: u32) -> Option<String> {
    let (flags, operands, text) = match symbol {
        PRODUCT => {
            let (operands, text) = product(code)?;
            (FLAGS, operands, text)
        }
        _ => {
            let (operands, text) = moved(symbol, code)?;
            (FLAGS_OF_WARP, operands, text)
        }
    };
    Some(format!("{REGISTERS}{flags}|{operands}|{text}"))
}

/// Operands and text of an instruction that moves registers.
fn moved(symbol: &str, code: u32) -> Option<(String, String)> {
    let (shape, registers, most) = *SHAPES.get((code & 3) as usize)?;
    let repeated = code >> 8 & 0xff;
    if code & !0xff03 != 0 || !repeated.is_power_of_two() || repeated > most {
        return None;
    }
    let count = registers * repeated;
    Some(match symbol {
        LOAD => (
            format!("=r{count},,-"),
            format!("tcgen05.ld.sync.aligned.{shape}.x{repeated}.b32 @0, [@1];"),
        ),
        LOADED => (
            format!("+r{count},-"),
            "tcgen05.wait::ld.sync.aligned;".to_owned(),
        ),
        _ => (
            format!("r{count},,-"),
            format!("tcgen05.st.sync.aligned.{shape}.x{repeated}.b32 [@1], @0;"),
        ),
    })
}

/// Operands and text of `tcgen05.mma`: of D, A in tensor memory, A in shared memory, B, the descriptor of the instruction, the number.
fn product(code: u32) -> Option<(String, String)> {
    let kind = KINDS[(code & 3) as usize];
    if code > 15 {
        return None;
    }
    let (operands, a) = match code >> 2 & 1 {
        1 => (",,-,,,-", "[@1]"),
        _ => (",-,,,,-", "@2"),
    };
    let adds = 1 - (code >> 3 & 1);
    let text = format!(
        "{{ .reg .pred p; setp.ne.b32 p, {adds}, 0; tcgen05.mma.cta_group::1.kind::{kind} [@0], {a}, @3, @4, p; }}"
    );
    Some((operands.to_owned(), text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::tests::context;

    #[test]
    fn numbers_spell_products() {
        let (operands, text) = product(2).unwrap();
        assert_eq!(operands, ",-,,,,-");
        assert_eq!(
            text,
            "{ .reg .pred p; setp.ne.b32 p, 1, 0; tcgen05.mma.cta_group::1.kind::f8f6f4 [@0], @2, @3, @4, p; }"
        );
        let (operands, text) = product(1 | 1 << 2 | 1 << 3).unwrap();
        assert_eq!(operands, ",,-,,,-");
        assert!(
            text.ends_with("p, 0, 0; tcgen05.mma.cta_group::1.kind::tf32 [@0], [@1], @3, @4, p; }"),
            "{text}"
        );
    }

    #[test]
    fn numbers_spell_moves_with_their_registers() {
        let (operands, text) = moved(LOAD, 128 << 8).unwrap();
        assert_eq!(operands, "=r128,,-");
        assert_eq!(text, "tcgen05.ld.sync.aligned.32x32b.x128.b32 @0, [@1];");
        let (operands, text) = moved(STORE, 2 | 4 << 8).unwrap();
        assert_eq!(operands, "r8,,-");
        assert_eq!(text, "tcgen05.st.sync.aligned.16x128b.x4.b32 [@1], @0;");
        let (operands, text) = moved(LOADED, 3 | 32 << 8).unwrap();
        assert_eq!(operands, "+r128,-");
        assert_eq!(text, "tcgen05.wait::ld.sync.aligned;");
    }

    #[test]
    fn numbers_without_an_instruction_are_refused() {
        for code in [0, 3 << 8, 2 | 128 << 8, 3 | 64 << 8, 4 | 1 << 8] {
            assert_eq!(spell(LOAD, code), None, "{code:x}");
        }
        assert_eq!(spell(PRODUCT, 16), None);
    }

    #[test]
    fn calls_get_the_instruction_of_their_number() {
        let context = context();
        let text = format!(
            "declare void @\"{STORE}\"(ptr, i32, i32)\ndefine void @f(ptr %d) {{\n  call void @\"{STORE}\"(ptr %d, i32 7, i32 512)\n  ret void\n}}\n"
        );
        let mut module = Module::from_text(&context, &text).unwrap();
        let mut problems = Vec::new();
        bind(&mut module, &mut problems);
        assert_eq!(problems, Vec::<String>::new());
        let call = module.function("f").unwrap().instructions()[0];
        assert_eq!(
            call.callee().name(),
            format!(
                "{REGISTERS}{FLAGS_OF_WARP}|r2,,-|tcgen05.st.sync.aligned.32x32b.x2.b32 [@1], @0;"
            )
        );
    }
}
