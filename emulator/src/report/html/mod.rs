//! A page about one kernel: what it costs, where, and a picture of the worst.
//!
//! One file without scripts and without anything from elsewhere; light or dark as the reader has it.

mod charts; // lanes, barriers
mod figures; // the kernel in five numbers
mod pictures; // one request
mod source; // line by line
mod text; // escaped, coloured, rounded

#[cfg(all(test, not(loom)))]
mod tests;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::lints::{Example, Profile, Space, findings, grouped, number};
use crate::finding::{Place, Report, Severity};
use crate::source::Sources;
use text::{escape, short};

/// What a page is about.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The kernel, with its generic arguments.
    pub kernel: &'a str,
    /// The launch, in words; may be empty.
    pub launch: &'a str,
    /// The device model; may be empty.
    pub device: &'a str,
    /// Why the run did not end as a kernel should; `None`: it did.
    pub failure: Option<&'a str>,
    /// What was counted.
    pub profile: &'a Profile,
    /// What else the checks found.
    pub reports: &'a [Report],
}

/// A finding on the page.
struct Entry<'a> {
    number: usize,
    report: &'a Report,
    /// `None`: not a matter of performance.
    cycles: Option<f64>,
}

impl Page<'_> {
    /// The page, as HTML, with the text of `sources`.
    ///
    /// ```
    /// use warploom_emulator::check::{Options, Page, Sources};
    /// use warploom_emulator::{Shape, Together, run_with};
    ///
    /// let mut options = Options::default();
    /// (options.mode, options.lints) = (warploom_emulator::check::Mode::Checked, true);
    /// let outcome = run_with(Shape::new([1, 1, 1], [32, 1, 1]), Together::default(), &options, &|| {});
    /// let page = Page {
    ///     kernel: "nothing",
    ///     launch: "",
    ///     device: "",
    ///     failure: None,
    ///     profile: &outcome.profile.unwrap_or_default(),
    ///     reports: &outcome.reports,
    /// };
    /// assert!(page.html(&Sources::default()).contains("No errors"));
    /// ```
    #[must_use]
    pub fn html(&self, sources: &Sources) -> String {
        let findings = findings::all(self.profile);
        let of_lints = findings
            .iter()
            .map(|finding| (&finding.report, Some(finding.cycles)));
        // The caller may have put the lints' reports among the others.
        let others = self
            .reports
            .iter()
            .filter(|report| !(500..600).contains(&report.code.number()));
        let all = others.map(|report| (report, None)).chain(of_lints);
        let entries: Vec<Entry<'_>> = all
            .enumerate()
            .map(|(number, (report, cycles))| Entry {
                number,
                report,
                cycles,
            })
            .collect();
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
             <title>{}</title><style>\n{}</style></head><body>{}{}<div class=\"top\">{}{}</div>{}{}{}</body></html>\n",
            escape(self.kernel),
            include_str!("style.css"),
            self.head(&entries),
            figures::all(self.profile),
            costs(&entries),
            self.pictures(),
            general(&entries),
            source::files(self.profile, &entries, sources),
            FOOTER
        )
    }

    /// Writes the page into `folder`, which is made if it is not there, and gives its path. A page of the same kernel is replaced.
    ///
    /// # Errors
    /// If the folder or the file cannot be written.
    pub fn write(&self, folder: &Path, sources: &Sources) -> io::Result<PathBuf> {
        fs::create_dir_all(folder)?;
        let path = folder.join(file_name(self.kernel));
        fs::write(&path, self.html(sources))?;
        Ok(path)
    }

    fn head(&self, entries: &[Entry<'_>]) -> String {
        let errors = entries
            .iter()
            .filter(|entry| entry.report.severity == Severity::Error)
            .count();
        let warnings = entries
            .iter()
            .filter(|entry| entry.report.severity == Severity::Warning)
            .count();
        let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (class, verdict) = match (self.failure, errors, warnings) {
            (Some(failure), ..) => ("failed", failure.to_owned()),
            (None, 1.., _) => ("failed", plural(errors, "error")),
            (None, 0, 1..) => (
                "warned",
                format!("No errors, {}", plural(warnings, "warning")),
            ),
            (None, 0, 0) => ("fine", "No errors, no warnings".to_owned()),
        };
        let profile = self.profile;
        let dimensions = |[x, y, z]: [u32; 3]| format!("{x} × {y} × {z}");
        let threads =
            profile.n_blocks() * profile.block.iter().map(|n| u64::from(*n)).product::<u64>();
        let mut facts = format!(
            "<span>grid <b>{}</b></span><span>block <b>{}</b></span><span><b>{}</b> threads</span>",
            dimensions(profile.grid),
            dimensions(profile.block),
            grouped(threads)
        );
        for fact in [self.launch, self.device]
            .into_iter()
            .filter(|fact| !fact.is_empty())
        {
            let _ = write!(facts, "<span>{}</span>", escape(fact));
        }
        format!(
            "<header><div><h1>{}</h1><p class=\"facts\">{facts}</p></div><div class=\"verdict {class}\">{}</div></header>",
            escape(self.kernel),
            escape(&verdict)
        )
    }

    fn pictures(&self) -> String {
        let profile = self.profile;
        let global = profile.worst(Space::Global).map(|(place, worst)| {
            let text = worst_of(profile, place, worst, "sectors");
            (text, pictures::sectors(&worst.request))
        });
        let shared = profile.worst(Space::Shared).map(|(place, worst)| {
            let text = worst_of(profile, place, worst, "passes");
            (text, pictures::banks(&worst.request))
        });
        let active = Some((
            "Executions by warps, by the number of lanes that take part".into(),
            charts::active_lanes(profile),
        ));
        let first = (!profile.first.is_empty()).then(|| {
            let text =
                "Accesses between the barriers of the first block; above, the barriers' lines";
            (text.into(), charts::timeline(profile))
        });
        format!(
            "<div class=\"pictures\">{}{}{}{}</div>",
            picture(
                "Worst access to global memory",
                global,
                "Every request touched as few sectors as it could."
            ),
            picture(
                "Worst bank conflict",
                shared,
                "No request met a bank conflict."
            ),
            picture("Active lanes", active, ""),
            picture("First block", first, "Not seen.")
        )
    }
}

