//! Rows of matrices in shared memory, which the lanes of a warp load into fragments and store from them.

register_intrinsics! {
    /// Loads 1 matrix of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `ldmatrix.sync.aligned.m8n8.x1.shared.b16`, 6.5 · sm_75.
    unsafe fn ldmatrix_x1(to: *mut u32, row: *const u8) = "registers:volatile+memory+convergent+sm75+ptx65|=r1,s|ldmatrix.sync.aligned.m8n8.x1.shared.b16 @0, [@1];" else warploom_emulator::intrinsics::ldmatrix(to, row, 1, false);
    /// Loads 1 matrix of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16`, 6.5 · sm_75.
    unsafe fn ldmatrix_x1_trans(to: *mut u32, row: *const u8) = "registers:volatile+memory+convergent+sm75+ptx65|=r1,s|ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 @0, [@1];" else warploom_emulator::intrinsics::ldmatrix(to, row, 1, true);
    /// Loads 2 matrices of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `ldmatrix.sync.aligned.m8n8.x2.shared.b16`, 6.5 · sm_75.
    unsafe fn ldmatrix_x2(to: *mut u32, row: *const u8) = "registers:volatile+memory+convergent+sm75+ptx65|=r2,s|ldmatrix.sync.aligned.m8n8.x2.shared.b16 @0, [@1];" else warploom_emulator::intrinsics::ldmatrix(to, row, 2, false);
    /// Loads 2 matrices of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16`, 6.5 · sm_75.
    unsafe fn ldmatrix_x2_trans(to: *mut u32, row: *const u8) = "registers:volatile+memory+convergent+sm75+ptx65|=r2,s|ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 @0, [@1];" else warploom_emulator::intrinsics::ldmatrix(to, row, 2, true);
    /// Loads 4 matrices of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `ldmatrix.sync.aligned.m8n8.x4.shared.b16`, 6.5 · sm_75.
    unsafe fn ldmatrix_x4(to: *mut u32, row: *const u8) = "registers:volatile+memory+convergent+sm75+ptx65|=r4,s|ldmatrix.sync.aligned.m8n8.x4.shared.b16 @0, [@1];" else warploom_emulator::intrinsics::ldmatrix(to, row, 4, false);
    /// Loads 4 matrices of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16`, 6.5 · sm_75.
    unsafe fn ldmatrix_x4_trans(to: *mut u32, row: *const u8) = "registers:volatile+memory+convergent+sm75+ptx65|=r4,s|ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 @0, [@1];" else warploom_emulator::intrinsics::ldmatrix(to, row, 4, true);
    /// Transposes a matrix of 8 rows of 8 elements of 16 bits: lane `l` has elements `2 (l % 4)` and the next of row `l / 4`. PTX `movmatrix.sync.aligned.m8n8.trans.b16`, 7.8 · sm_75.
    unsafe fn movmatrix(to: *mut u32, from: *const u32) = "registers:volatile+convergent+sm75+ptx78|=r1,r1|movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;" else warploom_emulator::intrinsics::movmatrix(to, from);
    /// Stores 1 matrix of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `stmatrix.sync.aligned.m8n8.x1.shared.b16`, 7.8 · sm_90.
    unsafe fn stmatrix_x1(row: *mut u8, from: *const u32) = "registers:volatile+memory+convergent+sm90+ptx78|s,r1|stmatrix.sync.aligned.m8n8.x1.shared.b16 [@0], @1;" else warploom_emulator::intrinsics::stmatrix(row, from, 1, false);
    /// Stores 1 matrix of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `stmatrix.sync.aligned.m8n8.x1.trans.shared.b16`, 7.8 · sm_90.
    unsafe fn stmatrix_x1_trans(row: *mut u8, from: *const u32) = "registers:volatile+memory+convergent+sm90+ptx78|s,r1|stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [@0], @1;" else warploom_emulator::intrinsics::stmatrix(row, from, 1, true);
    /// Stores 2 matrices of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `stmatrix.sync.aligned.m8n8.x2.shared.b16`, 7.8 · sm_90.
    unsafe fn stmatrix_x2(row: *mut u8, from: *const u32) = "registers:volatile+memory+convergent+sm90+ptx78|s,r2|stmatrix.sync.aligned.m8n8.x2.shared.b16 [@0], @1;" else warploom_emulator::intrinsics::stmatrix(row, from, 2, false);
    /// Stores 2 matrices of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `stmatrix.sync.aligned.m8n8.x2.trans.shared.b16`, 7.8 · sm_90.
    unsafe fn stmatrix_x2_trans(row: *mut u8, from: *const u32) = "registers:volatile+memory+convergent+sm90+ptx78|s,r2|stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [@0], @1;" else warploom_emulator::intrinsics::stmatrix(row, from, 2, true);
    /// Stores 4 matrices of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `stmatrix.sync.aligned.m8n8.x4.shared.b16`, 7.8 · sm_90.
    unsafe fn stmatrix_x4(row: *mut u8, from: *const u32) = "registers:volatile+memory+convergent+sm90+ptx78|s,r4|stmatrix.sync.aligned.m8n8.x4.shared.b16 [@0], @1;" else warploom_emulator::intrinsics::stmatrix(row, from, 4, false);
    /// Stores 4 matrices of 8 rows of 16 bytes: lane `8 i + j` gives row `j` of matrix `i`. PTX `stmatrix.sync.aligned.m8n8.x4.trans.shared.b16`, 7.8 · sm_90.
    unsafe fn stmatrix_x4_trans(row: *mut u8, from: *const u32) = "registers:volatile+memory+convergent+sm90+ptx78|s,r4|stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [@0], @1;" else warploom_emulator::intrinsics::stmatrix(row, from, 4, true);
}
