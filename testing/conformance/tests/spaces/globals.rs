//! `device_static!`: written by kernels, copied in and out by the host. Each test has statics of its own: emulators share theirs.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI16, AtomicU8, AtomicU32, AtomicU64};

use warploom::device_std::DeviceCell;
use warploom::device_std::atomic::{self, scope};
use warploom::prelude::*;
use warploom_device_std::device_static;
use warploom_harness::device_test::{devices, on_each_device, on_each_kind_of_device};
use warploom_runtime::{Symbol, SymbolError};

device_static! {
    /// Four at first.
    pub static COUNT: AtomicU32 = AtomicU32::new(4);
}

#[kernel]
fn count(i: Index1D, mut seen: DisjointSlice<u32>) {
    let before = COUNT.fetch_add(1, Relaxed);
    if let Some(seen) = seen.get_mut(i) {
        *seen = before;
    }
}

//@ rows: MS-1, GVAR-1
#[test]
fn the_first_kernel_finds_the_initial_value() {
    on_each_kind_of_device(|device, stream| {
        let mut seen = device.zeroed(70)?;
        count::launch(stream, (2, 35), &mut seen)?;
        let mut seen = seen.to_vec(stream)?;
        seen.sort_unstable();
        assert_eq!(seen, Vec::from_iter(4..74), "each thread counts from 4 on");
        Ok(())
    });
}

device_static! {
    static STAGES: [AtomicU64; 3] = [AtomicU64::new(1), AtomicU64::new(2), AtomicU64::new(u64::MAX)];
}

#[kernel]
fn first_stage(i: Index1D, x: &[u64]) {
    if let Some(x) = x.get(i.get()) {
        STAGES[i.get() % 2].fetch_add(*x, Relaxed);
    }
}

#[kernel]
fn second_stage(i: Index1D, mut y: DisjointSlice<u64>) {
    if let Some(y) = y.get_mut(i) {
        *y = STAGES[i.get() % 3].load(Relaxed);
    }
}

//@ rows: MS-1, GVAR-1, GPM-9
#[test]
fn what_one_kernel_writes_the_next_one_reads() {
    on_each_kind_of_device(|device, stream| {
        let x = Vec::from_iter(0..150u64);
        let mut y = device.zeroed(7)?;
        first_stage::launch(stream, (5, 33), &device.upload(&x)?)?;
        second_stage::launch(stream, (1, 7), &mut y)?;
        let (even, odd) = (1 + 74 * 75, 2 + 75 * 75);
        let expected = [even, odd, u64::MAX, even, odd, u64::MAX, even];
        assert_eq!(y.to_vec(stream)?, expected);
        Ok(())
    });
}

device_static! {
    static SMALL: [AtomicU8; 5] = [const { AtomicU8::new(7) }; 5];
    static HALF: AtomicI16 = AtomicI16::new(-3);
    static REAL: AtomicF32 = AtomicF32::new(1.5);
    static WIDE: [[DeviceCell<[u32; 3]>; 2]; 2] = [const { [const { DeviceCell::new([1, 2, 3]) }; 2] }; 2];
}

#[kernel]
fn exchange(i: Index1D, mut y: DisjointSlice<[u32; 4]>) {
    let n = i.get();
    if n < 5 {
        SMALL[n].store(SMALL[n].load(Relaxed) + n as u8, Relaxed);
    }
    if n == 9 {
        HALF.store(HALF.load(Relaxed) - 1, Relaxed);
        // SAFETY: one thread of the only kernel that runs writes this cell, and others read it in the next kernel.
        unsafe { WIDE[1][0].set([n as u32; 3]) };
    }
    REAL.fetch_add(0.25);
    if let Some(y) = y.get_mut(i) {
        // SAFETY: no thread writes the other cells.
        *y = [0, 1, 2, 0].map(|k| unsafe { WIDE[0][1].get() }[k]);
    }
}

//@ rows: MS-3, GVAR-1, GDM-10
#[test]
fn every_type_goes_both_ways() {
    on_each_device(|device, stream| {
        let (small, half) = (device.symbol(&SMALL)?, device.symbol(&HALF)?);
        let (real, wide) = (device.symbol(&REAL)?, device.symbol(&WIDE)?);
        assert_eq!((small.size(), half.size(), wide.size()), (5, 2, 48));
        small.write(stream, &[250, 1, 2, 3, 4])?;
        half.write(stream, &-300)?;
        real.write(stream, &2.5)?;
        wide.write(stream, &[[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]])?;
        let mut y = device.zeroed(20)?;
        exchange::launch(stream, (2, 10), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [[4, 5, 6, 4]; 20]);
        assert_eq!(small.read(stream)?, [250, 2, 4, 6, 8]);
        assert_eq!(half.read(stream)?, -301);
        assert_eq!(real.read(stream)?, 7.5);
        assert_eq!(wide.read(stream)?[1], [[9; 3], [10, 11, 12]]);
        Ok(())
    });
}

device_static! {
    static ADDRESSED: [AtomicU32; 4] = [const { AtomicU32::new(11) }; 4];
}

#[kernel]
fn through_address(i: Index1D, address: u64, mut y: DisjointSlice<[u64; 2]>) {
    if let Some(y) = y.get_mut(i) {
        let own = &raw const ADDRESSED[1];
        // SAFETY: the host passes the address of `ADDRESSED`, four atomics that are valid as long as the device.
        let given =
            unsafe { &*std::ptr::with_exposed_provenance::<[AtomicU32; 4]>(address as usize) };
        *y = [
            own.expose_provenance() as u64,
            given[1].fetch_add(1, Relaxed).into(),
        ];
    }
}

