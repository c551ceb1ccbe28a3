//! The device pass, from `build.rs` to cargo's instructions.

use crate::agreement::{Outer, Part, Plan};
use crate::builder::Builder;
use crate::cargo::{INSTANTIATING, Nested, Outcome};
use crate::embed::embed;
use crate::environment::{DEVICE_CFG, DUMP, ROLE};
use crate::groups::{DeviceCode, Group};
use crate::instructions::{self, fail, instruct};
use crate::options::Options;
use crate::package::{Kind, Package, Target};
use crate::proof::{self, Proof};
use crate::toolchain::{self, Unusable};
use crate::{inputs, linker, llvm, passes, platform, roles, self_test};
use std::collections::BTreeSet;
use std::path::Path;

/// Turns the device pass off (`0`) from outside.
const SWITCH: &str = "WARPLOOM_DEVICE_CODE";

/// Set by docs.rs, which builds documentation alone, with a nightly compiler and without a network.
const DOCUMENTATION: &str = "DOCS_RS";

/// Turns instrumented code off (`0`) from outside.
const INSTRUMENTED: &str = "WARPLOOM_INSTRUMENTED";

/// Puts source lines into the PTX (`1`), whatever `build.rs` chose.
const LINE_INFO: &str = "WARPLOOM_LINE_INFO";

/// Switches passes off that only make kernels faster, for reports of wrong code.
const PASSES: &str = "WARPLOOM_PASSES";

/// Makes it an error (`1`) that a test, an example or a benchmark has no device code.
const REQUIRED: &str = "WARPLOOM_REQUIRE_DEVICE_CODE";

/// Decides what this process does: what [`roles`] has not done yet, the build script again, that of the nested build, or the build script.
pub(crate) fn enter(builder: &Builder) {
    roles::play();
    if std::env::var(ROLE).is_ok_and(|role| role == proof::REPEAT) {
        #[expect(
            clippy::exit,
            reason = "what `#[kernel]` has started must end here, before the rest of build.rs"
        )]
        std::process::exit(proof::repeat(builder));
    }
    instruct(&format!("rustc-check-cfg=cfg({DEVICE_CFG})"));
    instruct("rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_CFG_WARPLOOM_DEVICE").is_some() {
        return;
    }
    let package = match Package::discover() {
        Ok(package) => package,
        Err(error) => return fail(&format!("the device pass cannot start: {error}")),
    };
    // Other packages get nothing from here, whatever is asked for: a dependency is not built anew with every change of a variable.
    if package.targets.iter().any(|t| may_have_code(&package, t)) {
        let of_toolchain = [llvm::NAMED, self_test::SHOWN];
        let of_pass = [
            SWITCH,
            DOCUMENTATION,
            INSTRUMENTED,
            REQUIRED,
            LINE_INFO,
            PASSES,
            DUMP,
        ];
        for variable in of_pass.into_iter().chain(of_toolchain) {
            instruct(&format!("rerun-if-env-changed={variable}"));
        }
        match inputs::instructions(&package) {
            Ok(lines) => lines.iter().for_each(|line| instruct(line)),
            Err(error) => return fail(&format!("the device pass cannot start: {error}")),
        }
    }
    inputs::watch_folders(&package);
    match run(builder, &package) {
        Ok(()) => {}
        Err(Stop::NoDeviceCode(reason)) => {
            let with_kernels = package.targets.iter().filter(|t| t.has_kernels);
            let with_kernels: Vec<&Target> = with_kernels.collect();
            if with_kernels.is_empty() {
                return;
            }
            let is_chosen = is_turned_off(&package.name) || std::env::var_os(SWITCH).is_some();
            if !is_chosen && builder.enabled {
                let text = format!(
                    "no GPU code is built for `{}`, its kernels run on the emulator only: {reason}",
                    package.name
                );
                for line in text.lines() {
                    instruct(&format!("warning={line}"));
                }
            }
            let mut code = DeviceCode::default();
            code.add_failures(&with_kernels, &reason);
            embed(&package, &code);
        }
        Err(Stop::Failed(lines)) => lines.iter().for_each(|line| fail(line)),
    }
}

/// Whether [`SWITCH`] asks for device code of this package: unset or `1` for all, `0` for none, otherwise names of packages.
fn is_wanted(switch: Option<&str>, package: &str) -> bool {
    match switch {
        None | Some("" | "1") => true,
        Some("0") => false,
        Some(names) => names.split(',').any(|name| name == package),
    }
}

/// Whether a variable says that this package gets no device code.
fn is_turned_off(package: &str) -> bool {
    let switch = std::env::var(SWITCH).ok();
    std::env::var_os(DOCUMENTATION).is_some() || !is_wanted(switch.as_deref(), package)
}

