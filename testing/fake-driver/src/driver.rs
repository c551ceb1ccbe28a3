//! The driver's functions, by the areas of the runtime's list.

pub mod arrays;
pub mod contexts;
pub mod devices;
pub mod external;
pub mod graphics;
pub mod graphs;
pub mod kinds;
pub mod links;
pub mod memory;
pub mod modules;
pub mod reserved;
pub mod streams;
pub mod tensors;
pub mod textures;
