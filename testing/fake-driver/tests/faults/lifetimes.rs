//! Things that are dropped early, late, elsewhere or never, and contexts that break.

use warploom_fake_driver::testing::{Fake, assert_passed, is_child, run_child};
use warploom_runtime::{Device, DeviceBuffer, Error, Event, Graph, Launch, MemoryError, Stream};

use crate::carried::{COUNT, bare, saxpy};
use crate::program::{run, whole_text};

/// The fake in a child process; in the parent it starts that one and gives nothing.
fn fake(test: &str, options: &str) -> Option<Fake> {
    if is_child() {
        return Some(Fake::loaded().unwrap());
    }
    assert_passed(&run_child(&format!("lifetimes::{test}"), options, &[]).unwrap());
    None
}

#[track_caller]
fn assert_clean(fake: &Fake) {
    assert_eq!(
        (fake.live(), fake.complaints()),
        (vec![], Vec::<String>::new())
    );
}

/// One of the things that hold on to work in flight.
enum Resource {
    Device(Device),
    Stream(Stream),
    Event(Event),
    Buffer(DeviceBuffer<f32>),
}

/// A device with work that has not been waited for, in all that takes part.
fn in_flight() -> Result<Vec<Option<Resource>>, Error> {
    let device = Device::cuda(0)?;
    let (one, two) = (device.stream()?, device.stream()?);
    let event = device.event()?;
    let x = device.upload(&[1.0f32; 4])?;
    let mut y = device.zeroed::<f32>(4)?;
    saxpy(&one, Launch::new(1, 4), 2.0, &x, &mut y)?;
    one.record(&event)?;
    two.wait(&event)?;
    let mut z = device.alloc_uninit::<f32>(4)?;
    z.copy_from_device(0, &y, &two)?;
    saxpy(&one, Launch::new(1, 4), 2.0, &x, &mut y)?;
    let buffers = [x, y, z].map(Resource::Buffer);
    let others = [
        Resource::Device(device),
        Resource::Stream(one),
        Resource::Stream(two),
        Resource::Event(event),
    ];
    Ok(others.into_iter().chain(buffers).map(Some).collect())
}

/// Calls `visit` with each order of `0..n`.
fn orders(n: usize, chosen: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) {
    if chosen.len() == n {
        return visit(chosen);
    }
    for next in 0..n {
        if !chosen.contains(&next) {
            chosen.push(next);
            orders(n, chosen, visit);
            chosen.pop();
        }
    }
}

#[test]
fn everything_may_be_dropped_in_any_order_while_work_is_in_flight() {
    let this = "everything_may_be_dropped_in_any_order_while_work_is_in_flight";
    let Some(fake) = fake(this, "queued=1,probe=0") else {
        return;
    };
    orders(7, &mut vec![], &mut |order| {
        let mut things = in_flight().unwrap();
        for at in order {
            // Whatever it is: dropping it is all that happens.
            match things[*at].take() {
                Some(Resource::Device(thing)) => drop(thing),
                Some(Resource::Stream(thing)) => drop(thing),
                Some(Resource::Event(thing)) => drop(thing),
                Some(Resource::Buffer(thing)) => drop(thing),
                None => unreachable!("each once"),
            }
        }
        assert_clean(&fake);
    });
    assert_eq!(fake.count("launches"), 2 * 5040);
}

#[test]
fn things_may_be_dropped_by_another_thread() {
    let Some(fake) = fake("things_may_be_dropped_by_another_thread", "queued=1") else {
        return;
    };
    let things = in_flight().unwrap();
    // That thread has no context yet.
    std::thread::spawn(move || drop(things)).join().unwrap();
    assert_clean(&fake);
}

#[test]
fn what_is_forgotten_stays_and_does_no_harm() {
    let Some(fake) = fake("what_is_forgotten_stays_and_does_no_harm", "queued=1") else {
        return;
    };
    for thing in in_flight().unwrap().into_iter().flatten() {
        match thing {
            Resource::Buffer(thing) => std::mem::forget(thing),
            Resource::Stream(thing) => std::mem::forget(thing),
            Resource::Event(thing) => std::mem::forget(thing),
            Resource::Device(thing) => drop(thing),
        }
    }
    run().unwrap();
    assert_eq!(
        (fake.count("contexts"), fake.count("device memory")),
        (1, 4)
    );
}

