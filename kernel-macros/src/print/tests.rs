use super::*;

fn lowered(call: &str) -> (String, Vec<String>, u32) {
    let call: Call = syn::parse_str(call).unwrap();
    let Ok(lowered) = call.lower("") else {
        panic!("not lowered");
    };
    let values = lowered.values.iter();
    let values = values
        .map(|v| v.to_string().replace(char::is_whitespace, ""))
        .collect();
    (lowered.format, values, lowered.count)
}

#[track_caller]
fn check(call: &str, format: &str, values: &[&str], count: u32) {
    let (found, found_values, found_count) = lowered(call);
    assert_eq!((&*found, found_count), (format, count), "{call}");
    assert_eq!(found_values, values, "{call}");
}

#[test]
fn names_and_implicit_positions_become_numbers() {
    check(r#""{} {}", a, b"#, "{0} {1}", &["&(a)", "&(b)"], 2);
    check(
        r#""{1} {} {0} {}", a, b"#,
        "{0} {1} {1} {0}",
        &["&(b)", "&(a)"],
        2,
    );
    check(
        r#""{i:>5} {:x} {n}", y, n = 3"#,
        "{0:>5} {1:x} {2}",
        &["&(i)", "&(y)", "&(3)"],
        3,
    );
    check(r#""{} {}", a, n = b"#, "{0} {1}", &["&(a)", "&(b)"], 2);
    check(r#""{x}{x:?}""#, "{0}{0:?}", &["&(x)"], 1);
}

#[test]
fn width_and_precision_may_be_arguments() {
    check(
        r#""{:.*}", 3, x"#,
        "{1:.0$}",
        &["::warploom::device_std::print::count(&(3))", "&(x)"],
        2,
    );
    check(
        r#""{:1$.2$e}", x, w, p"#,
        "{1:2$.0$e}",
        &[
            "::warploom::device_std::print::count(&(p))",
            "&(x)",
            "::warploom::device_std::print::count(&(w))",
        ],
        3,
    );
    check(
        r#""{x:w$.p$}""#,
        "{1:2$.0$}",
        &[
            "::warploom::device_std::print::count(&(p))",
            "&(x)",
            "::warploom::device_std::print::count(&(w))",
        ],
        3,
    );
    check(
        r#""{:0$}", x"#,
        "{0:1$}",
        &["&(x)", "::warploom::device_std::print::count(&(x))"],
        1,
    );
    check(r#""{:07.2}", x"#, "{0:07.2}", &["&(x)"], 1);
}

#[test]
fn fills_and_braces_are_kept() {
    check(r#""{{{:*^+#9x}}}", x"#, "{{{0:*^+#9x}}}", &["&(x)"], 1);
    check(r#""{:}>4}", x"#, "{0:}>4}", &["&(x)"], 1);
    check(
        r#""{:é<4} {0:#?} { 0 : >3 }", x"#,
        "{0:é<4} {0:#?} {0: >3}",
        &["&(x)"],
        1,
    );
}

#[test]
fn an_address_is_a_value_of_its_own() {
    check(
        r#""{0:p} {0}", x"#,
        "{0:p} {1}",
        &["&::warploom::device_std::print::address(&(x))", "&(x)"],
        1,
    );
}

#[test]
fn what_rustc_refuses_is_left_to_rustc() {
    for wrong in [
        r#""{""#,
        r#""}""#,
        r#""{:", x"#,
        r#""{} {}", x"#,
        r#""{2}", x"#,
    ] {
        let call: Call = syn::parse_str(wrong).unwrap();
        assert!(matches!(call.lower("\n"), Err(None)), "{wrong}");
    }
}

#[test]
fn a_call_takes_32_values() {
    let call = |n: usize| {
        let values: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        let text = format!("\"{}\", {}", "{}".repeat(n), values.join(", "));
        syn::parse_str::<Call>(&text).unwrap()
    };
    assert!(call(32).lower("\n").is_ok());
    let Err(Some(error)) = call(33).lower("\n") else {
        panic!("33 values were taken");
    };
    assert!(error.to_string().contains("not 33"), "{error}");
}
