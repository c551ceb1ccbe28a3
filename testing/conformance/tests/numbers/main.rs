//! Number types, exact arithmetic in four roundings, integer instructions, DPX.

mod casts;
mod convert;
mod dpx;
mod half;
mod half_pairs;
mod indices;
mod integer;
mod model;
mod ptx_half;
mod ptx_integer;
mod ptx_round;
mod ptx_vector;
mod round;
mod values;
mod vector;
mod wide;
