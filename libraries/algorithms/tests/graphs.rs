//! Algorithms with a plan are recorded in graphs, and run there again and again.

use warploom::Graph;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{ByKeyPlan, ReducePlan, ScanPlan, SelectPlan};

use crate::{check, noise};

const N: usize = 10_000;

#[test]
fn algorithms_with_plans_run_in_graphs() {
    let x = noise(N);
    let kept: Vec<u32> = x.iter().copied().filter(|x| x % 2 == 0).collect();
    let running = |sum: &mut u32, x: &u32| {
        *sum = sum.wrapping_add(*x);
        Some(*sum)
    };
    let sums: Vec<u32> = kept.iter().scan(0, running).collect();
    let total = kept.iter().fold(0u32, |a, b| a.wrapping_add(*b));
    let mut expected = vec![total, kept.len() as u32];
    expected.extend(&sums);
    check(&expected, |device, stream| {
        let mut x = device.upload(&vec![0; N])?;
        let (mut selected, mut sums, mut total) =
            (device.zeroed(N)?, device.zeroed(N)?, device.zeroed(1)?);
        let (mut keys, mut lengths) = (device.zeroed(N)?, device.zeroed(N)?);
        let (mut count, mut runs) = (device.zeroed(1)?, device.zeroed(1)?);
        let mut select = SelectPlan::new(device, N)?;
        let (mut scan, mut reduce) = (ScanPlan::new(device, N)?, ReducePlan::new(device, N)?);
        let mut by_key = ByKeyPlan::new(device, N)?;
        let graph = Graph::capture(device, |stream| -> Result<(), warploom_algorithms::Error> {
            let even = stream.select(&x, |x| x % 2 == 0).plan(&mut select);
            even.into(&mut selected, &mut count)?;
            let add = stream.inclusive_scan(&selected, u32::wrapping_add);
            add.plan(&mut scan).into(&mut sums)?;
            let add = stream.reduce(&selected, 0, u32::wrapping_add);
            add.plan(&mut reduce).into(&mut total)?;
            let even = x.input().map(|x| (x % 2, 1));
            let lengths_of_runs = stream.by_key(even, u32::wrapping_add).plan(&mut by_key);
            lengths_of_runs.reduce(&mut keys, &mut lengths, &mut runs)
        })?;
        let graph = graph.instantiate()?;
        graph.launch(stream)?;
        x.copy_from(0, &noise(N), stream)?;
        graph.launch(stream)?;
        graph.launch(stream)?;
        let count: u64 = count.get(0, stream)?;
        let mut result = vec![total.get(0, stream)?, count as u32];
        result.extend(sums.slice(..count as usize)?.to_vec(stream)?);
        let lengths: Vec<u32> = lengths
            .slice(..runs.get(0, stream)? as usize)?
            .to_vec(stream)?;
        assert_eq!(
            lengths.iter().sum::<u32>(),
            N as u32,
            "all elements are in runs"
        );
        Ok(result)
    });
}
