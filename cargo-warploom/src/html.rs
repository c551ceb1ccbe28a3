//! Pages: one file each, without scripts and without anything from elsewhere, light or dark as the reader has it.

/// The colour of a page's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Fine,
    Warned,
    Failed,
}

impl Colour {
    fn class(self) -> &'static str {
        match self {
            Colour::Fine => "fine",
            Colour::Warned => "warned",
            Colour::Failed => "failed",
        }
    }
}

/// A page. `facts` and `content` are HTML, the other texts are not.
pub(crate) fn page(title: &str, facts: &str, verdict: (Colour, &str), content: &str) -> String {
    let (colour, words) = verdict;
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
         <title>{title}</title><style>\n{style}</style></head><body>\n\
         <header><div><h1>{title}</h1><p class=\"facts\">{facts}</p></div><div class=\"verdict {class}\">{words}</div></header>\n\
         {content}</body></html>\n",
        title = escape(title),
        style = include_str!("html/style.css"),
        class = colour.class(),
        words = escape(words),
    )
}

/// Text as it may stand between tags and in attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are not allowed in HTML, not even as references.
            c if c.is_control() && c != '\t' && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_becomes_markup() {
        assert_eq!(
            escape("a<b> & \"c\"\u{7}"),
            "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}"
        );
        let page = page("k<f32>", "", (Colour::Fine, "<ok>"), "");
        assert!(page.contains("<h1>k&lt;f32&gt;</h1>") && page.contains("fine\">&lt;ok&gt;"));
    }
}
