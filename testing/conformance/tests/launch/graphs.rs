//! Graphs: recorded once, run often, in an order that the buffers give.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::device_std::CooperativeGrid;
use warploom::prelude::*;
use warploom::{Error, Graph, GraphError, LaunchError, MemoryError, StreamError};
use warploom_harness::device_test::on_each_device;

const N: usize = 1003;

#[kernel]
fn axpy(i: Index1D, a: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = y.wrapping_mul(3).wrapping_add(a.wrapping_mul(x[i.get()]));
    }
}

#[kernel]
fn add(i: Index1D, x: &[u32], y: &[u32], mut z: DisjointSlice<u32>) {
    if let Some(z) = z.get_mut(i) {
        *z = x[i.get()].wrapping_add(y[i.get()]);
    }
}

#[kernel]
fn lookup(i: Index1D, x: &[u32], shift: usize, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get() + shift];
    }
}

/// Writes the number of all blocks' arrivals: only right if all blocks are there.
#[kernel(cooperative)]
fn arrivals(grid: CooperativeGrid, count: &[AtomicU32], y: &[AtomicU32]) {
    if grid.thread().is_multiple_of(32) {
        count[0].fetch_add(1, Relaxed);
    }
    grid.sync();
    if grid.thread() == 0 {
        y[0].store(count[0].load(Relaxed), Relaxed);
    }
}

#[kernel(block(64))]
fn turned(
    block: Block,
    i: Index1D,
    tile: DynamicShared<u32>,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let t = block.thread();
    // SAFETY: each thread writes a word of its own.
    unsafe { tile.set(t, x[i.get() % x.len()]) };
    block.sync();
    // SAFETY: no thread writes after the barrier.
    let other = unsafe { tile.get(block.threads() - 1 - t) };
    if let Some(y) = y.get_mut(i) {
        *y = other;
    }
}

#[track_caller]
fn same(device: &Device, given: &[u32], expected: &[u32]) {
    assert_eq!(given, expected, "on {}", device.name());
}

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32)
        .map(|i| i.wrapping_mul(2_654_435_761))
        .collect()
}

fn axpy_on_host(a: u32, x: &[u32], y: &mut [u32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = y.wrapping_mul(3).wrapping_add(a.wrapping_mul(*x));
    }
}

#[test]
fn a_graph_does_nothing_until_it_runs_and_then_all_of_it_each_time() {
    on_each_device(|device, stream| {
        let host = numbers(N);
        let x = device.upload(&host)?;
        let mut y = device.upload(&host)?;
        let mut kept = device.zeroed::<u32>(N)?;
        let graph = Graph::capture(device, |s| {
            axpy::launch(s, Launch::covering(N), 5, &x, &mut y)?;
            axpy::launch(s, Launch::covering(N), 7, &x, &mut y)?;
            kept.copy_from_device(0, &y, s)?;
            Ok::<_, Error>(())
        })?;
        assert_eq!(graph.len(), 3);
        let graph = graph.instantiate()?;
        assert_eq!(y.to_vec(stream)?, host);
        let mut expected = host.clone();
        for _ in 0..4 {
            graph.launch(stream)?;
            axpy_on_host(5, &host, &mut expected);
            axpy_on_host(7, &host, &mut expected);
            same(device, &kept.to_vec(stream)?, &expected);
            same(device, &y.to_vec(stream)?, &expected);
        }
        Ok(())
    });
}

#[test]
fn nodes_are_in_order_where_they_share_a_buffer_and_nowhere_else() {
    on_each_device(|device, stream| {
        let host = numbers(N);
        let x = [device.upload(&host)?, device.upload(&host)?];
        let (mut left, mut right) = (device.zeroed(N)?, device.zeroed(N)?);
        let mut both = device.zeroed(N)?;
        let mut graph = Graph::new(device)?;
        let shape = Launch::covering(N);
        graph.add(|s| axpy::launch(s, shape, 2, &x[0], &mut left))?;
        graph.add(|s| axpy::launch(s, shape, 3, &x[1], &mut right))?;
        graph.add(|s| add::launch(s, shape, &left, &right, &mut both))?;
        let dot = graph.to_dot();
        assert!(
            dot.contains("n0 -> n2") && dot.contains("n1 -> n2"),
            "{dot}"
        );
        assert!(!dot.contains("n0 -> n1"), "{dot}");
        graph.instantiate()?.launch(stream)?;
        let expected: Vec<u32> = host.iter().map(|x| x.wrapping_mul(5)).collect();
        same(device, &both.to_vec(stream)?, &expected);
        Ok(())
    });
}

