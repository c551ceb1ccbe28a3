//! What a test can choose, by the variable `WARPLOOM_FAKE` or by functions.

use std::collections::HashMap;

use crate::code::Code;

/// The variable: `key=value` pairs with commas between them.
const VARIABLE: &str = "WARPLOOM_FAKE";

/// What the fake is like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// How many GPUs there are.
    pub(crate) devices: u64,
    /// Bytes of memory of each.
    pub(crate) memory: u64,
    /// What `cuDriverGetVersion` says.
    pub(crate) version: u64,
    /// Whether work waits until a call waits for it.
    pub(crate) queued: u64,
    /// Whether a host thread's unreadable argument is looked for by the kernel of the system.
    pub(crate) probe: u64,
    /// The GPUs that no process may use, as bits.
    pub(crate) prohibited: u64,
    /// The GPUs that another process has for itself, as bits.
    pub(crate) taken: u64,
    /// The GPUs that reach no other and that no other reaches, as bits.
    pub(crate) alone: u64,
    /// Whether a process gets new contexts after a fault of a kernel. Today's drivers refuse.
    pub(crate) recovers: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            devices: 1,
            memory: 150_754_820_096,
            version: 13_000,
            queued: 0,
            probe: 1,
            prohibited: 0,
            taken: 0,
            alone: 0,
            recovers: 0,
        }
    }
}

/// A call that is to fail.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// `None`: any function.
    pub(crate) function: Option<String>,
    /// The how manieth call from now on; `None`: each.
    pub(crate) nth: Option<u64>,
    pub(crate) code: Code,
    pub(crate) seen: u64,
}

impl Rule {
    /// `function:nth:code`, with `*` for any function or each call.
    pub(crate) fn parse(text: &str) -> Option<Rule> {
        let mut parts = text.split(':');
        let (function, nth, code) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Rule {
            function: (function != "*").then(|| function.to_owned()),
            nth: if nth == "*" {
                None
            } else {
                Some(nth.parse().ok()?)
            },
            code: Code(code.parse().ok()?),
            seen: 0,
        })
    }
}

impl Options {
    pub(crate) fn from_env() -> (Options, Vec<Rule>) {
        let text = std::env::var(VARIABLE).unwrap_or_default();
        let (mut options, mut rules) = (Options::default(), vec![]);
        for pair in text.split(',').filter(|pair| !pair.is_empty()) {
            let understood = match pair.split_once('=') {
                Some(("fail", rule)) => Rule::parse(rule).map(|rule| rules.push(rule)),
                Some((key, value)) => value.parse().ok().and_then(|value| options.set(key, value)),
                None => None,
            };
            if understood.is_none() {
                // A test with a slip in it must not pass.
                eprintln!(
                    "{VARIABLE}: `{pair}` is none of {KEYS}; the fake driver ends the process"
                );
                std::process::abort();
            }
        }
        (options, rules)
    }

    /// Sets one option; `None` if there is none of this name.
    pub(crate) fn set(&mut self, key: &str, value: u64) -> Option<()> {
        let mut all = HashMap::from([
            ("devices", &mut self.devices),
            ("memory", &mut self.memory),
            ("version", &mut self.version),
            ("queued", &mut self.queued),
            ("probe", &mut self.probe),
            ("prohibited", &mut self.prohibited),
            ("taken", &mut self.taken),
            ("alone", &mut self.alone),
            ("recovers", &mut self.recovers),
        ]);
        **all.get_mut(key)? = value;
        Some(())
    }
}

const KEYS: &str = "devices=N, memory=BYTES, version=13000, queued=1, probe=0, prohibited=BITS, taken=BITS, alone=BITS, recovers=1, fail=FUNCTION:NTH:CODE";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_function_call_and_code() {
        let rule = Rule::parse("cuInit:2:999").unwrap();
        assert_eq!(rule.function.as_deref(), Some("cuInit"));
        assert_eq!((rule.nth, rule.code.0), (Some(2), 999));
        let any = Rule::parse("*:*:1").unwrap();
        assert_eq!((any.function, any.nth), (None, None));
        assert!(Rule::parse("cuInit:x:1").is_none());
    }

    #[test]
    fn only_known_options_are_set() {
        let mut options = Options::default();
        assert_eq!(options.set("devices", 4), Some(()));
        assert_eq!(options.devices, 4);
        assert_eq!(options.set("device", 4), None);
    }
}
