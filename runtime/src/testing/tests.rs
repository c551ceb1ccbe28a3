use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::testing::values::Distance;
use warploom_device_std::half::{Bf16, F16};

fn text<O: Outputs>(comparison: &Comparison, left: &O, right: &O) -> String {
    comparison.outputs(left, right).unwrap_err().to_string()
}

/// A body that gives other values the second time it is called: emulator against emulator.
fn wrong_second<O: Outputs + Clone>(comparison: Comparison, values: [O; 2]) -> String {
    let calls = AtomicUsize::new(0);
    let outcome = comparison
        .schedules([Schedule::Reverse])
        .check(|_| Ok(values[calls.fetch_add(1, Ordering::Relaxed)].clone()));
    outcome.unwrap_err().to_string()
}

//@ rows: TT-9
#[test]
fn the_failure_names_the_first_element_and_the_largest_difference() {
    let left = vec![1.0f32, 0.1, 3.0, 8.0];
    let right = vec![1.0f32, 0.100_000_01, 3.0, 8.5];
    assert_eq!(
        wrong_second(Comparison::exact(), [left, right]),
        "error[WL0910]: two runs of the emulator give different results: the kernel depends on the order of its threads
  first at element 1: 1 ulp apart, relatively 7.5e-8
    emulator                  : 0.1 (0x3dcccccd)
    emulator, schedule reverse: 0.10000001 (0x3dccccce)
  2 of 4 elements differ; most at element 3: 8.0 (0x41000000) and 8.5 (0x41080000), 524288 ulp apart, relatively 5.9e-2
  rule: exact, any NaN is any other"
    );
}

#[test]
fn integers_have_a_difference() {
    let text = text(&Comparison::ulps(9), &[1i32, -5], &[1, 4]);
    assert_eq!(
        text,
        "error[WL0910]: left and right differ
  first at element 1: 9 apart
    left : -5 (0xfffffffffffffffb)
    right: 4 (0x4)
  1 of 2 elements differs
  rule: at most 9 ulp, any NaN is any other"
    );
}

#[test]
fn parts_and_outputs_are_named() {
    let left = (vec![0u8; 3], [[1u32, 2], [3, 4]]);
    let right = (vec![0u8; 3], [[1u32, 2], [3, 7]]);
    let text = text(&Comparison::exact(), &left, &right);
    assert!(
        text.contains("first at element 1[1] of output 1: 3 apart"),
        "{text}"
    );
    assert!(text.contains("1 of 2 elements differs"), "{text}");
}

#[test]
fn other_lengths_are_said() {
    let text = wrong_second(Comparison::exact(), [vec![1u32; 3], vec![1; 4]]);
    assert!(
        text.ends_with("emulator gave 3 elements in output 0, emulator, schedule reverse gave 4"),
        "{text}"
    );
}

#[test]
fn an_error_of_the_body_names_the_device() {
    let calls = AtomicUsize::new(0);
    let outcome = Comparison::exact()
        .schedules([Schedule::Random(3)])
        .check(|device| {
            let n = calls.fetch_add(1, Ordering::Relaxed);
            let stream = device.stream()?;
            device
                .upload(&[1u32; 2])?
                .copy_to(n, &mut [0, 0], &stream)?;
            Ok([0u32])
        });
    let text = outcome.unwrap_err().to_string();
    assert!(
        text.starts_with("on emulator, schedule random:3: "),
        "{text}"
    );
}

#[test]
fn a_failing_assertion_says_where_it_stands() {
    let failed = std::panic::catch_unwind(|| {
        let calls = AtomicUsize::new(0);
        let comparison = Comparison::exact().schedules([Schedule::Reverse]);
        comparison.assert(|_| Ok(vec![calls.fetch_add(1, Ordering::Relaxed)]));
    });
    let message = failed.unwrap_err().downcast::<String>().unwrap();
    assert!(
        message.contains(&format!("\n  at {}:", file!())),
        "{message}"
    );
}

