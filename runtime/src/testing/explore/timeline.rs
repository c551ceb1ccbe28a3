//! The steps of a failing execution, as text and as a page.

use std::fmt::Write;

use warploom_emulator::check::{ControlledLaunch, Sources, ThreadId, site};

use super::execution::{Execution, Step};

/// Steps that are shown of a launch, however few are near a switch.
const MOST_SHOWN: usize = 60;

/// Steps that are shown around a switch, where there are more.
const AROUND: usize = 3;

/// What a line of the timeline says.
struct Row {
    number: usize,
    thread: String,
    does: &'static str,
    memory: String,
    value: String,
    place: String,
    source: String,
}

/// All launches with their steps: those around switches and the last change, where there are many.
pub(super) fn text(execution: &Execution, sources: &Sources) -> String {
    let mut text = String::new();
    for (number, launch) in (0..).zip(&execution.launches) {
        let steps: Vec<_> = execution
            .steps
            .iter()
            .filter(|step| step.launch == number)
            .collect();
        heading(&mut text, number, launch);
        let rows: Vec<_> = steps
            .iter()
            .enumerate()
            .map(|(index, step)| row(index, step, launch, sources))
            .collect();
        table(&mut text, &steps, &rows);
    }
    text
}

fn heading(text: &mut String, number: u32, launch: &ControlledLaunch) {
    let [grid, block] = [launch.grid, launch.block].map(|[x, y, z]| format!("({x},{y},{z})"));
    let kernel = launch.kernel;
    let _ = writeln!(
        text,
        "launch {number}: `{kernel}`, grid {grid}, block {block}"
    );
    if !launch.is_together {
        let _ = writeln!(
            text,
            "  its grid is too large for all blocks to run together: one ran after the other"
        );
    }
}

fn row(index: usize, step: &Step, launch: &ControlledLaunch, sources: &Sources) -> Row {
    let access = &step.access;
    let frame = site(access.site).map(|info| info.frame());
    let line = frame.and_then(|frame| sources.line(&frame.file, frame.line));
    Row {
        number: index + 1,
        thread: name_of(access.thread, launch),
        does: match (access.bytes, access.writes) {
            (0, _) if step.is_choice() => "orders",
            (0, _) => "fence",
            (_, true) => "writes",
            (_, false) => "reads",
        },
        memory: match (&step.made.memory, access.bytes) {
            (Some(name), _) => name.clone(),
            (None, 0) => String::new(),
            (None, _) => format!("{:#x}", access.address),
        },
        value: value_of(step),
        place: frame.map_or_else(String::new, |frame| {
            format!("{}:{}:{}", frame.file, frame.line, frame.column)
        }),
        source: line.map(|line| line.trim().to_owned()).unwrap_or_default(),
    }
}

fn value_of(step: &Step) -> String {
    if step.is_choice() {
        let order = match step.older {
            0 => "behind the load before it",
            _ => "before the load before it",
        };
        return order.to_owned();
    }
    let number = |value: u64| match value {
        small if small < 1 << 20 => small.to_string(),
        large => format!("{large:#x}"),
    };
    let made = &step.made;
    let is_early = step.older > 0 && made.is_store;
    let mut text = match (made.before, made.after) {
        (Some(before), Some(after)) if made.changed || is_early => {
            format!("{} -> {}", number(before), number(after))
        }
        (Some(before), _) if step.access.writes => format!("{}, unchanged", number(before)),
        (Some(before), _) => number(before),
        _ => return String::new(),
    };
    if let Some(newest) = made.newest.filter(|_| step.older > 0) {
        let _ = write!(text, ", though {} is newer", number(newest));
    }
    text
}

/// `block 1 thread 3`; with three numbers where the launch has more dimensions.
fn name_of(thread: ThreadId, launch: &ControlledLaunch) -> String {
    let place = |number: u64, [x, y, z]: [u32; 3]| {
        let [width, height] = [u64::from(x), u64::from(y)];
        match (y, z) {
            (1, 1) => number.to_string(),
            _ => format!(
                "({},{},{})",
                number % width,
                number / width % height,
                number / width / height
            ),
        }
    };
    let block = place(thread.block, launch.grid);
    let thread = place(thread.thread.into(), launch.block);
    format!("block {block} thread {thread}")
}

