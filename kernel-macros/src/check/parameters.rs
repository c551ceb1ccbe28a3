//! Rules about parameters.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, Lifetime};

use crate::errors::Errors;
use crate::kernel::{self, Kernel, Param, ParamKind, Refused};

/// As many as `warploom_device_std` has barriers for: of the sixteen of a block, number 0 is `sync_threads`, and some are left to `NamedBarrier`.
const MAX_TILES: usize = 7;

pub(super) fn all(errors: &mut Errors, kernel: &Kernel) {
    parameter_has_a_name(errors, kernel);
    parameter_has_no_attributes(errors, kernel);
    one_index(errors, kernel);
    one_cluster(errors, kernel);
    at_most_seven_tiles(errors, kernel);
    for param in &kernel.params {
        lifetimes_are_elided(errors, param);
        slice_is_not_mut(errors, param);
        if let ParamKind::Refused(refused) = param.kind {
            refuse(errors, param, refused);
        }
        if param.kind == ParamKind::Pointer && !kernel.is_unsafe() {
            pointer_needs_unsafe(errors, param);
        }
    }
}

// Rule: parameter-has-a-name
// `launch` has the same parameters, and callers read their names.
fn parameter_has_a_name(errors: &mut Errors, kernel: &Kernel) {
    for input in &kernel.item.sig.inputs {
        if let FnArg::Typed(typed) = input
            && kernel::named(input).is_none()
        {
            errors.push(
                &typed.pat,
                "a kernel parameter is a plain name, which `launch` takes over; take the value apart in the body",
            );
        }
    }
}

// Rule: parameter-has-no-attributes
// Both passes and `launch` must see the same parameters.
fn parameter_has_no_attributes(errors: &mut Errors, kernel: &Kernel) {
    for input in &kernel.item.sig.inputs {
        if let FnArg::Typed(typed) = input {
            for attribute in &typed.attrs {
                errors.push(
                    attribute,
                    "a kernel parameter takes no attributes; put it on the kernel, or write two kernels",
                );
            }
        }
    }
}

// Rule: one-index
// Two kinds of index would demand two shapes of one launch, and two of a kind are the same number.
fn one_index(errors: &mut Errors, kernel: &Kernel) {
    let mut indices = kernel
        .params
        .iter()
        .filter(|param| matches!(param.kind, ParamKind::Index(_)));
    let Some(first) = indices.next() else { return };
    for second in indices {
        errors.push(
            &second.ty,
            format_args!(
                "a kernel takes one index, and `{}` is one already; remove this parameter (an index is `Copy`)",
                first.name
            ),
        );
    }
}

// Rule: one-cluster
// A `Cluster` tracks whether its thread has arrived at the barrier; two of them would each track half.
fn one_cluster(errors: &mut Errors, kernel: &Kernel) {
    let clusters = kernel
        .params
        .iter()
        .filter(|param| param.kind == ParamKind::Cluster);
    for second in clusters.skip(1) {
        errors.push(
            &second.ty,
            "a kernel takes one `Cluster`; pass that one on as `&mut Cluster`",
        );
    }
}

// Rule: at-most-seven-tiles
// Each tile owns one of the sixteen barriers of a block: that is what makes its phases safe.
fn at_most_seven_tiles(errors: &mut Errors, kernel: &Kernel) {
    for param in &kernel.params {
        if matches!(param.kind, ParamKind::SharedTile(ordinal) if ordinal >= MAX_TILES) {
            errors.push(
                &param.ty,
                format_args!("a kernel has at most {MAX_TILES} shared tiles; make one tile of several with an array as its element, such as `SharedTile<[f32; 2], N>`"),
            );
        }
    }
}

// Rule: lifetimes-are-elided
// A `'static` parameter could be stored beyond the launch.
fn lifetimes_are_elided(errors: &mut Errors, param: &Param) {
    let borrowed = param.kind.is_borrowed() || matches!(param.kind, ParamKind::GridConst(_));
    if borrowed && let Some(lifetime) = find_lifetime(param.ty.to_token_stream()) {
        errors.push(
            lifetime,
            "the launch decides the lifetime of a kernel parameter; leave the lifetime out",
        );
    }
}

