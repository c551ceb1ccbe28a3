//! Clocks, and sleep.

use super::Intrinsic;

intrinsics! {
    /// Cycles of the multiprocessor, modulo 2^32. CUDA `clock` · PTX `%clock`.
    scalar fn clock() -> u32 = "asm:volatile+memory|mov.u32 $0, %clock;";
    /// Cycles of the multiprocessor. CUDA `clock64` · PTX `%clock64`.
    scalar fn clock64() -> u64 = "asm:volatile+memory|mov.u64 $0, %clock64;";
    /// Nanoseconds since some moment, the same for the whole GPU. PTX `%globaltimer`.
    scalar fn global_timer() -> u64 = "asm:volatile+memory|mov.u64 $0, %globaltimer;";
    /// Suspends the thread for about `ns` nanoseconds, at most about a millisecond. CUDA `__nanosleep` · PTX `nanosleep`.
    scalar fn nanosleep(ns: u32) = "asm:volatile+memory|nanosleep.u32 $0;";
    /// Stops at a debugger. CUDA `__brkpt` · PTX `brkpt`.
    scalar fn breakpoint() = "asm:volatile|brkpt;";
    /// Adds 1 per warp to the profiler's counter 0. CUDA `__prof_trigger(0)` · PTX `pmevent`.
    scalar fn prof_trigger_0() = "asm:volatile|pmevent 0;";
    /// Adds 1 per warp to the profiler's counter 1.
    scalar fn prof_trigger_1() = "asm:volatile|pmevent 1;";
    /// Adds 1 per warp to the profiler's counter 2.
    scalar fn prof_trigger_2() = "asm:volatile|pmevent 2;";
    /// Adds 1 per warp to the profiler's counter 3.
    scalar fn prof_trigger_3() = "asm:volatile|pmevent 3;";
    /// Adds 1 per warp to the profiler's counter 4.
    scalar fn prof_trigger_4() = "asm:volatile|pmevent 4;";
    /// Adds 1 per warp to the profiler's counter 5.
    scalar fn prof_trigger_5() = "asm:volatile|pmevent 5;";
    /// Adds 1 per warp to the profiler's counter 6.
    scalar fn prof_trigger_6() = "asm:volatile|pmevent 6;";
    /// Adds 1 per warp to the profiler's counter 7.
    scalar fn prof_trigger_7() = "asm:volatile|pmevent 7;";
}
