//! The kernel in five numbers.

use super::number;
use super::text::short;
use crate::report::lints::{Profile, Space};

pub(super) fn all(profile: &Profile) -> String {
    let (lanes, present) = profile.lanes();
    let average = lanes as f64 / profile.requests().max(1) as f64;
    let active = figure(
        "Active lanes",
        rate(lanes as f64 / present.max(1) as f64),
        &format!("{} <small>of 32</small>", number(average)),
        &format!("in {} executions by warps", short(profile.requests())),
    );
    format!(
        "<div class=\"figures\">{}{}{active}{}{}</div>",
        global_figure(profile),
        shared_figure(profile),
        barriers_figure(profile),
        atomics_figure(profile)
    )
}

fn global_figure(profile: &Profile) -> String {
    let (sectors, requests) = (profile.sectors(), profile.requests_to(Space::Global));
    if requests == 0 {
        return figure("Global memory", "", "&ndash;", "not accessed");
    }
    let efficiency = sectors.ideal as f64 / sectors.touched.max(1) as f64;
    let per = |n: u64| number(n as f64 / requests as f64);
    figure(
        "Global memory",
        rate(efficiency),
        &format!("{:.0} % <small>efficient</small>", 100.0 * efficiency),
        &format!(
            "{} sectors per request, {} would do",
            per(sectors.touched),
            per(sectors.ideal)
        ),
    )
}

fn shared_figure(profile: &Profile) -> String {
    let passes = profile.passes();
    if passes.ideal == 0 {
        return figure("Shared memory", "", "&ndash;", "not accessed");
    }
    let ways = passes.made as f64 / passes.ideal as f64;
    figure(
        "Shared memory",
        rate(1.0 / ways),
        &format!("{} <small>passes for one</small>", number(ways)),
        &match passes.ways {
            1 => "no bank conflict".to_owned(),
            ways => format!("worst request {ways}-way"),
        },
    )
}

fn barriers_figure(profile: &Profile) -> String {
    let barriers = &profile.barriers;
    if barriers.is_empty() {
        return figure(
            "Barriers",
            "",
            "none",
            "threads of a block do not wait for each other",
        );
    }
    let useless = barriers
        .iter()
        .filter(|barrier| barrier.counts.needed == 0)
        .count();
    let passed: u64 = barriers.iter().map(|barrier| barrier.counts.passed).sum();
    figure(
        "Barriers",
        if useless > 0 { "so-so" } else { "" },
        &format!("{} <small>in the source</small>", barriers.len()),
        &format!("{} passed; {useless} ordered nothing", short(passed)),
    )
}

fn atomics_figure(profile: &Profile) -> String {
    let tops = profile.atomics.iter().map(|atomic| atomic.top);
    let Some(top) = tops.max_by_key(|top| top.hottest.operations) else {
        return figure("Atomics", "", "none", "no counter is shared");
    };
    figure(
        "Atomics",
        "",
        &format!(
            "{} <small>on one address</small>",
            short(top.hottest.operations)
        ),
        &format!(
            "of {} operations on {} address{}",
            short(top.operations),
            short(top.addresses),
            if top.addresses == 1 { "" } else { "es" }
        ),
    )
}

/// How good a share is.
fn rate(share: f64) -> &'static str {
    match share {
        0.8.. => "",
        0.5.. => "so-so",
        _ => "bad",
    }
}

fn figure(name: &str, class: &str, value: &str, text: &str) -> String {
    format!(
        "<div class=\"figure {class}\"><h3>{name}</h3><div class=\"value\">{value}</div><p>{text}</p></div>"
    )
}
