//! The oracle: calls of generated functions are compared before and after a pass, and with the interpreter.

use super::function::Function;
use super::generator::Random;
use super::host::{HostExecution, execute, module_of};
use super::interpreter::{Execution, Input, Outcome};
use super::shrink::shrink;
use super::warp::{Cfg, are_alike, replay};
use crate::llvm::tests::context;
use crate::llvm::{Attribute, Module, Value};
use crate::opt::has_aligned_op;
use std::time::{Duration, Instant};

/// What is generated from a seed.
#[derive(Clone, Copy)]
pub(super) struct Suite {
    pub(super) seed: u64,
    pub(super) functions: usize,
    /// Inputs of each function.
    pub(super) calls: usize,
    /// Threads that make each call, with special registers of their own. Of several threads it is compared which of them make each convergent call
    /// together.
    pub(super) threads: usize,
    pub(super) meetings: Meetings,
    /// The pass may unroll a loop that contains a convergent call.
    pub(super) unrolls: bool,
    /// Runs before the functions are executed first.
    pub(super) prepare: fn(&mut Module<'_>),
    pub(super) function: fn(u64) -> Function,
    pub(super) input: fn(&Function, &mut Random) -> Input,
}

/// What a pass must keep of the threads that make convergent calls together. Operations that are not `.aligned` name the threads that they wait for, and do the
/// same wherever these come from.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Meetings {
    /// All of them.
    Kept,
    /// Those in functions with an `.aligned` operation.
    KeptWithAligned,
    /// Where whole warps make an `.aligned` operation, that they make it by one instruction.
    OfWholeWarps,
}

/// How much was compared.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// Functions that the pass changed.
    pub(super) changed: usize,
    /// Results and failures that were equal.
    pub(super) results: usize,
    pub(super) failures: usize,
    /// Convergent calls and ordered accesses that were equal.
    pub(super) events: usize,
    /// Executions of warps in which these threads met.
    pub(super) meetings: usize,
}

impl Compared {
    /// Fails if the pass changed, or the oracle compared, too little for the test to have a meaning.
    #[track_caller]
    pub(super) fn are_enough(&self, changed: usize, results: usize, failures: usize) {
        let enough = self.changed >= changed && self.results >= results;
        assert!(enough && self.failures >= failures, "{self:?}");
    }

    /// The same for convergent calls and ordered accesses.
    #[track_caller]
    pub(super) fn has_events(&self, events: usize) {
        assert!(self.events >= events, "{self:?}");
    }

    /// The same for executions of warps whose meetings were compared.
    #[track_caller]
    pub(super) fn has_meetings(&self, meetings: usize) {
        assert!(self.meetings >= meetings, "{self:?}");
    }
}

/// A call with a defined outcome.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) function: usize,
    pub(super) input: Input,
    pub(super) execution: Execution,
    /// Equal for the threads of a warp.
    warp: usize,
}

