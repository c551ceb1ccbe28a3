//! The rungs in their order, and how each is launched.

use std::error::Error;

use warploom::prelude::*;
use warploom::tensor::{L2Promotion, Swizzle};
use warploom::{TensorMap, TensorMapMut};

use super::tiles::{K, M, N, PIECE};
use super::{roles, threads, together, warps};

/// `c = a · bᵀ`: `a` has `m` rows, `b` has `n` rows, both of `k` columns. Multiples of the tiles of all rungs.
pub(crate) struct Problem<'p> {
    pub(crate) stream: &'p Stream,
    pub(crate) a: &'p DeviceBuffer<Bf16>,
    pub(crate) b: &'p DeviceBuffer<Bf16>,
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
}

type Done = Result<(), Box<dyn Error>>;

/// A kernel of the table.
pub(crate) struct Rung {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Problem<'_>, &mut DeviceBuffer<Bf16>) -> Done,
}

/// All of them.
pub(crate) const RUNGS: [Rung; 10] = [
    Rung {
        name: "1 a result for each thread",
        run: each_result,
    },
    Rung {
        name: "2 tiles in shared memory",
        run: shared_tiles,
    },
    Rung {
        name: "3 `mma.sync`",
        run: warps,
    },
    Rung {
        name: "4 `wgmma` and bulk copies",
        run: |problem, c| together(problem, c, 1),
    },
    Rung {
        name: "5 a ring of four stages",
        run: |problem, c| together(problem, c, 4),
    },
    Rung {
        name: "6 warps with roles",
        run: |problem, c| roles(problem, c, u32::MAX, 1),
    },
    Rung {
        name: "7 rows of tiles together",
        run: |problem, c| roles(problem, c, u32::MAX, 8),
    },
    Rung {
        name: "8 a block for each multiprocessor",
        run: |problem, c| roles(problem, c, multiprocessors(problem), 8),
    },
    Rung {
        name: "9 results stored by bulk copies",
        run: |problem, c| in_bulk(problem, c, false),
    },
    Rung {
        name: "10 clusters of two blocks",
        run: |problem, c| in_bulk(problem, c, true),
    },
];

fn multiprocessors(problem: &Problem<'_>) -> u32 {
    problem.stream.device().limits().multiprocessors.max(2)
}

fn each_result(problem: &Problem<'_>, c: &mut DeviceBuffer<Bf16>) -> Done {
    let &Problem {
        stream,
        a,
        b,
        m,
        n,
        k,
    } = problem;
    threads::each_result::launch(stream, Launch::covering(m * n), a, b, n as u32, k as u32, c)?;
    Ok(())
}

fn shared_tiles(problem: &Problem<'_>, c: &mut DeviceBuffer<Bf16>) -> Done {
    let &Problem {
        stream,
        a,
        b,
        m,
        n,
        k,
    } = problem;
    let side = threads::SIDE;
    let grid = ((n / side) as u32, (m / side) as u32);
    let shape = Launch::new(grid, (side as u32, side as u32));
    threads::shared_tiles::launch(stream, shape, a, b, k as u32, c.view_2d_mut(n)?)?;
    Ok(())
}

fn warps(problem: &Problem<'_>, c: &mut DeviceBuffer<Bf16>) -> Done {
    let &Problem {
        stream,
        a,
        b,
        m,
        n,
        k,
    } = problem;
    let blocks = (m / warps::SIDE * (n / warps::SIDE)) as u32;
    warps::warps::launch(stream, (blocks, 128), a, b, n as u32, k as u32, c)?;
    Ok(())
}

/// What bulk copies read an operand by: boxes of so many lines.
fn map(
    of: &DeviceBuffer<Bf16>,
    k: usize,
    lines: usize,
) -> Result<TensorMap<'_, Bf16, 2>, Box<dyn Error>> {
    Ok(TensorMap::builder(of.as_slice(), [k, of.len() / k])
        .block([K, lines])
        .swizzle(Swizzle::B128)
        .l2_promotion(L2Promotion::B256)
        .build()?)
}

fn together(problem: &Problem<'_>, c: &mut DeviceBuffer<Bf16>, stages: u32) -> Done {
    let &Problem {
        stream,
        a,
        b,
        m,
        n,
        k,
    } = problem;
    let (a, b) = (map(a, k, M)?, map(b, k, N)?);
    let blocks = (m / M * (n / N)) as u32;
    let shape = Launch::new(blocks, 256).dynamic_shared(stages * together::BYTES);
    let (n, k) = (n as u32, k as u32);
    if stages == 1 {
        together::one_stage::launch(stream, shape, &a, &b, n, k, c)?;
    } else {
        together::four_stages::launch(stream, shape, &a, &b, n, k, c)?;
    }
    Ok(())
}

fn roles(problem: &Problem<'_>, c: &mut DeviceBuffer<Bf16>, most: u32, rows: u32) -> Done {
    let &Problem {
        stream,
        a,
        b,
        m,
        n,
        k,
    } = problem;
    let (a, b) = (map(a, k, M)?, map(b, k, N)?);
    let blocks = ((m / M * (n / N)) as u32).min(most);
    let shape = Launch::new(blocks, 384).dynamic_shared(roles::BYTES);
    roles::roles::launch(stream, shape, &a, &b, m as u32, n as u32, k as u32, rows, c)?;
    Ok(())
}

fn in_bulk(problem: &Problem<'_>, c: &mut DeviceBuffer<Bf16>, clusters: bool) -> Done {
    let &Problem {
        stream,
        a,
        b,
        m,
        n,
        k,
    } = problem;
    let (a, b) = (map(a, k, M)?, map(b, k, if clusters { N / 2 } else { N })?);
    let mut c = TensorMapMut::builder(c.as_slice_mut(), [n, m])
        .block([PIECE, 64])
        .swizzle(Swizzle::B128)
        .build()?;
    let blocks = ((m / M * (n / N)) as u32).min(multiprocessors(problem)) / 2 * 2;
    let shape = Launch::new(blocks, 384).dynamic_shared(roles::BYTES);
    let (m, n, k) = (m as u32, n as u32, k as u32);
    if clusters {
        roles::clusters::launch(stream, shape, &a, &b, m, n, k, 4, &mut c)?;
    } else {
        roles::bulk_stores::launch(stream, shape, &a, &b, m, n, k, 8, &mut c)?;
    }
    Ok(())
}
