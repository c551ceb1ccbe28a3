//! A crash is traced to its kernel, and told.

use super::{Crash, Noted, OF_ERRORS, Traced, problem, trace};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;

fn noted(kernels: usize) -> Noted {
    Noted {
        kernels: (0..kernels)
            .map(|k| format!("`k{k}` at src/main.rs:{k}"))
            .collect(),
        steps: 3,
        step: "the pass `optimise` for sm_75".into(),
        reason: None,
    }
}

fn crash(kernels: usize) -> Crash {
    Crash::of(ExitStatus::from_raw(11), noted(kernels))
}

#[test]
fn the_kernel_is_found_in_a_logarithm_of_attempts() {
    let mut attempts = 0;
    let traced = trace(crash(100), &mut |kernels| {
        attempts += 1;
        kernels.contains(&37).then(|| crash(100))
    });
    assert_eq!(traced.kernels, [37]);
    assert!(attempts <= 14, "{attempts}");
}

#[test]
fn kernels_that_only_crash_together_are_all_named() {
    let both = |kernels: &[usize]| kernels.contains(&1) && kernels.contains(&6);
    let traced = trace(crash(8), &mut |kernels| both(kernels).then(|| crash(8)));
    assert_eq!(traced.kernels, [0, 1, 2, 3, 4, 5, 6, 7]);
    let text = problem(&traced, "t (bin)", Path::new("/nowhere"));
    assert!(
        text.contains("kernels `k0` at src/main.rs:0, `k1`"),
        "{text}"
    );
}

#[test]
fn a_process_that_was_killed_is_not_started_again() {
    let killed = Crash::of(ExitStatus::from_raw(9), noted(2));
    let traced = trace(killed, &mut |_| panic!("an attempt"));
    let text = problem(&traced, "t (bin)", Path::new("/nowhere"));
    assert!(
        text.contains("SIGKILL") && text.contains("enough memory"),
        "{text}"
    );
    assert!(!OF_ERRORS.contains(&15));
}

#[test]
fn the_reason_of_llvm_is_told() {
    let gave_up = Noted {
        reason: Some("Cannot select: intrinsic".into()),
        ..noted(1)
    };
    let crash = Crash::of(ExitStatus::from_raw(70 << 8), gave_up);
    let kernels = vec![0];
    let text = problem(&Traced { crash, kernels }, "t (bin)", Path::new("/nowhere"));
    let expected = "the device linker failed for `t (bin)`: LLVM gave up: Cannot select: intrinsic; in the pass `optimise` for sm_75\n  kernel `k0` at src/main.rs:0\n";
    assert!(text.starts_with(expected), "{text}");
}
