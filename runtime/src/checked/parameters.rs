//! What the checks know of a launch's arguments: the names of slices, and where the values are that kernels only read.

use warploom_emulator::check::{self, Birth, Kind};

use crate::launch::arguments::Arg;

/// The arguments of one launch, until it is dropped.
pub(crate) struct Parameters(Vec<*const u8>);

impl Parameters {
    /// For the next run on this OS thread.
    pub(crate) fn announce(args: &[Arg<'_>]) -> Parameters {
        let mut values = Vec::new();
        for arg in args {
            if let Some((start, bytes)) = arg.slice() {
                check::name_view(start, bytes, arg.name());
            }
            if let Some(start) = arg.place() {
                let param = arg.param();
                let (bytes, align) = (param.size as usize, param.align as usize);
                // Of its elements nothing is known but what they are aligned to.
                let (kind, birth) = (Kind::Parameter, Birth::Initialised);
                check::allocate(start, bytes, align, align, kind, birth, arg.name());
                values.push(start);
            }
        }
        Parameters(values)
    }
}

impl Drop for Parameters {
    fn drop(&mut self) {
        self.0.iter().for_each(|start| check::free(*start));
    }
}
