//! Every text that a user may read, as one file: `errors.txt`. A new variant needs a line in `all`.

#[path = "error_tests/graphics.rs"]
mod graphics; // errors of objects of OpenGL
#[path = "error_tests/launches.rs"]
mod launches; // errors of launches, of which there are most
#[path = "error_tests/textures.rs"]
mod textures; // errors of textures

use std::panic::Location;

use crate::checked::{Code, KernelFindings, Report};
use crate::device::{ComputeMode, ContextLimit};
use crate::graph::GraphError as G;
use crate::interop::InteropError as I;
use crate::interop::dlpack::{DLDevice, DlElement};
use crate::interop::external::{ExternalError as E, SemaphoreKind};
use crate::launch::LaunchError as L;
use crate::memory::MemoryError as M;
use crate::module::ModuleError as O;
use crate::panics::{KernelDeadlock, KernelPanic, PastLaunch};
use crate::stream::StreamError as S;
use crate::symbol::SymbolError as Y;
use crate::tensor::TensorMapError as T;
use crate::{DeviceError as D, DriverError, Error, Unsupported};

const KERNEL: &str = "saxpy";

fn driver_error() -> DriverError {
    DriverError {
        code: 700,
        name: "CUDA_ERROR_ILLEGAL_ADDRESS".into(),
        text: "an illegal memory access was encountered".into(),
        call: "cuStreamSynchronize",
        launches: Box::default(),
    }
}

/// An error of earlier work, of which `n` launches may be the cause.
fn driver_error_of(here: &'static Location<'static>, n: u64) -> DriverError {
    let launch = |i| PastLaunch {
        kernel: [KERNEL, "scale"][(i % 2) as usize],
        grid: [4, 1, 1],
        block: [256, 1, 1],
        at: here,
        stream: 3,
        times: 1 + i * 16,
    };
    DriverError {
        launches: (0..n).map(launch).collect(),
        ..driver_error()
    }
}

fn device_errors() -> Vec<D> {
    vec![
        D::UnknownChoice {
            value: "gpu".into(),
        },
        D::UnknownModel(crate::model::UnknownModel {
            given: "sm_86".into(),
        }),
        D::DriverNotFound {
            tried: "libcuda.so.1 (no such file); libcuda.so (no such file)".into(),
        },
        D::DriverTooOld {
            library: "libcuda.so.1".into(),
            missing: "cuMemHostAlloc, cuLaunchKernel".into(),
        },
        D::NoDevice,
        D::NoSuchDevice { given: 3, count: 2 },
        D::Driver(driver_error()),
        D::UnknownCount {
            value: "two".into(),
            most: 64,
        },
        D::NoSuchEmulated { given: 4, count: 2 },
        D::NoSuchId {
            wanted: "gpu-1234".into(),
            fits: "none",
            seen: "GPU-00112233-4455-6677-8899-aabbccddeeff at 0000:65:00.0".into(),
        },
        D::Prohibited { given: 1 },
        D::Busy {
            given: 1,
            mode: ComputeMode::ExclusiveProcess,
        },
        D::NoneOpens {
            reasons: format!(
                "{}; {}",
                D::Prohibited { given: 0 },
                D::Driver(driver_error())
            ),
        },
        D::LostToProcess {
            ordinal: 0,
            source: driver_error(),
        },
        D::ContextActive {
            ordinal: 0,
            wanted: 12,
            active: 24,
        },
        D::Limit {
            limit: ContextLimit::L2Fetch,
            given: 4096,
            device: "emulator".into(),
            reason: "it is at most 128 bytes".into(),
        },
        D::NullContext,
        D::Peer {
            device: "NVIDIA H200".into(),
            peer: "emulator".into(),
            reason: "one is a GPU, the other is emulated; copy through the host, with `to_vec` and `copy_from`".into(),
        },
        D::StillUsed {
            device: "NVIDIA H200".into(),
            others: 3,
        },
        D::Query {
            what: "ask for CLOCK_RATE".into(),
            device: "NVIDIA H200".into(),
            source: driver_error().into(),
        },
        D::Unsupported(Unsupported {
            what: "depth of launches by kernels",
            device: "emulator".into(),
            reason: "GPUs of compute capability 9.0 and later have no such limit".into(),
        }),
    ]
}

