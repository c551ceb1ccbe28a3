use super::*;

const GPUS: [(u32, u32); 12] = [
    (1, 0),
    (1, 1),
    (1, 2),
    (1, 3),
    (2, 0),
    (7, 5),
    (8, 0),
    (8, 6),
    (9, 0),
    (10, 0),
    (10, 3),
    (12, 0),
];

fn runs(text: &str, form: Form) -> Vec<(u32, u32)> {
    let arch: Arch = text.parse().unwrap();
    GPUS.into_iter()
        .filter(|gpu| arch.runs_on(form, *gpu))
        .collect()
}

//@ rows: GCO-4
#[test]
fn binaries_run_on_later_minor_numbers_of_their_major_number() {
    assert_eq!(runs("sm_11", Form::Binary), [(1, 1), (1, 2), (1, 3)]);
    assert_eq!(runs("sm_13", Form::Binary), [(1, 3)]);
    assert_eq!(runs("sm_80", Form::Binary), [(8, 0), (8, 6)]);
    assert_eq!(runs("sm_86", Form::Binary), [(8, 6)]);
    assert_eq!(runs("sm_90a", Form::Binary), [(9, 0)]);
    assert_eq!(runs("sm_100f", Form::Binary), [(10, 0), (10, 3)]);
    assert_eq!(runs("sm_100a", Form::Binary), [(10, 0)]);
}

//@ rows: GCO-5
#[test]
fn ptx_is_compiled_for_its_own_capability_and_every_later_one() {
    assert_eq!(runs("sm_10", Form::Ptx), GPUS);
    assert_eq!(runs("sm_13", Form::Ptx), GPUS[3..]);
    assert_eq!(runs("sm_80", Form::Ptx), GPUS[6..]);
    assert_eq!(runs("sm_120", Form::Ptx), [(12, 0)]);
    assert_eq!(runs("compute_100f", Form::Ptx), [(10, 0), (10, 3)]);
    assert_eq!(runs("sm_90a", Form::Ptx), [(9, 0)]);
}

//@ rows: GCO-7
#[test]
fn the_table_of_the_guide_is_reproduced() {
    let images = [
        (Form::Binary, Arch::new(1, 0)),
        (Form::Ptx, Arch::new(1, 1)),
        (Form::Binary, Arch::new(1, 1)),
    ];
    let chosen = |gpu| choose(&images, gpu);
    assert_eq!(chosen((1, 0)), Some(0), "the binary for 1.0");
    for gpu in [(1, 1), (1, 2), (1, 3)] {
        assert_eq!(chosen(gpu), Some(2), "the binary for 1.1 on {gpu:?}");
    }
    for gpu in [(2, 0), (9, 0), (12, 0)] {
        assert_eq!(chosen(gpu), Some(1), "compiled PTX on {gpu:?}");
    }
    assert_eq!(choose(&images[1..], (1, 0)), None);
    assert_eq!(choose(&[], (9, 0)), None);
}

//@ rows: GCO-7
#[test]
fn the_nearest_of_several_is_chosen() {
    let images = [
        (Form::Ptx, Arch::new(7, 5)),
        (Form::Ptx, Arch::new(9, 0)),
        (Form::Ptx, Arch::exact(9, 0)),
        (Form::Ptx, Arch::family(10, 0)),
        (Form::Ptx, Arch::new(9, 0)),
    ];
    let chosen = |gpu| choose(&images, gpu);
    assert_eq!(chosen((8, 9)), Some(0));
    assert_eq!(chosen((9, 0)), Some(2), "code for this GPU alone");
    assert_eq!(chosen((10, 3)), Some(3), "code for this family");
    assert_eq!(chosen((12, 0)), Some(1), "the newest, and the first of two");
}

#[test]
fn names_are_read_and_written() {
    for name in ["sm_75", "sm_90a", "sm_100f", "sm_121"] {
        assert_eq!(name.parse::<Arch>().unwrap().to_string(), name);
    }
    assert_eq!("compute_86".parse(), Ok(Arch::new(8, 6)));
    for wrong in [
        "",
        "sm_",
        "sm_9",
        "90",
        "sm_90b",
        "sm_a",
        "sm_-90",
        "sm_99999999999",
    ] {
        let text = wrong.parse::<Arch>().unwrap_err().to_string();
        assert!(text.starts_with(&format!("`{wrong}` is no")), "{text}");
    }
}
