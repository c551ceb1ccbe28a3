//! `cargo run -p warploom-harness --bin bundle`: packs `target/bundle/warploom-gpu.tar.xz` for a GPU machine without Rust.
#![expect(
    clippy::print_stdout,
    reason = "the path of the archive is the program's result"
)]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let packed = root
        .canonicalize()
        .map_err(Box::<dyn Error>::from)
        .and_then(|root| Ok(warploom_harness::bundle::pack(&root)?));
    match packed {
        Ok(archive) => {
            println!("{}", archive.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("bundle: {error}");
            let mut source = error.source();
            while let Some(cause) = source {
                eprintln!("  {cause}");
                source = cause.source();
            }
            ExitCode::FAILURE
        }
    }
}
