//! Every operation × order × scope × width, in global and in shared memory, is the one instruction that says so.

use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, Relaxed, Release, SeqCst, fence, scope,
};
use warploom::prelude::*;
use warploom_harness::ptx;

/// All operations of integers, with results that are wanted and with such that are not.
macro_rules! integer {
    ($cell:ident $v:ident $keep:ident $($order:ident)*) => {$(
        $keep($cell.swap($v, $order));
        $keep($cell.fetch_add($v, $order));
        $keep($cell.fetch_sub($v, $order));
        $keep($cell.fetch_and($v, $order));
        $keep($cell.fetch_or($v, $order));
        $keep($cell.fetch_xor($v, $order));
        $keep($cell.fetch_min($v, $order));
        $keep($cell.fetch_max($v, $order));
        $cell.fetch_add($v, $order);
        $cell.fetch_sub($v, $order);
        $cell.fetch_and($v, $order);
        $cell.fetch_or($v, $order);
        $cell.fetch_xor($v, $order);
        $cell.fetch_min($v, $order);
        $cell.fetch_max($v, $order);
    )*};
}

macro_rules! counting {
    ($cell:ident $v:ident $keep:ident $($order:ident)*) => {$(
        $keep($cell.fetch_inc_wrapping($v, $order));
        $keep($cell.fetch_dec_wrapping($v, $order));
        $cell.fetch_inc_wrapping($v, $order);
        $cell.fetch_dec_wrapping($v, $order);
    )*};
}

macro_rules! float {
    ($cell:ident $v:ident $keep:ident $($order:ident)*) => {$(
        $keep($cell.swap($v, $order));
        $keep($cell.fetch_add($v, $order));
        $keep($cell.fetch_sub($v, $order));
        $cell.fetch_add($v, $order);
    )*};
}

macro_rules! swap {
    ($cell:ident $v:ident $keep:ident $($order:ident)*) => {$(
        $keep($cell.swap($v, $order));
    )*};
}

/// Compare-exchange with each pair of orders whose stronger one is each of the five.
macro_rules! exchange {
    ($cell:ident $v:ident $keep:ident $($order:ident $failure:ident)*) => {$(
        let (Ok(x) | Err(x)) = $cell.compare_exchange($v, Default::default(), $order, $failure);
        $keep(x);
    )*};
}

macro_rules! access {
    ($cell:ident $v:ident $keep:ident) => {
        $keep($cell.load(Relaxed));
        $keep($cell.load(Acquire));
        $keep($cell.load(SeqCst));
        $cell.store($v, Relaxed);
        $cell.store($v, Release);
        $cell.store($v, SeqCst);
    };
}

macro_rules! operations {
    (integer $cell:ident $v:ident $keep:ident) => {
        integer!($cell $v $keep Relaxed Acquire Release AcqRel SeqCst);
        operations!(exchange $cell $v $keep);
    };
    (word $cell:ident $v:ident $keep:ident) => {
        counting!($cell $v $keep Relaxed Acquire Release AcqRel SeqCst);
        operations!(integer $cell $v $keep);
    };
    (float $cell:ident $v:ident $keep:ident) => {
        float!($cell $v $keep Relaxed Acquire Release AcqRel SeqCst);
        operations!(exchange $cell $v $keep);
    };
    (wide $cell:ident $v:ident $keep:ident) => {
        swap!($cell $v $keep Relaxed Acquire Release AcqRel SeqCst);
        operations!(exchange $cell $v $keep);
    };
    (exchange $cell:ident $v:ident $keep:ident) => {
        exchange!($cell $v $keep Relaxed Relaxed Acquire Relaxed Relaxed Acquire Release Relaxed Release Acquire
            AcqRel Acquire SeqCst Relaxed Relaxed SeqCst);
        access!($cell $v $keep);
    };
    (access $cell:ident $v:ident $keep:ident) => {
        access!($cell $v $keep);
    };
}

macro_rules! kernels {
    ($($group:ident: $ty:ty, $what:ident;)*) => {$(
        mod $group {
            use super::*;
            kernels!(@ $ty, $what, block_global, block_shared, Block);
            kernels!(@ $ty, $what, cluster_global, cluster_shared, Cluster);
            kernels!(@ $ty, $what, device_global, device_shared, Device);
            kernels!(@ $ty, $what, system_global, system_shared, System);
        }
    )*};
    (@ $ty:ty, $what:ident, $global:ident, $shared:ident, $scope:ident) => {
        #[kernel]
        #[allow(dead_code, reason = "never launched")]
        fn $global(x: &[Atomic<$ty, scope::$scope>], v: $ty, mut y: DisjointSlice<$ty>) {
            let y = y.raw();
            // SAFETY: never launched; the text alone matters.
            let keep = |v: $ty| unsafe { y.write_volatile(v) };
            if let [x, ..] = x {
                operations!($what x v keep);
            }
        }

        #[kernel]
        #[allow(dead_code, reason = "never launched")]
        fn $shared(v: $ty, mut y: DisjointSlice<$ty>) {
            let y = y.raw();
            // SAFETY: never launched; the text alone matters.
            let keep = |v: $ty| unsafe { y.write_volatile(v) };
            let tile = shared_array!($ty, 4);
            // SAFETY: within the array, accessed atomically alone.
            let x = unsafe { Atomic::<$ty, scope::$scope>::from_ptr(tile.as_ptr()) };
            operations!($what x v keep);
        }
    };
}

