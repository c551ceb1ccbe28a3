//! Launches: shapes and their limits, clusters, cooperative grids, parameters, launch bounds.

mod bounds;
mod clusters;
mod cooperative;
mod distributed;
mod parameters;
mod ptx_launch;
mod refusals;
mod shape;
