//! Page-locked memory: asynchronous copies, portable, write-combined, and mapped into the GPU's addresses.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use warploom::prelude::*;
use warploom_harness::device_test::{devices, on_each_device};
use warploom_runtime::{MemoryError, PinnedBuffer, PinnedOptions};

use crate::{numbers, step, stepped};

//@ rows: GPL-1, GDM-5, GAS-8
#[test]
fn copies_from_and_to_page_locked_memory_keep_their_order() {
    on_each_device(|device, stream| {
        let n = 100_003;
        let mut host = device.pinned_from(&numbers(n))?;
        let mut x = device.zeroed::<u32>(n)?;
        let mut y = device.zeroed::<u32>(n)?;
        x.copy_from_pinned(0, &host, stream)?;
        step::launch(stream, Launch::covering(n), &x, &mut y)?;
        y.copy_to_pinned(0, &mut host, stream)?;
        assert_eq!(host.as_slice()?, stepped(&numbers(n)));
        Ok(())
    });
}

//@ rows: GPL-1, GDM-5
#[test]
fn parts_are_copied_where_they_belong() {
    on_each_device(|device, stream| {
        let mut host = device.pinned_from(&[1u16, 2, 3, 4, 5])?;
        let mut x = device.zeroed::<u16>(6)?;
        x.copy_from_pinned(1, host.slice(2..)?.slice(..2)?, stream)?;
        x.slice_mut(4..)?
            .copy_from_pinned(1, host.slice(..1)?, stream)?;
        x.slice(1..3)?
            .copy_to_pinned(0, host.slice_mut(..2)?, stream)?;
        assert_eq!(host.as_slice()?, [3, 4, 3, 4, 5]);
        assert_eq!(x.to_vec(stream)?, [0, 3, 4, 0, 0, 1]);
        Ok(())
    });
}

//@ rows: GPL-7, GAS-8, P-33
#[test]
fn the_host_writes_only_after_the_copy_has_read() {
    on_each_device(|device, stream| {
        let n = 1 << 20;
        let mut host = device.pinned_from(&vec![1u32; n])?;
        let mut parts = Vec::new();
        for round in 1..=8 {
            let mut x = device.alloc_uninit::<u32>(n)?;
            x.copy_from_pinned(0, &host, stream)?;
            host.as_mut_slice()?.fill(round + 1); // not before the copy is done
            parts.push(x);
        }
        for (round, x) in (1..).zip(&parts) {
            assert!(x.to_vec(stream)?.iter().all(|v| *v == round));
        }
        Ok(())
    });
}

//@ rows: GAS-8, GPL-7
#[test]
fn two_streams_take_turns_at_one_buffer() {
    on_each_device(|device, stream| {
        let other = device.stream()?;
        let n = 1 << 18;
        let mut host = device.pinned_from(&numbers(n))?;
        let mut x = device.zeroed::<u32>(n)?;
        let mut y = device.zeroed::<u32>(n)?;
        let mut expected = numbers(n);
        for _ in 0..6 {
            x.copy_from_pinned(0, &host, stream)?;
            step::launch(&other, Launch::covering(n), &x, &mut y)?;
            y.copy_to_pinned(0, &mut host, &other)?;
            expected = stepped(&expected);
        }
        assert_eq!(host.as_slice()?, expected);
        Ok(())
    });
}

//@ rows: GAS-8
#[test]
fn dropping_a_buffer_waits_for_its_copy() {
    on_each_device(|device, stream| {
        let n = 1 << 20;
        let mut x = device.zeroed::<u32>(n)?;
        for round in 0..4 {
            let host = device.pinned_from(&vec![round; n])?;
            x.copy_from_pinned(0, &host, stream)?;
            drop(host);
            assert!(x.to_vec(stream)?.iter().all(|v| *v == round));
        }
        Ok(())
    });
}

