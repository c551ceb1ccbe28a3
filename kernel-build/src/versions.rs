//! Which releases of rustc and LLVM are known, and what differs between them.
//!
//! What else depends on a release, with a check of each item, is the table of the self-test (`self_test/rows.rs`).

use std::ops::RangeInclusive;

/// The minor versions of rustc 1 that were tested.
const RUSTC: RangeInclusive<u32> = 95..=99;

/// The oldest LLVM whose C API and IR are known: that of the oldest rustc that `rust-version` allows.
pub(crate) const OLDEST_LLVM: u32 = 22;

/// The newest LLVM that was tested.
pub(crate) const NEWEST_LLVM: u32 = 23;

/// What of a toolchain was not tested; `None` if all was. `release`: rustc's, as `1.97.0-nightly`.
pub(crate) fn untested(release: &str, llvm: u32) -> Option<String> {
    let minor = release.strip_prefix("1.").and_then(|r| r.split('.').next());
    let minor: Option<u32> = minor.and_then(|minor| minor.parse().ok());
    let mut parts = Vec::new();
    if !minor.is_some_and(|minor| RUSTC.contains(&minor)) {
        parts.push(format!("rustc {release}"));
    }
    if !(OLDEST_LLVM..=NEWEST_LLVM).contains(&llvm) {
        parts.push(format!("LLVM {llvm}"));
    }
    (!parts.is_empty()).then(|| parts.join(" and "))
}

/// The toolchains that were tested.
pub(crate) fn tested() -> String {
    format!(
        "rustc 1.{} to 1.{} with LLVM {OLDEST_LLVM} to {NEWEST_LLVM}",
        RUSTC.start(),
        RUSTC.end()
    )
}

/// C's numbers (`LLVMOpcode`) of branches, by the major version of LLVM that introduced them.
///
/// LLVM 23 has two kinds of branches, unconditional and conditional, and no longer gives the number 2 to any instruction.
const BRANCHES: &[(u32, &[i32])] = &[(22, &[2]), (23, &[70, 71])];

/// Whether a number of LLVM's C API is that of a branch, in any version.
pub(crate) fn is_branch(opcode: i32) -> bool {
    BRANCHES
        .iter()
        .any(|(_, numbers)| numbers.contains(&opcode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_tested_is_named() {
        assert_eq!(untested("1.95.0", 22), None);
        assert_eq!(untested("1.98.0-nightly", 23), None);
        assert_eq!(
            untested("1.100.0-beta.1", 23).unwrap(),
            "rustc 1.100.0-beta.1"
        );
        assert_eq!(untested("1.98.1", 24).unwrap(), "LLVM 24");
        assert_eq!(untested("2.0.0", 30).unwrap(), "rustc 2.0.0 and LLVM 30");
        assert_eq!(tested(), "rustc 1.95 to 1.99 with LLVM 22 to 23");
    }

    #[test]
    fn branches_of_all_versions_are_branches() {
        assert!([2, 70, 71].into_iter().all(is_branch));
        assert!(![1, 3, 69, 72].into_iter().any(is_branch));
    }
}
