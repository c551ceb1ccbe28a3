//! Elements from and to other places.

use warploom::Device;
use warploom_algorithms::counting;
use warploom_algorithms::prelude::*;

use crate::{check, lengths, noise};

#[test]
fn elements_are_gathered_from_places() {
    let (x, places) = (
        noise(900),
        noise(5000).iter().map(|p| p % 900).collect::<Vec<_>>(),
    );
    let expected = Vec::from_iter(places.iter().map(|&p| x[p as usize]));
    check(&expected, |device, stream| {
        let (x, places) = (device.upload(&x)?, device.upload(&places)?);
        let mut y = device.alloc_uninit(5000)?;
        stream.gather(&x, &places).into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Places in whole tiles of 256 are loaded together, and so are elements, also those of other places.
#[test]
fn places_of_places_around_the_ends_of_tiles() {
    let x = noise(3000);
    for n in lengths(256) {
        let at = |seed: usize| Vec::from_iter(noise(n + seed)[seed..].iter().map(|p| p % 2999));
        let (first, second) = (
            at(0),
            Vec::from_iter(at(7).iter().map(|&p| p % n.max(1) as u32)),
        );
        let of = |&p: &u32| x[first[p as usize] as usize].wrapping_mul(3);
        let expected = Vec::from_iter(second.iter().map(of));
        check(&expected, |device, stream| {
            let (x, first) = (device.upload(&x)?, device.upload(&first)?);
            let second = device.upload(&second)?;
            let mut y = device.alloc_uninit(n)?;
            let input = x.input().permute(&first).permute(&second);
            let triples = input.map(|x| x.wrapping_mul(3));
            stream.transform(triples).into(&mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// From 2^22 elements on, a thread has four rounds of eight.
#[test]
fn many_elements_are_gathered_in_rounds() {
    let n = (1 << 22) + 8192 * 3 + 2100;
    let x = noise(900);
    let place = |i: usize| i * 7919 % 900;
    let expected = Vec::from_iter((0..n).map(|i| x[place(i)] as u8));
    check(&expected, |device, stream| {
        let x = device.upload(&x)?;
        let bytes = x.input().permute(counting(n).map(place)).map(|x| x as u8);
        let mut y = device.alloc_uninit(n)?;
        stream.transform(bytes).into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn one_place_outside_of_an_input_is_a_panic_in_the_kernel() {
    // The last place of a whole tile, and one of the last tile.
    for (n, outside) in [(4096, 2047), (2100, 2098)] {
        let device = Device::emulator();
        let stream = device.stream().unwrap();
        let x = device.upload(&noise(10)).unwrap();
        let places = counting(n).map(move |i| if i == outside { u64::MAX } else { 9 });
        let mut y = device.zeroed(n).unwrap();
        let error = match stream.gather(&x, places).into(&mut y) {
            Ok(()) => stream.synchronize().unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        let place = u64::MAX;
        assert!(
            error.contains(&format!("place {place} of an input with 10 elements")),
            "{error}"
        );
    }
}

#[test]
fn elements_are_scattered_to_distinct_places() {
    for n in [0, 1, 255, 1024, 1025, 5001] {
        let expected = Vec::from_iter((0..n as u64).rev());
        check(&expected, |device, stream| {
            let (mut y, mut z) = (device.zeroed(n)?, device.zeroed::<[usize; 3]>(n)?);
            let numbers = counting(n).map(|i| i as u64);
            stream.scatter(numbers, counting(n).rev()).into(&mut y)?;
            let threes = counting(n).map(|i| [i, 0, i]);
            let scatter = stream.scatter(threes, counting(n).rev());
            // SAFETY: `rev` has each place once.
            unsafe { scatter.into_distinct(&mut z)? };
            assert!(
                z.to_vec(stream)?
                    .iter()
                    .rev()
                    .copied()
                    .eq((0..n).map(|i| [i, 0, i]))
            );
            Ok(y.to_vec(stream)?)
        });
    }
}

#[test]
fn one_of_the_elements_for_a_place_is_stored() {
    check(&[true], |device, stream| {
        let mut y = device.filled(100, u8::MAX)?;
        let elements = counting(3000).map(|i| (i % 100) as u8);
        let places = counting(3000).map(|i| (i % 100) as u32);
        stream.scatter(elements, places).into(&mut y)?;
        Ok(vec![y.to_vec(stream)?.into_iter().eq(0..100)])
    });
}

#[test]
fn a_place_outside_is_a_panic_in_the_kernel() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed::<u64>(10).unwrap();
    let launched = stream
        .scatter(counting(11).map(|i| i as u64), counting(11))
        .into(&mut y);
    let error = match launched {
        Ok(()) => stream.synchronize().unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    assert!(
        error.contains("place 10 of an output with 10 elements"),
        "{error}"
    );
}

#[test]
fn a_shuffle_has_each_element_once_and_another_order_for_another_seed() {
    for n in [0, 1, 33, 2049, 10_007] {
        let expected = Vec::from_iter(0..n);
        check(&expected, |device, stream| {
            let (mut y, mut other) = (device.alloc_uninit(n)?, device.alloc_uninit(n)?);
            stream.shuffle(counting(n), 11).into(&mut y)?;
            stream.shuffle(counting(n), 12).into(&mut other)?;
            let mut y = y.to_vec(stream)?;
            assert!(n < 2 || y != other.to_vec(stream)?);
            y.sort_unstable();
            Ok(y)
        });
    }
}
