//! CUDA's own names: relaxed, with the scope that the name says.

use super::ptx_operations::instructions;
use warploom::device_std::atomic::{Atomic, legacy::*};
use warploom::prelude::*;
use warploom_harness::ptx;

macro_rules! kernels {
    ($($name:ident: $add:ident $sub:ident $exch:ident $min:ident $max:ident $inc:ident $dec:ident $cas:ident $and:ident $or:ident $xor:ident;)*) => {$(
        #[kernel]
        #[allow(dead_code, reason = "never launched")]
        fn $name(x: &[Atomic<u32>], v: u32, mut y: DisjointSlice<u32>) {
            let y = y.raw();
            // SAFETY: never launched; the text alone matters.
            let keep = |v: u32| unsafe { y.write_volatile(v) };
            if let [x, ..] = x {
                keep($add(x, v));
                keep($sub(x, v));
                keep($exch(x, v));
                keep($min(x, v));
                keep($max(x, v));
                keep($inc(x, v));
                keep($dec(x, v));
                keep($cas(x, v, 7));
                keep($and(x, v));
                keep($or(x, v));
                keep($xor(x, v));
            }
        }
    )*};
}
kernels! {
    of_device: atomic_add atomic_sub atomic_exch atomic_min atomic_max atomic_inc atomic_dec atomic_cas atomic_and atomic_or atomic_xor;
    of_block: atomic_add_block atomic_sub_block atomic_exch_block atomic_min_block atomic_max_block atomic_inc_block atomic_dec_block
        atomic_cas_block atomic_and_block atomic_or_block atomic_xor_block;
    of_system: atomic_add_system atomic_sub_system atomic_exch_system atomic_min_system atomic_max_system atomic_inc_system
        atomic_dec_system atomic_cas_system atomic_and_system atomic_or_system atomic_xor_system;
}

//@ rows: AT-1, AT-2, AT-3, AT-4, AT-5, AT-6, AT-7, AT-8, AT-9, AT-10, AT-11, GAT-6, GAT-7, GAT-9, GAT-10, GAT-11
#[test]
fn the_names_of_cuda() {
    let Some(images) = ptx::images() else { return };
    for (name, scope) in [("device", "gpu"), ("block", "cta"), ("system", "sys")] {
        let expected = [
            "add.u32", "add.u32", "exch.b32", "min.u32", "max.u32", "inc.u32", "dec.u32",
            "cas.b32", "and.b32", "or.b32", "xor.b32",
        ];
        let expected = expected.map(|operation| format!("atom.relaxed.{scope}.global.{operation}"));
        let codes = ptx::instances(&images, &format!("{}::of_{name}", module_path!()));
        assert!(!codes.is_empty(), "no kernel of_{name}");
        for code in codes {
            assert_eq!(instructions(&code.own), expected, "{}", code.own);
        }
    }
}
