//! Intrinsics of the instructions that every x86-64 has, as generic IR.

use super::{GENERIC, Generic, neon};
use crate::llvm::{Module, Value};

const PREFIX: &str = "llvm.x86.";

/// The intrinsics of the tables that a module calls, each with the name of its generic function, whose definition `text` gets.
pub(super) fn used<'ctx>(module: &Module<'ctx>, text: &mut String) -> Vec<(Value<'ctx>, String)> {
    let mut found = Vec::new();
    let (mut x86_64, mut aarch64) = (None, None);
    for function in module.functions() {
        let name = function.name();
        if !function.is_used() {
            continue;
        }
        let (name, table) = if let Some(name) = name.strip_prefix(PREFIX) {
            (name, x86_64.get_or_insert_with(table_of_all))
        } else if let Some(name) = name.strip_prefix(neon::PREFIX) {
            (name, aarch64.get_or_insert_with(neon::table))
        } else {
            continue;
        };
        if let Some(generic) = table.iter().find(|g| g.name == name) {
            let name = format!("{GENERIC}{name}");
            text.push_str(&generic.definition(&name));
            found.push((function, name));
        }
    }
    found
}

/// A vector of `lanes` elements.
#[derive(Clone, Copy)]
struct Lanes {
    ty: &'static str,
    element: &'static str,
    lanes: u32,
    bits: u32,
}

const B: Lanes = Lanes::new("<16 x i8>", "i8", 16);
const W: Lanes = Lanes::new("<8 x i16>", "i16", 8);
const D: Lanes = Lanes::new("<4 x i32>", "i32", 4);
const Q: Lanes = Lanes::new("<2 x i64>", "i64", 2);
const PS: Lanes = Lanes::new("<4 x float>", "float", 4);
const PD: Lanes = Lanes::new("<2 x double>", "double", 2);

impl Lanes {
    /// Of a register of 128 bits.
    const fn new(ty: &'static str, element: &'static str, lanes: u32) -> Lanes {
        let bits = 128 / lanes;
        Lanes {
            ty,
            element,
            lanes,
            bits,
        }
    }

    /// The same number in every lane.
    fn all(self, number: &str) -> String {
        let lane = format!("{} {number}", self.element);
        format!("<{}>", vec![lane; self.lanes as usize].join(", "))
    }

    fn of(self, element: &str) -> String {
        format!("<{} x {element}>", self.lanes)
    }
}

fn entry(name: &str, result: &'static str, params: &[&'static str], body: String) -> Generic {
    Generic {
        name: name.to_owned(),
        result,
        params: params.to_vec(),
        body,
    }
}

pub(super) fn table_of_all() -> Vec<Generic> {
    let mut all = Vec::new();
    shifts(&mut all);
    narrow_integers(&mut all);
    float_lanes(&mut all);
    approximations(&mut all);
    conversions(&mut all);
    scalars(&mut all);
    all
}

/// By a number in the lower half of a vector, or in a register: from the width on, nothing is left.
fn shifts(all: &mut Vec<Generic>) {
    let kinds = [
        ("psll", "shl", &[W, D, Q][..]),
        ("psrl", "lshr", &[W, D, Q]),
        ("psra", "ashr", &[W, D]),
    ];
    for (name, operation, lanes) in kinds {
        for (lanes, letter) in lanes.iter().zip(["w", "d", "q"]) {
            let (ty, element, bits) = (lanes.ty, lanes.element, lanes.bits);
            let by_vector = format!(
                "  %q = bitcast {ty} %b to <2 x i64>\n  %n = extractelement <2 x i64> %q, i64 0\n"
            );
            let by_number = "  %n = zext i32 %b to i64\n".to_owned();
            for (suffix, param, count) in [("", ty, by_vector), ("i", "i32", by_number)] {
                let narrow = if bits == 64 {
                    "  %e = add i64 %m, 0\n".to_owned()
                } else {
                    format!("  %e = trunc i64 %m to {element}\n")
                };
                let (most, zero) = (bits - 1, lanes.all("0"));
                let shifted = format!(
                    "{count}  %m = call i64 @llvm.umin.i64(i64 %n, i64 {most})\n{narrow}  %i = insertelement {ty} poison, {element} %e, i64 0\n  %s = shufflevector {ty} %i, {ty} poison, <{l} x i32> zeroinitializer\n  %r = {operation} {ty} %a, %s\n",
                    l = lanes.lanes
                );
                let body = if name == "psra" {
                    format!("{shifted}  ret {ty} %r\n")
                } else {
                    format!(
                        "{shifted}  %o = icmp ugt i64 %n, {most}\n  %t = select i1 %o, {ty} {zero}, {ty} %r\n  ret {ty} %t\n"
                    )
                };
                all.push(entry(
                    &format!("sse2.{name}{suffix}.{letter}"),
                    ty,
                    &[ty, param],
                    body,
                ));
            }
        }
    }
}

