//! What a run is checked for, beyond what any run finds: options, findings, the memory that kernels may access, and what instrumented
//! code calls.

pub use crate::access_costs::{AccessCosts, GlobalCost, SharedCost};
pub use crate::control::{
    Control, ControlledLaunch, Controller, MadeAccess, PendingAccess, ReadableStore, ThreadId,
};
pub use crate::detector::{
    ForeignMemory, GlobalMemory, HOOKS, Hook, InFlight, Launches, Turn, allocate, allocate_at,
    copied, forget_values, forget_views, free, gets_slice, heap_alloc, heap_free, host_reads,
    initialise, keep_freed_memory, limit_heap, may_lead_to, name, name_view, reads_only,
    takes_turn,
};
pub use crate::engine::fiber::on_lane;
pub use crate::engine::overflow::instrumented_code;
pub use crate::finding::{Code, Key, Note, Place, Report, Severity, Side, Sink, Who};
pub use crate::host::HOST;
pub use crate::memory_kind::{Birth, Kind};
pub use crate::options::{Mode, Options, OptionsError, Schedule};
pub use crate::random::Random;
pub use crate::report::lints::Profile;
pub use crate::report::{Allowance, Allowances, Page, colours};
pub use crate::site::{Frame, Origin, SiteId, SiteInfo, register, site};
pub use crate::source::Sources;
