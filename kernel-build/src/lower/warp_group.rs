//! Instructions of warp groups: the device library calls a few symbols with a number that says which instruction it is, as a constant in the last argument.
//!
//! | bits of the number | of `wgmma.product`, `wgmma.fence` and `wgmma.wait` |
//! |---|---|
//! | 0 to 5 | columns of D, in eights |
//! | 6 to 9, 10 to 13 | type of A, of B: `f16`, `bf16`, `tf32`, `e4m3`, `e5m2`, `s8`, `u8` |
//! | 14, 15 | type of D: `f16`, `f32`, `s32` |
//! | 16 | A is in registers |
//! | 17, 18 | A, B is transposed: its rows in memory are those of k |
//! | 19 | the product replaces D instead of being added |
//! | 24 to 31 | groups that may be under way after a wait |
//!
//! That of `setmaxnreg` is the number of registers, and bit 16 is set to increase it.
//!
//! Each call gets as its callee a symbol of [`super::register_asm`] that spells the instruction. The registers of D are read and written by each, so that no
//! access to them can move across; what uses them becomes values between instructions when LLVM has taken the arrays apart. The pipeline refuses kernels where it
//! has not.

use super::register_asm::{self, REGISTERS};
use crate::llvm::Module;

const PRODUCT: &str = "__warploom.wgmma.product";
const FENCE: &str = "__warploom.wgmma.fence";
const WAIT: &str = "__warploom.wgmma.wait";
const SET_REGISTERS: &str = "__warploom.setmaxnreg";

/// Where an instruction can be executed, and that its lanes do it together.
const FLAGS: &str = "volatile+memory+convergent+exact90+ptx80";
/// The same where `s8` and `u8` are multiplied with each other.
const FLAGS_OF_MIXED: &str = "volatile+memory+convergent+exact90+ptx84";

const INPUTS: [&str; 7] = ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"];
const SUMS: [&str; 3] = ["f16", "f32", "s32"];

/// Gives each call the instruction that its number names.
pub(super) fn bind(module: &mut Module<'_>, problems: &mut Vec<String>) {
    register_asm::bind(
        module,
        &[PRODUCT, FENCE, WAIT, SET_REGISTERS],
        spell,
        problems,
    );
}

/// The symbol of the instruction with this number.
fn spell(symbol: &str, code: u32) -> Option<String> {
    let (operands, text) = match symbol {
        SET_REGISTERS => {
            let how = if code >> 16 & 1 == 1 { "inc" } else { "dec" };
            let count = code & 0xffff;
            let text = format!("setmaxnreg.{how}.sync.aligned.u32 {count};");
            ("-".to_owned(), text)
        }
        FENCE => (
            format!("+{},-", Sums::of(code)?.registers()),
            "wgmma.fence.sync.aligned;".to_owned(),
        ),
        WAIT => (
            format!("+{},-", Sums::of(code)?.registers()),
            format!("wgmma.wait_group.sync.aligned {};", code >> 24),
        ),
        _ => product(code)?,
    };
    let mixed = text.contains("s8.u8") || text.contains("u8.s8");
    let flags = if mixed { FLAGS_OF_MIXED } else { FLAGS };
    Some(format!("{REGISTERS}{flags}|{operands}|{text}"))
}

/// The matrix D.
struct Sums {
    columns: u32,
    ty: &'static str,
}

impl Sums {
    fn of(code: u32) -> Option<Self> {
        let columns = 8 * (code & 63);
        let ty = *SUMS.get((code >> 14 & 3) as usize)?;
        (1..=256).contains(&columns).then_some(Sums { columns, ty })
    }

    /// Kind and number of its registers in a thread.
    fn registers(&self) -> String {
        match self.ty {
            "f16" => format!("r{}", self.columns / 4),
            "f32" => format!("f{}", self.columns / 2),
            _ => format!("r{}", self.columns / 2),
        }
    }
}

