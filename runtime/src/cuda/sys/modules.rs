//! Functions that compile and link, and those for a kernel's attributes.

use super::*;

later! {
    modules {
        since "4.0": fn cuFuncSetCacheConfig(function: CUfunction, config: c_int);
    }
}
