//! What is known of a kernel for one architecture, and its form in JSON.

use crate::device_code::{Arch, DeviceKernel};
use crate::ptxas_costs::Cost;
use serde::{Deserialize, Serialize};
use std::path::Path;
use warploom_runtime::model::Model;
use warploom_runtime::occupancy::{BlockNeeds, Multiprocessor};

/// The number of the form. Fields may be added under it; none is removed or changes its meaning.
const SCHEMA: u32 = 1;

/// The blocks whose occupancy is told, in threads, where the kernel leaves a choice.
pub(super) const BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];

/// A report, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    schema: u32,
    /// The version of ptxas.
    pub(super) ptxas: String,
    /// By kernel, then architecture.
    pub(super) kernels: Vec<Figures>,
}

/// What one kernel costs on one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(super) kernel: String,
    pub(super) package: String,
    pub(super) entry: String,
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) arch: String,
    pub(super) registers: u32,
    pub(super) spill_store_bytes: u32,
    pub(super) spill_load_bytes: u32,
    /// Static; what a launch asks for comes on top.
    pub(super) shared_bytes: u32,
    pub(super) stack_bytes: u32,
    /// `None` where there was no nvdisasm.
    pub(super) instructions: Option<u32>,
    /// Empty for architectures whose multiprocessors are not known here.
    pub(super) occupancy: Vec<Occupancy>,
}

/// What one multiprocessor has room for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Occupancy {
    /// Threads of a block.
    pub(super) threads: u32,
    pub(super) blocks: u32,
    pub(super) warps: u32,
    pub(super) max_warps: u32,
}

impl Occupancy {
    pub(super) fn percent(&self) -> u32 {
        // Half a percent up, as people round.
        (200 * self.warps + self.max_warps) / (2 * self.max_warps.max(1))
    }
}

impl Figures {
    pub(super) fn new(
        kernel: &DeviceKernel,
        arch: Arch,
        cost: Cost,
        instructions: Option<u32>,
    ) -> Figures {
        Figures {
            kernel: kernel.name.clone(),
            package: kernel.package.clone(),
            entry: kernel.entry.clone(),
            file: kernel.file.clone(),
            line: kernel.line,
            arch: arch.name(),
            registers: cost.registers,
            spill_store_bytes: cost.spill_stores,
            spill_load_bytes: cost.spill_loads,
            shared_bytes: cost.shared_bytes,
            stack_bytes: cost.stack_bytes,
            instructions,
            occupancy: occupancy(arch.sm, &blocks_of(kernel), cost),
        }
    }

    pub(super) fn spilled_bytes(&self) -> u32 {
        self.spill_store_bytes.saturating_add(self.spill_load_bytes)
    }

    /// `None` if it is not told for such blocks.
    pub(super) fn occupancy_at(&self, threads: u32) -> Option<&Occupancy> {
        self.occupancy.iter().find(|o| o.threads == threads)
    }
}

/// The blocks that launches of a kernel may have: the one that it names, or the usual ones up to its limit.
fn blocks_of(kernel: &DeviceKernel) -> Vec<u32> {
    let Some(contract) = &kernel.contract else {
        return BLOCKS.to_vec();
    };
    let named: u32 = contract.block.iter().product();
    if named > 0 {
        return vec![named];
    }
    let most = match contract.max_threads {
        0 => u32::MAX,
        most => most,
    };
    let mut blocks: Vec<u32> = BLOCKS.into_iter().filter(|b| *b <= most).collect();
    if most < 1024 && !blocks.contains(&most) {
        blocks.push(most);
    }
    blocks
}

/// How full blocks make a multiprocessor: the rules and limits of `warploom-runtime`, which are those of the CUDA programming guide, appendix
/// "Compute Capabilities", table "Technical Specifications".
fn occupancy(sm: u32, blocks: &[u32], cost: Cost) -> Vec<Occupancy> {
    let Some(model) = Model::of(sm / 10, sm % 10) else {
        return vec![];
    };
    let multiprocessor = Multiprocessor::of(model);
    let of_block = |threads: &u32| {
        let room = multiprocessor.occupancy_of(&BlockNeeds {
            threads: *threads,
            registers: cost.registers,
            shared_bytes: cost.shared_bytes,
        });
        Occupancy {
            threads: *threads,
            blocks: room.blocks,
            warps: room.warps,
            max_warps: room.max_warps,
        }
    };
    blocks.iter().map(of_block).collect()
}

impl Report {
    pub(super) fn new(ptxas: String, kernels: Vec<Figures>) -> Report {
        Report {
            schema: SCHEMA,
            ptxas,
            kernels,
        }
    }

