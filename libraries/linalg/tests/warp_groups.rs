//! The kernels of warp groups: when they run, and that they compute what the others do.

use std::fmt::Debug;

use warploom::Graph;
use warploom::device_std::mma::E4m3;
use warploom::prelude::*;
use warploom_harness::device_test::devices;
use warploom_linalg::prelude::*;
use warploom_linalg::{Candidate, Error, Extents, Family, MatmulPlan, Output, Place, Ran, Refused};

use crate::reference::{Number, Places, dot, noise};

const fn extents([m, n, k]: [usize; 3], batches: usize) -> Extents {
    Extents { m, n, k, batches }
}

/// The kernels of warp groups that compute all of K in one part; none on a device without them.
fn groups(device: &Device, extents: Extents) -> Vec<Candidate> {
    let all = MatmulPlan::<Bf16>::candidates(device, extents).into_iter();
    all.filter(|candidate| candidate.family == Family::WarpGroups && candidate.splits == 1)
        .collect()
}

/// Integers of -2 to 2, whose sums are exact.
fn integers(n: usize, seed: u64) -> Vec<Bf16> {
    let whole = |x: Bf16| Bf16::from_f32(x.to_f32().round());
    noise::<Bf16>(n, seed).into_iter().map(whole).collect()
}

/// The sums of a product of `a` along K with `b` along K, row after row.
fn sums(a: &[Bf16], b: &[Bf16], [m, n, k]: [usize; 3]) -> Vec<f32> {
    let along_k = |rows| Places {
        rows,
        leading: k,
        stride: 0,
    };
    let sum =
        |row, column| dot((a, along_k(true)), (b, along_k(false)), (0, row, column), k).0 as f32;
    (0..m)
        .flat_map(|row| (0..n).map(move |column| (row, column)))
        .map(|(row, column)| sum(row, column))
        .collect()
}

/// Runs `body` with each kernel of warp groups, and compares what it gives with `expected`.
#[track_caller]
#[expect(clippy::panic, reason = "that is how a test fails")]
fn check<T: PartialEq + Debug>(
    extents: Extents,
    expected: &[T],
    body: impl Fn(&Device, &Stream, &mut MatmulPlan<Bf16>) -> Result<Vec<T>, Error>,
) {
    for device in devices() {
        for candidate in groups(&device, extents) {
            let run = || {
                let mut plan = MatmulPlan::with(&device, extents, candidate)?;
                body(&device, &device.stream()?, &mut plan)
            };
            let found =
                run().unwrap_or_else(|error| panic!("{} {candidate:?}: {error}", device.name()));
            let place = found.iter().zip(expected).position(|(x, y)| x != y);
            assert!(
                found.len() == expected.len() && place.is_none(),
                "{} {candidate:?}: element {place:?} differs",
                device.name()
            );
        }
    }
}

#[test]
fn the_emulator_has_four_kernels_of_warp_groups() {
    let found = groups(&Device::emulator(), extents([128, 256, 64], 1));
    let mut columns: Vec<u32> = found.iter().map(|candidate| candidate.columns).collect();
    columns.sort_unstable();
    assert_eq!(columns, [64, 128, 192, 256]);
}

/// The names of the kernels of a product whose plan is one of warp groups.
#[expect(clippy::unwrap_used, reason = "that is how a test fails")]
fn kernels(
    k: usize,
    product: impl Fn(
        &Stream,
        (&DeviceBuffer<Bf16>, &DeviceBuffer<Bf16>),
        &mut MatmulPlan<Bf16>,
        &mut DeviceBuffer<f32>,
    ) -> Result<(), Error>,
) -> String {
    let run = || -> Result<String, Error> {
        let device = Device::emulator();
        let extents = extents([16, 16, k], 1);
        let candidate = groups(&device, extents)[0];
        let mut plan = MatmulPlan::<Bf16>::with(&device, extents, candidate)?;
        let (a, b) = (device.zeroed(16 * k + 1)?, device.zeroed(16 * k + 1)?);
        let mut c = device.zeroed(16 * 16)?;
        let graph = Graph::capture(&device, |stream| {
            product(stream, (&a, &b), &mut plan, &mut c)
        })?;
        Ok(graph.to_dot())
    };
    run().unwrap()
}

