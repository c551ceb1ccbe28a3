//! How the addresses of neighbouring lanes follow one another.

use super::request::Request;

/// What the lanes of a request have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// Fewer than two lanes take part.
    Alone,
    /// All access one address.
    Same,
    /// Each lane is this many bytes after the lane below it.
    Stride(i64),
    /// Most are, others are not; `run`: lanes in a row that are.
    Mostly {
        /// Bytes from a lane to the next.
        stride: i64,
        /// The longest run of such lanes.
        run: u32,
    },
    /// No distance is that of most lanes.
    Irregular,
}

impl Pattern {
    /// That of this request.
    pub(crate) fn of(request: &Request) -> Self {
        let mut steps = [0_i64; 31];
        let mut n = 0;
        let mut before: Option<(u32, u64)> = None;
        for (lane, at) in request.lanes() {
            if let Some((below, start)) = before {
                let (apart, lanes) = (
                    at.wrapping_sub(start).cast_signed(),
                    i64::from(lane - below),
                );
                // Between lanes that leave some out, the distance counts if it can be shared out evenly.
                steps[n] = if apart % lanes == 0 {
                    apart / lanes
                } else {
                    i64::MAX
                };
                n += 1;
            }
            before = Some((lane, at));
        }
        let steps = &steps[..n];
        let Some((stride, often)) = most_common(steps) else {
            return Self::Alone;
        };
        if often == n {
            return if stride == 0 {
                Self::Same
            } else {
                Self::Stride(stride)
            };
        }
        if stride == i64::MAX || often * 2 < n {
            return Self::Irregular;
        }
        let runs = steps.split(|step| *step != stride);
        let run = runs.map(<[i64]>::len).max().unwrap_or(0) as u32 + 1;
        Self::Mostly { stride, run }
    }

    /// The distance, if there is one.
    pub(crate) fn stride(self) -> Option<i64> {
        match self {
            Self::Stride(stride) | Self::Mostly { stride, .. } => Some(stride),
            Self::Alone | Self::Same | Self::Irregular => None,
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Alone => write!(f, "one lane takes part"),
            Self::Same => write!(f, "all lanes access one address"),
            Self::Stride(stride) => write!(f, "neighbouring lanes are {stride} bytes apart"),
            Self::Mostly { stride, run } => {
                write!(
                    f,
                    "neighbouring lanes are {stride} bytes apart, in runs of {run} lanes"
                )
            }
            Self::Irregular => write!(f, "the distances between neighbouring lanes follow no rule"),
        }
    }
}

fn most_common(steps: &[i64]) -> Option<(i64, usize)> {
    let often = |step: i64| steps.iter().filter(|other| **other == step).count();
    let counted = steps.iter().map(|step| (*step, often(*step)));
    counted.max_by_key(|(step, often)| (*often, std::cmp::Reverse(*step)))
}

/// The least padding, in elements, of rows of `row` elements with which the request has fewest conflicts, and the passes that it needs
/// then. `None`: none that helps.
pub(crate) fn padding(request: &Request) -> Option<(u64, u64, u64)> {
    let unit = u64::from(request.bytes).max(1);
    let row_bytes = Pattern::of(request).stride()?.unsigned_abs();
    if row_bytes < 2 * unit || row_bytes % unit != 0 {
        return None;
    }
    let now = request.passes();
    let row = row_bytes / unit;
    (1..=4)
        .map(|by| (row, by, padded(request, row, by).passes().made))
        .filter(|(.., made)| *made < now.made)
        .min_by_key(|(_, by, made)| (*made, *by))
}

/// The request with `by` more elements in each row of `row` elements. The lowest address begins a row.
pub(crate) fn padded(request: &Request, row: u64, by: u64) -> Request {
    let bytes = u64::from(request.bytes);
    let lowest = request.lanes().map(|(_, at)| at).min().unwrap_or(0);
    let mut moved = request.clone();
    for (lane, at) in request.lanes() {
        let rows = (at - lowest) / (row * bytes).max(1);
        moved.at[lane as usize] = at.wrapping_add(rows * by * bytes);
    }
    moved
}