#[test]
fn an_order_can_be_asked_for() {
    on_each_device(|device, _| {
        let host = numbers(N);
        let x = [device.upload(&host)?, device.upload(&host)?];
        let (mut left, mut right) = (device.zeroed(N)?, device.zeroed(N)?);
        let (mut graph, mut other) = (Graph::new(device)?, Graph::new(device)?);
        let shape = Launch::covering(N);
        let first = graph.add(|s| axpy::launch(s, shape, 2, &x[0], &mut left))?;
        graph.add_after(&[first], |s| axpy::launch(s, shape, 3, &x[1], &mut right))?;
        assert!(graph.to_dot().contains("n0 -> n1"));
        let refused = other.add_after(&[first], |s| axpy::launch(s, shape, 3, &x[1], &mut right));
        assert!(matches!(refused, Err(Error::Graph(GraphError::OtherGraph))));
        assert!(other.is_empty());
        Ok(())
    });
}

#[test]
fn values_and_lengths_are_those_of_the_recording_and_memory_stays() {
    on_each_device(|device, stream| {
        let host = numbers(N);
        let mut y = device.zeroed::<u32>(N)?;
        let graph = {
            let x = device.upload(&host)?;
            let mut factor = 11;
            let graph = Graph::capture(device, |s| {
                axpy::launch(s, Launch::covering(N), factor, x.slice(..)?, &mut y)?;
                Ok::<_, Error>(())
            })?;
            factor += 1;
            assert_eq!(factor, 12);
            graph.instantiate()?
        };
        // What was freed would be handed out again here.
        let _others: Vec<_> = (0..8).map(|_| device.zeroed::<u32>(N)).collect();
        graph.launch(stream)?;
        let expected: Vec<u32> = host.iter().map(|x| x.wrapping_mul(11)).collect();
        same(device, &y.to_vec(stream)?, &expected);
        Ok(())
    });
}

#[test]
fn a_node_gets_other_arguments_and_another_shape() {
    on_each_device(|device, stream| {
        let host = numbers(N);
        let x = device.upload(&host)?;
        let mut y = device.zeroed::<u32>(N)?;
        let mut graph = Graph::new(device)?;
        let node = graph.add(|s| axpy::launch(s, Launch::covering(N), 2, &x, &mut y))?;
        let mut graph = graph.instantiate()?;
        graph.launch(stream)?;
        let (short, mut other) = (x.slice(..70)?, device.zeroed::<u32>(70)?);
        graph.update(node, |s| {
            axpy::launch(s, Launch::new(3, 32), 9, short, &mut other)
        })?;
        graph.launch(stream)?;
        let expected = |n: usize, a: u32| {
            host[..n]
                .iter()
                .map(|x| x.wrapping_mul(a))
                .collect::<Vec<_>>()
        };
        same(device, &y.to_vec(stream)?, &expected(N, 2));
        same(device, &other.to_vec(stream)?, &expected(70, 9));
        Ok(())
    });
}

