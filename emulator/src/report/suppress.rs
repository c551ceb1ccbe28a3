//! Findings that were reviewed and allowed: by a comment next to the code, or by a list.
//!
//! The comment stands at the end of the line, or on its own above it:
//!
//! ```text
//! // warploom: allow(WL0114, reason = "all threads write the same flag")
//! found[0] = 1;
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::finding::{Code, Place, Report, Side};
use crate::site::{SiteId, site};
use crate::source::Sources;

mod syntax; // of comments and lists

use syntax::Comment;

/// What is allowed without a comment in the source: for code that one cannot edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// Findings of these classes. Not empty.
    pub codes: Vec<Code>,
    /// The source file, or the end of its path: `src/lib.rs` is any file of this name in a folder `src`.
    pub file: String,
    /// The line, from 1; `None`: all of the file.
    pub line: Option<u32>,
    /// Why it is right. Empty ones are reported.
    pub reason: String,
}

impl Allowance {
    /// Reads a list as `WARPLOOM_ALLOW` has it: `CODE@FILE:LINE=REASON`, several with `;` between them. `:LINE` and `=REASON` may be
    /// missing, and there may be several codes with `,`.
    ///
    /// # Errors
    /// What cannot be read, and why.
    ///
    /// ```
    /// use warploom_emulator::check::{Allowance, Code};
    ///
    /// let list = Allowance::list("WL0114@hist-1.2.0/src/lib.rs:12=one flag for all; WL0101,WL0103@src/scan.rs")?;
    /// assert_eq!((list[0].line, list[1].line), (Some(12), None));
    /// assert_eq!(list[1].codes, [Code::SHARED_RACE, Code::WARP_RACE]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn list(text: &str) -> Result<Vec<Allowance>, String> {
        syntax::list(text)
    }

    fn names(&self, file: &str, line: u32) -> bool {
        let before = file.strip_suffix(&*self.file);
        let whole = before.is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']));
        whole && self.line.is_none_or(|own| own == line)
    }
}

/// Takes findings away that are allowed, and knows which permission was never needed.
///
/// ```
/// use warploom_emulator::check::{Allowance, Allowances, Code, Place, Report, Side, Sources};
///
/// let mut allowances = Allowances::default();
/// allowances.add(Allowance::list("WL0114@src/lib.rs:12=one flag for all")?);
/// let place = Place { file: "src/lib.rs".into(), line: 12, column: 5 };
/// let side = Side { place: Some(place), stack: vec![], who: None, did: "writes found[0]".into() };
/// let report = Report::new(Code::SAME_VALUE, "several threads write found[0]").side(side);
/// let left = allowances.sift(vec![report], &Sources::default());
/// assert_eq!((left.len(), allowances.n_taken()), (0, 1));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Default)]
pub struct Allowances {
    listed: Vec<Listed>,
    /// Comments that took a finding, or had something to complain about: file and line.
    used: BTreeSet<(String, u32)>,
    /// Numbers of places in code that ran.
    ran: Vec<Range<u32>>,
    n_taken: u64,
}

#[derive(Debug)]
struct Listed {
    allowance: Allowance,
    used: bool,
}

/// What allows a finding.
struct Permission {
    /// Where it is written; `None`: in a list.
    place: Option<Place>,
    /// How it is written.
    text: String,
    has_reason: bool,
}

impl Allowances {
    /// Allows more.
    pub fn add(&mut self, allowances: impl IntoIterator<Item = Allowance>) {
        self.listed
            .extend(allowances.into_iter().map(|allowance| Listed {
                allowance,
                used: false,
            }));
    }

    /// Instrumented code ran: places of these numbers, as `check::register` gave them.
    pub fn ran(&mut self, sites: Range<u32>) {
        if !self.ran.contains(&sites) {
            self.ran.push(sites);
        }
    }

    /// How many findings were taken away so far; those that were folded into one count as one.
    #[must_use]
    pub fn n_taken(&self) -> u64 {
        self.n_taken
    }

    /// Gives back the findings that nothing allows. A permission counts if it is for one of the lines of the finding: a side's or a
    /// caller's. To these come findings about the permissions: those without a reason, and comments that cannot be read.
    #[must_use]
    pub fn sift(&mut self, reports: Vec<Report>, sources: &Sources) -> Vec<Report> {
        let mut left = Vec::new();
        let mut about = Vec::new();
        for report in reports {
            match self.permission(&report, sources, &mut about) {
                None => left.push(report),
                Some(permission) => {
                    self.n_taken += 1;
                    if !permission.has_reason {
                        about.push(without_reason(permission));
                    }
                }
            }
        }
        for report in about {
            if !left.contains(&report) {
                left.push(report);
            }
        }
        left
    }

    fn permission(
        &mut self,
        report: &Report,
        sources: &Sources,
        about: &mut Vec<Report>,
    ) -> Option<Permission> {
        for (file, line) in lines_of(report) {
            let listed = self.listed.iter_mut().find(|listed| {
                listed.allowance.codes.contains(&report.code) && listed.allowance.names(file, line)
            });
            if let Some(listed) = listed {
                listed.used = true;
                return Some(Permission {
                    place: None,
                    text: syntax::listed(&listed.allowance),
                    has_reason: !listed.allowance.reason.is_empty(),
                });
            }
            let Some(text) = sources.text(file) else {
                continue;
            };
            let lines: Vec<_> = text.lines().collect();
            for (at, comment) in comments_for(&lines, line) {
                let place = Place {
                    file: file.to_owned(),
                    line: at,
                    column: 0,
                };
                match comment {
                    Comment::Unreadable(why) => {
                        self.used.insert((place.file.clone(), at));
                        about.push(unreadable(place, why));
                    }
                    Comment::Allow { codes, reason } if codes.contains(&report.code) => {
                        self.used.insert((place.file.clone(), at));
                        return Some(Permission {
                            place: Some(place),
                            text: "this comment".to_owned(),
                            has_reason: !reason.is_empty(),
                        });
                    }
                    Comment::Allow { .. } => {}
                }
            }
        }
        None
    }

