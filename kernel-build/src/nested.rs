//! This crate as the nested build compiles it, in place of `lib.rs`: the same interface, without the device pass.
//!
//! Build scripts of the nested build have nothing to compile, so the crate behind them need not be compiled twice. The compiler wrapper
//! of the nested build puts this file in place of the other (`wrapper.rs`).

mod builder;
mod options;

/// In place of the module that runs the nested build, in which this one already is.
mod pass {
    pub(crate) fn enter(_: &crate::Builder) {
        println!("cargo::rustc-check-cfg=cfg(warploom_device)");
        println!("cargo::rerun-if-changed=build.rs");
    }
}

pub use builder::Builder;
pub use options::Arch;

/// Tells cargo what the build script depends on.
pub fn compile() {
    Builder::new().compile();
}
