//! A kernel's part of what `nvdisasm -c -g` prints.

use crate::source_lines::{Line, Place};

/// A line of machine code.
#[derive(Debug)]
enum Part<'a> {
    Label(&'a str),
    Instruction(&'a str),
    Place(Place),
}

/// The lines of a function; `None` if the text has none of this name.
pub(crate) fn listing(text: &str, name: &str) -> Option<Vec<Line>> {
    let mut lines = vec![Line::of(format!("{name}:"), None)];
    let mut place = None;
    for part in function(text, name)? {
        match part {
            Part::Label(label) => lines.push(Line::of(label, None)),
            Part::Instruction(text) => lines.push(Line::of(text, place.as_ref())),
            Part::Place(new) => place = Some(new),
        }
    }
    Some(lines)
}

/// How many instructions a function has; `None` if the text has none of this name.
pub(crate) fn instructions(text: &str, name: &str) -> Option<u32> {
    let is_instruction = |part: &Part<'_>| matches!(part, Part::Instruction(_));
    let count = function(text, name)?.into_iter().filter(is_instruction);
    u32::try_from(count.count()).ok()
}

/// The parts of a function, up to the endless loop and the padding behind its last instruction.
fn function<'a>(text: &'a str, name: &str) -> Option<Vec<Part<'a>>> {
    let start = format!(".text.{name}:");
    let mut lines = text.lines().skip_while(|line| line.trim() != start);
    lines.next()?;
    let mut parts = Vec::new();
    for line in lines {
        let trimmed = line.trim();
        if trimmed.starts_with(".section") || trimmed.starts_with("//---") {
            break;
        }
        if let Some(place) = trimmed.strip_prefix("//## File ") {
            parts.extend(place_of(place).map(Part::Place));
        } else if trimmed.starts_with("/*") && trimmed.ends_with(';') {
            parts.push(Part::Instruction(line));
        } else if trimmed.ends_with(':') {
            parts.push(Part::Label(line));
        }
    }
    let is_padding = |part: &Part<'_>| match part {
        Part::Instruction(text) => operation(text) == "NOP",
        _ => true,
    };
    while parts.last().is_some_and(is_padding) {
        parts.pop();
    }
    // `.L_x_1: BRA `(.L_x_1)`: where a thread must never come.
    if let [.., Part::Label(label), Part::Instruction(last)] = &parts[..] {
        let label = label.trim().trim_end_matches(':');
        if operation(last) == "BRA" && last.contains(&format!("({label})")) {
            parts.truncate(parts.len() - 2);
        }
    }
    while matches!(parts.last(), Some(Part::Label(_) | Part::Place(_))) {
        parts.pop();
    }
    Some(parts)
}

/// `BRA` of `/*0640*/  BRA ...;`.
fn operation(line: &str) -> &str {
    let behind = line.split_once("*/").map_or(line, |(_, rest)| rest);
    let words = behind.split_whitespace();
    let mut words = words.skip_while(|word| word.starts_with('@'));
    words.next().unwrap_or_default().trim_end_matches(';')
}

/// The place of `"/p/src/main.rs", line 7 inlined at …`.
fn place_of(text: &str) -> Option<Place> {
    let (file, rest) = text.strip_prefix('"')?.split_once('"')?;
    let number = rest.split_once("line ")?.1;
    let digits = number.find(|c: char| !c.is_ascii_digit());
    let line = number[..digits.unwrap_or(number.len())].parse().ok()?;
    Some(Place {
        file: file.to_owned(),
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As nvdisasm 13.0 prints it, shortened.
    const TEXT: &str = "\t.target\tsm_90

//--------------------- .text.saxpy               --------------------------
\t.section\t.text.saxpy,\"ax\",@progbits
        .size           saxpy,(.L_x_2 - saxpy)
saxpy:
.text.saxpy:
\t//## File \"/p/src/main.rs\", line 4
        /*0000*/                   LDC R1, c[0x0][0x28] ;
\t//## File \"/d/index.rs\", line 88 inlined at \"/p/src/main.rs\", line 5
        /*0010*/               @P0 EXIT ;
.L_x_0:
        /*0020*/              @!P0 BRA `(.L_x_0) ;
        /*0030*/                   EXIT ;
.L_x_1:
        /*0040*/                   BRA `(.L_x_1);
        /*0050*/                   NOP;
        /*0060*/                   NOP;
.L_x_2:


//--------------------- .text.other               --------------------------
\t.section\t.text.other,\"ax\",@progbits
other:
.text.other:
        /*0000*/                   EXIT ;
";

    #[test]
    fn instructions_are_counted_without_the_padding() {
        assert_eq!(instructions(TEXT, "saxpy"), Some(4));
        assert_eq!(instructions(TEXT, "other"), Some(1));
        assert_eq!(instructions(TEXT, "sax"), None);
    }

    #[test]
    fn instructions_know_their_lines() {
        let lines = listing(TEXT, "saxpy").unwrap();
        let places: Vec<_> = lines
            .iter()
            .map(|line| line.place.as_ref().map(|p| (p.file.as_str(), p.line)))
            .collect();
        let (main, index) = (Some(("/p/src/main.rs", 4)), Some(("/d/index.rs", 88)));
        assert_eq!(places, [None, main, index, None, index, index]);
        assert_eq!(lines[3].text, ".L_x_0:");
        assert!(lines[5].text.ends_with("EXIT ;"));
    }

    #[test]
    fn a_loop_that_ends_the_function_stays() {
        let text = ".text.k:\n  /*0000*/  EXIT ;\n.L_1:\n  /*0010*/  IADD R1, R1, 1;\n  /*0020*/  BRA `(.L_1) ;\n";
        assert_eq!(instructions(text, "k"), Some(3));
    }
}
