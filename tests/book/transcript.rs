//! Texts that the book shows: what a program prints is compared with the files in `docs/book/transcripts/`.

/// Compares a text with `docs/book/transcripts/$name.txt`; with `WARPLOOM_BLESS=1` writes it. A new file is empty at first.
macro_rules! shows {
    ($name:literal, $text:expr) => {{
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../docs/book/transcripts/",
            $name,
            ".txt"
        );
        let expected = include_str!(concat!("../../docs/book/transcripts/", $name, ".txt"));
        $crate::transcript::compare(path, expected, $text)
    }};
}
pub(crate) use shows;

/// The text without the command that runs the test again: it has the variables of this run, and the test's name only where that is known.
fn comparable(text: &str) -> String {
    let line = |line: &str| {
        line.split(" = replay: ")
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[track_caller]
pub(crate) fn compare(path: &str, expected: &str, text: &str) {
    let text = format!("{}\n", text.trim_end());
    if comparable(&text) == comparable(expected) {
        return;
    }
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|wanted| wanted == "1") {
        std::fs::write(path, text).unwrap();
        return;
    }
    panic!(
        "{path} differs: run WARPLOOM_BLESS=1 cargo test --test book\nexpected:\n{expected}\nfound:\n{text}"
    );
}
