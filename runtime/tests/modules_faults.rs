//! Modules when the driver fails, and what is left of them: on the fake driver, whose every call can be told to fail.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of #[test] functions"
)]

use warploom_fake_driver::testing::{Fake, assert_passed, is_child, run_child};
use warploom_runtime::module::{CachePreference, Code, JitOptions};
use warploom_runtime::{Device, DeviceBuffer, Error, Graph, Launch, ModuleError, Result, Stream};

const PTX: &str = include_str!("modules.ptx");

/// In a process with the fake for a driver; `None` in the one that starts it.
fn fake(test: &str, options: &str) -> Option<Fake> {
    if is_child() {
        return Some(Fake::loaded().unwrap());
    }
    assert_passed(&run_child(test, options, &[]).unwrap());
    None
}

fn nothing_is_left(fake: &Fake) {
    assert_eq!(
        (fake.live(), fake.complaints()),
        (vec![], Vec::<String>::new())
    );
}

/// Everything that modules can do, with a result to be compared.
fn all_of_it() -> Result<Vec<f32>> {
    let device = Device::cuda(0)?;
    let stream = device.stream()?;
    let mut linker = device.linker()?;
    linker.add(&Code::ptx(PTX)?.named("modules.ptx"))?;
    let linked = linker.complete()?;
    let options = JitOptions::new().verbose(true).max_registers(32);
    let module = device.load_with(&linked.code()?, &options)?;
    device.loads_lazily()?;
    let table = module.symbol::<[f32; 256]>("table")?;
    table.write(&stream, &[0.25; 256])?;
    let add = module.kernel::<(*const f32, *const f32, *mut f32, u32)>("add")?;
    let function = add.function();
    function.prefer_cache(CachePreference::L1)?;
    function.prefer_shared(Some(50))?;
    function.allow_dynamic_shared(60 * 1024)?;
    function.load()?;
    assert!(function.is_loaded()?);
    let best = function.best_block(|_| 0)?;
    assert!(best.threads > 0 && function.occupancy(256, 64 * 1024)?.blocks > 0);
    let a = device.upload(&table.read(&stream)?)?;
    let b = device.upload(&[1.5f32; 256])?;
    let mut sum = device.zeroed::<f32>(256)?;
    let shape = best.covering(256).dynamic_shared(100 * 1024);
    // SAFETY: `add` has these parameters, and stays below index 256.
    unsafe { add.launch(&stream, shape, (&a, &b, &mut sum, 256))? };
    drop((module, add, a, b));
    Ok(sum.to_vec(&stream)?)
}

/// Functions that end something: where they fail, it stays.
const ENDS: [&str; 4] = ["Destroy", "Unload", "Free", "Release"];

#[test]
fn every_call_that_fails_is_an_error_and_leaves_nothing() {
    let Some(fake) = fake("every_call_that_fails_is_an_error_and_leaves_nothing", "") else {
        return;
    };
    fake.start_log();
    assert_eq!(all_of_it().unwrap(), [1.75; 256]);
    nothing_is_left(&fake);
    let mut called = fake.log();
    called.sort();
    called.dedup();
    for function in [
        "cuLinkCreate_v2",
        "cuLinkAddData_v2",
        "cuLinkComplete",
        "cuLinkDestroy",
        "cuFuncLoad",
        "cuFuncSetCacheConfig",
    ] {
        assert!(
            called.iter().any(|name| name == function),
            "{function} is not among {called:?}"
        );
    }
    // Out of memory, invalid handle, not found, an unknown error.
    for code in [2, 400, 500, 999] {
        for function in &called {
            for nth in 1..=3 {
                fake.fail(&format!("{function}:{nth}:{code}"));
                let (before, live) = (fake.count("injected"), fake.live());
                let done = all_of_it();
                let injected = fake.count("injected") > before;
                fake.fail_nothing();
                if !ENDS.iter().any(|end| function.contains(end)) {
                    assert_eq!(
                        fake.live(),
                        live,
                        "{function}:{nth}:{code} leaves something"
                    );
                }
                match done {
                    Ok(sum) => assert_eq!(sum, [1.75; 256], "{function}:{nth}:{code}"),
                    Err(error) => {
                        assert!(injected, "{function}:{nth}:{code}: {error}");
                        let text = error.to_string();
                        assert!(!text.is_empty() && !text.ends_with('.'), "{text}");
                    }
                }
            }
        }
    }
    assert_eq!(all_of_it().unwrap(), [1.75; 256]);
}