fn memory_errors() -> Vec<M> {
    vec![
        M::OutOfMemory {
            elements: 1 << 40,
            size: 4,
            device: "NVIDIA H200".into(),
        },
        M::OutOfRange {
            start: 3,
            end: 9,
            len: 5,
        },
        M::ArrayGather {
            shape: (4, 4, 4).into(),
        },
        M::ArrayLevels {
            shape: (64, 16).into(),
            given: 8,
            most: 7,
        },
        M::NoSuchLevel {
            given: 3,
            levels: 3,
        },
        M::ArrayExtent {
            shape: (200_000, 3).into(),
            side: "width",
            given: 200_000,
            limit: 131_072,
            device: "NVIDIA H200".into(),
        },
        M::InGraph,
        M::CopyOutOfRange {
            given: 4,
            at: 3,
            len: 5,
        },
        M::AppendedTooMany {
            given: 1200,
            capacity: 1000,
        },
        M::NotRectangular { len: 10, width: 3 },
        M::EmptyChunks { len: 10 },
        M::LengthMismatch {
            given: 10,
            extent: (3, 4).into(),
        },
        M::ExtentMismatch {
            from: (64, 64, 2).into(),
            to: (64, 32, 2).into(),
        },
        M::WrongDevice {
            buffer: "NVIDIA H200".into(),
            stream: "emulator".into(),
        },
        M::Stream(S::NotRecorded),
        M::Driver(driver_error()),
    ]
}

fn stream_errors(here: &'static Location<'static>) -> Vec<S> {
    vec![
        S::Panic(Box::new(KernelPanic {
            kernel: KERNEL.into(),
            message: "index out of bounds: the len is 5 but the index is 7".into(),
            file: "src/main.rs".into(),
            line: 12,
            column: 9,
            block: [1, 0, 0],
            thread: [3, 0, 0],
            launched_at: Some(here),
            findings: vec![],
        })),
        S::Panic(Box::new(KernelPanic {
            kernel: "saxpy or scale".into(),
            message: "lost".into(),
            file: String::new(),
            line: 0,
            column: 0,
            block: [0; 3],
            thread: [0; 3],
            launched_at: None,
            findings: vec![],
        })),
        S::Deadlock(Box::new(KernelDeadlock {
            kernel: KERNEL.into(),
            report: "block (0, 0, 0) is stuck: 32 threads wait at barrier 1, src/main.rs:14:5"
                .into(),
            launched_at: here,
            findings: vec![],
        })),
        S::Check(Box::new(KernelFindings::of(
            KERNEL,
            here,
            vec![Report::new(
                Code::GLOBAL_BOUNDS,
                "out of bounds in global memory: x[7], and x has 5 elements",
            )],
        ))),
        S::WrongDevice {
            event: "NVIDIA H200".into(),
            stream: "emulator".into(),
        },
        S::NotRecorded,
        S::Recording {
            what: "be waited for",
        },
        S::NoTiming,
        S::HostPanic {
            message: "the receiver is gone".into(),
            submitted_at: here,
        },
        S::InsideHostFunction,
        S::PriorityOutOfRange {
            given: 1,
            least: 0,
            greatest: -5,
            device: "NVIDIA H200".into(),
        },
        S::Driver(driver_error()),
        S::Driver(driver_error_of(here, 1)),
        S::Driver(driver_error_of(here, 2)),
        S::Driver(driver_error_of(here, 9)),
    ]
}

fn symbol_errors() -> Vec<Y> {
    let name = "shop::COUNT";
    vec![
        Y::Unused {
            name,
            device: "NVIDIA H200".into(),
        },
        Y::SizeMismatch {
            name,
            host: 64,
            device: 48,
        },
        Y::Load {
            name,
            source: Box::new(L::DamagedImages {
                reason: "the device image at byte 16 is cut off".into(),
            }),
        },
        Y::WrongDevice {
            name,
            symbol: "NVIDIA H200".into(),
            stream: "emulator".into(),
        },
        Y::Stream(S::NotRecorded),
        Y::Driver(driver_error()),
    ]
}

