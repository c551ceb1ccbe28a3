//! A schedule as a list of switches: the choices that are not the default. Few of them make most bugs show, and they are what is replayed.

use std::fmt;
use std::str::FromStr;

use warploom_emulator::check::ThreadId;

use super::execution::{Choose, Decision, Execution};

/// The variable that names the one schedule that is to run.
pub(super) const REPLAY: &str = "WARPLOOM_REPLAY";

/// Another thread than by default goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Switch {
    /// The number of the launch, from 0.
    pub(super) launch: u32,
    /// The thread that ran before, and how many steps it had made; `None`: the launch begins.
    pub(super) after: Option<(ThreadId, u32)>,
    /// The thread that goes on.
    pub(super) to: ThreadId,
}

/// Switches in the order of the execution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Switches(pub(super) Vec<Switch>);

impl Switches {
    /// Those of an execution.
    pub(super) fn of(execution: &Execution) -> Switches {
        let steps = &execution.steps;
        let switches = steps.iter().enumerate().filter(|(_, step)| step.is_switch);
        let switch = |(index, step): (usize, &super::execution::Step)| {
            let before = index.checked_sub(1).and_then(|before| steps.get(before));
            let before = before.filter(|before| before.launch == step.launch);
            Switch {
                launch: step.launch,
                after: before.map(|before| (before.access.thread, before.of_thread + 1)),
                to: step.access.thread,
            }
        };
        Switches(switches.map(switch).collect())
    }

    /// The same without those at these places.
    pub(super) fn without(&self, places: std::ops::Range<usize>) -> Switches {
        let kept = self.0.iter().enumerate();
        let kept = kept.filter(|(index, _)| !places.contains(index));
        Switches(kept.map(|(_, switch)| *switch).collect())
    }
}

/// Replays switches. One that cannot be made is left out.
pub(super) struct Replay(pub(super) Switches);

impl Choose for Replay {
    fn choose(&mut self, at: Decision<'_>) -> usize {
        let after = at
            .last()
            .map(|last| (last.access.thread, last.of_thread + 1));
        let mut switches = self.0.0.iter();
        let switch = switches.find(|one| one.launch == at.launch && one.after == after);
        let to = switch.and_then(|switch| at.position(switch.to));
        to.unwrap_or_else(|| at.default())
    }

    fn replay(&self) -> String {
        format!("{REPLAY}='{}'", self.0)
    }
}

fn thread(f: &mut fmt::Formatter<'_>, id: ThreadId) -> fmt::Result {
    write!(f, "{}.{}", id.block, id.thread)
}

/// `0.3@5>1.0`: when thread 3 of block 0 has made 5 steps, thread 0 of block 1 goes on. `2/` before it: in the launch after two others.
impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.launch != 0 {
            write!(f, "{}/", self.launch)?;
        }
        match self.after {
            None => f.write_str("start")?,
            Some((before, steps)) => {
                thread(f, before)?;
                write!(f, "@{steps}")?;
            }
        }
        f.write_str(">")?;
        thread(f, self.to)
    }
}

impl fmt::Display for Switches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (index, switch) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{switch}")?;
        }
        Ok(())
    }
}

impl FromStr for Switches {
    type Err = String;

    fn from_str(text: &str) -> Result<Switches, String> {
        let text = text.trim();
        if text == "none" {
            return Ok(Switches::default());
        }
        let switches = text.split(',').map(|one| {
            parse(one.trim()).ok_or_else(|| {
                format!("`{one}` is no switch such as `0.3@5>1.0` (block.thread@steps>block.thread) or `start>0.1`")
            })
        });
        switches.collect::<Result<_, _>>().map(Switches)
    }
}

fn parse(text: &str) -> Option<Switch> {
    let (launch, rest) = match text.split_once('/') {
        Some((launch, rest)) => (launch.parse().ok()?, rest),
        None => (0, text),
    };
    let (after, to) = rest.split_once('>')?;
    let after = match after.split_once('@') {
        None if after == "start" => None,
        None => return None,
        Some((before, steps)) => Some((parse_thread(before)?, steps.parse().ok()?)),
    };
    let to = parse_thread(to)?;
    Some(Switch { launch, after, to })
}

fn parse_thread(text: &str) -> Option<ThreadId> {
    let (block, thread) = text.split_once('.')?;
    Some(ThreadId {
        block: block.parse().ok()?,
        thread: thread.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_read_as_they_are_written() {
        for text in ["none", "start>0.1", "0.3@5>1.0,1.0@2>0.3", "2/7.31@1>0.0"] {
            assert_eq!(text.parse::<Switches>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_switch_is_refused_with_an_example() {
        for text in [
            "",
            "0.1",
            "0.1@x>0.2",
            "a/0.1@1>0.2",
            "0.1@1>2",
            "begin>0.1",
        ] {
            let error = text.parse::<Switches>().unwrap_err();
            assert!(error.contains("`0.3@5>1.0`"), "{text}: {error}");
        }
    }
}
