//! Errors of launches, one for each variant.

use std::panic::Location;

use super::{KERNEL, driver_error, driver_error_of};
use crate::launch::LaunchError as L;
use crate::stream::StreamError as S;

#[expect(clippy::too_many_lines, reason = "one entry per variant")]
pub(super) fn errors(here: &'static Location<'static>) -> Vec<L> {
    let (kernel, device) = (KERNEL, || "NVIDIA H200".to_owned());
    vec![
        L::Recorded { kernel },
        L::ZeroDimension {
            kernel,
            what: "grid.x",
        },
        L::DimensionTooLarge {
            kernel,
            what: "grid.y",
            given: 70_000,
            limit: 65_535,
            device: device(),
        },
        L::BlockTooLarge {
            kernel,
            given: 2048,
            limit: 1024,
            device: device(),
        },
        L::TooManyDimensions {
            kernel,
            dims: 1,
            what: "block.y",
            given: 4,
            remedy: "`Launch::covering(n)`",
        },
        L::TooFewBlocks {
            kernel: "hotspot",
            output: "y",
            what: "grid.x",
            given: 4,
            core: 200,
            len: 1000,
            needed: 5,
        },
        L::TooFewDimensions {
            kernel,
            given: "Launch::covering(1000)".into(),
            covered: "x alone",
            dims: 2,
            remedy: "`Launch::covering_2d(width, height)`",
        },
        L::WrongBlock {
            kernel,
            given: [64, 1, 1],
            needed: [128, 1, 1],
            remedy: ", or with `Launch::covering(n)`, which takes it",
        },
        L::TooManyThreads {
            kernel,
            given: 512,
            limit: 256,
        },
        L::SharedTooLarge {
            kernel,
            given: 240_000,
            fixed: 1024,
            limit: 232_448,
            device: device(),
        },
        L::StaticSharedTooLarge {
            kernel,
            given: 49_160,
            limit: 49_152,
            array: "f64".into(),
            place: "src/k.rs:3:9".into(),
            device: device(),
        },
        L::NoDynamicShared { kernel },
        L::NoClusters {
            kernel,
            device: "NVIDIA T4".into(),
        },
        L::NoClusterGiven { kernel },
        L::WrongCluster {
            kernel,
            given: [4, 1, 1],
            needed: [2, 1, 1],
        },
        L::ClusterTooLarge {
            kernel,
            given: 32,
            limit: 8,
            device: device(),
        },
        L::TooManyBlocksPerCluster {
            kernel,
            given: 8,
            limit: 4,
        },
        L::PartialCluster {
            kernel,
            what: "grid.x",
            given: 7,
            cluster: 2,
        },
        L::GridTooLarge {
            kernel,
            given: 300,
            limit: 264,
            device: device(),
        },
        L::ParametersTooLarge {
            kernel,
            given: 40_000,
            limit: 32_764,
            device: device(),
        },
        L::Requires {
            kernel,
            condition: "x.len() == y.len()",
            extents: "x.len() = 5, y.len() = 4".into(),
        },
        L::WrongDevice {
            kernel,
            argument: 2,
            buffer: "emulator".into(),
            stream: device(),
            remedy: "make both from the same `Device` or its clones",
        },
        L::Misaligned {
            kernel,
            argument: 2,
            name: "x",
            address: 0x7f00_1004,
            size: 16,
            align: 16,
        },
        L::WrongCarveout {
            kernel: KERNEL,
            given: 120,
        },
        L::WrongStream {
            kernel: KERNEL,
            module: "NVIDIA H200".into(),
            stream: "emulator".into(),
        },
        L::WrongArgument {
            kernel,
            argument: 1,
            given: "a value of 8 bytes, aligned to 8".into(),
            needed: "a value of 4 bytes, aligned to 4".into(),
        },
        L::NoDeviceCode {
            kernel: "shop::saxpy",
            reason: "the device pass of lib shop failed: no libLLVM".into(),
        },
        L::Ambiguous {
            kernel: "shop::map<shop::main::{{closure}}>",
            count: 2,
            caller: here,
        },
        L::LayoutMismatch {
            kernel,
            parameter: 1,
            host: "a value of 8 bytes, aligned to 8".into(),
            device: "a value of 12 bytes, aligned to 4".into(),
        },
        L::FieldMismatch {
            kernel,
            parameter: 2,
        },
        L::ContractMismatch {
            kernel,
            part: "block",
            host: "[64, 1, 1]".into(),
            device: "[32, 1, 1]".into(),
        },
        L::NoImage {
            kernel,
            device: "NVIDIA T4".into(),
            capability: "7.5".into(),
            available: "sm_80 and newer, sm_90a (compute capability 9.0 only)".into(),
        },
        L::DamagedImages {
            reason: "the device image at byte 16 is cut off".into(),
        },
        L::Refused {
            kernel,
            target: "lib shop".into(),
            log: "ptxas error: line 3".into(),
            source: Box::new(driver_error()),
        },
        L::NoManagedMemory {
            kernel,
            name: "shop::TOTAL".into(),
            device: "NVIDIA T4".into(),
        },
        L::Emulator {
            kernel,
            reason: "cannot run a kernel from inside a kernel".into(),
        },
        L::Failed {
            kernel,
            at: here,
            source: Box::new(S::Driver(driver_error_of(here, 1))),
        },
        L::InsideHostFunction { kernel },
        L::Driver {
            kernel,
            source: driver_error(),
        },
    ]
}
