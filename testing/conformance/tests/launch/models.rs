//! The emulator as a GPU of another compute capability: it refuses the kernels that such a GPU cannot load.

use warploom::model::Model;
use warploom::prelude::*;

#[kernel]
fn plain(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}

/// `redux` needs 8.0.
#[kernel]
fn reduces(i: Index1D, mut y: DisjointSlice<u32>) {
    // SAFETY: all lanes of the warp call it.
    let sum = unsafe { warploom::device_std::intrinsics::redux_add(u32::MAX, 1) };
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// Clusters need 9.0.
#[kernel(cluster(2, 1, 1))]
fn pairs(mut y: DisjointSlice<u32, PerBlock>, block: Block, cluster: Cluster) {
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = cluster.dim().x;
    }
}

/// The models on which `launch` works, and what the others say.
fn outcome(
    launch: impl Fn(&Stream, &mut DeviceBuffer<u32>) -> Result<(), warploom::LaunchError>,
) -> (Vec<Model>, Vec<String>) {
    let (mut runs, mut texts) = (vec![], vec![]);
    for model in Model::all() {
        let device = Device::emulator_of(model);
        let stream = device.stream().unwrap();
        let mut y = device.zeroed::<u32>(64).unwrap();
        match launch(&stream, &mut y) {
            Ok(()) => runs.push(model),
            Err(error) => texts.push(error.to_string()),
        }
        stream.synchronize().unwrap();
    }
    (runs, texts)
}

/// Without device code the needs of a kernel are unknown.
fn has_device_code() -> bool {
    let found = warploom_runtime::embedded().unwrap();
    found
        .iter()
        .any(|container| !container.manifest.kernels.is_empty())
}

#[test]
fn a_kernel_for_all_runs_on_all() {
    let (runs, texts) = outcome(|stream, y| plain::launch(stream, (2, 32), y));
    assert_eq!(runs, Model::all().collect::<Vec<_>>(), "{texts:?}");
}

#[test]
fn an_instruction_that_is_too_new_is_refused() {
    if !has_device_code() {
        return;
    }
    let (runs, texts) = outcome(|stream, y| reduces::launch(stream, (2, 32), y));
    assert!(
        !runs.contains(&Model::CC_7_5) && runs.contains(&Model::CC_8_0),
        "{runs:?}"
    );
    let [text] = &texts[..] else {
        panic!("{texts:?}")
    };
    assert!(
        text.starts_with("no device code of kernel `reduces` runs on emulated 7.5 (T4) (compute capability 7.5): the program has it for sm_80 and newer"),
        "{text}"
    );
}

#[test]
fn clusters_are_refused_before_9_0() {
    let (runs, texts) = outcome(|stream, y| pairs::launch(stream, (2, 32), y));
    assert!(
        runs.iter()
            .all(|model| model.limits().compute_capability >= (9, 0))
    );
    assert_eq!(runs.len() + texts.len(), Model::all().len());
    for text in texts {
        assert!(
            text.contains("they came with compute capability 9.0"),
            "{text}"
        );
    }
}
