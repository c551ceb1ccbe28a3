//! Which copies become what.

use super::expand;
use crate::llvm::Module;
use crate::llvm::tests::context;

/// What a function with this one copy consists of afterwards.
fn spelled(copy: &str) -> Vec<String> {
    let context = context();
    let text = format!(
        "define void @f(ptr %to, ptr %from) {{
  call void @llvm.{copy}
  ret void
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
"
    );
    let module = Module::from_text(&context, &text).unwrap();
    expand(&module);
    module.verify().unwrap();
    let function = module.function("f").unwrap();
    let instructions = function.instructions();
    let texts = instructions.iter().map(|i| i.to_text().trim().to_owned());
    texts.filter(|t| t != "ret void").collect()
}

fn copy(name: &str, to: u32, from: u32, bytes: &str, volatile: bool) -> Vec<String> {
    spelled(&format!(
        "{name}.p0.p0.i64(ptr align {to} %to, ptr align {from} %from, i64 {bytes}, i1 {volatile})"
    ))
}

#[test]
fn sixteen_aligned_bytes_are_one_access() {
    assert_eq!(
        copy("memcpy", 16, 32, "16", false),
        [
            "%1 = load <4 x i32>, ptr %from, align 16",
            "store <4 x i32> %1, ptr %to, align 16",
        ]
    );
}

#[test]
fn the_lesser_alignment_decides() {
    let words = copy("memcpy", 16, 4, "12", false);
    let loads = words.iter().filter(|t| t.contains("= load i32,")).count();
    assert_eq!((loads, words.len()), (3, 10), "{words:#?}");
}

#[test]
fn the_rest_is_narrower() {
    let accesses = copy("memcpy", 16, 16, "28", false);
    let expected = [
        "= load <4 x i32>, ptr %from, align 16",
        "= load i64, ptr %2, align 8",
        "= load i32, ptr %4, align 4",
    ];
    let loads: Vec<&String> = accesses.iter().filter(|t| t.contains("= load")).collect();
    assert_eq!(loads.len(), 3, "{accesses:#?}");
    for (load, expected) in loads.iter().zip(expected) {
        assert!(load.contains(expected), "{accesses:#?}");
    }
}

/// Both ends may overlap: what is stored first must not be loaded later.
#[test]
fn a_move_loads_all_before_it_stores() {
    let accesses = copy("memmove", 4, 4, "16", false);
    let last_load = accesses.iter().rposition(|t| t.contains("= load"));
    let first_store = accesses.iter().position(|t| t.starts_with("store"));
    assert!(last_load < first_store, "{accesses:#?}");
}

#[test]
fn other_copies_stay() {
    for (to, from, bytes, volatile) in [
        (16, 16, "16", true),
        (16, 2, "16", false),
        (16, 16, "18", false),
        (16, 16, "80", false),
    ] {
        let left = copy("memcpy", to, from, bytes, volatile);
        assert!(left.len() == 1 && left[0].starts_with("call"), "{left:?}");
    }
}
