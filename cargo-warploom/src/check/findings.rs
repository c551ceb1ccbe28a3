//! What the emulator reports, each finding once.

use serde::Deserialize;

/// A finding, and where it was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) code: String,
    /// `error`, `warning`, `note`
    pub(super) severity: String,
    pub(super) title: String,
    pub(super) kernel: String,
    /// As people read it.
    pub(super) rendered: String,
    places: Vec<(String, u32)>,
    pub(super) programs: Vec<String>,
    pub(super) schedules: Vec<String>,
}

/// All findings: errors first, then by code.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

/// A line of the emulator's report, `docs/diagnostics.md`; the fields that are used here.
#[derive(Debug, Deserialize)]
struct Line {
    code: String,
    severity: String,
    title: String,
    rendered: String,
    #[serde(default)]
    kernel: Option<String>,
    #[serde(default)]
    sides: Vec<Side>,
}

#[derive(Debug, Deserialize)]
struct Side {
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    line: Option<u32>,
}

impl Findings {
    /// Adds the lines of one run; how many of them are errors.
    pub(super) fn add(
        &mut self,
        lines: &str,
        program: &str,
        schedule: &str,
    ) -> Result<usize, String> {
        let mut errors = 0;
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let line: Line = serde_json::from_str(line).map_err(|error| {
                format!("cannot read the findings of {program}: {error}; is its warploom of another version?")
            })?;
            errors += usize::from(line.severity == "error");
            self.take(line, program, schedule);
        }
        self.0.sort_by(|a, b| a.order().cmp(&b.order()));
        Ok(errors)
    }

    fn take(&mut self, line: Line, program: &str, schedule: &str) {
        let place = |side: &Side| Some((side.file.clone()?, side.line?));
        let places: Vec<(String, u32)> = line.sides.iter().filter_map(place).collect();
        let kernel = line.kernel.unwrap_or_default();
        let is_it = |known: &&mut Finding| {
            (&known.code, &known.kernel, &known.places) == (&line.code, &kernel, &places)
                && (!places.is_empty() || known.title == line.title)
        };
        let add = |list: &mut Vec<String>, name: &str| {
            if !list.iter().any(|known| known == name) {
                list.push(name.to_owned());
            }
        };
        if let Some(known) = self.0.iter_mut().find(is_it) {
            add(&mut known.programs, program);
            add(&mut known.schedules, schedule);
            return;
        }
        self.0.push(Finding {
            code: line.code,
            severity: line.severity,
            title: line.title,
            kernel,
            rendered: line.rendered,
            places,
            programs: vec![program.to_owned()],
            schedules: vec![schedule.to_owned()],
        });
    }

    pub(super) fn all(&self) -> &[Finding] {
        &self.0
    }

    pub(super) fn errors(&self) -> usize {
        let errors = self.0.iter().filter(|finding| finding.severity == "error");
        errors.count()
    }
}

impl Finding {
    fn order(&self) -> (usize, &str, &str, &[(String, u32)]) {
        let severities = ["error", "warning", "note"];
        let severity = severities.iter().position(|s| *s == self.severity);
        (
            severity.unwrap_or(severities.len()),
            &self.code,
            &self.kernel,
            &self.places,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(code: &str, severity: &str, at: u32) -> String {
        format!(
            r#"{{"schema":1,"code":"{code}","name":"N","severity":"{severity}","title":"t","sides":[{{"file":"src/main.rs","line":{at},"column":null}}],"kernel":"k","launch":null,"rendered":"text of {code} at {at}"}}"#
        ) + "\n"
    }

    #[test]
    fn a_finding_is_told_once_with_all_its_schedules() {
        let mut findings = Findings::default();
        let both = line("WL0201", "warning", 3) + &line("WL0101", "error", 7);
        findings.add(&both, "a (test)", "forward").unwrap();
        findings
            .add(&line("WL0101", "error", 7), "a (test)", "reverse")
            .unwrap();
        findings
            .add(&line("WL0101", "error", 8), "b (test)", "reverse")
            .unwrap();
        let all = findings.all();
        let codes: Vec<_> = all.iter().map(|f| (&*f.code, f.places[0].1)).collect();
        assert_eq!(codes, [("WL0101", 7), ("WL0101", 8), ("WL0201", 3)]);
        assert_eq!(all[0].schedules, ["forward", "reverse"]);
        assert_eq!(all[0].programs, ["a (test)"]);
        assert_eq!(findings.errors(), 2);
    }

    #[test]
    fn lines_of_another_form_are_an_error() {
        let error = Findings::default()
            .add("{\"x\":1}", "a", "forward")
            .unwrap_err();
        assert!(error.contains("missing field `code`"), "{error}");
    }
}
