//! Texts of errors that the compiler shows when it evaluates a constant.

/// A text that is put together at compile time.
pub(crate) struct Text {
    bytes: [u8; Text::MOST],
    len: usize,
}

impl Text {
    const MOST: usize = 4096;

    pub(crate) const fn new() -> Self {
        Text {
            bytes: [0; Text::MOST],
            len: 0,
        }
    }

    /// Appends `text`, if there is room for all of it.
    pub(crate) const fn with(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        if text.len() <= Text::MOST - self.len {
            let (_, free) = self.bytes.split_at_mut(self.len);
            let (place, _) = free.split_at_mut(text.len());
            place.copy_from_slice(text);
            self.len += text.len();
        }
        self
    }

    /// Appends a number.
    pub(crate) const fn with_number(self, number: usize) -> Self {
        let mut digits = [0; 20];
        let (mut first, mut left) = (digits.len(), number);
        loop {
            first -= 1;
            digits[first] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        let (_, digits) = digits.split_at(first);
        match core::str::from_utf8(digits) {
            Ok(digits) => self.with(digits),
            Err(_) => self,
        }
    }

    pub(crate) const fn as_str(&self) -> &str {
        let (text, _) = self.bytes.split_at(self.len);
        match core::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => "a text of another encoding",
        }
    }
}
