//! What is computed for each element by itself, or with the one before it.

use warploom::prelude::*;
use warploom_algorithms::input::Fetch;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, IntoInput, constant, counting};

use crate::{check, lengths, noise};

#[test]
fn inputs_of_every_kind_of_length() {
    for n in lengths(8 * 256) {
        let x = noise(n);
        let expected = Vec::from_iter(x.iter().map(|x| x.rotate_left(3) ^ 5));
        check(&expected, |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.alloc_uninit(n)?);
            stream
                .transform(x.input().map(|x| x.rotate_left(3) ^ 5))
                .into(&mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

#[test]
fn bytes_and_pairs() {
    let x = noise(10_000);
    let expected = Vec::from_iter(x.iter().map(|&x| [u64::from(x), u64::from(x as u8)]));
    check(&expected, |device, stream| {
        let (x, mut bytes) = (device.upload(&x)?, device.alloc_uninit::<u8>(x.len())?);
        stream
            .transform(x.input().map(|x| x as u8))
            .into(&mut bytes)?;
        let mut y = device.alloc_uninit(x.len())?;
        let pairs = x.input().zip(&bytes);
        stream
            .transform(pairs.map(|(x, byte)| [u64::from(x), u64::from(byte)]))
            .into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn sequences_and_constants() {
    let expected = Vec::from_iter((0..3000).map(|i| if i < 1000 { 3 * i + 7 } else { 9u32 }));
    check(&expected, |device, stream| {
        let mut y = device.alloc_uninit::<u32>(3000)?;
        stream.transform(constant(9, 3000)).into(&mut y)?;
        stream
            .transform(counting(1000).map(|i| 3 * i as u32 + 7))
            .into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn an_output_that_is_too_short_is_an_error() {
    check(&[true], |device, stream| {
        let mut y = device.alloc_uninit::<usize>(9)?;
        let result = stream.transform(counting(10)).into(&mut y);
        Ok(vec![matches!(result, Err(Error::TooShort { room: 9, .. }))])
    });
}

#[test]
fn differences_of_neighbours() {
    for n in lengths(8 * 256) {
        let x = noise(n);
        let mut expected = x.clone();
        for i in 1..n {
            expected[i] = x[i].wrapping_sub(x[i - 1].rotate_left(1));
        }
        check(&expected, |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.alloc_uninit(n)?);
            stream
                .adjacent_difference(&x, |x: u32, before| x.wrapping_sub(before.rotate_left(1)))
                .into(&mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

#[test]
fn differences_of_an_input_in_reverse() {
    check(&[3usize, 1, 1, 1], |device, stream| {
        let mut y = device.alloc_uninit(4)?;
        stream
            .adjacent_difference(counting(4).rev(), |x, before| before - x)
            .into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn loads_that_wait_for_others_are_counted() -> Result<(), Error> {
    fn chained<'a, I: IntoInput<'a>>(_: I) -> u32 {
        <I::Fetch as Fetch<I::Memory>>::CHAINED
    }
    let device = Device::emulator();
    let (x, places) = (device.upload(&[5u32, 6])?, device.upload(&[1u32, 0])?);
    let gathered = || x.input().permute(&places);
    assert_eq!(chained(&x), 0);
    assert_eq!(chained(gathered()), 1);
    assert_eq!(chained(gathered().map(|x| x + 1)), 1);
    assert_eq!(chained(places.input().zip(gathered())), 1);
    assert_eq!(
        chained(x.input().permute(places.input().permute(&places))),
        2
    );
    Ok(())
}
