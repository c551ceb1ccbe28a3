use super::*;
use crate::benchmark::{Bound, Traffic, Twin};

const SAXPY: Benchmark<()> = Benchmark {
    name: "saxpy",
    group: "memory",
    twin: Twin::cuda("saxpy"),
    unit: "elements",
    sizes: &[1 << 20],
    small: 1000,
    traffic: |n| Traffic::Bytes(12 * n),
    bound: Bound::Latency("few bytes"),
    prediction: "as fast",
    run: (),
};

fn machine() -> Machine {
    Machine {
        gpu: "NVIDIA H200".to_owned(),
        driver: "580.1".to_owned(),
        compiler: "nvcc 13.0".to_owned(),
        copy_gb_s: 4000.0,
        date: "2026-01-31".to_owned(),
    }
}

fn measured(ours_ms: &[f64], peer_ms: &[f64]) -> Measured {
    Measured {
        times: Times {
            ours_ms: ours_ms.to_vec(),
            peer_ms: peer_ms.to_vec(),
            unchecked_ms: Vec::new(),
        },
        max_error: 0.0,
    }
}

#[test]
fn ratio_is_peer_by_ours() {
    let record = Record::new(
        &SAXPY,
        10,
        &measured(&[2.0, 2.0, 9.0], &[1.0, 1.0, 1.0]),
        &machine(),
    )
    .unwrap();
    assert_eq!(
        (record.ours_ms, record.peer_ms, record.ratio),
        (2.0, 1.0, 0.5)
    );
    assert_eq!(
        (record.bytes, record.flops, record.runs),
        (Some(120), None, 3)
    );
}

#[test]
fn safe_code_is_held_against_unsafe_code() {
    let mut measured = measured(&[2.0], &[1.0]);
    let record = Record::new(&SAXPY, 10, &measured, &machine()).unwrap();
    assert_eq!((record.unchecked_ms, record.safe_ratio()), (None, None));
    measured.times.unchecked_ms = vec![1.5, 1.5, 1.5];
    let record = Record::new(&SAXPY, 10, &measured, &machine()).unwrap();
    assert_eq!(
        (
            record.unchecked_ms,
            record.unchecked_spread,
            record.safe_ratio()
        ),
        (Some(1.5), Some(0.0), Some(0.75))
    );
}

#[test]
fn the_share_of_copy_is_that_of_bytes_alone() {
    let mut record = Record::new(&SAXPY, 1 << 30, &measured(&[4.0], &[1.0]), &machine()).unwrap();
    // 12 GiB in 4 ms, 4000 GB/s are what a copy does.
    let share = 12.0 * f64::from(1 << 30) / 4e-3 / 1e9 / 4000.0;
    assert!((record.share_of_copy().unwrap() - share).abs() < 1e-9);
    record.bytes = None;
    assert_eq!(record.share_of_copy(), None);
}

#[test]
fn a_side_without_times_is_an_error() {
    let error = Record::new(&SAXPY, 10, &measured(&[2.0], &[]), &machine()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`saxpy` was timed 1 times against 0 times of the peer; both need at least one time that is a number"
    );
}
