//! Kernels that reach what no GPU has fail the build, in the user's terms.

use crate::support::Outside;

fn refused(name: &str, items: &str, body: &str) -> String {
    let main = format!(
        "use warploom::prelude::*;\n\n#[kernel]\nfn broken(i: Index1D, mut y: DisjointSlice<u32>) {{\n    if let Some(y) = y.get_mut(i) {{\n        *y = {body};\n    }}\n}}\n\nfn main() {{}}\n\n{items}"
    );
    let said = Outside::program(name, &main).fails();
    for expected in [
        "kernel `broken` cannot run on a GPU",
        "kernel `broken` at src/main.rs:",
        "src/main.rs:6:",
    ] {
        assert!(said.contains(expected), "no {expected:?} in:\n{said}");
    }
    assert!(!said.contains("panicked at"), "{said}");
    assert!(said.lines().count() < 25, "a wall of text:\n{said}");
    said
}

#[track_caller]
fn assert_contains(said: &str, expected: &[&str]) {
    for expected in expected {
        assert!(said.contains(expected), "no {expected:?} in:\n{said}");
    }
}

//@ rows: EX-1, GFN-3
#[test]
fn a_file_two_calls_deep_is_shown_with_the_chain() {
    let said = refused(
        "refused-file",
        "fn outer(i: u32) -> u32 {\n    inner(i) + 1\n}\n\nfn inner(i: u32) -> u32 {\n    std::fs::read(\"numbers\").map_or(i, |bytes| bytes.len() as u32)\n}\n",
        "outer(1)",
    );
    assert_contains(
        &said,
        &[
            "outer",
            "inner",
            "std::fs::read",
            "src/main.rs:13:",
            "src/main.rs:17:",
        ],
    );
}

#[test]
fn a_thread_local_is_refused() {
    let said = refused(
        "refused-thread-local",
        "thread_local! {\n    static COUNT: std::cell::Cell<u32> = std::cell::Cell::new(3);\n}\n",
        "COUNT.get()",
    );
    assert_contains(&said, &["COUNT", "thread-local"]);
}

#[test]
fn a_vector_of_open_files_is_refused_for_the_files() {
    let said = refused(
        "refused-in-vector",
        "fn open(i: u32) -> u32 {\n    let mut all = Vec::new();\n    for _ in 0..i {\n        all.push(std::fs::File::open(\"numbers\"));\n    }\n    all.len() as u32\n}\n",
        "open(*y)",
    );
    assert_contains(&said, &["std::fs::", "open", "src/main.rs:1"]);
    assert!(!said.contains("heap"), "{said}");
}

#[test]
fn printing_is_refused() {
    let said = refused("refused-print", "", "{ println!(\"here\"); 1 }");
    assert_contains(&said, &["print", "gpu_println!"]);
}

//@ rows: E-18
#[test]
fn an_image_for_sm_90_is_refused_what_sm_90_does_not_have() {
    let main = "use warploom::device_std::wmma::{Accumulator, ColMajor, Fragment, M8N8K32, MatrixA, MatrixB, RowMajor, S4};
use warploom::prelude::*;

#[kernel]
fn product(warp: Warp, a: &[u32], b: &[u32], mut c: DisjointSlice2D<i32, WarpPatches<8, 8>>) {
    if let Some(mut patch) = c.get_mut(warp) {
        let a = Fragment::<MatrixA, M8N8K32, S4, RowMajor>::load(warp, a, 32);
        let b = Fragment::<MatrixB, M8N8K32, S4, ColMajor>::load(warp, b, 32);
        let sums = Fragment::<Accumulator, M8N8K32, i32>::filled(0).mma(warp, &a, &b);
        sums.store(warp, &mut patch, (0, 0), RowMajor);
    }
}

fn main() {}
";
    let script = "use warploom_build::{Arch, Builder};\n\nfn main() {\n    Builder::new().archs(&[Arch::sm(75), Arch::sm(90)]).compile();\n}\n";
    let said = Outside::program("refused-sm-90", main)
        .file("build.rs", script)
        .fails();
    assert_contains(
        &said,
        &[
            "kernel `product` uses instructions that architectures from sm_90 on do not have, and an image for sm_90 was asked for",
            "ask for images below sm_90 alone, which newer GPUs run too",
            "kernel `product` at src/main.rs:4",
        ],
    );
}

/// A dependency that reads the processor's clock, with assembly and with an intrinsic.
const CLOCK: &str = "use std::arch::x86_64::_rdtsc;

