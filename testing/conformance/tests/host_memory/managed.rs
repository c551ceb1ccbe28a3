//! Managed memory: host and kernels in turns, and at a time through atomics; advice and prefetches change no values.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;
use warploom_runtime::{Advice, Attach, MemoryError, MemoryLocation};

use crate::{numbers, step, stepped};

//@ rows: TM-5, TM-12, HX-6, P-08
#[test]
fn host_and_kernels_use_one_memory_in_turns() {
    on_each_device(|device, stream| {
        let n = 30_011;
        let mut x = device.managed_from(&numbers(n))?;
        let mut y = device.managed_zeroed::<u32>(n)?;
        let mut expected = numbers(n);
        for round in 0..4 {
            step::launch(stream, Launch::covering(n), &x, &mut y)?;
            expected = stepped(&expected);
            assert_eq!(y.as_slice()?, expected);
            y.as_mut_slice()?[round] = 9;
            expected[round] = 9;
            std::mem::swap(&mut x, &mut y);
        }
        assert_eq!(x.raw_ptr(), x.as_slice()?.as_ptr() as u64);
        Ok(())
    });
}

//@ rows: TM-6, TM-12
#[test]
fn other_streams_and_copies_see_it_too() {
    on_each_device(|device, stream| {
        let other = device.stream()?;
        for attach in [Attach::Global, Attach::Host] {
            let mut x = device.managed_with::<u32>(1000, attach)?;
            x.as_mut_slice()?.copy_from_slice(&numbers(1000));
            let mut y = device.zeroed::<u32>(1000)?;
            step::launch(stream, Launch::covering(1000), &x, &mut y)?;
            step::launch(&other, Launch::covering(1000), &y, &mut x)?;
            y.copy_from_device(10, x.device_slice().slice(..10)?, stream)?;
            let expected = stepped(&stepped(&numbers(1000)));
            assert_eq!(x.as_slice()?, expected);
            assert_eq!(y.slice(10..20)?.to_vec(stream)?, expected[..10]);
        }
        Ok(())
    });
}

//@ rows: TM-5
#[test]
fn advice_and_prefetches_change_no_values() {
    on_each_device(|device, stream| {
        let n = 1 << 16;
        let x = device.managed_from(&numbers(n))?;
        let mut y = device.managed_zeroed::<u32>(n)?;
        assert_eq!(x.range_attributes()?, y.range_attributes()?);
        for advice in [
            Advice::ReadMostly,
            Advice::PreferredLocation(MemoryLocation::Device),
            Advice::PreferredLocation(MemoryLocation::Host),
            Advice::AccessedBy(MemoryLocation::Device),
            Advice::AccessedBy(MemoryLocation::Host),
        ] {
            x.advise(advice)?;
            x.prefetch(.., MemoryLocation::Device, stream)?;
            y.prefetch(5..n / 2, MemoryLocation::Device, stream)?;
            step::launch(stream, Launch::covering(n), &x, &mut y)?;
            y.prefetch(7.., MemoryLocation::Host, stream)?;
            assert_eq!(y.as_slice()?, stepped(&numbers(n)));
        }
        let told = x.range_attributes()?;
        assert_eq!(
            (told.read_mostly, told.preferred),
            (true, Some(MemoryLocation::Host))
        );
        x.unadvise(Advice::ReadMostly)?;
        x.unadvise(Advice::PreferredLocation(MemoryLocation::Host))?;
        let told = x.range_attributes()?;
        assert_eq!((told.read_mostly, told.preferred), (false, None));
        Ok(())
    });
}

#[kernel]
fn count(_i: Index1D, counts: &[AtomicU32]) {
    counts[0].fetch_add(1, Relaxed);
}

//@ rows: TM-5, P-09
#[test]
fn host_and_kernels_read_atomics_at_a_time() {
    on_each_device(|device, stream| {
        let mut counts = device.managed_zeroed::<u32>(1)?;
        let (host, kernel) = counts.as_shared_atomics()?;
        count::launch(stream, (20, 64), kernel)?;
        let mut seen = 0;
        while seen < 20 * 64 {
            let now = host[0].load(Relaxed);
            assert!(now >= seen, "{now} after {seen}");
            seen = now;
        }
        assert_eq!(counts.as_slice()?, [1280]);
        Ok(())
    });
}

//@ rows: TM-5
#[test]
fn more_than_the_card_has_free_is_refused() {
    on_each_device(|device, _| {
        for len in [usize::MAX, 1 << 60] {
            let error = device.managed_zeroed::<u32>(len).unwrap_err();
            assert!(
                matches!(error, MemoryError::OutOfMemory { size: 4, .. }),
                "{error}"
            );
        }
        Ok(())
    });
}

//@ rows: TM-5
#[test]
fn empty_managed_buffers_work() {
    on_each_device(|device, stream| {
        let mut x = device.managed_zeroed::<u64>(0)?;
        x.advise(Advice::ReadMostly)?;
        x.prefetch(.., MemoryLocation::Host, stream)?;
        assert!(x.is_empty() && x.as_slice()?.is_empty() && x.as_mut_slice()?.is_empty());
        assert!(x.prefetch(..1, MemoryLocation::Host, stream).is_err());
        let units = device.managed_zeroed::<[u8; 0]>(5)?;
        assert_eq!(units.as_slice()?.len(), 5);
        Ok(())
    });
}
