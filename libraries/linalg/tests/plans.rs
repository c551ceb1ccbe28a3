//! Plans: which kernel runs, in graphs, with parts of K.

use warploom::Graph;
use warploom::prelude::*;
use warploom_harness::device_test::devices;
use warploom_linalg::prelude::*;
use warploom_linalg::{Error, Extents, Family, MatmulPlan};

use crate::reference::noise;

const EXTENTS: Extents = Extents {
    m: 48,
    n: 80,
    k: 640,
    batches: 1,
};

fn product(
    stream: &Stream,
    (a, b): (&DeviceBuffer<Bf16>, &DeviceBuffer<Bf16>),
    plan: &mut MatmulPlan<Bf16>,
    c: &mut DeviceBuffer<f32>,
) -> Result<(), Error> {
    let Extents { m, n, k, .. } = EXTENTS;
    let (a, b) = (Matrix::row_major(a, m, k), Matrix::column_major(b, k, n));
    stream
        .matmul(a, b)
        .plan(plan)
        .into(MatrixMut::row_major(c, m, n))
}

fn operands(device: &Device) -> warploom::Result<(DeviceBuffer<Bf16>, DeviceBuffer<Bf16>)> {
    let Extents { m, n, k, .. } = EXTENTS;
    Ok((
        device.upload(&noise::<Bf16>(m * k, 1))?,
        device.upload(&noise::<Bf16>(k * n, 2))?,
    ))
}

#[test]
fn parts_of_k_give_the_same_bits_in_each_run() {
    for device in devices() {
        let run = || -> Result<Vec<f32>, Error> {
            let stream = device.stream()?;
            let (a, b) = operands(&device)?;
            let mut c = device.zeroed(EXTENTS.m * EXTENTS.n)?;
            let candidates = MatmulPlan::<Bf16>::candidates(&device, EXTENTS);
            let parts = candidates
                .into_iter()
                .find(|candidate| candidate.splits > 1)
                .unwrap();
            let mut plan = MatmulPlan::with(&device, EXTENTS, parts)?;
            assert_eq!(
                plan.bytes(),
                EXTENTS.m * EXTENTS.n * 4 * parts.splits as usize
            );
            product(&stream, (&a, &b), &mut plan, &mut c)?;
            Ok(c.to_vec(&stream)?)
        };
        let bits = |c: Vec<f32>| -> Vec<u32> { c.into_iter().map(f32::to_bits).collect() };
        assert_eq!(
            bits(run().unwrap()),
            bits(run().unwrap()),
            "{}",
            device.name()
        );
    }
}

#[test]
fn a_product_with_a_plan_runs_in_a_graph() {
    for device in devices() {
        let run = || -> Result<(), Error> {
            let stream = device.stream()?;
            let (a, b) = operands(&device)?;
            let size = EXTENTS.m * EXTENTS.n;
            let (mut direct, mut recorded) = (device.zeroed(size)?, device.zeroed(size)?);
            let mut plan = MatmulPlan::new(&device, EXTENTS)?;
            product(&stream, (&a, &b), &mut plan, &mut direct)?;
            let graph = Graph::capture(&device, |stream| {
                product(stream, (&a, &b), &mut plan, &mut recorded)
            })?;
            graph.instantiate()?.launch(&stream)?;
            assert_eq!(direct.to_vec(&stream)?, recorded.to_vec(&stream)?);
            Ok(())
        };
        run().unwrap_or_else(|error| panic!("{}: {error}", device.name()));
    }
}

#[test]
fn the_plan_of_a_skinny_product_has_parts_of_k() {
    let extents = Extents {
        m: 16,
        n: 256,
        k: 16384,
        batches: 1,
    };
    let plan = MatmulPlan::<Bf16>::new(&Device::emulator(), extents).unwrap();
    assert!(plan.candidate().splits > 1, "{:?}", plan.candidate());
}

#[test]
fn the_plan_of_a_large_product_has_a_large_tile_of_warp_groups() {
    let extents = Extents {
        m: 8192,
        n: 8192,
        k: 8192,
        batches: 1,
    };
    let candidate = MatmulPlan::<Bf16>::new(&Device::emulator(), extents)
        .unwrap()
        .candidate();
    assert_eq!(
        (candidate.family, candidate.splits),
        (Family::WarpGroups, 1)
    );
    assert!(
        candidate.rows * candidate.columns >= 128 * 128,
        "{candidate:?}"
    );
}

#[test]
fn autotune_gives_a_plan_that_runs() {
    for device in devices() {
        let run = || -> Result<(), Error> {
            let stream = device.stream()?;
            let (a, b) = operands(&device)?;
            let Extents { m, n, k, .. } = EXTENTS;
            let (mut tuned, mut c) = (device.zeroed::<f32>(m * n)?, device.zeroed(m * n)?);
            let matrices = (Matrix::row_major(&a, m, k), Matrix::column_major(&b, k, n));
            let found = stream.matmul(matrices.0, matrices.1);
            let mut plan = found.autotune(3, MatrixMut::row_major(&mut tuned, m, n))?;
            product(&stream, (&a, &b), &mut plan, &mut c)?;
            let mut usual = MatmulPlan::new(&device, EXTENTS)?;
            product(&stream, (&a, &b), &mut usual, &mut tuned)?;
            for (x, y) in c.to_vec(&stream)?.into_iter().zip(tuned.to_vec(&stream)?) {
                assert!((x - y).abs() < 0.01, "{x} {y}");
            }
            Ok(())
        };
        run().unwrap_or_else(|error| panic!("{}: {error}", device.name()));
    }
}

#[test]
fn a_candidate_that_was_changed_is_that_of_its_tile() {
    for device in devices() {
        let run = || -> Result<(), Error> {
            let stream = device.stream()?;
            let (a, b) = operands(&device)?;
            for candidate in MatmulPlan::<Bf16>::candidates(&device, EXTENTS) {
                let results = |candidate| -> Result<Vec<f32>, Error> {
                    let mut c = device.zeroed(EXTENTS.m * EXTENTS.n)?;
                    let mut plan = MatmulPlan::with(&device, EXTENTS, candidate)?;
                    product(&stream, (&a, &b), &mut plan, &mut c)?;
                    Ok(c.to_vec(&stream)?)
                };
                let mut changed = candidate;
                changed.family = Family::Simt;
                (changed.rows, changed.columns, changed.group) = (1, u32::MAX, u32::MAX);
                assert_eq!(results(changed)?, results(candidate)?, "{candidate:?}");
                changed.splits = u32::MAX;
                let largest = results(candidate)?
                    .into_iter()
                    .fold(0f32, |most, x| most.max(x.abs()));
                for (parts, one) in results(changed)?.into_iter().zip(results(candidate)?) {
                    assert!(
                        (parts - one).abs() <= 1e-5 * largest,
                        "{candidate:?}: {parts} and {one}"
                    );
                }
            }
            Ok(())
        };
        run().unwrap();
    }
}