#[test]
fn a_module_waits_for_its_kernels_before_it_goes() {
    let Some(fake) = fake("a_module_waits_for_its_kernels_before_it_goes", "queued=1") else {
        return;
    };
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed::<u64>(7).unwrap();
    let module = device.load(&Code::ptx(PTX).unwrap()).unwrap();
    let slow = module.kernel::<(&mut [u64],)>("slow_len").unwrap();
    // SAFETY: `slow_len` takes address and length, and writes one element.
    unsafe { slow.launch(&stream, (1, 1), (&mut y,)).unwrap() };
    drop((slow, module));
    assert_eq!(fake.count("modules"), 0);
    assert_eq!(y.to_vec(&stream).unwrap()[0], 7);
    drop((y, stream, device));
    nothing_is_left(&fake);
}

#[test]
fn a_graph_keeps_the_modules_of_its_kernels() {
    let Some(fake) = fake("a_graph_keeps_the_modules_of_its_kernels", "queued=1") else {
        return;
    };
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed::<u32>(1).unwrap();
    let launch = |stream: &Stream, y: &mut DeviceBuffer<u32>, bytes| {
        let module = stream.device().load(&Code::ptx(PTX)?)?;
        let shared = module.kernel::<(*mut u32,)>("shared")?;
        let shape = Launch::new(1, 1).dynamic_shared(bytes);
        // SAFETY: `shared` has this parameter, and writes one word.
        unsafe { shared.launch(stream, shape, (y,))? };
        Ok::<(), Error>(())
    };
    let mut graph = Graph::new(&device).unwrap();
    let node = graph.add(|stream| launch(stream, &mut y, 70_000)).unwrap();
    assert_eq!(fake.count("modules"), 1, "the graph has it");
    let mut ready = graph.instantiate().unwrap();
    for _ in 0..3 {
        ready.launch(&stream).unwrap();
    }
    assert_eq!(y.to_vec(&stream).unwrap(), [70_000]);
    let error = ready.update(node, |stream| launch(stream, &mut y, 60_000));
    let text = error.unwrap_err().to_string();
    assert!(text.contains("`shared` of another module"), "{text}");
    ready.launch(&stream).unwrap();
    assert_eq!(y.to_vec(&stream).unwrap(), [70_000]);
    drop((ready, y, stream, device));
    nothing_is_left(&fake);
}

//@ rows: GCO-11
#[test]
fn a_driver_without_the_later_functions_says_which() {
    let name = "a_driver_without_the_later_functions_says_which";
    let Some(fake) = fake(name, "") else { return };
    let device = Device::cuda(0).unwrap();
    let module = device.load(&Code::ptx(PTX).unwrap().named("m")).unwrap();
    // As a driver before 12.4 that cannot tell names.
    fake.fail("cuModuleGetFunctionCount:*:801");
    fake.fail("cuFuncLoad:*:801");
    let error = module.function("nowhere").unwrap_err();
    assert!(matches!(error, ModuleError::NoKernel { .. }), "{error}");
    assert!(error.to_string().contains("C++ mangles names"), "{error}");
    assert_eq!(module.kernel_names(), None);
    let error = module.function("add").unwrap().load().unwrap_err();
    assert!(error.to_string().contains("cuFuncLoad"), "{error}");
    fake.fail_nothing();
    drop((module, device));
    nothing_is_left(&fake);
}