#[test]
fn operands_along_k_are_multiplied_by_warp_groups() {
    let names = kernels(40, |stream, (a, b), plan, c| {
        let (a, b) = (
            Matrix::row_major(a, 16, 40),
            Matrix::column_major(b, 40, 16),
        );
        let product = stream.matmul(a, b).plan(plan);
        product.into(MatrixMut::row_major(c, 16, 16))
    });
    assert!(names.contains("groups_"), "{names}");
}

#[test]
fn operands_of_16_bits_across_k_are_multiplied_by_warp_groups() {
    let names = kernels(40, |stream, (a, b), plan, c| {
        let (a, b) = (
            Matrix::column_major(a, 16, 40),
            Matrix::row_major(b, 40, 16),
        );
        let product = stream.matmul(a, b).plan(plan);
        product.into(MatrixMut::row_major(c, 16, 16))
    });
    assert!(names.contains("groups_"), "{names}");
}

/// What a plan of warp groups ran for a product of `i8` with a column-major result, of which the first operand is across K if `across`.
#[expect(clippy::unwrap_used, reason = "that is how a test fails")]
fn ran(across: bool) -> Ran {
    let run = || -> Result<Option<Ran>, Error> {
        let device = Device::emulator();
        let stream = device.stream()?;
        let extents = extents([16, 16, 48], 1);
        let candidates = MatmulPlan::<i8>::candidates(&device, extents);
        let mut all = candidates.into_iter();
        let of_groups = all.find(|candidate| candidate.family == Family::WarpGroups);
        let mut plan = MatmulPlan::<i8>::with(&device, extents, of_groups.unwrap())?;
        let x = device.zeroed::<i8>(16 * 48)?;
        let mut c = device.zeroed::<i32>(16 * 16)?;
        let (b, c) = (
            Matrix::column_major(&x, 48, 16),
            MatrixMut::column_major(&mut c, 16, 16),
        );
        if across {
            let product = stream.matmul(Matrix::column_major(&x, 16, 48), b);
            product.plan(&mut plan).into(c)?;
        } else {
            let product = stream.matmul(Matrix::row_major(&x, 16, 48), b);
            product.plan(&mut plan).into(c)?;
        }
        Ok(plan.ran().cloned())
    };
    run().unwrap().unwrap()
}

#[test]
fn a_plan_says_that_it_ran_warp_groups() {
    let ran = ran(false);
    assert_eq!(ran.kernel.family, Family::WarpGroups);
    assert!(ran.refused.is_none(), "{ran:?}");
}

#[test]
fn a_plan_says_which_operand_is_across_k() {
    let ran = ran(true);
    assert_eq!(ran.kernel.family, Family::Tensor);
    assert!(
        matches!(ran.refused, Some(Refused::AcrossK { operand: "A" })),
        "{ran:?}"
    );
}

/// 128 products of 32 and 15 times 128 of 1/128: tensor cores keep 13 bits behind the point of a sum, and would lose the small ones, 32 at a time.
#[test]
fn small_products_of_e4m3_are_not_lost() {
    const K: usize = 16 * 128;
    let of = |large: f32, small: f32| -> Vec<E4m3> {
        let number = |k| if k % K < 128 { large } else { small };
        (0..16 * K).map(|k| E4m3::from_f32(number(k))).collect()
    };
    let (a, b) = (of(8.0, 0.125), of(4.0, 0.0625));
    let extents = extents([16, 16, K], 1);
    for device in devices() {
        let candidates = MatmulPlan::<E4m3>::candidates(&device, extents);
        let of_groups = |candidate: &Candidate| candidate.family == Family::WarpGroups;
        for candidate in candidates.into_iter().filter(of_groups) {
            let run = || -> Result<Vec<f32>, Error> {
                let stream = device.stream()?;
                let (a, b) = (device.upload(&a)?, device.upload(&b)?);
                let mut c = device.zeroed(16 * 16)?;
                let mut plan = MatmulPlan::<E4m3>::with(&device, extents, candidate)?;
                let (a, b) = (
                    Matrix::row_major(&a, 16, K),
                    Matrix::column_major(&b, K, 16),
                );
                let product = stream.matmul(a, b).plan(&mut plan);
                product.into(MatrixMut::row_major(&mut c, 16, 16))?;
                Ok(c.to_vec(&stream)?)
            };
            assert_eq!(run().unwrap(), [4096.0 + 15.0; 256], "{candidate:?}");
        }
    }
}

