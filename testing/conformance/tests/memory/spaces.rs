//! Which memory a pointer points into, and the way there and back.

use warploom::device_std::address::{
    SharedPtr, address_from_global, address_from_local, address_to_global, address_to_local,
    is_constant, is_global, is_grid_constant, is_local, is_shared,
};
use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

/// A bit for each predicate.
#[inline(never)]
fn spaces(p: *const u32) -> u32 {
    u32::from(is_global(p))
        | u32::from(is_shared(p)) << 1
        | u32::from(is_local(p)) << 2
        | u32::from(is_constant(p)) << 3
}

#[kernel]
fn ask(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<[u32; 5]>, n: u32) {
    let tile = shared_array!(u32, 70);
    let dynamic = dynamic_shared!(u32);
    let own = [i.get() as u32, 5, n];
    let Some(y) = y.get_mut(i) else { return };
    let target: *const u32 = &raw const y[0];
    *y = [
        spaces(&x[i.get()]),
        // SAFETY: within the array; nothing is read.
        spaces(unsafe { tile.as_ptr().add(block.thread()) }),
        spaces(dynamic.as_ptr()),
        spaces(&own[n as usize % 3]),
        spaces(target) | u32::from(is_grid_constant(target)) << 4,
    ];
}

//@ rows: AS-1, AS-2, AS-3, AS-4, AS-5
#[test]
fn every_pointer_is_in_its_own_space_alone() {
    let (global, shared, local) = (1, 2, 4);
    check(
        &[[global, shared, shared, local, global]; 140],
        |device, stream| {
            let (x, mut y) = (device.zeroed::<u32>(140)?, device.zeroed::<[u32; 5]>(140)?);
            ask::launch(stream, Launch::new(2, 70).dynamic_shared(64), &x, &mut y, 1)?;
            Ok(y.to_vec(stream)?)
        },
    );
}

constant_static! {
    static TABLE: [u32; 3] = [4, 5, 6];
}

/// What the predicates say of a constant static and of a parameter that all threads read at one place.
#[kernel]
fn ask_constants(i: Index1D, parameter: GridConst<[u32; 9]>, mut y: DisjointSlice<[u32; 3]>) {
    let k = i.get() % 3;
    let constant: *const u32 = &TABLE[k];
    let shared_by_all: *const u32 = &parameter.get()[3 * k];
    if let Some(y) = y.get_mut(i) {
        *y = [
            spaces(constant),
            u32::from(is_grid_constant(constant)),
            u32::from(is_grid_constant(shared_by_all)),
        ];
    }
}

/// The emulator has neither of these memories: there both are in global memory.
//@ rows: AS-3, AS-4
#[test]
fn constants_and_parameters_have_spaces_of_their_own_on_gpus() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<[u32; 3]>(140)?;
        ask_constants::launch(stream, (2, 70), [7; 9], &mut y)?;
        let (global, constant) = (1, 8);
        let expected = if device.is_gpu() {
            [constant, 0, 1]
        } else {
            [global, 0, 0]
        };
        assert_eq!(y.to_vec(stream)?, [expected; 140], "on {}", device.name());
        Ok(())
    });
}

/// 1 for each way that leads back to where it began.
#[kernel]
fn there_and_back(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<[u32; 4]>, n: u32) {
    let tile = shared_array!(u32, 70);
    // SAFETY: each thread its own element.
    unsafe { tile.set(block.thread(), i.get() as u32 + 9) };
    // SAFETY: within the array.
    let element = unsafe { tile.as_ptr().add(block.thread()) };
    block.sync();
    let short = SharedPtr::from_generic(element);
    let number = short.as_u32();
    let back = SharedPtr::<u32>::from_u32(number).as_ptr();
    // SAFETY: the element by its pointer.
    let read = || unsafe { back.read() };
    // SAFETY: the GPU reads the same element by its address in shared memory.
    let value: u32 = unsafe {
        ptx!("ld.shared.u32 {v}, [{a}];", v = out(u32), a = in(u32) number, cpu = { let _ = a; read() })
    };
    let own = [n; 4];
    let p: *const u32 = &own[n as usize % 4];
    let q: *mut u32 = address_from_local(address_to_local(p));
    let global: *const u32 = &x[i.get()];
    let Some(y) = y.get_mut(i) else { return };
    *y = [
        u32::from(
            back == element
                && SharedPtr::new(element).is_some()
                && SharedPtr::new(global.cast_mut()).is_none(),
        ),
        u32::from(value == i.get() as u32 + 9),
        u32::from(std::ptr::eq(
            address_from_global::<u32>(address_to_global(global)),
            global,
        )),
        // SAFETY: the same place as `p`.
        u32::from(std::ptr::eq(q, p) && unsafe { q.read() } == n),
    ];
}

//@ rows: AS-6, AS-7, AS-8
#[test]
fn addresses_lead_there_and_back() {
    check(&[[1; 4]; 140], |device, stream| {
        let (x, mut y) = (device.zeroed::<u32>(140)?, device.zeroed::<[u32; 4]>(140)?);
        there_and_back::launch(stream, (2, 70), &x, &mut y, 3)?;
        Ok(y.to_vec(stream)?)
    });
}