    /// One finding for each permission that took nothing so far although code of its line ran, and one for each comment there that cannot
    /// be read.
    ///
    /// Exact for what ran: a permission for a race that only another launch would show is unused until this launch was made.
    #[must_use]
    pub fn unused(&self, sources: &Sources) -> Vec<Report> {
        let mut reports = Vec::new();
        let files = self.lines_that_ran();
        for Listed { allowance, used } in &self.listed {
            let ran = |(file, lines): (&String, &BTreeSet<u32>)| {
                lines.iter().any(|line| allowance.names(file, *line))
            };
            if !used && files.iter().any(ran) {
                reports.push(never_used(None, &syntax::listed(allowance)));
            }
        }
        for (file, ran) in &files {
            let Some(text) = sources.text(file) else {
                continue;
            };
            if !text.contains("warploom:") {
                continue;
            }
            let lines: Vec<_> = text.lines().collect();
            let mut seen = BTreeSet::new();
            for line in ran {
                for (at, comment) in comments_for(&lines, *line) {
                    if !seen.insert(at) || self.used.contains(&(file.clone(), at)) {
                        continue;
                    }
                    let place = Place {
                        file: file.clone(),
                        line: at,
                        column: 0,
                    };
                    reports.push(match comment {
                        Comment::Unreadable(why) => unreadable(place, why),
                        Comment::Allow { codes, .. } => {
                            let codes: Vec<_> = codes.iter().map(Code::to_string).collect();
                            never_used(Some(place), &format!("allow({})", codes.join(", ")))
                        }
                    });
                }
            }
        }
        reports
    }

    /// Files, and their lines with places in code that ran.
    fn lines_that_ran(&self) -> BTreeMap<String, BTreeSet<u32>> {
        let mut files: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        for info in self
            .ran
            .iter()
            .cloned()
            .flatten()
            .filter_map(|id| site(SiteId(id)))
        {
            for frame in &info.frames {
                match files.get_mut(&frame.file) {
                    Some(lines) => drop(lines.insert(frame.line)),
                    None => drop(files.insert(frame.file.clone(), BTreeSet::from([frame.line]))),
                }
            }
        }
        files
    }
}

/// Places of the sides, then those they were called from.
fn lines_of(report: &Report) -> Vec<(&str, u32)> {
    let places = report.sides.iter().filter_map(|side| side.place.as_ref());
    let mut lines: Vec<_> = places.map(|place| (&*place.file, place.line)).collect();
    let callers = report.sides.iter().flat_map(|side| &side.stack);
    lines.extend(callers.map(|frame| (&*frame.file, frame.line)));
    lines.retain(|(_, line)| *line > 0);
    lines
}

/// The comments of ours at the end of a line and directly above it, with their lines.
fn comments_for(lines: &[&str], line: u32) -> Vec<(u32, Comment)> {
    let Some(index) = (line as usize)
        .checked_sub(1)
        .filter(|index| *index < lines.len())
    else {
        return vec![];
    };
    let above = lines[..index].iter().rev();
    let above = above.take_while(|line| {
        let line = line.trim_start();
        line.starts_with("//") || line.starts_with("#[")
    });
    let n_above = above.count();
    (index - n_above..=index)
        .rev()
        .filter_map(|at| Some((at as u32 + 1, syntax::comment(lines[at])?)))
        .collect()
}

fn about(code: Code, title: String, place: Option<Place>, did: &str) -> Report {
    let report = Report::new(code, title);
    match place {
        None => report,
        Some(_) => report.side(Side {
            place,
            stack: vec![],
            who: None,
            did: did.to_owned(),
        }),
    }
}

fn without_reason(permission: Permission) -> Report {
    let title = match permission.place {
        Some(_) => "findings are allowed without a reason".to_owned(),
        None => format!("findings are allowed without a reason: {}", permission.text),
    };
    let help = match permission.place {
        Some(_) => "write `reason = \"…\"` behind the codes: why is it right?",
        None => "add `=` and the reason: why is it right?",
    };
    about(
        Code::NO_REASON,
        title,
        permission.place,
        "no reason is given",
    )
    .help(help)
}

fn never_used(place: Option<Place>, text: &str) -> Report {
    about(
        Code::UNUSED_ALLOWANCE,
        format!("`{text}` allows what was not found"),
        place,
        "nothing was found here so far",
    )
    .note("code of this line ran in checked mode in this process; another launch may still need it")
    .help("remove it if no launch needs it")
}

fn unreadable(place: Place, why: String) -> Report {
    about(
        Code::BAD_ALLOWANCE,
        format!("cannot read what is allowed here: {why}"),
        Some(place),
        "allows nothing",
    )
    .help("write `// warploom: allow(WL0114, reason = \"…\")`")
}

#[cfg(test)]
#[path = "suppress_tests.rs"]
mod tests;
