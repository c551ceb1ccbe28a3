//! CUDA's fast forms of `f32` functions: a few instructions each, and less accurate than [`super::single`].
