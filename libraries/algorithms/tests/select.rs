//! Selections against the same on the host.

use warploom_algorithms::prelude::*;

use crate::{LENGTHS, check, noise};

#[test]
fn selected_elements_are_in_order() {
    for n in LENGTHS {
        let x = noise(n);
        let expected: Vec<u32> = x.iter().copied().filter(|x| x % 3 == 0).collect();
        check(&expected, |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.zeroed(n)?);
            let count = stream.select(&x, |x| x % 3 == 0).count(&mut y)?;
            Ok(y.slice(..count)?.to_vec(stream)?)
        });
    }
}

#[test]
fn all_and_none() {
    let n = 5000;
    for keep in [false, true] {
        let expected = if keep { noise(n) } else { vec![] };
        check(&expected, |device, stream| {
            let (x, mut y) = (device.upload(&noise(n))?, device.zeroed(n)?);
            let count = stream.select(&x, move |_| keep).count(&mut y)?;
            Ok(y.slice(..count)?.to_vec(stream)?)
        });
    }
}

#[test]
fn the_rest_is_in_order_too() {
    for n in LENGTHS {
        let x: Vec<u64> = noise(n).into_iter().map(|x| u64::from(x) << 7).collect();
        let (mut expected, rest): (Vec<_>, Vec<_>) = x.iter().partition(|&&x| x & 0x100 != 0);
        expected.extend(rest);
        check(&expected, |device, stream| {
            let (x, mut y, mut rest) = (device.upload(&x)?, device.zeroed(n)?, device.zeroed(n)?);
            let mut count = device.zeroed(1)?;
            let even = stream.select(&x, |x| x & 0x100 != 0);
            even.into_with_rest(&mut y, &mut rest, &mut count)?;
            let count = count.get(0, stream)? as usize;
            let mut both = y.slice(..count)?.to_vec(stream)?;
            both.extend(rest.slice(..n - count)?.to_vec(stream)?);
            Ok(both)
        });
    }
}

#[test]
fn by_flags_of_another_slice() {
    let (x, flags) = (
        noise(9999),
        noise(9999)
            .into_iter()
            .map(|x| (x >> 9) as u8 & 1)
            .collect::<Vec<_>>(),
    );
    let expected: Vec<[u32; 2]> = x
        .iter()
        .zip(&flags)
        .filter(|(_, flag)| **flag != 0)
        .map(|(&x, _)| [x, 1])
        .collect();
    check(&expected, |device, stream| {
        let (x, flags, mut y) = (
            device.upload(&x)?,
            device.upload(&flags)?,
            device.zeroed(9999)?,
        );
        let pairs = x.input().zip(&flags).map(|(x, flag)| [x, u32::from(flag)]);
        let count = stream.select(pairs, |[_, flag]| flag != 0).count(&mut y)?;
        Ok(y.slice(..count)?.to_vec(stream)?)
    });
}

/// Elements of which their places wait in shared memory.
#[test]
fn large_elements() {
    let n = 5000;
    let x: Vec<[u32; 6]> = noise(n).into_iter().map(|x| [x % 3; 6]).collect();
    let (mut expected, rest): (Vec<_>, Vec<_>) = x.iter().copied().partition(|[a, ..]| *a == 1);
    expected.extend(rest);
    check(&expected, |device, stream| {
        let (x, mut y, mut rest) = (device.upload(&x)?, device.zeroed(n)?, device.zeroed(n)?);
        let mut count = device.zeroed(1)?;
        let ones = stream.select(&x, |[a, ..]| a == 1);
        ones.into_with_rest(&mut y, &mut rest, &mut count)?;
        let count = count.get(0, stream)? as usize;
        let mut both = y.slice(..count)?.to_vec(stream)?;
        both.extend(rest.slice(..n - count)?.to_vec(stream)?);
        Ok(both)
    });
    let mut unique = x.clone();
    unique.dedup();
    check(&unique, |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.zeroed(n)?);
        let count = stream.unique(&x).count(&mut y)?;
        Ok(y.slice(..count)?.to_vec(stream)?)
    });
}
