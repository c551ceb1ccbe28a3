use warploom::prelude::*;

fn f(x: u32) -> u32 {
    unsafe { ptx!("add.u32 {d}, {x}, {y};", d = out(u32), x = in(u32) x, cpu = { x }) }
}

fn main() {}
