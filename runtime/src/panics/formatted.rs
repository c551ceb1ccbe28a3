//! Messages with values, formatted as the thread would have done it: by Rust's own `format!`.

use warploom_manifest::message::{Piece, Style, ValueType, decode};

/// The message of these bytes, with the values that the words are.
pub(crate) fn message(bytes: &[u8], words: &[u64]) -> String {
    let Some(pieces) = decode(bytes) else {
        return "(a message in a form that this version of warploom does not know)".to_owned();
    };
    let mut message = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => message.push_str(&String::from_utf8_lossy(&text)),
            Piece::Value {
                word,
                ty,
                style,
                alternate,
            } => {
                let value = of_words(words.get(usize::from(word)..).unwrap_or_default());
                message.push_str(&formatted(value, ty, style, alternate).unwrap_or_default());
            }
        }
    }
    message
}

/// The bytes of a value, which the first word or two are.
fn of_words(words: &[u64]) -> [u8; 16] {
    let word = |number| words.get(number).copied().map_or(0, u128::from);
    (word(0) | word(1) << 64).to_le_bytes()
}

macro_rules! style {
    ($value:expr, $style:expr, $alternate:expr, $($name:ident $plain:literal $hash:literal,)+) => {
        match ($style, $alternate) {
            $(
                (Style::$name, false) => Some(format!($plain, $value)),
                (Style::$name, true) => Some(format!($hash, $value)),
            )+
            _ => None,
        }
    };
}

/// `None` if the type has no such trait: no linker writes that.
fn formatted(bytes: [u8; 16], ty: ValueType, style: Style, alternate: bool) -> Option<String> {
    macro_rules! number {
        ($ty:ident) => {
            style!($ty::from_le_bytes(*bytes.first_chunk()?), style, alternate,
                Display "{}" "{:#}", Debug "{:?}" "{:#?}", LowerHex "{:x}" "{:#x}", UpperHex "{:X}" "{:#X}", Octal "{:o}" "{:#o}",
                Binary "{:b}" "{:#b}", LowerExp "{:e}" "{:#e}", UpperExp "{:E}" "{:#E}",)
        };
    }
    macro_rules! float {
        ($ty:ident) => {
            style!($ty::from_le_bytes(*bytes.first_chunk()?), style, alternate,
                Display "{}" "{:#}", Debug "{:?}" "{:#?}", LowerExp "{:e}" "{:#e}", UpperExp "{:E}" "{:#E}",)
        };
    }
    match ty {
        ValueType::Bool => {
            style!(bytes[0] != 0, style, alternate, Display "{}" "{:#}", Debug "{:?}" "{:#?}",)
        }
        ValueType::Char => {
            let value = char::from_u32(u32::from_le_bytes(*bytes.first_chunk()?))?;
            style!(value, style, alternate, Display "{}" "{:#}", Debug "{:?}" "{:#?}",)
        }
        ValueType::U8 => number!(u8),
        ValueType::U16 => number!(u16),
        ValueType::U32 => number!(u32),
        ValueType::U64 | ValueType::Usize => number!(u64),
        ValueType::U128 => number!(u128),
        ValueType::I8 => number!(i8),
        ValueType::I16 => number!(i16),
        ValueType::I32 => number!(i32),
        ValueType::I64 | ValueType::Isize => number!(i64),
        ValueType::I128 => number!(i128),
        ValueType::F32 => float!(f32),
        ValueType::F64 => float!(f64),
        ValueType::Pointer => {
            let address = usize::from_le_bytes(*bytes.first_chunk()?);
            let value = std::ptr::without_provenance::<()>(address);
            style!(value, style, alternate, Debug "{:?}" "{:#?}", Pointer "{:p}" "{:#p}",)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warploom_manifest::message::encode;

    fn value(word: u8, ty: ValueType, style: Style, alternate: bool) -> Piece {
        Piece::Value {
            word,
            ty,
            style,
            alternate,
        }
    }

    #[test]
    fn a_message_with_values_is_what_format_makes() {
        use ValueType::{Bool, Char, F32, I8, I128, Pointer, U32};
        let pieces = [
            Piece::Text("a ".into()),
            value(0, U32, Style::Display, false),
            Piece::Text(", b ".into()),
            value(1, I8, Style::Debug, false),
            Piece::Text(" ".into()),
            value(2, I128, Style::LowerHex, true),
            value(4, F32, Style::Display, false),
            value(5, Bool, Style::Debug, false),
            value(6, Char, Style::Debug, false),
            value(7, Pointer, Style::Pointer, false),
        ];
        let wide = (-5i128).cast_unsigned();
        let words = [
            57,
            0xff,
            wide as u64,
            (wide >> 64) as u64,
            u64::from(1.5f32.to_bits()),
            1,
            u64::from('\n'),
            0x7f00,
        ];
        assert_eq!(
            message(&encode(&pieces), &words),
            format!(
                "a {}, b {:?} {:#x}{}{:?}{:?}0x7f00",
                57u32, -1i8, -5i128, 1.5f32, true, '\n'
            )
        );
    }

    /// The linker asks the same table whether the host can do it.
    #[test]
    fn every_type_is_formatted_by_all_of_its_traits() {
        for ty in ValueType::ALL {
            for style in Style::ALL {
                for alternate in [false, true] {
                    let made = formatted(
                        [7; 16].map(|b| if *ty == ValueType::Char { 0 } else { b }),
                        *ty,
                        *style,
                        alternate,
                    );
                    assert_eq!(made.is_some(), ty.has(*style), "{ty:?} {style:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_message_says_so() {
        assert!(message(&[200], &[]).contains("does not know"));
        let short = encode(&[value(200, ValueType::U32, Style::Display, false)]);
        assert_eq!(message(&short, &[]), "0");
    }
}