fn interop_errors() -> Vec<I> {
    let device = || "NVIDIA H200".to_owned();
    let found = DLDevice {
        device_type: 2,
        device_id: 1,
    };
    vec![
        I::WrongContext { device: device() },
        I::PerThreadStream,
        I::NullAddress { elements: 10 },
        I::Misaligned {
            address: 0x7f00_1001,
            align: 4,
            element: "f32",
        },
        I::TooLarge {
            elements: usize::MAX,
            size: 4,
        },
        I::UnknownAddress {
            address: 0x7f00_1000,
            device: device(),
        },
        I::NullTensor,
        I::Version { major: 2, minor: 0 },
        I::Malformed {
            what: "a negative extent",
        },
        I::ElementType {
            found: f64::DATA_TYPE,
            expected: f32::DATA_TYPE,
        },
        I::NotContiguous {
            shape: [2, 3].into(),
            strides: [1, 2].into(),
        },
        I::WrongDevice {
            found,
            device: "emulator".into(),
            reaches: "host memory".into(),
        },
        I::ReadOnly,
        I::WrongShape {
            shape: [2, 3].into(),
            len: 7,
        },
        I::Driver(driver_error()),
    ]
}

fn module_errors() -> Vec<O> {
    let name = || "saxpy.ptx".to_owned();
    vec![
        O::Read {
            path: name(),
            reason: "No such file or directory (os error 2)".into(),
        },
        O::NotCode {
            name: name(),
            reason: "PTX says `.version` in front; is this PTX, and all of it?".into(),
        },
        O::WrongArch {
            name: name(),
            arch: crate::module::images::Arch::exact(9, 0),
            device: "NVIDIA T4".into(),
            capability: (7, 5),
            remedy: "compile it to PTX for an older architecture",
        },
        O::Setting {
            option: "JitOptions::max_registers",
            given: 300,
            allowed: "1 to 255 registers",
        },
        O::Refused {
            name: name(),
            line: Some(12),
            place: Some(", line 12 (`add.u32 x, y, 1;`)".into()),
            log: "ptxas application ptx input, line 12; error   : Unknown symbol 'y'".into(),
            source: Box::new(driver_error()),
        },
        O::NothingToLink,
        O::NoKernel {
            module: name(),
            name: KERNEL.into(),
            known: "it has axpy, scale".into(),
        },
        O::Signature {
            kernel: KERNEL.into(),
            parameter: 2,
            given: "4 bytes".into(),
            found: "8 bytes".into(),
        },
        O::NoSymbol {
            module: name(),
            name: "table".into(),
        },
        O::SymbolSize {
            name: "table".into(),
            given: 64,
            found: 1024,
        },
        O::WrongDevice {
            module: name(),
            device: "NVIDIA H200".into(),
            stream: "emulator".into(),
        },
        L::NoClusterGiven { kernel: KERNEL }.into(),
        O::Stream(S::NotRecorded),
        O::Driver(driver_error()),
        O::Unsupported(Unsupported {
            what: "loading PTX, cubins and fat binaries",
            device: "emulator".into(),
            reason: "it runs the Rust code of kernels, and no PTX".into(),
        }),
    ]
}

fn external_errors() -> Vec<E> {
    let device = || "NVIDIA H200".to_owned();
    vec![
        E::OutOfRange {
            offset: 4096,
            bytes: 8192,
            allocation_bytes: 10_000,
        },
        E::Misaligned {
            offset: 2,
            align: 4,
            element: "f32",
        },
        E::Empty,
        E::DedicatedOffset { offset: 256 },
        E::FileTooShort {
            found: 64,
            wanted: 65,
        },
        E::SemaphoreKind {
            wanted: SemaphoreKind::Timeline,
            found: SemaphoreKind::Binary,
        },
        E::WrongDevice {
            what: "stream",
            found: "emulator".into(),
            wanted: device(),
        },
        E::InGraph,
        E::NotSignalled {
            found: 1,
            wanted: 2,
        },
        E::NotGreater { given: 3, found: 3 },
        E::TimelineEnds,
        E::Host {
            what: "map memory",
            reason: "Bad file descriptor (os error 9)".into(),
        },
        E::Driver(driver_error()),
        E::Memory(M::InGraph),
        E::Stream(S::InsideHostFunction),
        E::Interop(I::NullAddress { elements: 3 }),
        E::Unsupported(Unsupported {
            what: "semaphores that the host signals",
            device: device(),
            reason: "its streams run by themselves; use `Device::import_semaphore`".into(),
        }),
    ]
}