//@ rows: GPL-1, GAS-8
#[test]
fn a_buffer_forgotten_during_its_copy_does_no_harm() {
    on_each_device(|device, stream| {
        let x = device.upload(&[5u8; 100_000])?;
        let mut host = device.pinned::<u8>(100_000)?;
        x.copy_to_pinned(0, &mut host, stream)?;
        std::mem::forget(host); // the copy goes where it was to go; the memory is never freed
        drop(x);
        let mut host = device.pinned::<u8>(100_000)?;
        host.as_mut_slice()?[0] = 6;
        stream.synchronize()?;
        assert_eq!(host.as_slice()?[..2], [6, 0]);
        Ok(())
    });
}

//@ rows: GPL-1
#[test]
fn empty_buffers_and_elements_without_bytes_work() {
    on_each_device(|device, stream| {
        let mut none = device.pinned::<u64>(0)?;
        let mut x = device.zeroed::<u64>(3)?;
        x.copy_from_pinned(3, &none, stream)?;
        x.copy_to_pinned(0, &mut none, stream)?;
        assert!(none.is_empty() && none.as_slice()?.is_empty());
        let mut units = device.pinned::<[u32; 0]>(9)?;
        let y = device.zeroed::<[u32; 0]>(9)?;
        y.copy_to_pinned(0, &mut units, stream)?;
        assert_eq!(units.as_slice()?.len(), 9);
        Ok(())
    });
}

#[test]
fn a_copy_that_does_not_fit_is_refused() {
    on_each_device(|device, stream| {
        let mut host = device.pinned::<u8>(4)?;
        let mut x = device.upload(&[9u8, 9])?;
        for at in [0, 1, usize::MAX] {
            let error = x.copy_from_pinned(at, &host, stream).unwrap_err();
            assert!(
                matches!(
                    error,
                    MemoryError::CopyOutOfRange {
                        given: 4,
                        len: 2,
                        ..
                    }
                ),
                "{error}"
            );
            assert!(x.copy_to_pinned(at, &mut host, stream).is_err());
        }
        assert!(host.slice(3..5).is_err() && host.slice_mut(5..).is_err());
        assert_eq!(
            (host.as_slice()?, x.to_vec(stream)?),
            (&[0; 4][..], vec![9, 9])
        );
        Ok(())
    });
}

//@ rows: P-42
#[test]
fn more_than_the_host_has_is_an_error() {
    on_each_device(|device, _| {
        for len in [usize::MAX, usize::MAX / 8] {
            let error = device.pinned::<u64>(len).unwrap_err();
            assert!(
                matches!(error, MemoryError::OutOfMemory { size: 8, .. }),
                "{error}"
            );
        }
        Ok(())
    });
}

//@ rows: GPL-2
#[test]
fn portable_memory_goes_to_streams_of_other_devices() {
    for device in devices() {
        let again = if device.is_gpu() {
            Device::cuda(0).unwrap()
        } else {
            Device::emulator()
        };
        let run = || -> warploom::Result<()> {
            let (one, other) = (device.stream()?, again.stream()?);
            let (mut x, mut y) = (device.upload(&[1u32; 70_000])?, again.zeroed(70_000)?);
            let mut private = device.pinned::<u32>(70_000)?;
            assert!(matches!(
                y.copy_from_pinned(0, &private, &other),
                Err(MemoryError::WrongDevice { .. })
            ));
            let mut host = device.pinned_with(70_000, PinnedOptions::new().portable())?;
            for _ in 0..20 {
                x.copy_to_pinned(0, &mut host, &one)?;
                y.copy_from_pinned(0, &host, &other)?; // after it
                y.copy_to_pinned(0, &mut host, &other)?;
                x.copy_from_pinned(0, &host, &one)?;
            }
            private.as_mut_slice()?.fill(1);
            assert_eq!(y.to_vec(&other)?, private.as_slice()?);
            assert_eq!(host.as_slice()?, private.as_slice()?);
            Ok(())
        };
        run().unwrap();
    }
}