/// A pass over a module; returns how many functions it changed.
pub(super) type Pass<'a> = &'a dyn Fn(&mut Module<'_>) -> usize;

/// Seconds that each test fuzzes at least, with one seed after the other.
const SECONDS: &str = "WARPLOOM_FUZZ_SECONDS";
/// The first seed, instead of the suite's own.
const SEED: &str = "WARPLOOM_FUZZ_SEED";

/// Generates functions and compares their calls before and after a pass.
#[track_caller]
pub(super) fn check(suite: &Suite, pass: impl Fn(&mut Module<'_>) -> usize) -> Compared {
    let variable = |name| std::env::var(name).ok().map(|v| v.parse::<u64>().unwrap());
    let least = Duration::from_secs(variable(SECONDS).unwrap_or(0));
    let start = Instant::now();
    let mut suite = *suite;
    suite.seed = variable(SEED).unwrap_or(suite.seed);
    let mut compared = Compared::default();
    loop {
        let functions = suite.generated();
        let calls = suite.calls(&functions);
        if let Err(mismatch) = compare(&suite, &functions, &calls, &pass, &mut compared) {
            let (function, calls) = shrink(&suite, &functions, &calls, &mismatch, &pass);
            let again = compare(&suite, &[function], &calls, &pass, &mut compared);
            panic!(
                "{SEED}={}, function {}\n{}\nafter shrinking:\n{}",
                suite.seed,
                mismatch.function,
                mismatch.report,
                again.err().map_or(String::new(), |m| m.report),
            );
        }
        if start.elapsed() >= least {
            return compared;
        }
        suite.seed += 1;
    }
}

impl Suite {
    fn random(&self, function: usize) -> Random {
        Random::new(self.seed ^ (function as u64) << 32)
    }

    fn generated(&self) -> Vec<Function> {
        let seeds = (0..self.functions).map(|number| self.random(number).next_u64());
        seeds.map(self.function).collect()
    }

    /// The calls of all functions, without those whose outcome is unknown.
    fn calls(&self, functions: &[Function]) -> Vec<Call> {
        let mut calls = Vec::new();
        for (number, function) in functions.iter().enumerate() {
            let mut random = self.random(number);
            random.next_u64();
            for n in 0..self.calls {
                let input = (self.input)(function, &mut random);
                for thread in 0..self.threads {
                    let mut input = input.clone();
                    if self.threads > 1 {
                        input.launch[0] = thread as u32;
                        input.launch[1] = thread as u32 / 2;
                    }
                    calls.extend(Call::of(function, number, number * self.calls + n, input));
                }
            }
        }
        calls
    }
}

impl Call {
    fn of(function: &Function, number: usize, warp: usize, input: Input) -> Option<Call> {
        let execution = function.interpret(&input);
        (execution.outcome != Outcome::Unknown).then_some(Call {
            function: number,
            input,
            execution,
            warp,
        })
    }

    /// The same call of a shrunk function.
    pub(super) fn repeated(&self, function: &Function) -> Option<Call> {
        Call::of(function, 0, self.warp, self.input.clone())
    }
}

/// A function whose calls differ.
pub(super) struct Mismatch {
    pub(super) function: usize,
    pub(super) report: String,
}

/// Compares calls of functions before and after a pass.
pub(super) fn compare(
    suite: &Suite,
    functions: &[Function],
    calls: &[Call],
    pass: Pass<'_>,
    compared: &mut Compared,
) -> Result<(), Mismatch> {
    let context = context();
    let mut module = module_of(&context, functions);
    (suite.prepare)(&mut module);
    let traced = suite.threads > 1;
    let run = |module: &Module<'_>| execute(&context, module, functions, calls, traced);
    let (before, before_graphs) = run(&module);
    let may_part: Vec<bool> = (0..functions.len())
        .map(|number| {
            let function = module.function(&format!("f{number}"));
            suite.meetings != Meetings::Kept && !function.is_some_and(has_aligned_op)
        })
        .collect();
    compared.changed += pass(&mut module);
    if let Err(error) = module.verify() {
        let report = format!("invalid IR after the pass: {error}");
        return Err(Mismatch {
            function: 0,
            report,
        });
    }
    let (after, after_graphs) = run(&module);
    let mismatch = |function: usize, what: String| {
        let name = format!("f{function}");
        let text = module.function(&name).map(Value::to_text);
        let report = format!(
            "{what}\n{}\nafter:\n{}",
            functions[function].text(&name),
            text.unwrap_or_default(),
        );
        Mismatch { function, report }
    };
    for (n, call) in calls.iter().enumerate() {
        for (when, host) in [("before", &before[n]), ("after", &after[n])] {
            if let Some(difference) = host.difference(call) {
                let what = format!("{:?}\n{when} the pass: {difference}", call.input);
                return Err(mismatch(call.function, what));
            }
        }
        compared.events += call.execution.trace.len();
        match &call.execution.outcome {
            Outcome::Returned(results) => compared.results += results.iter().flatten().count(),
            _ => compared.failures += 1,
        }
    }
    let graphs = before_graphs.iter().zip(&after_graphs);
    for (number, (before, after)) in graphs.enumerate() {
        sites_are_kept(suite, before, after).map_err(|what| mismatch(number, what))?;
    }
    let warps = calls.chunk_by(|a, b| a.warp == b.warp);
    for warp in warps.filter(|w| traced && !may_part[w[0].function]) {
        let first = warp.as_ptr_range().start;
        let at = calls.iter().position(|call| std::ptr::eq(call, first));
        let at = at.unwrap_or(0);
        let number = warp[0].function;
        let calls_of = |graph: &Cfg, executions: &[HostExecution]| {
            let threads: Vec<&HostExecution> = executions[at..][..warp.len()].iter().collect();
            replay(graph, &threads)
        };
        let is = calls_of(&after_graphs[number], &after);
        let should = calls_of(&before_graphs[number], &before);
        let before = &before_graphs[number];
        let kept = match suite.meetings {
            Meetings::Kept | Meetings::KeptWithAligned => are_alike(&is, &should),
            Meetings::OfWholeWarps if !before.whole_warps_meet(&should) => continue,
            Meetings::OfWholeWarps => after_graphs[number].whole_warps_share_ops(&is),
        };
        compared.meetings += 1;
        if !kept {
            let what = format!(
                "convergent calls of each thread, with the threads that make them together\nbefore the pass: {should:?}\nafter the pass: {is:?}\n{:?}",
                warp[0].input
            );
            return Err(mismatch(number, what));
        }
    }
    Ok(())
}

/// Generates functions, and compares which convergent calls are claimed to be made by all threads or by none, once, with what the threads of each warp do. Returns the number of claims.
#[track_caller]
pub(super) fn check_arrivals(suite: &Suite, claimed: impl Fn(Value<'_>) -> Vec<u64>) -> usize {
    let functions = suite.generated();
    let context = context();
    let module = module_of(&context, &functions);
    for function in module.functions() {
        if function.name().starts_with("fuzz_")
            && let Some(returns) = Attribute::named(&context, "willreturn", 0)
        {
            function.add_attribute(Attribute::FUNCTION, returns);
        }
    }
    let claims: Vec<Vec<u64>> = (0..functions.len())
        .map(|number| module.function(&format!("f{number}")).map(&claimed))
        .map(Option::unwrap_or_default)
        .collect();
    let calls = suite.calls(&functions);
    // Without those of which a thread does what is not defined.
    let warps = calls.chunk_by(|a, b| a.warp == b.warp);
    for warp in warps.filter(|warp| warp.len() == suite.threads) {
        for site in &claims[warp[0].function] {
            let times = |call: &Call| {
                call.execution
                    .trace
                    .iter()
                    .filter(|e| e[0] == *site)
                    .count()
            };
            let made: Vec<usize> = warp.iter().map(times).collect();
            assert!(
                made.iter().all(|times| *times == made[0] && *times < 2),
                "call {site} is made so often by the threads: {made:?}\n{}",
                functions[warp[0].function].text("f")
            );
        }
    }
    claims.iter().map(Vec::len).sum()
}

/// The structure of convergent calls: none is duplicated, and one that all threads make unconditionally stays so.
fn sites_are_kept(suite: &Suite, before: &Cfg, after: &Cfg) -> Result<(), String> {
    for (site, (count, uniform)) in &after.sites {
        let Some((count_before, uniform_before)) = before.sites.get(site) else {
            return Err(format!("convergent call {site} is new"));
        };
        if suite.unrolls {
            continue;
        }
        if count > count_before {
            return Err(format!("convergent call {site} is duplicated"));
        }
        if *uniform_before && !uniform {
            return Err(format!("convergent call {site} became conditional"));
        }
    }
    Ok(())
}
