use warploom::prelude::*;

fn f(p: bool) {
    unsafe { ptx!("mov.pred p, {a};", a = in(bool) p, cpu = {}) }
}

fn main() {}
