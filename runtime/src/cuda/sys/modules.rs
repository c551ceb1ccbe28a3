//! Constants of compiling and linking, and of a kernel's attributes.

use super::*;

pub(crate) const CU_JIT_MAX_REGISTERS: c_int = 0;
pub(crate) const CU_JIT_THREADS_PER_BLOCK: c_int = 1;
pub(crate) const CU_JIT_WALL_TIME: c_int = 2;
pub(crate) const CU_JIT_INFO_LOG_BUFFER: c_int = 3;
pub(crate) const CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: c_int = 4;
pub(crate) const CU_JIT_ERROR_LOG_BUFFER: c_int = 5;
pub(crate) const CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: c_int = 6;
pub(crate) const CU_JIT_OPTIMIZATION_LEVEL: c_int = 7;
pub(crate) const CU_JIT_TARGET_FROM_CUCONTEXT: c_int = 8;
pub(crate) const CU_JIT_TARGET: c_int = 9;
pub(crate) const CU_JIT_FALLBACK_STRATEGY: c_int = 10;
pub(crate) const CU_JIT_GENERATE_DEBUG_INFO: c_int = 11;
pub(crate) const CU_JIT_LOG_VERBOSE: c_int = 12;
pub(crate) const CU_JIT_GENERATE_LINE_INFO: c_int = 13;
pub(crate) const CU_JIT_CACHE_MODE: c_int = 14;

/// Added to a target's number for code of one architecture alone (`sm_90a`), and for code of one family (`sm_100f`).
pub(crate) const CU_COMPUTE_ACCELERATED_TARGET_BASE: usize = 0x1_0000;
pub(crate) const CU_COMPUTE_FAMILY_TARGET_BASE: usize = 0x2_0000;

pub(crate) const CU_JIT_INPUT_CUBIN: c_int = 0;
pub(crate) const CU_JIT_INPUT_PTX: c_int = 1;
pub(crate) const CU_JIT_INPUT_FATBINARY: c_int = 2;

pub(crate) const CU_MODULE_LAZY_LOADING: c_int = 2;

pub(crate) const CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: c_int = 9;
pub(crate) const CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: c_int = 10;
pub(crate) const CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER: [c_int; 3] = [11, 12, 13];
