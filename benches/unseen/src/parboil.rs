//! Parboil: kernels of scientific programs.
