use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use warploom_device_std::statics::Static as _;
use warploom_device_std::{constant_static, device_static, managed_static};
use warploom_manifest::instrumented::{Global, Static};
use warploom_manifest::{Location, Space};

use super::*;
use crate::Device;

device_static! { static COUNT: [AtomicU32; 2] = [const { AtomicU32::new(4) }; 2]; }
constant_static! { static SCALE: [u16; 3] = [1, 2, 3]; }
managed_static! { static TOTAL: AtomicU64 = AtomicU64::new(10); }

/// What the device pass says of a static, and of the variable that stands for it.
fn described(path: &str, space: Space, place: bool, bytes: usize) -> (Static, Global) {
    let path = format!("{}::{path}", module_path!());
    let name = known().map(|one| one.name()).find(|name| name.path == path);
    let (file, line, column) = name.map_or(("", 0, 0), |name| (name.file, name.line, name.column));
    let at = Location {
        file: format!("/somewhere/else/{file}"),
        line,
        column,
    };
    let of = Static {
        space,
        place,
        name: path,
        at,
    };
    let global = Global {
        name: "symbol".to_owned(),
        bytes: bytes as u64,
        constant: false,
        of: None,
    };
    (of, global)
}

fn connect_to<T>(variable: &mut T, (of, global): (Static, Global)) -> Result<Kind, String> {
    // SAFETY: a writable variable of this size.
    unsafe { connect(&of, &global, (&raw mut *variable).cast()) }
}

#[test]
fn the_place_of_a_device_static_gets_the_programs_address() {
    let mut place = 0_usize;
    connect_to(&mut place, described("COUNT", Space::Device, true, 8)).unwrap();
    assert_eq!(place, COUNT.emulated().addr());
}

#[test]
fn a_managed_static_gets_the_programs_address_at_its_start() {
    let mut variable = [0_u64, 10];
    connect_to(&mut variable, described("TOTAL", Space::Managed, false, 16)).unwrap();
    assert_eq!(variable, [TOTAL.emulated().addr() as u64, 10]);
    let device = Device::emulator();
    device.managed(&TOTAL).unwrap().fetch_add(1, Relaxed);
    let value = std::ptr::with_exposed_provenance::<AtomicU64>(variable[0] as usize);
    TOTAL.emulated().expose_provenance();
    // SAFETY: the address of the static.
    assert_eq!(unsafe { &*value }.load(Relaxed), 11);
}

/// Held by tests that keep a run under way: one that starts after a constant was written waits for the end of all others.
static RUNS_KEPT: Mutex<()> = Mutex::new(());

#[test]
fn a_constant_is_copied_and_follows_the_host() {
    let _alone = RUNS_KEPT.lock();
    // Leaked: the list of copies keeps its address.
    let copy: &'static mut [u16; 3] = Box::leak(Box::new([0; 3]));
    let at: *const [u16; 3] = copy;
    connect_to(copy, described("SCALE", Space::Constant, false, 6)).unwrap();
    // SAFETY: nothing writes it during a run.
    let read = || unsafe { at.read_volatile() };
    {
        let _run = start_run();
        assert_eq!(read(), [1, 2, 3]);
    }
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let symbol = device.symbol(&SCALE).unwrap();
    symbol.write(&stream, &[7, 8, 9]).unwrap();
    assert_eq!(read(), [1, 2, 3]);
    let _run = start_run();
    assert_eq!(read(), [7, 8, 9]);
}

#[test]
fn runs_go_on_side_by_side() {
    let _alone = RUNS_KEPT.lock();
    let first = start_run();
    std::thread::scope(|scope| {
        scope.spawn(|| drop(start_run()));
    });
    drop(first);
}

#[test]
fn what_the_program_has_otherwise_is_an_error() {
    let mut variable = 0_u64;
    for (path, space, place, bytes, part) in [
        (
            "COUNT",
            Space::Device,
            true,
            4,
            "has 8 bytes in the program, but 4",
        ),
        (
            "TOTAL",
            Space::Managed,
            false,
            8,
            "has 16 bytes in the program, but 8",
        ),
        (
            "SCALE",
            Space::Constant,
            false,
            8,
            "has 6 bytes in the program, but 8",
        ),
        (
            "SCALE",
            Space::Device,
            true,
            8,
            "is in Constant memory in the program",
        ),
    ] {
        let error = connect_to(&mut variable, described(path, space, place, bytes)).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(variable, 0);
}

#[test]
fn what_only_the_device_pass_has_stays_as_it_is() {
    let mut variable = 7_u64;
    let kind = connect_to(&mut variable, described("NONE", Space::Device, true, 8));
    assert_eq!((kind, variable), (Ok(Kind::Static), 7));
}
