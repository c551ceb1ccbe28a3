//! The fake answers wrong use as the driver's manual says. Calls its functions directly, without a process of their own.

#![cfg(target_os = "linux")]
#![expect(
    clippy::undocumented_unsafe_blocks,
    clippy::multiple_unsafe_ops_per_block,
    reason = "wrong use of the driver is what is tested; the fake checks all of it"
)]

mod arrays; // memory without addresses
mod contexts; // several contexts and GPUs
mod external; // memory and semaphores of other APIs
mod graphics; // objects of OpenGL
mod graphs; // nodes of graphs
mod kinds; // memory of all kinds
mod tensors; // maps of tensors
mod textures; // textures and surfaces

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use warploom_fake_driver::control::{warploom_fake_count, warploom_fake_reset, warploom_fake_set};
use warploom_fake_driver::driver::arrays::*;
use warploom_fake_driver::driver::contexts::*;
use warploom_fake_driver::driver::devices::*;
use warploom_fake_driver::driver::external::*;
use warploom_fake_driver::driver::graphics::*;
use warploom_fake_driver::driver::graphs::*;
use warploom_fake_driver::driver::kinds::*;
use warploom_fake_driver::driver::links::*;
use warploom_fake_driver::driver::memory::*;
use warploom_fake_driver::driver::modules::*;
use warploom_fake_driver::driver::reserved::*;
use warploom_fake_driver::driver::streams::*;
use warploom_fake_driver::driver::tensors::*;
use warploom_fake_driver::driver::textures::*;

const PTX: &CStr = c".version 8.0\n.target sm_90\n.address_size 64
.visible .global .align 4 .u32 start = 7;
.visible .entry add(.param .u64 y, .param .u32 by)
{
    ld.param.u64 %d1, [y];
    ld.param.u32 %r1, [by];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d1, %d1, %d2;
    ld.global.u32 %r3, [%d1];
    add.u32 %r3, %r3, %r1;
    st.global.u32 [%d1], %r3;
    ret;
}";

/// One test at a time: all of them have one driver.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    warploom_fake_reset();
    assert_eq!(set(c"queued", 0), 0);
    assert_eq!(set(c"recovers", 0), 0);
    assert_eq!(set(c"memory", 1 << 30), 0);
    assert_eq!(set(c"devices", 2), 0); // before the first test calls `cuInit`, whichever that is
    guard
}

fn set(key: &CStr, value: u64) -> i32 {
    unsafe { warploom_fake_set(key.as_ptr(), value) }
}

fn count(of: &CStr) -> i64 {
    unsafe { warploom_fake_count(of.as_ptr()) }
}

/// [`alone`] with a context.
fn context() -> MutexGuard<'static, ()> {
    let guard = alone();
    let mut context = 0;
    unsafe {
        assert_eq!(cuInit(0), 0);
        assert_eq!(cuDevicePrimaryCtxRetain(&raw mut context, 0), 0);
        assert_eq!(cuCtxSetCurrent(context), 0);
    }
    guard
}

fn module() -> u64 {
    let mut module = 0;
    assert_eq!(
        unsafe { cuModuleLoadData(&raw mut module, PTX.as_ptr().cast()) },
        0
    );
    module
}

fn function(module: u64) -> u64 {
    let mut function = 0;
    assert_eq!(
        unsafe { cuModuleGetFunction(&raw mut function, module, c"add".as_ptr()) },
        0
    );
    function
}

fn allocate(bytes: usize) -> u64 {
    let mut address = 0;
    assert_eq!(unsafe { cuMemAlloc_v2(&raw mut address, bytes) }, 0);
    address
}

/// Launches `add` in one block.
fn launch(function: u64, [grid, block]: [u32; 2], stream: u64, y: u64, by: u32) -> i32 {
    let (mut y, mut by) = (y, by);
    let mut params = [(&raw mut y).cast::<c_void>(), (&raw mut by).cast()];
    unsafe {
        cuLaunchKernel(
            function,
            grid,
            1,
            1,
            block,
            1,
            1,
            0,
            stream,
            params.as_mut_ptr(),
            null_mut(),
        )
    }
}

