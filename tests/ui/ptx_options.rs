use warploom::prelude::*;

fn f() -> u32 {
    unsafe { ptx!("mov.u32 {d}, 1;", d = out(u32), quick, cpu = { 1 }) }
}

fn main() {}
