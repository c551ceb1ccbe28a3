//! Settings, and bodies without kernels. `tests/explore.rs` of the workspace has kernels.

use super::*;

#[test]
fn settings_that_cannot_be_read_are_refused() {
    let text = |schedules, replay| {
        Settings::of(7, schedules, replay)
            .err()
            .unwrap()
            .to_string()
    };
    for bad in ["0", "-1", "many"] {
        let expected =
            format!("WARPLOOM_SCHEDULES={bad}: a whole number from 1 on, or `all`, is expected");
        assert_eq!(text(Some(bad), None), expected);
    }
    assert!(text(None, Some("0.0")).starts_with("WARPLOOM_REPLAY=0.0: `0.0` is no switch"));
}

#[test]
fn the_environment_goes_before_the_program() {
    let executions = |schedules| Settings::of(7, schedules, None).unwrap().executions;
    assert_eq!(
        [None, Some("9"), Some("all")].map(executions),
        [7, 9, u64::MAX]
    );
}

#[test]
fn a_body_without_atomics_runs_once() {
    for strategy in [Strategy::Automatic, Strategy::Exhaustive] {
        let explored = Exploration::new().strategy(strategy).run(|_| Ok(()));
        let expected = Explored {
            executions: 1,
            complete: true,
            most_steps: 0,
        };
        assert_eq!(explored.unwrap(), expected);
    }
    let random = Exploration::new().strategy(Strategy::Random).executions(5);
    let explored = random.run(|_| Ok(())).unwrap();
    assert_eq!((explored.executions, explored.complete), (5, false));
}

#[test]
fn a_panic_and_an_error_of_the_body_are_failures() {
    let failure = Exploration::new()
        .run(|_| panic!("wrong: {}", 5))
        .unwrap_err()
        .schedule()
        .unwrap();
    assert_eq!(
        (&*failure.message, failure.execution, &*failure.schedule),
        ("wrong: 5", 1, "none")
    );
    let failure = Exploration::new().run(|device| {
        device.zeroed::<u32>(usize::MAX / 8)?;
        Ok(())
    });
    let failure = failure.unwrap_err().schedule().unwrap();
    assert!(!failure.message.is_empty());
}