//@ rows: MS-3, GVAR-12, GDM-10
#[test]
fn the_address_is_that_of_kernels() {
    on_each_device(|device, stream| {
        let symbol: Symbol<[u32; 4]> = device.symbol(&ADDRESSED)?;
        symbol.write(stream, &[0; 4])?;
        let mut y = device.zeroed(6)?;
        through_address::launch(stream, (2, 3), symbol.address(), &mut y)?;
        let mut y = y.to_vec(stream)?;
        y.sort_unstable();
        let expected = Vec::from_iter((0..6).map(|n| [symbol.address() + 4, n]));
        assert_eq!(y, expected);
        assert_eq!(symbol.read(stream)?, [0, 6, 0, 0]);
        Ok(())
    });
}

device_static! {
    static UNUSED: AtomicU32 = AtomicU32::new(3);
}

//@ rows: MS-3
#[test]
fn a_static_that_no_kernel_uses_is_an_error_on_gpus() {
    for device in devices() {
        match device.symbol(&UNUSED) {
            Ok(_) => assert!(!device.is_gpu()),
            Err(error) => assert!(matches!(error, SymbolError::Unused { .. }), "{error}"),
        }
    }
}

//@ rows: MS-3
#[test]
fn a_stream_of_another_device_is_refused() {
    let (device, other) = (Device::emulator(), Device::emulator());
    let symbol = device.symbol(&UNUSED).unwrap();
    let stream = other.stream().unwrap();
    let error = symbol.read(&stream).unwrap_err();
    assert!(matches!(error, SymbolError::WrongDevice { .. }), "{error}");
    assert!(symbol.write(&stream, &1).is_err());
}

device_static! {
    static OWN: AtomicU32 = AtomicU32::new(1);
}

#[kernel]
fn double_own(i: Index1D) {
    if i.get() == 0 {
        OWN.store(OWN.load(Relaxed) * 2, Relaxed);
    }
}

//@ rows: MS-1
#[test]
fn each_opened_gpu_has_an_instance() {
    on_each_device(|device, stream| {
        let symbol = device.symbol(&OWN)?;
        symbol.write(stream, &21)?;
        double_own::launch(stream, (1, 32))?;
        assert_eq!(symbol.read(stream)?, 42);
        let again = if device.is_gpu() {
            Device::cuda(0)?
        } else {
            Device::emulator()
        };
        let other = again.symbol(&OWN)?.read(&again.stream()?)?;
        assert_eq!(other, if device.is_gpu() { 1 } else { 42 });
        Ok(())
    });
}

//@ rows: GVAR-12, GVAR-15
#[test]
fn host_code_cannot_mistake_its_own_memory_for_the_devices() {
    let text = std::panic::catch_unwind(|| COUNT.load(Relaxed)).unwrap_err();
    let text = text.downcast_ref::<String>().unwrap();
    assert!(
        text.contains("globals::COUNT` is in device memory"),
        "{text}"
    );
    assert!(text.contains("`device.symbol(&COUNT)?`"), "{text}");
}

/// A static may stand in the function that uses it, and another of its name in another.
fn tick() -> u32 {
    device_static! {
        static TICKS: AtomicU32 = AtomicU32::new(10);
    }
    TICKS.fetch_add(1, Relaxed)
}

mod inner {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    warploom_device_std::device_static! {
        static TICKS: AtomicU32 = AtomicU32::new(1000);
    }

    pub(super) fn tick() -> u32 {
        TICKS.fetch_add(1, Relaxed)
    }
}

#[kernel]
fn tick_both(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = if i.get().is_multiple_of(2) {
            tick()
        } else {
            inner::tick()
        };
    }
}

//@ rows: GVAR-11
#[test]
fn statics_of_one_name_in_two_places_are_two() {
    on_each_kind_of_device(|device, stream| {
        let mut y = device.zeroed(66)?;
        tick_both::launch(stream, (2, 33), &mut y)?;
        let mut y = y.to_vec(stream)?;
        y.sort_unstable();
        assert_eq!(y, Vec::from_iter((10..43).chain(1000..1033)));
        Ok(())
    });
}

device_static! {
    static LARGEST: Atomic<u64> = Atomic::new(5);
    static PER_CLASS: [Atomic<i32, scope::System>; 3] = [const { Atomic::new(-1) }; 3];
}

#[kernel]
fn classify(i: Index1D, x: &[u64]) {
    if let Some(x) = x.get(i.get()) {
        LARGEST.fetch_max(*x, atomic::Relaxed);
        PER_CLASS[(*x % 3) as usize].fetch_add(1, atomic::Relaxed);
    }
}

//@ rows: MS-1, GVAR-1
#[test]
fn atomics_of_every_type_and_scope_are_statics() {
    on_each_kind_of_device(|device, stream| {
        let x = Vec::from_iter((0..100u64).map(|k| k * k));
        classify::launch(stream, (4, 32), &device.upload(&x)?)?;
        assert_eq!(device.symbol(&LARGEST)?.read(stream)?, 99 * 99);
        let classes = device.symbol(&PER_CLASS)?;
        // Squares are 0 or 1 modulo 3: those of 34 multiples of 3, and of 66 others.
        assert_eq!(classes.read(stream)?, [33, 65, -1]);
        classes.write(stream, &[7; 3])?;
        assert_eq!(classes.read(stream)?, [7; 3]);
        Ok(())
    });
}
