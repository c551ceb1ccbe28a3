use warploom::prelude::*;

fn f() -> u32 {
    ptx!("mov.u32 {d}, 1;", d = out(u32), cpu = { 1 })
}

fn main() {}
