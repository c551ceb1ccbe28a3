//! Modules that other compilers made, on a GPU: loading, linking, launches with types, variables.
//!
//! Skips, and says so, where there is no GPU.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of #[test] functions"
)]

#[path = "modules/launches.rs"]
mod launches; // shapes that are refused

use std::path::PathBuf;
use std::process::Command;

use warploom_harness::device_test::gpu_or_skip;
use warploom_runtime::module::images::Arch;
use warploom_runtime::module::{Code, CodeKind, JitOptions, Value};
use warploom_runtime::{Device, DeviceBuffer, Launch, Module, ModuleError, Result, Stream};

const PTX: &str = include_str!("modules.ptx");

type Add = (*const f32, *const f32, *mut f32, u32);

fn load(device: &Device) -> Result<Module> {
    Ok(device.load(&Code::ptx(PTX)?.named("modules.ptx"))?)
}

/// Whether the driver can tell names and parameters of kernels.
fn tells(device: &Device) -> bool {
    device.driver_version() >= Some((12, 4))
}

/// Adds 1000 numbers with a module's kernel `add`.
fn adds(module: &Module) -> Result<Vec<f32>> {
    let device = module.device();
    let stream = device.stream()?;
    let add = module.kernel::<Add>("add")?;
    let a = device.upload(&Vec::from_iter((0..1000u16).map(f32::from)))?;
    let b = device.upload(&[0.5f32; 1000])?;
    let mut sum = device.zeroed::<f32>(1000)?;
    // SAFETY: `add` has these parameters, and stays below index 1000.
    unsafe { add.launch(&stream, Launch::covering(1000), (&a, &b, &mut sum, 1000))? };
    Ok(sum.to_vec(&stream)?)
}

fn expected() -> Vec<f32> {
    Vec::from_iter((0..1000u16).map(|i| f32::from(i) + 0.5))
}

//@ rows: GDR-8, GDR-10, GCO-3, GDR-11
#[test]
fn ptx_for_an_older_gpu_is_compiled_and_runs() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let module = load(&device)?;
    assert_eq!(adds(&module)?, expected());
    assert_eq!(
        (module.name(), module.device().is_gpu()),
        ("modules.ptx", true)
    );
    eprintln!(
        "7.5 on {:?}, {:?} ms",
        device.compute_capability(),
        module.compile_ms()
    );
    Ok(())
}

//@ rows: GDR-8, GCO-2
#[test]
fn a_file_is_loaded() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let path = std::env::temp_dir().join(format!("warploom-modules-{}.ptx", std::process::id()));
    std::fs::write(&path, PTX).unwrap();
    let file = Code::file(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(adds(&device.load(&file?)?)?, expected());
    Ok(())
}

//@ rows: GDR-8
#[test]
fn wrong_ptx_is_an_error_with_log_and_line() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let wrong = PTX.replace("add.f32 %f1, %f1, %f2;", "addd.f32 %f1, %f1, %f2;");
    let at = wrong
        .lines()
        .position(|line| line.contains("addd.f32"))
        .unwrap() as u32
        + 1;
    let error = device
        .load(&Code::ptx(&wrong)?.named("wrong.ptx"))
        .unwrap_err();
    eprintln!("{error}");
    let ModuleError::Refused { line, log, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*line, Some(at), "{log}");
    let text = error.to_string();
    assert!(
        log.contains("addd") && text.contains("addd.f32 %f1, %f1, %f2;"),
        "{text}"
    );
    // The device takes further work.
    assert_eq!(adds(&load(&device)?)?, expected());
    Ok(())
}

//@ rows: GDR-8
#[test]
fn options_reach_the_compiler_and_its_log_comes_back() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    // This text was not compiled before: the driver keeps what it compiled, without the log.
    let text = format!(
        "{PTX}\n// {} {:?}\n",
        std::process::id(),
        std::time::Instant::now()
    );
    let options = JitOptions::new()
        .verbose(true)
        .max_registers(24)
        .optimisation(2)
        .line_info(true);
    let module = device.load_with(&Code::ptx(&text)?, &options)?;
    eprintln!(
        "{} ms:\n{}",
        module.compile_ms().unwrap_or_default(),
        module.log()
    );
    assert!(module.log().contains("registers"), "{:?}", module.log());
    let attributes = module.function("add")?.attributes()?.unwrap();
    assert!((1..=24).contains(&attributes.registers), "{attributes:?}");
    assert_eq!(adds(&module)?, expected());
    let roomy = JitOptions::new().threads_per_block(512);
    let module = device.load_with(&Code::ptx(&text)?, &roomy)?;
    assert!(
        module.threads_per_block().is_some_and(|n| n > 0),
        "{:?}",
        module.threads_per_block()
    );
    Ok(())
}

