//! Hinted accesses are the instruction that says so, of each width, in global memory and where the space is not known.

use warploom::device_std::address::{self, SharedPtr};
use warploom::device_std::memory::{
    self, CacheAll, CacheGlobal, LastUse, ReadOnly, Streaming, Volatile, WriteBack, WriteThrough,
    load, store,
};
use warploom::prelude::*;
use warploom_harness::ptx;

macro_rules! types {
    ($($name:ident $shared:ident: $ty:ty;)*) => {$(
        #[kernel]
        #[allow(dead_code, reason = "never launched")]
        fn $name(x: &[$ty], mut y: DisjointSlice<$ty>) {
            let (x, y) = (x.as_ptr(), y.raw());
            // SAFETY: never launched; the text alone matters.
            unsafe {
                store(y, load(x, CacheAll), WriteBack);
                store(y, load(x, CacheGlobal), CacheGlobal);
                store(y, load(x, Streaming), Streaming);
                store(y, load(x, LastUse), WriteThrough);
                store(y, load(x, Volatile), WriteBack);
                store(y, load(x, ReadOnly), WriteBack);
            }
        }

        #[kernel]
        #[allow(dead_code, reason = "never launched")]
        fn $shared() {
            let tile = shared_array!($ty, 2);
            // SAFETY: never launched; the text alone matters.
            unsafe {
                let (x, y) = (tile.as_ptr(), tile.as_ptr().add(1));
                store(y, load(x, CacheAll), WriteBack);
                store(y, load(x, CacheGlobal), CacheGlobal);
                store(y, load(x, Streaming), Streaming);
                store(y, load(x, LastUse), WriteThrough);
                store(y, load(x, Volatile), WriteBack);
            }
        }
    )*};
}

types! {
    of_u8 shared_u8: u8;
    of_i16 shared_i16: i16;
    of_f32 shared_f32: f32;
    of_u64 shared_u64: u64;
    of_u8x2 shared_u8x2: [u8; 2];
    of_i8x4 shared_i8x4: [i8; 4];
    of_u16x2 shared_u16x2: [u16; 2];
    of_i16x4 shared_i16x4: [i16; 4];
    of_f32x2 shared_f32x2: [f32; 2];
    of_f32x4 shared_f32x4: [f32; 4];
    of_f64x2 shared_f64x2: [f64; 2];
    of_u64x4 shared_u64x4: [u64; 4];
}

/// The loads and stores of a kernel that say how they want to be cached.
fn hinted(own: &str) -> Vec<&str> {
    const WORDS: [&str; 8] = [
        ".ca.", ".cg.", ".cs.", ".lu.", ".cv.", ".nc.", ".wb.", ".wt.",
    ];
    let words = own.split(['\t', ' ', '\n', ';']);
    let access = words.filter(|w| w.starts_with("ld.") || w.starts_with("st."));
    access
        .filter(|w| WORDS.iter().any(|h| w.contains(h)))
        .collect()
}

//@ rows: LS-1, LS-2, LS-3, LS-4, LS-5, LS-6, LS-7, LS-8, LS-9, LS-10
#[test]
fn every_hint_and_width() {
    let Some(images) = ptx::images() else { return };
    const HINTS: [(&str, &str); 6] = [
        ("ca", "wb"),
        ("cg", "cg"),
        ("cs", "cs"),
        ("lu", "wt"),
        ("cv", "wb"),
        ("nc", "wb"),
    ];
    for (ty, width, times) in [
        ("u8", "b8", 1),
        ("i16", "b16", 1),
        ("f32", "b32", 1),
        ("u64", "b64", 1),
        ("u8x2", "b16", 1),
        ("i8x4", "b32", 1),
        ("u16x2", "b32", 1),
        ("i16x4", "b64", 1),
        ("f32x2", "b64", 1),
        ("f32x4", "v2.b64", 1),
        ("f64x2", "v2.b64", 1),
        ("u64x4", "v2.b64", 2),
    ] {
        for (kernel, space, hints) in [("of", ".global", &HINTS[..]), ("shared", "", &HINTS[..5])] {
            let codes = ptx::instances(&images, &format!("{}::{kernel}_{ty}", module_path!()));
            assert!(!codes.is_empty(), "no kernel {kernel}_{ty}");
            let mut expected = Vec::new();
            for (loads, stores) in hints {
                expected.extend(vec![format!("ld{space}.{loads}.{width}"); times]);
                expected.extend(vec![format!("st{space}.{stores}.{width}"); times]);
            }
            for code in codes {
                assert_eq!(hinted(&code.own), expected, "{}", code.own);
                assert!(
                    !code.own.contains("isspacep"),
                    "the space is known:\n{}",
                    code.own
                );
            }
        }
    }
}

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn prefetches(x: &[f32]) {
    if let [x, ..] = x {
        memory::prefetch_l1(x);
        memory::prefetch_l2(x);
    }
}
// ptx: prefetch...L1
// ptx: prefetch...L2

