//! Where the thread is: registers that the launch sets.

use super::Intrinsic;

intrinsics! {
    /// The thread's x coordinate in its block. CUDA `threadIdx.x` · PTX `%tid.x`.
    scalar fn thread_idx_x() -> u32 = "llvm.nvvm.read.ptx.sreg.tid.x";
    /// The thread's y coordinate in its block. CUDA `threadIdx.y` · PTX `%tid.y`.
    scalar fn thread_idx_y() -> u32 = "llvm.nvvm.read.ptx.sreg.tid.y";
    /// The thread's z coordinate in its block. CUDA `threadIdx.z` · PTX `%tid.z`.
    scalar fn thread_idx_z() -> u32 = "llvm.nvvm.read.ptx.sreg.tid.z";
    /// The block's x coordinate in the grid. CUDA `blockIdx.x` · PTX `%ctaid.x`.
    scalar fn block_idx_x() -> u32 = "llvm.nvvm.read.ptx.sreg.ctaid.x";
    /// The block's y coordinate in the grid. CUDA `blockIdx.y` · PTX `%ctaid.y`.
    scalar fn block_idx_y() -> u32 = "llvm.nvvm.read.ptx.sreg.ctaid.y";
    /// The block's z coordinate in the grid. CUDA `blockIdx.z` · PTX `%ctaid.z`.
    scalar fn block_idx_z() -> u32 = "llvm.nvvm.read.ptx.sreg.ctaid.z";
    /// Threads of a block along x. CUDA `blockDim.x` · PTX `%ntid.x`.
    scalar fn block_dim_x() -> u32 = "llvm.nvvm.read.ptx.sreg.ntid.x";
    /// Threads of a block along y. CUDA `blockDim.y` · PTX `%ntid.y`.
    scalar fn block_dim_y() -> u32 = "llvm.nvvm.read.ptx.sreg.ntid.y";
    /// Threads of a block along z. CUDA `blockDim.z` · PTX `%ntid.z`.
    scalar fn block_dim_z() -> u32 = "llvm.nvvm.read.ptx.sreg.ntid.z";
    /// Blocks of the grid along x. CUDA `gridDim.x` · PTX `%nctaid.x`.
    scalar fn grid_dim_x() -> u32 = "llvm.nvvm.read.ptx.sreg.nctaid.x";
    /// Blocks of the grid along y. CUDA `gridDim.y` · PTX `%nctaid.y`.
    scalar fn grid_dim_y() -> u32 = "llvm.nvvm.read.ptx.sreg.nctaid.y";
    /// Blocks of the grid along z. CUDA `gridDim.z` · PTX `%nctaid.z`.
    scalar fn grid_dim_z() -> u32 = "llvm.nvvm.read.ptx.sreg.nctaid.z";
    /// The thread's lane in its warp, 0..32. PTX `%laneid`.
    scalar fn lane_id() -> u32 = "llvm.nvvm.read.ptx.sreg.laneid";
    /// Bytes of dynamic shared memory that the launch gave each block. PTX `%dynamic_smem_size`, 4.1.
    scalar fn dynamic_shared_bytes() -> u32 = "llvm.nvvm.read.ptx.sreg.dynamic_smem_size";
    /// Lets kernels that depend on this grid start when all of its blocks have made the call or have ended. CUDA
    /// `cudaTriggerProgrammaticLaunchCompletion` · PTX `griddepcontrol.launch_dependents`, 7.8, compute capability 9.0.
    scalar fn launch_dependents() = "asm:volatile+sm90+ptx78|griddepcontrol.launch_dependents;";
}