//@ rows: GCO-4, GCO-5, GCO-8
#[test]
fn code_for_newer_gpus_is_refused_with_its_architecture() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let (major, minor) = device.compute_capability();
    let newer = Arch::new(major + 1, 0).to_string();
    let code = Code::ptx(&PTX.replace("sm_75", &newer))?;
    let text = device.load(&code).unwrap_err().to_string();
    assert!(
        text.contains(&newer) && text.contains(&format!("{major}.{minor}")),
        "{text}"
    );
    Ok(())
}

//@ rows: GDR-9
#[test]
fn missing_names_are_errors() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let module = load(&device)?;
    let error = module.kernel::<Add>("subtract").unwrap_err();
    assert!(matches!(error, ModuleError::NoKernel { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.starts_with("modules.ptx has no kernel `subtract`"),
        "{text}"
    );
    if tells(&device) {
        assert!(
            text.contains("it has add, bounded, last_word, lookup, mixed"),
            "{text}"
        );
        assert_eq!(module.kernel_names().map(|names| names.len()), Some(7));
    }
    let error = module.symbol::<u64>("sum_of_all").unwrap_err();
    assert!(matches!(error, ModuleError::NoSymbol { .. }), "{error}");
    assert!(module.function("a\0b").is_err() && module.symbol_address("a\0b").is_err());
    assert_eq!(adds(&module)?, expected());
    Ok(())
}

//@ rows: GLA-15
#[test]
fn types_of_other_sizes_are_refused() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    if !tells(&device) {
        return Ok(());
    }
    let module = load(&device)?;
    let few = module.kernel::<(*const f32, *const f32, *mut f32)>("add");
    let many = module.kernel::<(*const f32, *const f32, *mut f32, u32, u8)>("add");
    let wide = module.kernel::<(*const f32, *const f32, *mut f32, u64)>("add");
    for (what, error) in [few.map(drop), many.map(drop), wide.map(drop)]
        .into_iter()
        .enumerate()
    {
        let error = error.unwrap_err();
        let parameter = if what == 1 { 5 } else { 4 };
        assert!(
            matches!(error, ModuleError::Signature { parameter: at, .. } if at == parameter),
            "{error}"
        );
    }
    Ok(())
}

//@ rows: GLA-12, GLA-15, GDR-10
#[test]
fn parameters_of_every_alignment_arrive() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let (stream, module) = (device.stream()?, load(&device)?);
    type Mixed = (i32, Value<[f32; 4]>, u8, f32, *mut u32, Value<[f32; 2]>);
    let mixed = module.kernel::<Mixed>("mixed")?;
    let mut y = device.zeroed::<u32>(9)?;
    let args = (-7, [1.0f32, 2.0, 3.0, 4.0], 200, 5.0, &mut y, [6.0f32, 7.0]);
    // SAFETY: `mixed` has these parameters, and writes nine words.
    unsafe { mixed.launch(&stream, (1, 1), args)? };
    let f = f32::to_bits;
    assert_eq!(
        y.to_vec(&stream)?,
        [
            -7i32 as u32,
            f(1.0),
            f(2.0),
            f(3.0),
            f(4.0),
            200,
            f(5.0),
            f(6.0),
            f(7.0)
        ]
    );
    let last_word = module.kernel::<(Value<[u32; 1022]>, *mut u32)>("last_word")?;
    let mut words = [0u32; 1022];
    words[1021] = 77;
    // SAFETY: `last_word` has these parameters, and writes one word.
    unsafe { last_word.launch(&stream, (1, 1), (words, y.slice_mut(3..4)?))? };
    assert_eq!(y.to_vec(&stream)?[2..5], [f(2.0), 77, f(4.0)]);
    Ok(())
}

