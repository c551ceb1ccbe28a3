use super::*;

fn read_words(words: &str) -> Result<Task, String> {
    let words = std::iter::once("cargo warploom").chain(words.split(' '));
    let matches = command().try_get_matches_from(words);
    matches.map(|m| task(&m)).map_err(|e| e.to_string())
}

#[test]
fn the_definition_is_consistent() {
    command().debug_assert();
}

#[test]
fn options_are_handed_to_cargo() {
    let Ok(Task::Show(show)) = read_words(
        "ptx saxpy --bin a --example b --test c -p x --release --features f,g --no-source",
    ) else {
        panic!("not read");
    };
    assert_eq!(show.kernel, "saxpy");
    assert!(show.without_source);
    let selection = show.selection;
    assert_eq!(selection.package.as_deref(), Some("x"));
    let only = [
        Only::Bin("a".into()),
        Only::Example("b".into()),
        Only::Test("c".into()),
    ];
    assert_eq!(selection.only, only);
    assert_eq!(selection.flags, ["--release", "--features=f,g"]);
}

#[test]
fn what_follows_two_dashes_is_the_programs() {
    let Ok(Task::Check(check)) = read_words("check --schedules all -- --exact --lib") else {
        panic!("not read");
    };
    assert_eq!(check.schedules, "all");
    assert_eq!(check.arguments, ["--exact", "--lib"]);
    assert!(check.selection.only.is_empty());
}

#[test]
fn kernels_and_launches_of_a_check_are_as_the_variables_have_them() {
    let Ok(Task::Check(check)) = read_words("check --kernel -scan,x --launches 1,4..=6") else {
        panic!("not read");
    };
    assert_eq!((&*check.kernels, &*check.launches), ("-scan,x", "1,4..=6"));
}

#[test]
fn wrong_values_are_refused() {
    for words in [
        "report --tolerance -1",
        "report --tolerance nan",
        "sanitize --tool leakcheck",
        "ptx",
        "ptx k --release --profile p",
    ] {
        assert!(read_words(words).is_err(), "{words}");
    }
    let Ok(Task::Report(report)) = read_words("report --tolerance 5% --arch sm_80,sm_90") else {
        panic!("not read");
    };
    assert_eq!(report.archs, ["sm_80", "sm_90"]);
    assert!((report.tolerance - 5.0).abs() < 1e-9);
}
