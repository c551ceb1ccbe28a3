//! A schedule as a list of switches and accesses of older stores: the choices that are not the default. Few of them make most bugs show, and they are what is replayed.

use std::fmt;
use std::str::FromStr;

use warploom_emulator::check::ThreadId;

use super::execution::{Choose, Decision, Execution, Place, Step};

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

/// A load reads an older store than the newest, or a write comes right behind one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OlderStore {
    /// The number of the launch, from 0.
    pub(super) launch: u32,
    /// Whose access, and how many steps it had made before.
    pub(super) step: (ThreadId, u32),
    /// How many of the stores that it can choose from are newer.
    pub(super) older: usize,
}

/// A choice that is not the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Switch(Switch),
    OlderStore(OlderStore),
}

/// Choices in the order of the execution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Switches(pub(super) Vec<Choice>);

/// How many there are of each kind in an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) switches: usize,
    pub(super) old_loads: usize,
    pub(super) early_stores: usize,
}

impl Count {
    pub(super) fn of(execution: &Execution) -> Count {
        let count = |is: fn(&&Step) -> bool| execution.steps.iter().filter(is).count();
        Count {
            switches: count(|step| step.is_switch),
            old_loads: count(|step| step.older > 0 && !step.comes_early()),
            early_stores: count(|step| step.older > 0 && step.comes_early()),
        }
    }
}

impl Switches {
    /// Those of an execution.
    pub(super) fn of(execution: &Execution) -> Switches {
        let steps = &execution.steps;
        let mut choices = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            if step.is_switch {
                let before = index.checked_sub(1).and_then(|before| steps.get(before));
                let before = before.filter(|before| before.launch == step.launch);
                let after =
                    before.map(|before: &Step| (before.access.thread, before.of_thread + 1));
                choices.push(Choice::Switch(Switch {
                    launch: step.launch,
                    after,
                    to: step.access.thread,
                }));
            }
            if step.older > 0 {
                choices.push(Choice::OlderStore(OlderStore {
                    launch: step.launch,
                    step: (step.access.thread, step.of_thread),
                    older: step.older,
                }));
            }
        }
        Switches(choices)
    }

    /// The same without those at these places.
    pub(super) fn without(&self, places: std::ops::Range<usize>) -> Switches {
        let kept = self.0.iter().enumerate();
        let kept = kept.filter(|(index, _)| !places.contains(index));
        Switches(kept.map(|(_, choice)| *choice).collect())
    }
}

/// Replays choices. One that cannot be made is left out.
pub(super) struct Replay(pub(super) Switches);

impl Choose for Replay {
    fn choose(&mut self, at: Decision<'_>) -> usize {
        let after = at
            .last()
            .map(|last| (last.access.thread, last.of_thread + 1));
        let to = self.0.0.iter().find_map(|choice| match choice {
            Choice::Switch(one) if one.launch == at.launch && one.after == after => Some(one.to),
            _ => None,
        });
        let to = to.and_then(|to| at.position(to));
        to.unwrap_or_else(|| at.default())
    }

    fn choose_store(&mut self, at: Place) -> usize {
        let step = (at.thread, at.of_thread);
        let older = self.0.0.iter().find_map(|choice| match choice {
            Choice::OlderStore(one) if one.launch == at.launch && one.step == step => {
                Some(one.older)
            }
            _ => None,
        });
        older.unwrap_or(0)
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

/// `1.0@3~2`: the step of thread 0 of block 1 after its first 3 reads a store than which 2 are newer, or comes right behind it.
impl fmt::Display for OlderStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.launch != 0 {
            write!(f, "{}/", self.launch)?;
        }
        thread(f, self.step.0)?;
        write!(f, "@{}~{}", self.step.1, self.older)
    }
}

impl fmt::Display for Switches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (index, choice) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            match choice {
                Choice::Switch(switch) => write!(f, "{switch}")?,
                Choice::OlderStore(store) => write!(f, "{store}")?,
            }
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
                format!(
                    "`{one}` is no switch such as `0.3@5>1.0` (block.thread@steps>block.thread) or `start>0.1`, and no access of an older store such as `1.0@3~1` (block.thread@steps~newer stores)"
                )
            })
        });
        switches.collect::<Result<_, _>>().map(Switches)
    }
}

fn parse(text: &str) -> Option<Choice> {
    let (launch, rest) = match text.split_once('/') {
        Some((launch, rest)) => (launch.parse().ok()?, rest),
        None => (0, text),
    };
    if let Some((step, older)) = rest.split_once('~') {
        return Some(Choice::OlderStore(OlderStore {
            launch,
            step: parse_step(step)?,
            older: older.parse().ok()?,
        }));
    }
    let (after, to) = rest.split_once('>')?;
    let after = match after {
        "start" => None,
        step => Some(parse_step(step)?),
    };
    let to = parse_thread(to)?;
    Some(Choice::Switch(Switch { launch, after, to }))
}

fn parse_step(text: &str) -> Option<(ThreadId, u32)> {
    let (thread, steps) = text.split_once('@')?;
    Some((parse_thread(thread)?, steps.parse().ok()?))
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
        for text in [
            "none",
            "start>0.1",
            "0.3@5>1.0,1.0@2>0.3",
            "2/7.31@1>0.0",
            "0.1@2~1,3/1.0@0~2",
        ] {
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
            "0.1@2~",
        ] {
            let error = text.parse::<Switches>().unwrap_err();
            assert!(error.contains("`0.3@5>1.0`"), "{text}: {error}");
        }
    }
}
