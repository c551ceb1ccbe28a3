//! Every line is compared with what `format!` itself makes of the same string.

use super::{Value, text};

/// Checks the same format string with `format!` for each value. `$lit` has one hole, `{0…}`.
macro_rules! same {
    ($variant:ident: $($value:expr),* => $($lit:literal)*) => {{
        for value in [$($value),*] {
            $(
                let found = text($lit, &[Value::$variant(value)]);
                assert_eq!(found, format!($lit, value), "{} of {value:?}", $lit);
            )*
        }
    }};
}

macro_rules! integers {
    ($($variant:ident: $($value:expr),*;)*) => {$(
        same!($variant: $($value),* =>
            "{0}" "{0:?}" "{0:5}" "{0:<5}|" "{0:^6}|" "{0:>12}" "{0:*^9}|" "{0:é<7}|" "{0:+}" "{0:-}" "{0:+8}" "{0:05}" "{0:+05}" "{0:<05}|"
            "{0:*<05}|" "{0:x}" "{0:X}" "{0:o}" "{0:b}" "{0:#x}" "{0:#X}" "{0:#o}" "{0:#b}" "{0:#010x}" "{0:#010b}|"
            "{0:>#8o}" "{0:e}" "{0:E}"
            "{0:.2e}" "{0:12.3E}|" "{0:+.1e}" "{0:012.1e}" "{0:#?}" "{0:x?}" "{0:X?}" "{0:#x?}" "{0:#06X?}" "{0:.3}"
            "{{{0}}}" "{0:}>4}" "{0:{>4}"
        );
    )*};
}

#[test]
fn integers_of_every_width() {
    integers! {
        U8: 0, 7, 255;
        U16: 0, 7, 65535;
        U32: 0, 42, u32::MAX;
        U64: 0, 1_234_567, u64::MAX;
        U128: 0, 99, u128::MAX;
        I8: 0, -1, 127, -128;
        I16: 0, -7, i16::MIN;
        I32: 0, 5, -5, i32::MIN;
        I64: 0, -1_234_567, i64::MIN;
        I128: 0, -3, i128::MIN;
    }
}

macro_rules! floats {
    ($variant:ident: $($value:expr),*) => {
        same!($variant: $($value),* =>
            "{0}" "{0:?}" "{0:e}" "{0:E}" "{0:.0}" "{0:.1}" "{0:.3}" "{0:.10}" "{0:.0e}" "{0:.3e}" "{0:.3E}" "{0:10}"
            "{0:<10}|" "{0:^11.2}|"
            "{0:>10.2e}" "{0:+}" "{0:+.2}" "{0:08.3}" "{0:+012.3}" "{0:*^12.1}|" "{0:*<010}|" "{0:010?}" "{0:12?}|"
            "{0:#?}" "{0:.2?}" "{0:+?}" "{0:x?}"
            "{0:010.2e}" "{0:#}" "{0:#08}"
        );
    };
}

#[test]
fn floats() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    floats!(F32: 0.0, -0.0, 1.5, -2.25, 0.1, 1.0e10, 1.0e-7, 3.4e38, 1.0e-45, nan, inf, -inf, 9.995, 16_777_216.0);
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    floats!(F64: 0.0, -0.0, 1.5, -2.25, 0.1, 1.0e16, 1.0e-7, f64::MAX, 5.0e-324, nan, inf, -inf, 0.3, 1.0 / 3.0);
}

#[test]
fn words() {
    macro_rules! words {
        ($variant:ident: $($value:expr),*) => {
            same!($variant: $($value),* =>
                "{0}" "{0:?}" "{0:8}|" "{0:<8}|" "{0:^9}|" "{0:>8}" "{0:*^9}|" "{0:08}|" "{0:*>08}" "{0:.2}|"
                "{0:6.1}|" "{0:12?}|" "{0:>12?}|" "{0:#?}" "{0:+}|"
                "{0:x?}" "{0:.1?}|"
            );
        };
    }
    words!(Bool: true, false);
    words!(Char: 'a', '\n', '\'', 'é', '\u{1F980}', '\0');
    words!(Str: "", "a", "two words", "\"quoted\"\t", "größer", "e\u{301}x");
}

#[test]
fn pointers() {
    for address in [0usize, 0x7f, 0x7fff_1234_5678] {
        let pointer = std::ptr::without_provenance::<u8>(address);
        macro_rules! pointers {
            ($($lit:literal)*) => {$(
                let found = text($lit, &[Value::Pointer(address as u64)]);
                assert_eq!(found, format!($lit, pointer), "{} of {address:x}", $lit);
            )*};
        }
        pointers!("{0:p}" "{0:20p}|" "{0:<20p}|" "{0:*^20p}|" "{0:#p}" "{0:020p}" "{0:#30p}|" "{0:?}");
    }
}

#[test]
fn counts_may_be_values() {
    let values = [Value::F64(2.0 / 3.0), Value::U64(9), Value::U64(3)];
    assert_eq!(
        text("{0:1$.2$}|{0:.1$}|{0:>1$}|{1:02$}", &values),
        format!(
            "{0:1$.2$}|{0:.1$}|{0:>1$}|{1:02$}",
            2.0 / 3.0,
            9usize,
            3usize
        )
    );
}

#[test]
fn several_values_and_text_stand_in_order() {
    let values = [Value::I32(-4), Value::Str("x{y}"), Value::Bool(true)];
    assert_eq!(
        text("a {1} b {0:+} {{}} {2}\n", &values),
        "a x{y} b -4 {} true\n"
    );
}

#[test]
fn what_cannot_be_read_is_shown() {
    assert_eq!(text("{3} and {0", &[Value::U8(1)]), "{3} and {0");
    assert_eq!(text("}{", &[]), "}{");
}

#[test]
fn what_does_not_fit_a_value_stands_as_it_is() {
    let str = Value::Str("abc");
    assert_eq!(text("{0:x}|{0:>5}", &[str]), "{0:x}|  abc");
    assert_eq!(text("{0:e} {0:b}", &[Value::F32(1.5)]), "1.5e0 {0:b}");
    assert_eq!(text("{0:p} {0:x}", &[Value::Pointer(0x12)]), "0x12 {0:x}");
    assert_eq!(text("{0:s} {1}", &[Value::U8(7)]), "{0:s} {1}");
    assert_eq!(text("{0:1$}", &[Value::U8(7), Value::I32(3)]), "{0:1$}");
}

#[test]
fn a_width_is_at_most_65535() {
    assert_eq!(text("{0:65535}", &[Value::U8(7)]).len(), 65535);
    for width in [65536, 1 << 40, u64::MAX] {
        let values = [Value::U8(7), Value::U64(width)];
        assert_eq!(text("{0:1$} {0:.1$}", &values), "{0:1$} {0:.1$}");
        let literal = format!("{{0:>{width}}}");
        assert_eq!(text(&literal, &values), literal);
    }
}
