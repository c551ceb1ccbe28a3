//! How far the runs are: a bar on a terminal, a line for each run elsewhere.

use std::io::{IsTerminal as _, Write as _};

const WIDTH: usize = 24;

/// The state of all runs.
#[derive(Debug)]
pub(super) struct Progress {
    all: usize,
    done: usize,
    failed: usize,
    is_terminal: bool,
    current: String,
}

impl Progress {
    pub(super) fn new(all: usize) -> Progress {
        Progress {
            all,
            done: 0,
            failed: 0,
            is_terminal: std::io::stderr().is_terminal(),
            current: String::new(),
        }
    }

    pub(super) fn begins(&mut self, what: &str) {
        what.clone_into(&mut self.current);
        if self.is_terminal {
            // Back to the start of the line, and the rest of it cleared.
            self.write(&format!("\r{}\u{1b}[K", self.bar()));
        }
    }

    pub(super) fn ended(&mut self, is_fine: bool) {
        self.done += 1;
        self.failed += usize::from(!is_fine);
        if !self.is_terminal {
            let how = if is_fine { "ok" } else { "failed" };
            crate::remark(&format!(
                "{} of {}: {}: {how}",
                self.done, self.all, self.current
            ));
        }
    }

    pub(super) fn done(&self) {
        if self.is_terminal {
            self.write("\r\u{1b}[K");
        }
    }

    fn bar(&self) -> String {
        let full = WIDTH * self.done / self.all.max(1);
        let failed = match self.failed {
            0 => String::new(),
            n => format!(", {n} failed"),
        };
        format!(
            "[{}{}] {} of {}{failed}: {}",
            "=".repeat(full),
            " ".repeat(WIDTH - full),
            self.done,
            self.all,
            self.current
        )
    }

    fn write(&self, text: &str) {
        let mut terminal = std::io::stderr().lock();
        // A bar that cannot be drawn is not missed.
        drop(
            terminal
                .write_all(text.as_bytes())
                .and_then(|()| terminal.flush()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_grows() {
        let mut progress = Progress {
            all: 4,
            done: 0,
            failed: 0,
            is_terminal: true,
            current: "a (test), forward".into(),
        };
        assert_eq!(
            progress.bar(),
            format!("[{}] 0 of 4: a (test), forward", " ".repeat(24))
        );
        progress.ended(false);
        progress.current = "a (test), reverse".into();
        assert_eq!(
            progress.bar(),
            format!(
                "[{}{}] 1 of 4, 1 failed: a (test), reverse",
                "=".repeat(6),
                " ".repeat(18)
            )
        );
    }
}
