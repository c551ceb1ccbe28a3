//! Graphs on the emulator: what a stream that records refuses, copies, and what outlives what.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use warploom_runtime::{
    Device, Error, Graph, GraphError, MemoryError, PinnedOptions, Result, Stream, StreamError,
};

fn copying(device: &Device) -> Result<Graph> {
    let x = device.upload(&[1u8, 2, 3])?;
    let mut y = device.zeroed::<u8>(3)?;
    Graph::capture(device, |s| y.copy_from_device(0, &x, s))
}

#[test]
fn a_graph_outlives_its_buffers() -> Result<()> {
    let device = Device::emulator();
    let mut z = device.zeroed::<u8>(3)?;
    let graph = {
        let x = device.upload(&[1u8, 2, 3])?;
        let mut y = device.zeroed::<u8>(3)?;
        Graph::capture(&device, |s| {
            y.copy_from_device(0, &x, s)?;
            z.copy_from_device(0, &y, s)
        })?
    };
    let graph = graph.instantiate()?;
    let stream = device.stream()?;
    for given in [[0; 3], [9; 3]] {
        z.copy_from(0, &given, &stream)?;
        graph.launch(&stream)?;
        assert_eq!(z.to_vec(&stream)?, [1, 2, 3]);
    }
    Ok(())
}

#[test]
fn what_waits_cannot_be_recorded() -> Result<()> {
    let device = Device::emulator();
    let (mut x, event) = (device.zeroed::<u8>(3)?, device.event()?);
    let mut graph = Graph::new(&device)?;
    type Attempt<'a> = Box<dyn FnOnce(&Stream) -> Result<()> + 'a>;
    let attempts: [(&str, Attempt<'_>); 4] = [
        ("be waited for", Box::new(|s| Ok(s.synchronize()?))),
        (
            "host's memory",
            Box::new(|s| x.copy_from(0, &[1], s).map_err(Error::from)),
        ),
        ("record an event", Box::new(|s| Ok(s.record(&event)?))),
        ("wait for an event", Box::new(|s| Ok(s.wait(&event)?))),
    ];
    for (what, attempt) in attempts {
        let error = graph.add(attempt).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("records a graph") && text.contains(what),
            "{text}"
        );
    }
    assert!(graph.is_empty());
    Ok(())
}

#[test]
fn a_part_keeps_its_order_and_the_whole_waits_for_its_end() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let x = device.upload(&[1u32; 4])?;
    let (mut a, mut b, mut c) = (
        device.zeroed::<u32>(4)?,
        device.zeroed::<u32>(4)?,
        device.zeroed::<u32>(4)?,
    );
    let mut part = Graph::new(&device)?;
    let to_a = part.add(|s| a.copy_from_device(0, &x, s))?;
    let to_b = part.add(|s| b.copy_from_device(0, &a, s))?;
    let mut whole = Graph::new(&device)?;
    let first = whole.add(|s| c.fill(3, s))?;
    let once = whole.add_graph(&part)?;
    // It can be there twice; the second time after the fill, which shares nothing with it.
    let twice = whole.add_graph_after(&[first], &part)?;
    let last = whole.add_after(&[twice.end()], |s| c.copy_from_device(0, &b, s))?;
    let late = part.add(|s| a.fill(0, s))?; // no longer in the whole
    assert_eq!((whole.len(), part.len()), (8, 3));
    let dot = whole.to_dot();
    let edges: Vec<&str> = dot.lines().filter(|line| line.contains("->")).collect();
    let expected = [
        "  n1 -> n2;", // within the part
        "  n2 -> n3;", // its end
        "  n0 -> n4;", // as was asked
        "  n1 -> n4;", // the same source
        "  n2 -> n4;", // the same target
        "  n2 -> n5;",
        "  n4 -> n5;",
        "  n5 -> n6;",
        "  n0 -> n7;",
        "  n5 -> n7;",
        "  n6 -> n7;",
    ];
    assert_eq!(edges, expected, "{dot}");
    assert_ne!(once.node(to_a)?, to_a);
    assert!(matches!(once.node(late), Err(GraphError::OtherGraph)));
    assert!(matches!(once.node(last), Err(GraphError::OtherGraph)));
    assert_ne!(once.node(to_b)?, twice.node(to_b)?);
    whole.instantiate()?.launch(&stream)?;
    assert_eq!(b.to_vec(&stream)?, [1; 4]);
    assert_eq!(c.to_vec(&stream)?, [1; 4]);
    Ok(())
}

