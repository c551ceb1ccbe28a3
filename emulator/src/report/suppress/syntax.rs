//! How permissions are written, in comments and in lists.

use super::Allowance;
use crate::finding::Code;

/// A comment of ours.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Comment {
    Allow {
        codes: Vec<Code>,
        reason: String,
    },
    /// Why it cannot be read.
    Unreadable(String),
}

/// The comment of ours at the end of a line, or on it alone.
pub(super) fn comment(line: &str) -> Option<Comment> {
    let starts = line.match_indices("//").map(|(at, _)| at);
    let texts = starts.map(|at| line[at..].trim_start_matches('/').trim_start());
    let text = texts
        .filter_map(|text| text.strip_prefix("warploom:"))
        .next()?;
    Some(match allow(text.trim()) {
        Ok((codes, reason)) => Comment::Allow { codes, reason },
        Err(why) => Comment::Unreadable(why),
    })
}

/// `allow(WL0114, WL0113, reason = "…")`.
fn allow(text: &str) -> Result<(Vec<Code>, String), String> {
    let rest = text
        .strip_prefix("allow")
        .and_then(|rest| rest.trim_start().strip_prefix('('))
        .ok_or("`allow(…)` is all that may stand here")?;
    let (mut codes, mut reason) = (Vec::new(), String::new());
    let mut rest = rest.trim_start();
    loop {
        if rest.starts_with(')') {
            break;
        }
        let end = rest
            .find([',', ')', '='])
            .ok_or("the closing `)` is missing")?;
        let (word, behind) = rest.split_at(end);
        rest = match (word.trim(), behind.strip_prefix('=')) {
            ("reason", Some(text)) => {
                let (given, behind) = string(text.trim_start())?;
                reason = given.trim().to_owned();
                behind.trim_start()
            }
            (name, _) => {
                codes.push(code(name)?);
                behind
            }
        };
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None if rest.starts_with(')') => {}
            None => return Err("`,` or `)` is missing".into()),
        }
    }
    match codes.is_empty() {
        true => Err("no code is named".into()),
        false => Ok((codes, reason)),
    }
}

/// A string in double quotes at the start of `text`, and what is behind it.
fn string(text: &str) -> Result<(String, &str), String> {
    let inside = text
        .strip_prefix('"')
        .ok_or("the reason is no text in double quotes")?;
    let mut given = String::new();
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((given, &inside[at + 1..])),
            '\\' => given.extend(chars.next().map(|(_, c)| c)),
            _ => given.push(c),
        }
    }
    Err("the reason's closing `\"` is missing".into())
}

fn code(name: &str) -> Result<Code, String> {
    let number = name.strip_prefix("WL").filter(|digits| digits.len() == 4);
    number
        .and_then(|digits| digits.parse().ok())
        .and_then(Code::of_number)
        .ok_or_else(|| format!("`{name}` is no code such as WL0114"))
}

/// `WL0114@src/lib.rs:12=reason; …`.
pub(super) fn list(text: &str) -> Result<Vec<Allowance>, String> {
    let entries = text
        .split(';')
        .map(str::trim)
        .filter(|entry| !entry.is_empty());
    entries.map(entry).collect()
}

