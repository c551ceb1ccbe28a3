//! What the driver is told about a compilation or a link, and what it says afterwards.

use std::ffi::{c_int, c_uint, c_void};

use super::sys::modules as sys;

/// One option: the driver's number for it, and the value, which stands in a pointer's place.
pub(crate) type Setting = (c_int, usize);

/// Options with the buffers for logs. Stays where the driver was told that it is until the driver is done with it.
#[derive(Debug)]
pub(crate) struct Jit {
    keys: Vec<c_int>,
    values: Vec<*mut c_void>,
    info: Vec<u8>,
    errors: Vec<u8>,
}

// SAFETY: the pointers lead to its own buffers, and numbers that look like pointers lead nowhere; the driver takes them from any thread.
unsafe impl Send for Jit {}
// SAFETY: as above; behind a shared reference nothing is written.
unsafe impl Sync for Jit {}

/// What the driver's compiler said.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Logs {
    pub(crate) info: String,
    pub(crate) errors: String,
}

impl Jit {
    /// For a compilation without options: errors alone are kept.
    pub(crate) fn errors_only(bytes: usize) -> Jit {
        let mut jit = Jit {
            keys: Vec::new(),
            values: Vec::new(),
            info: Vec::new(),
            errors: vec![0; bytes],
        };
        let errors = jit.errors.as_mut_ptr().cast();
        jit.push(sys::CU_JIT_ERROR_LOG_BUFFER, errors);
        jit.number(sys::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, bytes);
        jit
    }

    /// With these settings, and `bytes` bytes for each of two logs.
    pub(crate) fn new(settings: &[Setting], bytes: usize) -> Jit {
        let mut jit = Jit::errors_only(bytes);
        jit.info = vec![0; bytes];
        let info = jit.info.as_mut_ptr().cast();
        jit.push(sys::CU_JIT_INFO_LOG_BUFFER, info);
        jit.number(sys::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, bytes);
        for (key, value) in settings {
            jit.number(*key, *value);
        }
        jit
    }

    fn push(&mut self, key: c_int, value: *mut c_void) {
        self.keys.push(key);
        self.values.push(value);
    }

    /// The driver wants numbers themselves in the pointers' places.
    fn number(&mut self, key: c_int, value: usize) {
        self.push(key, std::ptr::without_provenance_mut(value));
    }

    /// Count, keys and values, as the driver's functions take them.
    pub(super) fn parts(&mut self) -> (c_uint, *mut c_int, *mut *mut c_void) {
        let count = self.keys.len() as c_uint; // a handful
        (count, self.keys.as_mut_ptr(), self.values.as_mut_ptr())
    }

    /// What stands in the place of an option's value: the driver answers some options there.
    pub(crate) fn answer(&self, key: c_int) -> Option<usize> {
        let at = self.keys.iter().position(|k| *k == key)?;
        Some(self.values[at].addr())
    }

    /// Milliseconds that the driver's compiler took, if it was asked.
    pub(crate) fn milliseconds(&self) -> Option<f32> {
        let bits = self.answer(sys::CU_JIT_WALL_TIME)? as u32; // a float stands in the low half
        Some(f32::from_bits(bits))
    }

    /// What was said so far.
    pub(crate) fn logs(&self) -> Logs {
        Logs {
            info: text(&self.info),
            errors: text(&self.errors),
        }
    }
}

/// A log up to its zero byte. Says so if there was more than the buffer holds.
fn text(log: &[u8]) -> String {
    let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
    let text = String::from_utf8_lossy(&log[..end]).trim().to_owned();
    // The driver ends a log that does not fit with a zero byte in the last place.
    if !log.is_empty() && end + 1 >= log.len() {
        return format!("{text} … (the log has more than {} bytes)", log.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_in_the_places_of_pointers() {
        let mut jit = Jit::new(
            &[(sys::CU_JIT_MAX_REGISTERS, 40), (sys::CU_JIT_WALL_TIME, 0)],
            64,
        );
        assert_eq!(jit.answer(sys::CU_JIT_MAX_REGISTERS), Some(40));
        assert_eq!(jit.answer(sys::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES), Some(64));
        assert_eq!(jit.answer(sys::CU_JIT_TARGET), None);
        assert_eq!(jit.milliseconds(), Some(0.0));
        let (count, keys, values) = jit.parts();
        assert_eq!(count, 6);
        assert!(!keys.is_null() && !values.is_null());
    }

    #[test]
    fn a_log_ends_at_its_zero_and_says_when_it_was_cut() {
        assert_eq!(text(b"line 3: what?\n\0\0\0\0"), "line 3: what?");
        assert_eq!(text(b"abc\0"), "abc … (the log has more than 4 bytes)");
        assert_eq!(text(b""), "");
    }
}
