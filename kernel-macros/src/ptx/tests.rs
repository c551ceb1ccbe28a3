//! The rules of `ptx!`, and what travels to the linker.

use proc_macro2::TokenStream;

use super::analyse;
use super::expand::specification;

/// `expected` has one line per mistake: carets under its tokens, then the beginning of its message.
#[track_caller]
fn check(source: &str, expected: &str) {
    let tokens: TokenStream = source.parse().unwrap();
    let found: Vec<String> = match analyse(tokens) {
        Ok(_) => Vec::new(),
        Err(error) => error
            .into_iter()
            .map(|error| {
                let (start, end) = (error.span().start().column, error.span().end().column);
                format!("{}{} {error}", " ".repeat(start), "^".repeat(end - start))
            })
            .collect(),
    };
    let expected: Vec<_> = expected.lines().collect();
    let same = found.len() == expected.len()
        && found.iter().zip(&expected).all(|(found, expected)| found.starts_with(expected));
    assert!(same, "the rules say\n{source}\n{}", found.join("\n"));
}

#[track_caller]
fn spec(source: &str) -> String {
    specification(&analyse(source.parse().unwrap()).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn operands_and_flags_travel() {
    assert_eq!(
        spec(r#""fma.rn.f32 {d}, {a}, {b}, {a};", a = in(f32) x, d = out(f32), b = in(f32) y + 1.0, pure, cpu = { a * b + a }"#),
        "v1||=f,f,f|fma.rn.f32 $0, $1, $2, $1;"
    );
    assert_eq!(
        spec(r#""red.global.add.u64 [{p}], {v};", p = in(u64) p, v = in(i64) v, memory, convergent, cpu = {}"#),
        "v1|volatile+memory+convergent|l,l|red.global.add.u64 [$0], $1;"
    );
}

#[test]
fn ptx_has_a_cpu_body() {
    check(r#""nop;""#,
          r#"^^^^^^ the emulator cannot run PTX; add `cpu = { .. }`"#);
    check(r#""nop;", cpu = {}, cpu = {}"#,
          r#"                  ^^^ `cpu` is given twice"#);
}

#[test]
fn ptx_operand_type() {
    check(r#""mov {d}, {a};", d = out(u32), a = in(bool) p, cpu = { 1 }"#,
          r#"                                      ^^^^ `bool` does not fit in a PTX register; use u16"#);
}

#[test]
fn ptx_operand_names() {
    check(r#""mov {d}, {d};", d = out(u32), d = in(u32) p, cpu = { 1 }"#,
          r#"                               ^ there is an operand `d` already"#);
    check(r#""mov {d};", d = inout(u32), cpu = { 1 }"#,
          r#"                ^^^^^ expected `in(type) value` or `out(type)`"#);
}

#[test]
fn ptx_options() {
    check(r#""nop;", fast, cpu = {}"#,
          r#"        ^^^^ unknown option `fast`"#);
    check(r#""ld {d};", d = out(u32), pure, memory, cpu = { 1 }"#,
          r#"                         ^^^^ `pure` text depends on its inputs alone"#);
    check(r#""nop;", pure, cpu = {}"#,
          r#"        ^^^^ `pure` text without outputs would be removed"#);
}

#[test]
fn ptx_template() {
    check(r#""mov {d}, {x};", d = out(u32), cpu = { 1 }"#,
          r#"^^^^^^^^^^^^^^^ no operand is called `x`"#);
    check(r#""nop;", d = out(u32), cpu = { 1 }"#,
          r#"        ^ the text does not use `{d}`"#);
    check(r#""mov {;", cpu = { 1 }"#,
          r#"^^^^^^^^ `{` is not the name of an operand"#);
}
