//! Graphs on the emulator: what a stream that records refuses, copies, and what outlives what.

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
    let graph = copying(&device)?.instantiate()?;
    let stream = device.stream()?;
    graph.launch(&stream)?;
    stream.synchronize()?;
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
    let graph = copying(&device)?;
    sendable(&graph);
    let graph = graph.instantiate()?;
    sendable(&graph);
    let stream = device.stream()?;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| graph.launch(&stream).unwrap()));
        }
    });
    Ok(())
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
    let mut x = device.zeroed::<u32>(3)?;
    let error = Graph::capture(&device, |s| x.fill(7, s)).unwrap_err();
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
