//! Which tests opened which GPU: written while they run, so that a test that only ran on the emulator is not counted for the GPU.

use std::fs::OpenOptions;
use std::io::Write;

use warploom_runtime::Device;

/// The file to which each test that opens a GPU appends a line: program, test, name of the GPU and its UUID, with tabs between them.
const RECORD: &str = "WARPLOOM_GPU_RECORD";

/// Appends the line of this test, if there is such a file.
///
/// # Panics
/// When the line cannot be written: the record would lack a test.
#[expect(clippy::expect_used, reason = "an incomplete record is a failure")]
pub(crate) fn record(gpu: &Device) {
    let Some(path) = std::env::var_os(RECORD) else {
        return;
    };
    let uuid = gpu.properties().expect("the GPU that was opened").uuid;
    let thread = std::thread::current();
    let line = line(
        &program(),
        thread.name().unwrap_or_default(),
        gpu.name(),
        &uuid.to_string(),
    );
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.expect("the record of opened GPUs can be written");
}

/// Tests run in threads that have their names. One write, so that lines of several processes do not mix.
fn line(program: &str, test: &str, gpu: &str, uuid: &str) -> String {
    format!("{program}\t{test}\t{gpu}\t{uuid}\n")
}

/// The name of the test program, with the number that cargo gives it.
fn program() -> String {
    let program = std::env::current_exe().ok();
    let name = program.as_ref().and_then(|path| path.file_name());
    name.map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_program_test_and_gpu() {
        let line = line(
            "atomics-0a1b",
            "edges::of_i64",
            "NVIDIA H200",
            "GPU-8932f937",
        );
        assert_eq!(
            line,
            "atomics-0a1b\tedges::of_i64\tNVIDIA H200\tGPU-8932f937\n"
        );
    }
}
