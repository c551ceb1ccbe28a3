//! On which hosts the device pass runs, and which targets' programs can carry device code.

use crate::elf::Machine;

/// Why a build on `host` for `target` gets no device code; `None` if it gets some.
///
/// Kernels are compiled for the program's target first, so that host and device have the same `cfg` and the same layout of what they exchange, and
/// become PTX from there. All targets below have addresses of 64 bits and the byte order of GPUs. The host matters for `/proc` only, by which
/// the outer build is found.
pub(crate) fn refusal(host: &str, target: &str) -> Option<String> {
    if !host.contains("-linux-") {
        return Some(format!(
            "device code is made on Linux only, this build is on {host}"
        ));
    }
    if !carries_device_code(target) {
        return Some(format!(
            "device code is made for programs on x86-64 or aarch64 Linux with glibc or musl (x86_64-unknown-linux-gnu, aarch64-unknown-linux-musl), this build is for {target}"
        ));
    }
    None
}

/// Whether objects with device code can be linked into programs for this target: ELF objects, whose section the runtime finds.
pub(crate) fn carries_device_code(target: &str) -> bool {
    // Not `gnux32` and `gnu_ilp32`, whose addresses have 32 bits.
    let is_linux = ["-linux-gnu", "-linux-musl"]
        .iter()
        .any(|system| target.ends_with(system));
    is_linux && Machine::of_triple(target).is_some()
}

#[cfg(test)]
mod tests {
    use super::refusal;

    const HOST: &str = "x86_64-unknown-linux-gnu";

    #[test]
    fn any_linux_host_makes_code_for_linux_of_64_bits() {
        for target in [
            HOST,
            "x86_64-unknown-linux-musl",
            "x86_64-alpine-linux-musl",
            "aarch64-unknown-linux-gnu",
            "aarch64-unknown-linux-musl",
        ] {
            assert_eq!(refusal(HOST, target), None);
            assert_eq!(refusal("aarch64-unknown-linux-musl", target), None);
        }
    }

    #[test]
    fn other_targets_and_hosts_are_named() {
        for target in [
            "x86_64-unknown-linux-gnux32",
            "aarch64-unknown-linux-gnu_ilp32",
            "i686-unknown-linux-gnu",
            "powerpc64-unknown-linux-gnu",
            "x86_64-pc-windows-msvc",
            "aarch64-apple-darwin",
            "aarch64-linux-android",
        ] {
            let reason = refusal(HOST, target).unwrap();
            assert!(reason.ends_with(&format!("is for {target}")), "{reason}");
        }
        let reason = refusal("aarch64-apple-darwin", HOST).unwrap();
        assert!(reason.ends_with("is on aarch64-apple-darwin"), "{reason}");
    }
}
