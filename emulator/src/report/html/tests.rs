//! Pages that browsers read as they were meant.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use super::text::{bytes, escape, rust, short};
use super::*;
use crate::finding::Code;
use crate::report::lints::{Access, AccessClass, Lints, SyncKind};
use crate::site::{Frame, SiteId, SiteInfo, register};

const SOURCE: &str = "fn kernel<'a>(x: &'a [f32]) {\n    let s = \"</td> & <script>\"; // <b>\n    y[i] = x[i * 32];\n\n    sync();\n}\n";

fn site(line: u32) -> SiteId {
    let frame = Frame {
        file: "src/<odd> & \"name\".rs".into(),
        line,
        column: 9,
        function: "kernel".into(),
    };
    SiteId(register(vec![SiteInfo {
        frames: vec![frame],
        shown: 0,
    }]))
}

/// A launch with all that a page can show.
fn profile() -> Profile {
    let (sites, barrier) = ([site(3), site(4)], site(5));
    let mut lints = Lints::new([40, 1, 1], [33, 1, 1]);
    for block in 0..40 {
        for thread in 0..33 {
            let at = 128 * u64::from(thread);
            for (site, address, space) in [
                (sites[0], 0x9000 + at, Space::Global),
                (sites[1], 1024 + at, Space::Shared),
            ] {
                lints.access(Access {
                    site,
                    block,
                    thread,
                    address,
                    bytes: 4,
                    align: 4,
                    kind: AccessClass::Load,
                    space: Some(space),
                });
            }
        }
        lints.sync(SyncKind::Block, barrier, block, (0, 0));
        for thread in 0..33 {
            lints.exit(block, thread);
        }
    }
    lints.finish()
}

fn page(profile: &Profile, reports: &[Report]) -> String {
    let page = Page {
        kernel: "kernel::<&'a [f32], 3>",
        launch: "launch 7 at <tests>",
        device: "H200 & others",
        failure: None,
        profile,
        reports,
    };
    page.html(&Sources::of_texts(&[("src/<odd> & \"name\".rs", SOURCE)]))
}

/// The elements of a page, in the order in which they begin. Panics if one is not closed in its parent, or twice.
fn elements(html: &str) -> Vec<String> {
    let html = html
        .strip_prefix("<!doctype html>")
        .expect("a document type");
    let (mut open, mut all) = (Vec::new(), Vec::new());
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        assert!(
            !rest[..start].contains('>'),
            "a stray >: {}",
            &rest[..start]
        );
        check_text(&rest[..start]);
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(
                open.pop().as_deref(),
                Some(name),
                "closed; before: {:.80}",
                rest
            );
            continue;
        }
        let name: String = tag
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        assert!(!name.is_empty(), "<{tag}>");
        check_attributes(&tag[name.len()..]);
        if name == "style" {
            let end = rest.find("</style>").expect("a style ends");
            assert!(!rest[..end].contains('<'));
            rest = &rest[end..];
        }
        all.push(name.clone());
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<String>::new(), "left open");
    all
}

fn check_attributes(mut rest: &str) {
    while !rest.trim_matches([' ', '/']).is_empty() {
        let (name, after) = rest.split_once("=\"").expect("a quoted value");
        let name = name.trim_start();
        assert!(
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'),
            "{name}"
        );
        let (value, after) = after.split_once('"').expect("a closed quote");
        check_text(value);
        rest = after;
    }
}

fn check_text(text: &str) {
    for reference in text.split('&').skip(1) {
        let name = reference.split(';').next().unwrap_or("");
        assert!(
            ["amp", "lt", "gt", "quot", "#39", "ndash"].contains(&name),
            "&{reference}"
        );
    }
}

#[test]
fn every_element_is_closed() {
    let all = elements(&page(&profile(), &[]));
    for name in ["svg", "table", "details", "dl", "header", "footer"] {
        assert!(all.iter().any(|one| one == name), "{name}");
    }
    assert_eq!(all.iter().filter(|name| *name == "svg").count(), 4);
}

#[test]
fn a_page_about_nothing_is_whole() {
    let html = page(&Lints::new([1, 1, 1], [32, 1, 1]).finish(), &[]);
    elements(&html);
    assert!(html.contains("No errors, no warnings"));
    assert!(html.contains("Nothing stands out."));
}

#[test]
fn nothing_comes_from_elsewhere_and_nothing_runs() {
    let html = page(&profile(), &[]);
    for word in [
        "http:", "https:", "<script", "<link", "<img", "url(", "@import", "onclick",
    ] {
        assert!(!html.contains(word), "{word}");
    }
}

#[test]
fn source_text_is_escaped() {
    let html = page(&profile(), &[]);
    assert!(html.contains("&quot;&lt;/td&gt; &amp; &lt;script&gt;&quot;"));
    assert!(html.contains("<h2>src/&lt;odd&gt; &amp; &quot;name&quot;.rs</h2>"));
}

#[test]
fn each_line_has_its_numbers() {
    let html = page(&profile(), &[]);
    let row = |line: u32| {
        let from = html
            .find(&format!("<td class=\"line\">{line}</td>"))
            .unwrap();
        &html[from..from + html[from..].find("</tr>").unwrap()]
    };
    assert!(row(3).contains(
        "16.5 sectors of 32 bytes per request; 2.5 would do (15 % efficient); 80 requests"
    ));
    assert!(row(4).contains("1\u{a0}320 passes where 80 would do; worst request: 32-way"));
    assert!(row(5).contains("40 times through this barrier, needed 0 times at least"));
    assert!(!row(2).contains("title="));
}

