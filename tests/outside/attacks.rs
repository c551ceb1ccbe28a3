//! Safe code that tries to get around the checks. Two packages, one program per attack.

use crate::support::{Outside, target_folder};

/// A kernel of one closure, in each program of [`ADDRESSES`].
const MAP: &str = "use warploom::prelude::*;

#[kernel]
pub fn map<F: Fn(u32) -> u32 + Copy + Send + Sync + 'static>(i: Index1D, mut y: DisjointSlice<u32>, f: F) {
    if let Some(y) = y.get_mut(i) {
        *y = f(*y);
    }
}

pub fn run(f: impl Fn(u32) -> u32 + Copy + Send + Sync + 'static) {
    let device = Device::open().unwrap();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed::<u32>(10).unwrap();
    map::launch(&stream, Launch::covering(10), &mut y, f).unwrap();
    println!(\"{}\", y.to_vec(&stream).unwrap()[9]);
}
";

/// Values that hold an address of the host: the program's name, items, and statements that end in the value.
const ADDRESSES: &[(&str, &str, &str)] = &[
    (
        "reference",
        "",
        "let r: &'static u32 = Box::leak(Box::new(5)); move |v| v + *r",
    ),
    (
        "in-option",
        "",
        "let r: Option<&'static u32> = Some(Box::leak(Box::new(5))); move |v| v + *r.unwrap_or(&1)",
    ),
    (
        "text",
        "",
        "let s: &'static str = String::from(\"abc\").leak(); move |v| v + s.len() as u32",
    ),
    (
        "in-struct",
        "#[derive(Clone, Copy)]\nstruct Scale(u64, [&'static u32; 2]);\n",
        "let s = Scale(1, [&2, &3]); move |v| v * *s.1[1] + s.0 as u32",
    ),
    (
        "dynamic",
        "",
        "let d: &'static (dyn Fn(u32) -> u32 + Sync) = &|v| v + 1; move |v| d(v)",
    ),
    (
        "function-pointer",
        "",
        "let f: fn(u32) -> u32 = u32::swap_bytes; f",
    ),
    (
        "captured-pointer",
        "fn first<'a>(a: &'a u32, _: u8) -> &'a u32 {\n    a\n}\n",
        "let f: for<'a> fn(&'a u32, u8) -> &'a u32 = first; move |v| *f(&v, 1)",
    ),
    (
        "location",
        "",
        "let here = *std::panic::Location::caller(); move |v| v + here.file().len() as u32",
    ),
];

/// The same by a trait that has the name of a closure's, so that the kernel's signature reads like one with a closure.
const OWN_TRAIT: &str = "use warploom::prelude::*;

trait Fn {
    fn value(&self) -> u32;
}

impl Fn for &'static u32 {
    fn value(&self) -> u32 {
        **self
    }
}

#[kernel]
fn store<F: Fn + Copy + Send + Sync + 'static>(i: Index1D, mut y: DisjointSlice<u32>, f: F) {
    if let Some(y) = y.get_mut(i) {
        *y = f.value();
    }
}

fn main() {
    let device = Device::open().unwrap();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed::<u32>(10).unwrap();
    let host: &'static u32 = Box::leak(Box::new(5));
    store::launch(&stream, Launch::covering(10), &mut y, host).unwrap();
}
";

/// Closures and functions that hold no address, through a generic function without further bounds, in a crate without unsafe code.
const NUMBERS: &str = "#![forbid(unsafe_code)]
#[path = \"../map.rs\"]
mod map;
use std::marker::PhantomData;

fn add(v: u32) -> u32 {
    v + 40
}

fn main() {
    let (n, unused) = (Some(30_u32), PhantomData::<fn(&u8) -> &u8>);
    map::run(move |v| v + n.unwrap_or(1) + size_of_val(&unused) as u32);
    map::run(add);
}
";

/// An attribute that replaces one text in what is below it by another.
const REWRITE: &str = "use proc_macro::TokenStream;

