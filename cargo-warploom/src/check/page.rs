//! What came of all runs, as a page.

use super::Outcome;
use crate::counted;
use crate::html::{Colour, escape, page};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// The page, which will stand at `place`.
pub(super) fn html(outcome: &Outcome, place: &Path) -> String {
    let failed = outcome
        .runs
        .iter()
        .filter(|run| run.failure.is_some())
        .count();
    let (errors, all) = (outcome.findings.errors(), outcome.findings.all().len());
    let verdict = match (failed, errors, all) {
        (0, 0, 0) => (Colour::Fine, "nothing found".to_owned()),
        (0, 0, n) => (Colour::Warned, counted(n, "warning")),
        (0, n, _) => (Colour::Failed, format!("{} found", counted(n, "error"))),
        (n, e, _) => {
            let words = format!(
                "{} failed, {} found",
                counted(n, "run"),
                counted(e, "error")
            );
            (Colour::Failed, words)
        }
    };
    let content = [findings(outcome), runs(outcome), pages(outcome, place)].concat();
    let facts = format!(
        "{} runs on the emulator, with all checks",
        outcome.runs.len()
    );
    page("Checks", &facts, (verdict.0, &verdict.1), &content)
}

fn findings(outcome: &Outcome) -> String {
    let all = outcome.findings.all();
    if all.is_empty() {
        return String::new();
    }
    let mut out = String::from("<div class=\"card\"><h2>Findings</h2>\n");
    for finding in all {
        // Writing to a text cannot fail.
        let _ = writeln!(
            out,
            "<details open=\"open\"><summary><span class=\"code {}\">{}</span>{}</summary><p class=\"facts\">{}in {}, under {}</p><pre>{}</pre></details>",
            escape(&finding.severity),
            escape(&finding.code),
            escape(&finding.title),
            match finding.kernel.is_empty() {
                true => String::new(),
                false => format!("kernel {}, ", escape(&finding.kernel)),
            },
            escape(&finding.programs.join(", ")),
            escape(&finding.schedules.join(", ")),
            escape(finding.rendered.trim_end()),
        );
    }
    out + "</div>\n"
}

/// A table of programs, with what failed.
fn runs(outcome: &Outcome) -> String {
    let mut programs: BTreeMap<&str, Vec<&super::Run>> = BTreeMap::new();
    for run in &outcome.runs {
        programs.entry(&run.program).or_default().push(run);
    }
    let mut out = String::from(
        "<div class=\"card\"><h2>Programs</h2><table><tr><th></th><th>runs</th><th>failed</th><th class=\"left\">under</th></tr>\n",
    );
    for (program, runs) in programs {
        let failed = runs.iter().filter(|run| run.failure.is_some());
        let names: Vec<&str> = failed.map(|run| &*run.schedule).collect();
        let class = if names.is_empty() {
            ""
        } else {
            " class=\"bad\""
        };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td{class}>{}</td><td class=\"left\">{}</td></tr>",
            escape(program),
            runs.len(),
            names.len(),
            escape(&names.join(", "))
        );
    }
    out.push_str("</table>\n");
    for (run, failure) in outcome.failures() {
        let _ = writeln!(
            out,
            "<details><summary>{} under {}: {}</summary><pre>{}</pre></details>",
            escape(&run.program),
            escape(&run.schedule),
            escape(&failure.status),
            escape(failure.output.trim_end())
        );
    }
    if !outcome.notes.is_empty() {
        out.push_str("<ul>");
        for note in &outcome.notes {
            let _ = write!(out, "<li>{}</li>", escape(note));
        }
        out.push_str("</ul>");
    }
    out + "</div>\n"
}

fn pages(outcome: &Outcome, place: &Path) -> String {
    if outcome.pages.is_empty() {
        return String::new();
    }
    let base = place.parent().unwrap_or(place);
    let mut out = String::from("<div class=\"card\"><h2>Kernels</h2><ul>");
    for (title, path) in &outcome.pages {
        let link = path.strip_prefix(base).unwrap_or(path);
        let _ = write!(
            out,
            "<li><a href=\"{}\">{}</a></li>",
            escape(&link.display().to_string()),
            escape(title)
        );
    }
    out + "</ul></div>\n"
}

#[cfg(test)]
mod tests {
    use super::super::{Failure, Run};
    use super::*;

    #[test]
    fn the_page_has_findings_programs_and_links() {
        let mut outcome = Outcome::default();
        let line = r#"{"code":"WL0101","severity":"error","title":"race on <x>","rendered":"error: race on <x>","kernel":"k","sides":[]}"#;
        outcome.findings.add(line, "a (test)", "reverse").unwrap();
        outcome.runs.push(Run {
            program: "a (test)".into(),
            schedule: "reverse".into(),
            failure: Some(Failure {
                status: "exit status: 101".into(),
                output: "left & right".into(),
                is_explained: false,
            }),
        });
        outcome.notes.push("b (test) is not run".into());
        outcome
            .pages
            .push(("k, in a (test)".into(), "/p/kernels/0/k.html".into()));
        let html = html(&outcome, Path::new("/p/index.html"));
        for there in [
            "failed\">1 run failed, 1 error found",
            "<span class=\"code error\">WL0101</span>race on &lt;x&gt;",
            "kernel k, in a (test), under reverse",
            "<td class=\"bad\">1</td><td class=\"left\">reverse</td>",
            "<pre>left &amp; right</pre>",
            "<li>b (test) is not run</li>",
            "<a href=\"kernels/0/k.html\">k, in a (test)</a>",
        ] {
            assert!(html.contains(there), "no {there} in {html}");
        }
    }

    #[test]
    fn a_page_of_nothing_says_so() {
        let html = html(&Outcome::default(), Path::new("/p/index.html"));
        assert!(html.contains("fine\">nothing found") && !html.contains("Findings"));
    }
}