/// Whether device code is ever made for this target: of a dependency, only the library is built at all.
fn may_have_code(package: &Package, target: &Target) -> bool {
    target.has_kernels && (target.kind == Kind::Lib || package.is_member)
}

/// Builds these targets in the nested cargo, as the outer build would.
fn build(
    outer: &Outer,
    package: &Package,
    wanted: &[&Target],
    (options_json, llvm): (&str, &Path),
) -> Result<(Outcome, Plan), Stop> {
    let graph_of = |part: &Part| nested_of(part, options_json, llvm).graph();
    let plan = outer.plan(package, wanted, &graph_of);
    let plan = plan.map_err(Stop::Failed)?;
    let mut all: Option<Outcome> = None;
    for part in &plan.parts {
        let mut outcome = nested_of(part, options_json, llvm).run().map_err(|e| {
            Stop::Failed(vec![format!("cannot run cargo for the device pass: {e}")])
        })?;
        outcome.built.retain(|built| part.wants(built));
        all = Some(match all {
            Some(before) => before.and(outcome),
            None => outcome,
        });
    }
    let outcome = all.unwrap_or_default();
    // Cargo's lock is free: nested builds of other packages go on meanwhile.
    let outputs = outcome.built.iter().filter_map(|b| b.output.as_deref());
    let outputs: Vec<&Path> = outputs.collect();
    let problems = linker::run_deferred(&outputs, &package.nested_target_dir);
    if !problems.is_empty() {
        let lines = problems.iter().flat_map(|p| lines_of(p));
        return Err(Stop::Failed(lines.collect()));
    }
    Ok((outcome, plan))
}

/// Keeps what was compared, for compilations in other builds.
fn prove(package: &Package, proof: &mut Proof) -> Result<(), Stop> {
    proof
        .write(&package.out_dir, instructions::for_linker())
        .map_err(|problem| Stop::Failed(vec![problem]))?;
    if !instructions::are_ignored() {
        // `#[kernel]` starts this executable, to compare again in other builds.
        let this = std::env::current_exe().map_err(|e| Stop::Failed(vec![e.to_string()]))?;
        instruct(&format!("rustc-env={}={}", proof::PROGRAM, this.display()));
    }
    let path = Proof::path(&package.out_dir);
    instruct(&format!("rerun-if-changed={}", path.display()));
    Ok(())
}

fn nested_of<'a>(part: &'a Part, options_json: &'a str, llvm: &'a Path) -> Nested<'a> {
    Nested {
        package: &part.package,
        what: &part.what,
        selection: part.selection.as_deref(),
        for_features: &part.for_features,
        options_json,
        llvm,
    }
}

enum Stop {
    /// An ordinary case: the build goes on for the emulator.
    NoDeviceCode(String),
    Failed(Vec<String>),
}

impl From<Unusable> for Stop {
    fn from(unusable: Unusable) -> Stop {
        match unusable {
            Unusable::Lacking(reason) => Stop::NoDeviceCode(reason),
            Unusable::Refused(reason) => Stop::Failed(lines_of(&reason)),
        }
    }
}

fn run(builder: &Builder, package: &Package) -> Result<(), Stop> {
    if !builder.enabled || is_turned_off(&package.name) {
        return Err(Stop::NoDeviceCode("the device pass is turned off".into()));
    }
    check(&builder.options)?;
    if let Some(reason) = platform::refusal(&package.host, &package.target) {
        return Err(Stop::NoDeviceCode(reason));
    }
    let wanted: Vec<&Target> = package
        .targets
        .iter()
        .filter(|t| may_have_code(package, t) && (builder.dev_targets || !t.kind.is_dev()))
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let toolchain = toolchain::choose(package)?;
    self_test::check(&toolchain, &package.nested_target_dir).map_err(Stop::NoDeviceCode)?;
    let llvm = toolchain.llvm.path;
    let options_json = options_json(&builder.options)?;
    let outer = Outer::discover(package).map_err(|reason| Stop::Failed(vec![reason]))?;
    let mut proof = Proof::of_this_build();
    let mut nested = |wanted: &[&Target]| {
        let (outcome, plan) = build(&outer, package, wanted, (&options_json, &llvm))?;
        proof.add(plan);
        Ok::<Outcome, Stop>(outcome)
    };
    let mut outcome = nested(&wanted)?;
    let mut code = DeviceCode::default();
    if outcome.never_started() || !outcome.foreign_errors.is_empty() {
        // Mended by a download, or in sources that cargo does not name because they were not compiled.
        instruct(&inputs::always(package));
    }
    if outcome.never_started() {
        // cargo itself failed, before any compiler ran: perhaps only for the sake of dev-dependencies that are not downloaded.
        let (dev, rest): (Vec<&Target>, Vec<&Target>) =
            wanted.iter().partition(|t| t.kind.is_dev());
        let reason = outcome.log.trim().to_owned();
        if !dev.is_empty() && !rest.is_empty() {
            outcome = nested(&rest)?;
        }
        if !dev.is_empty() {
            tell_missing(&format!(
                "cargo cannot start the device pass of the tests, examples and benchmarks of `{}`: {}",
                package.name,
                headline(&reason)
            ));
        }
        code.add_failures(&dev, &reason);
        if rest.is_empty() {
            embed(package, &code);
            return Ok(());
        }
        if !outcome.succeeded && outcome.built.is_empty() {
            return Err(Stop::Failed(lines_of(&format!(
                "the device pass cannot build `{}`; `{SWITCH}=0` builds without GPU code\n{}",
                package.name, outcome.log
            ))));
        }
    }
    for file in &outcome.sources {
        instruct(&format!("rerun-if-changed={}", file.display()));
    }
    collect(package, &wanted, &outcome, &mut code)?;
    if launches_only(package, &outcome) {
        // No macro compares host and device there, so the script does, in every build.
        instruct(&inputs::always(package));
    }
    embed(package, &code);
    prove(package, &mut proof)
}

