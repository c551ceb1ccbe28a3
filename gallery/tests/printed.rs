//! What kernels print is kept for programs that check it.

use std::process::ExitCode;

use warploom::prelude::*;

#[kernel]
fn two_lines() {
    gpu_println!("second");
    gpu_println!("first");
}

#[test]
fn texts_are_kept_in_order_and_taken_once() {
    let status = warploom_gallery::mistake(|program| {
        let (stream, printed) = (program.device().stream()?, program.printed());
        for _ in 0..2 {
            two_lines::launch(&stream, Launch::new(1, 1))?;
        }
        stream.synchronize()?;
        let order = ["second\n", "first\n", "second\n", "first\n"].map(str::to_owned);
        program.equal("in order", &printed.take(), &order);
        program.holds("taken", printed.sorted().is_empty());
        Ok(())
    });
    assert_eq!(status, ExitCode::SUCCESS);
}
