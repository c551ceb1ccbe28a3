//! Variables of the environment that change builds and runs.

use super::Line;

/// All variables for users, with what a value does that turns something off.
const KNOWN: &[(&str, Option<(&str, &str)>)] = &[
    ("WARPLOOM_ALLOW", None),
    ("WARPLOOM_BLESS", None),
    ("WARPLOOM_CHECK_KERNELS", None),
    ("WARPLOOM_CHECK_LAUNCHES", None),
    ("WARPLOOM_CI_LIMIT", None),
    ("WARPLOOM_COMPUTE_SANITIZER", None),
    ("WARPLOOM_DEVICE", None),
    ("WARPLOOM_DEVICE_CODE", Some(("0", "no GPU code is built"))),
    ("WARPLOOM_DUMP", None),
    ("WARPLOOM_EMULATE", None),
    ("WARPLOOM_EMULATED_DEVICES", None),
    (
        "WARPLOOM_EMULATOR",
        Some(("fast", "the emulator does not check memory")),
    ),
    (
        "WARPLOOM_INSTRUMENTED",
        Some(("0", "the emulator cannot check memory")),
    ),
    ("WARPLOOM_LINE_INFO", None),
    ("WARPLOOM_LINTS", None),
    ("WARPLOOM_LITMUS", None),
    ("WARPLOOM_LLVM", None),
    ("WARPLOOM_NVDISASM", None),
    ("WARPLOOM_PASSES", None),
    ("WARPLOOM_PTXAS", None),
    ("WARPLOOM_REPLAY", None),
    ("WARPLOOM_REPORT", None),
    ("WARPLOOM_REQUIRE_DEVICE_CODE", None),
    ("WARPLOOM_REQUIRE_GPU", None),
    ("WARPLOOM_REQUIRE_NUMPY", None),
    ("WARPLOOM_REQUIRE_PTXAS", None),
    ("WARPLOOM_SCHEDULE", None),
    ("WARPLOOM_SCHEDULES", None),
    ("WARPLOOM_SELF_TEST", None),
    ("WARPLOOM_STACK_BYTES", None),
    ("WARPLOOM_STEP_LIMIT", None),
    ("WARPLOOM_TIMELINES", None),
    ("WARPLOOM_WORKERS", None),
];

pub(super) fn lines() -> Vec<Line> {
    let text = |os: std::ffi::OsString| os.to_string_lossy().into_owned();
    let all = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    let mut ours: Vec<(String, String)> = all.filter(|v| v.0.starts_with("WARPLOOM_")).collect();
    ours.sort();
    ours.iter().map(|(name, value)| line(name, value)).collect()
}

fn line(name: &str, value: &str) -> Line {
    let setting = format!("{name}={value}");
    match KNOWN.iter().find(|known| known.0 == name) {
        None => Line::warning(
            format!("{setting} is set, and means nothing"),
            format!("did you mean {}?", nearest(name)),
        ),
        Some((_, Some((off, effect)))) if value == *off => {
            Line::warning(format!("{setting}: {effect}"), format!("unset {name}"))
        }
        Some(_) => Line::ok(setting),
    }
}

/// The known name with the longest part in common at the start, then at the end.
fn nearest(name: &str) -> &'static str {
    let common = |known: &str| {
        let same = |(a, b): &(char, char)| a == b;
        let start = known.chars().zip(name.chars()).take_while(same).count();
        let end = known
            .chars()
            .rev()
            .zip(name.chars().rev())
            .take_while(same)
            .count();
        start + end
    };
    let names = KNOWN.iter().map(|known| known.0);
    names.max_by_key(|known| common(known)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn what_is_turned_off_or_misspelt_is_a_warning() {
        assert_eq!(
            line("WARPLOOM_DEVICE_CODE", "1"),
            Line::ok("WARPLOOM_DEVICE_CODE=1")
        );
        let off = line("WARPLOOM_DEVICE_CODE", "0");
        assert_eq!(off.state, State::Warning);
        assert_eq!(off.text, "WARPLOOM_DEVICE_CODE=0: no GPU code is built");
        let misspelt = line("WARPLOOM_SHEDULE", "reverse");
        assert_eq!(
            misspelt.remedy.as_deref(),
            Some("did you mean WARPLOOM_SCHEDULE?")
        );
    }

    #[test]
    fn every_variable_of_the_documents_is_known() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../");
        for document in [
            "README.md",
            "CONTRIBUTING.md",
            "docs/book/src/emulator.md",
            "docs/book/src/deployment.md",
            "docs/diagnostics.md",
        ] {
            let text = std::fs::read_to_string(format!("{root}{document}")).unwrap();
            for rest in text.split("WARPLOOM_").skip(1) {
                let is_name = |c: char| c.is_ascii_uppercase() || c == '_';
                let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                let name = format!("WARPLOOM_{}", &rest[..end]);
                let is_known = KNOWN.iter().any(|known| known.0 == name);
                assert!(is_known || end == 0, "{document} names {name}");
            }
        }
    }
}
