//! What is made of findings and of what the detector observed: text, pages, lints, and which findings are allowed.

pub(crate) mod html; // a page about a kernel
pub(crate) mod lints; // what a run shows of performance
mod render; // findings as text
mod suppress; // findings that the user has allowed

pub use html::Page;
pub use render::colours;

pub use suppress::{Allowance, Allowances};
