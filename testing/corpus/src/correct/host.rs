//! Memory of the host, surfaces and textures, streams and graphs: what is in order without a wait of the host.

use warploom::device_std::surface::{Surface1d, Surface2d};
use warploom::device_std::texture::Texture2d;
use warploom::prelude::*;
use warploom::texture::Sampler;
use warploom::{ArrayShape, DeviceBuffer, Graph, PinnedOptions};

use crate::case::{cases, correct, count, noise, start};

/// Neighbours exchange through a surface, with a barrier of the block between the stores and the loads.
#[kernel]
fn neighbours_of_a_surface(
    block: Block,
    i: Index1D,
    mut x: Surface1d<u32>,
    mut y: DisjointSlice<u32>,
) {
    let own = i.get() as i32;
    let other = (64 * block.index() + 63 - block.thread()) as i32;
    // SAFETY: each thread stores an element of its own; elements of the block are loaded behind its barrier.
    unsafe {
        x.store(own, 3 * own as u32);
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = x.load(other);
        }
    }
}

/// Each thread changes its own element of a surface, over and over.
#[kernel]
fn own_element_of_a_surface(i: Index1D, rounds: u32, mut x: Surface1d<u32>) {
    for _ in 0..rounds {
        // SAFETY: an element of its own for each thread.
        let value = unsafe { x.load(i.get() as i32) };
        x.write(i, value + 1);
    }
}

/// A launch writes a surface of the array of which the next one has a texture.
#[kernel]
fn written_then_sampled(i: Index1D, x: Texture2d<u32>, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x.sample((i.get() % 16) as f32, (i.get() / 16) as f32);
    }
}

/// What the launch before samples.
#[kernel]
fn filled_for_a_texture(i: Index2D, mut x: Surface2d<u32>) {
    let value = (16 * i.y() + i.x()) as u32;
    x.write(i, 5 * value);
}

/// Results in mapped memory of the host, which it reads when it has waited.
#[kernel]
unsafe fn results_in_mapped_memory(i: Index1D, y: *mut u32) {
    // SAFETY: an element for each thread.
    unsafe { *y.add(i.get()) = 2 * i.get() as u32 };
}

/// Managed memory that host and kernel change in turns, each when the other is done.
#[kernel]
unsafe fn managed_in_turns(i: Index1D, x: *mut u32) {
    // SAFETY: an element for each thread.
    unsafe { *x.add(i.get()) += 1 };
}

/// Work forks to two streams behind an event and joins behind two others.
#[kernel]
unsafe fn fork_and_join(i: Index1D, from: *const u32, to: *mut u32) {
    // SAFETY: an element for each thread, and launches in order.
    unsafe { *to.add(i.get()) = *from.add(i.get()) + 1 };
}

/// Two buffers that two streams hand to and fro, by events.
#[kernel]
unsafe fn two_buffers_to_and_fro(i: Index1D, from: *const u32, to: *mut u32) {
    // SAFETY: an element for each thread, and launches in order.
    unsafe { *to.add(i.get()) += *from.add(i.get()) };
}

/// A graph of two nodes in a row, launched twice on one stream.
#[kernel]
unsafe fn nodes_in_a_row(i: Index1D, from: *const u32, to: *mut u32) {
    // SAFETY: an element for each thread, and launches in order.
    unsafe { *to.add(i.get()) += *from.add(i.get()) };
}

/// The host waits for one stream and launches on the other.
#[kernel]
unsafe fn the_host_waits_between(i: Index1D, x: *mut u32) {
    // SAFETY: an element for each thread, and launches in order.
    unsafe { *x.add(i.get()) += 1 };
}

fn address(of: &DeviceBuffer<u32>) -> *mut u32 {
    std::ptr::with_exposed_provenance_mut(of.raw_ptr() as usize)
}

