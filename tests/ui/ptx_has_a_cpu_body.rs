use warploom::prelude::*;

fn lane() -> u32 {
    unsafe { ptx!("mov.u32 {d}, %laneid;", d = out(u32)) }
}

fn main() {}
