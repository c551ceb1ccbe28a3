//! What the tests and benchmarks of warploom share