fn read(address: u64, words: usize) -> Vec<u32> {
    let mut to = vec![0; words];
    assert_eq!(
        unsafe { cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), address, 4 * words) },
        0
    );
    to
}

#[test]
fn without_a_context_nothing_works() {
    let _alone = alone();
    let (mut count, mut context, mut address) = (0, 0, 0);
    unsafe {
        // Whether another test was first cannot be known: a process is initialised once.
        assert!([0, 3].contains(&cuDeviceGetCount(&raw mut count)));
        assert_eq!(cuInit(1), 1);
        assert_eq!(cuInit(0), 0);
        assert_eq!(cuDeviceGetCount(&raw mut count), 0);
        assert_eq!(count, 2);
        assert_eq!(cuDevicePrimaryCtxRetain(&raw mut context, 2), 101);
        assert_eq!(cuCtxSetCurrent(0), 0);
        assert_eq!(cuMemAlloc_v2(&raw mut address, 8), 201);
        assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 201);
        assert_eq!(cuDevicePrimaryCtxRetain(&raw mut context, 0), 0);
        assert_eq!(cuCtxSetCurrent(context), 0);
        assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
        assert_eq!(
            cuMemAlloc_v2(&raw mut address, 8),
            709,
            "the context is gone"
        );
        assert_eq!(cuCtxSetCurrent(context), 201);
    }
}

#[test]
fn null_pointers_are_refused() {
    let _context = context();
    unsafe {
        assert_eq!(cuDeviceGetCount(null_mut()), 1);
        assert_eq!(cuMemAlloc_v2(null_mut(), 8), 1);
        assert_eq!(cuStreamCreate(null_mut(), 0), 1);
        assert_eq!(cuModuleLoadData(null_mut(), PTX.as_ptr().cast()), 1);
        let mut module = 0;
        assert_eq!(cuModuleLoadData(&raw mut module, null()), 1);
        assert_eq!(cuEventCreate(null_mut(), 0), 1);
    }
    assert_eq!(
        count(c"streams") + count(c"events") + count(c"device memory"),
        0
    );
}

#[test]
fn handles_are_known_and_alive_or_refused() {
    let _context = context();
    let (mut stream, mut event) = (0, 0);
    unsafe {
        assert_eq!(cuStreamCreate(&raw mut stream, 1), 0);
        assert_eq!(cuEventCreate(&raw mut event, 0), 0);
        assert_eq!(cuStreamSynchronize(event), 400, "an event is no stream");
        assert_eq!(cuEventRecord(event, stream), 0);
        assert_eq!(cuStreamDestroy_v2(stream), 0);
        assert_eq!(cuStreamDestroy_v2(stream), 400);
        assert_eq!(cuStreamSynchronize(stream), 400);
        assert_eq!(cuEventDestroy_v2(event), 0);
        assert_eq!(cuEventRecord(event, 0), 400);
        let module = module();
        let function = function(module);
        assert_eq!(cuModuleUnload(module), 0);
        assert_eq!(cuModuleUnload(module), 400);
        assert_eq!(launch(function, [1, 1], 0, 0, 0), 400);
    }
}

#[test]
fn memory_has_its_bounds() {
    let _context = context();
    let address = allocate(16);
    let four = [1u32, 2, 3, 4];
    let from = four.as_ptr().cast();
    unsafe {
        assert_eq!(cuMemcpyHtoD_v2(address, from, 16), 0);
        assert_eq!(cuMemcpyHtoD_v2(address + 4, from, 16), 1, "beyond the end");
        assert_eq!(
            cuMemcpyHtoD_v2(address + 512, from, 4),
            1,
            "in the gap behind"
        );
        assert_eq!(cuMemcpyHtoD_v2(address, null(), 4), 1);
        assert_eq!(cuMemsetD8Async(address, 0, 17, 0), 1);
        assert_eq!(cuMemsetD32Async(address + 2, 0, 1, 0), 1, "not aligned");
        assert_eq!(read(address, 4), four);
        assert_eq!(cuMemFree_v2(address + 4), 1, "not the start");
        assert_eq!(cuMemFree_v2(address), 0);
        assert_eq!(cuMemFree_v2(address), 1, "twice");
        assert_eq!(cuMemcpyHtoD_v2(address, from, 4), 1);
        let mut large = 0;
        assert_eq!(cuMemAlloc_v2(&raw mut large, (1 << 30) + 1), 2);
        assert_eq!(cuMemAlloc_v2(&raw mut large, 0), 1);
    }
    assert_ne!(allocate(16), address, "addresses are not used again");
}

