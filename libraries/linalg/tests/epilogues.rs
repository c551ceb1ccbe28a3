//! What happens to sums before they are stored: scales, the former result, bias, closures; and products without elements.

use warploom::prelude::*;
use warploom_harness::device_test::devices;
use warploom_linalg::prelude::*;
use warploom_linalg::{Error, Place, gelu, relu};

/// Runs `body` on each device and compares what it gives with `expected`.
#[track_caller]
#[expect(clippy::panic, reason = "that is how a test fails")]
fn check(expected: &[f32], body: impl Fn(&Device, &Stream) -> Result<Vec<f32>, Error>) {
    for device in devices() {
        let run = || body(&device, &device.stream()?);
        let found = run().unwrap_or_else(|error| panic!("{}: {error}", device.name()));
        assert_eq!(found, expected, "{}", device.name());
    }
}

/// 1 2, 3 4, 5 6.
const A: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// 1 0, -1 1.
const B: [f32; 4] = [1.0, 0.0, -1.0, 1.0];
/// -1 2, -1 4, -1 6.
const PRODUCT: [f32; 6] = [-1.0, 2.0, -1.0, 4.0, -1.0, 6.0];

#[test]
fn a_function_of_sum_and_place() {
    let expected: Vec<f32> = (0..6)
        .map(|i| PRODUCT[i] * 100.0 + (i / 2 * 10 + i % 2) as f32)
        .collect();
    check(&expected, |device, stream| {
        let (a, b, mut c) = (device.upload(&A)?, device.upload(&B)?, device.zeroed(6)?);
        let product = stream.matmul(Matrix::row_major(&a, 3, 2), Matrix::row_major(&b, 2, 2));
        let scale = 100.0;
        let at = move |x: f32, place: Place| {
            x * scale + (place.row * 10 + place.column + place.batch) as f32
        };
        product
            .epilogue(at)
            .into(MatrixMut::row_major(&mut c, 3, 2))?;
        Ok(c.to_vec(stream)?)
    });
}

#[test]
fn places_of_a_column_major_result() {
    let expected: Vec<f32> = (0..6).map(|i| (i % 3 * 10 + i / 3) as f32).collect();
    check(&expected, |device, stream| {
        let (a, b, mut c) = (device.upload(&A)?, device.upload(&B)?, device.zeroed(6)?);
        let product = stream.matmul(Matrix::row_major(&a, 3, 2), Matrix::row_major(&b, 2, 2));
        let at = |_, place: Place| (place.row * 10 + place.column) as f32;
        product
            .epilogue(at)
            .into(MatrixMut::column_major(&mut c, 3, 2))?;
        Ok(c.to_vec(stream)?)
    });
}

#[test]
fn scales_and_the_former_result() {
    let expected: Vec<f32> = (0..6).map(|i| 2.0 * PRODUCT[i] - 0.5 * i as f32).collect();
    check(&expected, |device, stream| {
        let (a, b) = (device.upload(&A)?, device.upload(&B)?);
        let mut c = device.upload(&[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0])?;
        let product = stream.matmul(Matrix::row_major(&a, 3, 2), Matrix::row_major(&b, 2, 2));
        product
            .alpha(2.0)
            .beta(-0.5)
            .into(MatrixMut::row_major(&mut c, 3, 2))?;
        Ok(c.to_vec(stream)?)
    });
}

#[test]
fn a_former_result_that_is_not_asked_for_is_not_read() {
    check(&PRODUCT, |device, stream| {
        let (a, b, mut c) = (
            device.upload(&A)?,
            device.upload(&B)?,
            device.filled(6, f32::NAN)?,
        );
        let product = stream.matmul(Matrix::row_major(&a, 3, 2), Matrix::row_major(&b, 2, 2));
        product.into(MatrixMut::row_major(&mut c, 3, 2))?;
        Ok(c.to_vec(stream)?)
    });
}

