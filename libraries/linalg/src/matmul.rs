//! The product of two matrices: what is described, checked and launched.

use warploom::device_std::mma::Tf32;
use warploom::{DeviceBuffer, DeviceSlice, DeviceSliceMut, Launch, Stream};

use crate::Error;
use crate::arithmetic::{Arithmetic, Element, Output, Sum};
use crate::bulk::Lines;
use crate::call::{BATCHES, Call};
use crate::epilogue::{Epilogue, Place};
use crate::kernels::problem::{COLUMN_BIAS, NO_BIAS, Problem, ROW_BIAS};
use crate::kernels::splits::add_splits;
use crate::matrix::{Arrangement, IntoElements, Layout, Matrix, MatrixMut};
use crate::plan::{Candidate, Extents, Family, MatmulPlan, Ran, Refused, check_extents};

mod sealed {
    pub trait Sealed {}
    impl Sealed for warploom::Stream {}
}

/// Products of matrices, as methods of a [`Stream`].
pub trait Products: sealed::Sealed {
    /// `C = epilogue(alpha · A · B + beta · C + bias)`, one launch, or two if K is done in parts. CUDA: `cublasLtMatmul`, `cublasGemmEx`, `cublasGemmStridedBatched`.
    ///
    /// A has `m` rows and `k` columns, B has `k` rows and `n` columns, C has `m` rows and `n` columns, each row-major or column-major. There may be several
    /// of each; a single A or B (or one with a stride of 0) is multiplied with all of the other. Any size is possible: without rows, columns or matrices nothing
    /// happens; with `k = 0`, C becomes `epilogue(beta · C + bias)`. `alpha` is 1 and `beta` is 0 unless given; with `beta = 0`, C is not read.
    ///
    /// **Arithmetic**: that of the elements ([`Arithmetic`]); [`tf32`](Matmul::tf32) for `f32` on tensor cores. Sums of a tensor core are rounded as its instructions do
    /// ([`mma`](warploom::device_std::mma)), those of K in parts are added in order. Equal inputs and plans give equal bits.
    ///
    /// **Speed**: operands whose lines all begin at multiples of 16 bytes (buffer, leading distance, stride) are copied 16 bytes at a time. Others are gathered by elements,
    /// several times slower; so are operands of one byte whose neighbours are not along K. Results are stored four at a time where lines allow it.
    ///
    /// **Memory**: none, or for each part of K a sum for each element; from the device's pool without a plan. **Minimum compute capability**: 7.5; tensor cores from 8.0
    /// (8.9 for `E4m3` and `E5m2`); on 9.0, `wgmma` where bulk copies can read both operands ([`Family::WarpGroups`](crate::Family::WarpGroups)).
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_linalg::prelude::*;
    /// use warploom_linalg::relu;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let a = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?; // 1 2, 3 4
    /// let b = device.upload(&[1.0f32, 0.0, -1.0, 1.0])?; // 1 0, -1 1
    /// let mut c = device.zeroed::<f32>(4)?;
    /// let product = stream.matmul(Matrix::row_major(&a, 2, 2), Matrix::row_major(&b, 2, 2));
    /// product.epilogue(|x, _place| relu(x)).into(MatrixMut::row_major(&mut c, 2, 2))?;
    /// assert_eq!(c.to_vec(&stream)?, [0.0, 2.0, 0.0, 4.0]);
    /// # Ok::<(), warploom_linalg::Error>(())
    /// ```
    fn matmul<'a, T: Element, LA: Layout, LB: Layout>(
        &'a self,
        a: Matrix<'a, T, LA>,
        b: Matrix<'a, T, LB>,
    ) -> Matmul<'a, T::Arithmetic, LA, LB>;
}

impl Products for Stream {
    fn matmul<'a, T: Element, LA: Layout, LB: Layout>(
        &'a self,
        a: Matrix<'a, T, LA>,
        b: Matrix<'a, T, LB>,
    ) -> Matmul<'a, T::Arithmetic, LA, LB> {
        Matmul {
            stream: self,
            a,
            b,
            alpha: Sum::ONE,
            beta: Default::default(),
            bias: None,
            plan: None,
        }
    }
}

