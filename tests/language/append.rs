//! Outputs that grow: compaction, several elements of one thread, frontiers, and buffers without room.

use warploom::prelude::*;
use warploom::{AppendBuffer, MemoryError};
use warploom_harness::device_test::{check, on_each_device};

use crate::{N, noise};

#[kernel]
fn below(i: Index1D, x: &[u32], limit: u32, mut kept: AppendSlice<[u32; 2]>) {
    if let Some(x) = x.get(i.get())
        && *x < limit
    {
        let place = kept.push([i.get() as u32, *x]);
        assert!(place.is_some(), "there is room for all");
    }
}

#[test]
fn kept_elements_come_once_each() {
    let x = noise(N);
    for limit in [0, 1 << 28, 1 << 31, u32::MAX] {
        let kept = |(at, x): (usize, &u32)| (*x < limit).then_some([at as u32, *x]);
        let expected: Vec<[u32; 2]> = x.iter().enumerate().filter_map(kept).collect();
        check(&expected, |device, stream| {
            let mut kept = device.append_buffer(N)?;
            below::launch(
                stream,
                Launch::covering(N),
                &device.upload(&x)?,
                limit,
                &mut kept,
            )?;
            let mut kept = kept.to_vec(stream)?;
            kept.sort_unstable();
            Ok(kept)
        });
    }
}

/// Each thread appends as many elements as its number's last digits say: lanes leave the loop one after the other.
#[kernel]
fn divisors(i: Index1D, n: u32, mut pairs: AppendSlice<[u16; 2]>) {
    let number = i.get() as u32 + 1;
    if number > n {
        return;
    }
    for divisor in 1..=number {
        if number.is_multiple_of(divisor) {
            pairs.push([number as u16, divisor as u16]);
        }
    }
}

#[test]
fn threads_append_as_often_as_they_like() {
    let all = (1..=100u16).flat_map(|number| (1..=number).map(move |divisor| [number, divisor]));
    let expected: Vec<[u16; 2]> = all
        .filter(|[number, divisor]| number % divisor == 0)
        .collect();
    check(&expected, |device, stream| {
        let mut pairs = device.append_buffer(600)?;
        divisors::launch(stream, Launch::new(2, 77), 100, &mut pairs)?;
        let mut pairs = pairs.to_vec(stream)?;
        pairs.sort_unstable();
        Ok(pairs)
    });
}

/// From each node of a frontier to the nodes at `2 * node` and `2 * node + 1`, the way that a search of a graph takes.
#[kernel]
fn children(i: Index1D, frontier: &[u32], mut next: AppendSlice<u32>) {
    if let Some(node) = frontier.get(i.get()) {
        next.push(2 * node);
        next.push(2 * node + 1);
    }
}

#[test]
fn what_was_appended_is_the_next_kernels_input() {
    let expected: Vec<u32> = (1 << 9..1 << 10).collect();
    check(&expected, |device, stream| {
        let (mut frontier, mut next) =
            (device.append_buffer(1 << 9)?, device.append_buffer(1 << 9)?);
        children::launch(
            stream,
            Launch::new(1, 1),
            &device.upload(&[1])?,
            &mut frontier,
        )?;
        for _ in 0..8 {
            next.clear(stream)?;
            let nodes = frontier.elements(stream)?;
            children::launch(stream, Launch::covering(nodes.len()), nodes, &mut next)?;
            (frontier, next) = (next, frontier);
        }
        let mut nodes = frontier.to_vec(stream)?;
        nodes.sort_unstable();
        Ok(nodes)
    });
}

/// Elements of many sizes stand behind the count, whole and aligned.
#[kernel]
fn all_of<T: Plain>(i: Index1D, x: &[T], mut kept: AppendSlice<T>) {
    if let Some(x) = x.get(i.get()) {
        kept.push(*x);
    }
}

#[test]
fn elements_of_each_size_are_appended() {
    fn kept<T: Plain + PartialEq + std::fmt::Debug + Ord>(x: &[T]) {
        let mut expected = x.to_vec();
        expected.sort_unstable();
        check(&expected, |device, stream| {
            let mut kept = device.append_buffer(x.len())?;
            all_of::launch(
                stream,
                Launch::covering(x.len()),
                &device.upload(x)?,
                &mut kept,
            )?;
            let mut kept = kept.to_vec(stream)?;
            kept.sort_unstable();
            Ok(kept)
        });
    }
    let x = noise(77);
    kept(&x.iter().map(|v| *v as u8).collect::<Vec<_>>());
    kept(&x.iter().map(|v| [*v as u8; 3]).collect::<Vec<_>>());
    kept(&x.iter().map(|v| [*v as u16; 3]).collect::<Vec<_>>());
    kept(&x.iter().map(|v| [u64::from(*v); 3]).collect::<Vec<_>>());
    kept(&x.iter().map(|v| u128::from(*v) << 70).collect::<Vec<_>>());
}

/// Without room elements are left out, the host gets an error with their number, and nothing behind the buffer is written.
#[test]
fn too_many_elements_are_an_error_with_their_number() {
    on_each_device(|device, stream| {
        let mut few: AppendBuffer<u32> = device.append_buffer(100)?;
        let x = device.upload(&(0..130u32).collect::<Vec<_>>())?;
        for (launches, given) in [(1, 130), (2, 260)] {
            all_of::launch(stream, Launch::covering(130), &x, &mut few)?;
            let error = few.len(stream).unwrap_err();
            assert!(
                matches!(error, MemoryError::AppendedTooMany { given: n, capacity: 100 } if n == given),
                "after {launches}: {error}"
            );
            assert!(few.to_vec(stream).is_err() && few.elements(stream).is_err());
        }
        few.clear(stream)?;
        assert!(few.is_empty(stream)?);
        let part = x.slice(30..)?;
        all_of::launch(stream, Launch::covering(100), part, &mut few)?;
        let mut kept = few.to_vec(stream)?;
        kept.sort_unstable();
        assert_eq!(kept, (30..130).collect::<Vec<_>>());
        let none: AppendBuffer<u32> = device.append_buffer(0)?;
        assert_eq!((none.len(stream)?, none.capacity()), (0, 0));
        Ok(())
    });
}