#[test]
fn a_bias_of_rows_and_relu() {
    check(&[0.0, 2.5, 19.0, 24.0, 0.0, 0.0], |device, stream| {
        let (a, b, mut c) = (device.upload(&A)?, device.upload(&B)?, device.zeroed(6)?);
        let bias = device.upload(&[0.5f32, 20.0, -7.0])?;
        let product = stream.matmul(Matrix::row_major(&a, 3, 2), Matrix::row_major(&b, 2, 2));
        let product = product.row_bias(&bias).epilogue(|x, _| relu(x));
        product.into(MatrixMut::row_major(&mut c, 3, 2))?;
        Ok(c.to_vec(stream)?)
    });
}

#[test]
fn a_bias_of_columns_of_a_column_major_result() {
    check(&[9.0, 9.0, 9.0, 22.0, 24.0, 26.0], |device, stream| {
        let (a, b, mut c) = (device.upload(&A)?, device.upload(&B)?, device.zeroed(6)?);
        let bias = device.upload(&[10.0f32, 20.0])?;
        let product = stream.matmul(Matrix::row_major(&a, 3, 2), Matrix::row_major(&b, 2, 2));
        product
            .column_bias(&bias)
            .into(MatrixMut::column_major(&mut c, 3, 2))?;
        Ok(c.to_vec(stream)?)
    });
}

#[test]
fn gelu_is_that_of_the_formula() {
    for device in devices() {
        let run = || -> Result<Vec<f32>, Error> {
            let stream = device.stream()?;
            let (a, b, mut c) = (device.upload(&A)?, device.upload(&B)?, device.zeroed(6)?);
            let product = stream.matmul(Matrix::row_major(&a, 3, 2), Matrix::row_major(&b, 2, 2));
            product
                .epilogue(|x, _| gelu(x))
                .into(MatrixMut::row_major(&mut c, 3, 2))?;
            Ok(c.to_vec(&stream)?)
        };
        let found = run().unwrap();
        for (found, x) in found.into_iter().zip(PRODUCT) {
            let x = f64::from(x);
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
            let expected = 0.5 * x * (1.0 + inner.tanh());
            assert!(
                (f64::from(found) - expected).abs() < 1e-5,
                "{}: {found} {expected}",
                device.name()
            );
        }
    }
}

#[test]
fn without_k_the_result_is_beta_times_the_former_one() {
    check(&[-2.0, -4.0, -6.0, -8.0], |device, stream| {
        let empty = device.zeroed::<f32>(0)?;
        let mut c = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
        let product = stream.matmul(
            Matrix::row_major(&empty, 2, 0),
            Matrix::row_major(&empty, 0, 2),
        );
        product
            .beta(-2.0)
            .into(MatrixMut::row_major(&mut c, 2, 2))?;
        Ok(c.to_vec(stream)?)
    });
}

#[test]
fn without_k_tensor_cores_have_nothing_to_do() {
    check(&[5.0; 4], |device, stream| {
        let empty = device.zeroed::<Bf16>(0)?;
        let bias = device.filled(2, 5.0f32)?;
        let mut c = device.filled(4, f32::NAN)?;
        let product = stream.matmul(
            Matrix::row_major(&empty, 2, 0),
            Matrix::row_major(&empty, 0, 2),
        );
        product
            .row_bias(&bias)
            .into(MatrixMut::row_major(&mut c, 2, 2))?;
        Ok(c.to_vec(stream)?)
    });
}

#[test]
fn without_rows_nothing_happens() {
    check(&[1.0, 2.0], |device, stream| {
        let (empty, b) = (device.zeroed::<f32>(0)?, device.upload(&B)?);
        let mut c = device.upload(&[1.0f32, 2.0])?;
        let product = stream.matmul(Matrix::row_major(&empty, 0, 2), Matrix::row_major(&b, 2, 2));
        product.into(MatrixMut::row_major(&mut c, 0, 2))?;
        Ok(c.to_vec(stream)?)
    });
}

#[test]
fn one_matrix_with_all_of_the_other() {
    check(&[-1.0, 2.0, -1.0, 4.0, -1.0, 6.0], |device, stream| {
        let (a, b, mut c) = (device.upload(&A)?, device.upload(&B)?, device.zeroed(6)?);
        let a = Matrix::row_major(&a, 1, 2).batches(3, 2);
        let product = stream.matmul(a, Matrix::row_major(&b, 2, 2));
        product.into(MatrixMut::row_major(&mut c, 1, 2).batches(3, 2))?;
        Ok(c.to_vec(stream)?)
    });
}
