//! NVIDIA's assembler takes all device code of this package, for the architecture that each image is made for and for newer ones.

use std::sync::Mutex;
use warploom_harness::{ptx, ptxas};

const ARCHS: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];

fn number(arch: &str) -> Option<u32> {
    arch.strip_prefix("sm_")?.parse().ok()
}

/// Device code of all test targets is linked into every test program of a package.
#[test]
fn every_image_assembles() {
    let (Some(images), Some(program)) = (ptx::images(), ptxas::find()) else {
        return;
    };
    let images = images.iter().filter(|i| !i.arch.ends_with('a'));
    let jobs: Vec<_> = images
        .flat_map(|i| {
            let newer = |arch: &&str| number(arch) >= number(&i.arch);
            ARCHS.into_iter().filter(newer).map(move |arch| (i, arch))
        })
        .collect();
    assert!(!jobs.is_empty());
    let problems = Mutex::new(Vec::new());
    let queue = Mutex::new(jobs.into_iter());
    let next = || queue.lock().unwrap().next();
    let work = || {
        while let Some((image, arch)) = next() {
            if let Err(text) = ptxas::assemble(&program, image, arch) {
                problems.lock().unwrap().push(text);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