/// 1 to 3 stages of 128 elements, the last of which is not full, one tile after the other in a block: kernels compute two stages a round.
#[test]
fn odd_and_even_numbers_of_stages_of_e4m3() {
    let ([m, n], batches) = ([3, 5], 140);
    let whole = |len: usize, factor: usize| -> Vec<f32> {
        (0..len).map(|i| (i * factor % 5) as f32 - 2.0).collect()
    };
    let bytes = |x: &[f32]| -> Vec<E4m3> { x.iter().map(|&x| E4m3::from_f32(x)).collect() };
    for k in [16, 144, 272] {
        let (a, b) = (whole(batches * m * k, 7919), whole(n * k, 104_729));
        let expected: Vec<f32> = (0..batches * m * n)
            .map(|i| (i / n, i % n))
            .map(|(row, column)| (0..k).map(|at| a[row * k + at] * b[column * k + at]).sum())
            .collect();
        let extents = extents([m, n, k], batches);
        for device in devices() {
            let candidates = MatmulPlan::<E4m3>::candidates(&device, extents);
            let of_groups = |candidate: &Candidate| {
                candidate.family == Family::WarpGroups && candidate.splits == 1
            };
            for candidate in candidates.into_iter().filter(of_groups) {
                let run = || -> Result<Vec<f32>, Error> {
                    let stream = device.stream()?;
                    let (a, b) = (device.upload(&bytes(&a))?, device.upload(&bytes(&b))?);
                    let mut c = device.filled(batches * m * n, f32::NAN)?;
                    let mut plan = MatmulPlan::<E4m3>::with(&device, extents, candidate)?;
                    let a = Matrix::row_major(&a, m, k).batches(batches, m * k);
                    let b = Matrix::column_major(&b, k, n);
                    let product = stream.matmul(a, b).plan(&mut plan);
                    product.into(MatrixMut::row_major(&mut c, m, n).batches(batches, m * n))?;
                    Ok(c.to_vec(&stream)?)
                };
                assert_eq!(run().unwrap(), expected, "k = {k}, {candidate:?}");
            }
        }
    }
}

#[test]
fn lines_at_no_multiples_of_16_bytes_are_multiplied_by_another_kernel() {
    let names = kernels(41, |stream, (a, b), plan, c| {
        let (a, b) = (
            Matrix::row_major(a, 16, 41),
            Matrix::column_major(b, 41, 16),
        );
        let product = stream.matmul(a, b).plan(plan);
        product.into(MatrixMut::row_major(c, 16, 16))
    });
    assert!(!names.contains("groups_"), "{names}");
}

#[test]
fn a_buffer_at_no_multiple_of_16_bytes_is_multiplied_by_another_kernel() {
    let names = kernels(40, |stream, (a, b), plan, c| {
        let (a, b) = (
            Matrix::row_major(a.slice(1..)?, 16, 40),
            Matrix::column_major(b, 40, 16),
        );
        let product = stream.matmul(a, b).plan(plan);
        product.into(MatrixMut::row_major(c, 16, 16))
    });
    assert!(!names.contains("groups_"), "{names}");
}