#[test]
fn pinned_and_managed_memory_are_the_hosts_too() {
    let _context = context();
    let (mut pinned, mut mapped, mut managed) = (null_mut::<c_void>(), 0, 0);
    unsafe {
        assert_eq!(cuMemHostAlloc(&raw mut pinned, 8, 3), 0);
        assert_eq!(cuMemHostGetDevicePointer_v2(&raw mut mapped, pinned, 0), 0);
        pinned.cast::<u32>().write(5);
        assert_eq!(read(mapped, 1), [5]);
        assert_eq!(cuMemAllocManaged(&raw mut managed, 8, 3), 1);
        assert_eq!(cuMemAllocManaged(&raw mut managed, 8, 1), 0);
        assert_eq!(
            cuMemFreeHost(std::ptr::without_provenance_mut(managed as usize)),
            1
        );
        assert_eq!(cuMemFree_v2(mapped), 1, "of another kind");
        assert_eq!(cuMemFree_v2(managed), 0);
        assert_eq!(cuMemFreeHost(pinned), 0);
        assert_eq!(cuMemFreeHost(pinned), 1);
    }
}

#[test]
fn a_launch_is_checked_and_runs() {
    let _context = context();
    let function = function(module());
    let y = allocate(16);
    unsafe {
        assert_eq!(cuMemsetD32Async(y, 10, 4, 0), 0);
        assert_eq!(launch(function, [1, 3], 0, y, 5), 0);
        assert_eq!(read(y, 4), [15, 15, 15, 10]);
        assert_eq!(launch(function, [0, 1], 0, y, 5), 1);
        assert_eq!(launch(function, [1, 1025], 0, y, 5), 1);
        let params = null_mut();
        assert_eq!(
            cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, params, null_mut()),
            1
        );
        let mut wild = [std::ptr::without_provenance_mut::<c_void>(64); 2];
        assert_eq!(
            cuLaunchKernel(
                function,
                1,
                1,
                1,
                1,
                1,
                1,
                0,
                0,
                wild.as_mut_ptr(),
                null_mut()
            ),
            1
        );
        assert_eq!(
            cuLaunchKernel(
                function,
                1,
                1,
                1,
                1,
                1,
                1,
                60_000,
                0,
                wild.as_mut_ptr(),
                null_mut()
            ),
            1
        );
        assert_eq!(cuFuncSetAttribute(function, 8, 232_449), 1);
        assert_eq!(cuFuncSetAttribute(function, 8, 60_000), 0);
    }
    assert_eq!((count(c"launches"), count(c"threads")), (1, 3));
}

#[test]
fn a_wild_kernel_breaks_its_context_and_those_to_come() {
    let _context = context();
    let function = function(module());
    let y = allocate(8);
    assert_eq!(
        launch(function, [1, 3], 0, y, 1),
        0,
        "the error comes later"
    );
    let mut context = 0;
    unsafe {
        assert_eq!(cuCtxSynchronize(), 700);
        assert_eq!(cuMemFree_v2(y), 700, "and stays");
        assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
        let again = cuDevicePrimaryCtxRetain(&raw mut context, 0);
        assert_eq!(again, 700, "and this process gets no other");
        assert_eq!(cuCtxCreate_v2(&raw mut context, 0, 0), 700);
    }
    assert_eq!((count(c"device memory"), count(c"complaints")), (0, 0));
}