/// A product that was described and has not run; see [`Products::matmul`].
#[must_use = "nothing runs before `into`"]
pub struct Matmul<'a, A: Arithmetic, LA: Layout, LB: Layout> {
    stream: &'a Stream,
    a: Matrix<'a, A::Element, LA>,
    b: Matrix<'a, A::Element, LB>,
    alpha: A::Sum,
    beta: A::Sum,
    bias: Option<(DeviceSlice<'a, A::Sum>, Along)>,
    plan: Option<&'a mut MatmulPlan<A>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Along {
    Rows,
    Columns,
}

impl<'a, LA: Layout, LB: Layout> Matmul<'a, f32, LA, LB> {
    /// On tensor cores, which ignore the lowest 13 bits of each element: 10 bits of fraction are left, cut off and not rounded. Where there are none, as without this.
    pub fn tf32(self) -> Matmul<'a, Tf32, LA, LB> {
        Matmul {
            stream: self.stream,
            a: self.a,
            b: self.b,
            alpha: self.alpha,
            beta: self.beta,
            bias: self.bias,
            plan: None,
        }
    }
}

impl<'a, A: Arithmetic, LA: Layout, LB: Layout> Matmul<'a, A, LA, LB> {
    /// What the product is multiplied with.
    pub fn alpha(mut self, alpha: A::Sum) -> Self {
        self.alpha = alpha;
        self
    }

    /// What the former C is multiplied with before it is added.
    pub fn beta(mut self, beta: A::Sum) -> Self {
        self.beta = beta;
        self
    }

    /// Adds element `i` to all elements of row `i`, before the epilogue.
    pub fn row_bias(mut self, bias: impl IntoElements<'a, A::Sum>) -> Self {
        self.bias = Some((bias.elements(), Along::Rows));
        self
    }

    /// Adds element `j` to all elements of column `j`, before the epilogue.
    pub fn column_bias(mut self, bias: impl IntoElements<'a, A::Sum>) -> Self {
        self.bias = Some((bias.elements(), Along::Columns));
        self
    }

    /// Stores `epilogue(sum, place)`: [`relu`](crate::relu()), [`gelu`](crate::gelu()), a scale of each row … The last that is said of a product.
    pub fn epilogue<E>(self, epilogue: E) -> MatmulThen<'a, A, LA, LB, E>
    where
        E: Fn(A::Sum, Place) -> A::Sum + Copy + Send + Sync + 'static,
    {
        MatmulThen {
            product: self,
            epilogue,
        }
    }

    /// Uses the kernel and the memory of `plan`.
    pub fn plan(mut self, plan: &'a mut MatmulPlan<A>) -> Self {
        self.plan = Some(plan);
        self
    }

    /// What a plan for this product depends on.
    ///
    /// # Errors
    /// [`Error::DifferentSizes`] if the operands do not fit together.
    pub fn extents(&self) -> Result<Extents, Error> {
        let (a, b) = (&self.a.arranged, &self.b.arranged);
        same(
            ("the number of columns of A", a.columns),
            ("the number of rows of B", b.rows),
        )?;
        let batches = match (a.batches, b.batches) {
            (1, batches) | (batches, 1) => batches,
            (a, b) => {
                same(("the number of matrices A", a), ("that of B", b))?;
                a
            }
        };
        Ok(Extents {
            m: a.rows,
            n: b.columns,
            k: a.columns,
            batches,
        })
    }
}

/// A product with a function of each sum; see [`Matmul::epilogue`].
#[must_use = "nothing runs before `into`"]
pub struct MatmulThen<'a, A: Arithmetic, LA: Layout, LB: Layout, E> {
    product: Matmul<'a, A, LA, LB>,
    epilogue: E,
}

impl<A: Arithmetic, LA: Layout, LB: Layout, E: Epilogue<A::Sum>> MatmulThen<'_, A, LA, LB, E> {
    /// Queues the product; C is written. Does not wait.
    ///
    /// # Errors
    /// As [`Matmul::into`].
    pub fn into<O: Output<A::Sum>, LC: Layout>(self, c: MatrixMut<'_, O, LC>) -> Result<(), Error> {
        self.product.run(self.epilogue, c)
    }
}

