//! Machine code as text: what a kernel consists of, and its hottest loop.
//!
//! Takes what `nvdisasm -c` prints. A loop is a natural one (its head dominates the jump back), so what stands out of line and returns,
//! such as shuffles of diverged warps, is none, and what ends in a panic belongs to none. Must not know: kernels, files.

use std::collections::{BTreeMap, HashMap, HashSet};

/// The instructions of one function, up to the endless loop and the padding behind the last one.
#[derive(Debug, Clone, Default)]
pub struct Function {
    code: Vec<Instruction>,
    /// Places of panics that are written in the kernel, and of what comes before panics alone: nothing else runs there.
    panics: HashSet<usize>,
}

#[derive(Debug, Clone, Default)]
struct Instruction {
    guarded: bool,
    /// `LDG.E.128.CONSTANT`.
    name: String,
    /// All behind the name.
    operands: String,
    /// Where it may jump to.
    target: Option<usize>,
}

/// What instructions do, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// All of them.
    pub instructions: u32,
    /// Additions, multiplications, both at once, and the special functions, of floats.
    pub arithmetic: u32,
    /// Jumps.
    pub branches: u32,
    /// Barriers of the block.
    pub barriers: u32,
    /// Loads, stores and atomics by name: `LDG.128.CONSTANT`.
    pub memory: BTreeMap<String, u32>,
}

impl Work {
    /// Instructions that the algorithm asks for: arithmetic and accesses to memory.
    #[must_use]
    pub fn useful(&self) -> u32 {
        self.arithmetic + self.memory.values().sum::<u32>()
    }

    fn add(&mut self, instruction: &Instruction) {
        self.instructions += 1;
        self.arithmetic += u32::from(instruction.is_arithmetic());
        self.branches += u32::from(instruction.opcode() == "BRA");
        self.barriers += u32::from(instruction.opcode() == "BAR");
        if let Some(name) = instruction.memory() {
            *self.memory.entry(name).or_default() += 1;
        }
    }
}

/// In the names of the device library's functions that report a panic.
const PANICS: [&str; 2] = ["__warploom_panic", "__warploom_slice_index_fail"];

/// How a panic that is written in place takes the record's address, and what comes before the record is given to the host.
const CLAIM: &str = "ATOMG.E.AND.64.STRONG.SYS";
const RELEASE: &str = "MEMBAR";

/// Reads the function of this name: a kernel has a section of its own. What only panics call is left out.
#[must_use]
pub fn function(text: &str, name: &str) -> Option<Function> {
    let (_, rest) = text.split_once(&format!("\n.text.{name}:\n"))?;
    let mut code: Vec<Instruction> = Vec::new();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let lines = rest.lines().map(str::trim);
    let lines = lines.take_while(|l| !l.starts_with(".section") && !l.starts_with("//---"));
    for line in without_panics(lines) {
        if let Some(label) = line.strip_suffix(':') {
            labels.insert(label, code.len());
        } else if let Some(instruction) = Instruction::read(line) {
            code.push(instruction);
        }
    }
    for instruction in &mut code {
        let label = instruction.operands.split_once("`(");
        let label = label.and_then(|(_, rest)| rest.split(')').next());
        instruction.target = label.and_then(|l| labels.get(l)).copied();
    }
    // An endless loop before it is one of the kernel: a path that LLVM knows to be impossible may end in one.
    let last = code.iter().rposition(|i| i.name != "NOP");
    code.truncate(last.map_or(0, |at| at + usize::from(!code[at].jumps_to(at))));
    if code.is_empty() {
        return None;
    }
    let mut function = Function {
        code,
        panics: HashSet::new(),
    };
    function.panics = function.panics_in_place();
    function.add_ways_to_panics();
    Some(function)
}

/// The kernel, and of the functions behind it (`$saxpy$__warploom_panic_bounds_check:`) those that it calls otherwise than in a panic.
fn without_panics<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut pieces: Vec<(&str, Vec<&str>)> = vec![("", vec![])];
    for line in lines {
        if line.starts_with('$') && line.ends_with(':') {
            pieces.push((line.trim_end_matches(':'), vec![]));
        }
        if let Some((_, of_piece)) = pieces.last_mut() {
            of_piece.push(line);
        }
    }
    let mut wanted = HashSet::from([0]);
    let mut todo = vec![0];
    while let Some(piece) = todo.pop() {
        for line in pieces[piece].1.iter().filter(|l| l.contains("CALL")) {
            let called = pieces
                .iter()
                .position(|(name, _)| !name.is_empty() && line.contains(&format!("`({name})")));
            let called = called.filter(|at| !PANICS.iter().any(|p| pieces[*at].0.contains(p)));
            todo.extend(called.filter(|at| wanted.insert(*at)));
        }
    }
    let pieces = pieces.into_iter().enumerate();
    let kept = pieces.filter(|(at, _)| wanted.contains(at));
    kept.flat_map(|(_, (_, lines))| lines).collect()
}

