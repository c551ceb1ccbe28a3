//! Target machines and pass pipelines.

use super::ffi::{Nullable as _, TargetMachineRef, TargetRef};
use super::{Context, LlvmError, c_string};
use std::ptr::null_mut;

const AGGRESSIVE: i32 = 3;
const UNOPTIMISED: i32 = 0;
const RELOC_PIC: i32 = 2;

/// Code generation for one architecture.
pub(crate) struct Machine<'ctx> {
    pub(super) raw: TargetMachineRef,
    context: &'ctx Context,
}

impl<'ctx> Machine<'ctx> {
    /// A machine for `triple` at the highest optimisation level.
    pub(crate) fn new(
        context: &'ctx Context,
        triple: &str,
        cpu: &str,
        features: &str,
    ) -> Result<Machine<'ctx>, LlvmError> {
        const RELOC_DEFAULT: i32 = 0;
        let settings = (AGGRESSIVE, RELOC_DEFAULT);
        Machine::with_settings(context, triple, (cpu, features), settings)
    }

    /// A machine for a host's processor, whose code may lie anywhere.
    pub(crate) fn of_host(
        context: &'ctx Context,
        triple: &str,
    ) -> Result<Machine<'ctx>, LlvmError> {
        Machine::with_settings(context, triple, ("", ""), (AGGRESSIVE, RELOC_PIC))
    }

    /// The same without optimisation in code generation, which then takes a time linear in the size of a function.
    pub(crate) fn of_host_unoptimised(
        context: &'ctx Context,
        triple: &str,
    ) -> Result<Machine<'ctx>, LlvmError> {
        Machine::with_settings(context, triple, ("", ""), (UNOPTIMISED, RELOC_PIC))
    }

    fn with_settings(
        context: &'ctx Context,
        triple: &str,
        (cpu, features): (&str, &str),
        (level, relocation): (i32, i32),
    ) -> Result<Machine<'ctx>, LlvmError> {
        const CODE_MODEL_DEFAULT: i32 = 0;
        let (triple, cpu, features) = (c_string(triple), c_string(cpu), c_string(features));
        let llvm = context.llvm;
        let mut target = TargetRef(null_mut());
        let mut message = null_mut();
        // SAFETY: zero-ended texts and places for the results.
        let failed = unsafe {
            (llvm.LLVMGetTargetFromTriple)(triple.as_ptr(), &raw mut target, &raw mut message)
        };
        let message = context.owned_message(message);
        if failed != 0 {
            return Err(context.error("unknown target", message));
        }
        // SAFETY: a target that LLVM just gave; the texts are copied.
        let raw = unsafe {
            (llvm.LLVMCreateTargetMachine)(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                level,
                relocation,
                CODE_MODEL_DEFAULT,
            )
        };
        if raw.is_null() {
            return Err(context.error("cannot make a target machine", None));
        }
        Ok(Machine { raw, context })
    }

    /// The data layout that modules for this machine must have.
    pub(crate) fn data_layout(&self) -> String {
        let llvm = self.context.llvm;
        // SAFETY: a live machine; the layout is disposed of below.
        let layout = unsafe { (llvm.LLVMCreateTargetDataLayout)(self.raw) };
        // SAFETY: the layout made above; the text is ours.
        let text = unsafe { (llvm.LLVMCopyStringRepOfTargetData)(layout) };
        // SAFETY: the layout made above, not used again.
        unsafe { (llvm.LLVMDisposeTargetData)(layout) };
        self.context.owned_message(text).unwrap_or_default()
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `new`, disposed of once.
        unsafe { (self.context.llvm.LLVMDisposeTargetMachine)(self.raw) }
    }
}

/// A pass pipeline in LLVM's textual form.
pub(crate) struct Passes(pub(super) String);

impl Passes {
    /// As LLVM reads it.
    pub(crate) fn to_text(&self) -> String {
        self.0.clone()
    }

    /// All of them, for the self-test.
    pub(crate) fn all() -> [Passes; 20] {
        [
            Passes::drop_unreachable(),
            Passes::expose_arguments(),
            Passes::no_unwinding(),
            Passes::inline_always(),
            Passes::before_instrumenting(),
            Passes::unroll_before_instrumenting(),
            Passes::after_instrumenting(),
            Passes::unswitch_loops(),
            Passes::unswitch_loops_with_aligned_ops(),
            Passes::thread_jumps(),
            Passes::rotate_loops(),
            Passes::unroll_completely(),
            Passes::close_loops(),
            Passes::fold_branches(),
            Passes::tidy(),
            Passes::fold_constants(),
            Passes::drop_unused(),
            Passes::drop_unreached_blocks(),
            Passes::optimize(),
            Passes::infer_address_spaces(),
        ]
    }

    /// Drops what no root reaches.
    pub(crate) fn drop_unreachable() -> Passes {
        Passes("globaldce".into())
    }

    /// Makes constants visible as call arguments without changing control flow.
    pub(crate) fn expose_arguments() -> Passes {
        Passes("always-inline,function(sroa,instsimplify)".into())
    }

    /// Turns calls that could unwind into plain ones: std's bitcode was built to unwind, a device cannot.
    pub(crate) fn no_unwinding() -> Passes {
        Passes("function(lower-invoke,unreachableblockelim)".into())
    }

    /// Inlines only what must be inlined.
    pub(crate) fn inline_always() -> Passes {
        Passes("always-inline,globaldce".into())
    }