fn entry(text: &str) -> Result<Allowance, String> {
    let bad = |why: &str| format!("`{text}`: {why}");
    let (codes, rest) = text
        .split_once('@')
        .ok_or_else(|| bad("`@` and a file are missing, as in WL0114@src/lib.rs:12"))?;
    let (place, reason) = rest.split_once('=').unwrap_or((rest, ""));
    let codes: Result<Vec<_>, _> = codes.split(',').map(|name| code(name.trim())).collect();
    let place = place.trim();
    let (file, line) = match place.rsplit_once(':') {
        Some((file, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => {
            let line = digits.parse().map_err(|_| bad("the line is no number"))?;
            (file, Some(line))
        }
        _ => (place, None),
    };
    if file.is_empty() {
        return Err(bad("the file is missing"));
    }
    Ok(Allowance {
        codes: codes.map_err(|why| bad(&why))?,
        file: file.to_owned(),
        line,
        reason: reason.trim().to_owned(),
    })
}

/// An entry as a list has it, without its reason.
pub(super) fn listed(allowance: &Allowance) -> String {
    let codes: Vec<_> = allowance.codes.iter().map(Code::to_string).collect();
    let line = allowance.line.map(|line| format!(":{line}"));
    format!(
        "{}@{}{}",
        codes.join(","),
        allowance.file,
        line.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(line: &str) -> (Vec<u16>, String) {
        match comment(line) {
            Some(Comment::Allow { codes, reason }) => {
                (codes.into_iter().map(Code::number).collect(), reason)
            }
            other => panic!("{other:?}"),
        }
    }

    fn refused(line: &str) -> String {
        match comment(line) {
            Some(Comment::Unreadable(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_comment_names_codes_and_a_reason() {
        let line = r#"x[0] = 1; // warploom: allow(WL0114, WL0113, reason = "a \"flag\", one (1) for all")"#;
        assert_eq!(
            allowed(line),
            (vec![114, 113], "a \"flag\", one (1) for all".into())
        );
    }

    #[test]
    fn a_reason_may_be_missing_or_empty() {
        assert_eq!(
            allowed("  //warploom:allow(WL0114)"),
            (vec![114], String::new())
        );
        assert_eq!(
            allowed("// warploom: allow( WL0114 , reason = \" \", )").1,
            ""
        );
    }

    #[test]
    fn other_comments_are_not_ours() {
        assert_eq!(
            comment("let url = \"https://x\"; // see warploom: allow(WL0114)"),
            None
        );
        assert_eq!(comment("warploom: allow(WL0114)"), None);
        assert_eq!(comment(""), None);
    }

    #[test]
    fn an_address_before_the_comment_does_not_hide_it() {
        let line = "let url = \"https://x\"; // warploom: allow(WL0114)";
        assert_eq!(allowed(line).0, [114]);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let said = |text: &str| refused(&format!("// warploom: {text}"));
        assert_eq!(said("allow(race)"), "`race` is no code such as WL0114");
        assert_eq!(said("allow(WL9999)"), "`WL9999` is no code such as WL0114");
        assert_eq!(said("allow(WL114)"), "`WL114` is no code such as WL0114");
        assert_eq!(said("allow()"), "no code is named");
        assert_eq!(said("allow(WL0114"), "the closing `)` is missing");
        assert_eq!(
            said("deny(WL0114)"),
            "`allow(…)` is all that may stand here"
        );
        assert_eq!(
            said("allow(WL0114, reason = flag)"),
            "the reason is no text in double quotes"
        );
        assert_eq!(
            said("allow(WL0114, reason = \"a)"),
            "the reason's closing `\"` is missing"
        );
        assert_eq!(
            said("allow(WL0114, reason = \"a\" WL0113)"),
            "`,` or `)` is missing"
        );
    }

    #[test]
    fn a_list_has_files_lines_and_reasons() {
        let list = list(" WL0114@src/lib.rs:12 = a = b ;WL0101, WL0103@C:\\x.rs;; ").unwrap();
        let texts: Vec<_> = list.iter().map(listed).collect();
        assert_eq!(texts, ["WL0114@src/lib.rs:12", "WL0101,WL0103@C:\\x.rs"]);
        assert_eq!((&*list[0].reason, &*list[1].reason), ("a = b", ""));
    }

    #[test]
    fn a_list_that_cannot_be_read_says_where() {
        assert_eq!(
            list("WL0114").unwrap_err(),
            "`WL0114`: `@` and a file are missing, as in WL0114@src/lib.rs:12"
        );
        assert_eq!(
            list("WL0114@:3").unwrap_err(),
            "`WL0114@:3`: the file is missing"
        );
        assert_eq!(
            list("WL1@a.rs").unwrap_err(),
            "`WL1@a.rs`: `WL1` is no code such as WL0114"
        );
        assert_eq!(
            list("WL0114@a.rs:99999999999").unwrap_err(),
            "`WL0114@a.rs:99999999999`: the line is no number"
        );
    }
}