/// Runs the device pass for a compilation of the host; returns the instructions for the linker and the problems.
pub(crate) fn repeat(builder: &Builder, package: &Package) -> (Vec<String>, Vec<String>) {
    instructions::ignore();
    let mut problems = match run(builder, package) {
        Ok(()) => vec![],
        Err(Stop::NoDeviceCode(reason)) => vec![reason],
        Err(Stop::Failed(lines)) => lines,
    };
    problems.extend(instructions::problems());
    (instructions::for_linker(), problems)
}

/// What the device linker is told: the options of `build.rs` with those of the environment.
fn options_json(chosen: &Options) -> Result<String, Stop> {
    let mut options = chosen.clone();
    options.instrumented &= std::env::var(INSTRUMENTED).as_deref() != Ok("0");
    options.line_info |= std::env::var(LINE_INFO).as_deref() == Ok("1");
    let passes = std::env::var(PASSES).unwrap_or_default();
    options.passes_off = passes::switched_off(&passes).map_err(|e| Stop::Failed(vec![e]))?;
    serde_json::to_string(&options).map_err(|e| Stop::Failed(vec![e.to_string()]))
}

fn check(options: &Options) -> Result<(), Stop> {
    if options.archs.is_empty() {
        return Err(Stop::Failed(vec!["`archs(&[])` asks for no architecture; leave it out for the portable default, or name one".into()]));
    }
    match options.archs.iter().find(|a| a.sm < 75) {
        Some(old) => Err(Stop::Failed(vec![format!(
            "{} is older than sm_75, the oldest architecture that warploom supports",
            old.name()
        )])),
        None => Ok(()),
    }
}

/// Whether a target has device code of other crates' kernels and expands none of its own. Programs are compiled after the package's library.
fn launches_only(package: &Package, outcome: &Outcome) -> bool {
    let attribute = |kind: Kind, name: &str| {
        let mut targets = package.targets.iter();
        let is_it = |t: &&Target| t.kind == kind && (t.name == name || kind == Kind::Lib);
        targets.find(is_it).is_some_and(|t| t.has_attribute)
    };
    outcome.built.iter().any(|built| {
        let Some(kind) = Kind::of(&built.kind) else {
            return false;
        };
        let compares =
            attribute(kind, &built.name) || (kind == Kind::Bin && attribute(Kind::Lib, ""));
        let output = built.output.as_deref().filter(|_| !compares && !built.test);
        let linked =
            output.and_then(|output| linker::read_output(output, &package.nested_target_dir));
        linked.is_some_and(|l| l.is_ok_and(|l| l.has_kernels()))
    })
}

