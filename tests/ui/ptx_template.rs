use warploom::prelude::*;

fn f(x: u32) -> u32 {
    unsafe { ptx!("mov.u32 {d}, {y};", d = out(u32), x = in(u32) x, cpu = { x }) }
}

fn main() {}