#[proc_macro_attribute]
pub fn rewrite(texts: TokenStream, item: TokenStream) -> TokenStream {
    let texts = texts.to_string();
    let mut texts = texts.split('\"').skip(1).step_by(2);
    let (from, to) = (texts.next().unwrap(), texts.next().unwrap());
    let item = item.to_string();
    assert!(item.contains(from), \"no {from:?} in {item}\"); // rustc puts spaces between most tokens
    item.replace(from, to).parse().unwrap()
}
";

/// What is different in the end from what the macro saw, and what rustc says: the program's name, its source, and parts of the message.
const REWRITTEN: &[(&str, &str, &[&str])] = &[
    (
        "slice-outlives-launch",
        "use std::sync::Mutex;

static KEPT: Mutex<&'static [u32]> = Mutex::new(&[]);

#[kernel]
#[rewrite(\"& [\", \"&'static [\")]
fn keep(x: &[u32]) {
    *KEPT.lock().unwrap() = x;
}
",
        &["borrow lasts for `'static`"],
    ),
    (
        "plain-reference",
        "#[derive(Clone, Copy, Plain)]
#[rewrite(\"usize\", \"&'static usize\")]
#[repr(C)]
struct Element {
    at: usize,
}
",
        &["error[E0277]", "write that attribute above the derive"],
    ),
    (
        "plain-more-fields",
        "#[derive(Clone, Copy, Plain)]
#[rewrite(\"at: u32\", \"at: u32, valid: [bool; 4]\")]
#[repr(C)]
struct Element {
    at: u32,
}
",
        &["pattern requires `..` due to inaccessible fields"],
    ),
    (
        "plain-reordered",
        "#[derive(Clone, Copy, Plain)]
#[rewrite(\"repr(C)\", \"repr(Rust)\")]
#[repr(C)]
struct Element {
    first: u8,
    second: u16,
    third: u8,
    fourth: u8,
    fifth: u8,
    sixth: u8,
    seventh: u8,
}
",
        &["error[E0080]", "attribute below `#[derive(Plain)]`"],
    ),
    (
        "plain-aligned",
        "#[derive(Clone, Copy, Plain)]
#[rewrite(\"transparent\", \"align(64)\")]
#[repr(transparent)]
struct Element(u32);
",
        &["error[E0080]", "`Element` has padding bytes"],
    ),
    (
        "argument-reference",
        "#[derive(Clone, Copy, KernelArg)]
#[rewrite(\"u64\", \"&'static u64\")]
enum Edge {
    Clamp,
    Value(u64),
}
",
        &["error[E0277]", "write that attribute above the derive"],
    ),
];

/// Names of the user's that our expansions must not take for core's or for ours: the program's name, its source, and parts of the message.
const SHADOWED: &[(&str, &str, &[&str])] = &[
    (
        "own-core",
        "extern crate self as core;
pub mod mem {
    pub const fn size_of<T>() -> usize {
        8
    }
}
#[macro_export]
macro_rules! assert {
    ($($any:tt)*) => {
        ()
    };
}

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Element {
    small: u8,
    large: u32,
}
",
        &["error[E0080]", "`Element` has padding bytes"],
    ),
    (
        "own-tie",
        "use kept::Index1D;
use std::cell::Cell;

mod kept {
    pub type Index1D = warploom::device_std::Index1D<'static>;
}

trait Loosen: Sized {
    fn tie<W>(self, witness: W) -> W {
        witness
    }
}
impl Loosen for warploom::device_std::scope::Scope {}

thread_local!(static KEPT: Cell<Option<Index1D>> = const { Cell::new(None) });

#[kernel]
fn keep(i: Index1D) {
    KEPT.set(Some(i));
}
",
        &["borrow lasts for `'static`"],
    ),
];

/// Methods of the names that expansions call, which take `self` by value: rustc prefers those to ours by reference.
const OWN_METHODS: &str = "#![allow(unused_imports, dead_code)]
use warploom::launch::{ByValue, SliceParts};
use warploom::prelude::*;

trait Elsewhere<T>: Sized {
    fn as_ptr(self) -> *const T {
        std::ptr::dangling()
    }
    fn as_mut_ptr(self) -> *mut T {
        std::ptr::dangling_mut()
    }
    fn len(self) -> usize {
        1 << 40
    }
}
impl<T> Elsewhere<T> for SliceParts<T> {}

trait Another: Sized {
    fn get(self) -> u32 {
        99
    }
}
impl Another for ByValue<u32> {}

/// In a module, so that the traits above keep their types.
#[allow(non_camel_case_types)]
mod shadows {
    use super::{Another as _, Elsewhere as _};
    use ::warploom::prelude::*;

    struct Vec;
    struct Result;
    struct Option;
    type usize = u8;
    type u64 = u8;
    mod core {}
    mod warploom {}

    #[kernel(requires(x.len() == y.len()))]
    pub fn copy(i: Index1D, x: &[u32], add: u32, mut y: DisjointSlice<u32>) {
        if let Some(y) = y.get_mut(i) {
            *y = x[i.get() + 900] + add;
        }
    }

    #[kernel(cooperative)]
    pub fn together(i: Index1D, grid: CooperativeGrid, mut y: DisjointSlice<u32>) {
        grid.sync();
        if let Some(y) = y.get_mut(i) {
            *y += 7;
        }
    }
}
use shadows::{copy, together};

fn main() {
    let device = Device::open().unwrap();
    let stream = device.stream().unwrap();
    let x = device.upload(&[1; 1000]).unwrap();
    let mut y = device.upload(&[0; 1000]).unwrap();
    copy::launch(&stream, (1, 100), &x, 20, &mut y).unwrap();
    together::launch(&stream, (1, 100), &mut y).unwrap();
    let y = y.to_vec(&stream).unwrap();
    println!(\"{} {}\", y[99], y[999]);
    let short = device.upload(&[1; 10]).unwrap();
    let mut y = device.upload(&[0; 11]).unwrap();
    println!(\"{}\", copy::launch(&stream, (1, 5), &short, 20, &mut y).is_err());
}
";

/// What cargo says of the program `name`: all messages with a line of its file.
fn messages(said: &str, name: &str) -> String {
    let file = format!("src/bin/{name}.rs:");
    let about = said.split("\n\n").filter(|text| text.contains(&file));
    about.collect::<Vec<_>>().join("\n\n")
}

fn package() -> Outside {
    let mut outer = Outside::package("attacks")
        .file("rewrite/Cargo.toml", "[package]\nname = \"attacks-rewrite\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[lib]\nproc-macro = true\n")
        .file("rewrite/src/lib.rs", REWRITE)
        .file("src/map.rs", MAP)
        .file("src/bin/own-trait.rs", OWN_TRAIT)
        .file("src/bin/numbers.rs", NUMBERS)
        .file("src/bin/own-methods.rs", OWN_METHODS);
    outer.replace(
        "Cargo.toml",
        "[dependencies]\n",
        "[dependencies]\nattacks-rewrite = { path = \"rewrite\" }\n",
    );
    for (name, items, value) in ADDRESSES {
        let source = format!("{MAP}\n{items}\nfn main() {{\n    run({{ {value} }});\n}}\n");
        outer = outer.file(&format!("src/bin/{name}.rs"), &source);
    }
    for (name, source, _) in REWRITTEN.iter().chain(SHADOWED) {
        let source = format!(
            "#![allow(unused_imports, dead_code)]\nuse attacks_rewrite::rewrite;\nuse warploom::prelude::*;\n\n{source}\nfn main() {{}}\n"
        );
        outer = outer.file(&format!("src/bin/{name}.rs"), &source);
    }
    outer
}

#[test]
fn no_address_and_no_rewritten_type_gets_past_the_checks() {
    let outer = package();
    let said = outer.cargo(&["build", "--keep-going"]).text;
    println!("{said}");
    for (name, ..) in ADDRESSES.iter().copied().chain([("own-trait", "", "")]) {
        let about = messages(&said, name);
        for expected in [
            "a kernel is passed a value of type `",
            "which holds an address of the host's memory",
            "pass arrays as `&[T]`",
            &format!("called at src/bin/{name}.rs:"),
        ] {
            assert!(
                about.contains(expected),
                "{name}: no {expected:?} in\n{about}"
            );
        }
    }
    for (name, _, expected) in REWRITTEN.iter().chain(SHADOWED) {
        let about = messages(&said, name);
        for expected in *expected {
            assert!(
                about.contains(expected),
                "{name}: no {expected:?} in\n{about}"
            );
        }
    }
    for (name, prints) in [("numbers", "30\n40\n"), ("own-methods", "28 0\ntrue\n")] {
        let program = format!("debug/{name}");
        assert!(
            target_folder().join(&program).exists(),
            "{name} was not built"
        );
        assert_eq!(outer.prints(&program), prints, "{name}");
    }
}

/// What each program of `refused.txt` begins with.
const PRELUDE: &str = "#![allow(unused, non_camel_case_types)]\nuse warploom::prelude::*;\n\n";

/// Witnesses, tiles and memory that are kept, sent, copied or made; values that a kernel must not have; traits that only we implement; launches
/// that borrow twice; conditions that could answer differently; names of the user's.
#[test]
fn programs_of_safe_code_are_refused() {
    let programs: Vec<(&str, &str, &str)> = include_str!("refused.txt")
        .split("\n=== ")
        .skip(1)
        .map(|program| {
            let (head, source) = program.split_once('\n').unwrap();
            let (name, expected) = head.split_once(": ").unwrap();
            (name, expected, source)
        })
        .collect();
    assert!(programs.len() > 150, "{} programs", programs.len());
    let mut outer = Outside::package("refused")
        .env("WARPLOOM_DEVICE_CODE", "0") // rustc alone refuses them
        .file("src/bin/accepted.rs", &format!("{PRELUDE}fn main() {{}}\n"));
    for (name, _, source) in &programs {
        outer = outer.file(&format!("src/bin/{name}.rs"), &format!("{PRELUDE}{source}"));
    }
    let said = outer.cargo(&["check", "--keep-going", "--message-format=short"]);
    let errors_of = |name: &str| {
        let place = format!("src/bin/{name}.rs:");
        let lines = said.text.lines();
        lines
            .filter(|line| line.starts_with(&place) && line.contains(" error"))
            .collect::<Vec<_>>()
    };
    assert!(errors_of("accepted").is_empty(), "{}", said.text);
    for (name, expected, _) in programs {
        let errors = errors_of(name);
        assert!(
            errors.iter().any(|error| error.contains(expected)),
            "{name}: no {expected:?} in {errors:#?}"
        );
    }
}
