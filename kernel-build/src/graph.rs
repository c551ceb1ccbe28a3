//! What a build compiles, as cargo's `--unit-graph` prints it, and whether two builds compile the same of a package's dependencies.

use crate::package::{Kind, Package};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct UnitGraph {
    pub(crate) units: Vec<Unit>,
    pub(crate) roots: Vec<usize>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Unit {
    pub(crate) pkg_id: String,
    target: Target,
    pub(crate) profile: Profile,
    mode: String,
    pub(crate) features: Vec<String>,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
    src_path: PathBuf,
}

/// The part of a profile that `cfg` shows to sources, or that changes what arithmetic does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Profile {
    pub(crate) debug_assertions: bool,
    pub(crate) overflow_checks: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Dependency {
    index: usize,
    extern_crate_name: String,
}

/// A target of the package, and whether it is the harness of its unit tests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wanted {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) tests: bool,
}

/// A package of the graph as another manifest names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pin {
    pub(crate) id: PackageId,
    pub(crate) features: Vec<String>,
    /// Compiled for build scripts and macros, which may have other features.
    pub(crate) for_host: bool,
    pub(crate) debug_assertions: bool,
    pub(crate) overflow_checks: bool,
}

/// cargo's `registry+https://…#name@1.0.0`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackageId {
    pub(crate) source: String,
    pub(crate) name: String,
    pub(crate) version: String,
}

impl PackageId {
    pub(crate) fn parse(text: &str) -> PackageId {
        let (source, package) = text.rsplit_once('#').unwrap_or((text, ""));
        // Cargo leaves the name out where it is the last part of the path.
        let last = source.split('?').next().unwrap_or_default();
        let last = last.rsplit('/').next().unwrap_or_default();
        let (name, version) = package.split_once('@').unwrap_or((last, package));
        PackageId {
            source: source.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
        }
    }
}

impl Unit {
    /// What runs while something is built: a macro, or a build script.
    fn is_tool(&self) -> bool {
        let kind = self.target.kind.first().map(String::as_str);
        matches!(kind, Some("proc-macro" | "custom-build"))
    }

    fn describe(&self) -> String {
        let id = PackageId::parse(&self.pkg_id);
        format!("`{}` {} ({})", id.name, id.version, id.source)
    }
}

impl UnitGraph {
    /// Those of the package's targets for whose sake the graph is built.
    pub(crate) fn root_targets(&self, package: &Package) -> BTreeMap<Wanted, Vec<usize>> {
        let mut found = self.targets(package);
        for units in found.values_mut() {
            units.retain(|unit| self.roots.contains(unit));
        }
        found
    }

    /// The units of a package's targets that give code to run or to check.
    pub(crate) fn targets(&self, package: &Package) -> BTreeMap<Wanted, Vec<usize>> {
        let mut found: BTreeMap<Wanted, Vec<usize>> = BTreeMap::new();
        for (index, unit) in self.units.iter().enumerate() {
            let Some(kind) = unit.target.kind.first().and_then(|k| Kind::of(k)) else {
                continue;
            };
            let is_ours = package.targets.iter().any(|t| {
                t.kind == kind
                    && (t.root == unit.target.src_path || same_file(&t.root, &unit.target.src_path))
            });
            if !is_ours || !matches!(&*unit.mode, "build" | "check" | "test" | "doc") {
                continue;
            }
            let name = unit.target.name.clone();
            let tests = unit.mode == "test" && matches!(kind, Kind::Lib | Kind::Bin);
            let wanted = Wanted { kind, name, tests };
            found.entry(wanted).or_default().push(index);
        }
        // A library that is also the dependency of a build script is compiled for that with the features of build scripts.
        let tools = self.for_tools();
        for units in found.values_mut() {
            if units.iter().any(|u| !tools.contains(u)) {
                units.retain(|u| !tools.contains(u));
            }
        }
        found
    }

    /// Drops the programs that cargo builds beside tests.
    pub(crate) fn without_programs(&mut self) {
        let units = &self.units;
        self.roots.retain(|r| {
            let kind = units[*r].target.kind.first().and_then(|k| Kind::of(k));
            kind != Some(Kind::Bin) || units[*r].mode == "test"
        });
    }

    /// Whether tests, examples or benchmarks are built: their dependencies then give features to all others.
    pub(crate) fn has_dev_roots(&self) -> bool {
        let mut roots = self.roots.iter().map(|r| &self.units[*r]);
        roots.any(|unit| {
            let kind = unit.target.kind.first().and_then(|k| Kind::of(k));
            unit.mode == "test" || kind.is_some_and(Kind::is_dev)
        })
    }

    /// The flags that name the test, example or benchmark of this build with the fewest units. Unit tests alone cannot be named without
    /// building all of them: then the flag names all examples, which such a build mostly lacks.
    pub(crate) fn smallest_dev_root(&self) -> Vec<String> {
        let dev = self.roots.iter().filter_map(|root| {
            let target = &self.units[*root].target;
            let flag = match Kind::of(target.kind.first()?)? {
                Kind::Example => "--example",
                Kind::Test => "--test",
                Kind::Bench => "--bench",
                Kind::Lib | Kind::Bin => return None,
            };
            let flags = vec![flag.to_owned(), target.name.clone()];
            Some((self.units_below(*root), flags))
        });
        let smallest = dev.min();
        smallest.map_or_else(|| vec!["--examples".to_owned()], |(_, flags)| flags)
    }