#[test]
fn each_schedule_is_run() {
    let calls = AtomicUsize::new(0);
    let ran = Comparison::exact()
        .schedules((0..5).map(Schedule::Random))
        .assert(|_| {
            calls.fetch_add(1, Ordering::Relaxed);
            Ok([0u32])
        });
    assert_eq!(ran.emulator, 6);
    let on_gpu = usize::from(ran.gpu.is_some());
    assert_eq!(calls.load(Ordering::Relaxed), 6 + on_gpu);
}

fn accepted(comparison: &Comparison, left: f64, right: f64) -> bool {
    comparison.outputs(&[left], &[right]).is_ok()
}

#[test]
fn a_nan_is_any_nan_unless_bits_count() {
    let other = f64::from_bits(f64::NAN.to_bits() ^ 1);
    for comparison in [
        Comparison::exact(),
        Comparison::ulps(1),
        Comparison::relative(0.1),
    ] {
        assert!(accepted(&comparison, f64::NAN, other));
        assert!(!accepted(&comparison.clone().nan_bits(), f64::NAN, other));
        assert!(accepted(&comparison.clone().nan_bits(), other, other));
        assert!(!accepted(&comparison, f64::NAN, 1.0));
        assert!(!accepted(&comparison, 1.0, f64::NAN));
    }
}

#[test]
fn infinities_equal_themselves_alone() {
    for comparison in [
        Comparison::exact(),
        Comparison::ulps(u64::MAX),
        Comparison::relative(f64::INFINITY),
    ] {
        assert!(accepted(&comparison, f64::INFINITY, f64::INFINITY));
        assert!(!accepted(&comparison, f64::INFINITY, f64::NEG_INFINITY));
        assert!(!accepted(&comparison, f64::INFINITY, f64::MAX));
    }
}

#[test]
fn the_zeros_differ_exactly_and_are_no_ulp_apart() {
    assert!(!accepted(&Comparison::exact(), 0.0, -0.0));
    assert!(accepted(&Comparison::ulps(0), 0.0, -0.0));
    assert!(accepted(&Comparison::relative(0.0), 0.0, -0.0));
    let text = text(&Comparison::exact(), &[0.0f32], &[-0.0]);
    assert!(text.contains("zeros of other signs"), "{text}");
}

#[test]
fn ulps_count_representable_numbers_across_zero() {
    let ulps = |a: Part, b: Part| match a.distance(b) {
        Distance::Floats { ulps, .. } => ulps,
        other => panic!("{other}"),
    };
    let tiny = f32::from_bits(1).to_bits();
    assert_eq!(ulps(Part::F32(tiny), Part::F32(tiny | 1 << 31)), 2);
    assert_eq!(
        ulps(
            Part::F64(1.0f64.to_bits()),
            Part::F64(1.0f64.next_up().to_bits())
        ),
        1
    );
    assert_eq!(
        ulps(Part::F32(f32::MAX.to_bits()), Part::F32(f32::MIN.to_bits())),
        0xfeff_fffe
    );
    let halves = [1.0, 1.5].map(|x| Part::F16(F16::from_f32(x).to_bits()));
    assert_eq!(ulps(halves[0], halves[1]), 512);
    let short = [1.0, 1.5].map(|x| Part::Bf16(Bf16::from_f32(x).to_bits()));
    assert_eq!(ulps(short[0], short[1]), 64);
}

#[test]
fn relative_differences_are_of_the_larger_magnitude() {
    assert!(accepted(&Comparison::relative(0.5), 1.0, 2.0));
    assert!(!accepted(&Comparison::relative(0.49), 1.0, 2.0));
    assert!(accepted(&Comparison::relative(2.0), f64::MAX, -f64::MAX));
    assert!(!accepted(&Comparison::relative(1.9), f64::MAX, -f64::MAX));
}

#[test]
fn tolerances_are_for_floats() {
    assert!(Comparison::relative(1.0).outputs(&[1u32], &[2]).is_err());
    assert!(Comparison::ulps(1).outputs(&[true], &[false]).is_err());
}