fn narrow_integers(all: &mut Vec<Generic>) {
    for (name, extend) in [("pmulh.w", "sext"), ("pmulhu.w", "zext")] {
        let wide = W.of("i32");
        let sixteen = format!("<{}>", ["i32 16"; 8].join(", "));
        all.push(entry(
            &format!("sse2.{name}"),
            W.ty,
            &[W.ty, W.ty],
            format!(
                "  %x = {extend} {ty} %a to {wide}\n  %y = {extend} {ty} %b to {wide}\n  %m = mul {wide} %x, %y\n  %h = lshr {wide} %m, {sixteen}\n  %r = trunc {wide} %h to {ty}\n  ret {ty} %r\n",
                ty = W.ty
            ),
        ));
    }
    for (name, lanes, wide) in [("pavg.b", B, "i16"), ("pavg.w", W, "i32")] {
        let (ty, ones) = (
            lanes.ty,
            format!(
                "<{}>",
                vec![format!("{wide} 1"); lanes.lanes as usize].join(", ")
            ),
        );
        let wide = lanes.of(wide);
        all.push(entry(
            &format!("sse2.{name}"),
            ty,
            &[ty, ty],
            format!(
                "  %x = zext {ty} %a to {wide}\n  %y = zext {ty} %b to {wide}\n  %s = add {wide} %x, %y\n  %u = add {wide} %s, {ones}\n  %h = lshr {wide} %u, {ones}\n  %r = trunc {wide} %h to {ty}\n  ret {ty} %r\n"
            ),
        ));
    }
    sums(all);
    saturations(all);
}

/// Products of neighbours, and differences, added up.
fn sums(all: &mut Vec<Generic>) {
    let odd = |which: u32| {
        format!(
            "<4 x i32> <i32 {}, i32 {}, i32 {}, i32 {}>",
            which,
            which + 2,
            which + 4,
            which + 6
        )
    };
    all.push(entry(
        "sse2.pmadd.wd",
        D.ty,
        &[W.ty, W.ty],
        format!(
            "  %x = sext <8 x i16> %a to <8 x i32>\n  %y = sext <8 x i16> %b to <8 x i32>\n  %m = mul <8 x i32> %x, %y\n  %e = shufflevector <8 x i32> %m, <8 x i32> poison, {}\n  %o = shufflevector <8 x i32> %m, <8 x i32> poison, {}\n  %r = add <4 x i32> %e, %o\n  ret <4 x i32> %r\n",
            odd(0),
            odd(1)
        ),
    ));
    all.push(entry(
        "sse2.psad.bw",
        Q.ty,
        &[B.ty, B.ty],
        sum_of_differences(),
    ));
}

fn saturations(all: &mut Vec<Generic>) {
    // Both halves, each number as near as the narrow type has it.
    for (name, from, to, least, most) in [
        ("packsswb.128", W, B, "-128", "127"),
        ("packuswb.128", W, B, "0", "255"),
        ("packssdw.128", D, W, "-32768", "32767"),
    ] {
        let (ty, result, lanes) = (from.ty, to.ty, to.lanes);
        let (least, most) = (from.all(least), from.all(most));
        let mut body = String::new();
        for v in ["a", "b"] {
            let overload = format!("v{}{}", from.lanes, from.element);
            body.push_str(&format!(
                "  %l{v} = call {ty} @llvm.smax.{overload}({ty} %{v}, {ty} {least})\n  %m{v} = call {ty} @llvm.smin.{overload}({ty} %l{v}, {ty} {most})\n  %t{v} = trunc {ty} %m{v} to {half}\n",
                half = from.of(to.element)
            ));
        }
        let order: Vec<String> = (0..lanes).map(|i| format!("i32 {i}")).collect();
        body.push_str(&format!(
            "  %r = shufflevector {half} %ta, {half} %tb, <{lanes} x i32> <{order}>\n  ret {result} %r\n",
            half = from.of(to.element),
            order = order.join(", ")
        ));
        all.push(entry(&format!("sse2.{name}"), result, &[ty, ty], body));
    }
    all.push(entry(
        "sse2.pmovmskb.128",
        "i32",
        &[B.ty],
        "  %s = icmp slt <16 x i8> %a, zeroinitializer\n  %m = bitcast <16 x i1> %s to i16\n  %r = zext i16 %m to i32\n  ret i32 %r\n".into(),
    ));
}