//@ rows: GDM-9, GDM-10, GDR-9
#[test]
fn variables_are_read_and_written() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let (stream, module) = (device.stream()?, load(&device)?);
    let table = module.symbol::<[f32; 256]>("table")?;
    let total = module.symbol::<u64>("total")?;
    assert_eq!((table.size(), total.size()), (1024, 8));
    assert_eq!(module.symbol_address("table")?, (table.address(), 1024));
    let error = module.symbol::<u32>("total").unwrap_err();
    assert!(
        matches!(
            error,
            ModuleError::SymbolSize {
                given: 4,
                found: 8,
                ..
            }
        ),
        "{error}"
    );
    let mut values = [0.0f32; 256];
    for (i, value) in values.iter_mut().enumerate() {
        *value = i as f32 / 4.0;
    }
    table.write(&stream, &values)?;
    assert_eq!((table.read(&stream)?, total.read(&stream)?), (values, 5));
    let lookup = module.kernel::<(*mut f32,)>("lookup")?;
    let mut y = device.zeroed::<f32>(256)?;
    // SAFETY: `lookup` has this parameter, and writes as many elements as there are threads.
    unsafe { lookup.launch(&stream, (1, 256), (&mut y,))? };
    assert_eq!(
        (y.to_vec(&stream)?, total.read(&stream)?),
        (values.to_vec(), 261)
    );
    Ok(())
}

//@ rows: GCO-12
#[test]
fn modules_with_equal_names_live_side_by_side() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let other = PTX.replace("total = 5", "total = 50");
    let modules = [
        load(&device)?,
        load(&device)?,
        device.load(&Code::ptx(&other)?)?,
    ];
    let totals = || -> Result<Vec<u64>> {
        let read = |module: &Module| Ok(module.symbol::<u64>("total")?.read(&stream)?);
        modules.iter().map(read).collect()
    };
    assert_eq!(totals()?, [5, 5, 50]);
    let mut y = device.zeroed::<f32>(1)?;
    let lookup = modules[1].kernel::<(*mut f32,)>("lookup")?;
    // SAFETY: `lookup` has this parameter, and writes as many elements as there are threads.
    unsafe { lookup.launch(&stream, (1, 1), (&mut y,))? };
    assert_eq!(totals()?, [5, 6, 50]);
    modules[2]
        .symbol::<[f32; 256]>("table")?
        .write(&stream, &[2.0; 256])?;
    assert_eq!(
        modules[0].symbol::<[f32; 256]>("table")?.read(&stream)?,
        [0.0; 256]
    );
    Ok(())
}

const CALLER: &str = ".version 7.0\n.target sm_75\n.address_size 64\n
.extern .func (.param .b32 out) twice(.param .b32 in);
.visible .entry run(.param .u64 y, .param .u32 n)
{
    .reg .b32 %r;
    .reg .b64 %d;
    ld.param.u32 %r, [n];
    .param .b32 in;
    .param .b32 out;
    st.param.b32 [in], %r;
    call.uni (out), twice, (in);
    ld.param.b32 %r, [out];
    ld.param.u64 %d, [y];
    st.global.u32 [%d], %r;
    ret;
}";

const CALLED: &str = ".version 7.0\n.target sm_75\n.address_size 64\n
.visible .func (.param .b32 out) twice(.param .b32 in)
{
    .reg .b32 %r;
    ld.param.b32 %r, [in];
    shl.b32 %r, %r, 1;
    st.param.b32 [out], %r;
    ret;
}";

fn twice(module: &Module, stream: &Stream) -> Result<Vec<u32>> {
    let run = module.kernel::<(*mut u32, u32)>("run")?;
    let mut y = module.device().zeroed::<u32>(1)?;
    // SAFETY: `run` has these parameters, and writes one word.
    unsafe { run.launch(stream, (1, 1), (&mut y, 21))? };
    Ok(y.to_vec(stream)?)
}

//@ rows: GCO-2, GDR-8, HX-11
#[test]
fn several_pieces_are_linked() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let mut linker = device.linker_with(&JitOptions::new().verbose(true))?;
    linker.add(&Code::ptx(CALLER)?.named("caller.ptx"))?;
    linker.add(&Code::ptx(CALLED)?.named("called.ptx"))?;
    let linked = linker.complete()?;
    eprintln!("{}", linked.log());
    let code = linked.code()?;
    assert_eq!(code.kind(), CodeKind::Cubin);
    let (major, minor) = device.compute_capability();
    assert_eq!(code.arch(), Some(Arch::new(major, minor)));
    let module = device.load(&code)?;
    assert_eq!(module.name(), "the link of caller.ptx, called.ptx");
    let fake = device.name().contains("fake"); // it calls no functions
    let expected = if fake { [0] } else { [42] };
    assert_eq!(twice(&module, &stream)?, expected);
    // The cubin is a file like any other, whole or refused.
    let cubin = linked.into_cubin();
    assert_eq!(
        twice(&device.load(&Code::binary(&cubin)?)?, &stream)?,
        expected
    );
    for end in (0..cubin.len()).step_by(97) {
        assert!(
            Code::binary(&cubin[..end]).is_err(),
            "{end} of {}",
            cubin.len()
        );
    }
    Ok(())
}

