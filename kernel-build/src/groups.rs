//! What each group of targets is linked with: device code, or the reason why there is none.

use crate::cargo::Built;
use crate::linker::Linked;
use crate::package::{Kind, Target};
use std::collections::BTreeMap;
use warploom_manifest::{Manifest, container};

/// What each group of targets gets, target by target.
#[derive(Default)]
pub(crate) struct DeviceCode(BTreeMap<Group, Vec<Linked>>);

impl DeviceCode {
    /// One more target's.
    pub(crate) fn add(&mut self, group: Group, linked: Linked) {
        self.0.entry(group).or_default().push(linked);
    }

    /// A target of `group` gets no code but the reason why.
    pub(crate) fn add_failure(&mut self, group: Group, target: &str, reason: &str) {
        let manifest = Manifest {
            target: target.to_owned(),
            failure: Some(reason.to_owned()),
            kernels: vec![],
            images: vec![],
            symbols: vec![],
        };
        if let Ok(containers) = container::pack(manifest, &[]) {
            let instrumented = vec![];
            self.add(
                group,
                Linked {
                    containers,
                    instrumented,
                },
            );
        }
    }

    /// All these targets get no code but the reason why.
    pub(crate) fn add_failures(&mut self, targets: &[&Target], reason: &str) {
        for target in targets {
            self.add_failure(Group::of_kind(target.kind), &target.name, reason);
        }
    }

    /// Group by group.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (Group, &[Linked])> {
        self.0.iter().map(|(group, linked)| (*group, &**linked))
    }
}

/// Targets that cargo links with the same arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Lib,
    Bins,
    Examples,
    Tests,
    Benches,
    UnitTests,
}

impl Group {
    /// That of a target as cargo describes it.
    pub(crate) fn of(built: &Built) -> Option<Group> {
        match (built.kind.as_str(), built.test) {
            ("test", _) => Some(Group::Tests),
            ("bench", _) => Some(Group::Benches),
            ("example", _) => Some(Group::Examples),
            (_, true) => Some(Group::UnitTests),
            ("bin", _) => Some(Group::Bins),
            ("lib" | "rlib" | "cdylib" | "dylib" | "staticlib", _) => Some(Group::Lib),
            _ => None,
        }
    }

    /// That of the target itself, not of its unit tests.
    pub(crate) fn of_kind(kind: Kind) -> Group {
        match kind {
            Kind::Lib => Group::Lib,
            Kind::Bin => Group::Bins,
            Kind::Example => Group::Examples,
            Kind::Test => Group::Tests,
            Kind::Bench => Group::Benches,
        }
    }

    /// What a build script says to link something into these targets.
    pub(crate) fn instruction(self) -> &'static str {
        match self {
            Group::Bins => "rustc-link-arg-bins",
            Group::Examples => "rustc-link-arg-examples",
            Group::Tests => "rustc-link-arg-tests",
            Group::Benches => "rustc-link-arg-benches",
            Group::Lib | Group::UnitTests => "rustc-link-arg",
        }
    }
}
