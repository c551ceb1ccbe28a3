//! What the blocks of a cluster do together.

use super::Intrinsic;

intrinsics! {
    /// Clusters of the grid along x. PTX `%nclusterid.x`, 7.8 · sm_90.
    scalar fn clusters() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %nclusterid.x;";
}
