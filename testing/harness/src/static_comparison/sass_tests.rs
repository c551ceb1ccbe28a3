//! Machine code is read, and its loops are found.

use super::*;

/// A loop of four instructions, one inside it of three, and a shuffle's way out of line, which comes back and is no loop.
const CODE: &str = "
//--------------------- .text.dot               --------------------------
	.section	.text.dot,\"ax\",@progbits
dot:
.text.dot:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_2:
        /*0010*/                   LDG.E.128.CONSTANT R4, desc[UR4][R4.64] ;
.L_x_1:
        /*0020*/                   LDS R7, [R2] ;
        /*0030*/                   FFMA R7, R4, UR6, R7 ;
        /*0040*/               @P0 BRA `(.L_x_1) ;
        /*0050*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0060*/              @!P1 BRA `(.L_x_2) ;
        /*0070*/                   BRA.DIV UR4, `(.L_x_4) ;
.L_x_3:
        /*0080*/                   STG.E desc[UR4][R2.64], R7 ;
        /*0090*/                   EXIT ;
.L_x_4:
        /*00a0*/                   MOV R1, R2 ;
        /*00b0*/                   BRA `(.L_x_3) ;
$dot$__warploom_panic_fmt:
        /*00bc*/                   CALL.REL.NOINC `($dot$format) ;
$dot$format:
        /*00be*/                   EXIT ;
.L_x_5:
        /*00c0*/                   BRA `(.L_x_5);
        /*00d0*/                   NOP;
.L_x_6:
	.section	.text.other,\"ax\",@progbits
.text.other:
        /*0000*/                   FADD R1, R1, R1 ;
";

fn dot() -> Function {
    function(CODE, "dot").unwrap()
}

#[test]
fn a_function_ends_before_its_padding() {
    assert_eq!(dot().work().instructions, 12);
    assert_eq!(function(CODE, "other").unwrap().work().arithmetic, 1);
    assert!(function(CODE, "none").is_none());
}

#[test]
fn an_endless_loop_before_the_end_is_no_padding() {
    let code = CODE.replace(
        "                   BAR.SYNC.DEFER_BLOCKING 0x0 ;",
        "@P3 BRA `(.L_x_8) ;\n.L_x_7:\n        /*0058*/                   BRA `(.L_x_7) ;\n.L_x_8:",
    );
    let dot = function(&code, "dot").unwrap();
    assert_eq!(dot.work().instructions, 12);
    assert_eq!(dot.work().memory["STG"], 1);
    assert_eq!(dot.hottest_loop().unwrap().instructions, 3);
}

#[test]
fn widths_and_kinds_of_accesses_are_counted() {
    let expected = [("LDG.128.CONSTANT", 1), ("LDS", 1), ("STG", 1)];
    let expected = expected.map(|(name, count)| (name.to_owned(), count));
    assert_eq!(dot().work().memory, expected.into());
    assert_eq!(dot().work().barriers, 1);
}

#[test]
fn the_inner_loop_is_the_hottest() {
    let hottest = dot().hottest_loop().unwrap();
    assert_eq!((hottest.instructions, hottest.useful()), (3, 2));
}

#[test]
fn the_outer_loop_contains_the_inner_one() {
    let sizes: Vec<usize> = dot().loops().values().map(HashSet::len).collect();
    assert_eq!(sizes, [6, 3]);
}

/// A check before the store, whose panic has a loop.
const PANICKING: &str = "
.text.checked:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   LDG.E.64.STRONG.SYS R4, desc[UR4][R4.64] ;
        /*0020*/               @P0 BRA `(.L_x_0) ;
        /*0030*/                   STG.E desc[UR4][R2.64], R7 ;
        /*0040*/                   EXIT ;
.L_x_0:
        /*0050*/                   LDC.64 R2, c[0x4][0x8] ;
        /*0060*/                   ATOMG.E.AND.64.STRONG.SYS PT, R2, desc[UR4][R2.64], R4 ;
        /*0070*/              @!P0 EXIT ;
.L_x_1:
        /*0080*/                   ST.E.U8.STRONG.SYS desc[UR4][R6.64+0x20], R17 ;
        /*0090*/               @P0 BRA `(.L_x_1) ;
        /*00a0*/                   MEMBAR.ALL.SYS ;
        /*00b0*/                   EXIT ;