impl Instruction {
    /// `/*0090*/  @P0 EXIT ;`
    fn read(line: &str) -> Option<Instruction> {
        let (_, rest) = line.strip_prefix("/*")?.split_once("*/")?;
        let mut rest = rest.split(';').next()?.trim();
        let guarded = rest.starts_with('@');
        if guarded {
            rest = rest.split_once(char::is_whitespace)?.1.trim_start();
        }
        let (name, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        (!name.is_empty()).then(|| Instruction {
            guarded,
            name: name.to_owned(),
            operands: operands.trim().to_owned(),
            target: None,
        })
    }

    fn opcode(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }

    fn is_arithmetic(&self) -> bool {
        match self.opcode() {
            "FADD" | "FMUL" | "FFMA" | "DADD" | "DMUL" | "DFMA" | "MUFU" | "FMNMX" => true,
            // How constants come into registers, where nothing is multiplied.
            "HFMA2" => !self.operands.contains("RZ, RZ"),
            "HADD2" => !self.operands.contains("-RZ, -RZ") && !self.name.contains("F32"),
            "HMUL2" => true,
            _ => false,
        }
    }

    /// Without what says nothing of width and kind.
    fn memory(&self) -> Option<String> {
        const NAMES: [&str; 13] = [
            "LDG", "STG", "LDS", "STS", "LDL", "STL", "LD", "ST", "ATOM", "ATOMG", "ATOMS", "RED",
            "LDGSTS",
        ];
        let mut parts = self.name.split('.');
        let opcode = parts.next().filter(|o| NAMES.contains(o))?;
        let told = parts.filter(|p| !["E", "STRONG", "GPU", "SYS", "DEFER_BLOCKING"].contains(p));
        let told: Vec<&str> = [opcode].into_iter().chain(told).collect();
        Some(told.join("."))
    }

    /// Whether a thread may end here, or return from a function.
    fn ends_the_thread(&self) -> bool {
        matches!(self.opcode(), "EXIT" | "RET" | "KILL")
    }

    /// Whether it jumps there, whatever its conditions say.
    fn jumps_to(&self, to: usize) -> bool {
        self.name == "BRA" && self.target == Some(to) && !self.falls_through()
    }

    /// Whether what follows it in the text may run next.
    fn falls_through(&self) -> bool {
        let ends = self.ends_the_thread() || matches!(self.opcode(), "BRX" | "JMX");
        // `BRA P0, label` has a condition among its operands.
        let jumps = self.opcode() == "BRA" && self.operands.starts_with('`');
        self.guarded || !(ends || jumps)
    }
}

impl Function {
    /// All of it but panics.
    #[must_use]
    pub fn work(&self) -> Work {
        let mut work = Work::default();
        let normal = self.code.iter().enumerate();
        let normal = normal.filter(|(at, _)| !self.panics.contains(at));
        normal.for_each(|(_, i)| work.add(i));
        work
    }

    /// The loop in which most time is spent: of the loops inside most others, the one with most useful work.
    #[must_use]
    pub fn hottest_loop(&self) -> Option<Work> {
        let mut loops = self.loops();
        loops.retain(|head, _| !self.panics.contains(head));
        let depth = |head: &usize| loops.values().filter(|body| body.contains(head)).count();
        let of = |body: &HashSet<usize>| {
            let mut work = Work::default();
            body.iter().for_each(|at| work.add(&self.code[*at]));
            work
        };
        let all = loops.iter().map(|(head, body)| (depth(head), of(body)));
        all.max_by_key(|(depth, work)| (*depth, work.useful(), work.instructions))
            .map(|(_, work)| work)
    }

    fn successors(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let instruction = &self.code[at];
        let next = instruction.falls_through().then_some(at + 1);
        let jumps = matches!(instruction.opcode(), "BRA" | "BREAK");
        let target = instruction.target.filter(|_| jumps);
        next.into_iter()
            .chain(target)
            .filter(|to| *to < self.code.len())
    }

    /// Panics begin by taking the record's address, with an operation of which few kernels have the like, and what they alone come to is theirs.
    fn panics_in_place(&self) -> HashSet<usize> {
        let mut panics = HashSet::new();
        let dominators = self.dominators(&self.predecessors());
        let begins = |at: usize| {
            let ends =
                |i: &Instruction| !i.falls_through() || i.target.is_some() || i.ends_the_thread();
            let reached = |i: &Instruction| i.target == Some(at);
            at == 0 || ends(&self.code[at - 1]) || self.code.iter().any(reached)
        };
        let claims = (0..self.code.len()).filter(|at| self.code[*at].name == CLAIM);
        for claim in claims {
            let first = (0..=claim).rev().find(|at| begins(*at));
            let first = first.unwrap_or(claim);
            let theirs = (0..self.code.len()).filter(|at| dominates(&dominators, first, *at));
            let theirs: Vec<usize> = theirs.collect();
            if theirs.iter().any(|at| self.code[*at].opcode() == RELEASE) {
                panics.extend(theirs);
            }
        }
        panics
    }

