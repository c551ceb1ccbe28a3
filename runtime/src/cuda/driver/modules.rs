//! Functions that compile and link, and those for a kernel's attributes.

use super::*;

later! {
    modules {
        since "4.0": fn cuFuncSetCacheConfig(function: CUfunction, config: c_int);
        since "6.5": fn cuLinkCreate_v2(n_options: c_uint, options: *mut c_int, values: *mut *mut c_void, state: *mut CUlinkState);
        since "6.5": fn cuLinkAddData_v2(
            state: CUlinkState, kind: c_int, data: *mut c_void, bytes: usize, name: *const c_char,
            n_options: c_uint, options: *mut c_int, values: *mut *mut c_void,
        );
        since "5.5": fn cuLinkComplete(state: CUlinkState, cubin: *mut *mut c_void, bytes: *mut usize);
        since "5.5": fn cuLinkDestroy(state: CUlinkState);
        since "11.7": fn cuModuleGetLoadingMode(mode: *mut c_int);
        since "12.4": fn cuModuleGetFunctionCount(count: *mut c_uint, module: CUmodule);
        since "12.4": fn cuModuleEnumerateFunctions(functions: *mut CUfunction, count: c_uint, module: CUmodule);
        since "12.3": fn cuFuncGetName(name: *mut *const c_char, function: CUfunction);
        since "12.4": fn cuFuncIsLoaded(state: *mut c_int, function: CUfunction);
        since "12.4": fn cuFuncLoad(function: CUfunction);
    }
}
