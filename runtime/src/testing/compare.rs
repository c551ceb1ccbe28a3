//! Two results, element by element.

use std::fmt;

use warploom_emulator::check::Code;

use super::outputs::List;
use super::values::{Distance, Part};
use super::{Comparison, Rule};

/// Two results that differ: which element first, by how much, how many, and where they differ most.
///
/// ```
/// use warploom_runtime::testing::Comparison;
/// let why = Comparison::exact().outputs(&[1u32, 2, 3], &[1, 5, 4]).unwrap_err();
/// assert_eq!((why.output(), why.element(), why.count()), (0, 1, 2));
/// assert!(why.to_string().starts_with("error[WL0910]: left and right differ\n"));
/// ```
#[derive(Clone, PartialEq, thiserror::Error)]
#[error("{}", self.text())]
pub struct Mismatch(Box<Kind>);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// A result could not be read.
    Unread(String),
    /// Other numbers of lists, or of elements in the list of this number.
    Shape {
        names: [String; 2],
        list: Option<usize>,
        lens: [usize; 2],
    },
    Values(Values),
}

#[derive(Debug, Clone, PartialEq)]
struct Values {
    names: [String; 2],
    rule: String,
    /// How many lists there are.
    lists: usize,
    /// Numbers of one element.
    width: usize,
    list: usize,
    len: usize,
    first: Pair,
    largest: Pair,
    count: usize,
}

/// Two numbers at one place.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pair {
    /// Position of the number in its list.
    at: usize,
    values: [Part; 2],
    distance: Distance,
}

/// Compares all lists; the first that differ are reported.
pub(super) fn lists(
    comparison: &Comparison,
    names: [String; 2],
    left: &[List],
    right: &[List],
) -> Result<(), Mismatch> {
    let differ = |list, lens| {
        let names = names.clone();
        Err(Mismatch(Box::new(Kind::Shape { names, list, lens })))
    };
    if left.len() != right.len() {
        return differ(None, [left.len(), right.len()]);
    }
    for (list, (a, b)) in left.iter().zip(right).enumerate() {
        if a.len() != b.len() {
            return differ(Some(list), [a.len(), b.len()]);
        }
        let Some((first, largest, count)) = differing(comparison, a, b) else {
            continue;
        };
        return Err(Mismatch(Box::new(Kind::Values(Values {
            names,
            rule: comparison.to_string(),
            lists: left.len(),
            width: a.width,
            list,
            len: a.len(),
            first,
            largest,
            count,
        }))));
    }
    Ok(())
}

/// The first pair that differs, the one that differs most, and how many elements differ.
fn differing(comparison: &Comparison, a: &List, b: &List) -> Option<(Pair, Pair, usize)> {
    let mut first = None;
    let mut largest: Option<Pair> = None;
    let (mut count, mut counted) = (0, None);
    for (at, values) in a.parts.iter().zip(&b.parts).enumerate() {
        let distance = values.0.distance(*values.1);
        if comparison.accepts(distance) {
            continue;
        }
        let pair = Pair {
            at,
            values: [*values.0, *values.1],
            distance,
        };
        if counted != Some(at / a.width) {
            counted = Some(at / a.width);
            count += 1;
        }
        first.get_or_insert(pair);
        if largest.is_none_or(|largest| largest.distance < distance) {
            largest = Some(pair);
        }
    }
    Some((first?, largest?, count))
}

impl Comparison {
    fn accepts(&self, distance: Distance) -> bool {
        match (distance, self.rule) {
            (Distance::None, _) => true,
            (Distance::NanBits, _) => !self.nan_bits,
            (Distance::Floats { ulps, .. }, Rule::Ulps(n)) => ulps <= n,
            (Distance::Floats { relative, .. }, Rule::Relative(epsilon)) => relative <= epsilon,
            (Distance::Floats { .. } | Distance::Integers(_) | Distance::Incomparable, _) => false,
        }
    }
}

/// `exact`, `at most 2 ulp` …
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Rule::Exact => f.write_str("exact")?,
            Rule::Ulps(n) => write!(f, "at most {n} ulp")?,
            Rule::Relative(epsilon) => write!(f, "at most {epsilon:e} of the larger one")?,
        }
        f.write_str(if self.nan_bits {
            ", NaN by their bits"
        } else {
            ", any NaN is any other"
        })
    }
}

impl Mismatch {
    pub(super) fn unread(error: &crate::Error) -> Mismatch {
        Mismatch(Box::new(Kind::Unread(error.to_string())))
    }

    /// Which of several outputs differs first, from 0.
    #[must_use]
    pub fn output(&self) -> usize {
        match &*self.0 {
            Kind::Unread(_) => 0,
            Kind::Shape { list, .. } => list.unwrap_or_default(),
            Kind::Values(values) => values.list,
        }
    }

    /// The first element of it that differs; 0 if the lengths do.
    #[must_use]
    pub fn element(&self) -> usize {
        match &*self.0 {
            Kind::Unread(_) | Kind::Shape { .. } => 0,
            Kind::Values(values) => values.first.at / values.width,
        }
    }

    /// How many elements of it differ; 0 if the lengths do.
    #[must_use]
    pub fn count(&self) -> usize {
        match &*self.0 {
            Kind::Unread(_) | Kind::Shape { .. } => 0,
            Kind::Values(values) => values.count,
        }
    }

    fn text(&self) -> String {
        let code = Code::MISMATCH;
        match &*self.0 {
            Kind::Unread(error) => error.clone(),
            Kind::Shape { names, list, lens } => {
                let [a, b] = lens;
                let what = list.map_or_else(
                    || "outputs".to_owned(),
                    |list| format!("elements in output {list}"),
                );
                let [left, right] = names;
                format!(
                    "error[{code}]: {}\n  {left} gave {a} {what}, {right} gave {b}",
                    title(names)
                )
            }
            Kind::Values(values) => format!("error[{code}]: {}\n{values}", title(&values.names)),
        }
    }
}

fn title([left, right]: &[String; 2]) -> String {
    if right.contains(", schedule ") {
        return "two runs of the emulator give different results: the kernel depends on the order of its threads".to_owned();
    }
    if left.starts_with("emulat") {
        return "emulator and GPU give different results".to_owned();
    }
    format!("{left} and {right} differ")
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |pair: &Pair| {
            let element = pair.at / self.width;
            let part = match self.width {
                1 => String::new(),
                width => format!("[{}]", pair.at % width),
            };
            let list = match self.lists {
                1 => String::new(),
                _ => format!(" of output {}", self.list),
            };
            format!("element {element}{part}{list}")
        };
        let [left, right] = &self.names;
        let indent = left.len().max(right.len());
        let [a, b] = self.first.values;
        writeln!(
            f,
            "  first at {}: {}",
            place(&self.first),
            self.first.distance
        )?;
        writeln!(f, "    {left:indent$}: {a}")?;
        writeln!(f, "    {right:indent$}: {b}")?;
        let (count, len) = (self.count, self.len);
        let verb = if count == 1 { "differs" } else { "differ" };
        write!(f, "  {count} of {len} elements {verb}")?;
        if self.largest.at != self.first.at {
            let [a, b] = self.largest.values;
            let (place, distance) = (place(&self.largest), self.largest.distance);
            write!(f, "; most at {place}: {a} and {b}, {distance}")?;
        }
        write!(f, "\n  rule: {}", self.rule)
    }
}
