//! A finding as text, in the form of rustc's messages.

use std::fmt;
use std::io::IsTerminal;

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Padding, Renderer, Snippet};

use crate::finding::{Place, Report, Severity, Side, Who};
use crate::site::Frame;
use crate::source::{Sources, extent};

/// Sides of one finding that are shown; the others are counted.
const MOST_SIDES: usize = 8;

/// Callers that are shown of one place.
const MOST_CALLERS: usize = 6;

/// Columns of a line of source text that are shown around its mark.
const WIDTH: usize = 140;

impl Report {
    /// The finding as text of several lines, in the form of rustc's messages, without a line feed at its end. `sources` finds the lines
    /// of source text; the text stands without those that are not found. `colours`: with escape sequences for a terminal.
    ///
    /// ```
    /// use warploom_emulator::check::{Code, Report, Sources};
    ///
    /// let report = Report::new(Code::LEAK, "128 bytes of the device's heap were never freed").help("free them");
    /// assert_eq!(
    ///     report.render(&Sources::default(), false),
    ///     "warning[WL0012]: 128 bytes of the device's heap were never freed\n |\n = help: free them"
    /// );
    /// ```
    #[must_use]
    pub fn render(&self, sources: &Sources, colours: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut group = level
            .primary_title(one_line(&self.title))
            .id(self.code.to_string())
            .elements(self.places(sources));
        let notes = self.notes(sources);
        if !notes.is_empty() && self.sides.iter().all(|side| side.place.is_none()) {
            group = group.element(Padding);
        }
        for (label, text) in notes {
            let level = match label {
                "help" => Level::HELP,
                _ => Level::NOTE,
            };
            group = group.element(level.with_name(label).message(text));
        }
        let renderer = match colours {
            true => Renderer::styled(),
            false => Renderer::plain(),
        };
        renderer.term_width(WIDTH).render(&[group])
    }

    /// The sides with their lines. Sides on one line share it.
    fn places<'a>(&self, sources: &Sources) -> Vec<Element<'a>> {
        let mut blocks: Vec<Block> = Vec::new();
        for (index, side) in self.sides.iter().take(MOST_SIDES).enumerate() {
            let Some(place) = &side.place else {
                continue;
            };
            let text = text_of(side, sources);
            let same = |block: &&mut Block| {
                block.text == text
                    && block.place.file == place.file
                    && block.place.line == place.line
            };
            let label = Label {
                primary: index == 0,
                column: place.column,
                text: self.sentence(index),
            };
            match blocks.iter_mut().find(same) {
                Some(block) => block.labels.push(label),
                None => blocks.push(Block {
                    place: place.clone(),
                    text,
                    labels: vec![label],
                }),
            }
        }
        blocks.into_iter().map(Block::element).collect()
    }

    /// What is below the source lines: label and text.
    fn notes(&self, sources: &Sources) -> Vec<(&'static str, String)> {
        let mut notes = Vec::new();
        for (index, side) in self.sides.iter().take(MOST_SIDES).enumerate() {
            // Otherwise it stands below its line.
            if text_of(side, sources).is_none() {
                let at = match &side.place {
                    Some(place) if self.sides.len() > 1 => format!("at {place}: "),
                    _ => String::new(),
                };
                let text = at + &self.sentence(index);
                // A side may be no more than a place, which stands in the head.
                if !text.is_empty() {
                    notes.push(("note", text));
                }
            }
        }
        if self.sides.len() > MOST_SIDES {
            let more = self.sides.len() - MOST_SIDES;
            notes.push(("note", format!("{more} more places are not shown")));
        }
        notes.extend(self.callers());
        let mut own: Vec<_> = self.notes.iter().collect();
        own.sort_by_key(|note| match note.label {
            "why" => 0,
            "help" => 2,
            _ => 1,
        });
        let n_before = own.partition_point(|note| note.label != "help");
        let (before, helps) = own.split_at(n_before);
        notes.extend(before.iter().map(|note| (note.label, note.text.clone())));
        notes.extend(self.how_often().map(|text| ("note", text)));
        notes.extend(helps.iter().map(|note| (note.label, note.text.clone())));
        for (label, text) in [
            ("launch", self.launch_line()),
            ("replay", self.replay.clone()),
        ] {
            if !text.is_empty() {
                notes.push((label, text));
            }
        }
        notes
    }

    fn how_often(&self) -> Option<String> {
        if self.count < 2 {
            return None;
        }
        let places = self.sides.iter().filter(|side| side.place.is_some());
        let at = match places.count() {
            0 => "",
            1 => " at this line",
            2 => " at this pair of lines",
            _ => " at these lines",
        };
        Some(format!(
            "found {} times{at}; the first is shown",
            self.count
        ))
    }

    fn launch_line(&self) -> String {
        match (self.kernel.is_empty(), self.launch.is_empty()) {
            (_, true) => self.kernel.clone(),
            (true, false) => self.launch.clone(),
            (false, false) => format!("{} {}", self.kernel, self.launch),
        }
    }

