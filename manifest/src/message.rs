//! Messages of panics that the host makes: their constant text, and which of the thread's numbers stand where in it.
//!
//! The device linker writes one as bytes into the constants of a module, for each place that panics with arguments; the runtime reads it when a
//! thread has panicked there.

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text as it is.
    Text(Vec<u8>),
    /// A value.
    Value {
        /// The first of its words of 64 bits among those of the record.
        word: u8,
        /// What the words are.
        ty: ValueType,
        /// The trait that formats it.
        style: Style,
        /// `{:#}`.
        alternate: bool,
    },
}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl $name {
            /// All of them; a message has the place here.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The one that Rust calls so.
            #[must_use]
            pub fn named(name: &str) -> Option<$name> {
                match name {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }

            fn from_byte(byte: u8) -> Option<$name> {
                $name::ALL.get(usize::from(byte)).copied()
            }
        }
    };
}

named! {
    /// A type whose values the host can format.
    ValueType {
        Bool = "bool",
        Char = "char",
        U8 = "u8",
        U16 = "u16",
        U32 = "u32",
        U64 = "u64",
        U128 = "u128",
        Usize = "usize",
        I8 = "i8",
        I16 = "i16",
        I32 = "i32",
        I64 = "i64",
        I128 = "i128",
        Isize = "isize",
        F32 = "f32",
        F64 = "f64",
        Pointer = "*const ()",
    }
}

named! {
    /// A trait of `core::fmt`.
    Style {
        Display = "Display",
        Debug = "Debug",
        LowerHex = "LowerHex",
        UpperHex = "UpperHex",
        Octal = "Octal",
        Binary = "Binary",
        LowerExp = "LowerExp",
        UpperExp = "UpperExp",
        Pointer = "Pointer",
    }
}

impl ValueType {
    /// How many bytes a value has.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            ValueType::Bool | ValueType::U8 | ValueType::I8 => 1,
            ValueType::U16 | ValueType::I16 => 2,
            ValueType::Char | ValueType::U32 | ValueType::I32 | ValueType::F32 => 4,
            ValueType::U64 | ValueType::Usize | ValueType::I64 | ValueType::Isize => 8,
            ValueType::F64 | ValueType::Pointer => 8,
            ValueType::U128 | ValueType::I128 => 16,
        }
    }

    /// Whether the type has the trait.
    #[must_use]
    pub fn has(self, style: Style) -> bool {
        use ValueType::{Bool, Char, F32, F64, Pointer};
        match style {
            Style::Display => self != Pointer,
            Style::Debug => true,
            Style::Pointer => self == Pointer,
            Style::LowerExp | Style::UpperExp => !matches!(self, Bool | Char | Pointer),
            Style::LowerHex | Style::UpperHex | Style::Octal | Style::Binary => {
                !matches!(self, Bool | Char | F32 | F64 | Pointer)
            }
        }
    }
}

const TEXT: u8 = 1;
const VALUE: u8 = 2;

/// The message as bytes.
#[must_use]
pub fn encode(pieces: &[Piece]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => {
                for part in text.chunks(usize::from(u16::MAX)) {
                    bytes.push(TEXT);
                    bytes.extend((part.len() as u16).to_le_bytes());
                    bytes.extend(part);
                }
            }
            Piece::Value {
                word,
                ty,
                style,
                alternate,
            } => bytes.extend([VALUE, *word, *ty as u8, *style as u8, u8::from(*alternate)]),
        }
    }
    bytes
}

/// The message of such bytes; `None` if they are none.
#[must_use]
pub fn decode(mut bytes: &[u8]) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    while let [kind, rest @ ..] = bytes {
        let piece;
        (piece, bytes) = match (*kind, rest) {
            (TEXT, [low, high, rest @ ..]) => {
                let len = usize::from(u16::from_le_bytes([*low, *high]));
                let (text, rest) = rest.split_at_checked(len)?;
                (Piece::Text(text.to_vec()), rest)
            }
            (VALUE, [word, ty, style, alternate, rest @ ..]) => {
                let value = Piece::Value {
                    word: *word,
                    ty: ValueType::from_byte(*ty)?,
                    style: Style::from_byte(*style)?,
                    alternate: *alternate == 1,
                };
                (value, rest)
            }
            _ => return None,
        };
        pieces.push(piece);
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Vec<Piece> {
        let value = |word, ty, style, alternate| Piece::Value {
            word,
            ty,
            style,
            alternate,
        };
        vec![
            Piece::Text(b"element ".to_vec()),
            value(0, ValueType::Usize, Style::Display, false),
            Piece::Text(" of ".into()),
            value(1, ValueType::Pointer, Style::Pointer, true),
        ]
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        assert_eq!(decode(&encode(&message())), Some(message()));
        let all = ValueType::ALL.iter().zip(0u8..);
        assert!(all.map(|(ty, n)| (*ty as u8, n)).all(|(ty, n)| ty == n));
    }

    #[test]
    fn long_texts_are_several() {
        let long = vec![b'x'; 100_000];
        let pieces = decode(&encode(&[Piece::Text(long.clone())])).unwrap();
        let texts = pieces.into_iter().flat_map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Value { .. } => vec![],
        });
        assert_eq!(texts.collect::<Vec<_>>(), long);
    }

    #[test]
    fn what_is_cut_or_unknown_is_no_message() {
        let bytes = encode(&message());
        let whole: Vec<usize> = (0..bytes.len())
            .filter(|n| decode(&bytes[..*n]).is_some())
            .collect();
        assert_eq!(whole, [0, 11, 16, 23], "where a piece ends");
        assert_eq!(decode(&[VALUE, 0, 200, 0, 0]), None);
        assert_eq!(decode(&[9]), None);
    }
}
