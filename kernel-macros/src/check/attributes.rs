//! Rules about other attributes on the kernel.

use crate::errors::Errors;
use crate::kernel::Kernel;

pub(super) fn all(errors: &mut Errors, kernel: &Kernel) {
    kernel_has_no_symbol(errors, kernel);
    kernel_is_not_inlined(errors, kernel);
    kernel_is_not_a_test(errors, kernel);
    kernel_has_no_caller(errors, kernel);
    kernel_has_no_target_features(errors, kernel);
}

/// Reports each attribute of one of these names.
fn refuse(errors: &mut Errors, kernel: &Kernel, names: &[&str], remedy: &str) {
    for attribute in &kernel.item.attrs {
        let mut path = attribute.path().clone();
        // `#[unsafe(no_mangle)]` wraps the name.
        if path.is_ident("unsafe")
            && let Ok(inner) = attribute.parse_args::<syn::Meta>()
        {
            path = inner.path().clone();
        }
        if let Some(last) = path.segments.last()
            && names.iter().any(|name| last.ident == name)
        {
            errors.push(
                attribute,
                format_args!("`{}` has no meaning on a kernel: {remedy}", last.ident),
            );
        }
    }
}

// Rule: kernel-has-no-symbol
// The entry's name is made by the device pass: one function may have many instances.
fn kernel_has_no_symbol(errors: &mut Errors, kernel: &Kernel) {
    refuse(
        errors,
        kernel,
        &["no_mangle", "export_name", "link_section", "linkage"],
        "the device pass names the entry; remove the attribute and launch it by path",
    );
}

// Rule: kernel-is-not-inlined
// An entry is called by the hardware; there is nothing to inline it into.
fn kernel_is_not_inlined(errors: &mut Errors, kernel: &Kernel) {
    refuse(
        errors,
        kernel,
        &["inline", "cold"],
        "the hardware calls it; put the attribute on a function that the kernel calls",
    );
}

// Rule: kernel-is-not-a-test
// The test runner calls a function on the host, once and without arguments.
fn kernel_is_not_a_test(errors: &mut Errors, kernel: &Kernel) {
    refuse(
        errors,
        kernel,
        &["test", "bench", "should_panic", "ignore"],
        "write a test function that launches the kernel and checks the result",
    );
}

// Rule: kernel-has-no-caller
// A launch tracks its caller already; inside the kernel there is no caller to track and no result to use.
fn kernel_has_no_caller(errors: &mut Errors, kernel: &Kernel) {
    refuse(
        errors,
        kernel,
        &["track_caller", "must_use"],
        "no Rust function calls it; `launch` reports its call site already, so remove the attribute",
    );
}

// Rule: kernel-has-no-target-features
// The attribute names features of the host's processor.
fn kernel_has_no_target_features(errors: &mut Errors, kernel: &Kernel) {
    refuse(
        errors,
        kernel,
        &["target_feature"],
        "it names features of the host's processor; choose the GPU architecture in build.rs",
    );
}
