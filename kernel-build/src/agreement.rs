//! The nested builds of a package, chosen so that they compile the same packages, with the same features and checks, as the outer build.
//!
//! The first choice is the package alone. Where another member of the workspace, or the program, gives a dependency more features, a
//! library is built through a package that pins them (`shim`), and other targets with the outer build's own selection of packages. What
//! still differs is an error: a kernel and its launch would be compiled from different constants.

use crate::cargo::{BuildTargets, Built};
use crate::graph::{UnitGraph, Wanted, differences};
use crate::outer;
use crate::package::{Kind, Package, Target};
use std::collections::BTreeMap;

/// Commands that run nothing that they compile. Before anything runs, a compilation compares again (`proof`).
const RUN_NOTHING: &[&str] = &[
    "check", "c", "doc", "d", "rustdoc", "fix", "package", "publish",
];

/// What is known of the outer build.
pub(crate) struct Outer {
    graph: Option<UnitGraph>,
    selection: Vec<String>,
    must_agree: bool,
}

/// One run of cargo, and the package as this run needs it.
pub(crate) struct Part {
    pub(crate) package: Package,
    pub(crate) what: BuildTargets,
    pub(crate) selection: Option<Vec<String>>,
    /// The flags of a target that is built only because its dev-dependencies give features to the others, as in the outer build.
    pub(crate) for_features: Vec<String>,
    /// Cargo builds the package's programs beside its tests; not wanted where another part builds them.
    pub(crate) without_programs: bool,
}

impl Part {
    /// Whether this part was to build a target; cargo builds others beside it.
    pub(crate) fn wants(&self, built: &Built) -> bool {
        let is_program = built.kind == "bin" && !built.test;
        if self.without_programs && is_program {
            return false;
        }
        let names = |flags: &[String]| {
            let mut pairs = flags.windows(2);
            pairs.any(|w| w[0] == format!("--{}", built.kind) && w[1] == built.name)
        };
        let own = matches!(&self.what, BuildTargets::Others(flags) if names(flags));
        own || !names(&self.for_features)
    }
}

/// Parts that agree with the outer build as far as it compiles the same targets, with their graphs.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) parts: Vec<Part>,
    pub(crate) graphs: Vec<UnitGraph>,
    /// Whether the outer build's graph was known and no difference was passed over.
    pub(crate) is_proved: bool,
}

impl Outer {
    /// # Errors
    /// Says why cargo does not tell what it compiles, if that matters.
    pub(crate) fn discover(package: &Package) -> Result<Outer, String> {
        let command = outer::command().unwrap_or_default();
        let must_agree = !RUN_NOTHING.contains(&&*command);
        match outer::graph(&package.cargo) {
            Err(reason) if must_agree => Err(format!(
                "it cannot be shown that the GPU code of `{}` is compiled from the same packages and features as the program: {reason}; `WARPLOOM_DEVICE_CODE=0` builds without GPU code",
                package.name
            )),
            graph => Ok(Outer {
                graph: graph.ok(),
                selection: outer::selection(),
                must_agree,
            }),
        }
    }

    /// Whether a difference is an error.
    pub(crate) fn must_agree(&self) -> bool {
        self.must_agree
    }

    pub(crate) fn is_known(&self) -> bool {
        self.graph.is_some()
    }

    fn has_dev_targets(&self) -> bool {
        self.graph.as_ref().is_some_and(UnitGraph::has_dev_roots)
    }

    /// The units of the outer build that are this package's targets.
    fn targets(&self, package: &Package) -> Result<BTreeMap<Wanted, usize>, Vec<String>> {
        let Some(graph) = &self.graph else {
            return Ok(BTreeMap::new());
        };
        let mut targets = BTreeMap::new();
        for (wanted, units) in graph.targets(package) {
            if self.must_agree && units.iter().any(|u| !graph.agree(units[0], *u)) {
                return Err(vec![format!(
                    "`{}` is compiled twice in this build, with other features of its dependencies, but has one device code; give the dependencies the same features for build scripts and programs",
                    wanted.name
                )]);
            }
            targets.insert(wanted, units[0]);
        }
        Ok(targets)
    }

