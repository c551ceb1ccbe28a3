//! Products of matrices against the same in `f64` on the host: one body per behaviour, on the emulator (checked) and on a GPU where there is one.

mod attention; // softmax(Q · Kᵀ) · V
mod epilogues; // what happens to sums before they are stored
mod errors; // what is refused
mod plans; // which kernel runs
mod reference; // the same on the host
mod sizes; // all tiles, at sizes with edges
mod warp_groups; // when these kernels run, and that they compute what others do