kernels! {
    of_u8: u8, access;
    of_i16: i16, exchange;
    of_u16: u16, exchange;
    of_u32: u32, word;
    of_i32: i32, integer;
    of_u64: u64, integer;
    of_i64: i64, integer;
    of_f32: f32, float;
    of_f64: f64, float;
    of_u128: u128, wide;
}

macro_rules! fences {
    ($($name:ident: $scope:ident;)*) => {$(
        #[kernel]
        #[allow(dead_code, reason = "never launched")]
        fn $name(mut y: DisjointSlice<u32>) {
            let y = y.raw();
            // SAFETY: never launched; the text alone matters.
            let mark = |i: u32| unsafe { y.write_volatile(i) };
            mark(1);
            fence(Acquire, scope::$scope);
            mark(2);
            fence(Release, scope::$scope);
            mark(3);
            fence(AcqRel, scope::$scope);
            mark(4);
            fence(SeqCst, scope::$scope);
            mark(5);
        }
    )*};
}

fences! {
    fences_block: Block;
    fences_cluster: Cluster;
    fences_device: Device;
    fences_system: System;
}

/// The instructions that order or touch memory atomically, without their operands. Where `atom` says neither order nor scope, these are those that PTX
/// takes then: LLVM 23 writes them, LLVM 22 does not.
pub(crate) fn instructions(own: &str) -> Vec<String> {
    const KINDS: [&str; 8] = [
        "atom.",
        "red.",
        "fence.",
        "membar.",
        "ld.relaxed",
        "ld.acquire",
        "st.relaxed",
        "st.release",
    ];
    let without_comments = own.split("*/").map(|p| p.split("/*").next().unwrap_or(p));
    let text: String = without_comments.collect();
    let parts = text.lines().flat_map(|l| l.split(';')).map(str::to_owned);
    let words: Vec<String> = parts
        .filter_map(|p| p.split_whitespace().next().map(str::to_owned))
        .collect();
    let kept = words.into_iter();
    kept.filter(|w| KINDS.iter().any(|p| w.starts_with(p)))
        .map(|word| {
            let bare = ["atom.global.", "atom.shared."];
            match bare.iter().any(|start| word.starts_with(start)) {
                true => word.replacen("atom.", "atom.relaxed.gpu.", 1),
                false => word,
            }
        })
        .collect()
}

const ORDERS: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];

/// One access of an order: its fence, if it has one, and the instruction.
fn access(expected: &mut Vec<String>, kind: &str, order: &str, at: &Place, rest: &str) {
    let sem = match (order, kind) {
        ("seq_cst", "st") => "release",
        ("seq_cst", _) => "acquire",
        (other, _) => other,
    };
    if order == "seq_cst" {
        expected.push(format!("fence.sc.{}", at.scope));
    }
    expected.push(format!("{kind}.{sem}.{}.{}.{rest}", at.scope, at.space));
}

struct Place {
    scope: &'static str,
    space: &'static str,
}

/// An operation whose result is not used: `red`, where that has the order. At the scope of the system ptxas makes it.
fn dropped(expected: &mut Vec<String>, order: &str, at: &Place, rest: &str) {
    let reduces = at.scope != "sys" && matches!(order, "relaxed" | "release");
    access(
        expected,
        if reduces { "red" } else { "atom" },
        order,
        at,
        rest,
    );
}

