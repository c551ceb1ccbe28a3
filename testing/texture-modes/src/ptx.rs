//! The kernel of a mode: each thread reads the operands of a fetch and writes its four results.

use warploom_emulator::texture::Dimensions;

use crate::mode::{Instruction, Mode, Offsets};

/// PTX with the entry `fetches(handle, operands, results, n)`. Results are the registers' bits, whatever their type.
pub(crate) fn kernel(mode: &Mode) -> String {
    let n = mode.words();
    // %o: operands as bits, %f: the same as floating-point numbers, %q: results.
    let loads: String = (0..n)
        .map(|i| {
            format!(
                "ld.global.b32 %o{i}, [%at+{}]; mov.b32 %f{i}, %o{i};\n",
                4 * i
            )
        })
        .collect();
    format!(
        "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry fetches(.param .b64 handle, .param .b64 operands, .param .b64 results, .param .b32 n) {{
.reg .pred %outside;
.reg .b32 %i, %block, %threads, %n, %o<{n}>, %q<4>;
.reg .f32 %f<{n}>;
.reg .b64 %h, %at, %to, %offset;
mov.u32 %block, %ctaid.x;
mov.u32 %threads, %ntid.x;
mov.u32 %i, %tid.x;
mad.lo.u32 %i, %block, %threads, %i;
ld.param.u32 %n, [n];
setp.ge.u32 %outside, %i, %n;
@%outside ret;
ld.param.b64 %h, [handle];
ld.param.b64 %at, [operands];
ld.param.b64 %to, [results];
mul.wide.u32 %offset, %i, {};
add.u64 %at, %at, %offset;
mul.wide.u32 %offset, %i, 16;
add.u64 %to, %to, %offset;
{loads}{}
st.global.v4.b32 [%to], {{%q0, %q1, %q2, %q3}};
ret;
}}
",
        4 * n,
        fetch(mode)
    )
}

fn fetch(mode: &Mode) -> String {
    let geometry = match mode.dimensions {
        Dimensions::Linear | Dimensions::D1 => "1d",
        Dimensions::D2 => "2d",
        Dimensions::D3 => "3d",
        Dimensions::D1Layered => "a1d",
        Dimensions::D2Layered => "a2d",
        Dimensions::Cube => "cube",
        Dimensions::CubeLayered => "acube",
    };
    let by_number = mode.instruction == Instruction::Fetch;
    let (register, ty) = if by_number {
        ("%o", "s32")
    } else {
        ("%f", "f32")
    };
    let n = mode.coordinates();
    // The layer comes first in the instruction; three operands are filled up to four.
    let mut operands: Vec<String> = Vec::new();
    if mode.is_layered() {
        operands.push(format!("%o{n}"));
    }
    operands.extend((0..n).map(|i| format!("{register}{i}")));
    if let [_, _, last] = &*operands {
        operands.push(last.clone());
    }
    let at = match &*operands {
        [one] => one.clone(),
        _ => format!("{{{}}}", operands.join(", ")),
    };
    let level = n + usize::from(mode.is_layered());
    let to = "{%q0, %q1, %q2, %q3}";
    let mut offsets: Vec<String> = (mode.before_offsets()..mode.words())
        .map(|i| format!("%o{i}"))
        .collect();
    if let [_, _, last] = &*offsets {
        offsets.push(last.clone());
    }
    let offsets = match mode.offsets {
        Offsets::None => String::new(),
        _ => format!(", {{{}}}", offsets.join(", ")),
    };
    match mode.instruction {
        Instruction::Sample | Instruction::Fetch => {
            format!("tex.{geometry}.v4.u32.{ty} {to}, [%h, {at}]{offsets};")
        }
        Instruction::SampleLevel => {
            format!("tex.level.{geometry}.v4.u32.f32 {to}, [%h, {at}], %f{level}{offsets};")
        }
        Instruction::Gather(channel) => {
            let channel = ["r", "g", "b", "a"][usize::from(channel)];
            format!("tld4.{channel}.{geometry}.v4.u32.f32 {to}, [%h, {at}]{offsets};")
        }
    }
}
