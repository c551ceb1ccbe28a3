//! `cargo warploom report`: what kernels cost, for each architecture, without a GPU.

mod compare; // against a report that was stored
mod figures; // what is known of a kernel, and its form in JSON
mod page; // as HTML
mod table; // as text

use crate::command_line::ReportOptions;
use crate::device_code::{self, Arch, DeviceKernel, Image};
use crate::project::{self, Programs};
use crate::ptxas::{Assembler, is_unknown_arch};
use crate::ptxas_costs::Cost;
use crate::{Verdict, machine_code, print, remark, select, write};
use figures::{Figures, Report};
use std::collections::{BTreeSet, HashMap};

/// The architectures if none are named: those that this repository tests.
const ARCHS: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];

pub(crate) fn run(options: &ReportOptions) -> Result<Verdict, String> {
    let assembler = Assembler::find()?;
    let before = options.compare.as_deref().map(Report::read).transpose()?;
    let named = options.archs.iter().map(|text| Arch::parse(text));
    let mut archs = named.collect::<Result<Vec<Arch>, String>>()?;
    let is_default = archs.is_empty();
    if is_default {
        archs = ARCHS
            .iter()
            .map(|arch| Arch::parse(arch))
            .collect::<Result<_, _>>()?;
    }
    let programs = project::build(&options.selection, Programs::Binaries, &[])?;
    let code = device_code::read_all(&programs)?;
    if code.kernels.is_empty() {
        return Err(select::none(&code));
    }
    if let Some(missing) = assembler.without_disassembler() {
        remark(&format!("note: instructions are not counted: {missing}"));
    }
    let report = measure(&assembler, &code.kernels, &archs, is_default)?;
    let compared = before.map(|before| compare::compare(&before, &report, options.tolerance));
    print(&table::text(&report))?;
    if let Some(compared) = &compared {
        print(&compared.text())?;
    }
    if let Some(path) = &options.json {
        write(path, &report.to_json()?)?;
    }
    if let Some(path) = &options.html {
        write(path, &page::html(&report, compared.as_ref()))?;
    }
    let worse = compared.is_some_and(|compared| compared.is_worse());
    Ok(if worse { Verdict::Found } else { Verdict::Fine })
}

/// The figures of all kernels for all architectures.
fn measure(
    assembler: &Assembler,
    kernels: &[DeviceKernel],
    archs: &[Arch],
    is_default: bool,
) -> Result<Report, String> {
    let mut machines = Machines {
        assembler,
        is_default,
        done: HashMap::new(),
        unknown: BTreeSet::new(),
    };
    let mut all = Vec::new();
    for kernel in kernels {
        let before = all.len();
        for arch in archs {
            let Some(image) = kernel.image(*arch) else {
                continue;
            };
            let Some(machine) = machines.of(image, *arch)? else {
                continue;
            };
            let cost = machine
                .costs
                .get(&kernel.entry)
                .ok_or_else(|| format!("ptxas says nothing of `{}` in its image", kernel.entry))?;
            let instructions = machine
                .text
                .as_deref()
                .and_then(|text| machine_code::instructions(text, &kernel.entry));
            all.push(Figures::new(kernel, *arch, *cost, instructions));
        }
        if all.len() == before {
            remark(&format!(
                "note: `{}` has no code for these architectures",
                kernel.name
            ));
        }
    }
    Ok(Report::new(assembler.version.clone(), all))
}

/// An image as machine code.
struct Machine {
    costs: HashMap<String, Cost>,
    /// What nvdisasm prints, if there is one.
    text: Option<String>,
}

/// Images as machine code, each assembled once for an architecture: several kernels may be in one.
struct Machines<'a> {
    assembler: &'a Assembler,
    /// Whether architectures that ptxas does not know are left out.
    is_default: bool,
    done: HashMap<(*const Image, Arch), Machine>,
    unknown: BTreeSet<Arch>,
}

impl Machines<'_> {
    fn of(&mut self, image: &Image, arch: Arch) -> Result<Option<&Machine>, String> {
        let key = (std::ptr::from_ref(image), arch);
        if !self.done.contains_key(&key) && !self.unknown.contains(&arch) {
            match self.assembler.assemble(image, arch) {
                Ok(assembled) => {
                    let text = match self.assembler.without_disassembler() {
                        Some(_) => None,
                        None => Some(self.assembler.disassemble(&assembled)?),
                    };
                    let costs = assembled.costs;
                    self.done.insert(key, Machine { costs, text });
                }
                Err(error) if self.is_default && is_unknown_arch(&error) => {
                    self.unknown.insert(arch);
                    remark(&format!(
                        "note: ptxas {} does not know {}, which is left out",
                        self.assembler.version,
                        arch.name()
                    ));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(self.done.get(&key))
    }
}
