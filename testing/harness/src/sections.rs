//! Which ids the documents have that the requirements come from: the first part of the ids of a section, and how many there are.
//!
//! Ids of the older programming guide have a `G` in front: some of its sections are named like others. Takes lists of ids, gives those
//! that are missing or too many.

use std::collections::BTreeSet;

/// Sections whose ids have rows in `docs/requirements.tsv` or `docs/host-requirements.tsv`: those of the older programming guide.
const GUIDE: &[(&str, u32)] = &[
    ("GPM", 17),  // programming model
    ("GFN", 13),  // functions
    ("GVAR", 21), // variables
    ("GVEC", 5),  // vector types
    ("GBI", 5),   // built-in variables
    ("GLA", 18),  // launches
    ("GSY", 10),  // synchronisation
    ("GAT", 11),  // atomics
    ("GWV", 3),   // votes
    ("GTM", 1),   // time
    ("GPR", 1),   // profiler
    ("GPF", 23),  // printing
    ("GTEX", 28), // textures
    ("GFP", 11),  // floating point
    ("GCX", 10),  // language
    ("GCO", 12),  // compilation
    ("GDM", 14),  // device memory
    ("GPL", 8),   // page-locked memory
    ("GAS", 13),  // asynchronous execution
    ("GDV", 8),   // devices
    ("GDR", 13),  // driver interface
    ("GMX", 5),   // mixed interfaces
    ("GER", 6),   // errors
    ("GGX", 5),   // graphics
    ("GPF5", 10), // advice: strategy
    ("GPFM", 14), // advice: memory
    ("GPFI", 13), // advice: instructions
    ("GEM", 14),  // emulation
];

/// Those of the chapter about language extensions; `E` are its errata.
const EXTENSIONS: &[(&str, u32)] = &[
    ("EX", 7),
    ("MS", 8),
    ("AN", 9),
    ("TY", 3),
    ("BV", 7),
    ("VT", 2),
    ("KC", 10),
    ("SY", 9),
    ("AT", 11),
    ("NA", 12),
    ("WA", 1),
    ("WV", 3),
    ("WM", 2),
    ("WR", 6),
    ("WS", 4),
    ("MC", 7),
    ("AS", 8),
    ("LS", 10),
    ("OF", 3),
    ("DPX", 6),
    ("OH", 7),
    ("DB", 5),
    ("WX", 8),
    ("E", 25),
];

/// Pitfalls of the textbooks, with two digits.
const PITFALLS: (&str, u32) = ("P", 46);

/// Example programs, whose rows are in `gallery/programs.tsv`: of the older guide, and with two digits of the two textbooks.
const GUIDE_PROGRAMS: (&str, u32) = ("EX", 49);
const TEXTBOOK_PROGRAMS: [(&str, u32); 2] = [("E2", 21), ("E3", 35)];

/// Ids that have no row in the tables, and rows behind the last id of their section.
#[must_use]
pub fn of_tables(rows: &BTreeSet<&str>) -> Vec<String> {
    let sections = || GUIDE.iter().chain(EXTENSIONS).chain([&PITFALLS]);
    let expected = sections().flat_map(|&(section, last)| ids(section, last));
    let mut wrong = missing(expected, |id| rows.contains(id));
    for row in rows {
        let Some((section, number)) = row.rsplit_once('-') else {
            continue;
        };
        let beyond = |(known, last): &&(&str, u32)| {
            *known == section && number.parse().is_ok_and(|n: u32| n == 0 || n > *last)
        };
        if let Some((_, last)) = sections().find(beyond) {
            wrong.push(format!("{row}: the section ends at {last}"));
        }
    }
    wrong
}

/// Example programs that have no row in the gallery's index.
#[must_use]
pub fn of_gallery(rows: &BTreeSet<&str>) -> Vec<String> {
    let textbooks = TEXTBOOK_PROGRAMS.iter();
    let textbooks = textbooks.flat_map(|&(section, last)| ids(section, last));
    let expected = textbooks.chain(ids(GUIDE_PROGRAMS.0, GUIDE_PROGRAMS.1));
    // One of the textbooks' programs is E2-08a to E2-08d.
    let has = |id: &str| {
        let variant = |row: &&str| {
            row.strip_prefix(id)
                .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_lowercase()))
        };
        rows.iter().any(variant)
    };
    missing(expected, has)
}

fn ids(section: &'static str, last: u32) -> impl Iterator<Item = String> {
    let two_digits = ["P", "E2", "E3"].contains(&section);
    (1..=last).map(move |n| match two_digits {
        true => format!("{section}-{n:02}"),
        false => format!("{section}-{n}"),
    })
}

fn missing(expected: impl Iterator<Item = String>, has: impl Fn(&str) -> bool) -> Vec<String> {
    let missing = expected.filter(|id| !has(id));
    missing.map(|id| format!("{id} has no row")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ids of the tables.
    fn all() -> Vec<String> {
        let sections = GUIDE.iter().chain(EXTENSIONS).chain([&PITFALLS]);
        sections.flat_map(|&(s, last)| ids(s, last)).collect()
    }

    #[test]
    fn each_id_that_is_left_out_is_named() {
        let all = all();
        let rows: BTreeSet<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(of_tables(&rows), Vec::<String>::new());
        for left_out in ["GPM-1", "GTEX-28", "E-25", "P-09", "GPF5-10"] {
            let mut rows = rows.clone();
            assert!(rows.remove(left_out), "{left_out}");
            assert_eq!(of_tables(&rows), [format!("{left_out} has no row")]);
        }
    }

    #[test]
    fn a_row_behind_the_end_of_its_section_is_named() {
        let mut all = all();
        all.extend(["GPM-18".to_owned(), "SY-named".to_owned()]);
        let rows = all.iter().map(String::as_str).collect();
        assert_eq!(of_tables(&rows), ["GPM-18: the section ends at 17"]);
    }

    #[test]
    fn variants_of_a_program_are_programs_of_its_row() {
        let textbooks = TEXTBOOK_PROGRAMS.iter().flat_map(|&(s, last)| ids(s, last));
        let mut all: Vec<String> = textbooks.chain(ids("EX", 49)).collect();
        all.retain(|id| id != "E2-08" && id != "EX-4");
        all.push("E2-08a".to_owned());
        let rows = all.iter().map(String::as_str).collect();
        assert_eq!(of_gallery(&rows), ["EX-4 has no row"]);
    }
}