fn find_lifetime(tokens: TokenStream) -> Option<Lifetime> {
    let mut trees = tokens.into_iter();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                if let Some(TokenTree::Ident(ident)) = trees.next()
                    && ident != "_"
                {
                    let mut lifetime = Lifetime::new("'_", punct.span());
                    lifetime.ident = ident;
                    return Some(lifetime);
                }
            }
            TokenTree::Group(group) => {
                if let Some(found) = find_lifetime(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

// Rule: slice-is-not-mut
// `&[T]` is shared by all threads, so a `mut` on its name can only be a mistake.
fn slice_is_not_mut(errors: &mut Errors, param: &Param) {
    if let ParamKind::Slice(element) = &param.kind
        && param.mutable
    {
        errors.push(
            &param.name,
            format_args!(
                "all threads share this slice and none may write it; remove `mut`, or take a `DisjointSlice<{}>`",
                element.to_token_stream()
            ),
        );
    }
}

// Rule: pointer-needs-unsafe
// Nothing about a raw pointer is checked, neither by rustc nor by the launch.
fn pointer_needs_unsafe(errors: &mut Errors, param: &Param) {
    errors.push(
        &param.ty,
        "a kernel that takes raw pointers is an `unsafe fn`, and so is its launch; write `unsafe fn`, or take `&[T]` or `DisjointSlice<T>`",
    );
}

fn refuse(errors: &mut Errors, param: &Param, refused: Refused) {
    let message = match refused {
        // Rule: output-is-disjoint
        // Every thread would hold the same `&mut [T]`: two threads could write one element at the same time.
        Refused::MutSlice => {
            "every thread of the launch would hold this `&mut` slice at once; take `mut out: DisjointSlice<T>`, which gives each thread its own elements"
        }
        // Rule: output-is-not-a-reference
        // The same, for a single value.
        Refused::MutReference => {
            "every thread of the launch would hold this `&mut` at once; take `mut out: DisjointSlice<T>`, or a slice of atomics such as `&[AtomicU32]`"
        }
        // Rule: value-is-not-borrowed
        // The reference would point into the host's memory.
        Refused::Reference => {
            "a kernel cannot follow a reference into the host's memory; take the value itself (`T` instead of `&T`), or a slice `&[T]`"
        }
        // Rule: text-is-bytes
        // A string is in the host's memory.
        Refused::Text => {
            "a kernel cannot reach a string of the host; upload its bytes and take `text: &[u8]`"
        }
        // Rule: witness-by-value
        // Witnesses are made anew in each thread.
        Refused::WitnessReference => {
            "each thread has an index or group of its own; take it by value, without `&`"
        }
        // Rule: buffer-is-a-slice
        // A container owns memory of the host.
        Refused::HostOwned => {
            "this type owns memory of the host; upload the data with `device.upload(..)` and take `&[T]` to read or `DisjointSlice<T>` to write"
        }
        // Rule: handle-is-a-slice
        // What the host holds of memory on a device is a handle of the host; the kernel gets the memory itself.
        Refused::HostHandle => {
            "this is the host's handle of memory; take `&[T]` to read or `mut out: DisjointSlice<T>` to write, and give `launch` the handle"
        }
        // Rule: elements-are-values
        // References in device memory would point into the host's.
        Refused::ReferenceElement => {
            "a kernel cannot follow references into the host's memory; upload the values themselves and take `&[T]` instead of `&[&T]`"
        }
        // Rule: leader-comes-from-its-group
        // One thread of each block holds it, so no launch can hand it to all.
        Refused::Leader => {
            "only one thread of each block or warp has the leader; take `block: Block`, and `if let Some(leader) = block.leader()` in the body"
        }
        // Rule: shared-array-is-made-inside
        // Shared memory belongs to a block of the launch, not to the host code that launches.
        Refused::SharedArray => {
            "shared memory is made in the kernel: take `mut tile: SharedTile<T, N>`, or write `let array = shared_array!(T, N);` in the body"
        }
        // Rule: type-parameter-has-a-name
        // The handle needs a name for the type: `map<F>`.
        Refused::ImplTrait => {
            "name the type parameter: write `fn kernel<F: Fn(f32) -> f32 + Copy>(.., f: F)` instead of `impl Fn(f32) -> f32`"
        }
        // Rule: fn-pointer-is-a-type-parameter
        // The address of a host function means nothing on the device; a type parameter names the function itself.
        Refused::FnPointer => {
            "the address of a host function means nothing to a GPU; take a type parameter, `fn kernel<F: Fn(f32) -> f32 + Copy>(.., f: F)`"
        }
        // Rule: output-names-its-element
        // `launch` needs the element type for its own signature.
        Refused::ElementMissing => {
            "an output names its element; write `DisjointSlice<f32>` or `DisjointSlice2D<f32>`"
        }
        // Rule: tensor-names-element-and-rank
        // `launch` needs both for its own signature.
        Refused::RankMissing => {
            "a tensor names its element and how many dimensions it has; write `TensorSource<f32, 2>` or `TensorTarget<f32, 2>`"
        }
    };
    errors.push(&param.ty, message);
}