#[test]
fn findings_stand_at_their_lines_and_in_the_list() {
    let html = page(&profile(), &[]);
    for code in ["WL0500", "WL0501", "WL0503", "WL0504"] {
        assert_eq!(html.matches(code).count(), 2, "{code}");
    }
    // Every link leads somewhere.
    for target in html
        .split("href=\"#")
        .skip(1)
        .filter_map(|after| after.split('"').next())
    {
        assert!(html.contains(&format!("id=\"{target}\"")), "{target}");
    }
}

#[test]
fn reports_of_other_checks_give_the_verdict() {
    let race = Report::new(Code::SHARED_RACE, "race on <tile>");
    let html = page(&profile(), &[race]);
    elements(&html);
    assert!(html.contains("<div class=\"verdict failed\">1 error</div>"));
    assert!(html.contains("race on &lt;tile&gt;"));
}

#[test]
fn a_file_that_cannot_be_read_shows_its_numbers() {
    let profile = profile();
    let page = Page {
        kernel: "kernel",
        launch: "",
        device: "",
        failure: Some("deadlock"),
        profile: &profile,
        reports: &[],
    };
    let html = page.html(&Sources::default());
    elements(&html);
    assert!(html.contains("cannot be read"));
    assert!(html.contains("<td class=\"line\">3</td>"));
    assert!(html.contains("<div class=\"verdict failed\">deadlock</div>"));
}

#[test]
fn shares_of_active_lanes_are_not_rounded_to_whole_percents() {
    let mut lints = Lints::new([1, 1, 1], [3, 1, 1]);
    for (line, n) in [(3, 1), (4, 2), (5, 3)] {
        let site = site(line);
        for thread in 0..n {
            lints.access(Access {
                site,
                block: 0,
                thread,
                address: 0x9000 + 4 * u64::from(thread),
                bytes: 4,
                align: 4,
                kind: AccessClass::Load,
                space: Some(Space::Global),
            });
        }
    }
    for thread in 0..3 {
        lints.exit(0, thread);
    }
    let html = page(&lints.finish(), &[]);
    assert!(html.contains(">33.3 %<") && html.contains(">16.7 %<"));
    assert!(html.contains(">1 lane: 1 of 3 executions<"));
    assert!(html.contains(">2 lanes: 1 of 3 executions<"));
}

#[test]
fn lines_that_are_left_out_are_counted() {
    let mut lints = Lints::new([1, 1, 1], [1, 1, 1]);
    for line in [3, 5, 8] {
        lints.access(Access {
            site: site(line),
            block: 0,
            thread: 0,
            address: 0x9000,
            bytes: 4,
            align: 4,
            kind: AccessClass::Load,
            space: Some(Space::Global),
        });
    }
    lints.exit(0, 0);
    let profile = lints.finish();
    let page = Page {
        kernel: "kernel",
        launch: "",
        device: "",
        failure: None,
        profile: &profile,
        reports: &[],
    };
    let html = page.html(&Sources::default());
    assert!(html.contains(">1 line without counts<"), "{html}");
    assert!(html.contains(">2 lines without counts<"), "{html}");
}

#[test]
fn rust_is_coloured_and_lifetimes_are_no_characters() {
    assert_eq!(
        rust("fn f<'a>(c: char)"),
        "<span class=\"w\">fn</span> f&lt;&#39;a&gt;(c: char)"
    );
    assert_eq!(
        rust("'x' '\\n' 'a"),
        "<span class=\"s\">&#39;x&#39;</span> <span class=\"s\">&#39;\\n&#39;</span> &#39;a"
    );
    assert_eq!(
        rust("0..32 // \"c\""),
        "<span class=\"n\">0</span>..<span class=\"n\">32</span> <span class=\"c\">// &quot;c&quot;</span>"
    );
    assert_eq!(
        rust("\"a\\\"b\" + 1.5e3_f32"),
        "<span class=\"s\">&quot;a\\&quot;b&quot;</span> + <span class=\"n\">1.5e3_f32</span>"
    );
}

#[test]
fn unfinished_tokens_end_with_the_line() {
    assert_eq!(rust("\"open"), "<span class=\"s\">&quot;open</span>");
    assert_eq!(rust("'\\"), "<span class=\"s\">&#39;\\</span>");
    assert_eq!(rust("#[derive"), "<span class=\"a\">#[derive</span>");
    assert_eq!(rust("é'é'"), "é<span class=\"s\">&#39;é&#39;</span>");
}

#[test]
fn control_characters_are_replaced() {
    assert_eq!(escape("a\u{0}\u{1b}b\tc"), "a\u{fffd}\u{fffd}b\tc");
}

#[test]
fn numbers_are_short() {
    assert_eq!(short(9_999), "9\u{a0}999");
    assert_eq!(short(1_048_576), "1.05\u{a0}M");
    assert_eq!(short(262_144), "262\u{a0}k");
    assert_eq!(bytes(4 << 20), "4\u{a0}MiB");
    assert_eq!(bytes(1_043_333), "1\u{a0}019\u{a0}KiB");
}

#[test]
fn files_are_named_by_kernels() {
    assert_eq!(
        file_name("matmul::tiled::<f32, 16>"),
        "matmul-tiled-f32-16.html"
    );
    assert_eq!(file_name("../../é"), "kernel.html");
}

#[test]
fn a_page_is_written_into_a_new_folder() {
    let folder = std::env::temp_dir().join(format!("warploom-page-{}", std::process::id()));
    let page = Page {
        kernel: "k",
        launch: "",
        device: "",
        failure: None,
        profile: &profile(),
        reports: &[],
    };
    let path = page
        .write(&folder.join("deep"), &Sources::default())
        .unwrap();
    assert!(fs::read_to_string(&path).unwrap().ends_with("</html>\n"));
    fs::remove_dir_all(folder).unwrap();
}
