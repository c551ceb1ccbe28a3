//! Where in the source an instruction comes from: numbered places, each with the calls that were inlined around it.

use crate::environment::PATHS_FROM;
use crate::hash::HashMap;
use crate::llvm::Value;
use std::path::{Path, PathBuf};
use warploom_manifest::instrumented::Site;

/// What a file's path contains if its lines are of no interest to a reader: the device library and the standard library.
const LIBRARIES: &[&str] = &[
    "device-std/src/",
    "/warploom-device-std-",
    "/rustc/",
    "/library/core/",
    "/library/alloc/",
    "/library/std/",
];

/// The places of one module.
pub(super) struct Places {
    pub(super) files: Vec<String>,
    pub(super) functions: Vec<String>,
    pub(super) sites: Vec<Site>,
    file_numbers: HashMap<String, u32>,
    function_numbers: HashMap<String, u32>,
    known: HashMap<Vec<(u32, u32, u32, u32)>, u32>,
    /// The folder that the compiler runs in.
    here: PathBuf,
}

impl Places {
    /// None yet.
    pub(super) fn new() -> Self {
        Self {
            files: vec![],
            functions: vec![],
            sites: vec![],
            file_numbers: HashMap::default(),
            function_numbers: HashMap::default(),
            known: HashMap::default(),
            // Without it, paths are shown whole.
            here: std::env::current_dir().unwrap_or_default(),
        }
    }

    /// The folder that names of files are relative to. A package that another one stands for is compiled elsewhere, and its names are made
    /// relative to its own workspace.
    pub(super) fn folder(&self) -> String {
        let stands_for = std::env::var_os(PATHS_FROM).map(PathBuf::from);
        let folder = stands_for.as_ref().unwrap_or(&self.here);
        folder.to_str().unwrap_or_default().to_owned()
    }

    /// The number of the place of `instruction`, which stands in the function called `function`.
    pub(super) fn of(&mut self, instruction: Value<'_>, function: &str) -> u32 {
        let mut chain = instruction.debug_chain();
        if chain.iter().all(|(_, line, _)| *line == 0) {
            chain = nearest_chain(instruction).unwrap_or(chain);
        }
        let kernel = super::entries::kernel(function);
        if kernel.is_some() && chain.len() > 1 {
            chain.pop(); // where the kernel's name stands
        }
        let function = kernel.unwrap_or(function);
        let function = number(&mut self.functions, &mut self.function_numbers, function);
        let unknown = number(&mut self.functions, &mut self.function_numbers, "");
        let last = chain.len().saturating_sub(1);
        let mut frames: Vec<(u32, u32, u32, u32)> = chain
            .iter()
            .enumerate()
            .map(|(i, (file, line, column))| {
                let file = number(
                    &mut self.files,
                    &mut self.file_numbers,
                    relative(file, &self.here),
                );
                let function = if i == last { function } else { unknown };
                (file, function, *line, *column)
            })
            .collect();
        if frames.is_empty() {
            let file = number(&mut self.files, &mut self.file_numbers, "");
            frames.push((file, function, 0, 0));
        }
        if let Some(known) = self.known.get(&frames) {
            return *known;
        }
        let shown = chain
            .iter()
            .position(|(file, line, _)| *line != 0 && !LIBRARIES.iter().any(|l| file.contains(l)))
            .unwrap_or(frames.len());
        let number = self.sites.len() as u32;
        self.known.insert(frames.clone(), number);
        self.sites.push(Site {
            frames,
            shown: shown as u32,
        });
        number
    }
}

/// The place of the nearest instruction of the block that has one, one before rather than one behind: passes that split an access or merge two leave it without a line.
fn nearest_chain(instruction: Value<'_>) -> Option<Vec<(String, u32, u32)>> {
    let block = instruction.block()?.instructions();
    let at = block.iter().position(|other| *other == instruction)?;
    let near = |other: &Value<'_>| {
        let chain = other.debug_chain();
        chain.iter().any(|(_, line, _)| *line != 0).then_some(chain)
    };
    let before = block[..at].iter().rev();
    before.chain(&block[at + 1..]).find_map(near)
}

/// The path as the compiler was given it: relative to the folder that it ran in, if the file lies there.
fn relative<'a>(file: &'a str, here: &Path) -> &'a str {
    let inside = Path::new(file).strip_prefix(here).ok();
    inside.and_then(Path::to_str).unwrap_or(file)
}

fn number(list: &mut Vec<String>, numbers: &mut HashMap<String, u32>, text: &str) -> u32 {
    if let Some(known) = numbers.get(text) {
        return *known;
    }
    let number = list.len() as u32;
    list.push(text.to_owned());
    numbers.insert(text.to_owned(), number);
    number
}