    /// The name of a kernel, with that in the PTX if another instance has the same name.
    pub(super) fn label(&self, figures: &Figures) -> String {
        let is_another =
            |other: &Figures| other.kernel == figures.kernel && other.entry != figures.entry;
        match self.kernels.iter().any(is_another) {
            true => format!("{} ({})", figures.kernel, figures.entry),
            false => figures.kernel.clone(),
        }
    }

    pub(super) fn to_json(&self) -> Result<String, String> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n")
            .map_err(|error| error.to_string())
    }

    /// Reads a stored report.
    pub(super) fn read(path: &Path) -> Result<Report, String> {
        let cannot = |why: &dyn std::fmt::Display| {
            format!(
                "cannot read the report {}: {why}; `cargo warploom report --json FILE` writes one",
                path.display()
            )
        };
        let text = std::fs::read_to_string(path).map_err(|error| cannot(&error))?;
        let report: Report = serde_json::from_str(&text).map_err(|error| cannot(&error))?;
        match report.schema {
            SCHEMA => Ok(report),
            other => Err(cannot(&format!(
                "it has schema {other}, this version reads {SCHEMA}"
            ))),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::device_code::tests::kernel;
    use warploom_manifest::Contract;

    /// Figures of a kernel for sm_90.
    pub(in crate::report) fn figures(name: &str, registers: u32) -> Figures {
        let cost = Cost {
            registers,
            ..Cost::default()
        };
        let arch = Arch {
            sm: 90,
            exact: false,
        };
        Figures::new(&kernel(name), arch, cost, Some(100))
    }

    fn percents(sm: u32, registers: u32, shared_bytes: u32) -> Vec<u32> {
        let cost = Cost {
            registers,
            shared_bytes,
            ..Cost::default()
        };
        let all = occupancy(sm, &BLOCKS, cost);
        all.iter().map(Occupancy::percent).collect()
    }

    /// By hand, from the table "Technical Specifications per Compute Capability" of the CUDA programming guide 13.0.
    #[test]
    fn occupancy_is_as_the_guides_limits_have_it() {
        // 9.0: 64 warps, 32 blocks, 65,536 registers; blocks of one warp are limited by the number of blocks.
        assert_eq!(percents(90, 32, 0), [50, 100, 100, 100, 100, 100]);
        // 64 registers: 32 warps at a time.
        assert_eq!(percents(90, 64, 0), [50, 50, 50, 50, 50, 50]);
        // 128 registers: 16 warps, so that 32 of them do not start.
        assert_eq!(percents(90, 128, 0), [25, 25, 25, 25, 25, 0]);
        // 40 registers: 1,280 per warp, 51 warps by 4 parts of 16,384: 12 per part, 48 in all.
        assert_eq!(percents(90, 40, 0), [50, 75, 75, 75, 75, 50]);
        // 48 KiB and 1 KiB for the system: four blocks of the 228 KiB.
        assert_eq!(percents(90, 32, 48 * 1024), [6, 13, 25, 50, 100, 100]);
        // 7.5: 32 warps, 16 blocks. 8.6: 48 warps, 16 blocks.
        assert_eq!(percents(75, 32, 0), [50, 100, 100, 100, 100, 100]);
        assert_eq!(percents(86, 32, 0), [33, 67, 100, 100, 100, 67]);
        assert!(percents(103, 32, 0).is_empty(), "not in the table");
    }

    #[test]
    fn blocks_are_those_that_a_launch_may_have() {
        let mut kernel = kernel("k");
        assert_eq!(blocks_of(&kernel), BLOCKS);
        let mut contract = Contract {
            max_threads: 384,
            ..Contract::ANY
        };
        kernel.contract = Some(contract);
        assert_eq!(blocks_of(&kernel), [32, 64, 128, 256, 384]);
        contract.block = [16, 8, 1];
        kernel.contract = Some(contract);
        assert_eq!(blocks_of(&kernel), [128]);
    }

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let report = Report::new("13.0.88".into(), vec![figures("app::k", 32)]);
        let folder = crate::temporary::Folder::new().unwrap();
        let path = folder.path().join("report.json");
        std::fs::write(&path, report.to_json().unwrap()).unwrap();
        assert_eq!(Report::read(&path).unwrap(), report);
        let newer = report
            .to_json()
            .unwrap()
            .replace("\"schema\": 1", "\"schema\": 2");
        std::fs::write(&path, newer).unwrap();
        let error = Report::read(&path).unwrap_err();
        assert!(
            error.contains("it has schema 2, this version reads 1"),
            "{error}"
        );
    }
}
