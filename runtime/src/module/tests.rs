use super::*;
use crate::kernel::{Contract, Kernel};
use crate::launch::error::LaunchError;
use crate::launch_config::Launch;
use crate::model::Model;

const PTX: &str = ".version 7.0\n.target sm_75\n.address_size 64\n";

fn kernel(contract: Contract) -> Function {
    on(&Device::emulator_of(Model::CC_8_9), contract)
}

fn on(device: &Device, contract: Contract) -> Function {
    let kernel = Kernel {
        name: "tests::tile",
        base: "tile",
        package: "",
        contract,
        params: &[],
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    };
    crate::launch::function(device, &kernel, std::panic::Location::caller()).unwrap()
}

//@ rows: GDR-8
#[test]
fn the_emulator_loads_nothing_and_says_what_to_do() {
    let device = Device::emulator();
    let code = Code::ptx(PTX).unwrap();
    let errors = [
        device.load(&code).unwrap_err(),
        device.linker().unwrap_err(),
        device.loads_lazily().unwrap_err(),
        kernel(Contract::ANY).is_loaded().unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, ModuleError::Unsupported(_)), "{error}");
    }
    let text = device.load(&code).unwrap_err().to_string();
    assert_eq!(
        text,
        "emulator does not support loading PTX, cubins and fat binaries: it runs the Rust code of kernels, and no PTX; write the kernel under `#[kernel]`, or open a GPU with `Device::cuda`"
    );
}

//@ rows: GCO-4, GCO-5
#[test]
fn code_for_other_gpus_is_refused_before_the_driver_sees_it() {
    let code = Code::ptx(".version 8.0\n.target sm_90\n")
        .unwrap()
        .named("new.ptx");
    let old = Device::emulator_of(Model::CC_8_6);
    let text = check_arch(&code, &old).unwrap_err().to_string();
    assert_eq!(
        text,
        "new.ptx is for sm_90, which emulated 8.6 (A10) (compute capability 8.6) does not run; compile it to PTX for an older architecture"
    );
    assert!(check_arch(&code, &Device::emulator_of(Model::CC_9_0)).is_ok());
    assert!(check_arch(&code, &Device::emulator_of(Model::CC_12_0)).is_ok());
    assert!(check_arch(&Code::ptx(".version 8.0").unwrap(), &old).is_ok());
}

//@ rows: GDR-8
#[test]
fn a_refusal_shows_the_log_and_the_line() {
    let driver = crate::DriverError {
        code: 218,
        name: "CUDA_ERROR_INVALID_PTX".into(),
        text: "a PTX JIT compilation failed".into(),
        call: "cuModuleLoadDataEx",
        launches: Box::default(),
    };
    let log = "ptxas application ptx input, line 2; error   : Unknown architecture";
    let error = LoadError {
        error: driver.clone(),
        log: log.into(),
    };
    let ModuleError::Refused { line, .. } = refused("a.ptx", Some(PTX), error) else {
        panic!("another kind of error");
    };
    assert_eq!(line, Some(2));
    let error = LoadError {
        error: driver.clone(),
        log: log.into(),
    };
    assert_eq!(
        refused("a.ptx", Some(PTX), error).to_string(),
        format!("the driver refused a.ptx, line 2 (`.target sm_75`): {driver}; it says: {log}")
    );
    let text = refused("a.cubin", None, LoadError::from(driver)).to_string();
    assert!(text.ends_with("it says: nothing else"), "{text}");
}

#[test]
fn the_emulators_occupancy_is_that_of_its_model() {
    let tile = kernel(Contract::ANY);
    let room = tile.occupancy(256, 10 * 1024).unwrap();
    assert_eq!((room.blocks, room.warps, room.max_warps), (6, 48, 48));
    assert_eq!((room.by_registers, room.by_shared), (None, Some(9)));
    assert_eq!(tile.occupancy(256, 100 * 1024).unwrap().blocks, 0);
    assert_eq!(tile.occupancy(1025, 0).unwrap().blocks, 0);
    assert_eq!(tile.occupancy(0, 0).unwrap().blocks, 0);
    assert_eq!(tile.attributes().unwrap(), None);
    assert_eq!((tile.name(), tile.device().is_gpu()), ("tile", false));
}

#[test]
fn the_best_block_keeps_to_the_kernels_bounds() {
    let best = |contract: Contract| kernel(contract).best_block(|_| 0).unwrap();
    let any = best(Contract::ANY);
    assert_eq!((any.threads, any.blocks_per_multiprocessor), (768, 2));
    assert_eq!(any.blocks, 2 * 142, "the multiprocessors of an L40S");
    let bounded = best(Contract {
        max_threads: 200,
        ..Contract::ANY
    });
    assert_eq!(
        (bounded.threads, bounded.blocks_per_multiprocessor),
        (192, 8)
    );
    let fixed = best(Contract {
        block: [8, 4, 0],
        ..Contract::ANY
    });
    assert_eq!((fixed.threads, fixed.blocks_per_multiprocessor), (32, 24));
    let both = Contract {
        block: [16, 16, 1],
        max_threads: 128,
        ..Contract::ANY
    };
    let error = kernel(both).best_block(|_| 0).unwrap_err();
    assert!(
        matches!(
            error,
            LaunchError::TooManyThreads {
                given: 256,
                limit: 128,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn shared_memory_may_depend_on_the_block() {
    let tile = kernel(Contract::ANY);
    let best = tile.best_block(|threads| 96 * threads).unwrap();
    assert_eq!((best.threads, best.dynamic_shared_bytes), (1024, 98_304));
    let error = tile.best_block(|_| 100 * 1024).unwrap_err();
    assert!(
        matches!(
            error,
            LaunchError::SharedTooLarge {
                given: 102_400,
                limit: 101_376,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_best_block_becomes_a_launch() {
    let best = kernel(Contract::ANY)
        .best_block(|threads| 4 * threads)
        .unwrap();
    assert_eq!(best.filling(), Launch::new(284, 768).dynamic_shared(3072));
    let covering = Launch::covering(769).block(768);
    assert_eq!(best.covering(769), covering.dynamic_shared(3072));
    let plain = kernel(Contract::ANY).best_block(|_| 0).unwrap();
    assert_eq!(plain.covering(769), covering);
}

//@ rows: GLA-18
#[test]
fn preferences_are_taken_and_their_limits_named() {
    let tile = kernel(Contract::ANY);
    for preference in [
        CachePreference::None,
        CachePreference::Shared,
        CachePreference::L1,
        CachePreference::Equal,
    ] {
        tile.prefer_cache(preference).unwrap();
    }
    for percent in [None, Some(0), Some(100)] {
        tile.prefer_shared(percent).unwrap();
    }
    let error = tile.prefer_shared(Some(101)).unwrap_err();
    assert!(
        matches!(error, LaunchError::WrongCarveout { given: 101, .. }),
        "{error}"
    );
    tile.allow_dynamic_shared(99 * 1024).unwrap();
    let error = tile.allow_dynamic_shared(99 * 1024 + 1).unwrap_err();
    assert!(
        matches!(error, LaunchError::SharedTooLarge { .. }),
        "{error}"
    );
    tile.load().unwrap();
}

#[test]
fn everything_goes_to_other_threads() {
    fn all<T: Send + Sync + 'static>() {}
    all::<Module>();
    all::<Function>();
    all::<ForeignKernel<(*const f32, &[u8])>>();
    all::<ModuleSymbol<[f32; 4]>>();
    all::<Linker>();
    all::<Code<'static>>();
}