#[test]
fn an_update_is_the_same_kernel_and_brings_no_new_order() {
    on_each_device(|device, stream| {
        let host = numbers(N);
        let x = device.upload(&host)?;
        let (mut y, mut z) = (device.zeroed::<u32>(N)?, device.zeroed::<u32>(N)?);
        let shape = Launch::covering(N);
        let mut graph = Graph::new(device)?;
        let first = graph.add(|s| axpy::launch(s, shape, 2, &x, &mut y))?;
        graph.add(|s| z.copy_from_device(0, &x, s))?;
        let mut graph = graph.instantiate()?;
        let other = graph.update(first, |s| lookup::launch(s, shape, &x, 0, &mut y));
        assert!(matches!(
            other,
            Err(Error::Graph(GraphError::OtherWork { .. }))
        ));
        let two = graph.update(first, |s| {
            axpy::launch(s, shape, 2, &x, &mut y)?;
            axpy::launch(s, shape, 2, &x, &mut y)
        });
        assert!(matches!(
            two,
            Err(Error::Graph(GraphError::OtherWork { .. }))
        ));
        let order = graph.update(first, |s| axpy::launch(s, shape, 2, &x, &mut z));
        assert!(matches!(
            order,
            Err(Error::Graph(GraphError::NewOrder { .. }))
        ));
        graph.launch(stream)?;
        let expected: Vec<u32> = host.iter().map(|x| x.wrapping_mul(2)).collect();
        same(device, &y.to_vec(stream)?, &expected);
        same(device, &z.to_vec(stream)?, &host);
        Ok(())
    });
}

//@ rows: GDM-6, GDM-7, GDM-8
#[test]
fn rectangles_boxes_and_arrays_are_copied_by_nodes() {
    on_each_device(|device, stream| {
        let data: Vec<u32> = (0..7 * 5 * 3).collect();
        let mut rows = device.pitched_zeroed::<u32>((7, 5, 3))?;
        let mut array = device.array_from((7, 5, 3), &vec![9; data.len()])?;
        let mut flat = device.zeroed::<u32>(data.len())?;
        let source = device.upload(&data)?;
        let graph = Graph::capture(device, |s| -> Result<(), MemoryError> {
            let boxes = source.as_slice().shaped((7, 5, 3))?;
            rows.part_mut(.., .., 1..)?
                .copy_from_device(boxes.part(.., .., 1..)?, s)?;
            array
                .part_mut(2.., 1..4, ..)?
                .copy_from_device(rows.part(2.., 1..4, ..)?, s)?;
            let mut back = flat.as_slice_mut().shaped((7, 5, 3))?;
            back.copy_from_device(array.as_slice(), s)?;
            let nothing = rows.part(7.., .., ..)?;
            array.part_mut(7.., .., ..)?.copy_from_device(nothing, s)
        })?;
        assert_eq!(graph.len(), 4);
        let graph = graph.instantiate()?;
        let expected: Vec<u32> = (0..data.len())
            .map(|at| {
                let (x, y, z) = (at % 7, at / 7 % 5, at / 35);
                match x >= 2 && (1..4).contains(&y) {
                    true if z >= 1 => data[at],
                    true => 0,
                    false => 9,
                }
            })
            .collect();
        for _ in 0..3 {
            graph.launch(stream)?;
            assert_eq!(flat.as_slice().to_vec(stream)?, expected);
            flat.fill(1, stream)?;
        }
        Ok(())
    });
}

#[test]
fn fills_are_nodes_for_elements_of_every_size() {
    on_each_device(|device, stream| {
        let mut bytes = device.zeroed::<u8>(N)?;
        let mut shorts = device.zeroed::<u16>(N)?;
        let mut words = device.zeroed::<u32>(N)?;
        let mut triples = device.zeroed::<[u32; 3]>(N)?;
        let mut rows = device.pitched_zeroed::<u32>((7, 5))?;
        let graph = Graph::capture(device, |s| {
            bytes.fill(0xA7, s)?;
            shorts.slice_mut(3..N - 1)?.fill(0x1234, s)?;
            triples.fill([1, 2, 3], s)?;
            triples.slice_mut(..1)?.fill([9; 3], s)?;
            rows.part_mut(1..6, 1..4, ..)?.fill(0xDEAD_BEEF, s)?;
            words.slice_mut(..0)?.fill(5, s)?;
            Ok::<_, Error>(())
        })?
        .instantiate()?;
        for _ in 0..2 {
            graph.launch(stream)?;
            assert_eq!(bytes.to_vec(stream)?, [0xA7; N]);
            let mut expected = [0x1234; N];
            (expected[0], expected[1], expected[2], expected[N - 1]) = (0, 0, 0, 0);
            assert_eq!(shorts.to_vec(stream)?, expected);
            let mut expected = [[1, 2, 3]; N];
            expected[0] = [9; 3];
            assert_eq!(triples.to_vec(stream)?, expected);
            assert_eq!(words.to_vec(stream)?, [0; N]);
            for (i, word) in rows.to_vec(stream)?.into_iter().enumerate() {
                let inside = (1..6).contains(&(i % 7)) && (1..4).contains(&(i / 7));
                assert_eq!(word, if inside { 0xDEAD_BEEF } else { 0 }, "element {i}");
            }
            // The next run writes all of it anew.
            bytes.fill(1, stream)?;
            triples.fill([0; 3], stream)?;
        }
        Ok(())
    });
}