    /// Helper functions into their callers and variables into registers; here and in what follows nothing that moves or changes accesses to
    /// memory, or merges those of different threads' times.
    pub(crate) fn before_instrumenting() -> Passes {
        Passes("always-inline,globaldce,function(sroa,early-cse,simplifycfg),cgscc(inline),function(sroa,early-cse,simplifycfg,correlated-propagation,simplifycfg)".into())
    }

    /// Short loops become straight code, and what is decided in it goes.
    pub(crate) fn unroll_before_instrumenting() -> Passes {
        Passes("function(loop-unroll<O3;no-partial;no-runtime;no-peeling;no-upperbound;full-unroll-max=64>,sccp,simplifycfg,early-cse),globaldce".into())
    }

    /// What makes instrumented code fast enough.
    pub(crate) fn after_instrumenting() -> Passes {
        Passes("always-inline,function(sroa,instcombine<no-verify-fixpoint>,simplifycfg,gvn,loop-mssa(licm),instcombine<no-verify-fixpoint>,simplifycfg,sink),globaldce".into())
    }

    /// Loops with a condition that is the same in each round become two loops. Without a machine: for GPUs LLVM leaves such loops alone,
    /// since threads of a warp could differ in the condition. What asked a second time, behind a check that is gone, asks no more. Each loop is
    /// left with a block of its own before it and behind it.
    pub(crate) fn unswitch_loops() -> Passes {
        Passes("function(loop-mssa(simple-loop-unswitch<nontrivial>),instcombine<no-verify-fixpoint>,simplifycfg,jump-threading,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa)".into())
    }

    /// The same, without jump threading and CFG simplification, for functions with `.aligned` operations.
    pub(crate) fn unswitch_loops_with_aligned_ops() -> Passes {
        Passes("function(loop-mssa(simple-loop-unswitch<nontrivial>),instcombine<no-verify-fixpoint>,loop-simplify,lcssa)".into())
    }

    /// Blocks that go on to where their predecessor already knows are left out. Without a machine: for GPUs LLVM leaves them, since threads of a warp
    /// that would meet there then meet later.
    pub(crate) fn thread_jumps() -> Passes {
        Passes("function(instcombine<no-verify-fixpoint>,jump-threading,correlated-propagation,early-cse<memssa>,jump-threading,instcombine<no-verify-fixpoint>,simplifycfg,jump-threading,loop-simplify,lcssa)".into())
    }

    /// The test at the end of an iteration, where the trip count is read.
    pub(crate) fn rotate_loops() -> Passes {
        Passes("function(simplifycfg,loop-simplify,lcssa,loop(loop-rotate),instcombine<no-verify-fixpoint>,simplifycfg)".into())
    }

    /// The same, where a block behind the latch must stay until then.
    pub(crate) fn rotate_prepared_loops() -> Passes {
        Passes("function(loop-simplify,lcssa,loop(loop-rotate),instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa)".into())
    }

    /// Loops of which that was requested become straight code.
    pub(crate) fn unroll_completely() -> Passes {
        Passes("function(loop-simplify,lcssa,loop-unroll<O3;no-partial;no-runtime;no-peeling;no-upperbound>)".into())
    }

    /// What is used behind a loop goes through phis of a block that only the loop leads to.
    pub(crate) fn close_loops() -> Passes {
        Passes("function(loop-simplify,lcssa)".into())
    }

    /// Inlines, and simplifies as far as [`thread_jumps`](Self::thread_jumps) needs it: values in registers, no block that only jumps.
    pub(crate) fn inline_and_simplify() -> Passes {
        Passes("always-inline,globaldce,cgscc(devirt<4>(inline,function-attrs,function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>)))".into())
    }

    /// What does not change in a loop leaves it, so that its checks are seen to be those of loop-invariant lengths.
    pub(crate) fn hoist_invariants() -> Passes {
        Passes("function(loop-simplify,lcssa,loop-mssa(licm<allowspeculation>),early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-simplify,lcssa)".into())
    }

    /// Removes what replacements have left, and what is computed twice.
    pub(crate) fn tidy() -> Passes {
        Passes("function(early-cse,instcombine<no-verify-fixpoint>,early-cse)".into())
    }

    /// Folds branches whose conditions are known, and what depends on them; loops keep their form.
    pub(crate) fn fold_branches() -> Passes {
        Passes("function(simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify,lcssa)".into())
    }

    /// Computes what is constant, and drops what control does not reach then.
    pub(crate) fn fold_constants() -> Passes {
        Passes("function(sccp,simplifycfg),globaldce".into())
    }

    /// Drops instructions whose results are unused.
    pub(crate) fn drop_unused() -> Passes {
        Passes("function(dce)".into())
    }

    /// Drops blocks that control does not reach.
    pub(crate) fn drop_unreached_blocks() -> Passes {
        Passes("function(unreachableblockelim)".into())
    }

    /// Everything that makes kernels fast; [`infer_address_spaces`](Self::infer_address_spaces) belongs to it.
    pub(crate) fn optimize() -> Passes {
        Passes("always-inline,globaldce,default<O3>".into())
    }

    /// Pointers back into their address spaces, and what that allows.
    ///
    /// A loop of which only the most rounds are known, as of one that fills a tile, is left alone by LLVM's own; up to eight rounds it is better
    /// unrolled whole too: each round keeps its way out, and what its number leads to (a quotient, an offset) is computed with a constant.
    pub(crate) fn infer_address_spaces() -> Passes {
        Passes("function(infer-address-spaces,loop-unroll<O3;upperbound;no-partial;no-runtime;no-peeling;full-unroll-max=8>,sroa<modify-cfg>,instcombine<no-verify-fixpoint>,sccp,simplifycfg),globaldce".into())
    }
}