#[test]
fn a_part_of_another_device_or_after_anothers_node_is_refused() -> Result<()> {
    let (device, other) = (Device::emulator(), Device::emulator());
    let mut whole = Graph::new(&device)?;
    let error = whole.add_graph(&copying(&other)?).unwrap_err();
    assert!(
        matches!(error, Error::Graph(GraphError::OtherDevice { .. })),
        "{error}"
    );
    let mut x = device.zeroed::<u8>(1)?;
    let (mut part, none) = (Graph::new(&device)?, Graph::new(&device)?);
    let theirs = part.add(|s| x.fill(1, s))?;
    let error = whole.add_graph_after(&[theirs], &part).unwrap_err();
    assert!(
        matches!(error, Error::Graph(GraphError::OtherGraph)),
        "{error}"
    );
    assert!(whole.is_empty());
    let end = whole.add_graph(&none)?.end();
    whole.add_graph_after(&[end], &none)?;
    assert_eq!(
        whole
            .to_dot()
            .lines()
            .filter(|line| line.contains("->"))
            .count(),
        1
    );
    Ok(())
}

#[test]
fn a_graph_cannot_run_in_a_graph() -> Result<()> {
    let device = Device::emulator();
    let inner = copying(&device)?.instantiate()?;
    let error = Graph::capture(&device, |s| inner.launch(s)).unwrap_err();
    assert!(
        matches!(error, Error::Stream(StreamError::Recording { .. })),
        "{error}"
    );
    Ok(())
}

#[test]
fn a_stream_that_was_carried_off_records_no_more() -> Result<()> {
    let device = Device::emulator();
    let x = device.upload(&[1u8, 2, 3])?;
    let mut y = device.zeroed::<u8>(3)?;
    let mut carried = None;
    let graph = Graph::capture(&device, |s| {
        carried = Some(s.clone());
        y.copy_from_device(0, &x, s)
    })?;
    let error = y.copy_from_device(0, &x, &carried.unwrap()).unwrap_err();
    assert!(
        matches!(error, MemoryError::Stream(StreamError::Recording { .. })),
        "{error}"
    );
    assert_eq!(graph.len(), 1);
    Ok(())
}

#[test]
fn streams_of_other_devices_are_refused() -> Result<()> {
    let graph = copying(&Device::emulator())?.instantiate()?;
    let error = graph.launch(&Device::emulator().stream()?).unwrap_err();
    assert!(
        matches!(error, Error::Graph(GraphError::WrongDevice { .. })),
        "{error}"
    );
    Ok(())
}

#[test]
fn graphs_go_to_other_threads() -> Result<()> {
    fn sendable<T: Send + Sync>(_: &T) {}
    let device = Device::emulator();
    let x = device.upload(&[1u8, 2, 3])?;
    let mut copies = Vec::new();
    for _ in 0..4 {
        copies.push(device.zeroed::<u8>(3)?);
    }
    let graph = Graph::capture(&device, |s| {
        copies
            .iter_mut()
            .try_for_each(|y| y.copy_from_device(0, &x, s))
    })?;
    sendable(&graph);
    let graph = graph.instantiate()?;
    sendable(&graph);
    let stream = device.stream()?;
    std::thread::scope(|scope| {
        for y in &mut copies {
            let (graph, stream) = (&graph, &stream);
            scope.spawn(move || {
                for round in 0..100 {
                    y.copy_from(0, &[round; 3], stream).unwrap();
                    graph.launch(stream).unwrap();
                    assert_eq!(y.to_vec(stream).unwrap(), [1, 2, 3], "after run {round}");
                }
            });
        }
    });
    Ok(())
}

/// Large enough that copies of two threads meet in the middle of one, if nothing keeps them apart.
const MANY: usize = 1 << 18;
const ROUNDS: u32 = 200;

