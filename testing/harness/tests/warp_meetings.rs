//! Threads of a warp that come to an `.aligned` operation on different ways are synchronised before it by ptxas.
//!
//! LLVM's O3 makes control flow in which a warp does not meet again before such an operation, where it did in the source: one `switch` of two in a row. PTX asks
//! only that all threads that are still there execute the instruction; the fuzz tests of the compiler (`kernel-build/src/opt/differential_fuzzing/warp.rs`)
//! compare no more. If ptxas relied on control flow instead, threads would execute it apart.

use warploom_harness::static_comparison::{StaticError, tools};

/// Elements that are 0 lead through a loop, those that are 2 past the operation, all others straight to it.
fn kernel(operation: &str) -> String {
    format!(
        "
.version 7.1
.target sm_75
.address_size 64
.visible .entry kernel(.param .u64 kernel_param_0)
{{
	.reg .pred %p;
	.reg .b32 %v, %w;
	.reg .b64 %x, %at, %shared;
	.shared .align 128 .b8 tile[1024];
	ld.param.u64 %x, [kernel_param_0];
	cvta.to.global.u64 %x, %x;
	mov.u32 %v, %tid.x;
	mul.wide.u32 %at, %v, 4;
	add.s64 %at, %x, %at;
	ld.volatile.global.u32 %v, [%at];
	setp.eq.s32 %p, %v, 0;
	@%p bra $loop;
	setp.eq.s32 %p, %v, 2;
	@%p bra $done;
	bra.uni $meet;
$loop:
	ld.volatile.global.u32 %w, [%at+4096];
	setp.ne.s32 %p, %w, 7;
	@%p bra $loop;
$meet:
	{operation}
$done:
	st.global.u32 [%x+8192], %v;
	ret;
}}
"
    )
}

/// Each instruction of a listing, without its place; labels are left as they are.
fn instructions(listing: &str) -> Vec<&str> {
    let lines = listing.lines().map(str::trim);
    let lines = lines.map(|line| line.rsplit_once("*/").map_or(line, |(_, rest)| rest));
    let lines = lines.map(|line| line.trim().trim_end_matches(';').trim());
    lines.filter(|line| !line.is_empty()).collect()
}

#[track_caller]
fn warps_meet_before(machine: &str, operation: &str) -> Result<(), StaticError> {
    for arch in ["sm_75", "sm_90"] {
        let Some(tools) = tools(arch) else {
            return Ok(());
        };
        let code = tools.assemble(&kernel(operation))?;
        let all = instructions(code.text());
        let at = all.iter().position(|i| i.contains(machine));
        let at = at.unwrap_or(all.len());
        assert!(at < all.len(), "no {machine} for {arch}:\n{}", code.text());
        // Back to where the two ways join, which no `BSYNC` synchronises.
        let label = all[..at].iter().rposition(|i| i.starts_with('.'));
        let block = &all[label.unwrap_or(0)..at];
        let meets = block.iter().any(|i| i.starts_with("WARPSYNC"));
        let joined = block.iter().any(|i| i.starts_with("BSYNC"));
        assert!(meets || joined, "{arch}, {machine}: {block:#?}");
    }
    Ok(())
}

#[test]
fn warps_meet_before_a_barrier() {
    warps_meet_before("BAR.SYNC", "bar.sync 0;").unwrap();
}

#[test]
fn warps_meet_before_a_matrix_is_loaded() {
    warps_meet_before(
        "LDSM",
        "mov.u64 %shared, tile;
	{ .reg .b32 %s; cvt.u32.u64 %s, %shared; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v}, [%s]; }",
    )
    .unwrap();
}