/// `psadbw`: sums of eight absolute differences.
fn sum_of_differences() -> String {
    let mut body = String::from(
        "  %x = zext <16 x i8> %a to <16 x i32>\n  %y = zext <16 x i8> %b to <16 x i32>\n  %d = sub <16 x i32> %x, %y\n  %p = call <16 x i32> @llvm.abs.v16i32(<16 x i32> %d, i1 true)\n",
    );
    for (half, from) in [("l", 0), ("h", 8)] {
        let order: Vec<String> = (from..from + 8).map(|i| format!("i32 {i}")).collect();
        body.push_str(&format!(
            "  %{half} = shufflevector <16 x i32> %p, <16 x i32> poison, <8 x i32> <{}>\n  %s{half} = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %{half})\n  %z{half} = zext i32 %s{half} to i64\n",
            order.join(", ")
        ));
    }
    body + "  %i = insertelement <2 x i64> poison, i64 %zl, i64 0\n  %r = insertelement <2 x i64> %i, i64 %zh, i64 1\n  ret <2 x i64> %r\n"
}

/// The predicates of `cmpps`, by number; of `comiss`, by name.
const PREDICATES: [&str; 8] = ["oeq", "olt", "ole", "uno", "une", "uge", "ugt", "ord"];
const COMPARISONS: [(&str, &str); 6] = [
    ("eq", "oeq"),
    ("lt", "olt"),
    ("le", "ole"),
    ("gt", "ogt"),
    ("ge", "oge"),
    ("neq", "une"),
];

fn float_lanes(all: &mut Vec<Generic>) {
    for (set, lanes, packed, single, integers) in
        [("sse", PS, "ps", "ss", D), ("sse2", PD, "pd", "sd", Q)]
    {
        let (ty, element, mask) = (lanes.ty, lanes.element, lanes.of("i1"));
        let first = |body: String, value: &str| {
            format!("{body}  %r = insertelement {ty} %a, {element} {value}, i64 0\n  ret {ty} %r\n")
        };
        let firsts =
            format!("  %x = extractelement {ty} %a, i64 0\n  %y = extractelement {ty} %b, i64 0\n");
        let mut body = String::from("  %p0 = add i8 %c, 0\n");
        let mut one = firsts.clone();
        let (mut before, mut before_one) = ("zeroinitializer".to_owned(), "false".to_owned());
        for (k, predicate) in PREDICATES.iter().enumerate() {
            body.push_str(&format!("  %f{k} = fcmp {predicate} {ty} %a, %b\n  %k{k} = icmp eq i8 %c, {k}\n  %s{k} = select i1 %k{k}, {mask} %f{k}, {mask} {before}\n"));
            one.push_str(&format!("  %f{k} = fcmp {predicate} {element} %x, %y\n  %k{k} = icmp eq i8 %c, {k}\n  %s{k} = select i1 %k{k}, i1 %f{k}, i1 {before_one}\n"));
            before = format!("%s{k}");
            before_one.clone_from(&before);
        }
        body.push_str(&format!(
            "  %e = sext {mask} {before} to {i}\n  %r = bitcast {i} %e to {ty}\n  ret {ty} %r\n",
            i = integers.ty
        ));
        all.push(entry(
            &format!("{set}.cmp.{packed}"),
            ty,
            &[ty, ty, "i8"],
            body,
        ));
        one.push_str(&format!(
            "  %e = sext i1 {before_one} to {i}\n  %v = bitcast {i} %e to {element}\n",
            i = integers.element
        ));
        all.push(entry(
            &format!("{set}.cmp.{single}"),
            ty,
            &[ty, ty, "i8"],
            first(one, "%v"),
        ));
        for (name, predicate) in [("min", "olt"), ("max", "ogt")] {
            // The second if they are equal or one is NaN.
            all.push(entry(
                &format!("{set}.{name}.{packed}"),
                ty,
                &[ty, ty],
                format!("  %c = fcmp {predicate} {ty} %a, %b\n  %r = select {mask} %c, {ty} %a, {ty} %b\n  ret {ty} %r\n"),
            ));
            let body = format!(
                "{firsts}  %c = fcmp {predicate} {element} %x, %y\n  %v = select i1 %c, {element} %x, {element} %y\n"
            );
            all.push(entry(
                &format!("{set}.{name}.{single}"),
                ty,
                &[ty, ty],
                first(body, "%v"),
            ));
        }
        for (name, predicate) in COMPARISONS {
            for prefix in ["comi", "ucomi"] {
                // Of doubles LLVM names the instruction, of singles not.
                let name = if set == "sse" {
                    format!("sse.{prefix}{name}.ss")
                } else {
                    format!("sse2.{prefix}{name}.sd")
                };
                all.push(entry(&name, "i32", &[ty, ty], format!("{firsts}  %c = fcmp {predicate} {element} %x, %y\n  %r = zext i1 %c to i32\n  ret i32 %r\n")));
            }
        }
        all.push(entry(
            &format!("{set}.movmsk.{packed}"),
            "i32",
            &[ty],
            format!("  %i = bitcast {ty} %a to {i}\n  %s = icmp slt {i} %i, zeroinitializer\n  %m = bitcast {mask} %s to i{l}\n  %r = zext i{l} %m to i32\n  ret i32 %r\n", i = integers.ty, l = lanes.lanes),
        ));
    }
}

