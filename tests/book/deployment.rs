//! Deployment and CI: what the workflow that users copy says to this library.

use warploom::model::Schedule;

const WORKFLOW: &str = include_str!("../../docs/book/workflow.yml");

#[test]
fn the_workflow_names_orders_that_exist() {
    let mut lines = WORKFLOW.lines().map(str::trim);
    let orders = lines.find_map(|line| line.strip_prefix("for order in ")?.strip_suffix("; do"));
    let orders: Vec<&str> = orders.unwrap().split(' ').collect();
    assert_eq!(orders.len(), 3);
    for order in orders {
        let parsed = order.parse::<Schedule>();
        assert!(parsed.is_ok_and(|s| s != Schedule::Forward), "{order}");
    }
}

/// Variables with their values, as the library reads them.
#[test]
fn the_workflow_sets_variables_to_what_they_mean() {
    let set: Vec<&str> = WORKFLOW
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("WARPLOOM_") && line.contains(": "))
        .collect();
    let expected = [
        "WARPLOOM_REQUIRE_DEVICE_CODE: 1",
        "WARPLOOM_DEVICE: emulator",
        "WARPLOOM_DEVICE: cuda",
        "WARPLOOM_REQUIRE_GPU: 1",
    ];
    assert_eq!(set, expected);
}