impl<A: Arithmetic, LA: Layout, LB: Layout> Matmul<'_, A, LA, LB> {
    /// Queues the product; C is written. Does not wait.
    ///
    /// # Errors
    /// [`Error::DifferentSizes`], [`Error::TooShort`], [`Error::LinesOverlap`], [`Error::BatchesOverlap`], [`Error::TooLarge`], [`Error::OtherPlan`], before
    /// anything is launched; what launches and allocations report, such as memory of another device.
    pub fn into<O: Output<A::Sum>, LC: Layout>(self, c: MatrixMut<'_, O, LC>) -> Result<(), Error> {
        self.run(identity::<A::Sum>(), c)
    }

    /// Times the kernels that may be fast on the device, and gives the plan of the fastest. Waits. C is written again and again, so with a `beta` it has no useful
    /// values afterwards; the kernels are those of a product without an epilogue.
    ///
    /// Each of the `most` candidates that the estimate of [`MatmulPlan::new`] puts first runs four times, of which the best counts; 0 stands for 1. On the emulator,
    /// whose times say nothing of a GPU, it is the first.
    ///
    /// # Errors
    /// As [`into`](Self::into); what events report.
    pub fn autotune<O, LC>(
        self,
        most: usize,
        mut c: MatrixMut<'_, O, LC>,
    ) -> Result<MatmulPlan<A>, Error>
    where
        O: Output<A::Sum>,
        LC: Layout,
    {
        let extents = self.extents()?;
        self.check(extents, &c)?;
        let (stream, device) = (self.stream, self.stream.device());
        let candidates = MatmulPlan::<A>::candidates(device, self.seen::<LC>(extents));
        let mut best: Option<(f64, MatmulPlan<A>)> = None;
        let (start, end) = (device.event()?, device.event()?);
        // The maps of all tiles have the same needs.
        let problem = self.problem::<LC>(extents, &c.arranged);
        let bulk = self.maps::<LC>(&problem, [1; 2]).is_ok();
        let possible = candidates
            .into_iter()
            .filter(|candidate| bulk || candidate.family != Family::WarpGroups);
        for candidate in possible.take(most.max(1)) {
            let mut plan = MatmulPlan::with(device, extents, candidate)?;
            if !device.is_gpu() {
                return Ok(plan);
            }
            let mut fastest = f64::INFINITY;
            for _ in 0..4 {
                stream.record(&start)?;
                self.launch(&mut plan, identity::<A::Sum>(), &mut c)?;
                stream.record(&end)?;
                fastest = fastest.min(start.elapsed_ms(&end)?);
            }
            if best.as_ref().is_none_or(|(time, _)| fastest < *time) {
                best = Some((fastest, plan));
            }
        }
        match best {
            Some((_, plan)) => Ok(plan),
            None => MatmulPlan::new(device, extents),
        }
    }

    fn run<O, LC, E>(mut self, epilogue: E, mut c: MatrixMut<'_, O, LC>) -> Result<(), Error>
    where
        O: Output<A::Sum>,
        LC: Layout,
        E: Epilogue<A::Sum>,
    {
        let extents = self.extents()?;
        self.check(extents, &c)?;
        if let Some(plan) = self.plan.take() {
            return self.launch(plan, epilogue, &mut c);
        }
        let (stream, device) = (self.stream, self.stream.device());
        let seen = self.seen::<LC>(extents);
        let candidate = MatmulPlan::<A>::choose(device, seen, Self::across_k::<LC>().is_none());
        let pool = device.pool()?;
        let mut plan = MatmulPlan::with_memory(device, extents, candidate, |len| match len {
            0 => device.alloc_uninit(0),
            len => pool.alloc_uninit(len, stream),
        })?;
        self.launch(&mut plan, epilogue, &mut c)
    }

    /// The kernels write rows: of a column-major result they see the transposed product.
    fn seen<LC: Layout>(&self, extents: Extents) -> Extents {
        let Extents { m, n, .. } = extents;
        let (m, n) = if LC::ROWS { (m, n) } else { (n, m) };
        Extents { m, n, ..extents }
    }

    /// Queues the kernels of `plan`. The sizes were checked.
    fn launch<O, LC, E>(
        &self,
        plan: &mut MatmulPlan<A>,
        epilogue: E,
        c: &mut MatrixMut<'_, O, LC>,
    ) -> Result<(), Error>
    where
        O: Output<A::Sum>,
        LC: Layout,
        E: Epilogue<A::Sum>,
    {
        let Extents { m, n, batches, .. } = plan.extents;
        plan.ran = None;
        if m == 0 || n == 0 || batches == 0 {
            return Ok(());
        }
        let (stream, device) = (self.stream, self.stream.device());
        let mut problem = self.problem::<LC>(plan.extents, &c.arranged);
        let (mut number, mut tile) = MatmulPlan::<A>::tile_of(plan.candidate, &mut problem);
        let no_bias: DeviceBuffer<A::Sum>;
        let (mut maps, mut refused) = (None, None);
        if tile.family == Family::WarpGroups {
            match self.maps::<LC>(&problem, [tile.rows, tile.columns]) {
                Ok(both) => maps = Some(both),
                Err(reason) => {
                    refused = Some(reason);
                    (number, tile) = MatmulPlan::<A>::tile_of(plan.otherwise, &mut problem);
                }
            }
        }
        plan.ran = Some(Ran {
            kernel: Candidate::of_problem(number, &tile, &problem),
            refused,
        });
        let bias = match self.bias {
            Some((bias, _)) => bias,
            None => {
                no_bias = device.alloc_uninit(0)?;
                no_bias.as_slice()
            }
        };
        let (a, b) = (self.a.elements, self.b.elements);
        let (a, b) = if LC::ROWS { (a, b) } else { (b, a) };
        let call = Call {
            stream,
            a,
            b,
            maps,
            bias,
            problem,
            batches: batches as u32,
            shared_bytes: tile.shared_bytes,
            alpha: self.alpha,
            beta: self.beta,
            epilogue,
            c: c.elements.reborrow(),
            partial: plan.partial.as_slice_mut(),
        };
        A::launch::<LC::First<LA, LB>, LC::Second<LA, LB>, O, E>(number, call)?;
        if problem.splits > 1 {
            let after = (self.alpha, self.beta, epilogue);
            finish_parts(
                stream,
                plan.partial.as_slice(),
                (bias, problem, batches as u32),
                after,
                c.elements.reborrow(),
            )?;
        }
        Ok(())
    }

    /// Whether neighbours of each operand, as kernels see them, are along K.
    fn along_k<LC: Layout>() -> [bool; 2] {
        let (first, second) = (
            <LC::First<LA, LB> as Layout>::ROWS,
            <LC::Second<LA, LB> as Layout>::ROWS,
        );
        [first, !second]
    }

    /// The names of both operands, as kernels see them.
    fn names<LC: Layout>() -> [&'static str; 2] {
        if LC::ROWS { ["A", "B"] } else { ["B", "A"] }
    }

    /// The name of an operand for whose layout there is no kernel with bulk copies.
    fn across_k<LC: Layout>() -> Option<&'static str> {
        let [along, across] = A::ALONG_AND_ACROSS;
        let operands = Self::along_k::<LC>().into_iter().zip(Self::names::<LC>());
        operands
            .filter(|(along_k, _)| if *along_k { !along } else { !across })
            .map(|(_, name)| name)
            .next()
    }

    /// What bulk copies for tiles of so many rows and columns read both operands by, if they can.
    fn maps<LC: Layout>(
        &self,
        problem: &Problem,
        [rows, columns]: [u32; 2],
    ) -> Result<[A::Map<'_>; 2], Refused> {
        if let Some(operand) = Self::across_k::<LC>() {
            return Err(Refused::AcrossK { operand });
        }
        let (a, b) = (
            (self.a.elements, &self.a.arranged),
            (self.b.elements, &self.b.arranged),
        );
        let (a, b) = if LC::ROWS { (a, b) } else { (b, a) };
        let ([a_along_k, b_along_k], [a_name, b_name]) =
            (Self::along_k::<LC>(), Self::names::<LC>());
        let map = |(elements, of): (_, &Arrangement), along_k, stride, extent, tile, operand| {
            let lines = Lines {
                along_k,
                k: problem.k as usize,
                extent: extent as usize,
                matrices: if stride == 0 { 1 } else { of.batches },
                distances: [of.leading, of.stride],
            };
            A::map(elements, lines, tile as usize)
                .map_err(|source| Refused::Map { operand, source })
        };
        let (m, n) = (problem.m, problem.n);
        Ok([
            map(a, a_along_k, problem.stride_a, m, rows, a_name)?,
            map(b, b_along_k, problem.stride_b, n, columns, b_name)?,
        ])
    }

    /// All that can be wrong with the sizes.
    fn check<O: Output<A::Sum>, LC: Layout>(
        &self,
        extents: Extents,
        c: &MatrixMut<'_, O, LC>,
    ) -> Result<(), Error> {
        let Extents { m, n, batches, .. } = extents;
        same(
            ("the number of rows of A", m),
            ("the number of rows of C", c.arranged.rows),
        )?;
        same(
            ("the number of columns of B", n),
            ("the number of columns of C", c.arranged.columns),
        )?;
        same(
            ("the number of matrices A and B", batches),
            ("that of C", c.arranged.batches),
        )?;
        check_extents(extents)?;
        self.a.check("A")?;
        self.b.check("B")?;
        c.check("C")?;
        c.check_apart("C")?;
        if let Some((bias, along)) = &self.bias {
            let (what, of) = match along {
                Along::Rows => ("the number of rows", m),
                Along::Columns => ("the number of columns", n),
            };
            same((what, of), ("that of elements of the bias", bias.len()))?;
        }
        if let Some(plan) = &self.plan {
            let Extents { m, n, k, batches } = plan.extents;
            for (what, planned, given) in [
                ("M =", m, extents.m),
                ("N =", n, extents.n),
                ("K =", k, extents.k),
                ("a number of matrices of", batches, extents.batches),
            ] {
                if planned != given {
                    return Err(Error::OtherPlan {
                        what,
                        planned,
                        given,
                    });
                }
            }
        }
        Ok(())
    }

    /// The product as kernels see it, which write rows.
    fn problem<LC: Layout>(&self, extents: Extents, c: &Arrangement) -> Problem {
        let (a, b) = if LC::ROWS {
            (&self.a.arranged, &self.b.arranged)
        } else {
            (&self.b.arranged, &self.a.arranged)
        };
        let stride = |of: &Arrangement| if of.batches == 1 { 0 } else { of.stride as u64 };
        let (m, n) = if LC::ROWS {
            (extents.m, extents.n)
        } else {
            (extents.n, extents.m)
        };
        let bias = match self.bias {
            None => NO_BIAS,
            Some((_, along)) if (along == Along::Rows) == LC::ROWS => ROW_BIAS,
            Some(_) => COLUMN_BIAS,
        };
        Problem {
            lda: a.leading as u64,
            ldb: b.leading as u64,
            ldc: c.leading as u64,
            stride_a: stride(a),
            stride_b: stride(b),
            stride_c: stride(c),
            m: m as u32,
            n: n as u32,
            k: extents.k as u32,
            tiles_m: 0,
            tiles_n: 0,
            group: 1,
            splits: 1,
            part: 0,
            first_batch: 0,
            exchanged: u32::from(!LC::ROWS),
            bias,
            unused: 0,
        }
    }
}