    /// How a nested build's targets differ from the outer build's.
    pub(crate) fn differences(
        &self,
        package: &Package,
        nested: &UnitGraph,
    ) -> Result<Vec<String>, Vec<String>> {
        let Some(graph) = &self.graph else {
            return Ok(vec![]);
        };
        let outer = self.targets(package)?;
        let mut found = Vec::new();
        for (wanted, units) in nested.root_targets(package) {
            if let Some(host) = outer.get(&wanted) {
                let of = |unit: &usize| differences((graph, *host), (nested, *unit));
                found.extend(units.iter().flat_map(of));
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Chooses how to build these targets.
    ///
    /// # Errors
    /// What differs in every way to build them, with the remedy.
    pub(crate) fn plan(
        &self,
        package: &Package,
        wanted: &[&Target],
        graph_of: &dyn Fn(&Part) -> Result<UnitGraph, String>,
    ) -> Result<Plan, Vec<String>> {
        let mut plan = Plan {
            is_proved: self.graph.is_some(),
            ..Plan::default()
        };
        let parts = parts(package, wanted, self.has_dev_targets());
        let apart = parts
            .iter()
            .filter(|p| matches!(p, BuildTargets::Others(_)))
            .count()
            > 1;
        for what in parts {
            let without_programs = apart && !has_programs(&what);
            let mut chosen: Option<(Part, Option<UnitGraph>, Vec<String>)> = None;
            for part in self.choices(package, &what, without_programs)? {
                let (graph, differences) = match graph_of(&part) {
                    Ok(mut graph) => {
                        if part.without_programs {
                            graph.without_programs();
                        }
                        let differences = self.differences(package, &graph)?;
                        (Some(graph), differences)
                    }
                    Err(_) => (None, vec![]),
                };
                let agrees = graph.is_some() && differences.is_empty();
                // Where cargo cannot resolve the packages at all, the build itself says so.
                if agrees || chosen.as_ref().is_none_or(|(_, graph, _)| graph.is_none()) {
                    chosen = Some((part, graph, differences));
                }
                if agrees {
                    break;
                }
            }
            let Some((part, graph, differences)) = chosen else {
                continue;
            };
            if !differences.is_empty() && self.must_agree {
                return Err(disagreement(package, &differences));
            }
            plan.is_proved &= differences.is_empty() && graph.is_some();
            plan.graphs.extend(graph);
            plan.parts.push(part);
        }
        Ok(plan)
    }

    fn choices(
        &self,
        package: &Package,
        what: &BuildTargets,
        without_programs: bool,
    ) -> Result<Vec<Part>, Vec<String>> {
        let part = |package: &Package, selection| Part {
            package: package.clone(),
            what: what.clone(),
            selection,
            for_features: vec![],
            without_programs,
        };
        let mut choices = Vec::new();
        if package.is_member || self.graph.is_none() {
            choices.push(part(package, None));
        }
        match (&self.graph, what) {
            (Some(graph), BuildTargets::Library) => {
                let targets = self.targets(package)?;
                let library = targets
                    .iter()
                    .find(|(w, _)| w.kind == Kind::Lib && !w.tests);
                match library {
                    Some((_, unit)) => {
                        let checks = &graph.units[*unit].profile;
                        let pinned = package.pinned(&graph.pins(*unit), checks);
                        choices.push(part(&pinned.map_err(|e| vec![e.to_string()])?, None));
                    }
                    None if choices.is_empty() => choices.push(part(package, None)),
                    None => {}
                }
            }
            (Some(graph), BuildTargets::Others(flags)) => {
                let mut as_outer = part(package, Some(self.selection.clone()));
                if graph.has_dev_roots() && !has_dev_targets(flags) {
                    as_outer.for_features = graph.smallest_dev_root();
                }
                choices.push(as_outer);
            }
            (None, _) => {}
        }
        Ok(choices)
    }
}

/// Whether these flags make cargo take dev-dependencies into account.
fn has_dev_targets(flags: &[String]) -> bool {
    let dev = ["--example", "--test", "--bench", "--tests"];
    flags.iter().any(|flag| dev.contains(&&**flag))
}

fn has_programs(what: &BuildTargets) -> bool {
    matches!(what, BuildTargets::Others(flags) if flags.iter().any(|flag| flag == "--bin"))
}

fn disagreement(package: &Package, differences: &[String]) -> Vec<String> {
    let mut lines = vec![format!(
        "the GPU code of `{}` would not be compiled from the same packages and features as the program:",
        package.name
    )];
    lines.extend(differences.iter().take(8).map(|d| format!("  {d}")));
    if differences.len() > 8 {
        lines.push(format!("  and {} more", differences.len() - 8));
    }
    lines.push(format!(
        "remedy: name these packages with these features among the dependencies of `{}`, or set WARPLOOM_DEVICE_CODE=0 to build without GPU code",
        package.name
    ));
    lines
}

/// The runs of cargo that build the wanted targets, and nothing else that would be linked.
///
/// Tests and examples bring the features of dev-dependencies into all that is built with them, so programs are built apart unless the outer
/// build has both.
fn parts(package: &Package, wanted: &[&Target], together: bool) -> Vec<BuildTargets> {
    let mut parts = Vec::new();
    let (mut programs, mut dev) = (Vec::new(), Vec::new());
    for target in wanted {
        let (flag, list) = match target.kind {
            Kind::Lib => {
                parts.push(BuildTargets::Library);
                continue;
            }
            Kind::Bin => ("--bin", &mut programs),
            Kind::Example => ("--example", &mut dev),
            Kind::Test => ("--test", &mut dev),
            Kind::Bench => ("--bench", &mut dev),
        };
        list.extend([flag.to_owned(), target.name.clone()]);
    }
    if package.is_member && wanted.iter().any(|t| t.has_test_kernels) {
        dev.push("--tests".into());
    }
    if together {
        programs.append(&mut dev);
    }
    let others = [programs, dev]
        .into_iter()
        .filter(|flags| !flags.is_empty());
    parts.extend(others.map(BuildTargets::Others));
    parts
}
