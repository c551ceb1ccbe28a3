//! Many times become two numbers.

/// Median and spread of a set of times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Half of the values are at most this one; the mean of the middle two if their number is even.
    pub median: f64,
    /// Distance between the first and the third quartile, as a part of the median (0.01 = one percent).
    pub spread: f64,
}

/// Summarises `values`; `None` if there are none, or one of them is not a number.
#[must_use]
pub fn summarise(values: &[f64]) -> Option<Summary> {
    if values.is_empty() || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = quantile(&sorted, 0.5);
    let range = quantile(&sorted, 0.75) - quantile(&sorted, 0.25);
    let spread = if range == 0.0 { 0.0 } else { range / median };
    Some(Summary { median, spread })
}

/// The value below which the part `q` of the sorted values lies, on a straight line between neighbours.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = place.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * (place - place.floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_and_even_counts() {
        assert_eq!(summarise(&[3.0, 1.0, 2.0]).unwrap().median, 2.0);
        assert_eq!(summarise(&[4.0, 1.0, 2.0, 3.0]).unwrap().median, 2.5);
        assert_eq!(
            summarise(&[7.0]),
            Some(Summary {
                median: 7.0,
                spread: 0.0
            })
        );
    }

    #[test]
    fn spread_is_the_middle_half_by_the_median() {
        assert_eq!(
            summarise(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap().spread,
            2.0 / 3.0
        );
        assert_eq!(summarise(&[2.0; 9]).unwrap().spread, 0.0);
    }

    #[test]
    fn one_slow_run_moves_neither() {
        let mut values = vec![1.0; 30];
        values[7] = 100.0;
        assert_eq!(
            summarise(&values),
            Some(Summary {
                median: 1.0,
                spread: 0.0
            })
        );
    }

    #[test]
    fn nothing_and_not_a_number_have_no_summary() {
        assert_eq!(summarise(&[]), None);
        assert_eq!(summarise(&[1.0, f64::NAN]), None);
    }
}
