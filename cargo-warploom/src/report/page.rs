//! A report as a page.

use super::compare::Compared;
use super::figures::{BLOCKS, Figures, Report};
use crate::counted;
use crate::html::{Colour, escape, page};
use std::fmt::Write as _;

/// The page; with what has changed, if that was asked for.
pub(super) fn html(report: &Report, compared: Option<&Compared>) -> String {
    let mut kernels: Vec<Vec<&Figures>> = Vec::new();
    for figures in &report.kernels {
        let same = |of: &&mut Vec<&Figures>| {
            (&of[0].kernel, &of[0].entry) == (&figures.kernel, &figures.entry)
        };
        match kernels.last_mut().filter(same) {
            Some(of_kernel) => of_kernel.push(figures),
            None => kernels.push(vec![figures]),
        }
    }
    let mut content = compared.map_or_else(String::new, changes);
    for of_kernel in &kernels {
        content.push_str(&card(&report.label(of_kernel[0]), of_kernel, compared));
    }
    content.push_str(
        "<footer>What ptxas -O3 says of the PTX that the programs carry. Shared memory is the static part; what a launch asks for comes on top. \
         Occupancy: warps on a multiprocessor, of those that fit, by the limits of the CUDA programming guide, appendix &quot;Compute \
         Capabilities&quot;. A full multiprocessor is no aim in itself.</footer>",
    );
    let spilling = report.kernels.iter().filter(|f| f.spilled_bytes() > 0);
    let spilling = spilling.count();
    let verdict = match (compared.map(|c| c.worse.len()), spilling) {
        (Some(worse @ 1..), _) => (
            Colour::Failed,
            format!("{} worse", counted(worse, "figure")),
        ),
        (Some(0), _) => (Colour::Fine, "nothing worse".to_owned()),
        (None, 0) => (Colour::Fine, "no spills".to_owned()),
        (None, _) => (Colour::Warned, "kernels spill registers".to_owned()),
    };
    let count = counted(kernels.len(), "kernel");
    let facts = format!("ptxas {}, {count}", escape(&report.ptxas));
    page(
        "What kernels cost",
        &facts,
        (verdict.0, &verdict.1),
        &content,
    )
}

/// The list of what has changed.
fn changes(compared: &Compared) -> String {
    let lists = [
        ("worse", &compared.worse),
        ("tolerated", &compared.tolerated),
        ("better", &compared.better),
    ];
    let mut out = String::from("<div class=\"card\"><h2>Changes</h2><ul>");
    for (word, changes) in lists {
        for change in changes {
            // Writing to a text cannot fail.
            let _ = write!(out, "<li>{word}: {}</li>", escape(&change.text()));
        }
    }
    if lists.iter().all(|(_, changes)| changes.is_empty()) {
        out.push_str("<li>none</li>");
    }
    out + "</ul></div>\n"
}

/// One kernel, with a row for each architecture.
fn card(label: &str, of_kernel: &[&Figures], compared: Option<&Compared>) -> String {
    let first = of_kernel[0];
    let mut blocks: Vec<u32> = BLOCKS.to_vec();
    blocks.extend(
        of_kernel
            .iter()
            .flat_map(|f| &f.occupancy)
            .map(|o| o.threads),
    );
    blocks.sort_unstable();
    blocks.dedup();
    blocks.retain(|threads| of_kernel.iter().any(|f| f.occupancy_at(*threads).is_some()));
    let mut out = format!(
        "<div class=\"card\"><h2>{}</h2><p class=\"facts\">{}{}</p><table><tr>",
        escape(label),
        escape(&first.package),
        match first.file.is_empty() {
            true => String::new(),
            false => format!(", {}:{}", escape(&first.file), first.line),
        }
    );
    for name in ["", "registers", "spills", "shared", "stack", "instructions"] {
        let _ = write!(out, "<th>{name}</th>");
    }
    for threads in &blocks {
        let _ = write!(out, "<th class=\"left\">{threads} threads</th>");
    }
    out.push_str("</tr>\n");
    for figures in of_kernel {
        out.push_str(&row(figures, &blocks, compared));
    }
    out + "</table></div>\n"
}

fn row(figures: &Figures, blocks: &[u32], compared: Option<&Compared>) -> String {
    let is_worse = |what: &str| {
        let is_it = |change: &super::compare::Change| {
            change.kernel == figures.kernel && change.arch == figures.arch && change.what == what
        };
        compared.is_some_and(|compared| compared.worse.iter().any(is_it))
    };
    let bytes = |n: u32| match n {
        0 => "0".to_owned(),
        n if n % 1024 == 0 => format!("{} KiB", n / 1024),
        n => format!("{n} B"),
    };
    let instructions = figures
        .instructions
        .map_or("-".to_owned(), |n| n.to_string());
    let mut out = format!("<tr><td>{}</td>", escape(&figures.arch));
    for (what, text, is_bad) in [
        ("registers", figures.registers.to_string(), false),
        (
            "spills",
            bytes(figures.spilled_bytes()),
            figures.spilled_bytes() > 0,
        ),
        ("shared memory", bytes(figures.shared_bytes), false),
        ("stack", bytes(figures.stack_bytes), false),
        ("instructions", instructions, false),
    ] {
        let class = if is_bad || is_worse(what) {
            " class=\"bad\""
        } else {
            ""
        };
        let _ = write!(out, "<td{class}>{text}</td>");
    }
    for threads in blocks {
        let cell = figures
            .occupancy_at(*threads)
            .map_or_else(String::new, |room| {
                let percent = room.percent();
                format!(
                    "<span class=\"bar\"><i style=\"width:{percent}%\"></i></span>{percent} %, {}",
                    counted(room.blocks as usize, "block")
                )
            });
        let _ = write!(out, "<td class=\"left\">{cell}</td>");
    }
    out + "</tr>\n"
}

#[cfg(test)]
mod tests {
    use super::super::compare::compare;
    use super::super::figures::tests::figures;
    use super::*;

    #[test]
    fn a_page_has_each_kernel_with_its_figures() {
        let mut spilling = figures("app::k<f32>", 255);
        spilling.arch = "sm_80".into();
        spilling.spill_load_bytes = 2048;
        let report = Report::new("13.0.88".into(), vec![figures("app::k<f32>", 32), spilling]);
        let page = html(&report, None);
        assert_eq!(page.matches("<h2>app::k&lt;f32&gt;</h2>").count(), 1);
        assert!(page.contains("<td class=\"bad\">2 KiB</td>"), "{page}");
        assert!(
            page.contains("width:100%\"></i></span>100 %, 8 blocks"),
            "{page}"
        );
        assert!(page.contains("warned\">kernels spill registers"), "{page}");
        assert!(!page.contains("<script"));
    }

    #[test]
    fn a_page_shows_what_got_worse() {
        let old = Report::new("13.0.88".into(), vec![figures("app::k", 32)]);
        let new = Report::new("13.0.88".into(), vec![figures("app::k", 33)]);
        let page = html(&new, Some(&compare(&old, &new, 0.0)));
        assert!(
            page.contains("<li>worse: app::k for sm_90: registers 32 -&gt; 33</li>"),
            "{page}"
        );
        assert!(page.contains("<td class=\"bad\">33</td>"), "{page}");
        let same = html(&old, Some(&compare(&old, &old, 0.0)));
        assert!(same.contains("<li>none</li>") && same.contains("fine\">nothing worse"));
    }
}
