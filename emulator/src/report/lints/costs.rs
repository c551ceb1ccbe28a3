//! What the accesses of a run cost in all.

use super::request::{Passes, Sectors};
use super::tally::Tally;
use super::{AccessClass, Profile, Space};
use crate::access_costs::{AccessCosts, GlobalCost, SharedCost};

impl Profile {
    /// What the plain loads and stores of the run cost in all.
    #[must_use]
    pub fn access_costs(&self) -> AccessCosts {
        let mut costs = AccessCosts::default();
        for spot in &self.spots {
            let tally = &spot.tally;
            match (tally.space, tally.kind) {
                (Some(Space::Global), AccessClass::Load) => costs.global_loads += tally.into(),
                (Some(Space::Global), AccessClass::Store) => costs.global_stores += tally.into(),
                (Some(Space::Shared), AccessClass::Load) => costs.shared_loads += tally.into(),
                (Some(Space::Shared), AccessClass::Store) => costs.shared_stores += tally.into(),
                (None | Some(Space::Texture), _)
                | (_, AccessClass::Atomic | AccessClass::Volatile) => {}
            }
        }
        costs
    }
}

impl From<&Tally> for GlobalCost {
    fn from(tally: &Tally) -> Self {
        let Sectors { touched, ideal, .. } = tally.sectors;
        Self {
            instructions: tally.instructions,
            sectors: touched,
            ideal_sectors: ideal,
        }
    }
}

impl From<&Tally> for SharedCost {
    fn from(tally: &Tally) -> Self {
        let Passes { made, ideal, .. } = tally.passes;
        Self {
            instructions: tally.instructions,
            passes: made,
            ideal_passes: ideal,
        }
    }
}
