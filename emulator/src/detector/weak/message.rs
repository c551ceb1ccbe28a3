//! Views, and the messages of views that stores carry.

/// Where a thread runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::detector) struct Place {
    pub(super) block: u32,
    pub(super) cluster: u32,
}

/// The scope of what orders everything, whatever the scope of the other side.
pub(super) const EVERYTHING: u32 = 4;

/// From where to where an access or a fence orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) scope: u32,
    pub(super) from: Place,
}

impl Reach {
    /// Whether both are in the scope of each other.
    pub(super) fn is_mutual(self, other: Reach) -> bool {
        self.scope.max(other.scope) == EVERYTHING
            || self.includes(other.from) && other.includes(self.from)
    }

    fn includes(self, place: Place) -> bool {
        match self.scope {
            0 => self.from.block == place.block,
            1 => self.from.cluster == place.cluster,
            _ => true,
        }
    }
}

/// The oldest store of each location that may be read, or that a write may come behind, by the location's number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct View(Vec<u64>);

impl View {
    pub(super) fn of(&self, location: usize) -> u64 {
        self.0.get(location).copied().unwrap_or(0)
    }

    pub(super) fn raise(&mut self, location: usize, time: u64) {
        if self.0.len() <= location {
            self.0.resize(location + 1, 0);
        }
        self.0[location] = time.max(self.0[location]);
    }

    pub(super) fn join(&mut self, other: &View) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*other);
        }
    }
}

/// Views, each for the threads that it reaches.
#[derive(Debug, Clone, Default)]
pub(super) struct Message(Vec<(Reach, View)>);

impl Message {
    /// Adds to what has this reach.
    pub(super) fn add_view(&mut self, reach: Reach, view: &View) {
        match self.0.iter_mut().find(|(one, _)| *one == reach) {
            Some((_, known)) => known.join(view),
            None => self.0.push((reach, view.clone())),
        }
    }

    /// Puts it in the place of what has this reach.
    pub(super) fn set(&mut self, reach: Reach, view: &View) {
        self.0.retain(|(one, _)| *one != reach);
        self.0.push((reach, view.clone()));
    }

    /// Adds all of another one, in a scope that is this one at most.
    pub(super) fn add(&mut self, other: &Message, scope: u32) {
        for (reach, view) in &other.0 {
            let scope = reach.scope.min(scope);
            self.add_view(Reach { scope, ..*reach }, view);
        }
    }

    /// Joins what reaches `at` to a view.
    pub(super) fn join_to(&self, view: &mut View, at: Reach) {
        for (reach, known) in &self.0 {
            if reach.is_mutual(at) {
                view.join(known);
            }
        }
    }

    /// The same, and forgets it.
    pub(super) fn take_to(&mut self, view: &mut View, at: Reach) {
        self.join_to(view, at);
        self.0.retain(|(reach, _)| !reach.is_mutual(at));
    }
}
