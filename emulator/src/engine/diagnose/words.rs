//! Masks, numbers and lists of threads, as a reader wants them.

use crate::engine::warp::lanes;

/// `1 thread`, `2 threads`.
pub(super) fn threads(n: usize) -> String {
    match n {
        1 => "1 thread".to_owned(),
        _ => format!("{n} threads"),
    }
}

/// `lane 3`, `lanes 0-15, 20`.
pub(super) fn lanes_of(mask: u32) -> String {
    let list: Vec<_> = lanes(mask).collect();
    match list[..] {
        [] => "no lane".to_owned(),
        [lane] => format!("lane {lane}"),
        _ => format!("lanes {}", ranges(&list)),
    }
}

/// `thread 3`, `threads 0-127, 200`: numbers in the block.
pub(super) fn numbers(list: &[u32]) -> String {
    match list {
        [] => "no thread".to_owned(),
        [thread] => format!("thread {thread}"),
        _ => format!("threads {}", ranges(list)),
    }
}

/// In binary, with its lanes.
pub(super) fn mask(mask: u32) -> String {
    let [a, b, c, d] = mask.to_be_bytes();
    format!("0b{a:08b}_{b:08b}_{c:08b}_{d:08b} ({})", lanes_of(mask))
}

/// `0-15, 20`; long lists are cut.
fn ranges(sorted: &[u32]) -> String {
    const SHOWN: usize = 8;
    let runs: Vec<_> = sorted.chunk_by(|a, b| a + 1 == *b).collect();
    let mut texts: Vec<_> = runs
        .iter()
        .take(SHOWN)
        .map(|run| match run {
            [first, .., last] => format!("{first}-{last}"),
            one => one[0].to_string(),
        })
        .collect();
    if runs.len() > SHOWN {
        texts.push("...".to_owned());
    }
    texts.join(", ")
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn lists_of_lanes_are_short() {
        assert_eq!(lanes_of(0), "no lane");
        assert_eq!(lanes_of(8), "lane 3");
        assert_eq!(lanes_of(0x0010_ffff), "lanes 0-15, 20");
        assert_eq!(
            lanes_of(0x5555_5555),
            "lanes 0, 2, 4, 6, 8, 10, 12, 14, ..."
        );
    }

    #[test]
    fn a_mask_is_binary() {
        let text = mask(0x8000_0003);
        assert_eq!(
            text,
            "0b10000000_00000000_00000000_00000011 (lanes 0-1, 31)"
        );
    }

    #[test]
    fn numbers_agree_with_their_noun() {
        assert_eq!(
            (threads(1), threads(2)),
            ("1 thread".into(), "2 threads".into())
        );
        assert_eq!(
            (numbers(&[7]), numbers(&[7, 8, 9])),
            ("thread 7".into(), "threads 7-9".into())
        );
    }
}