";

#[test]
fn a_panic_in_place_is_not_counted() {
    let work = function(PANICKING, "checked").unwrap().work();
    assert_eq!((work.instructions, work.branches), (5, 1));
    assert!(!work.memory.contains_key("ATOMG.EXCH"));
}

/// The way to a panic in a function of its own, and to a path that cannot be.
const CALLING: &str = "
.text.checked:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/               @P0 BRA `(.L_x_0) ;
        /*0020*/                   STG.E desc[UR4][R2.64], R7 ;
        /*0030*/                   EXIT ;
.L_x_0:
        /*0040*/                   IADD3 R4, R5, 0x1, RZ ;
        /*0050*/               @P1 BRA `(.L_x_2) ;
.L_x_1:
        /*0060*/                   BRA `(.L_x_1) ;
.L_x_2:
        /*0070*/                   MOV R4, 0x70 ;
        /*0080*/                   CALL.REL.NOINC `($checked$__warploom_slice_index_fail) ;
        /*0090*/                   STG.E desc[UR4][R2.64], R7 ;
        /*00a0*/                   EXIT ;
$checked$__warploom_slice_index_fail:
        /*00b0*/                   EXIT ;
.L_x_3:
        /*00c0*/                   BRA `(.L_x_3);
";

#[test]
fn the_way_to_a_panic_is_not_counted() {
    let work = function(CALLING, "checked").unwrap().work();
    // The last two are never reached, and are no way to a panic.
    assert_eq!((work.instructions, work.branches), (4 + 2, 1));
    let other = CALLING.replace("__warploom_slice_index_fail", "__internal_div");
    let work = function(&other, "checked").unwrap().work();
    assert_eq!((work.instructions, work.branches), (4 + 6 + 1, 2));
    let guarded = CALLING.replace("     MOV R4, 0x70", "@P2  EXIT");
    let work = function(&guarded, "checked").unwrap().work();
    assert_eq!((work.instructions, work.branches), (4 + 3 + 2, 2));
}

/// Behind the join stands a panic, which the join does not run.
#[test]
fn a_join_goes_where_its_mark_says() {
    let code = CALLING
        .replace("IADD3 R4, R5, 0x1, RZ", "BSSY B0, `(.L_x_4)")
        .replace("BRA `(.L_x_1)", "BSYNC B0")
        .replace(
            "STG.E desc[UR4][R2.64], R7 ;\n        /*00a0*/",
            ".L_x_4:\n        /*00a0*/",
        );
    let code = code.replace("/*0090*/                   .L_x_4:", ".L_x_4:");
    let work = function(&code, "checked").unwrap().work();
    assert_eq!((work.instructions, work.branches), (4 + 3 + 1, 2));
}

#[test]
fn a_panic_begins_behind_a_condition_that_ends_the_thread() {
    let code = PANICKING
        .replace(
            "/*0040*/                   EXIT ;\n.L_x_0:",
            "/*0040*/              @!P1 EXIT ;",
        )
        .replace("@P0 BRA `(.L_x_0) ;", "FADD R1, R1, R1 ;");
    let work = function(&code, "checked").unwrap().work();
    assert_eq!(work.instructions, 5);
    assert_eq!((work.arithmetic, work.memory["STG"]), (1, 1));
}

#[test]
fn an_operation_that_gives_the_host_nothing_is_no_panic() {
    let code = PANICKING.replace("MEMBAR.ALL.SYS", "NOP");
    assert_eq!(function(&code, "checked").unwrap().work().instructions, 12);
}

#[test]
fn a_loop_of_a_panic_is_not_the_hottest() {
    assert!(
        function(PANICKING, "checked")
            .unwrap()
            .hottest_loop()
            .is_none()
    );
}