#[test]
fn copies_of_another_thread_see_all_of_a_run_or_nothing() -> Result<()> {
    let device = Device::emulator();
    let (ones, twos) = (device.upload(&[1u32; MANY])?, device.upload(&[2u32; MANY])?);
    let mut y = device.upload(&[1u32; MANY])?;
    let graphs = [
        Graph::capture(&device, |s| y.copy_from_device(0, &ones, s))?.instantiate()?,
        Graph::capture(&device, |s| y.copy_from_device(0, &twos, s))?.instantiate()?,
    ];
    let same = |seen: &[u32]| seen.iter().all(|v| *v == seen[0]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let stream = device.stream().unwrap();
            for round in 0..ROUNDS as usize {
                graphs[round % 2].launch(&stream).unwrap();
            }
        });
        let stream = device.stream()?;
        let mut x = device.zeroed::<u32>(MANY)?;
        let mut pinned = device.pinned::<u32>(MANY)?;
        for _ in 0..ROUNDS / 3 {
            assert!(same(&y.to_vec(&stream)?), "a copy to the host");
            x.copy_from_device(0, &y, &stream)?;
            assert!(same(&x.to_vec(&stream)?), "a copy within the device");
            y.copy_to_pinned(0, &mut pinned, &stream)?;
            assert!(same(pinned.as_slice()?), "a copy to pinned memory");
        }
        Ok(())
    })
}

#[test]
fn a_run_sees_all_of_another_threads_write_or_nothing() -> Result<()> {
    let device = Device::emulator();
    let (mut y, mut z) = (device.zeroed::<u32>(MANY)?, device.zeroed::<u32>(MANY)?);
    let graph = Graph::capture(&device, |s| z.copy_from_device(0, &y, s))?.instantiate()?;
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| -> Result<()> {
            let (stream, sources) = (device.stream()?, [vec![1u32; MANY], vec![2; MANY]]);
            while !done.load(Relaxed) {
                for source in &sources {
                    y.copy_from(0, source, &stream)?;
                }
            }
            Ok(())
        });
        let stream = device.stream()?;
        let mut torn = 0;
        for _ in 0..ROUNDS {
            graph.launch(&stream)?;
            let seen = z.to_vec(&stream)?;
            torn += u32::from(seen.iter().any(|v| *v != seen[0]));
        }
        done.store(true, Relaxed);
        writer.join().unwrap()?;
        assert_eq!(torn, 0, "of {ROUNDS} runs");
        Ok(())
    })
}

#[test]
fn the_host_does_not_look_at_memory_of_a_graph() -> Result<()> {
    let device = Device::emulator();
    let (stream, x) = (device.stream()?, device.upload(&[1u32, 2, 3])?);
    let mut host = device.register(&mut vec![0u32; 3], PinnedOptions::new().mapped())?;
    let graph = Graph::capture(&device, |s| {
        host.device_slice_mut()?.copy_from_device(0, &x, s)
    })?
    .instantiate()?;
    graph.launch(&stream)?;
    assert!(matches!(host.as_slice(), Err(MemoryError::InGraph)));
    assert!(matches!(host.as_mut_slice(), Err(MemoryError::InGraph)));
    assert!(matches!(host.take_vec(), Err(MemoryError::InGraph)));
    drop(graph);
    assert_eq!(host.as_slice()?, [1, 2, 3]);
    Ok(())
}

#[test]
fn what_has_no_node_is_refused() -> Result<()> {
    let device = Device::emulator();
    let (mut x, host) = (device.zeroed::<u32>(3)?, device.pinned_from(&[7u32; 3])?);
    let error = Graph::capture(&device, |s| x.copy_from_pinned(0, &host, s)).unwrap_err();
    assert!(error.to_string().contains("records a graph"), "{error}");
    assert_eq!(x.to_vec(&device.stream()?)?, [0; 3]);
    Ok(())
}

#[test]
fn memory_of_another_device_has_no_node() -> Result<()> {
    let (device, other) = (Device::emulator(), Device::emulator());
    let options = PinnedOptions::new().mapped().portable();
    let lent = other.pinned_with::<u32>(3, options)?;
    let mut x = device.zeroed::<u32>(3)?;
    let source = lent.device_slice()?;
    let error = Graph::capture(&device, |s| x.copy_from_device(0, source, s)).unwrap_err();
    assert!(
        matches!(error, Error::Memory(MemoryError::WrongDevice { .. })),
        "{error}"
    );
    Ok(())
}