#[test]
fn a_driver_that_recovers_gives_another_context() {
    let _context = context();
    set(c"recovers", 1);
    let function = function(module());
    assert_eq!(launch(function, [1, 3], 0, allocate(8), 1), 0);
    let mut context = 0;
    unsafe {
        assert_eq!(cuCtxSynchronize(), 700);
        assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
        assert_eq!(cuDevicePrimaryCtxRetain(&raw mut context, 0), 0);
        assert_eq!(cuCtxSetCurrent(context), 0);
        assert_eq!(cuCtxSynchronize(), 0);
    }
    assert_eq!((count(c"device memory"), count(c"complaints")), (0, 0));
}

#[test]
fn queued_work_is_done_when_a_call_waits() {
    let _context = context();
    set(c"queued", 1);
    let y = allocate(4);
    let (mut one, mut two, mut event) = (0, 0, 0);
    let (mut before, mut after) = (0u32, 0u32);
    unsafe {
        assert_eq!(cuStreamCreate(&raw mut one, 1), 0);
        assert_eq!(cuStreamCreate(&raw mut two, 1), 0);
        assert_eq!(cuEventCreate(&raw mut event, 2), 0);
        assert_eq!(cuMemsetD32Async(y, 9, 1, one), 0);
        assert_eq!(cuEventRecord(event, one), 0);
        assert_eq!(cuEventQuery(event), 600);
        assert_eq!(cuMemcpyDtoHAsync_v2((&raw mut before).cast(), y, 4, two), 0);
        assert_eq!(cuMemsetD32Async(y, 8, 1, one), 0);
        assert_eq!(before, 0, "no call waited");
        assert_eq!(cuStreamWaitEvent(two, event, 0), 0);
        assert_eq!(cuMemcpyDtoHAsync_v2((&raw mut after).cast(), y, 4, two), 0);
        assert_eq!(cuStreamSynchronize(two), 0);
        assert_eq!((before, after), (9, 9), "up to the event, no further");
        assert_eq!(cuMemFree_v2(y), 0);
    }
    assert_eq!(
        count(c"complaints"),
        1,
        "the second fill had not been waited for"
    );
}

