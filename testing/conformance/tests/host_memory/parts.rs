//! Registered vectors, chunks, parts for other types, clones of buffers.

use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;
use warploom_runtime::{MemoryError, PinnedOptions};

use crate::{numbers, step, stepped};

//@ rows: GPL-1, GPL-4, TM-12
#[test]
fn a_registered_vector_is_copied_and_mapped_and_comes_back() {
    on_each_device(|device, stream| {
        let n = 12_345;
        let mut data = numbers(n);
        let address = data.as_ptr();
        let mut host = device.register(&mut data, PinnedOptions::new().mapped())?;
        assert!(data.is_empty() && host.len() == n);
        let mut x = device.zeroed::<u32>(n)?;
        let mut y = device.zeroed::<u32>(n)?;
        x.copy_from_pinned(0, &host, stream)?;
        step::launch(stream, Launch::covering(n), host.device_slice()?, &mut y)?;
        assert_eq!(
            (x.to_vec(stream)?, y.to_vec(stream)?),
            (numbers(n), stepped(&numbers(n)))
        );
        step::launch(stream, Launch::covering(n), &y, host.device_slice_mut()?)?;
        let back = host.take_vec()?; // waits for the kernel
        assert_eq!(back, stepped(&stepped(&numbers(n))));
        assert_eq!(back.as_ptr(), address);
        assert!(host.is_empty() && host.as_slice()?.is_empty());
        Ok(())
    });
}

//@ rows: GPL-1
#[test]
fn vectors_without_elements_are_registered_too() {
    on_each_device(|device, _| {
        let mut none = Vec::<u64>::with_capacity(9);
        let mut host = device.register(&mut none, PinnedOptions::new())?;
        assert!(host.is_empty());
        assert_eq!(host.take_vec()?.capacity(), 9);
        let mut units = vec![[0u32; 0]; 7];
        assert_eq!(
            device
                .register(&mut units, PinnedOptions::new())?
                .take_vec()?
                .len(),
            7
        );
        // Other page-locked memory gives a copy.
        let mut other = device.pinned_from(&[1u8, 2])?;
        assert_eq!((other.take_vec()?, other.len()), (vec![1, 2], 0));
        Ok(())
    });
}

//@ rows: GPL-3
#[test]
fn a_vector_cannot_become_write_combined() {
    on_each_device(|device, _| {
        let mut data = vec![1u8];
        let options = PinnedOptions::new().write_combined();
        let error = device.register(&mut data, options).unwrap_err();
        assert!(matches!(error, MemoryError::Unsupported(_)), "{error}");
        assert_eq!(data, [1]);
        Ok(())
    });
}

//@ rows: GDM-14
#[test]
fn chunks_go_to_launches_of_their_own() {
    on_each_device(|device, stream| {
        let n = 1000;
        let x = device.upload(&numbers(n))?;
        let mut y = device.zeroed::<u32>(n)?;
        let parts = x.chunks(300)?.zip(y.chunks_mut(300)?);
        assert_eq!(parts.len(), 4);
        for (x, y) in parts {
            step::launch(stream, Launch::covering(x.len()), x, y)?;
        }
        assert_eq!(y.to_vec(stream)?, stepped(&numbers(n)));
        assert_eq!(device.zeroed::<u8>(0)?.chunks(5)?.count(), 0);
        let error = x.chunks(0).unwrap_err();
        assert!(
            matches!(error, MemoryError::EmptyChunks { len: 1000 }),
            "{error}"
        );
        assert!(y.chunks_mut(0).is_err());
        Ok(())
    });
}

//@ rows: GDM-14
#[test]
fn one_allocation_holds_arrays_of_several_types() {
    on_each_device(|device, stream| {
        let mut room = device.zeroed::<u8>(100)?;
        let (mut bytes, rest) = room.as_slice_mut().take_aligned::<u8>(5)?;
        let (mut doubles, rest) = rest.take_aligned::<f64>(3)?;
        let (mut shorts, rest) = rest.take_aligned::<u16>(1)?;
        let (mut words, rest) = rest.take_aligned::<u32>(2)?;
        assert_eq!(rest.len(), 100 - 44);
        bytes.fill(1, stream)?;
        doubles.fill(-1.0, stream)?;
        shorts.fill(0x0202, stream)?;
        words.copy_from(0, &[3, 4], stream)?;
        let error = rest.take_aligned::<u64>(8).map(drop).unwrap_err();
        assert!(matches!(error, MemoryError::OutOfRange { .. }), "{error}");
        let all = room.to_vec(stream)?;
        assert_eq!(all[..8], [1, 1, 1, 1, 1, 0, 0, 0]);
        assert_eq!(all[8..16], (-1.0f64).to_ne_bytes());
        assert_eq!(all[32..44], [2, 2, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
        assert!(room.as_slice_mut().take_aligned::<u64>(usize::MAX).is_err());
        Ok(())
    });
}

//@ rows: GDM-5
#[test]
fn a_clone_is_a_buffer_of_its_own() {
    on_each_device(|device, stream| {
        let n = 70_000;
        let x = device.upload(&numbers(n))?;
        let mut y = device.zeroed::<u32>(n)?;
        step::launch(stream, Launch::covering(n), &x, &mut y)?;
        let copy = y.try_clone(stream)?;
        y.fill(0, stream)?;
        assert_eq!(copy.to_vec(stream)?, stepped(&numbers(n)));
        assert!(device.zeroed::<u64>(0)?.try_clone(stream)?.is_empty());
        Ok(())
    });
}

//@ rows: TM-9
#[test]
fn one_element_is_read_in_order_with_the_work() {
    on_each_device(|device, stream| {
        let x = device.upload(&numbers(1000))?;
        let mut y = device.zeroed::<u32>(1000)?;
        step::launch(stream, Launch::covering(1000), &x, &mut y)?;
        let expected = stepped(&numbers(1000));
        assert_eq!(y.get(999, stream)?, expected[999]);
        assert_eq!(y.slice(10..20)?.get(3, stream)?, expected[13]);
        let error = y.slice(10..20)?.get(10, stream).unwrap_err();
        assert!(
            matches!(
                error,
                MemoryError::OutOfRange {
                    start: 10,
                    end: 11,
                    len: 10
                }
            ),
            "{error}"
        );
        assert!(y.get(usize::MAX, stream).is_err());
        Ok(())
    });
}

//@ rows: GPFI-11, GDM-1
#[test]
fn allocations_start_at_multiples_of_256_bytes() {
    on_each_device(|device, stream| {
        let mut kept = vec![];
        for len in [1, 3, 77, 255, 256, 257, 4099] {
            let bytes = device.zeroed::<u8>(len)?;
            let triples = device.upload(&vec![[1u32, 2, 3]; len])?;
            let pooled = device.pool()?.zeroed::<u16>(len, stream)?;
            let at = [bytes.raw_ptr(), triples.raw_ptr(), pooled.raw_ptr()];
            assert_eq!(at.map(|at| at % 256), [0; 3], "{len} on {}", device.name());
            kept.push((bytes, triples, pooled)); // so that each has a place of its own
        }
        Ok(())
    });
}