fn table(text: &mut String, steps: &[&Step], rows: &[Row]) {
    if rows.is_empty() {
        let _ = writeln!(text, "  no atomic access");
        return;
    }
    let width = |column: fn(&Row) -> &str| {
        rows.iter()
            .map(|row| column(row).chars().count())
            .max()
            .unwrap_or(0)
    };
    let (threads, memories) = (width(|row| &row.thread), width(|row| &row.memory));
    let values = width(|row| &row.value);
    let shown = shown(steps);
    let mut left_out = 0;
    for ((row, step), shown) in rows.iter().zip(steps).zip(shown) {
        if !shown {
            left_out += 1;
            continue;
        }
        note_left_out(text, std::mem::take(&mut left_out));
        let mark = if step.is_switch { '>' } else { ' ' };
        let Row {
            number,
            thread,
            does,
            memory,
            value,
            place,
            source,
        } = row;
        let line = format!(
            "{mark}{number:>4}  {thread:threads$}  {does:6} {memory:memories$}  {value:values$}  {place}  {source}"
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    note_left_out(text, left_out);
}

fn note_left_out(text: &mut String, steps: usize) {
    if steps > 0 {
        let _ = writeln!(text, "        ({steps} steps)");
    }
}

/// Which steps are shown.
fn shown(steps: &[&Step]) -> Vec<bool> {
    if steps.len() <= MOST_SHOWN {
        return vec![true; steps.len()];
    }
    let switches: Vec<_> = (0..steps.len())
        .filter(|index| steps[*index].is_switch)
        .collect();
    let is_near = |index: usize| {
        switches
            .iter()
            .any(|switch| switch.abs_diff(index) <= AROUND)
    };
    // Behind the last change threads only poll.
    let last = steps.iter().rposition(|step| step.made.changed);
    let is_end = |index: usize| index.abs_diff(last.unwrap_or(0)) <= 2 * AROUND;
    (0..steps.len())
        .map(|index| is_near(index) || is_end(index))
        .collect()
}

/// A page with a column for each thread, from top to bottom in the order of the steps.
pub(super) fn page(title: &str, message: &str, execution: &Execution, sources: &Sources) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n<pre>{message}</pre>\n",
        title = escape(title),
        message = escape(message),
    );
    for (number, launch) in (0..).zip(&execution.launches) {
        let steps: Vec<_> = execution
            .steps
            .iter()
            .filter(|step| step.launch == number)
            .collect();
        let mut text = String::new();
        heading(&mut text, number, launch);
        let _ = writeln!(
            html,
            "<h2>{}</h2>",
            escape(text.lines().next().unwrap_or_default())
        );
        columns(&mut html, &steps, launch, sources);
    }
    html.push_str("</html>\n");
    html
}

const STYLE: &str = "body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.2em .6em;font-family:monospace;font-size:90%;text-align:left}\
tr.switch td{border-top:3px solid #c60}td.writes{background:#fde3c8}td.reads{background:#dfeefb}td.old{background:#f6cfe4}td.fence{background:#e4e4e4}small{color:#555}";

fn columns(html: &mut String, steps: &[&Step], launch: &ControlledLaunch, sources: &Sources) {
    let mut threads: Vec<_> = steps.iter().map(|step| step.access.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    html.push_str("<table><tr><th></th>");
    for thread in &threads {
        let _ = write!(html, "<th>{}</th>", name_of(*thread, launch));
    }
    html.push_str("</tr>\n");
    let mut left_out = 0;
    for ((index, step), shown) in steps.iter().enumerate().zip(shown(steps)) {
        if !shown {
            left_out += 1;
            continue;
        }
        rest_of_column(html, std::mem::take(&mut left_out));
        let row = row(index, step, launch, sources);
        let class = if step.is_switch {
            " class=\"switch\""
        } else {
            ""
        };
        let _ = write!(html, "<tr{class}><td>{}</td>", row.number);
        for thread in &threads {
            if *thread != step.access.thread {
                html.push_str("<td></td>");
                continue;
            }
            let [memory, value, place, source] =
                [&row.memory, &row.value, &row.place, &row.source].map(|text| escape(text));
            let class = if step.older > 0 { "old" } else { row.does };
            let _ = write!(
                html,
                "<td class=\"{class}\">{does} {memory} {value}<br><small>{place}<br>{source}</small></td>",
                does = row.does,
            );
        }
        html.push_str("</tr>\n");
    }
    rest_of_column(html, left_out);
    html.push_str("</table>\n");
}

fn rest_of_column(html: &mut String, steps: usize) {
    if steps > 0 {
        let _ = writeln!(html, "<tr><td></td><td>({steps} steps)</td></tr>");
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
