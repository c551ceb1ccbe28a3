//! Textures and surfaces: reads, filters and writes by coordinates, the same on every back end.

mod compared; // one body, whose results on the emulator are those of every device
mod cubes;
mod formats;
mod gathers;
mod layers;
mod levels;
mod linear;
mod offsets;
mod ptx;
mod reductions;
mod samples;
mod surfaces;
mod trapped;
mod views;
