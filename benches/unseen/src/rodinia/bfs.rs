//! Rodinia `bfs`: a level of a breadth-first search in two kernels: vertices of the mask give their neighbours a cost, then what was reached becomes
//! the mask.

use warploom::device_std::atomic::Relaxed;
use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, mix};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "bfs",
    run,
};

/// Where a vertex's edges are.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Node {
    start: i32,
    edges: i32,
}

// Several threads may store the same value for one vertex: atomics.
#[kernel]
fn expand(
    i: Index1D,
    nodes: &[Node],
    edges: &[i32],
    mut mask: DisjointSlice<u8>,
    visited: &[u8],
    updating: &[Atomic<u8>],
    cost: &[Atomic<i32>],
) {
    let Some(mask) = mask.get_mut(i) else {
        return;
    };
    if *mask == 0 {
        return;
    }
    *mask = 0;
    let node = nodes[i.get()];
    let own = cost[i.get()].load(Relaxed);
    for edge in node.start..node.start + node.edges {
        let target = edges[edge as usize] as usize;
        if visited[target] == 0 {
            cost[target].store(own + 1, Relaxed);
            updating[target].store(1, Relaxed);
        }
    }
}

#[kernel]
fn advance(
    i: Index1D,
    mut mask: DisjointSlice<u8>,
    mut visited: DisjointSlice<u8>,
    mut updating: DisjointSlice<u8>,
    over: &[Atomic<u32>],
) {
    if let Some(updating) = updating.get_mut(i)
        && *updating != 0
    {
        if let Some(mask) = mask.get_mut(i) {
            *mask = 1;
        }
        if let Some(visited) = visited.get_mut(i) {
            *visited = 1;
        }
        over[0].store(1, Relaxed);
        *updating = 0;
    }
}

/// Masks and costs after the first kernel: mask, updating, cost.
fn reference_expand(
    nodes: &[Node],
    edges: &[i32],
    mask: &[u8],
    visited: &[u8],
    cost: &[i32],
) -> (Vec<u8>, Vec<u8>, Vec<i32>) {
    let (mut updating, mut after) = (vec![0; mask.len()], cost.to_vec());
    for (vertex, node) in nodes.iter().enumerate().filter(|&(v, _)| mask[v] != 0) {
        for &target in &edges[node.start as usize..(node.start + node.edges) as usize] {
            if visited[target as usize] == 0 {
                updating[target as usize] = 1;
                after[target as usize] = cost[vertex] + 1;
            }
        }
    }
    (vec![0; mask.len()], updating, after)
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1500, 1 << 20][scale as usize];
    let (mut nodes, mut edges) = (Vec::new(), 0);
    for v in 0..n {
        let node = Node {
            start: edges,
            edges: 1 + (mix(v, 1) % 11) as i32,
        };
        edges += node.edges;
        nodes.push(node);
    }
    let targets: Vec<i32> = below(edges as usize, n as u32, 2)
        .iter()
        .map(|&v| v as i32)
        .collect();
    let mask: Vec<u8> = (0..n)
        .map(|v| u8::from(mix(v, 3).is_multiple_of(8)))
        .collect();
    let seen = |v: usize| mask[v] != 0 || mix(v, 4).is_multiple_of(4);
    let visited: Vec<u8> = (0..n).map(|v| u8::from(seen(v))).collect();
    let of_vertex = |v: usize| match (mask[v], visited[v]) {
        (1, _) => 3,
        (_, 1) => 2,
        _ => -1,
    };
    let cost: Vec<i32> = (0..n).map(of_vertex).collect();
    let (mask_after, reached, cost_after) =
        reference_expand(&nodes, &targets, &mask, &visited, &cost);
    let all_visited: Vec<u8> = visited.iter().zip(&reached).map(|(a, b)| a | b).collect();

    let (nodes, targets) = (side.upload(&nodes)?, side.upload(&targets)?);
    let d_visited = side.upload(&visited)?;
    let mut outputs = (
        side.output(&mask, mask_after.clone(), 0.0)?,
        side.output(&vec![0; n], reached.clone(), 0.0)?,
        side.output(&cost, cost_after, 0.0)?,
    );
    let (blocks, len) = (n.div_ceil(512) as u32, n as u32);
    let shape = Launch::new(blocks, 512);
    let (a, b, c) = (&outputs.0.buffer, &outputs.1.buffer, &outputs.2.buffer);
    let arguments = arguments![&nodes, &targets, a, &d_visited, b, c, len];
    // SAFETY: nodes, where edges lead, three flags and a cost for each vertex, and how many there are.
    let twin = unsafe { Call::new("expand", blocks, 512, arguments) };
    side.kernel(
        "expand",
        vec![twin],
        &mut outputs,
        |stream, (mask, updating, cost)| {
            let (updating, cost) = (updating.buffer.as_atomics(), cost.buffer.as_atomics());
            let mask = &mut mask.buffer;
            Ok(expand::launch(
                stream, shape, &nodes, &targets, mask, &d_visited, updating, cost,
            )?)
        },
    )?;

    let mut outputs = (
        side.output(&mask_after, reached.clone(), 0.0)?,
        side.output(&visited, all_visited, 0.0)?,
        side.output(&reached, vec![0; n], 0.0)?,
        side.output(&[0u32], vec![1], 0.0)?,
    );
    let (mask, visited, updating, over) = &outputs;
    let arguments = arguments![
        &mask.buffer,
        &visited.buffer,
        &updating.buffer,
        &over.buffer,
        len
    ];
    // SAFETY: three flags for each vertex, one for all, and how many vertices there are.
    let twin = unsafe { Call::new("advance", blocks, 512, arguments) };
    side.kernel(
        "advance",
        vec![twin],
        &mut outputs,
        |stream, (mask, visited, updating, over)| {
            let (mask, visited) = (&mut mask.buffer, &mut visited.buffer);
            let (updating, over) = (&mut updating.buffer, over.buffer.as_atomics());
            Ok(advance::launch(
                stream, shape, mask, visited, updating, over,
            )?)
        },
    )
}
