//! Break points and counters.

/// Set to 1 where a break point shall stop the program under a debugger.
const BREAKPOINT: &str = "WARPLOOM_BREAKPOINT";

/// Nothing; with `WARPLOOM_BREAKPOINT=1` in the environment a `SIGTRAP`, at which a debugger stops. CUDA: `__brkpt`. PTX: `brkpt`.
pub fn breakpoint() {
    if std::env::var_os(BREAKPOINT).is_some_and(|value| value == "1") {
        stop();
    }
}

#[cfg(target_arch = "x86_64")]
fn stop() {
    // SAFETY: raises a signal, which the debugger handles.
    unsafe { std::arch::asm!("int3") };
}

#[cfg(target_arch = "aarch64")]
fn stop() {
    // SAFETY: as above.
    unsafe { std::arch::asm!("brk #0xf000") };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn stop() {}

macro_rules! counters {
    ($($name:ident $counter:literal;)*) => {$(
        #[doc = concat!("Nothing: only a profiler reads hardware counter ", $counter, ". CUDA: `__prof_trigger`. PTX: `pmevent`.")]
        #[inline]
        pub fn $name() {}
    )*};
}

counters! {
    prof_trigger_0 "0";
    prof_trigger_1 "1";
    prof_trigger_2 "2";
    prof_trigger_3 "3";
    prof_trigger_4 "4";
    prof_trigger_5 "5";
    prof_trigger_6 "6";
    prof_trigger_7 "7";
}
