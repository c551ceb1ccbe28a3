//! Nodes of graphs.

use super::*;

/// `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Fill {
    to: u64,
    pitch: usize,
    value: u32,
    element_bytes: u32,
    width: usize,
    height: usize,
}

#[test]
fn fills_of_rows_are_checked_when_they_are_added_and_done_when_they_run() {
    let _guard = context();
    let memory = allocate(64);
    let good = Fill {
        to: memory + 4,
        pitch: 16,
        value: 5,
        element_bytes: 4,
        width: 2,
        height: 3,
    };
    unsafe {
        let (mut graph, mut node, mut exec, mut context) = (0, 0, 0, 0);
        assert_eq!(cuMemsetD8Async(memory, 0, 64, 0), 0);
        assert_eq!(cuCtxGetCurrent(&raw mut context), 0);
        assert_eq!(cuGraphCreate(&raw mut graph, 0), 0);
        let mut add = |fill: Fill, context| {
            let fill = (&raw const fill).cast();
            cuGraphAddMemsetNode(&raw mut node, graph, null_mut(), 0, fill, context)
        };
        assert_eq!(add(good, context), 0);
        for (wrong, what) in [
            (
                Fill {
                    to: memory + 6,
                    ..good
                },
                "misaligned",
            ),
            (Fill { pitch: 4, ..good }, "rows that overlap"),
            (Fill { pitch: 18, ..good }, "rows that are misaligned"),
            (Fill { height: 5, ..good }, "beyond the memory"),
            (Fill { width: 0, ..good }, "nothing"),
            (
                Fill {
                    element_bytes: 8,
                    ..good
                },
                "no such elements",
            ),
            (
                Fill {
                    element_bytes: 1,
                    value: 256,
                    ..good
                },
                "a value that is too large",
            ),
        ] {
            assert_eq!(add(wrong, context), 1, "{what}");
        }
        assert_eq!(add(good, context + 1), 1, "another context");
        assert_eq!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0), 0);
        assert_eq!(read(memory, 16), [0; 16], "nothing ran yet");
        assert_eq!(cuGraphLaunch(exec, 0), 0);
        let expected = [0, 5, 5, 0, 0, 5, 5, 0, 0, 5, 5, 0, 0, 0, 0, 0];
        assert_eq!(read(memory, 16), expected);
        assert_eq!(cuGraphExecDestroy(exec), 0);
        assert_eq!(cuGraphDestroy(graph), 0);
        assert_eq!(cuMemFree_v2(memory), 0);
    }
}
