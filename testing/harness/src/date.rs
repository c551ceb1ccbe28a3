//! The day of a record, without a calendar crate.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today in UTC as `2026-01-31`.
#[must_use]
pub fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    from_days(seconds / 86_400)
}

/// The day that is `days` after 1970-01-01.
fn from_days(mut days: u64) -> String {
    let mut year = 1970;
    while days >= days_of_year(year) {
        days -= days_of_year(year);
        year += 1;
    }
    let february = days_of_year(year) - 337;
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

fn days_of_year(year: u64) -> u64 {
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    if leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        assert_eq!(from_days(0), "1970-01-01");
        assert_eq!(from_days(364), "1970-12-31");
        assert_eq!(from_days(11_016), "2000-02-29");
        assert_eq!(from_days(11_017), "2000-03-01");
        assert_eq!(from_days(20_453), "2025-12-31");
        assert_eq!(from_days(20_454), "2026-01-01");
    }
}