fn tensor_errors() -> Vec<T> {
    vec![
        T::Capability {
            device: "NVIDIA A100".into(),
            found: (8, 0),
        },
        T::Misaligned {
            address: 0x7f00_0000_0204,
        },
        T::Extent {
            dimension: 1,
            given: 0,
        },
        T::FirstStride { given: 8, size: 4 },
        T::StrideAlign {
            dimension: 1,
            given: 244,
        },
        T::Stride {
            dimension: 2,
            given: 1 << 40,
        },
        T::Memory {
            needed: 8448,
            bytes: 8192,
        },
        T::Box {
            dimension: 1,
            given: 257,
        },
        T::Step {
            dimension: 1,
            given: 9,
            most: 8,
        },
        T::BoxRow { bytes: 20 },
        T::Swizzle {
            bytes: 256,
            span: 128,
            columns: 32,
        },
        T::Fill { element: "u32" },
        T::Driver(driver_error()),
    ]
}

fn graph_errors() -> Vec<G> {
    vec![
        G::Nothing,
        G::OtherGraph,
        G::WrongDevice {
            graph: "NVIDIA H200".into(),
            stream: "emulator".into(),
        },
        G::OtherDevice {
            child: "emulator".into(),
            graph: "NVIDIA H200".into(),
        },
        G::OtherWork {
            expected: KERNEL.into(),
            given: "2 nodes".into(),
        },
        G::NewOrder {
            node: KERNEL,
            other: "copy",
        },
        G::Driver(driver_error()),
    ]
}

fn all() -> Vec<Error> {
    let here = Location::caller();
    let mut errors: Vec<Error> = Vec::new();
    errors.extend(device_errors().into_iter().map(Error::from));
    errors.extend(memory_errors().into_iter().map(Error::from));
    errors.extend(stream_errors(here).into_iter().map(Error::from));
    errors.extend(launches::errors(here).into_iter().map(Error::from));
    errors.extend(graph_errors().into_iter().map(Error::from));
    errors.extend(symbol_errors().into_iter().map(Error::from));
    errors.extend(interop_errors().into_iter().map(Error::from));
    errors.extend(external_errors().into_iter().map(Error::from));
    errors.extend(graphics::errors().into_iter().map(Error::from));
    errors.extend(module_errors().into_iter().map(Error::from));
    errors.extend(tensor_errors().into_iter().map(Error::from));
    errors.extend(textures::errors().into_iter().map(Error::from));
    errors
}

fn texts() -> String {
    let here = Location::caller().file();
    let mut texts = String::new();
    for error in all() {
        // The place of this very file varies; what users read there is a path of theirs.
        let text = error.to_string();
        let places = text.matches(here).count();
        let text = match places {
            0 => text,
            _ => hide_numbers(&text, here),
        };
        texts.push_str(&text);
        texts.push('\n');
    }
    texts
}

/// `src/main.rs:40:5` for every place in this file.
fn hide_numbers(text: &str, here: &str) -> String {
    let mut parts = text.split(here);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("src/main.rs:40:5");
        out.push_str(part.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit()));
    }
    out
}

#[test]
fn every_text_is_as_it_was_read_and_approved() {
    let texts = texts();
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(
            concat!(env!("CARGO_MANIFEST_DIR"), "/src/errors.txt"),
            &texts,
        )
        .unwrap();
        return;
    }
    let expected = include_str!("errors.txt");
    for (given, expected) in texts.lines().zip(expected.lines()) {
        assert_eq!(
            given, expected,
            "if this is better: WARPLOOM_BLESS=1 cargo test"
        );
    }
    assert_eq!(
        texts.lines().count(),
        expected.lines().count(),
        "if this is right: WARPLOOM_BLESS=1 cargo test"
    );
}

#[test]
fn texts_follow_the_house_style() {
    for error in all() {
        let text = error.to_string();
        assert!(!text.ends_with('.'), "full stop: {text}");
        let first = text.chars().next().unwrap();
        assert!(
            !first.is_uppercase() || text.starts_with("WARPLOOM") || text.starts_with("NVIDIA"),
            "capital: {text}"
        );
    }
}

/// `unwrap`, and a `main` that returns a result, show the form for `Debug`.
#[test]
fn debug_shows_the_text() {
    fn look(errors: &[impl std::error::Error]) {
        for error in errors {
            assert_eq!(format!("{error:?}"), error.to_string());
        }
    }
    let here = Location::caller();
    look(&all());
    look(&device_errors());
    look(&memory_errors());
    look(&stream_errors(here));
    look(&launches::errors(here));
    look(&graph_errors());
    look(&symbol_errors());
    look(&interop_errors());
    look(&external_errors());
    look(&graphics::errors());
    look(&module_errors());
    look(&tensor_errors());
    look(&textures::errors());
}

#[test]
fn results_stay_small() {
    assert!(size_of::<Error>() <= 128, "{}", size_of::<Error>());
}