#[test]
fn refused_ptx_comes_with_a_log() {
    let _context = context();
    let mut log = [0u8; 256];
    let mut options = [5, 6];
    let mut values = [log.as_mut_ptr().expose_provenance(), log.len()];
    let mut module = 0;
    let mut load = |text: &CStr| unsafe {
        cuModuleLoadDataEx(
            &raw mut module,
            text.as_ptr().cast(),
            2,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    assert_eq!(
        load(c".version 8.0\n.target sm_90\n.visible .entry k()\n{\n  jump;\n}"),
        218
    );
    assert_eq!(load(c".version 8.0\n.target sm_100\n"), 209);
    assert_eq!(load(c".version 9.9\n.target sm_90\n"), 222);
    assert_eq!(load(c"\x7fELF"), 209);
    assert_eq!(load(c""), 200);
    assert_eq!(load(c"hello"), 218);
    let log = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
    assert!(log.contains("line 1; error   : missing .version"), "{log}");
    assert_eq!(count(c"modules"), 0);
}

#[test]
fn variables_have_an_address_and_their_first_value() {
    let _context = context();
    let module = module();
    let (mut address, mut bytes) = (0, 0);
    unsafe {
        assert_eq!(
            cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, module, c"start".as_ptr()),
            0
        );
        assert_eq!((bytes, read(address, 1)), (4, vec![7]));
        assert_eq!(
            cuModuleGetGlobal_v2(null_mut(), &raw mut bytes, module, c"end".as_ptr()),
            500
        );
        let mut function = 0;
        assert_eq!(
            cuModuleGetFunction(&raw mut function, module, c"sub".as_ptr()),
            500
        );
        assert_eq!(cuModuleUnload(module), 0);
        assert_eq!(cuMemsetD8Async(address, 0, 4, 0), 1);
    }
}

#[test]
fn kernels_have_names_and_are_loaded_on_demand() {
    let _context = context();
    let module = module();
    let (mut count, mut functions, mut loaded) = (0, [0; 2], 7);
    let mut name = null();
    unsafe {
        assert_eq!(cuModuleGetFunctionCount(&raw mut count, module), 0);
        assert_eq!(
            cuModuleEnumerateFunctions(functions.as_mut_ptr(), 2, module),
            0
        );
        assert_eq!((count, functions), (1, [function(module), 0]));
        assert_eq!(cuFuncGetName(&raw mut name, functions[0]), 0);
        assert_eq!(CStr::from_ptr(name), c"add");
        assert_eq!(cuFuncIsLoaded(&raw mut loaded, functions[0]), 0);
        assert_eq!(loaded, 0);
        assert_eq!(cuFuncLoad(functions[0]), 0);
        assert_eq!(cuFuncIsLoaded(&raw mut loaded, functions[0]), 0);
        assert_eq!(loaded, 1);
        assert_eq!(cuFuncLoad(functions[1]), 400);
        assert_eq!(cuFuncGetName(&raw mut name, module), 400);
        assert_eq!(cuModuleEnumerateFunctions(null_mut(), 2, module), 1);
        assert_eq!(cuModuleGetFunctionCount(&raw mut count, functions[0]), 400);
    }
}

#[test]
fn links_refuse_what_they_cannot_read_and_what_is_gone() {
    let _context = context();
    let mut link = 0;
    let (mut linked, mut bytes) = (null_mut::<c_void>(), 0);
    let add = |link, kind, text: &[u8]| unsafe {
        let data = text.as_ptr().cast_mut().cast::<c_void>();
        cuLinkAddData_v2(
            link,
            kind,
            data,
            text.len(),
            c"a".as_ptr(),
            0,
            null_mut(),
            null_mut(),
        )
    };
    unsafe {
        assert_eq!(cuLinkCreate_v2(0, null_mut(), null_mut(), null_mut()), 1);
        assert_eq!(cuLinkCreate_v2(0, null_mut(), null_mut(), &raw mut link), 0);
        assert_eq!(
            cuLinkComplete(link, &raw mut linked, &raw mut bytes),
            200,
            "nothing is in it"
        );
        assert_eq!(add(link, 1, PTX.to_bytes()), 200, "no zero byte at the end");
        assert_eq!(add(link, 1, b"mov\0"), 218);
        assert_eq!(add(link, 0, b"\x7fELF"), 209);
        assert_eq!(add(link, 9, PTX.to_bytes_with_nul()), 1);
        assert_eq!(add(link + 16, 1, PTX.to_bytes_with_nul()), 400);
        assert_eq!(add(link, 1, PTX.to_bytes_with_nul()), 0);
        assert_eq!(cuLinkComplete(link, &raw mut linked, &raw mut bytes), 0);
        assert_eq!(bytes, 128 + PTX.count_bytes() + 2, "a line feed and a zero");
        let mut module = 0;
        assert_eq!(cuModuleLoadData(&raw mut module, linked), 0);
        function(module);
        assert_eq!(count(c"links"), 1);
        assert_eq!(cuLinkDestroy(link), 0);
        assert_eq!(cuLinkDestroy(link), 400);
        assert_eq!(count(c"links"), 0);
    }
}

#[test]
fn what_stays_in_a_context_is_complained_about() {
    let _context = context();
    allocate(8);
    assert_eq!(unsafe { cuDevicePrimaryCtxRelease_v2(0) }, 0);
    assert_eq!((count(c"complaints"), count(c"device memory")), (1, 0));
}

#[test]
fn events_know_their_times_only_when_they_have_them() {
    let _context = context();
    let (mut timed, mut untimed, mut stream, mut ms) = (0, 0, 0, 0.0f32);
    unsafe {
        assert_eq!(cuStreamCreate(&raw mut stream, 1), 0);
        assert_eq!(cuEventCreate(&raw mut timed, 0), 0);
        assert_eq!(cuEventCreate(&raw mut untimed, 2), 0);
        assert_eq!(
            cuEventCreate(&raw mut stream, 4),
            1,
            "for other processes, but with times"
        );
        assert_eq!(
            cuEventElapsedTime(&raw mut ms, timed, timed),
            400,
            "not recorded"
        );
        assert_eq!(cuEventRecord(timed, stream), 0);
        assert_eq!(cuEventRecord(untimed, stream), 0);
        assert_eq!(
            cuEventElapsedTime(&raw mut ms, timed, untimed),
            400,
            "without times"
        );
        assert_eq!(cuEventElapsedTime(&raw mut ms, timed, timed), 0);
        set(c"queued", 1);
        assert_eq!(cuEventRecord(timed, stream), 0);
        assert_eq!(
            cuEventElapsedTime(&raw mut ms, timed, timed),
            600,
            "not done"
        );
        assert_eq!(cuEventSynchronize(timed), 0);
        assert_eq!(cuEventElapsedTime(&raw mut ms, timed, timed), 0);
    }
    assert!(ms.abs() < 1e-6);
}

#[test]
fn callbacks_run_in_order_and_must_not_call_the_driver() {
    static ANSWER: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(-1);
    unsafe extern "system" fn called(stream: usize) {
        let answer = unsafe { cuStreamQuery(stream as u64) };
        ANSWER.store(answer, std::sync::atomic::Ordering::Relaxed);
    }
    let _context = context();
    set(c"queued", 1);
    let mut stream = 0;
    unsafe {
        assert_eq!(cuStreamCreate(&raw mut stream, 1), 0);
        assert_eq!(cuLaunchHostFunc(stream, None, 0), 1);
        assert_eq!(cuLaunchHostFunc(stream, Some(called), stream as usize), 0);
        assert_eq!(
            ANSWER.load(std::sync::atomic::Ordering::Relaxed),
            -1,
            "not before a call waits"
        );
        assert_eq!(cuStreamSynchronize(stream), 0);
    }
    assert_eq!(ANSWER.load(std::sync::atomic::Ordering::Relaxed), 800);
}

#[test]
fn the_contexts_own_stream_keeps_one_order_with_blocking_streams() {
    let _context = context();
    set(c"queued", 1);
    let y = allocate(4);
    let (mut blocking, mut other) = (0, 0);
    unsafe {
        assert_eq!(cuStreamCreate(&raw mut blocking, 0), 0);
        assert_eq!(cuStreamCreate(&raw mut other, 1), 0);
        assert_eq!(cuMemsetD32Async(y, 1, 1, blocking), 0);
        assert_eq!(cuMemsetD32Async(y, 9, 1, other), 0);
        // The copy comes after the first fill; nothing orders the second, which no call waits for.
        assert_eq!(read(y, 1), [1]);
        assert_eq!(cuStreamSynchronize(other), 0);
        assert_eq!(read(y, 1), [9]);
        assert_eq!(cuStreamDestroy_v2(0), 400);
    }
}

#[test]
fn injected_errors_come_when_they_are_due() {
    let _context = context();
    let (mut event, rule) = (0, c"cuEventCreate:2:2");
    unsafe {
        assert_eq!(
            warploom_fake_driver::control::warploom_fake_fail(rule.as_ptr()),
            0
        );
        let answers: Vec<i32> = (0..3).map(|_| cuEventCreate(&raw mut event, 0)).collect();
        assert_eq!(answers, [0, 2, 0]);
        // An error that breaks the context does so when it is injected as well.
        let rule = c"cuStreamSynchronize:1:719";
        assert_eq!(
            warploom_fake_driver::control::warploom_fake_fail(rule.as_ptr()),
            0
        );
        assert_eq!(cuStreamSynchronize(0), 719);
        assert_eq!(cuEventCreate(&raw mut event, 0), 719);
    }
    assert_eq!((count(c"events"), count(c"injected")), (2, 2));
}
