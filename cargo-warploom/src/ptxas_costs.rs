//! What NVIDIA's assembler says of kernels, read from the text of `ptxas -v`. `warploom-harness` compiles this file too.

/// What the assembler says of one kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Registers of a thread.
    pub(crate) registers: u32,
    /// Bytes that are moved out of registers, and back.
    pub(crate) spill_stores: u32,
    pub(crate) spill_loads: u32,
    /// Static bytes of shared memory of a block.
    pub(crate) shared_bytes: u32,
    /// Bytes of a thread's stack.
    pub(crate) stack_bytes: u32,
}

/// The figures of each entry, by its name, in the order of the text. Functions that kernels call have lines of their own, which are part of the kernel's.
pub(crate) fn costs(said: &str) -> Vec<(String, Cost)> {
    let mut all: Vec<(String, Cost)> = Vec::new();
    let mut is_entrys = false;
    for line in said.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let name = rest.split('\'').next().unwrap_or_default();
            all.push((name.to_owned(), Cost::default()));
        } else if let Some((entry, cost)) = all.last_mut() {
            let before = |words: &str| {
                let number = line.split_once(words)?.0.split_whitespace().next_back()?;
                number.parse::<u32>().ok()
            };
            if let Some((_, name)) = line.split_once("Function properties for ") {
                is_entrys = name.trim() == entry;
            } else if line.contains("bytes stack frame") && is_entrys {
                cost.stack_bytes = before(" bytes stack frame").unwrap_or_default();
                cost.spill_stores = before(" bytes spill stores").unwrap_or_default();
                cost.spill_loads = before(" bytes spill loads").unwrap_or_default();
            } else if line.contains(" registers") && line.contains("Used ") {
                cost.registers = before(" registers").unwrap_or_default();
                cost.shared_bytes = before(" bytes smem").unwrap_or_default();
                let cumulative = before(" bytes cumulative stack size").unwrap_or_default();
                cost.stack_bytes = cost.stack_bytes.max(cumulative);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As ptxas 13.0.88 prints it.
    const SAID: &str = "ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function 'saxpy' for 'sm_90'
ptxas info    : Function properties for saxpy
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers
ptxas info    : Compile time = 18.231 ms
ptxas info    : Compiling entry function 'tiled' for 'sm_90'
ptxas info    : Function properties for tiled
    104 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Function properties for helper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 112 bytes cumulative stack size, 4096 bytes smem, 400 bytes cmem[0]
";

    #[test]
    fn the_figures_of_each_kernel_are_read() {
        let costs = costs(SAID);
        let saxpy = Cost {
            registers: 32,
            ..Cost::default()
        };
        let tiled = Cost {
            registers: 40,
            spill_stores: 12,
            spill_loads: 20,
            shared_bytes: 4096,
            stack_bytes: 112,
        };
        let named = |name: &str, cost| (name.to_owned(), cost);
        assert_eq!(costs, [named("saxpy", saxpy), named("tiled", tiled)]);
    }
}
