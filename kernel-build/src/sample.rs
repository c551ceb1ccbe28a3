//! Kernels in IR, as `#[kernel]` leaves them: for the self-test, and for tests of passes.

/// A kernel that stores what `body` leaves in `%v`.
pub(crate) fn storing(name: &str, body: &str) -> String {
    format!(
        "{}\ndefine void @{name}.entry(ptr %y, i64 %n) {{\n{body}\n  store i32 %v, ptr %y\n  ret void\n}}\n",
        kernel(name)
    )
}

/// The same kernel with `fast_math`.
pub(crate) fn storing_fast(name: &str, body: &str) -> String {
    with_byte(&storing(name, body), 34)
}

/// The same kernel with `dependent_launch`.
#[cfg(test)]
pub(crate) fn storing_dependent(name: &str, body: &str) -> String {
    with_byte(&storing(name, body), 55)
}

/// The kernel with another number than 0 in one of the bytes from the line number to the launch conditions.
fn with_byte(kernel: &str, at: usize) -> String {
    let zeros = |n: usize| "\\00".repeat(n);
    let bytes = format!("[64 x i8] c\"{}\\01{}\"", zeros(at), zeros(63 - at));
    kernel.replace("[64 x i8] zeroinitializer", &bytes)
}

/// What the IR of a host begins with.
pub(crate) const HOST: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
target triple = \"x86_64-unknown-linux-gnu\"
";

/// A kernel as `#[kernel]` leaves it: its constant (`DeviceKernel`), reached through the section. One output of `u32`.
fn kernel(name: &str) -> String {
    let number = |v: u64| {
        let bytes = v.to_le_bytes().map(|b| format!("\\{b:02X}"));
        format!("[8 x i8] c\"{}\"", bytes.concat())
    };
    let len = number(name.len() as u64);
    let zeros = "[64 x i8] zeroinitializer";
    format!(
        "@{name}.name = private constant [{n} x i8] c\"{name}\"
@{name}.params = private constant <{{ [8 x i8], [8 x i8], [8 x i8], [8 x i8] }}> <{{ {kind}, {four}, {four}, {four} }}>
@{name}.kernel = private constant <{{ ptr, [8 x i8], ptr, [8 x i8], ptr, ptr, [8 x i8], ptr, [8 x i8], [64 x i8], ptr, [8 x i8] }}> <{{ ptr @{name}.name, {len}, ptr @{name}.name, {len}, ptr @{name}.entry, ptr @{name}.params, {one}, ptr @{name}.name, {len}, {zeros}, ptr @{name}.name, {len} }}>
@{name}.found = constant ptr @{name}.kernel, section \".warploom.kernels\"
",
        n = name.len(),
        kind = number(2),
        four = number(4),
        one = number(1),
    )
}
