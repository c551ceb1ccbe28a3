//! When records are looked for on the driver's side. Threads of the emulator make them, in the ring of a device of the fake driver.

use std::sync::{Arc, Mutex};

use warploom_device_std::print::emit;
use warploom_device_std::print::record::PrintRing;
use warploom_emulator::check::Options;
use warploom_emulator::{Shape, Together, run_with};
use warploom_fake_driver::testing::fake_driver;

use crate::device::{Backend, Device};
use crate::module::Code;
use crate::sync::lock;

const PTX: &str =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n";

/// The ring of a device, as its description tells a kernel's threads. The fake driver has its own copy in memory that only its kernels reach;
/// the ring itself lies in page-locked memory.
fn ring(device: &Device) -> Option<PrintRing> {
    let Backend::Cuda(gpu) = &device.0.backend else {
        return None;
    };
    device.0.prints.cuda_ring(gpu).ok()?;
    let state = lock(&device.0.prints.state);
    let ring = state.ring.as_ref()?;
    let (data, bytes) = (
        ring.words().as_ptr().expose_provenance(),
        8 * ring.words().len(),
    );
    Some(PrintRing {
        head: 0,
        data: data as u64,
        mask: bytes as u64 - 1,
        last: (data + bytes) as u64,
        key: ring.key(),
    })
}

/// One thread prints, as one of a kernel of the device would.
fn print(ring: &mut PrintRing, text: &'static str) {
    let mut options = Options::default();
    options.prints = (&raw mut *ring).expose_provenance();
    let shape = Shape::new([1, 1, 1], [1, 1, 1]);
    let outcome = run_with(shape, Together::default(), &options, &|| emit(text, ()));
    assert_eq!(outcome.fault, None);
}

#[test]
fn modules_print_when_they_are_loaded_and_unloaded() {
    let name = "print::flush_tests::modules_print_when_they_are_loaded_and_unloaded";
    if fake_driver(name, "", &[]).is_none() {
        return;
    }
    let device = Device::cuda(0).unwrap();
    let printed = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&printed);
    device.on_print(move |text| lock(&kept).push(text.to_owned()));
    let take = || std::mem::take(&mut *lock(&printed));

    let mut ring = ring(&device).unwrap();
    print(&mut ring, "before the load");
    assert!(take().is_empty(), "nothing looked for records yet");
    let module = device.load(&Code::ptx(PTX).unwrap()).unwrap();
    assert_eq!(take(), ["before the load"]);
    let same = module.clone();
    print(&mut ring, "before the end");
    drop(module);
    assert!(take().is_empty(), "the module is loaded still");
    drop(same);
    assert_eq!(take(), ["before the end"]);
}