#[test]
fn parts_run_in_their_place_and_their_nodes_can_be_changed() {
    on_each_device(|device, stream| {
        let x = device.upload(&numbers(N))?;
        let (mut y, mut z) = (device.zeroed::<u32>(N)?, device.zeroed::<u32>(N)?);
        let mut part = Graph::new(device)?;
        part.add(|s| y.fill(10, s))?;
        let launch = part.add(|s| axpy::launch(s, Launch::covering(N), 5, &x, &mut y))?;
        let mut whole = Graph::new(device)?;
        let child = whole.add_graph(&part)?;
        whole.add(|s| axpy::launch(s, Launch::covering(N), 7, &y, &mut z))?;
        let again = whole.add_graph(&part)?;
        let mut whole = whole.instantiate()?;
        let (mut of_y, mut of_z) = (vec![10; N], vec![0; N]);
        axpy_on_host(5, &numbers(N), &mut of_y);
        for a in [5, 6] {
            whole.launch(stream)?;
            let mut during = vec![10; N];
            axpy_on_host(a, &numbers(N), &mut during);
            axpy_on_host(7, &during, &mut of_z);
            same(device, &z.to_vec(stream)?, &of_z);
            same(device, &y.to_vec(stream)?, &of_y);
            // The first of the two alone, for the next run.
            let node = child.node(launch)?;
            assert_ne!(node, again.node(launch)?);
            whole.update(node, |s| {
                axpy::launch(s, Launch::covering(N), 6, &x, &mut y)
            })?;
        }
        Ok(())
    });
}

#[test]
fn a_fill_keeps_its_place_between_kernels() {
    on_each_device(|device, stream| {
        let x = device.upload(&numbers(N))?;
        let mut y = device.upload(&[77u32; N])?;
        let mut graph = Graph::new(device)?;
        let fill = graph.add(|s| y.fill(10, s))?;
        let launch = graph.add(|s| axpy::launch(s, Launch::covering(N), 5, &x, &mut y))?;
        assert!(
            graph.to_dot().contains("  n0 -> n1;\n"),
            "{}",
            graph.to_dot()
        );
        let mut graph = graph.instantiate()?;
        let mut expected = vec![10; N];
        axpy_on_host(5, &numbers(N), &mut expected);
        for _ in 0..3 {
            graph.launch(stream)?;
            same(device, &y.to_vec(stream)?, &expected);
        }
        let error = graph.update(fill, |s| y.fill(11, s)).unwrap_err();
        assert!(
            matches!(&error, Error::Graph(GraphError::OtherWork { expected, .. }) if expected == "fill"),
            "{error}"
        );
        graph.update(launch, |s| {
            axpy::launch(s, Launch::covering(N), 6, &x, &mut y)
        })?;
        graph.launch(stream)?;
        let mut expected = vec![10; N];
        axpy_on_host(6, &numbers(N), &mut expected);
        same(device, &y.to_vec(stream)?, &expected);
        Ok(())
    });
}