cases!("host.rs":
    correct!(neighbours_of_a_surface, |run| {
        let shape = ArrayShape::Line { width: 128 };
        let mut x = run.device.array_from(shape.with_surface(), &count::<u32>(128))?;
        let mut y = run.zeroed::<u32>(128)?;
        start!(run, neighbours_of_a_surface, (2, 64), &mut x.surface_mut()?, &mut y);
        run.expect(&y, |i| 3 * (i as u32 / 64 * 64 + 63 - i as u32 % 64))
    }),
    correct!(own_element_of_a_surface, |run| {
        let shape = ArrayShape::Line { width: 64 };
        let mut x = run.device.array_from(shape.with_surface(), &count::<u32>(64))?;
        start!(run, own_element_of_a_surface, (2, 32), 3, &mut x.surface_mut()?);
        Ok(())
    }),
    correct!(written_then_sampled, |run| {
        let shape = ArrayShape::Plane { width: 16, height: 4 };
        let mut x = run.device.array_uninit::<u32>(shape.with_surface())?;
        let mut y = run.zeroed::<u32>(64)?;
        start!(run, filled_for_a_texture, ((2, 1), (8, 4)), &mut x.surface_mut()?);
        start!(run, written_then_sampled, (2, 32), &x.texture(Sampler::new())?, &mut y);
        run.expect(&y, |i| 5 * i as u32)
    }),
    correct!(results_in_mapped_memory, |run| {
        let mut y = run.device.pinned_with::<u32>(64, PinnedOptions::new().mapped())?;
        let at = y.as_mut_slice()?.as_mut_ptr();
        // SAFETY: 64 elements of mapped memory.
        unsafe { start!(run, results_in_mapped_memory, (2, 32), at) };
        run.stream.synchronize()?;
        let found = run.upload(y.as_slice()?)?;
        run.expect(&found, |i| 2 * i as u32)
    }),
    correct!(managed_in_turns, |run| {
        let mut x = run.device.managed_from(&count::<u32>(64))?;
        for _ in 0..3 {
            let at = std::ptr::with_exposed_provenance_mut(x.raw_ptr() as usize);
            // SAFETY: 64 elements.
            unsafe { start!(run, managed_in_turns, (2, 32), at) };
            run.stream.synchronize()?;
            x.as_mut_slice()?[0] += 10;
        }
        let found = run.upload(x.as_slice()?)?;
        run.expect(&found, |i| i as u32 + if i == 0 { 33 } else { 3 })
    }),
    correct!(fork_and_join, |run| {
        let x = run.upload(&noise(64))?;
        let (a, b, last) = (run.zeroed::<u32>(64)?, run.zeroed::<u32>(64)?, run.zeroed::<u32>(64)?);
        let sides = [run.device.stream()?, run.device.stream()?];
        let (begun, ends) = (run.device.event()?, [run.device.event()?, run.device.event()?]);
        // SAFETY: buffers of 64 elements, and launches that events order.
        unsafe {
            start!(run, fork_and_join, (2, 32), address(&x).cast_const(), address(&x));
            run.stream.record(&begun)?;
            for (side, (end, to)) in sides.iter().zip(ends.iter().zip([&a, &b])) {
                side.wait(&begun)?;
                fork_and_join::launch(side, (2, 32), address(&x).cast_const(), address(to))?;
                side.record(end)?;
            }
            for end in &ends {
                run.stream.wait(end)?;
            }
            start!(run, fork_and_join, (2, 32), address(&b).cast_const(), address(&last));
            start!(run, fork_and_join, (2, 32), address(&a).cast_const(), address(&x));
        }
        run.expect(&last, |i| noise(64)[i] + 3)
    }),
    correct!(two_buffers_to_and_fro, |run| {
        let (a, b) = (run.upload(&[1_u32; 64])?, run.upload(&[1_u32; 64])?);
        let other = run.device.stream()?;
        let (first, second) = (run.device.event()?, run.device.event()?);
        for _ in 0..3 {
            // SAFETY: buffers of 64 elements, and launches that events order.
            unsafe {
                start!(run, two_buffers_to_and_fro, (2, 32), address(&a).cast_const(), address(&b));
                run.stream.record(&first)?;
                other.wait(&first)?;
                two_buffers_to_and_fro::launch(&other, (2, 32), address(&b).cast_const(), address(&a))?;
                other.record(&second)?;
                run.stream.wait(&second)?;
            }
        }
        run.expect(&a, |_| 21)
    }),
    correct!(nodes_in_a_row, |run| {
        let (a, b) = (run.upload(&[1_u32; 64])?, run.upload(&[1_u32; 64])?);
        let graph = Graph::capture(run.device, |stream| {
            // SAFETY: buffers of 64 elements, and nodes in a row.
            unsafe {
                nodes_in_a_row::launch(stream, (2, 32), address(&a).cast_const(), address(&b))?;
                nodes_in_a_row::launch(stream, (2, 32), address(&b).cast_const(), address(&a))?;
            }
            Ok::<(), warploom::Error>(())
        })?;
        let graph = graph.instantiate()?;
        graph.launch(run.stream)?;
        graph.launch(run.stream)?;
        drop(graph);
        run.expect(&a, |_| 8)
    }),
    correct!(the_host_waits_between, |run| {
        let x = run.upload(&noise(64))?;
        let other = run.device.stream()?;
        let done = run.device.event()?;
        // SAFETY: a buffer of 64 elements, and launches that the host's waits order.
        unsafe {
            start!(run, the_host_waits_between, (2, 32), address(&x));
            run.stream.record(&done)?;
            done.synchronize()?;
            the_host_waits_between::launch(&other, (2, 32), address(&x))?;
            other.synchronize()?;
            start!(run, the_host_waits_between, (2, 32), address(&x));
        }
        run.expect(&x, |i| noise(64)[i] + 3)
    }),
);
