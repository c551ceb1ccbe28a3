//! The driver's result codes, and their names and texts.

use std::ffi::CStr;

/// A result of the driver other than success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code(pub i32);

macro_rules! codes {
    ($($number:literal $name:ident $full:literal $text:literal;)*) => {
        #[expect(missing_docs, reason = "the driver's names")]
        impl Code {
            $(pub const $name: Code = Code($number);)*
        }

        /// Number, name and text of every code of the driver's interface; success first.
        pub const CODES: &[(i32, &CStr, &CStr)] = &[
            (0, c"CUDA_SUCCESS", c"no error"),
            $(($number, $full, $text),)*
        ];
    };
}

codes! {
    1 INVALID_VALUE c"CUDA_ERROR_INVALID_VALUE" c"invalid argument";
    2 OUT_OF_MEMORY c"CUDA_ERROR_OUT_OF_MEMORY" c"out of memory";
    3 NOT_INITIALIZED c"CUDA_ERROR_NOT_INITIALIZED" c"initialization error";
    4 DEINITIALIZED c"CUDA_ERROR_DEINITIALIZED" c"driver shutting down";
    5 PROFILER_DISABLED c"CUDA_ERROR_PROFILER_DISABLED" c"the profiler is off";
    6 PROFILER_NOT_INITIALIZED c"CUDA_ERROR_PROFILER_NOT_INITIALIZED" c"the profiler was not made ready";
    7 PROFILER_ALREADY_STARTED c"CUDA_ERROR_PROFILER_ALREADY_STARTED" c"the profiler runs already";
    8 PROFILER_ALREADY_STOPPED c"CUDA_ERROR_PROFILER_ALREADY_STOPPED" c"the profiler does not run";
    34 STUB_LIBRARY c"CUDA_ERROR_STUB_LIBRARY" c"the library is a stub";
    36 CALL_REQUIRES_NEWER_DRIVER c"CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER" c"the call is of a newer driver";
    46 DEVICE_UNAVAILABLE c"CUDA_ERROR_DEVICE_UNAVAILABLE" c"the device is busy or unavailable";
    100 NO_DEVICE c"CUDA_ERROR_NO_DEVICE" c"no device was found";
    101 INVALID_DEVICE c"CUDA_ERROR_INVALID_DEVICE" c"invalid device number";
    102 DEVICE_NOT_LICENSED c"CUDA_ERROR_DEVICE_NOT_LICENSED" c"there is no licence for the device";
    200 INVALID_IMAGE c"CUDA_ERROR_INVALID_IMAGE" c"the image is no device code";
    201 INVALID_CONTEXT c"CUDA_ERROR_INVALID_CONTEXT" c"invalid context";
    202 CONTEXT_ALREADY_CURRENT c"CUDA_ERROR_CONTEXT_ALREADY_CURRENT" c"the context is current already";
    205 MAP_FAILED c"CUDA_ERROR_MAP_FAILED" c"mapping failed";
    206 UNMAP_FAILED c"CUDA_ERROR_UNMAP_FAILED" c"unmapping failed";
    207 ARRAY_IS_MAPPED c"CUDA_ERROR_ARRAY_IS_MAPPED" c"the array is mapped";
    208 ALREADY_MAPPED c"CUDA_ERROR_ALREADY_MAPPED" c"already mapped";
    209 NO_BINARY_FOR_GPU c"CUDA_ERROR_NO_BINARY_FOR_GPU" c"no image for this device";
    210 ALREADY_ACQUIRED c"CUDA_ERROR_ALREADY_ACQUIRED" c"acquired already";
    211 NOT_MAPPED c"CUDA_ERROR_NOT_MAPPED" c"not mapped";
    212 NOT_MAPPED_AS_ARRAY c"CUDA_ERROR_NOT_MAPPED_AS_ARRAY" c"not mapped as an array";
    213 NOT_MAPPED_AS_POINTER c"CUDA_ERROR_NOT_MAPPED_AS_POINTER" c"not mapped as memory";
    214 ECC_UNCORRECTABLE c"CUDA_ERROR_ECC_UNCORRECTABLE" c"the memory has an error that cannot be corrected";
    215 UNSUPPORTED_LIMIT c"CUDA_ERROR_UNSUPPORTED_LIMIT" c"the device has no such limit";
    216 CONTEXT_ALREADY_IN_USE c"CUDA_ERROR_CONTEXT_ALREADY_IN_USE" c"another thread uses the context";
    217 PEER_ACCESS_UNSUPPORTED c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED" c"the devices cannot reach each other";
    218 INVALID_PTX c"CUDA_ERROR_INVALID_PTX" c"the PTX cannot be compiled";
    219 INVALID_GRAPHICS_CONTEXT c"CUDA_ERROR_INVALID_GRAPHICS_CONTEXT" c"invalid graphics context";
    220 NVLINK_UNCORRECTABLE c"CUDA_ERROR_NVLINK_UNCORRECTABLE" c"the link has an error that cannot be corrected";
    221 JIT_COMPILER_NOT_FOUND c"CUDA_ERROR_JIT_COMPILER_NOT_FOUND" c"there is no compiler of PTX";
    222 UNSUPPORTED_PTX_VERSION c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION" c"the PTX is for a newer driver";
    223 JIT_COMPILATION_DISABLED c"CUDA_ERROR_JIT_COMPILATION_DISABLED" c"compiling PTX is switched off";
    224 UNSUPPORTED_EXEC_AFFINITY c"CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY" c"the device has no such affinity";
    225 UNSUPPORTED_DEVSIDE_SYNC c"CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC" c"kernels cannot wait for kernels here";
    226 CONTAINED c"CUDA_ERROR_CONTAINED" c"an error was contained";
    300 INVALID_SOURCE c"CUDA_ERROR_INVALID_SOURCE" c"the source is no kernel's";
    301 FILE_NOT_FOUND c"CUDA_ERROR_FILE_NOT_FOUND" c"file not found";
    302 SHARED_OBJECT_SYMBOL_NOT_FOUND c"CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND" c"a shared library lacks a symbol";
    303 SHARED_OBJECT_INIT_FAILED c"CUDA_ERROR_SHARED_OBJECT_INIT_FAILED" c"a shared library did not start";
    304 OPERATING_SYSTEM c"CUDA_ERROR_OPERATING_SYSTEM" c"the operating system refused";
    400 INVALID_HANDLE c"CUDA_ERROR_INVALID_HANDLE" c"invalid handle";
    401 ILLEGAL_STATE c"CUDA_ERROR_ILLEGAL_STATE" c"the state does not allow it";
    402 LOSSY_QUERY c"CUDA_ERROR_LOSSY_QUERY" c"the answer would leave something out";
    500 NOT_FOUND c"CUDA_ERROR_NOT_FOUND" c"no symbol of this name";
    600 NOT_READY c"CUDA_ERROR_NOT_READY" c"not ready";
    700 ILLEGAL_ADDRESS c"CUDA_ERROR_ILLEGAL_ADDRESS" c"a kernel used memory that is not there";
    701 LAUNCH_OUT_OF_RESOURCES c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" c"the launch asks for too much";
    702 LAUNCH_TIMEOUT c"CUDA_ERROR_LAUNCH_TIMEOUT" c"the kernel ran too long";
    703 LAUNCH_INCOMPATIBLE_TEXTURING c"CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING" c"the textures do not go together";
    704 PEER_ACCESS_ALREADY_ENABLED c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED" c"peer access is there already";
    705 PEER_ACCESS_NOT_ENABLED c"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED" c"there is no peer access";
    708 PRIMARY_CONTEXT_ACTIVE c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE" c"the primary context is in use";
    709 CONTEXT_IS_DESTROYED c"CUDA_ERROR_CONTEXT_IS_DESTROYED" c"the context is destroyed";
    710 ASSERT c"CUDA_ERROR_ASSERT" c"an assertion of a kernel failed";
    711 TOO_MANY_PEERS c"CUDA_ERROR_TOO_MANY_PEERS" c"no room for one more peer";
    712 HOST_MEMORY_ALREADY_REGISTERED c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" c"the memory is registered already";
    713 HOST_MEMORY_NOT_REGISTERED c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED" c"the memory is not registered";
    714 HARDWARE_STACK_ERROR c"CUDA_ERROR_HARDWARE_STACK_ERROR" c"hardware stack error";
    715 ILLEGAL_INSTRUCTION c"CUDA_ERROR_ILLEGAL_INSTRUCTION" c"illegal instruction";
    716 MISALIGNED_ADDRESS c"CUDA_ERROR_MISALIGNED_ADDRESS" c"misaligned address";
    717 INVALID_ADDRESS_SPACE c"CUDA_ERROR_INVALID_ADDRESS_SPACE" c"wrong address space";
    718 INVALID_PC c"CUDA_ERROR_INVALID_PC" c"invalid program counter";
    719 LAUNCH_FAILED c"CUDA_ERROR_LAUNCH_FAILED" c"a kernel failed";
    720 COOPERATIVE_LAUNCH_TOO_LARGE c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" c"the blocks of a cooperative launch do not fit";
    721 TENSOR_MEMORY_LEAK c"CUDA_ERROR_TENSOR_MEMORY_LEAK" c"a kernel left tensor memory behind";
    800 NOT_PERMITTED c"CUDA_ERROR_NOT_PERMITTED" c"not permitted";
    801 NOT_SUPPORTED c"CUDA_ERROR_NOT_SUPPORTED" c"not supported";
    802 SYSTEM_NOT_READY c"CUDA_ERROR_SYSTEM_NOT_READY" c"the system is not ready";
    803 SYSTEM_DRIVER_MISMATCH c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" c"driver and library differ";
    804 COMPAT_NOT_SUPPORTED_ON_DEVICE c"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE" c"the device does not run a newer library on this driver";
    805 MPS_CONNECTION_FAILED c"CUDA_ERROR_MPS_CONNECTION_FAILED" c"no connection to the MPS server";
    806 MPS_RPC_FAILURE c"CUDA_ERROR_MPS_RPC_FAILURE" c"the MPS server does not answer";
    807 MPS_SERVER_NOT_READY c"CUDA_ERROR_MPS_SERVER_NOT_READY" c"the MPS server is not ready";
    808 MPS_MAX_CLIENTS_REACHED c"CUDA_ERROR_MPS_MAX_CLIENTS_REACHED" c"the MPS server takes no more clients";
    809 MPS_MAX_CONNECTIONS_REACHED c"CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED" c"the MPS server takes no more connections";
    810 MPS_CLIENT_TERMINATED c"CUDA_ERROR_MPS_CLIENT_TERMINATED" c"the MPS server ended this client";
    811 CDP_NOT_SUPPORTED c"CUDA_ERROR_CDP_NOT_SUPPORTED" c"kernels cannot start kernels here";
    812 CDP_VERSION_MISMATCH c"CUDA_ERROR_CDP_VERSION_MISMATCH" c"kernels that start kernels are of two versions";
    900 STREAM_CAPTURE_UNSUPPORTED c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" c"not while a stream is captured";
    901 STREAM_CAPTURE_INVALIDATED c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" c"an earlier error ended the capture";
    902 STREAM_CAPTURE_MERGE c"CUDA_ERROR_STREAM_CAPTURE_MERGE" c"two captures would become one";
    903 STREAM_CAPTURE_UNMATCHED c"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED" c"the capture did not begin here";
    904 STREAM_CAPTURE_UNJOINED c"CUDA_ERROR_STREAM_CAPTURE_UNJOINED" c"a stream did not come back to the capture";
    905 STREAM_CAPTURE_ISOLATION c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION" c"the capture would depend on other work";
    906 STREAM_CAPTURE_IMPLICIT c"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT" c"the default stream would join the capture";
    907 CAPTURED_EVENT c"CUDA_ERROR_CAPTURED_EVENT" c"the event belongs to a capture";
    908 STREAM_CAPTURE_WRONG_THREAD c"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD" c"another thread captures the stream";
    909 TIMEOUT c"CUDA_ERROR_TIMEOUT" c"it took too long";
    910 GRAPH_EXEC_UPDATE_FAILURE c"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE" c"the graph cannot be changed that way";
    911 EXTERNAL_DEVICE c"CUDA_ERROR_EXTERNAL_DEVICE" c"another device failed";
    912 INVALID_CLUSTER_SIZE c"CUDA_ERROR_INVALID_CLUSTER_SIZE" c"no such clusters";
    913 FUNCTION_NOT_LOADED c"CUDA_ERROR_FUNCTION_NOT_LOADED" c"the function is not loaded";
    914 INVALID_RESOURCE_TYPE c"CUDA_ERROR_INVALID_RESOURCE_TYPE" c"no such resource";
    915 INVALID_RESOURCE_CONFIGURATION c"CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION" c"resources that do not go together";
    916 KEY_ROTATION c"CUDA_ERROR_KEY_ROTATION" c"a key is being replaced";
    917 STREAM_DETACHED c"CUDA_ERROR_STREAM_DETACHED" c"the stream has lost its context";
    999 UNKNOWN c"CUDA_ERROR_UNKNOWN" c"unknown error";
}

impl Code {
    /// Whether a real driver answers all later calls on the context with this code too.
    #[must_use]
    pub fn is_sticky(self) -> bool {
        matches!(
            self.0,
            214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 806 | 810 | 911 | 916
        )
    }

    /// Whether a kernel's fault gives it, after which a process gets no context any more.
    #[must_use]
    pub fn is_fault(self) -> bool {
        matches!(self.0, 700 | 702 | 710 | 714..=719 | 721)
    }

    /// The driver's name for it.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let (_, name, _) = CODES.iter().find(|(number, ..)| *number == self.0)?;
        name.to_str().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_rise_and_names_are_the_drivers() {
        assert!(CODES.is_sorted_by(|a, b| a.0 < b.0));
        for (number, name, text) in CODES.iter().skip(1) {
            let name = name.to_str().unwrap_or_default();
            assert!(name.starts_with("CUDA_ERROR_"), "{number}");
            assert!(!text.is_empty(), "{number}");
        }
    }
}
