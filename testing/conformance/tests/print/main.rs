//! `gpu_println!`: what threads print, and when it appears.

mod buffer;
mod calls;
mod flush;
mod formats;
mod ptx;

use std::sync::{Arc, Mutex, PoisonError};

use warploom::Device;

/// What a device's kernels print, one text per call.
struct Printed(Arc<Mutex<Vec<String>>>);

impl Printed {
    fn of(device: &Device) -> Printed {
        let texts = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&texts);
        device.on_print(move |text| {
            kept.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(text.to_owned());
        });
        Printed(texts)
    }

    /// What came since the last look.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same, sorted: threads print in no particular order.
    fn sorted(&self) -> Vec<String> {
        let mut texts = self.take();
        texts.sort();
        texts
    }
}