//@ rows: GPL-3, GPL-5
#[test]
fn all_combinations_of_options_hold_what_the_host_writes() {
    on_each_device(|device, stream| {
        for bits in 0..8 {
            let mut options = PinnedOptions::new();
            for (bit, with) in [
                PinnedOptions::portable as fn(_) -> _,
                PinnedOptions::mapped,
                PinnedOptions::write_combined,
            ]
            .iter()
            .enumerate()
            {
                if bits >> bit & 1 == 1 {
                    options = with(options);
                }
            }
            let mut host: PinnedBuffer<u32> = device.pinned_with(1000, options)?;
            assert!(host.as_slice()?.iter().all(|v| *v == 0));
            host.as_mut_slice()?.copy_from_slice(&numbers(1000));
            let mut x = device.zeroed::<u32>(1000)?;
            x.copy_from_pinned(0, &host, stream)?;
            assert_eq!(x.to_vec(stream)?, numbers(1000));
            assert_eq!(host.device_slice().is_ok(), options.is_mapped());
        }
        Ok(())
    });
}

//@ rows: GPL-4, GPL-7
#[test]
fn kernels_read_and_write_mapped_memory() {
    on_each_device(|device, stream| {
        let n = 10_007;
        let options = PinnedOptions::new().mapped();
        let mut x = device.pinned_with::<u32>(n, options)?;
        let mut y = device.pinned_with::<u32>(n, options)?;
        let mut expected = numbers(n);
        x.as_mut_slice()?.copy_from_slice(&expected);
        for _ in 0..3 {
            let (from, to) = (x.device_slice()?, y.device_slice_mut()?);
            step::launch(stream, Launch::covering(n), from, to)?;
            expected = stepped(&expected);
            assert_eq!(y.as_slice()?, expected); // waits for the kernel
            std::mem::swap(&mut x, &mut y);
        }
        Ok(())
    });
}

//@ rows: GPL-4, GPL-6
#[test]
fn memory_that_is_not_mapped_is_no_argument() {
    on_each_device(|device, _| {
        let mut x = device.pinned::<u32>(4)?;
        let error = x.device_slice_mut().unwrap_err();
        assert!(
            matches!(&error, MemoryError::Unsupported(_))
                && error.to_string().contains("PinnedOptions::mapped"),
            "{error}"
        );
        assert!(x.as_shared_atomics().is_err());
        Ok(())
    });
}

/// Says that it runs, and answers when it is told to.
#[kernel]
fn answer(_i: Index1D, words: &[AtomicU32]) {
    words[0].store(1, SeqCst);
    // The host's word is in memory of the host; a limit, so that a failure is no hang.
    for _ in 0..50_000_000 {
        if words[1].load(SeqCst) != 0 {
            break;
        }
    }
    words[2].store(words[1].load(SeqCst) + 1, SeqCst);
}

//@ rows: GPL-4, GPL-8
#[test]
fn host_and_kernel_talk_through_mapped_atomics() {
    on_each_device(|device, stream| {
        let mut words = device.pinned_with::<u32>(3, PinnedOptions::new().mapped())?;
        let (host, kernel) = words.as_shared_atomics()?;
        if device.is_gpu() {
            answer::launch(stream, (1, 1), kernel)?;
            while host[0].load(SeqCst) == 0 {
                std::thread::yield_now();
            }
            host[1].store(41, SeqCst);
        } else {
            host[1].store(41, Relaxed); // a launch returns when the kernel is done
            answer::launch(stream, (1, 1), kernel)?;
        }
        assert_eq!(words.as_slice()?, [1, 41, 42]);
        Ok(())
    });
}

//@ rows: GPL-7
#[test]
fn the_host_hears_of_a_kernel_that_panicked_and_reads_then() {
    on_each_device(|device, stream| {
        let options = PinnedOptions::new().mapped();
        let short = device.pinned_with::<u32>(1, options)?;
        let mut y = device.pinned_with::<u32>(32, options)?;
        step::launch(
            stream,
            (1, 32),
            short.device_slice()?,
            y.device_slice_mut()?,
        )?;
        let error = y.as_slice().unwrap_err();
        assert!(error.to_string().contains("out of bounds"), "{error}");
        assert_eq!(y.as_slice()?[0], 1);
        Ok(())
    });
}