/// Its address is a number, on which the compiler of driver 580 crashes.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn nothing_is_prefetched(mut y: DisjointSlice<u32>) {
    let nothing: &[u64; 0] = &[];
    memory::prefetch_l1(nothing);
    memory::prefetch_l2(nothing);
    memory::prefetch_l2(&());
    // SAFETY: never launched; the text alone matters.
    unsafe { y.raw().write(1) };
}
// ptx: st.global
// ptx-not: prefetch.L

/// Each of these reads and writes is one in the code; the plain ones below are joined.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn volatile_twice(mut y: DisjointSlice<u32>) {
    let y = y.raw();
    // SAFETY: never launched; the text alone matters.
    let first = unsafe { y.read_volatile() };
    // SAFETY: as above.
    let sum = first + unsafe { y.read_volatile() };
    // SAFETY: as above.
    unsafe { y.write_volatile(sum) };
    // SAFETY: as above.
    unsafe { y.write_volatile(sum + 1) };
}
// ptx-count: 2 ld.volatile.global.b32
// ptx-count: 2 st.volatile.global.b32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn plain_twice(mut y: DisjointSlice<u32>) {
    let y = y.raw();
    // SAFETY: never launched; the text alone matters.
    let first = unsafe { y.read() };
    // SAFETY: as above.
    let sum = first + unsafe { y.read() };
    // SAFETY: as above.
    unsafe { y.write(sum) };
    // SAFETY: as above.
    unsafe { y.write(sum + 1) };
}
// ptx-count: 1 ld.global.b32
// ptx-count: 1 st.global.b32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn predicates(x: &[u64], mut y: DisjointSlice<[bool8; 5]>) {
    let ([x, ..], y) = (x, y.raw()) else { return };
    // An address that nothing is known of.
    let p = std::ptr::with_exposed_provenance::<u32>(*x as usize);
    let answers = [
        address::is_global(p),
        address::is_shared(p),
        address::is_constant(p),
        address::is_local(p),
        address::is_grid_constant(p),
    ];
    // SAFETY: never launched; the text alone matters.
    unsafe { y.write_volatile(answers.map(u8::from)) };
}
// ptx: isspacep.global
// ptx: isspacep.shared
// ptx: isspacep.const
// ptx: isspacep.local
// ptx: isspacep.param
#[allow(non_camel_case_types, reason = "a byte that holds a truth value")]
type bool8 = u8;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn conversions(x: &[u64], mut y: DisjointSlice<u64>) {
    let ([x, ..], y) = (x, y.raw()) else { return };
    let p = std::ptr::with_exposed_provenance_mut::<u32>(*x as usize);
    let keep = |v: u64| {
        // SAFETY: never launched; the text alone matters.
        unsafe { y.write_volatile(v) }
    };
    keep(address::address_to_global(p));
    keep(SharedPtr::from_generic(p).as_u32().into());
    keep(address::address_to_constant(p).into());
    keep(address::address_to_local(p).into());
    let low = *x as u32;
    keep(address::address_from_global::<u32>(*x).expose_provenance() as u64);
    keep(SharedPtr::<u32>::from_u32(low).as_ptr().expose_provenance() as u64);
    keep(address::address_from_constant::<u32>(low).expose_provenance() as u64);
    keep(address::address_from_local::<u32>(low).expose_provenance() as u64);
}
// ptx: cvta.to.global
// ptx: cvta.to.shared
// ptx: cvta.to.const
// ptx: cvta.to.local
// ptx: cvta.global
// ptx: cvta.shared
// ptx: cvta.const
// ptx: cvta.local

//@ rows: MEM-prefetch, MEM-volatile, GVAR-17, AS-1, AS-2, AS-3, AS-4, AS-5, AS-6, AS-7, AS-8
#[test]
fn prefetches_volatile_accesses_and_spaces() {
    warploom_harness::ptx_file!("ptx_accesses.rs");
}
