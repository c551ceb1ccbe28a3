//! What the device pass takes from rustc: flags, unstable features, bitcode, the layout of locations.

use super::probe::{FILE, Probe};
use crate::archive::embedded_bitcode;
use crate::llvm::Value;
use crate::lower::locations::is_location;
use crate::roots::read_location;
use crate::wrapper::{DEVICE_FLAGS, HOST_CRATE_FLAGS};
use warploom_manifest::Location;

/// rustc accepts all flags of device compilations.
pub(super) fn flags(probe: &Probe) -> Result<(), String> {
    match probe.object() {
        Ok(_) => Ok(()),
        Err(all) => Err(refused(probe, DEVICE_FLAGS, &all)),
    }
}

/// Which of the flags rustc refuses. Each is tried by itself: rustc's error need not name it.
pub(super) fn refused(probe: &Probe, flags: &[&str], error: &str) -> String {
    let mut each = flags.iter();
    match each.find(|flag| probe.compile("", &[**flag]).is_err()) {
        Some(flag) => format!("rustc refuses `{flag}`: {error}"),
        None => format!("rustc refuses the flags together: {error}"),
    }
}

/// A library without code can be compiled against, and its generic functions have their bodies.
pub(super) fn host_crates(probe: &Probe) -> Result<(), String> {
    const BELOW: &str = "pub fn one() -> u32 { 1 } pub fn same<T>(value: T) -> T { value }";
    const ABOVE: &str = "pub fn two() -> u32 { below::same(2 * below::one()) }";
    let without_code = [
        &["--crate-name=below", "--emit=metadata,link"],
        DEVICE_FLAGS,
        HOST_CRATE_FLAGS,
    ];
    probe.rustc(BELOW, &without_code.concat())?;
    let above = [&["--extern=below=libbelow.rlib"], DEVICE_FLAGS].concat();
    probe.compile(ABOVE, &above).map(drop)
}

/// The features that `warploom-device-std` and `#[kernel]` use in device compilations.
pub(super) fn features(probe: &Probe) -> Result<(), String> {
    const SOURCE: &str = "\
#![feature(auto_traits, negative_impls, specialization)]
auto trait Plain {}
impl<T: ?Sized> !Plain for &T {}
trait Question { const IS_PLAIN: bool; }
impl<T> Question for T { default const IS_PLAIN: bool = false; }
impl<T: Plain> Question for T { const IS_PLAIN: bool = true; }
const _: () = assert!(<u8 as Question>::IS_PLAIN && !<&u8 as Question>::IS_PLAIN);
pub struct Handle<T>(T);
impl<T> Handle<T> { pub const NAME: &'static str = core::any::type_name::<Self>(); }
#[unsafe(no_mangle)]
pub fn name() -> &'static str { Handle::<u8>::NAME }
";
    probe.compile(SOURCE, DEVICE_FLAGS).map(drop)
}

/// What rustc writes is bitcode that this LLVM reads, with the functions of the crate in it.
pub(super) fn bitcode(probe: &Probe) -> Result<(), String> {
    if embedded_bitcode(probe.object()?).is_none() {
        return Err("rustc writes no bitcode with the flags of device compilations".into());
    }
    let module = probe.compiled()?;
    for name in ["element", "range", "place"] {
        let defined = module.function(name).filter(|f| !f.is_declaration());
        defined
            .ok_or_else(|| format!("the function `{name}` of the crate is not in its bitcode"))?;
    }
    Ok(())
}

/// A location is a constant of the layout that is read and extended.
pub(super) fn locations(probe: &Probe) -> Result<(), String> {
    const LINE: u32 = 5;
    let module = probe.compiled()?;
    let globals = module.globals();
    let locations: Vec<Value<'_>> = globals.into_iter().filter(|g| is_location(*g)).collect();
    if locations.is_empty() {
        return Err("no constant has the type `<{ ptr, [16 x i8] }>`".into());
    }
    let read: Vec<_> = locations.into_iter().filter_map(read_location).collect();
    let expected = |at: &&Location| at.file == FILE && at.line == LINE && at.column == column();
    match read.iter().find(expected) {
        Some(_) => Ok(()),
        None => Err(format!(
            "the location {FILE}:{LINE}:{} is read as another one; found: {read:?}",
            column()
        )),
    }
}

/// Where `Location::caller()` stands in its line.
fn column() -> u32 {
    let mut lines = super::probe::CRATE.lines();
    let column = lines.find_map(|line| line.find("core::panic::Location::caller"));
    column.map_or(0, |at| at as u32 + 1)
}
