//! What is refused, before anything is launched, with which text.

use warploom::model::Model;
use warploom::prelude::*;
use warploom_linalg::prelude::*;
use warploom_linalg::{Error, Extents, Family, MatmulPlan};

/// Runs a product of `f32` on the emulator that must fail, and gives the error's text; C must not have been written.
#[track_caller]
#[expect(clippy::unwrap_used, reason = "that is how a test fails")]
fn refused(
    lengths: [usize; 3],
    product: impl FnOnce(
        &Stream,
        &DeviceBuffer<f32>,
        &DeviceBuffer<f32>,
        &mut DeviceBuffer<f32>,
    ) -> Result<(), Error>,
) -> String {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let [a, b, c] = lengths;
    let (a, b) = (
        device.filled(a, 1.0).unwrap(),
        device.filled(b, 1.0).unwrap(),
    );
    let mut c = device.filled(c, 7.0).unwrap();
    let error = product(&stream, &a, &b, &mut c).unwrap_err();
    assert!(c.to_vec(&stream).unwrap().iter().all(|x| *x == 7.0));
    error.to_string()
}

#[test]
fn operands_that_do_not_fit_together_are_refused() {
    let text = refused([6, 8, 8], |stream, a, b, c| {
        let product = stream.matmul(Matrix::row_major(a, 2, 3), Matrix::row_major(b, 2, 4));
        product.into(MatrixMut::row_major(c, 2, 4))
    });
    assert_eq!(
        text,
        "the number of columns of A is 3 and the number of rows of B is 2; they must be equal"
    );
}

#[test]
fn a_result_of_another_size_is_refused() {
    let text = refused([6, 12, 8], |stream, a, b, c| {
        let product = stream.matmul(Matrix::row_major(a, 2, 3), Matrix::row_major(b, 3, 4));
        product.into(MatrixMut::row_major(c, 4, 2))
    });
    assert_eq!(
        text,
        "the number of rows of A is 2 and the number of rows of C is 4; they must be equal"
    );
}

#[test]
fn what_is_too_short_is_refused_before_the_launch() {
    let text = refused([6, 12, 7], |stream, a, b, c| {
        let product = stream.matmul(Matrix::row_major(a, 2, 3), Matrix::row_major(b, 3, 4));
        product.into(MatrixMut::row_major(c, 2, 4))
    });
    assert_eq!(
        text,
        "C has 7 elements, but 2 x 4 with 4 from line to line and 1 matrices reach to 8; make the buffer longer"
    );
    let text = refused([6, 12, 8], |stream, a, b, c| {
        let a = Matrix::row_major(a, 2, 3).leading(4);
        let product = stream.matmul(a, Matrix::row_major(b, 3, 4));
        product.into(MatrixMut::row_major(c, 2, 4))
    });
    assert_eq!(
        text,
        "A has 6 elements, but 2 x 3 with 4 from line to line and 1 matrices reach to 7; make the buffer longer"
    );
    let text = refused([6, 12, 16], |stream, a, b, c| {
        let b = Matrix::column_major(b, 3, 4).batches(2, 12);
        let product = stream.matmul(Matrix::row_major(a, 2, 3), b);
        product.into(MatrixMut::row_major(c, 2, 4).batches(2, 8))
    });
    assert_eq!(
        text,
        "B has 12 elements, but 3 x 4 with 3 from line to line and 2 matrices reach to 24; make the buffer longer"
    );
}

#[test]
fn a_distance_that_overflows_is_refused() {
    let text = refused([6, 12, 8], |stream, a, b, c| {
        let a = Matrix::row_major(a, 3, 2).leading(usize::MAX);
        let product = stream.matmul(a, Matrix::row_major(b, 2, 4));
        product.into(MatrixMut::row_major(c, 3, 4))
    });
    assert_eq!(
        text,
        "the distance of the lines of a matrix is 18446744073709551615, and a product takes at most 2147483647; split it"
    );
    let text = refused([6, 12, 8], |stream, a, b, c| {
        let a = Matrix::row_major(a, 3, 2).batches(3, usize::MAX / 2);
        let product = stream.matmul(a, Matrix::row_major(b, 2, 4));
        product.into(MatrixMut::row_major(c, 3, 4).batches(3, 12))
    });
    assert!(
        text.ends_with("3 matrices reach to 18446744073709551615; make the buffer longer"),
        "{text}"
    );
}

#[test]
fn lines_that_overlap_are_refused() {
    let text = refused([6, 12, 8], |stream, a, b, c| {
        let product = stream.matmul(
            Matrix::row_major(a, 2, 3),
            Matrix::row_major(b, 3, 4).leading(3),
        );
        product.into(MatrixMut::row_major(c, 2, 4))
    });
    assert_eq!(
        text,
        "lines of B begin every 3 elements and have 4; take a distance of at least that"
    );
}

