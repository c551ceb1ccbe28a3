//! Which orders of threads programs are run under.

use warploom_runtime::model::Schedule;
use warploom_runtime::testing::every_schedule;

/// Random schedules of `all`.
const RANDOM: u64 = 20;

/// Reads `all`, a number of random ones beside the fixed ones, or names; as `WARPLOOM_SCHEDULE` has them.
pub(super) fn read(text: &str) -> Result<Vec<String>, String> {
    let with = |random: u64| every_schedule(random).map(|s| s.to_string()).collect();
    if text == "all" {
        return Ok(with(RANDOM));
    }
    if let Ok(random) = text.parse() {
        return Ok(with(random));
    }
    let mut names: Vec<String> = Vec::new();
    for name in text.split(',').map(str::trim) {
        // A seed makes a run that can be repeated.
        if !is_schedule(name) {
            return Err(format!(
                "`{name}` is no schedule; use `all`, a number, or names of {} and random:SEED",
                with(0).join(", ")
            ));
        }
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

fn is_schedule(name: &str) -> bool {
    let fixed = every_schedule(0).any(|fixed: Schedule| fixed.to_string() == name);
    let seed = name.strip_prefix("random:");
    fixed || seed.is_some_and(|seed| seed.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn schedules_are_read() {
        let fixed = ["forward", "reverse", "last-warp-first", "one-lane"];
        assert_eq!(read("0").unwrap(), fixed);
        let all = read("all").unwrap();
        assert_eq!(
            (all.len(), &*all[4], &*all[23]),
            (24, "random:0", "random:19")
        );
        assert_eq!(read("2").unwrap()[4..], ["random:0", "random:1"]);
        assert_eq!(
            read("reverse, random:7,reverse").unwrap(),
            ["reverse", "random:7"]
        );
    }

    #[test]
    fn wrong_names_are_refused() {
        for wrong in ["backwards", "", "random:x", "forward,", "-1"] {
            let error = read(wrong).unwrap_err();
            assert!(
                error.contains(
                    "is no schedule; use `all`, a number, or names of forward, reverse, "
                ),
                "{error}"
            );
        }
    }
}
