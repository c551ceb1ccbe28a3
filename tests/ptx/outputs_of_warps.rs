//! An element of the warp costs two comparisons, of the lane and of the length: with debug assertions the chosen element is compared with null once more.
//@ release

use warploom::prelude::*;

#[kernel]
fn element_of_the_warp(warp: Warp, mut y: DisjointSlice<u32, PerWarp>) {
    if let Some(y) = warp.leader().and_then(|leader| y.get_mut(leader)) {
        *y = 1;
    }
}
// ptx-count: 2 setp
// ptx-count: 1 st.global.b32
// ptx-not: div
// ptx-not: call
