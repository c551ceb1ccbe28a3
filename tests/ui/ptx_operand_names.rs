use warploom::prelude::*;

fn f(x: u32) -> u32 {
    unsafe { ptx!("mov.u32 {d}, {d};", d = out(u32), d = in(u32) x, cpu = { x }) }
}

fn main() {}
