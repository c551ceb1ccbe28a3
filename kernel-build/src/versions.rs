//! Which releases of rustc and LLVM are known, and what differs between them.
//!
//! What else depends on a release, with a check of each item, is the table of the self-test.

/// The oldest LLVM whose C API and IR are known: that of the oldest rustc that `rust-version` allows.
pub(crate) const OLDEST_LLVM: u32 = 22;

/// The newest LLVM that was tested.
pub(crate) const NEWEST_LLVM: u32 = 23;

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
    fn branches_of_all_versions_are_branches() {
        assert!([2, 70, 71].into_iter().all(is_branch));
        assert!(![1, 3, 69, 72].into_iter().any(is_branch));
    }
}
