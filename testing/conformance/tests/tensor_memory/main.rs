//! Products whose sums are in tensor memory: their instructions, for compute capability 10.0, and what other devices say.

mod ptx_images;
mod ptx_matmul;
mod ptx_moves;
mod ptx_products;
mod ptxas;
mod refusals;