//@ rows: CG-grid
#[test]
fn cooperative_nodes_meet_one_grid_after_the_other() {
    on_each_device(|device, stream| {
        let mut counts = [device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?];
        let mut results = [device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?];
        let mut graph = Graph::new(device)?;
        for (count, result) in counts.iter_mut().zip(&mut results) {
            graph.add(|s| arrivals::launch(s, (5, 64), count.as_atomic(), result.as_atomic()))?;
        }
        assert!(graph.to_dot().contains("n0 -> n1"));
        let graph = graph.instantiate()?;
        for run in 1..=3 {
            graph.launch(stream)?;
            for result in &results {
                same(device, &result.to_vec(stream)?, &[run * 10]);
            }
        }
        Ok(())
    });
}

#[test]
fn dynamic_shared_memory_belongs_to_the_node() {
    on_each_device(|device, stream| {
        let host = numbers(640);
        let x = device.upload(&host)?;
        let mut y = device.zeroed::<u32>(640)?;
        let shape = Launch::covering(640).dynamic_shared(64 * 4);
        let graph = Graph::capture(device, |s| turned::launch(s, shape, &x, &mut y))?;
        graph.instantiate()?.launch(stream)?;
        let expected: Vec<u32> = host
            .chunks(64)
            .flat_map(|part| part.iter().rev().copied())
            .collect();
        same(device, &y.to_vec(stream)?, &expected);
        Ok(())
    });
}

//@ rows: GER-1
#[test]
fn a_panic_in_a_node_is_reported_and_other_nodes_run() {
    on_each_device(|device, stream| {
        let host = numbers(N);
        let x = device.upload(&host)?;
        let (mut y, mut z) = (device.zeroed::<u32>(N)?, device.zeroed::<u32>(N)?);
        let graph = Graph::capture(device, |s| {
            lookup::launch(s, Launch::covering(N), &x, 3, &mut y)?;
            axpy::launch(s, Launch::covering(N), 2, &x, &mut z)?;
            Ok::<_, LaunchError>(())
        })?;
        let graph = graph.instantiate()?;
        for _ in 0..2 {
            graph.launch(stream)?;
            match stream.synchronize() {
                Err(StreamError::Panic(panic)) => {
                    assert_eq!(panic.kernel, "lookup", "{panic}");
                    assert!(panic.to_string().contains("launched at"), "{panic}");
                }
                other => panic!("{other:?} on {}", device.name()),
            }
        }
        let twice: Vec<u32> = host.iter().map(|x| x.wrapping_mul(8)).collect();
        same(device, &z.to_vec(stream)?, &twice);
        Ok(())
    });
}

#[test]
fn a_graph_runs_on_one_stream_after_the_other() {
    on_each_device(|device, stream| {
        let host = numbers(N);
        let x = device.upload(&host)?;
        let mut y = device.zeroed::<u32>(N)?;
        let graph = Graph::capture(device, |s| {
            axpy::launch(s, Launch::covering(N), 2, &x, &mut y)
        })?;
        let (graph, second) = (graph.instantiate()?, device.stream()?);
        let mut expected = vec![0; N];
        for _ in 0..10 {
            graph.launch(stream)?;
            graph.launch(&second)?;
            axpy_on_host(2, &host, &mut expected);
            axpy_on_host(2, &host, &mut expected);
        }
        drop(graph);
        same(device, &y.to_vec(stream)?, &expected);
        Ok(())
    });
}

#[test]
fn a_launch_that_is_refused_adds_no_node() {
    on_each_device(|device, _| {
        let x = device.zeroed::<u32>(8)?;
        let mut y = device.zeroed::<u32>(8)?;
        let mut graph = Graph::new(device)?;
        let refused = graph.add(|s| axpy::launch(s, Launch::new(1, 4096), 2, &x, &mut y));
        assert!(matches!(
            refused,
            Err(Error::Launch(LaunchError::BlockTooLarge { .. }))
        ));
        assert!(graph.is_empty());
        let nothing = graph.add(|_| Ok::<_, LaunchError>(()));
        assert!(matches!(nothing, Err(Error::Graph(GraphError::Nothing))));
        Ok(())
    });
}