fn expected(what: &str, signed: bool, float: bool, bits: u32, at: &Place) -> Vec<String> {
    let mut list = Vec::new();
    let all = &mut list;
    let kind = if signed { "s" } else { "u" };
    let (exch, u) = (format!("exch.b{bits}"), format!("u{bits}"));
    let bit = |op: &str| format!("{op}.b{bits}");
    if what == "word" {
        for order in ORDERS {
            access(all, "atom", order, at, "inc.u32");
            access(all, "atom", order, at, "dec.u32");
            dropped(all, order, at, "inc.u32");
            dropped(all, order, at, "dec.u32");
        }
    }
    match what {
        "word" | "integer" => {
            let changes = [
                format!("add.{u}"),
                format!("add.{u}"),
                bit("and"),
                bit("or"),
                bit("xor"),
                format!("min.{kind}{bits}"),
                format!("max.{kind}{bits}"),
            ];
            for order in ORDERS {
                access(all, "atom", order, at, &exch);
                for change in &changes {
                    access(all, "atom", order, at, change);
                }
                for change in &changes {
                    dropped(all, order, at, change);
                }
            }
        }
        "float" => {
            for order in ORDERS {
                access(all, "atom", order, at, &exch);
                access(all, "atom", order, at, &format!("add.f{bits}"));
                access(all, "atom", order, at, &format!("add.f{bits}"));
                dropped(all, order, at, &format!("add.f{bits}"));
            }
        }
        "wide" => {
            for order in ORDERS {
                access(all, "atom", order, at, &exch);
            }
        }
        _ => {}
    }
    assert!(!float || what == "float");
    if what != "access" {
        for order in [
            "relaxed", "acquire", "acquire", "release", "acq_rel", "acq_rel", "seq_cst", "seq_cst",
        ] {
            access(all, "atom", order, at, &bit("cas"));
        }
    }
    for order in ["relaxed", "acquire", "seq_cst"] {
        access(all, "ld", order, at, &format!("b{bits}"));
    }
    for order in ["relaxed", "release", "seq_cst"] {
        access(all, "st", order, at, &format!("b{bits}"));
    }
    list
}

/// (name in Rust, in PTX)
const SCOPES: [(&str, &str); 4] = [
    ("block", "cta"),
    ("cluster", "cluster"),
    ("device", "gpu"),
    ("system", "sys"),
];

//@ rows: NA-1, NA-2, NA-3, NA-4, NA-5, NA-6, NA-7, NA-8, NA-9, NA-10, NA-11, GAT-1, GAT-2, GAT-3, GAT-4, GAT-5, GAT-6, GAT-7, GAT-8, E-15, E-16
#[test]
fn every_operation_order_scope_and_width() {
    let Some(images) = ptx::images() else { return };
    let mut n_checked = 0;
    for (group, what, signed, float, bits) in [
        ("of_u8", "access", false, false, 8),
        ("of_i16", "exchange", true, false, 16),
        ("of_u16", "exchange", false, false, 16),
        ("of_u32", "word", false, false, 32),
        ("of_i32", "integer", true, false, 32),
        ("of_u64", "integer", false, false, 64),
        ("of_i64", "integer", true, false, 64),
        ("of_f32", "float", true, true, 32),
        ("of_f64", "float", true, true, 64),
        ("of_u128", "wide", false, false, 128),
    ] {
        for (name, scope) in SCOPES {
            for space in ["global", "shared"] {
                let kernel = format!("{}::{group}::{name}_{space}", module_path!());
                let codes = ptx::instances(&images, &kernel);
                assert!(!codes.is_empty(), "no kernel {kernel}");
                let at = Place { scope, space };
                let expected = expected(what, signed, float, bits, &at);
                for code in codes {
                    let found = instructions(&code.own);
                    let differs = found.iter().zip(&expected).find(|(f, e)| f != e);
                    assert!(
                        found == expected,
                        "{} for {}: {differs:?}\n{found:#?}\n{}",
                        code.name,
                        code.arch,
                        code.own
                    );
                    n_checked += found.len();
                }
            }
        }
    }
    assert!(n_checked > 3000, "{n_checked} instructions");
}

//@ rows: NA-12, SY-7, SY-8, SY-9, GSY-6, GSY-7, GSY-8, E-13
#[test]
fn every_fence_and_scope() {
    let Some(images) = ptx::images() else { return };
    for (name, scope) in SCOPES {
        let kernel = format!("{}::fences_{name}", module_path!());
        let codes = ptx::instances(&images, &kernel);
        assert!(!codes.is_empty(), "no kernel {kernel}");
        for code in codes {
            let ordered = format!("fence.acq_rel.{scope}");
            let expected = [&ordered, &ordered, &ordered, &format!("fence.sc.{scope}")];
            assert_eq!(instructions(&code.own).iter().collect::<Vec<_>>(), expected);
        }
    }
}

//@ rows: AT-10, AT-11, NA-8, NA-9
#[test]
fn what_old_gpus_lack_raises_the_architecture() {
    let Some(images) = ptx::images() else { return };
    for (kernel, arch) in [
        ("of_u32::system_global", "sm_75"),
        ("of_u16::block_shared", "sm_75"),
        ("of_u32::cluster_global", "sm_90"),
        ("of_u8::cluster_shared", "sm_90"),
        ("of_u128::block_global", "sm_90"),
        ("fences_cluster", "sm_90"),
    ] {
        let codes = ptx::instances(&images, &format!("{}::{kernel}", module_path!()));
        let archs: Vec<&str> = codes.iter().map(|c| c.arch.as_str()).collect();
        assert_eq!(archs, [arch], "{kernel}");
    }
}