    /// What leads to panics alone: the arguments of a call that reports one, the search for the index that is out of bounds. That is all from where no
    /// end of the kernel is reached but in a panic; so is an endless loop, which LLVM leaves of a path that cannot be.
    fn add_ways_to_panics(&mut self) {
        let reports = |i: &Instruction| PANICS.iter().any(|name| i.operands.contains(name));
        let next = |at: usize| -> Vec<usize> {
            let instruction = &self.code[at];
            match instruction.opcode() {
                "CALL" if !instruction.guarded && reports(instruction) => Vec::new(),
                // It goes where the BSSY of the same register says.
                "BSYNC" => {
                    let marks = self.code.iter().filter(|i| i.opcode() == "BSSY");
                    let same = marks.filter(|i| i.operands.starts_with(&instruction.operands));
                    same.filter_map(|i| i.target)
                        .chain(self.successors(at))
                        .collect()
                }
                _ => self.successors(at).collect(),
            }
        };
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.code.len()];
        let mut todo = Vec::new();
        for at in (0..self.code.len()).filter(|at| !self.panics.contains(at)) {
            next(at).into_iter().for_each(|to| before[to].push(at));
            let is_call = self.code[at].opcode() == "CALL";
            let ends = self.code[at].ends_the_thread() || next(at).is_empty();
            todo.extend(Some(at).filter(|_| ends && !is_call));
        }
        let mut to_the_end = HashSet::new();
        while let Some(at) = todo.pop() {
            if to_the_end.insert(at) {
                todo.extend(&before[at]);
            }
        }
        self.panics = (0..self.code.len())
            .filter(|at| !to_the_end.contains(at))
            .collect();
    }

    fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.code.len()];
        for at in 0..self.code.len() {
            self.successors(at).for_each(|to| before[to].push(at));
        }
        before
    }

    /// Each loop's head, and the places that belong to it.
    fn loops(&self) -> BTreeMap<usize, HashSet<usize>> {
        let before = self.predecessors();
        let dominators = self.dominators(&before);
        let mut loops: BTreeMap<usize, HashSet<usize>> = BTreeMap::new();
        for from in 0..self.code.len() {
            for head in self.successors(from) {
                if !dominates(&dominators, head, from) {
                    continue;
                }
                let body = loops.entry(head).or_insert_with(|| HashSet::from([head]));
                let mut todo = vec![from];
                while let Some(at) = todo.pop() {
                    if body.insert(at) {
                        todo.extend(&before[at]);
                    }
                }
            }
        }
        loops
    }

    /// The nearest dominator of each place that is reached from the start, by Cooper's, Harvey's and Kennedy's simple way.
    fn dominators(&self, before: &[Vec<usize>]) -> Vec<Option<usize>> {
        let order = self.postorder();
        let mut number = vec![0; self.code.len()];
        order.iter().enumerate().for_each(|(n, at)| number[*at] = n);
        let mut nearest: Vec<Option<usize>> = vec![None; self.code.len()];
        nearest[0] = Some(0);
        let mut changed = true;
        while changed {
            changed = false;
            for at in order.iter().rev().copied().filter(|at| *at != 0) {
                let known = before[at].iter().copied().filter(|b| nearest[*b].is_some());
                let common = known.reduce(|mut a, mut b| {
                    while a != b {
                        let lower = if number[a] < number[b] {
                            &mut a
                        } else {
                            &mut b
                        };
                        *lower = nearest[*lower].unwrap_or(0);
                    }
                    a
                });
                changed |= nearest[at] != common;
                nearest[at] = common;
            }
        }
        nearest
    }

    fn postorder(&self) -> Vec<usize> {
        let mut seen = HashSet::from([0]);
        let mut order = Vec::new();
        let mut path: Vec<(usize, Vec<usize>)> = vec![(0, self.successors(0).collect())];
        while let Some((at, next)) = path.last_mut() {
            match next.pop() {
                Some(to) if seen.insert(to) => path.push((to, self.successors(to).collect())),
                Some(_) => {}
                None => {
                    order.push(*at);
                    path.pop();
                }
            }
        }
        order
    }
}

fn dominates(nearest: &[Option<usize>], head: usize, mut at: usize) -> bool {
    loop {
        if at == head {
            return true;
        }
        match nearest[at] {
            Some(up) if up != at => at = up,
            _ => return false,
        }
    }
}

#[cfg(test)]
#[path = "sass_tests.rs"]
mod tests;
