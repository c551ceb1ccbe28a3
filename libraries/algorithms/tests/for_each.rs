//! Functions that change elements against the same on the host.

use warploom_algorithms::Error;
use warploom_algorithms::prelude::*;

use crate::{LENGTHS, check, noise};

#[test]
fn each_element_with_its_number() {
    for n in LENGTHS {
        let expected = Vec::from_iter(noise(n).iter().zip(0..).map(|(x, i)| x ^ i));
        check(&expected, |device, stream| {
            let mut x = device.upload(&noise(n))?;
            stream.for_each_mut(&mut x, |x, i| *x ^= i as u32).run()?;
            Ok(x.to_vec(stream)?)
        });
    }
}

#[test]
fn some_elements_of_a_part_beside_another_input() {
    let n = 9000;
    let mut expected: Vec<[u64; 2]> = noise(n).iter().map(|&x| [x.into(), 1]).collect();
    for (x, y) in expected[100..].iter_mut().zip(noise(n - 100)) {
        if y % 2 == 0 {
            x[1] += u64::from(y);
        }
    }
    check(&expected, |device, stream| {
        let x: Vec<[u64; 2]> = noise(n).iter().map(|&x| [x.into(), 1]).collect();
        let (mut x, y) = (device.upload(&x)?, device.upload(&noise(n - 100))?);
        let add = |x: &mut [u64; 2], y: u32| {
            if y.is_multiple_of(2) {
                x[1] += u64::from(y);
            }
        };
        let part = x.slice_mut(100..)?;
        stream.for_each_mut_with(part, &y, add).run()?;
        Ok(x.to_vec(stream)?)
    });
}

#[test]
fn an_input_of_another_length_is_an_error() -> Result<(), Error> {
    let device = warploom::Device::emulator();
    let stream = device.stream()?;
    let (mut x, y) = (device.upload(&[1u32, 2])?, device.upload(&[1u32])?);
    let add = stream.for_each_mut_with(&mut x, &y, |x, y| *x += y);
    assert!(matches!(
        add.run(),
        Err(Error::DifferentLengths {
            first_len: 2,
            second_len: 1,
            ..
        })
    ));
    Ok(())
}