    /// One line per side that was called from somewhere; equal ones once.
    fn callers(&self) -> Vec<(&'static str, String)> {
        let mut lines: Vec<(&'static str, String)> = Vec::new();
        let several = self.sides.len() > 1;
        for side in self.sides.iter().take(MOST_SIDES) {
            let (Some(place), false) = (&side.place, side.stack.is_empty()) else {
                continue;
            };
            let mut text = match several {
                true => format!("line {} was called from ", place.line),
                false => "called from ".to_owned(),
            };
            let shown = side.stack.iter().take(MOST_CALLERS);
            let shown: Vec<_> = shown.map(|frame| Caller(frame).to_string()).collect();
            text.push_str(&shown.join("\nfrom "));
            if side.stack.len() > MOST_CALLERS {
                let more = side.stack.len() - MOST_CALLERS;
                text.push_str(&format!("\nand {more} more"));
            }
            if lines.iter().all(|(_, old)| *old != text) {
                lines.push(("note", text));
            }
        }
        lines
    }

    /// Who did what. Later sides say what they share with the first.
    pub(crate) fn sentence(&self, index: usize) -> String {
        let Some(side) = self.sides.get(index) else {
            return String::new();
        };
        let first = self.sides.first().filter(|_| index > 0);
        sentence(side, first.and_then(|first| first.who.as_ref()))
    }
}

fn sentence(side: &Side, first: Option<&Who>) -> String {
    let did = one_line(&side.did);
    let Some(who) = side.who else {
        return did;
    };
    let thread = Triple(who.thread);
    let place = format!("[warp {}, lane {}]", who.warp, who.lane);
    let block = match first {
        Some(first) if *first == who => return format!("the same thread {did}"),
        Some(first) if first.block == who.block => "the same block".to_owned(),
        _ => format!("block {}", Triple(who.block)),
    };
    format!("thread {thread} of {block} {place} {did}")
}

/// The line of a side, if it is found and has the column.
fn text_of(side: &Side, sources: &Sources) -> Option<String> {
    let place = side.place.as_ref()?;
    let text = sources.line(&place.file, place.line)?;
    extent(&text, place.column)?;
    Some(text)
}

/// A line with its marks.
struct Block {
    place: Place,
    text: Option<String>,
    labels: Vec<Label>,
}

struct Label {
    primary: bool,
    column: u32,
    text: String,
}

impl Block {
    fn element<'a>(self) -> Element<'a> {
        let Place { file, line, column } = self.place;
        let Some(text) = self.text else {
            let mut origin = Origin::path(if file.is_empty() { "?".into() } else { file });
            if line > 0 {
                origin = origin.line(line as usize);
                if column > 0 {
                    origin = origin.char_column(column as usize);
                }
            }
            return origin.into();
        };
        let marks = self.labels.into_iter().filter_map(|label| {
            let kind = match label.primary {
                true => AnnotationKind::Primary,
                false => AnnotationKind::Context,
            };
            Some(kind.span(extent(&text, label.column)?).label(label.text))
        });
        let marks: Vec<_> = marks.collect();
        Snippet::source(text)
            .line_start(line as usize)
            .path(file)
            .annotations(marks)
            .into()
    }
}

/// `(1,0,0)`.
pub(crate) struct Triple(pub(crate) [u32; 3]);

impl fmt::Display for Triple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x},{y},{z})")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        place(f, &self.file, self.line, self.column)
    }
}

/// `src/main.rs:3:5`, without the numbers that are not known.
fn place(f: &mut fmt::Formatter<'_>, file: &str, line: u32, column: u32) -> fmt::Result {
    f.write_str(if file.is_empty() { "?" } else { file })?;
    for number in [line, column].into_iter().take_while(|number| *number > 0) {
        write!(f, ":{number}")?;
    }
    Ok(())
}

struct Caller<'a>(&'a Frame);

impl fmt::Display for Caller<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Frame {
            file,
            line,
            column,
            function,
        } = self.0;
        place(f, file, *line, *column)?;
        match function.as_str() {
            "" => Ok(()),
            function => write!(f, " in `{function}`"),
        }
    }
}

/// Titles and labels are one line each.
fn one_line(text: &str) -> String {
    text.lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether text on the standard error stream gets colours: on a terminal, unless `NO_COLOR` is set; `CARGO_TERM_COLOR` (`always`,
/// `never`) overrides both.
#[must_use]
pub fn colours() -> bool {
    let cargo = std::env::var("CARGO_TERM_COLOR");
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    chosen(
        cargo.as_deref().unwrap_or(""),
        no_colour,
        std::io::stderr().is_terminal(),
    )
}

fn chosen(cargo: &str, no_colour: bool, terminal: bool) -> bool {
    match cargo {
        "always" => true,
        "never" => false,
        _ => terminal && !no_colour,
    }
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