/// Sums as they are: one closure, so that there is one kernel for all products without an epilogue.
fn identity<S: Sum>() -> impl Epilogue<S> {
    |sum, _place| sum
}

fn same(first: (&'static str, usize), second: (&'static str, usize)) -> Result<(), Error> {
    let ((first, first_size), (second, second_size)) = (first, second);
    if first_size == second_size {
        return Ok(());
    }
    Err(Error::DifferentSizes {
        first,
        first_size,
        second,
        second_size,
    })
}

/// Queues what follows the parts of K.
fn finish_parts<S: Sum, O: Output<S>, E: Epilogue<S>>(
    stream: &Stream,
    partial: DeviceSlice<'_, S>,
    (bias, mut problem, mut batches): (DeviceSlice<'_, S>, Problem, u32),
    (alpha, beta, epilogue): (S, S, E),
    mut c: DeviceSliceMut<'_, O>,
) -> Result<(), Error> {
    let quads = u64::from(problem.m) * u64::from(problem.n.div_ceil(4));
    while batches > 0 {
        let now = batches.min(BATCHES);
        let shape = Launch::new((quads.div_ceil(256) as u32, now), 256);
        add_splits::launch(
            stream, shape, partial, bias, problem, alpha, beta, epilogue, &mut c,
        )?;
        problem.first_batch += now;
        batches -= now;
    }
    Ok(())
}
