//! When output appears.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use warploom::module::Code;
use warploom::prelude::*;
use warploom::{Graph, StreamError, gpu_println};
use warploom_harness::device_test::{devices, on_each_device};

use crate::Printed;

#[kernel]
fn hello(who: u32) {
    gpu_println!("hello {who}");
}

#[kernel]
fn silent(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}

//@ rows: GPF-16
#[test]
fn a_later_launch_prints_what_came_before() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        let mut y = device.zeroed(1)?;
        hello::launch(stream, (1, 1), 1)?;
        assert!(
            printed.take().is_empty(),
            "nothing waits for this launch yet"
        );
        // A GPU needs its time; the launches of `silent` wait for nothing, and the first loads its module.
        let mut found = Vec::new();
        for _ in 0..500 {
            silent::launch(stream, (1, 1), &mut y)?;
            found = printed.take();
            if !found.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(found, ["hello 1\n"]);
        Ok(())
    });
}

/// Waits for what the stream has to do with a function of the host, which prints nothing.
fn wait_without_printing(stream: &Stream) -> Result<(), StreamError> {
    let done = Arc::new(AtomicBool::new(false));
    let reached = Arc::clone(&done);
    stream.launch_host(move || reached.store(true, Ordering::Release))?;
    while !done.load(Ordering::Acquire) {
        std::thread::yield_now();
    }
    Ok(())
}

/// The emulator refuses the module, and prints all the same.
//@ rows: GPF-19
#[test]
fn loading_and_unloading_a_module_prints() {
    const PTX: &str =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n";
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        hello::launch(stream, (1, 1), 1)?;
        wait_without_printing(stream)?;
        assert!(printed.take().is_empty(), "nothing looked for lines yet");
        let loaded = device.load(&Code::ptx(PTX)?);
        assert_eq!(printed.take(), ["hello 1\n"]);
        assert_eq!(loaded.is_ok(), device.is_gpu(), "{loaded:?}");
        if let Ok(module) = loaded {
            hello::launch(stream, (1, 1), 2)?;
            wait_without_printing(stream)?;
            assert!(printed.take().is_empty(), "nothing looked for lines yet");
            drop(module);
            assert_eq!(printed.take(), ["hello 2\n"]);
        }
        Ok(())
    });
}

//@ rows: GPF-17
#[test]
fn waiting_for_a_stream_prints() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        for i in 0..3 {
            hello::launch(stream, (1, 1), i)?;
            stream.synchronize()?;
            assert_eq!(printed.take(), [format!("hello {i}\n")]);
        }
        stream.synchronize()?;
        assert!(printed.take().is_empty(), "a line is printed once");
        Ok(())
    });
}

//@ rows: GPF-17
#[test]
fn waiting_for_an_event_prints() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        let event = device.event()?;
        hello::launch(stream, (1, 1), 5)?;
        stream.record(&event)?;
        event.synchronize()?;
        assert_eq!(printed.take(), ["hello 5\n"]);
        Ok(())
    });
}

//@ rows: GPF-18
#[test]
fn a_copy_that_waits_prints() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        let mut x = device.zeroed::<u32>(3)?;
        hello::launch(stream, (1, 1), 1)?;
        x.to_vec(stream)?;
        assert_eq!(printed.take(), ["hello 1\n"]);
        hello::launch(stream, (1, 1), 2)?;
        x.copy_from(0, &[7], stream)?;
        assert_eq!(printed.take(), ["hello 2\n"]);
        let mut target = [0; 2];
        hello::launch(stream, (1, 1), 3)?;
        x.copy_to(0, &mut target, stream)?;
        assert_eq!(
            (printed.take(), target),
            (vec!["hello 3\n".to_owned()], [7, 0])
        );
        Ok(())
    });
}

//@ rows: GPF-20, GPF-21
#[test]
fn the_end_of_the_device_prints() {
    for device in devices() {
        let printed = Printed::of(&device);
        let stream = device.stream().unwrap();
        hello::launch(&stream, (1, 1), 9).unwrap();
        drop((stream, device));
        assert_eq!(printed.take(), ["hello 9\n"]);
    }
}

//@ rows: GPF-21
#[test]
fn a_program_may_flush_before_it_exits() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        hello::launch(stream, (1, 1), 4)?;
        let mut found = Vec::new();
        for _ in 0..500 {
            device.flush_prints();
            found = printed.take();
            if !found.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(found, ["hello 4\n"]);
        Ok(())
    });
}

#[kernel]
fn says_and_panics(i: Index1D, x: &[u32]) {
    gpu_println!("before {}", i.get());
    if x[i.get()] == 2 {
        gpu_println!("two");
    }
}

//@ rows: GPF-17
#[test]
fn what_came_before_a_panic_is_printed() {
    on_each_device(|device, stream| {
        let printed = Printed::of(device);
        let x = device.upload(&[1, 2])?;
        says_and_panics::launch(stream, (1, 3), &x)?;
        assert!(stream.synchronize().is_err(), "the third thread panics");
        let expected = ["before 0\n", "before 1\n", "before 2\n", "two\n"];
        assert_eq!(printed.sorted(), expected);
        Ok(())
    });
}

#[test]
fn a_handler_may_use_the_device() {
    on_each_device(|device, stream| {
        let (device_too, stream_too) = (device.clone(), stream.clone());
        let (sender, receiver) = std::sync::mpsc::channel();
        let sender = std::sync::Mutex::new(sender);
        device.on_print(move |text| {
            let x = device_too
                .upload(&[1u8])
                .unwrap()
                .to_vec(&stream_too)
                .unwrap();
            sender
                .lock()
                .unwrap()
                .send(format!("{x:?} {text}"))
                .unwrap();
        });
        hello::launch(stream, (1, 1), 6)?;
        stream.synchronize()?;
        assert_eq!(receiver.recv().unwrap(), "[1] hello 6\n");
        device.on_print(|_| {}); // lets go of the device
        Ok(())
    });
}

/// A handler that runs a graph must not wait for work that waits for the handler.
#[test]
fn a_handler_may_run_graphs_whatever_prints() {
    on_each_device(|device, stream| {
        let (x, mut y) = (device.upload(&[5u32])?, device.zeroed::<u32>(1)?);
        let copy = Graph::capture(device, |s| y.copy_from_device(0, &x, s))?.instantiate()?;
        let stream_too = stream.clone();
        device.on_print(move |_| copy.launch(&stream_too).unwrap());
        let prints = Graph::capture(device, |s| {
            hello::launch(s, (1, 1), 1)?;
            hello::launch(s, (1, 1), 2)
        })?;
        prints.instantiate()?.launch(stream)?;
        hello::launch(stream, (1, 1), 3)?;
        assert_eq!(x.to_vec(stream)?, [5]); // waits, and prints
        assert_eq!(y.to_vec(stream)?, [5]);
        device.on_print(|_| {}); // lets go of the graph
        Ok(())
    });
}