/// Approximations with a relative error of at most 1.5 * 2^-12, which differ from processor to processor: exact ones are within it.
fn approximations(all: &mut Vec<Generic>) {
    for (name, root) in [("rcp", false), ("rsqrt", true)] {
        let ones = PS.all("1.0");
        let under = if root {
            "  %d = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %a)\n"
        } else {
            "  %d = fadd <4 x float> %a, zeroinitializer\n"
        };
        all.push(entry(
            &format!("sse.{name}.ps"),
            PS.ty,
            &[PS.ty],
            format!("{under}  %r = fdiv <4 x float> {ones}, %d\n  ret <4 x float> %r\n"),
        ));
        let under = if root {
            "  %d = call float @llvm.sqrt.f32(float %x)\n"
        } else {
            "  %d = fadd float %x, 0.0\n"
        };
        all.push(entry(&format!("sse.{name}.ss"), PS.ty, &[PS.ty], format!("  %x = extractelement <4 x float> %a, i64 0\n{under}  %q = fdiv float 1.0, %d\n  %r = insertelement <4 x float> %a, float %q, i64 0\n  ret <4 x float> %r\n")));
    }
}

/// A float as an integer of `bits` bits: to the nearest, ties to even, or towards zero; the least integer for what does not fit.
fn conversion(float: &str, bits: u32, rounds: bool, value: &str, name: &str) -> String {
    let (sign, digits) = match float {
        "float" => ("f32", "0x4160000000000000"),
        _ => ("f64", "0x4330000000000000"),
    };
    let mut body = String::new();
    let rounded = if rounds {
        // A number with no bits behind the point stays; adding 2^23 (2^52 of doubles) rounds the others.
        body.push_str(&format!(
            "  %{name}m = call {float} @llvm.fabs.{sign}({float} %{value})\n  %{name}u = fadd {float} %{name}m, {digits}\n  %{name}d = fsub {float} %{name}u, {digits}\n  %{name}s = call {float} @llvm.copysign.{sign}({float} %{name}d, {float} %{value})\n  %{name}w = fcmp olt {float} %{name}m, {digits}\n  %{name}v = select i1 %{name}w, {float} %{name}s, {float} %{value}\n"
        ));
        format!("{name}v")
    } else {
        value.to_owned()
    };
    // From -2^31 (towards zero: from above -2^31 - 1, which singles do not have) to below 2^31.
    let (below, least, most) = match (float, bits, rounds) {
        ("double", 32, false) => ("ogt", "0xC1E0000000200000", "0x41E0000000000000"),
        (_, 32, _) => ("oge", "0xC1E0000000000000", "0x41E0000000000000"),
        _ => ("oge", "0xC3E0000000000000", "0x43E0000000000000"),
    };
    body.push_str(&format!(
        "  %{name}a = fcmp {below} {float} %{rounded}, {least}\n  %{name}b = fcmp olt {float} %{rounded}, {most}\n  %{name}c = and i1 %{name}a, %{name}b\n  %{name}i = fptosi {float} %{rounded} to i{bits}\n  %{name} = select i1 %{name}c, i{bits} %{name}i, i{bits} {}\n",
        if bits == 32 { i64::from(i32::MIN) } else { i64::MIN }
    ));
    body
}

