//! Every read-modify-write of `core::sync::atomic` keeps its order and its scope: operation × order × type.
//!
//! LLVM 22 would select a relaxed `atom` at GPU scope for all of them.

use std::sync::atomic::Ordering;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64};
use warploom::prelude::*;
use warploom_harness::ptx;

macro_rules! kernels {
    ($($name:ident: $atomic:ty, $value:ty, $order:ident;)*) => {$(
        #[kernel]
        fn $name(x: &[$atomic], v: $value) {
            let [a, b, c, d, e, f, g, h, ..] = x else { return };
            const ORDER: Ordering = Ordering::$order;
            a.swap(v, ORDER);
            b.fetch_add(v, ORDER);
            c.fetch_sub(v, ORDER);
            d.fetch_and(v, ORDER);
            e.fetch_or(v, ORDER);
            f.fetch_xor(v, ORDER);
            g.fetch_max(v, ORDER);
            h.fetch_min(v, ORDER);
        }
    )*};
}

kernels! {
    u32_relaxed: AtomicU32, u32, Relaxed;
    u32_acquire: AtomicU32, u32, Acquire;
    u32_release: AtomicU32, u32, Release;
    u32_acqrel: AtomicU32, u32, AcqRel;
    u32_seqcst: AtomicU32, u32, SeqCst;
    i32_relaxed: AtomicI32, i32, Relaxed;
    i32_acquire: AtomicI32, i32, Acquire;
    i32_release: AtomicI32, i32, Release;
    i32_acqrel: AtomicI32, i32, AcqRel;
    i32_seqcst: AtomicI32, i32, SeqCst;
    u64_relaxed: AtomicU64, u64, Relaxed;
    u64_acquire: AtomicU64, u64, Acquire;
    u64_release: AtomicU64, u64, Release;
    u64_acqrel: AtomicU64, u64, AcqRel;
    u64_seqcst: AtomicU64, u64, SeqCst;
    i64_relaxed: AtomicI64, i64, Relaxed;
    i64_acquire: AtomicI64, i64, Acquire;
    i64_release: AtomicI64, i64, Release;
    i64_acqrel: AtomicI64, i64, AcqRel;
    i64_seqcst: AtomicI64, i64, SeqCst;
}

/// The instructions that order or touch memory atomically, without their operands.
fn instructions(own: &str) -> Vec<String> {
    let parts = own.lines().flat_map(|l| l.split(';'));
    let words = parts.filter_map(|p| p.split_whitespace().next());
    let atomic = |w: &&str| {
        ["atom.", "red.", "fence.", "membar."]
            .iter()
            .any(|p| w.starts_with(p))
    };
    words.filter(atomic).map(str::to_owned).collect()
}

#[test]
fn every_operation_order_and_type() {
    let Some(images) = ptx::images() else { return };
    let module = module_path!();
    for (ty, signed, width) in [
        ("u32", false, 32),
        ("i32", true, 32),
        ("u64", false, 64),
        ("i64", true, 64),
    ] {
        for (order, fence, sem) in [
            ("relaxed", None, "relaxed"),
            ("acquire", None, "acquire"),
            ("release", None, "release"),
            ("acqrel", None, "acq_rel"),
            ("seqcst", Some("fence.sc.sys"), "acquire"),
        ] {
            let kind = if signed { "s" } else { "u" };
            let operations = [
                "exch.b",
                "add.u",
                "add.u",
                "and.b",
                "or.b",
                "xor.b",
                &format!("max.{kind}"),
                &format!("min.{kind}"),
            ];
            let mut expected = Vec::new();
            for operation in operations {
                expected.extend(fence.map(str::to_owned));
                expected.push(format!("atom.{sem}.sys.global.{operation}{width}"));
            }
            let codes = ptx::instances(&images, &format!("{module}::{ty}_{order}"));
            assert!(!codes.is_empty(), "no kernel {ty}_{order}");
            for code in codes {
                assert_eq!(
                    instructions(&code.own),
                    expected,
                    "{} for {}:\n{}",
                    code.name,
                    code.arch,
                    code.own
                );
            }
        }
    }
}
