use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use warploom::prelude::*;

static ASKED: AtomicBool = AtomicBool::new(false);
trait Odd {
    fn is_power_of_two(self) -> bool;
}
impl Odd for i32 {
    fn is_power_of_two(self) -> bool {
        !ASKED.swap(true, Relaxed)
    }
}
#[kernel(requires(_n.is_power_of_two()))]
fn k(_n: i32) {}
fn main() {}
