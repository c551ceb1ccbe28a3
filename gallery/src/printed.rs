//! What kernels print, for programs that check it.
#![expect(
    clippy::print_stdout,
    reason = "programs of the gallery talk to their users"
)]

use std::sync::{Arc, Mutex, PoisonError};

use crate::program::Program;

/// The texts of a device's kernels since the last look, one per call.
#[derive(Debug)]
pub struct Printed(Arc<Mutex<Vec<String>>>);

impl Program {
    /// From here on what kernels print is kept, too. It comes when a stream is waited for.
    #[must_use]
    pub fn printed(&self) -> Printed {
        let texts = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&texts);
        self.device().on_print(move |text| {
            print!("{text}");
            let mut texts = kept.lock().unwrap_or_else(PoisonError::into_inner);
            texts.push(text.to_owned());
        });
        Printed(texts)
    }
}

impl Printed {
    /// In the order in which they came. That of different threads means nothing.
    #[must_use]
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// In the order of the alphabet, to compare what many threads print.
    #[must_use]
    pub fn sorted(&self) -> Vec<String> {
        let mut texts = self.take();
        texts.sort();
        texts
    }
}