fn conversions(all: &mut Vec<Generic>) {
    for (name, lanes, rounds) in [
        ("cvtps2dq", PS, true),
        ("cvttps2dq", PS, false),
        ("cvtpd2dq", PD, true),
        ("cvttpd2dq", PD, false),
    ] {
        let mut body = String::new();
        let mut before = "zeroinitializer".to_owned();
        for k in 0..lanes.lanes {
            body.push_str(&format!(
                "  %e{k} = extractelement {} %a, i64 {k}\n",
                lanes.ty
            ));
            body.push_str(&conversion(
                lanes.element,
                32,
                rounds,
                &format!("e{k}"),
                &format!("x{k}"),
            ));
            body.push_str(&format!(
                "  %r{k} = insertelement <4 x i32> {before}, i32 %x{k}, i64 {k}\n"
            ));
            before = format!("%r{k}");
        }
        all.push(entry(
            &format!("sse2.{name}"),
            D.ty,
            &[lanes.ty],
            format!("{body}  ret <4 x i32> {before}\n"),
        ));
    }
    for (set, lanes, single) in [("sse", PS, "ss"), ("sse2", PD, "sd")] {
        for (truncates, rounds) in [("", true), ("t", false)] {
            for (suffix, bits, result) in [("", 32, "i32"), ("64", 64, "i64")] {
                let body = format!("  %e = extractelement {} %a, i64 0\n", lanes.ty)
                    + &conversion(lanes.element, bits, rounds, "e", "x");
                all.push(entry(
                    &format!("{set}.cvt{truncates}{single}2si{suffix}"),
                    result,
                    &[lanes.ty],
                    format!("{body}  ret {result} %x\n"),
                ));
            }
        }
    }
    all.push(entry(
        "sse2.cvtsd2ss",
        PS.ty,
        &[PS.ty, PD.ty],
        "  %d = extractelement <2 x double> %b, i64 0\n  %f = fptrunc double %d to float\n  %r = insertelement <4 x float> %a, float %f, i64 0\n  ret <4 x float> %r\n".into(),
    ));
}

fn scalars(all: &mut Vec<Generic>) {
    for (bits, ty, result) in [(32, "i32", "{ i8, i32 }"), (64, "i64", "{ i8, i64 }")] {
        for (name, operation) in [("addcarry", "uadd"), ("subborrow", "usub")] {
            let call = |a: &str, b: &str, to: &str| {
                format!(
                    "  %{to} = call {{ {ty}, i1 }} @llvm.{operation}.with.overflow.{ty}({ty} %{a}, {ty} %{b})\n  %{to}v = extractvalue {{ {ty}, i1 }} %{to}, 0\n  %{to}o = extractvalue {{ {ty}, i1 }} %{to}, 1\n"
                )
            };
            let body = format!(
                "  %n = icmp ne i8 %a, 0\n  %z = zext i1 %n to {ty}\n{}{}  %o = or i1 %xo, %yo\n  %w = zext i1 %o to i8\n  %p = insertvalue {result} poison, i8 %w, 0\n  %r = insertvalue {result} %p, {ty} %yv, 1\n  ret {result} %r\n",
                call("b", "c", "x"),
                call("xv", "z", "y")
            );
            all.push(entry(
                &format!("{name}.{bits}"),
                result,
                &["i8", ty, ty],
                body,
            ));
        }
    }
    all.push(entry("xgetbv", "i64", &["i32"], "  ret i64 0\n".into()));
    all.push(entry("sse2.pause", "void", &[], "  ret void\n".into()));
    for fence in ["sse.sfence", "sse2.lfence", "sse2.mfence"] {
        all.push(entry(
            fence,
            "void",
            &[],
            "  fence seq_cst\n  ret void\n".into(),
        ));
    }
}
