//! Graphs on the fake driver: which nodes it is given, and copies between GPUs. Each test runs in a process of its own.

#![cfg(target_os = "linux")]

use warploom_fake_driver::testing::{Fake, fake_driver, nothing_is_left};
use warploom_runtime::model::Emulator;
use warploom_runtime::{Device, Error, Graph, MemoryError, Result};

fn count(fake: &Fake, name: &str) -> usize {
    fake.log().iter().filter(|call| *call == name).count()
}

#[test]
fn a_fill_of_rows_is_one_node_where_the_driver_has_one() -> Result<()> {
    let Some(fake) = fake_driver(
        "a_fill_of_rows_is_one_node_where_the_driver_has_one",
        "",
        &[],
    ) else {
        return Ok(());
    };
    let (device, nodes) = (Device::cuda(0)?, "cuGraphAddMemsetNode");
    let stream = device.stream()?;
    let mut x = device.pitched_zeroed::<u32>((5, 4, 3))?;
    // All planes; rows of one plane; one row of each plane; and a value of two units.
    let mut wide = device.pitched_zeroed::<[u32; 2]>((1, 100))?;
    let mut graph = Graph::new(&device)?;
    graph.add(|s| x.fill(1, s))?;
    graph.add(|s| x.part_mut(1..3, 1..3, 1..2)?.fill(2, s))?;
    graph.add(|s| x.part_mut(.., 3.., ..)?.fill(3, s))?;
    graph.add(|s| wide.fill([4, 5], s))?;
    fake.start_log();
    let graph = graph.instantiate()?;
    assert_eq!(count(&fake, nodes), 1 + 1 + 1 + 2);
    graph.launch(&stream)?;
    let mut expected = vec![1; 60];
    for z in 0..3 {
        expected[20 * z + 15..][..5].fill(3);
    }
    for y in 1..3 {
        expected[20 + 5 * y + 1..][..2].fill(2);
    }
    assert_eq!(x.to_vec(&stream)?, expected);
    assert_eq!(wide.to_vec(&stream)?, [[4, 5]; 100]);
    drop((graph, x, wide, stream, device));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GDM-6, GDM-7, GDM-8
#[test]
fn copies_of_rows_and_arrays_are_nodes() -> Result<()> {
    let test = "copies_of_rows_and_arrays_are_nodes";
    let Some(fake) = fake_driver(test, "queued=1", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let stream = device.stream()?;
    let data: Vec<u32> = (0..24).collect();
    let mut rows = device.pitched_zeroed::<u32>((4, 3, 2))?;
    rows.copy_from(&data, &stream)?;
    let mut array = device.array_from((4, 3, 2), &[9; 24])?;
    let mut back = device.zeroed::<u32>(24)?;
    let graph = Graph::capture(&device, |s| -> Result<(), MemoryError> {
        let mut inside = array.part_mut(1.., 1.., ..)?;
        inside.copy_from_device(rows.part(1.., 1.., ..)?, s)?;
        let mut back = back.as_slice_mut().shaped((4, 3, 2))?;
        back.copy_from_device(array.as_slice(), s)
    })?;
    let graph = graph.instantiate()?;
    drop((rows, array)); // the graph keeps them
    graph.launch(&stream)?;
    let expected: Vec<u32> = (data.iter())
        .map(|at| {
            if at % 4 >= 1 && at / 4 % 3 >= 1 {
                *at
            } else {
                9
            }
        })
        .collect();
    assert_eq!(back.as_slice().to_vec(&stream)?, expected);
    drop((graph, back, stream, device));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: TM-13
#[test]
fn copies_between_gpus_are_nodes_in_order_with_the_work_of_both() -> Result<()> {
    let test = "copies_between_gpus_are_nodes_in_order_with_the_work_of_both";
    let Some(fake) = fake_driver(test, "devices=2,queued=1", &[]) else {
        return Ok(());
    };
    let (a, b) = (Device::cuda(0)?, Device::cuda(1)?);
    let (on_a, on_b) = (a.stream()?, b.stream()?);
    let (ones, zeroes) = (b.upload(&[1u32; 50])?, b.zeroed::<u32>(50)?);
    let mut x = b.zeroed::<u32>(50)?;
    let (mut y, mut z) = (a.zeroed::<u32>(52)?, a.zeroed::<u32>(52)?);
    let mut back = b.zeroed::<u32>(50)?;
    let mut graph = Graph::new(&a)?;
    graph.add(|s| y.copy_from_peer(2, &x, s))?;
    graph.add(|s| z.copy_from_device(0, &y, s))?;
    graph.add(|s| back.copy_from_peer(0, z.slice(2..)?, s))?;
    let graph = graph.instantiate()?;
    for round in 0..2 {
        x.copy_from_device(0, &ones, &on_b)?; // queued: `x` is still zero
        graph.launch(&on_a)?;
        x.copy_from_device(0, &zeroes, &on_b)?; // after the graph's run, although on the other GPU
        assert_eq!(back.as_slice().to_vec(&on_b)?, [1; 50], "{round}");
        back.copy_from_device(0, &zeroes, &on_b)?;
    }
    // The graph keeps what it uses.
    drop((x, y, z, back));
    graph.launch(&on_a)?;
    drop((graph, ones, zeroes, on_a, on_b, a, b));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: TM-13
#[test]
fn copies_that_no_graph_has_are_refused_while_it_is_recorded() -> Result<()> {
    let test = "copies_that_no_graph_has_are_refused_while_it_is_recorded";
    let Some(_fake) = fake_driver(test, "devices=3", &[]) else {
        return Ok(());
    };
    let [a, b, c] = [Device::cuda(0)?, Device::cuda(1)?, Device::cuda(2)?];
    let (x, emulated) = (b.zeroed::<u8>(4)?, Device::emulator().zeroed::<u8>(4)?);
    let mut y = a.zeroed::<u8>(4)?;
    let mut graph = Graph::new(&a)?;
    let error = graph
        .add(|s| y.copy_from_peer(0, &emulated, s))
        .unwrap_err();
    assert!(
        matches!(&error, Error::Memory(MemoryError::Unsupported(_))),
        "{error}"
    );
    let error = graph.add(|s| y.copy_from_peer(1, &x, s)).unwrap_err();
    assert!(
        matches!(error, Error::Memory(MemoryError::CopyOutOfRange { .. })),
        "{error}"
    );
    // Its own device is neither of the two.
    let error = Graph::capture(&c, |s| y.copy_from_peer(0, &x, s)).unwrap_err();
    assert!(
        matches!(error, Error::Memory(MemoryError::WrongDevice { .. })),
        "{error}"
    );
    assert!(graph.is_empty());
    Ok(())
}

//@ rows: TM-13
#[test]
fn threads_that_run_graphs_both_ways_do_not_wait_in_a_circle() -> Result<()> {
    let test = "threads_that_run_graphs_both_ways_do_not_wait_in_a_circle";
    let Some(fake) = fake_driver(test, "devices=2", &[]) else {
        return Ok(());
    };
    let gpus = vec![Device::cuda(0)?, Device::cuda(1)?];
    for devices in [gpus, Emulator::new().devices(2)] {
        let [a, b] = &devices[..] else { unreachable!() };
        std::thread::scope(|scope| {
            for (from, to) in [(a, b), (b, a), (a, b), (b, a)] {
                scope.spawn(move || {
                    let (stream, x) = (to.stream().unwrap(), from.upload(&[9u8; 50]).unwrap());
                    let mut y = to.zeroed::<u8>(50).unwrap();
                    let graph = Graph::capture(to, |s| y.copy_from_peer(0, &x, s)).unwrap();
                    let graph = graph.instantiate().unwrap();
                    for _ in 0..200 {
                        graph.launch(&stream).unwrap();
                    }
                    assert_eq!(y.as_slice().to_vec(&stream).unwrap(), [9; 50]);
                });
            }
        });
    }
    nothing_is_left(&fake);
    Ok(())
}