#[test]
fn results_that_overlap_are_refused() {
    let text = refused([6, 12, 16], |stream, a, b, c| {
        let a = Matrix::row_major(a, 2, 3).batches(2, 0);
        let product = stream.matmul(a, Matrix::row_major(b, 3, 4));
        product.into(MatrixMut::row_major(c, 2, 4).batches(2, 7))
    });
    assert_eq!(
        text,
        "the matrices of C begin every 7 elements and have 8; take a distance of at least that"
    );
}

#[test]
fn different_numbers_of_matrices_are_refused() {
    let text = refused([18, 24, 16], |stream, a, b, c| {
        let a = Matrix::row_major(a, 2, 3).batches(3, 6);
        let product = stream.matmul(a, Matrix::row_major(b, 3, 4).batches(2, 12));
        product.into(MatrixMut::row_major(c, 2, 4).batches(2, 8))
    });
    assert_eq!(
        text,
        "the number of matrices A is 3 and that of B is 2; they must be equal"
    );
}

#[test]
fn a_bias_of_another_length_is_refused() {
    let device = Device::emulator();
    let bias = device.filled(3, 1.0f32).unwrap();
    let text = refused([6, 12, 8], |stream, a, b, c| {
        let product = stream.matmul(Matrix::row_major(a, 2, 3), Matrix::row_major(b, 3, 4));
        product
            .column_bias(&bias)
            .into(MatrixMut::row_major(c, 2, 4))
    });
    assert_eq!(
        text,
        "the number of columns is 4 and that of elements of the bias is 3; they must be equal"
    );
}

#[test]
fn extents_beyond_32_bits_are_refused() {
    let text = refused([0, 0, 0], |stream, a, b, c| {
        let product = stream.matmul(Matrix::row_major(a, 1 << 31, 0), Matrix::row_major(b, 0, 1));
        product.into(MatrixMut::row_major(c, 1 << 31, 1))
    });
    assert_eq!(
        text,
        "M is 2147483648, and a product takes at most 2147483647; split it"
    );
    let most = Extents {
        m: 1 << 30,
        n: 1 << 30,
        k: 1,
        batches: 1,
    };
    let error = MatmulPlan::<f32>::new(&Device::emulator(), most).unwrap_err();
    assert!(
        matches!(
            error,
            Error::TooLarge {
                what: "the number of tiles of the result",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_plan_for_another_product_is_refused() {
    let device = Device::emulator();
    let extents = Extents {
        m: 2,
        n: 4,
        k: 5,
        batches: 1,
    };
    let mut plan = MatmulPlan::<f32>::new(&device, extents).unwrap();
    let text = refused([6, 12, 8], |stream, a, b, c| {
        let product = stream.matmul(Matrix::row_major(a, 2, 3), Matrix::row_major(b, 3, 4));
        product.plan(&mut plan).into(MatrixMut::row_major(c, 2, 4))
    });
    assert_eq!(
        text,
        "the plan is for K = 5, and the product has 3; make a plan for it"
    );
}

#[test]
fn memory_of_another_device_is_refused() {
    let other = Device::emulator_of(Model::CC_7_5);
    let theirs = other.filled(12, 1.0f32).unwrap();
    let text = refused([6, 12, 8], |stream, a, _, c| {
        let product = stream.matmul(Matrix::row_major(a, 2, 3), Matrix::row_major(&theirs, 3, 4));
        product.into(MatrixMut::row_major(c, 2, 4))
    });
    assert!(text.contains("belongs to"), "{text}");
}

#[test]
fn a_device_without_tensor_cores_refuses_their_kernels_and_has_others() {
    let extents = Extents {
        m: 300,
        n: 300,
        k: 300,
        batches: 1,
    };
    let (old, new) = (Device::emulator_of(Model::CC_7_5), Device::emulator());
    let of = |family| {
        let candidates = MatmulPlan::<Bf16>::candidates(&new, extents);
        candidates.into_iter().find(|x| x.family == family).unwrap()
    };
    let tensor = of(Family::Tensor);
    let error = MatmulPlan::<Bf16>::with(&old, extents, tensor).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a product on tensor cores needs compute capability 80, and the device has 75; take a plan of `MatmulPlan::new`"
    );
    let groups = of(Family::WarpGroups);
    let error = MatmulPlan::<Bf16>::with(&old, extents, groups).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a product by `wgmma`, which no other device has, needs compute capability 90, and the device has 75; take a plan of `MatmulPlan::new`"
    );
    let plan = MatmulPlan::<Bf16>::new(&old, extents).unwrap();
    assert_eq!(plan.candidate().family, Family::Simt);
}