//@ rows: GDR-8
#[test]
fn a_link_with_something_missing_or_wrong_says_what() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    assert!(matches!(
        device.linker()?.complete(),
        Err(ModuleError::NothingToLink)
    ));
    let mut linker = device.linker()?;
    linker.add(&Code::ptx(CALLER)?.named("caller.ptx"))?;
    let error = linker.complete().unwrap_err();
    eprintln!("{error}");
    let text = error.to_string();
    assert!(
        text.contains("caller.ptx") && text.contains("twice"),
        "{text}"
    );
    let mut linker = device.linker()?;
    let wrong = CALLED.replace("shl.b32", "shll.b32");
    let error = linker
        .add(&Code::ptx(&wrong)?.named("wrong.ptx"))
        .unwrap_err();
    let ModuleError::Refused { name, line, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((&**name, *line), ("wrong.ptx", Some(9)), "{error}");
    // A link that is given up leaves nothing behind that matters.
    linker.add(&Code::ptx(CALLED)?)?;
    drop(linker);
    Ok(())
}

/// A tool of CUDA's toolkit beside the assembler that `WARPLOOM_PTXAS` names, or of the `PATH`.
fn tool(name: &str) -> Option<PathBuf> {
    let ptxas = std::env::var_os("WARPLOOM_PTXAS").map_or_else(|| "ptxas".into(), PathBuf::from);
    let program = match name {
        "ptxas" => ptxas,
        name => ptxas.with_file_name(name),
    };
    if Command::new(&program)
        .arg("--version")
        .output()
        .is_ok_and(|ran| ran.status.success())
    {
        return Some(program);
    }
    eprintln!("skipped: no {name}; set WARPLOOM_PTXAS, or put it into PATH");
    None
}

/// A folder of its own for a test's files.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("warploom-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(program: &PathBuf, args: &[&str]) {
    let ran = Command::new(program).args(args).output().unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

//@ rows: GCO-2, GCO-4
#[test]
fn binaries_of_the_toolkit_are_what_they_are_taken_for() -> Result<()> {
    let (Some(ptxas), Some(fatbinary)) = (tool("ptxas"), tool("fatbinary")) else {
        return Ok(());
    };
    let folder = folder("binaries");
    let at = |name: &str| folder.join(name).display().to_string();
    std::fs::write(at("k.ptx"), PTX).unwrap();
    let gpu = gpu_or_skip();
    let (major, minor) = gpu.as_ref().map_or((9, 0), Device::compute_capability);
    let arch = Arch::new(major, minor);
    run(
        &ptxas,
        &[
            "-arch",
            &arch.to_string(),
            "-o",
            &at("k.cubin"),
            &at("k.ptx"),
        ],
    );
    let fat = [
        "-64",
        &format!("--create={}", at("k.fatbin")),
        &format!("--image3=kind=elf,sm={major}{minor},file={}", at("k.cubin")),
        &format!("--image3=kind=ptx,sm=75,file={}", at("k.ptx")),
    ];
    run(&fatbinary, &fat);
    let files = [at("k.ptx"), at("k.cubin"), at("k.fatbin")].map(Code::file);
    let [ptx, cubin, fat] = files.map(|code| code.unwrap());
    let kinds = [ptx.kind(), cubin.kind(), fat.kind()];
    assert_eq!(kinds, [CodeKind::Ptx, CodeKind::Cubin, CodeKind::FatBinary]);
    assert_eq!(
        [ptx.arch(), cubin.arch(), fat.arch()],
        [Some(Arch::new(7, 5)), Some(arch), None]
    );
    let bytes = std::fs::read(at("k.cubin")).unwrap();
    for end in (0..bytes.len()).step_by(61) {
        assert!(
            Code::binary(&bytes[..end]).is_err(),
            "{end} of {}",
            bytes.len()
        );
    }
    if let Some(device) = gpu.filter(|_| !on_the_fake()) {
        for code in [&ptx, &cubin, &fat] {
            assert_eq!(adds(&device.load(code)?)?, expected(), "{}", code.name());
        }
        assert!(
            device.load(&cubin)?.log().is_empty(),
            "nothing was compiled"
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
    Ok(())
}

#[test]
fn a_module_is_kept_while_its_kernels_run() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let mut y = device.zeroed::<u64>(123)?;
    for _ in 0..3 {
        let module = load(&device)?;
        let slow = module.kernel::<(&mut [u64],)>("slow_len")?;
        // SAFETY: `slow_len` takes address and length, and writes one element.
        unsafe { slow.launch(&stream, (1, 1), (&mut y,))? };
        drop((slow, module));
    }
    assert_eq!(y.to_vec(&stream)?[..2], [123, 0]);
    Ok(())
}

#[test]
fn streams_hand_buffers_over_to_foreign_kernels() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let (module, slow, fast) = (load(&device)?, device.stream()?, device.stream()?);
    let slow_len = module.kernel::<(&mut [u64],)>("slow_len")?;
    let add = module.kernel::<Add>("add")?;
    for _ in 0..3 {
        let mut x: DeviceBuffer<u64> = device.zeroed(1)?;
        // SAFETY: `slow_len` takes address and length, and writes one element.
        unsafe { slow_len.launch(&slow, (1, 1), (&mut x,))? };
        assert_eq!(x.to_vec(&fast)?, [1], "the other stream waits");
        let (a, b) = (device.upload(&[1.0f32])?, device.upload(&[2.0f32])?);
        let mut sum = device.zeroed::<f32>(1)?;
        // SAFETY: `add` has these parameters, and stays below index 1.
        unsafe { add.launch(&slow, (1, 32), (&a, &b, &mut sum, 1))? };
        drop((a, b));
        assert_eq!(sum.to_vec(&fast)?, [3.0]);
    }
    Ok(())
}

