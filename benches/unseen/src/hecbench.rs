//! HeCBench: a collection of kernels of many fields, in several programming models.
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    clippy::needless_range_loop,
    clippy::too_many_lines,
    reason = "kernels are written as a new user writes them; a program with several kernels runs them one after the other"
)]

pub(crate) mod adam;
pub(crate) mod aes;
pub(crate) mod base64;
pub(crate) mod bsearch;
pub(crate) mod chacha20;
pub(crate) mod chi2;
pub(crate) mod concat;
pub(crate) mod contraction;
pub(crate) mod cross_sections;
pub(crate) mod entropy;
pub(crate) mod flip;
pub(crate) mod floyd_warshall;
pub(crate) mod focal_loss;
pub(crate) mod haversine;
pub(crate) mod hellinger;
pub(crate) mod iso2dfd;
pub(crate) mod jaccard;
pub(crate) mod keccak;
pub(crate) mod keogh;
pub(crate) mod knn;
pub(crate) mod lid_driven_cavity;
pub(crate) mod maxpool3d;
pub(crate) mod meanshift;
pub(crate) mod median_filter;
pub(crate) mod morphology;
pub(crate) mod murmur3;
pub(crate) mod nms;
pub(crate) mod page_rank;
pub(crate) mod pnpoly;
pub(crate) mod pool;
pub(crate) mod popcount;
pub(crate) mod resize;
pub(crate) mod second_order_sections;
pub(crate) mod sobel;
pub(crate) mod softmax;
pub(crate) mod stddev;
pub(crate) mod su3;
pub(crate) mod tridiagonal;
