//! What both sides write, and how it is compared.

use std::fmt::Debug;

use warploom::device_std::Plain;
use warploom::prelude::*;

/// What an algorithm writes: a buffer, or a tuple of them.
pub(crate) trait Outputs {
    /// The device addresses, in their order.
    fn addresses(&self) -> Vec<u64>;
}

impl<T: Plain> Outputs for DeviceBuffer<T> {
    fn addresses(&self) -> Vec<u64> {
        vec![self.raw_ptr()]
    }
}

/// A result on the host: elements, or a tuple of results.
pub(crate) trait Compare {
    /// The largest relative difference, or what is wrong.
    fn difference(&self, expected: &Self, tolerance: f64) -> Result<f64, String>;
}

/// An element of a result.
pub(crate) trait Value: Copy + Debug + PartialEq {
    /// Two different values by the larger of 1 and what is expected.
    fn relative(self, expected: Self) -> f64;
}

macro_rules! values {
    ($($ty:ty)*) => {$(
        impl Value for $ty {
            fn relative(self, expected: Self) -> f64 {
                let (value, expected) = (self as f64, expected as f64);
                (value - expected).abs() / expected.abs().max(1.0)
            }
        }
    )*};
}
values!(u8 u32 u64 usize f32);

impl<T: Value> Compare for Vec<T> {
    fn difference(&self, expected: &Self, tolerance: f64) -> Result<f64, String> {
        if self.len() != expected.len() {
            let (len, expected) = (self.len(), expected.len());
            return Err(format!("{len} elements, expected {expected}"));
        }
        let mut largest = 0.0;
        for (i, (value, expected)) in self.iter().zip(expected).enumerate() {
            if value == expected {
                continue;
            }
            let error = value.relative(*expected);
            // Not `error > tolerance`: that holds for no NaN. And 64-bit integers may differ by less than their f64 show.
            if error.is_nan() || error > tolerance || tolerance == 0.0 {
                return Err(format!("element {i} is {value:?}, expected {expected:?}"));
            }
            largest = f64::max(largest, error);
        }
        Ok(largest)
    }
}

macro_rules! tuples {
    ($($name:ident $number:tt)*) => {
        impl<$($name: Outputs),*> Outputs for ($($name,)*) {
            fn addresses(&self) -> Vec<u64> {
                [$(self.$number.addresses()),*].concat()
            }
        }

        impl<$($name: Compare),*> Compare for ($($name,)*) {
            fn difference(&self, expected: &Self, tolerance: f64) -> Result<f64, String> {
                let parts = [$(self.$number.difference(&expected.$number, tolerance)),*];
                let mut largest = 0.0;
                for (i, part) in parts.into_iter().enumerate() {
                    largest = f64::max(largest, part.map_err(|text| format!("output {i}: {text}"))?);
                }
                Ok(largest)
            }
        }
    };
}
tuples!(A 0 B 1);
tuples!(A 0 B 1 C 2);
tuples!(A 0 B 1 C 2 D 3);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bits_are_asked_for_without_a_tolerance() {
        let large = vec![u64::MAX];
        let less = vec![u64::MAX - 1];
        assert_eq!(large.difference(&large, 0.0), Ok(0.0));
        let text = format!("element 0 is {}, expected {}", u64::MAX - 1, u64::MAX);
        assert_eq!(less.difference(&large, 0.0), Err(text));
    }

    #[test]
    fn a_difference_is_relative_and_nan_is_wrong() {
        assert_eq!(
            vec![4.0f32, 11.0].difference(&vec![4.0, 10.0], 0.2),
            Ok(0.1)
        );
        assert!(vec![f32::NAN].difference(&vec![1.0], 0.2).is_err());
        assert!(vec![1.0f32].difference(&vec![1.0, 2.0], 0.2).is_err());
    }

    #[test]
    fn the_wrong_part_of_a_tuple_is_named() {
        let (found, expected) = ((vec![1u32], vec![2u32]), (vec![1], vec![3]));
        let text = "output 1: element 0 is 2, expected 3".to_owned();
        assert_eq!(found.difference(&expected, 0.0), Err(text));
    }
}