#[test]
fn foreign_kernels_have_figures_and_a_best_block() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let (module, stream) = (load(&device)?, device.stream()?);
    let bounded = module.kernel::<(*mut u32,)>("bounded")?;
    let attributes = bounded.function().attributes()?.unwrap();
    assert_eq!((attributes.max_threads, attributes.shared_bytes), (64, 0));
    let best = bounded.function().best_block(|_| 0)?;
    assert_eq!(best.threads, 64);
    let mut y = device.zeroed::<u32>(1)?;
    // SAFETY: `bounded` has this parameter, and writes one word.
    unsafe { bounded.launch(&stream, best.filling(), (&mut y,))? };
    assert_eq!(y.to_vec(&stream)?, [64]);
    let shared = module.function("shared")?;
    for (threads, bytes) in [(32, 0), (256, 10_000), (1024, 0), (64, 200_000)] {
        let room = shared.occupancy(threads, bytes)?;
        let rules = [
            Some(room.by_blocks),
            Some(room.by_warps),
            room.by_registers,
            room.by_shared,
        ];
        assert_eq!(
            Some(room.blocks),
            rules.into_iter().flatten().min(),
            "{room:?}"
        );
    }
    Ok(())
}

/// Set for a copy of this program that tests what the driver does.
const ASKED: &str = "WARPLOOM_TEST_LOADS_LAZILY";

#[test]
fn the_variable_of_the_driver_chooses_how_functions_are_loaded() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    if let Some(lazy) = std::env::var_os(ASKED) {
        assert_eq!(device.loads_lazily()?, lazy == "1");
        if tells(&device) {
            let module = load(&device)?;
            // Lazy drivers may load a function as soon as it is looked up.
            let loaded = module.function("add")?.is_loaded()?;
            assert!(loaded || lazy == "1", "before the first launch");
            module.function("add")?.load()?;
            assert!(module.function("add")?.is_loaded()?);
        }
        return Ok(());
    }
    if device.driver_version() < Some((11, 7)) {
        return Ok(());
    }
    for (lazy, mode) in [("0", "EAGER"), ("1", "LAZY")] {
        let ran = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "the_variable_of_the_driver_chooses_how_functions_are_loaded",
            ])
            .env("CUDA_MODULE_LOADING", mode)
            .env(ASKED, lazy)
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{mode}: {}",
            String::from_utf8_lossy(&ran.stdout)
        );
    }
    Ok(())
}

/// Whether the driver is the fake one, which cannot read machine code.
fn on_the_fake() -> bool {
    #[cfg(target_os = "linux")]
    return warploom_fake_driver::testing::is_child();
    #[cfg(not(target_os = "linux"))]
    return false;
}

/// The same tests where there is no GPU: the runtime's half of all of them.
#[test]
#[cfg(target_os = "linux")]
fn all_of_it_runs_on_the_fake_driver() {
    use warploom_fake_driver::testing::{assert_passed, is_child, run_others};
    if is_child() {
        return;
    }
    let output = run_others("all_of_it_runs_on_the_fake_driver", "").unwrap();
    assert_passed(&output);
}