const FOOTER: &str = "<footer>Counted on the emulator, in the device code before NVIDIA's compiler translates it: what that compiler merges, \
    splits or keeps in registers counts differently on the GPU. Cycles are estimates for sorting. What each number means: docs/lints.md.</footer>";

fn picture(name: &str, of: Option<(String, String)>, clear: &str) -> String {
    let content = of.map_or_else(
        || format!("<p class=\"clear\">{clear}</p>"),
        |(text, picture)| format!("<p>{text}</p>{picture}"),
    );
    format!("<div class=\"card picture\"><h2>{name}</h2>{content}</div>")
}

fn worst_of(profile: &Profile, place: &Place, worst: &Example, what: &str) -> String {
    let [x, y, z] = profile.block_at(worst.who.0);
    let name = Path::new(&place.file)
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    format!(
        "<a href=\"#{}\">{}:{}</a>, block ({x}, {y}, {z}), warp {}: {} {what} where {} would do",
        source::anchor(&place.file, place.line),
        escape(&name),
        place.line,
        worst.who.1,
        worst.cost.0,
        worst.cost.1
    )
}

/// The list of what costs most.
fn costs(entries: &[Entry<'_>]) -> String {
    let mut out = String::from("<div class=\"card costs\"><h2>What costs most</h2>");
    if entries.is_empty() {
        return out + "<p class=\"clear\">Nothing stands out.</p></div>";
    }
    let most = entries
        .iter()
        .filter_map(|entry| entry.cycles)
        .fold(1.0, f64::max);
    out.push_str("<ol>");
    for entry in entries {
        let place = entry
            .place()
            .map_or_else(String::new, |place| format!("line {}", place.line));
        let cycles = entry.cycles.map_or_else(String::new, |cycles| {
            format!("≈ {} cycles", short(cycles as u64))
        });
        let share = entry.cycles.map_or_else(String::new, |cycles| {
            format!(
                "<div class=\"share\"><i style=\"width:{:.1}%\"></i></div>",
                100.0 * cycles / most
            )
        });
        let _ = write!(
            out,
            "<li><a href=\"#finding-{}\"><div class=\"meta\"><span class=\"code {}\">{}</span><span>{place}</span><span>{cycles}</span></div>\
             <div class=\"what\">{}</div>{share}</a></li>",
            entry.number,
            entry.class(),
            entry.report.code,
            escape(&entry.report.title)
        );
    }
    out + "</ol><p class=\"small\">Cycles that one multiprocessor would save, estimated from the counts.</p></div>"
}

/// Findings that belong to no line.
fn general(entries: &[Entry<'_>]) -> String {
    let of: Vec<_> = entries
        .iter()
        .filter(|entry| entry.place().is_none())
        .collect();
    if of.is_empty() {
        return String::new();
    }
    let mut out = String::from("<div class=\"card general\"><h2>About the launch</h2>");
    for entry in of {
        let _ = write!(
            out,
            "<div id=\"finding-{}\">{}</div>",
            entry.number,
            finding(entry, true)
        );
    }
    out + "</div>"
}

/// A finding with its notes.
fn finding(entry: &Entry<'_>, open: bool) -> String {
    let report = entry.report;
    let mut notes = String::new();
    for side in &report.sides {
        if let (Some(who), false) = (&side.who, side.did.is_empty()) {
            let text = format!(
                "thread ({}, {}, {}) of block ({}, {}, {}), warp {}, lane {}, {}",
                who.thread[0],
                who.thread[1],
                who.thread[2],
                who.block[0],
                who.block[1],
                who.block[2],
                who.warp,
                who.lane,
                side.did
            );
            let _ = write!(notes, "<dt>who</dt><dd>{}</dd>", escape(&text));
        }
    }
    for note in &report.notes {
        let _ = write!(
            notes,
            "<dt>{}</dt><dd>{}</dd>",
            escape(note.label),
            escape(&note.text)
        );
    }
    let open = if open { " open=\"open\"" } else { "" };
    format!(
        "<details{open}><summary><span class=\"code {}\">{}</span>{}</summary><dl>{notes}</dl></details>",
        entry.class(),
        report.code,
        escape(&report.title)
    )
}

impl Entry<'_> {
    fn place(&self) -> Option<&Place> {
        let place = self.report.sides.first()?.place.as_ref()?;
        (place.line > 0 && !place.file.is_empty()).then_some(place)
    }

    fn is_at(&self, file: &str, line: u32) -> bool {
        self.place()
            .is_some_and(|place| place.file == file && place.line == line)
    }

    fn class(&self) -> &'static str {
        match self.report.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// `transpose::<32>` as `transpose-32.html`.
fn file_name(kernel: &str) -> String {
    let mut name = String::new();
    for c in kernel.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            name.push(c);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_matches('-');
    let name = if name.is_empty() { "kernel" } else { name };
    format!("{}.html", &name[..name.len().min(120)])
}
