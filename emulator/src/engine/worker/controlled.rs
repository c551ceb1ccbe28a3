//! Runs a set whose atomic accesses are chosen from outside, one at a time (`control.rs`).

use super::Worker;
use crate::control::{Control, PendingAccess, ThreadId};
use crate::engine::block_scheduler::BlockScheduler;
use crate::engine::diagnose;
use crate::engine::fiber::Running;
use crate::engine::warp::{LANES, lanes};
use crate::fault::Fault;

impl Worker<'_> {
    /// Switches to lanes until all have exited. `Some`: they cannot, and all have been unwound.
    pub(super) fn schedule_under(&mut self, control: &Control) -> Option<Fault> {
        let mut pending = Vec::new();
        loop {
            if let Err(fault) = self.advance(control) {
                self.abandon(&fault);
                return Some(fault);
            }
            if let Some(fault) = self.set.ended() {
                self.abandon(&fault);
                return Some(fault);
            }
            pending.clear();
            for scheduler in &self.schedulers {
                let running = &scheduler.running;
                let block = number(running);
                if let Some(accesses) = &running.pending {
                    accesses.list(block, &mut pending);
                }
            }
            if !pending.is_empty() {
                let chosen = control.0.choose(&pending).min(pending.len() - 1);
                self.make_access(control, &pending[chosen]);
            } else if !self.set.complete()
                && !self.converge()
                && (!self.wake_all() || self.only_polls())
            {
                break;
            }
        }
        let fault = self.set.stuck()?;
        diagnose::stuck(&self.set);
        self.abandon(&fault);
        Some(fault)
    }

    /// Switches to lanes until each is pending, waits, sleeps or has exited.
    fn advance(&mut self, control: &Control) -> Result<(), Fault> {
        let mut any = true;
        while any {
            any = false;
            for scheduler in &mut self.schedulers {
                any |= scheduler.drain()?;
            }
            self.tell_meetings(control);
        }
        Ok(())
    }

    /// Says who has synchronised.
    fn tell_meetings(&self, control: &Control) {
        for scheduler in &self.schedulers {
            let running = &scheduler.running;
            let meetings = running.core().take_meetings();
            let block = number(running);
            for meeting in meetings {
                let warps = (0..).zip(meeting);
                let threads = warps.flat_map(|(warp, mask)| {
                    lanes(mask).map(move |lane| ThreadId {
                        block,
                        thread: warp * LANES + lane,
                    })
                });
                control.0.met(&threads.collect::<Vec<_>>());
            }
        }
        for threads in self.set.take_meetings() {
            control.0.met(&threads);
        }
    }

    /// Lets the chosen thread make its access and run to its next one, and wakes those that poll if it has changed memory.
    fn make_access(&mut self, control: &Control, chosen: &PendingAccess) {
        let is_its =
            |scheduler: &BlockScheduler<'_>| number(&scheduler.running) == chosen.thread.block;
        let Some(at) = self.schedulers.iter().position(is_its) else {
            return;
        };
        let memory = (control.0.names_memory() && chosen.bytes != 0).then(|| {
            let running = &self.schedulers[at].running;
            diagnose::name_of_memory(running, chosen.address)
        });
        let number = self.n_chosen;
        self.n_chosen += 1;
        self.schedulers[at].make_access(chosen.thread.thread, number);
        let running = &self.schedulers[at].running;
        let weak = running.checks.as_ref().map(|checks| checks.access_made());
        if let Some(pending) = &running.pending {
            let mut made = pending.made(running.spin.written.take(), weak.unwrap_or_default());
            made.memory = memory;
            let changed = made.changed;
            control.0.made(made);
            if changed {
                self.wake_all();
            }
        }
        self.tell_meetings(control);
    }

    /// All lanes that poll or sleep look again; gives whether there were any.
    fn wake_all(&self) -> bool {
        let mut any = false;
        for scheduler in &self.schedulers {
            any |= scheduler.running.core_mut().wake_sleepers();
        }
        any
    }
}

/// The number of the block that runs there.
fn number(running: &Running<'_>) -> u64 {
    running.shape.linear(running.registers.block.get())
}