pub fn by_assembly() -> u32 {
    let low: u32;
    unsafe { std::arch::asm!(\"rdtsc\", out(\"eax\") low, out(\"edx\") _) };
    low
}

pub fn by_intrinsic() -> u32 {
    unsafe { _rdtsc() as u32 }
}
";

#[cfg(target_arch = "x86_64")]
#[test]
fn an_instruction_of_the_host_is_refused_with_chain_and_crate() {
    for (call, needs) in [
        ("by_assembly", "assembly of the host processor (`rdtsc`)"),
        (
            "by_intrinsic",
            "an instruction of the host processor (`llvm.x86.rdtsc`)",
        ),
    ] {
        let main = format!(
            "use warploom::prelude::*;\n\n#[kernel]\nfn timed(i: Index1D, mut y: DisjointSlice<u32>) {{\n    if let Some(y) = y.get_mut(i) {{\n        *y = host_clock::{call}();\n    }}\n}}\n\nfn main() {{}}\n"
        );
        let program = Outside::program("refused-instruction", &main)
            .file(
                "clock/Cargo.toml",
                "[package]\nname = \"host-clock\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
            )
            .file("clock/src/lib.rs", CLOCK);
        program.replace(
            "Cargo.toml",
            "[dependencies]\n",
            "[dependencies]\nhost-clock = { path = \"clock\" }\n",
        );
        let said = program.fails();
        let chain = format!("calls `host_clock::{call}` at src/main.rs:6:");
        let expected = [
            "kernel `timed` cannot run on a GPU",
            "(crate `host_clock`)",
            needs,
            &chain,
        ];
        assert_contains(&said, &expected);
    }
}

/// A kernel that calls the dependency, as tests have it.
#[cfg(target_arch = "x86_64")]
const TIMED: &str = "use warploom::prelude::*;

#[kernel]
fn timed(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = host_clock::by_assembly();
    }
}

#[test]
fn t() {}
";

#[cfg(target_arch = "x86_64")]
#[test]
fn an_instruction_of_the_host_in_a_kernel_of_a_test_is_refused_with_chain_and_crate() {
    let nothing = "//! Nothing.\n".to_owned();
    let unit_tests = format!("{nothing}#[cfg(test)]\nmod tests {{\n{TIMED}}}\n");
    for (name, library, test, [kernel, call]) in [
        (
            "refused-test",
            &nothing,
            TIMED,
            ["tests/clock.rs:3", "tests/clock.rs:6:"],
        ),
        (
            "refused-unit-test",
            &unit_tests,
            "",
            ["src/lib.rs:6", "src/lib.rs:9:"],
        ),
    ] {
        let program = Outside::package(name)
            .file("src/lib.rs", library)
            .file("tests/clock.rs", test)
            .file(
                "clock/Cargo.toml",
                "[package]\nname = \"host-clock\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
            )
            .file("clock/src/lib.rs", CLOCK)
            .append(
                "Cargo.toml",
                "\n[dev-dependencies]\nhost-clock = { path = \"clock\" }\n",
            );
        let said = program.cargo(&["test", "--no-run"]);
        assert!(!said.ok, "{}", said.text);
        assert_contains(
            &said.text,
            &[
                "kernel `timed` cannot run on a GPU: it reaches `host_clock::by_assembly` (crate `host_clock`), which needs assembly of the host processor (`rdtsc`)",
                &format!("kernel `timed` at {kernel}\n"),
                &format!("calls `host_clock::by_assembly` at {call}"),
            ],
        );
    }
}

#[test]
fn too_many_copies_of_a_loop_are_reported_once_with_the_limit() {
    let said = Outside::program(
        "refused-unroll",
        "use warploom::device_std::hint::unroll;\nuse warploom::prelude::*;\n\n#[kernel]\nfn sum(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {\n    if let Some(y) = y.get_mut(i) {\n        unroll::<65, _>(0..x.len(), |k| *y += x[k]);\n    }\n}\n\nfn main() {}\n",
    )
    .fails();
    assert_contains(&said, &["at most 64 times", "src/main.rs:7:"]);
    assert_eq!(said.matches("at most 64 times").count(), 1, "{said}");
}

#[test]
fn shared_memory_that_no_gpu_has_room_for_is_named() {
    let said = Outside::program(
        "refused-tile",
        "use warploom::prelude::*;\n\n#[kernel]\nfn sum(block: Block, halo: SharedTile<u32, 32>, rows: SharedTile<[f64; 512], 13>) {\n    drop(halo.publish(&block));\n    drop(rows.publish(&block));\n}\n\nfn main() {}\n",
    )
    .fails();
    let remedy = "or use dynamic shared memory, of which a block of most GPUs has more: a parameter `memory: DynamicShared<T>`, and `Launch::dynamic_shared(bytes)`";
    assert_contains(
        &said,
        &[
            "the shared tile `rows` has 13 slots of 4096 bytes, but a block has at most 49152 bytes (48 KiB) of static shared memory; take a smaller tile",
            remedy,
            "src/main.rs:4:",
        ],
    );
    let said = Outside::program(
        "refused-array",
        "use warploom::prelude::*;\n\n#[kernel]\nfn sum() {\n    let sums = shared_array!(f32, 12_289);\n    unsafe { sums.set(0, 1.0) };\n}\n\nfn main() {}\n",
    )
    .fails();
    assert_contains(
        &said,
        &[
            "a shared array has 12289 elements of 4 bytes, but a block has at most 49152 bytes (48 KiB) of static shared memory; take a smaller array",
            remedy,
            "src/main.rs:5:",
        ],
    );
}

/// Two kernels with a function of both: one has too much with it.
const SUMMED: &str = "use warploom::prelude::*;

fn most(i: usize) -> u32 {
    let sums = shared_array!(u32, 12_000);
    unsafe {
        sums.set(i, 7);
        sums.get(i + 1)
    }
}

#[kernel]
fn small(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = most(i.get());
    }
}