/// A host function must not wait: a graph that is dropped there goes later, with the word at which its cooperative grids meet.
#[test]
fn a_graph_that_a_host_function_drops_keeps_its_word_until_its_run_is_over() {
    let this = "a_graph_that_a_host_function_drops_keeps_its_word_until_its_run_is_over";
    let Some(fake) = fake(this, "queued=1") else {
        return;
    };
    let device = Device::cuda(0).unwrap();
    let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
    let together = |s: &Stream| bare(s, Launch::new(1, 1), "faults::count", true);
    let graph = Graph::capture(&device, together).unwrap();
    let graph = graph.instantiate().unwrap();
    graph.launch(&two).unwrap();
    fake.start_log();
    fake.slow("cuGraphExecDestroy", 200);
    one.launch_host(move || drop(graph)).unwrap();
    one.synchronize().unwrap();
    while fake.count("streams") > 3 || fake.count("graphs") > 0 {
        std::thread::yield_now();
    }
    let log = fake.log();
    let place = |function| log.iter().position(|called| called == function);
    let ended = place("cuGraphDestroy");
    assert!(ended.is_some() && ended < place("cuMemFree_v2"), "{log:?}");
    drop((one, two, device));
    assert_clean(&fake);
}

#[test]
fn each_device_holds_its_context_once() {
    let Some(fake) = fake("each_device_holds_its_context_once", "devices=2") else {
        return;
    };
    let (one, other) = (Device::cuda(0).unwrap(), Device::cuda(1).unwrap());
    let again = Device::cuda(0).unwrap();
    assert_eq!(fake.count("contexts"), 3);
    // In turn: each call finds its own context.
    let (x, y) = (one.upload(&[1u8]).unwrap(), other.upload(&[2u8]).unwrap());
    let (first, second) = (one.stream().unwrap(), other.stream().unwrap());
    for _ in 0..3 {
        assert_eq!(x.to_vec(&first).unwrap(), [1]);
        assert_eq!(y.to_vec(&second).unwrap(), [2]);
    }
    assert!(matches!(
        x.to_vec(&second),
        Err(MemoryError::WrongDevice { .. })
    ));
    drop((one, x, first));
    assert_eq!(fake.count("contexts"), 2);
    drop((again, other, y, second));
    assert_clean(&fake);
}

#[test]
fn a_kernel_that_breaks_the_context_is_reported_and_a_fresh_context_works() {
    let this = "a_kernel_that_breaks_the_context_is_reported_and_a_fresh_context_works";
    for options in ["recovers=1", "queued=1,recovers=1"] {
        let Some(fake) = fake(this, options) else {
            continue;
        };
        let device = Device::cuda(0).unwrap();
        let stream = device.stream().unwrap();
        let x = device.upload(&[1.0f32; 8]).unwrap();
        let count = device.symbol(&COUNT).unwrap();
        bare(&stream, Launch::new(1, 1), "faults::wild", false).unwrap();
        let text = stream.synchronize().unwrap_err().to_string();
        assert!(
            text.contains("cuStreamSynchronize with CUDA_ERROR_ILLEGAL_ADDRESS"),
            "{text}"
        );
        // From now on nothing works, and all of it says why.
        let mut texts = vec![
            whole_text(&x.to_vec(&stream).unwrap_err().into()),
            whole_text(&device.upload(&[1u8]).unwrap_err().into()),
            whole_text(&device.stream().unwrap_err().into()),
            whole_text(&device.event().unwrap_err().into()),
            whole_text(&count.read(&stream).unwrap_err().into()),
            whole_text(&device.set_print_buffer(2048).unwrap_err().into()),
        ];
        let again = bare(&stream, Launch::new(1, 1), "faults::count", false);
        texts.push(whole_text(&again.unwrap_err().into()));
        for text in texts {
            assert!(text.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{text}");
        }
        drop((x, count, stream, device));
        assert_clean(&fake);
        run().unwrap();
        assert_clean(&fake);
        return;
    }
}