#[test]
fn bias_and_function_follow_the_sums() {
    let [m, n, k] = [70, 262, 72];
    let (a, b) = (integers(m * k, 1), integers(n * k, 2));
    let bias: Vec<f32> = (0..n).map(|column| column as f32).collect();
    let scaled = |x: f32, place: Place| x * 2.0 - place.row as f32 + place.column as f32 * 0.5;
    let expected: Vec<f32> = sums(&a, &b, [m, n, k])
        .into_iter()
        .enumerate()
        .map(|(i, sum)| {
            let (row, column, batch) = (i / n, i % n, 0);
            scaled(sum + bias[column], Place { row, column, batch })
        })
        .collect();
    check(extents([m, n, k], 1), &expected, |device, stream, plan| {
        let (a, b, bias) = (
            device.upload(&a)?,
            device.upload(&b)?,
            device.upload(&bias)?,
        );
        let mut c = device.filled(m * n, f32::NAN)?;
        let (a, b) = (Matrix::row_major(&a, m, k), Matrix::column_major(&b, k, n));
        let product = stream.matmul(a, b).plan(plan).column_bias(&bias);
        product
            .epilogue(scaled)
            .into(MatrixMut::row_major(&mut c, m, n))?;
        Ok(c.to_vec(stream)?)
    });
}

/// A result with columns beside each other, to which a bias of rows is added.
#[track_caller]
fn check_columns<O: Output<f32> + Number + PartialEq + Debug>() {
    let [m, n, k] = [140, 66, 136];
    let (a, b) = (integers(m * k, 3), integers(n * k, 4));
    let (bias, former) = (integers(m, 5), integers(m * n, 6));
    let bias: Vec<f32> = bias.into_iter().map(Bf16::to_f32).collect();
    let former: Vec<O> = former
        .into_iter()
        .map(|x| O::of(x.to_f32().into()))
        .collect();
    let sums = sums(&a, &b, [m, n, k]);
    let expected: Vec<O> = (0..m * n)
        .map(|i| {
            let (row, column) = (i % m, i / m);
            let sum = 0.5 * f64::from(sums[row * n + column]) + 2.0 * former[i].to_f64();
            O::of(sum + f64::from(bias[row]))
        })
        .collect();
    check(extents([m, n, k], 1), &expected, |device, stream, plan| {
        let (a, b, bias) = (
            device.upload(&a)?,
            device.upload(&b)?,
            device.upload(&bias)?,
        );
        let mut c = device.upload(&former)?;
        let (a, b) = (Matrix::row_major(&a, m, k), Matrix::column_major(&b, k, n));
        let product = stream.matmul(a, b).plan(plan).row_bias(&bias);
        product
            .alpha(0.5)
            .beta(2.0)
            .into(MatrixMut::column_major(&mut c, m, n))?;
        Ok(c.to_vec(stream)?)
    });
}

#[test]
fn column_major_results_of_32_bits() {
    check_columns::<f32>();
}

#[test]
fn column_major_results_of_f16() {
    check_columns::<F16>();
}

#[test]
fn column_major_results_of_bf16() {
    check_columns::<Bf16>();
}

#[test]
fn a_block_computes_one_tile_after_the_other() {
    // More matrices than an H100 or H200 has multiprocessors.
    let ([m, n, k], batches) = ([3, 5, 136], 140);
    let (a, b) = (integers(batches * m * k, 7), integers(n * k, 8));
    let expected = sums(&a, &b, [batches * m, n, k]);
    let all = extents([m, n, k], batches);
    check(all, &expected, |device, stream, plan| {
        let (a, b) = (device.upload(&a)?, device.upload(&b)?);
        let mut c = device.filled(batches * m * n, f32::NAN)?;
        let a = Matrix::row_major(&a, m, k).batches(batches, m * k);
        let product = stream.matmul(a, Matrix::column_major(&b, k, n)).plan(plan);
        product.into(MatrixMut::row_major(&mut c, m, n).batches(batches, m * n))?;
        Ok(c.to_vec(stream)?)
    });
}