#[kernel]
fn large(i: Index1D, block: Block, mut tile: SharedTile<u32, 64>, mut y: DisjointSlice<u32>) {
    tile.fill(|slot| most(slot));
    let tile = tile.publish(&block);
    let own = shared_array!([f32; 3], 100);
    unsafe { own.set(tile[0] as usize, [1.0; 3]) };
    if let Some(y) = y.get_mut(i) {
        *y = tile[1] + unsafe { own.get(tile[2] as usize)[1] } as u32;
    }
}

fn main() {}
";

#[test]
fn static_shared_memory_of_a_kernel_is_added_up() {
    let said = Outside::program("refused-sum", SUMMED).fails();
    assert_contains(
        &said,
        &[
            "kernel `large` has 49456 bytes of static shared memory, and a block has at most 49152 (48 KiB)",
            "kernel `large` at src/main.rs:18",
            "a shared array of 12000 `u32` in `refused_sum::most`: 48000 bytes",
            "a shared array of 100 `[f32; 3]` in `refused_sum::large`: 1200 bytes",
            "the shared tile `tile` of 64 `u32`: 256 bytes",
            "use smaller ones, or dynamic shared memory",
        ],
    );
    assert!(!said.contains("`small`"), "{said}");
}

const TWO_CLOSURES: &str = "use warploom::prelude::*;

#[kernel]
fn map<F: Fn(u32) -> u32 + Copy + Send + Sync + 'static>(i: Index1D, mut y: DisjointSlice<u32>, f: F) {
    if let Some(y) = y.get_mut(i) {
        *y = f(*y);
    }
}

fn apply(stream: &Stream, y: &mut DeviceBuffer<u32>, f: impl Fn(u32) -> u32 + Copy + Send + Sync + 'static) -> warploom::Result<()> {
    map::launch(stream, Launch::covering(y.len()), y, f)?;
    Ok(())
}

fn main() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(100)?;
    apply(&stream, &mut y, |v| v + 77)?;
    apply(&stream, &mut y, |v| v * 3)?;
    println!(\"{}\", y.to_vec(&stream)?[99]);
    Ok(())
}
";

#[test]
fn two_closures_through_one_helper_are_refused_with_the_remedy() {
    let said = Outside::program("closures-mixed", TWO_CLOSURES).fails();
    assert_contains(
        &said,
        &[
            "two closures",
            "kernel `map`",
            "src/main.rs:11:5",
            "#[track_caller]",
        ],
    );
}

#[test]
fn two_closures_through_one_tracked_helper_are_told_apart() {
    let main = TWO_CLOSURES.replace("fn apply", "#[track_caller]\nfn apply");
    let program = Outside::program("closures-tracked", &main);
    program.builds();
    assert_eq!(program.prints("debug/closures-tracked").trim(), "231");
    let code = program.device_code();
    let mut places: Vec<_> = code[0]
        .manifest
        .kernels
        .iter()
        .map(|k| (k.name.as_str(), k.launched_at[0].line))
        .collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            (
                "closures_tracked::map<closures_tracked::main::{{closure}}>",
                20
            ),
            (
                "closures_tracked::map<closures_tracked::main::{{closure}}>",
                21
            ),
        ]
    );
}