/// Sorts what was built into containers per group of targets that cargo links alike.
fn collect(
    package: &Package,
    wanted: &[&Target],
    outcome: &Outcome,
    code: &mut DeviceCode,
) -> Result<(), Stop> {
    let mut problems = Vec::new();
    // Kind, name, and whether it is the harness of its unit tests.
    let mut seen = BTreeSet::new();
    for built in &outcome.built {
        let Some(group) = Group::of(built) else {
            continue;
        };
        let output = built.output.as_deref();
        let output =
            output.and_then(|output| linker::read_output(output, &package.nested_target_dir));
        if let Some(output) = output {
            seen.insert((
                Kind::of(&built.kind),
                &*built.name,
                group == Group::UnitTests,
            ));
            match output {
                Ok(linked) => code.add(group, linked),
                Err(errors) => problems.extend(errors),
            }
        }
    }
    if !problems.is_empty() {
        problems.dedup();
        return Err(Stop::Failed(
            problems.iter().flat_map(|p| lines_of(p)).collect(),
        ));
    }
    for target in wanted {
        // A package has one library, whose name is not known where cargo cannot read the unpacked manifest.
        let has = |of_tests| {
            let is_it = |name: &str| name == target.name || target.kind == Kind::Lib;
            let mut seen = seen.iter();
            seen.any(|(kind, name, tests)| {
                *kind == Some(target.kind) && is_it(name) && *tests == of_tests
            })
        };
        if !has(false) {
            miss(package, target, outcome, code)?;
        } else if target.has_test_kernels
            && !has(true)
            && (own_error(target, outcome).is_some() || !outcome.foreign_errors.is_empty())
        {
            let what = format!("the unit tests of {} `{}`", noun(target.kind), target.name);
            let first = first_error(target, outcome);
            tell_missing(&format!(
                "the device pass cannot compile {what}: {}",
                headline(first)
            ));
            let reason = format!("the device pass of {what} failed: {first}");
            code.add_failure(Group::UnitTests, &target.name, &reason);
        }
    }
    Ok(())
}

/// Says that a target has no device code, and why.
fn miss(
    package: &Package,
    target: &Target,
    outcome: &Outcome,
    code: &mut DeviceCode,
) -> Result<(), Stop> {
    let first = first_error(target, outcome);
    let what = format!("{} `{}`", noun(target.kind), target.name);
    if target.kind.is_dev() {
        tell_missing(&format!(
            "the device pass cannot compile {what}: {}",
            headline(first)
        ));
    } else if !outcome.foreign_errors.is_empty() && own_error(target, outcome).is_none() {
        return Err(Stop::Failed(lines_of(&format!(
            "a dependency of `{}` does not compile for the device; if only host code needs it, move it to [target.'cfg(not(warploom_device))'.dependencies]\n{first}",
            package.name
        ))));
    } else {
        // rustc shows errors that the host pass has too, and better; this one shows only if the host pass has none.
        instruct(&format!(
            "rustc-env={}=the device pass cannot compile this crate, although it compiles for the host: {}",
            error_variable(target),
            headline(first)
        ));
    }
    let reason = format!("the device pass of {what} failed: {first}");
    code.add_failures(&[target], &reason);
    Ok(())
}

/// Where `#[kernel]` finds what the device pass has against its crate. Cargo hands variables to all targets of a package, so each has its own.
fn error_variable(target: &Target) -> String {
    match target.kind {
        Kind::Lib => "WARPLOOM_DEVICE_PASS_ERROR_LIB".into(),
        _ => format!("WARPLOOM_DEVICE_PASS_ERROR_BIN_{}", target.name),
    }
}

/// What rustc reports against a target.
fn own_error<'a>(target: &Target, outcome: &'a Outcome) -> Option<&'a str> {
    let mut built = outcome.built.iter();
    let own = built.find(|b| {
        b.name == target.name && Kind::of(&b.kind) == Some(target.kind) && b.output.is_none()
    });
    own.and_then(|b| b.errors.first()).map(|e| e.trim())
}

/// Why a target was not built: its own error, that of a dependency, of another target, or what cargo says.
fn first_error<'a>(target: &Target, outcome: &'a Outcome) -> &'a str {
    let others = || outcome.built.iter().find_map(|b| b.errors.first());
    own_error(target, outcome)
        .or_else(|| {
            outcome
                .foreign_errors
                .first()
                .or_else(others)
                .map(|e| e.trim())
        })
        .unwrap_or_else(|| outcome.log.trim())
}

/// The first line of an error of rustc or cargo, and where it is; in a generic function also where that is called.
fn headline(error: &str) -> String {
    let mut lines = error.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = lines.next().unwrap_or("rustc failed");
    let is_place = |line: &&str| line.starts_with("-->");
    let place = lines.find(is_place).unwrap_or_default();
    let call = lines
        .find(|line| line.contains(INSTANTIATING))
        .and_then(|_| lines.find(is_place))
        .map(|place| place.replacen("-->", ", called at", 1))
        .unwrap_or_default();
    format!("{line} {place}{call}").trim_end().to_owned()
}

/// Says that targets have no device code, which the host's build does not notice: a warning, or an error where that is asked for.
fn tell_missing(what: &str) {
    if std::env::var_os(REQUIRED).is_some_and(|value| value == "1") {
        fail(&format!("{what} ({REQUIRED}=1)"));
    } else {
        instruct(&format!(
            "warning={what}; its kernels run on the emulator only, without checks"
        ));
    }
}

fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Lib => "lib",
        Kind::Bin => "bin",
        Kind::Example => "example",
        Kind::Test => "test",
        Kind::Bench => "bench",
    }
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines()
        .filter(|l| !l.trim().is_empty())
        .map(str::to_owned)
        .collect()
}