    /// How many units one needs.
    fn units_below(&self, root: usize) -> usize {
        let mut seen = HashSet::new();
        let mut todo = vec![root];
        while let Some(index) = todo.pop() {
            if seen.insert(index) {
                todo.extend(self.units[index].dependencies.iter().map(|d| d.index));
            }
        }
        seen.len()
    }

    /// The units that only macros and build scripts need.
    fn for_tools(&self) -> HashSet<usize> {
        let mut needed = HashSet::new();
        let mut todo = self.roots.clone();
        while let Some(index) = todo.pop() {
            if needed.insert(index) {
                let deps = self.units[index].dependencies.iter().map(|d| d.index);
                todo.extend(deps.filter(|d| !self.units[*d].is_tool()));
            }
        }
        (0..self.units.len())
            .filter(|i| !needed.contains(i))
            .collect()
    }

    /// Every package that a unit is compiled with.
    pub(crate) fn pins(&self, root: usize) -> BTreeSet<Pin> {
        let mut pins = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut todo = vec![(root, false)];
        while let Some((index, for_host)) = todo.pop() {
            if !seen.insert((index, for_host)) {
                continue;
            }
            let unit = &self.units[index];
            let kind = unit.target.kind.first().and_then(|k| Kind::of(k));
            let is_macro = unit.target.kind.iter().any(|k| k == "proc-macro");
            if index != root && (kind == Some(Kind::Lib) || is_macro) {
                pins.insert(Pin {
                    id: PackageId::parse(&unit.pkg_id),
                    features: unit.features.clone(),
                    for_host: for_host || is_macro,
                    debug_assertions: unit.profile.debug_assertions,
                    overflow_checks: unit.profile.overflow_checks,
                });
            }
            let deps = unit.dependencies.iter().map(|d| d.index);
            todo.extend(deps.map(|d| (d, for_host || self.units[d].is_tool())));
        }
        pins
    }

    /// Whether two units of this graph are compiled with the same packages.
    pub(crate) fn agree(&self, one: usize, other: usize) -> bool {
        self.pins(one) == self.pins(other)
    }
}

fn same_file(a: &std::path::Path, b: &std::path::Path) -> bool {
    let same = || Some(a.canonicalize().ok()? == b.canonicalize().ok()?);
    same().unwrap_or(false)
}

/// The host's side of a launch: kernels call nothing of it, so what it alone depends on concerns no kernel. Test tools of other packages often
/// give such dependencies further features.
const RUNTIME: &str = "warploom-runtime";

/// How what a device compilation is compiled from differs from the host's; empty if it does not.
///
/// Walks both graphs side by side, from one target, along the names by which crates know each other. Dependencies that only one side has
/// (`cfg(warploom_device)`, `cfg(not(warploom_device))`) concern code of that side alone.
pub(crate) fn differences(host: (&UnitGraph, usize), device: (&UnitGraph, usize)) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut todo = vec![(host.1, device.1, false)];
    let own = (
        host.0.units[host.1].pkg_id.clone(),
        device.0.units[device.1].pkg_id.clone(),
    );
    while let Some((h, d, for_host)) = todo.pop() {
        if !seen.insert((h, d)) {
            continue;
        }
        let (one, other) = (&host.0.units[h], &device.0.units[d]);
        // The package itself may come from a registry there, and be the same folder here.
        let is_own = one.pkg_id == own.0 && other.pkg_id == own.1;
        if one.pkg_id != other.pkg_id && !is_own {
            found.push(format!(
                "{} of the host's build is {} in the device pass",
                one.describe(),
                other.describe()
            ));
            continue;
        }
        let name = one.describe();
        let set = |unit: &Unit| -> BTreeSet<String> { unit.features.iter().cloned().collect() };
        let (features, device_features) = (set(one), set(other));
        for feature in features.symmetric_difference(&device_features) {
            let side = if features.contains(feature) {
                "the host's build"
            } else {
                "the device pass"
            };
            let role = if for_host {
                ", for build scripts and macros,"
            } else {
                ""
            };
            found.push(format!(
                "{name} has feature `{feature}`{role} in {side} only"
            ));
        }
        if !for_host && one.profile != other.profile {
            found.push(format!(
                "{name} has debug-assertions = {} and overflow-checks = {} in the host's build, {} and {} in the device pass",
                one.profile.debug_assertions,
                one.profile.overflow_checks,
                other.profile.debug_assertions,
                other.profile.overflow_checks
            ));
        }
        if PackageId::parse(&one.pkg_id).name == RUNTIME {
            continue;
        }
        for dependency in &other.dependencies {
            let target = &device.0.units[dependency.index];
            let same = one.dependencies.iter().find(|o| {
                let unit = &host.0.units[o.index];
                o.extern_crate_name == dependency.extern_crate_name
                    && unit.is_tool() == target.is_tool()
                    && (unit.mode == "run-custom-build") == (target.mode == "run-custom-build")
            });
            if let Some(same) = same {
                todo.push((same.index, dependency.index, for_host || target.is_tool()));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}
