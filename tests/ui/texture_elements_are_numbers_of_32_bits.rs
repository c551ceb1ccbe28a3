//@ rows: GTEX-2
use warploom::prelude::*;

fn wide(_: Texture2d<f64>) {}

fn three(_: Surface2d<[u8; 3]>) {}

fn main() {}