/// Operands and text of `wgmma.mma_async`.
fn product(code: u32) -> Option<(String, String)> {
    let bit = |at: u32| code >> at & 1;
    let sums = Sums::of(code)?;
    let a = *INPUTS.get((code >> 6 & 15) as usize)?;
    let b = *INPUTS.get((code >> 10 & 15) as usize)?;
    let k = match a {
        "f16" | "bf16" => 16,
        "tf32" => 8,
        _ => 32,
    };
    let in_registers = bit(16) == 1;
    // Neither operand is negated; which of those of 16 bits are transposed.
    let immediates = match (k, in_registers) {
        (16, false) => format!(", 1, 1, {}, {}", bit(17), bit(18)),
        (16, true) => format!(", 1, 1, {}", bit(18)),
        _ if sums.ty == "s32" => String::new(),
        _ => ", 1, 1".to_owned(),
    };
    let d = sums.registers();
    let (operands, from) = match in_registers {
        true => (format!("+{d},r4,-,-,-,,-"), "@1"),
        false => (format!("+{d},-,-,,-,,-"), "@3"),
    };
    let (columns, ty, adds) = (sums.columns, sums.ty, 1 - bit(19));
    let text = format!(
        "{{ .reg .pred p; setp.ne.b32 p, {adds}, 0; wgmma.mma_async.sync.aligned.m64n{columns}k{k}.{ty}.{a}.{b} @0, {from}, @5, p{immediates}; }}"
    );
    Some((operands, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::tests::context;

    #[test]
    fn numbers_spell_instructions() {
        let bf16 = 1 << 6 | 1 << 10 | 1 << 14;
        let (operands, text) = product(32 | bf16).unwrap();
        assert_eq!(operands, "+f128,-,-,,-,,-");
        assert_eq!(
            text,
            "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 @0, @3, @5, p, 1, 1, 0, 0; }"
        );
        let (operands, text) = product(8 | 1 << 16 | 1 << 18).unwrap();
        assert_eq!(operands, "+r16,r4,-,-,-,,-");
        assert!(
            text.ends_with("m64n64k16.f16.f16.f16 @0, @1, @5, p, 1, 1, 1; }"),
            "{text}"
        );
        let (_, text) = product(1 | 2 << 6 | 2 << 10 | 1 << 14 | 1 << 19).unwrap();
        assert!(text.contains("p, 0, 0; wgmma"), "{text}");
        assert!(
            text.ends_with("m64n8k8.f32.tf32.tf32 @0, @3, @5, p, 1, 1; }"),
            "{text}"
        );
        let mixed = spell(PRODUCT, 4 | 5 << 6 | 6 << 10 | 2 << 14).unwrap();
        assert!(mixed.contains("+ptx84|+r16,"), "{mixed}");
        assert!(
            mixed.ends_with("m64n32k32.s32.s8.u8 @0, @3, @5, p; }"),
            "{mixed}"
        );
    }

    #[test]
    fn numbers_without_an_instruction_are_refused() {
        for code in [0, 33, 1 | 7 << 6, 1 | 3 << 14] {
            assert_eq!(spell(PRODUCT, code), None, "{code:x}");
        }
    }

    #[test]
    fn waits_carry_the_registers() {
        let wait = spell(WAIT, 2 | 1 << 14 | 1 << 24).unwrap();
        assert!(
            wait.ends_with("|+f8,-|wgmma.wait_group.sync.aligned 1;"),
            "{wait}"
        );
        let more = spell(SET_REGISTERS, 232 | 1 << 16).unwrap();
        assert!(
            more.ends_with("|-|setmaxnreg.inc.sync.aligned.u32 232;"),
            "{more}"
        );
    }

    #[test]
    fn calls_get_the_instruction_of_their_number() {
        let context = context();
        let text = format!(
            "declare void @\"{WAIT}\"(ptr, i32)\ndefine void @f(ptr %d) {{\n  call void @\"{WAIT}\"(ptr %d, i32 16385)\n  ret void\n}}\n"
        );
        let mut module = Module::from_text(&context, &text).unwrap();
        let mut problems = Vec::new();
        bind(&mut module, &mut problems);
        assert_eq!(problems, Vec::<String>::new());
        let function = module.function("f").unwrap();
        let call = function.instructions()[0];
        assert_eq!(
            call.callee().name(),
            format!("{REGISTERS}{FLAGS}|+f4,-|wgmma.wait_group.sync.aligned 0;")
        );
    }
}
