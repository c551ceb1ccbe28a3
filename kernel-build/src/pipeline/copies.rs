//! What copies of the process compile beside it: units of kernels, and the code for the emulator. They are as many as cargo's job server has slots; without one,
//! all is compiled here, in the same order, to the same bytes.

use super::emitted::{self, Emitted};
use super::images::{Schedule, Unit};
use super::{INSTRUMENTED, Input, PipelineError, compile_unit};
use crate::fork::{Forked, Pieces};
use crate::instrument;
use crate::llvm::Module;
use crate::passes::Runner;
use crate::roots::Root;
use std::cell::Cell;
use std::io::{self, PipeReader, Read as _, Write as _};

/// Compiles all units. The images of one may show that a later one has more kernels than was known when it was begun: then that is compiled again.
pub(super) fn compile_all(
    schedule: &mut Schedule<'_, '_>,
    input: &Input<'_>,
    run: &Runner<'_>,
) -> Result<(), PipelineError> {
    // Mostly those that it shows to need another architecture are all there are.
    if let Some(first) = schedule.next() {
        let images = compile(schedule, &first, input, run)?;
        schedule.add(&first, images, input.dump);
    }
    let units: Vec<Unit> = schedule.units().collect();
    let is_known = |unit: &Unit| units.iter().any(|known| known.arch == unit.arch);
    let (mut copies, mut done) = (Vec::new(), Vec::new());
    if let Some(queue) = Queue::of(units.len()) {
        while let Some(number) = queue.next() {
            if number + 1 < units.len() {
                let schedule = &*schedule;
                let work = || claim(schedule, &units, &queue, input, run);
                copies.extend(Forked::begin(run.slot(), work));
            }
            while let Some(unit) = schedule.next().filter(|unit| !is_known(unit)) {
                let images = compile(schedule, &unit, input, run)?;
                schedule.add(&unit, images, input.dump);
            }
            match schedule.next() {
                Some(unit) if unit.arch == units[number].arch => {
                    let images = compile(schedule, &unit, input, run)?;
                    schedule.add(&unit, images, input.dump);
                }
                // A copy has one before it. What goes wrong here does so again when it is known to be wanted.
                _ => {
                    done.extend(compile(schedule, &units[number], input, run).map(|i| (number, i)))
                }
            }
        }
    }
    let of_copies = copies.into_iter().filter_map(Forked::wait);
    done.extend(of_copies.filter_map(unpack).flatten());
    while let Some(unit) = schedule.next() {
        let ready = done.iter().position(|(number, _)| units[*number] == unit);
        let images = match ready {
            Some(at) => done.swap_remove(at).1,
            None => compile(schedule, &unit, input, run)?,
        };
        schedule.add(&unit, images, input.dump);
    }
    Ok(())
}

/// Compiles a unit, with copies as long as none of them fails.
fn compile(
    schedule: &Schedule<'_, '_>,
    unit: &Unit,
    input: &Input<'_>,
    run: &Runner<'_>,
) -> Result<Vec<Emitted>, PipelineError> {
    match compile_unit(schedule, unit, input, run) {
        Err(PipelineError::Copy) => {
            run.stays_alone();
            compile_unit(schedule, unit, input, run)
        }
        result => result,
    }
}

/// In a copy: compiles units until there are no more.
fn claim(
    schedule: &Schedule<'_, '_>,
    units: &[Unit],
    queue: &Queue,
    input: &Input<'_>,
    run: &Runner<'_>,
) -> Option<Pieces> {
    let (mut head, mut pieces) = (Vec::new(), Vec::new());
    while let Some(number) = queue.next() {
        let images = compile(schedule, &units[number], input, run).ok();
        if let Some(packed) = images.and_then(emitted::pack) {
            head.push((number, packed.len()));
            pieces.extend(packed);
        }
    }
    pieces.insert(0, serde_json::to_vec(&head).ok()?);
    Some(pieces)
}

/// What a copy has compiled, with the numbers of the units.
fn unpack(pieces: Pieces) -> Option<Vec<(usize, Vec<Emitted>)>> {
    let mut pieces = pieces.into_iter();
    let head: Vec<(usize, usize)> = serde_json::from_slice(&pieces.next()?).ok()?;
    let mut unit = |(number, count): (usize, usize)| {
        let images = emitted::unpack(pieces.by_ref().take(count).collect())?;
        Some((number, images))
    };
    head.into_iter().map(&mut unit).collect()
}

/// Numbers of which each goes to one process: to this, or to one of its copies.
struct Queue(PipeReader);

impl Queue {
    /// Those below `count`.
    fn of(count: usize) -> Option<Queue> {
        let numbers: Vec<u8> = (0..u8::try_from(count).ok()?).collect();
        let (reader, mut writer) = io::pipe().ok()?;
        // So few fit into every pipe; and without a writer, a read behind the last ends.
        writer.write_all(&numbers).ok()?;
        Some(Queue(reader))
    }

    /// The least that is left.
    fn next(&self) -> Option<usize> {
        let mut number = [0];
        (&self.0).read_exact(&mut number).ok()?;
        Some(number[0].into())
    }
}

/// Code for the emulator: an object file, for which nothing else waits.
pub(super) struct Emulated<'ctx> {
    /// What it is made of, until it is made here.
    module: Cell<Option<Module<'ctx>>>,
    begun: Option<Forked>,
    object: Vec<u8>,
}

/// Kernels, and their names in the manifest.
type Facts<'a, 'ctx> = (&'a [Root<'ctx>], &'a [String]);

impl<'ctx> Emulated<'ctx> {
    /// Begins it in a copy, or makes it here.
    pub(super) fn begin(
        module: Option<Module<'ctx>>,
        facts: Facts<'_, 'ctx>,
        input: &Input<'_>,
        run: &Runner<'_>,
    ) -> Result<Emulated<'ctx>, PipelineError> {
        let mut emulated = Emulated {
            module: Cell::new(module),
            begun: None,
            object: Vec::new(),
        };
        emulated.begun = Forked::begin(run.slot(), || {
            Some(vec![emulated.build(facts, input, run).ok()?])
        });
        if emulated.begun.is_none() {
            emulated.object = emulated.build(facts, input, run)?;
        }
        Ok(emulated)
    }

    /// The object file; empty if there was no module.
    pub(super) fn finish(
        mut self,
        facts: Facts<'_, 'ctx>,
        input: &Input<'_>,
        run: &Runner<'_>,
    ) -> Result<Vec<u8>, PipelineError> {
        let Some(begun) = self.begun.take() else {
            return Ok(self.object);
        };
        match begun.wait().and_then(|mut pieces| pieces.pop()) {
            Some(object) => Ok(object),
            None => self.build(facts, input, run),
        }
    }

    fn build(
        &self,
        (roots, names): Facts<'_, 'ctx>,
        input: &Input<'_>,
        run: &Runner<'_>,
    ) -> Result<Vec<u8>, PipelineError> {
        let Some(module) = self.module.take() else {
            return Ok(vec![]);
        };
        run.enters(INSTRUMENTED, &module);
        let object = instrument::build(Some(module), roots, names, input.target, input.dump)?;
        Ok(object)
    }
}
