//! `WARPLOOM_LINTS=html:DIR`: a page about each kernel.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use warploom_emulator::Outcome;
use warploom_emulator::check::{Options, Page};

use super::report::{Launched, sources};
use crate::sync::lock;

/// Writes a page about a launch, if the environment asks for pages and no launch of the same kernel did more.
pub(crate) fn write_page(launched: &Launched<'_>, options: &Options, outcome: &Outcome) {
    let (Some(folder), Some(profile)) = (folder(), &outcome.profile) else {
        return;
    };
    let kernel = launched.kernel();
    {
        static MOST: Mutex<Option<HashMap<String, u64>>> = Mutex::new(None);
        let mut most = lock(&MOST);
        let most = most
            .get_or_insert_default()
            .entry(kernel.clone())
            .or_default();
        if *most > 0 && profile.requests() <= *most {
            return;
        }
        *most = profile.requests();
    }
    let failure = outcome.fault.as_ref().map(ToString::to_string);
    let page = Page {
        kernel: &kernel,
        launch: &format!("launch {} at {}", launched.number, launched.at),
        device: &format!("emulated: {}", options.model),
        failure: failure.as_deref().and_then(|text| text.lines().next()),
        profile,
        reports: &outcome.reports,
    };
    if let Err(error) = page.write(folder, sources()) {
        eprintln!(
            "warploom: no page about `{kernel}` in {}: {error}",
            folder.display()
        );
    }
}

fn folder() -> Option<&'static PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER
        .get_or_init(|| of_variable(&std::env::var_os("WARPLOOM_LINTS")?.to_string_lossy()))
        .as_ref()
}

/// `DIR` of `html:DIR`.
fn of_variable(value: &str) -> Option<PathBuf> {
    let folder = value.strip_prefix("html:")?;
    (!folder.is_empty()).then(|| folder.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_asked_for_with_a_folder() {
        assert_eq!(
            of_variable("html:target/pages"),
            Some("target/pages".into())
        );
        assert_eq!(of_variable("1"), None);
        assert_eq!(of_variable("html:"), None);
    }
}
