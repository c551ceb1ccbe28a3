//! What is measured: elements, layouts, sizes.

use std::error::Error;

use warploom::device_std::mma::{E4m3, Tf32};
use warploom::prelude::*;
use warploom_linalg::prelude::*;
use warploom_linalg::{Layout, Matmul};

use crate::bench::{Bench, Side};
use crate::peers::{Compute, DataType};

/// The extents of a product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
}

/// Compares and times a row at a size.
type Run = fn(&mut Bench, &Row, Size) -> Result<(), Box<dyn Error>>;

/// A row of the table.
pub(crate) struct Row {
    /// Elements and layouts: `tn` has neighbours along K in both operands, `nn` in A alone, `tt` in B alone, `nt` in none.
    pub(crate) kind: &'static str,
    /// Where the size is from.
    pub(crate) of: &'static str,
    pub(crate) size: Size,
    pub(crate) run: Run,
}

impl Row {
    /// A size with edges, for the emulator; the smallest cube is one of 256, whose time is that of the emulator.
    pub(crate) fn small(&self) -> Size {
        if self.of == "cube" && self.size.m == 1024 {
            return cube(256).1;
        }
        let small = |extent: usize| extent.min(72 + extent % 32);
        Size {
            m: small(self.size.m),
            n: small(self.size.n),
            k: small(self.size.k),
        }
    }
}

const fn cube(n: usize) -> (&'static str, Size) {
    ("cube", Size { m: n, n, k: n })
}

const fn model(of: &'static str, m: usize, n: usize, k: usize) -> (&'static str, Size) {
    (of, Size { m, n, k })
}

/// Layers of language models: tokens, outputs, inputs.
const MODELS: [(&str, Size); 20] = [
    model("Llama 3 8B qkv, 1 token", 1, 6144, 4096),
    model("Llama 3 8B up, 1 token", 1, 28672, 4096),
    model("Llama 3 8B qkv, 16 tokens", 16, 6144, 4096),
    model("Llama 3 8B down, 16 tokens", 16, 4096, 14336),
    model("Llama 3 8B up, 64 tokens", 64, 28672, 4096),
    model("Llama 3 8B down, 64 tokens", 64, 4096, 14336),
    model("Llama 3 8B out, 128 tokens", 128, 4096, 4096),
    model("Llama 3 8B qkv, 512 tokens", 512, 6144, 4096),
    model("Llama 3 8B up, 512 tokens", 512, 28672, 4096),
    model("Llama 3 8B down, 512 tokens", 512, 4096, 14336),
    model("Llama 3 8B qkv, 2048 tokens", 2048, 6144, 4096),
    model("Llama 3 8B out, 2048 tokens", 2048, 4096, 4096),
    model("Llama 3 8B up, 2048 tokens", 2048, 28672, 4096),
    model("Llama 3 8B down, 2048 tokens", 2048, 4096, 14336),
    model("Llama 3 8B logits, 512 tokens", 512, 128_256, 4096),
    model("GPT-2 qkv, 1024 tokens", 1024, 2304, 768),
    model("GPT-2 up, 1024 tokens", 1024, 3072, 768),
    model("GPT-2 down, 1024 tokens", 1024, 768, 3072),
    model("GPT-2 logits, 1024 tokens", 1024, 50257, 768),
    model("LoRA, 4096 tokens", 4096, 16, 4096),
];

/// The rows, in their order.
pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |kind, run, sizes: &[(&'static str, Size)]| {
        rows.extend(sizes.iter().map(|&(of, size)| Row {
            kind,
            of,
            size,
            run,
        }));
    };
    let cubes = [cube(1024), cube(2048), cube(4096), cube(8192)];
    add("bf16 tn", bf16_tn as _, &cubes);
    add("bf16 tn", bf16_tn as _, &[cube(16384)]);
    add("bf16 tn", bf16_tn as _, &MODELS);
    add("bf16 to f32 tn", bf16_to_f32 as _, &cubes);
    add("bf16 nn", bf16_nn as _, &cubes);
    add("bf16 nt", bf16_nt as _, &cubes[2..]);
    add("bf16 tt", bf16_tt as _, &cubes[2..]);
    add("f16 tn", f16_tn as _, &cubes);
    add("tf32 tn", tf32_tn as _, &cubes);
    add("f32 nn", f32_nn as _, &cubes);
    add("f64 nn", f64_nn as _, &cubes[..3]);
    add("i8 tn", i8_tn as _, &cubes);
    add("e4m3 tn", e4m3_tn as _, &cubes);
    rows
}

macro_rules! runs {
    ($($name:ident: $arithmetic:ident $element:ident $output:ident, $a:ident $b:ident, $data:ident $results:ident $compute:ident, $tolerance:literal $($tf32:ident)?;)*) => {$(
        fn $name(bench: &mut Bench, row: &Row, size: Size) -> Result<(), Box<dyn Error>> {
            let Size { m, n, k } = size;
            let side = Side {
                compute: Compute::$compute,
                operands: DataType::$data,
                results: DataType::$results,
                rows_a: stringify!($a) == "row_major",
                rows_b: stringify!($b) == "row_major",
                tolerance: $tolerance,
            };
            bench.compare::<$arithmetic, $output, _, _>(row, size, side, |stream, a, b| {
                product(stream, Matrix::$a(a, m, k), Matrix::$b(b, k, n))$(.$tf32())?
            })
        }
    )*};
}

fn product<'a, T: warploom_linalg::Element, LA: Layout, LB: Layout>(
    stream: &'a Stream,
    a: Matrix<'a, T, LA>,
    b: Matrix<'a, T, LB>,
) -> Matmul<'a, T::Arithmetic, LA, LB> {
    stream.matmul(a, b)
}

runs! {
    bf16_tn: Bf16 Bf16 Bf16, row_major column_major, Bf16 Bf16 F32, 0.01;
    bf16_to_f32: Bf16 Bf16 f32, row_major column_major, Bf16 F32 F32, 0.01;
    bf16_nn: Bf16 Bf16 Bf16, row_major row_major, Bf16 Bf16 F32, 0.01;
    bf16_nt: Bf16 Bf16 Bf16, column_major row_major, Bf16 Bf16 F32, 0.01;
    bf16_tt: Bf16 Bf16 Bf16, column_major column_major, Bf16 Bf16 F32, 0.01;
    f16_tn: F16 F16 F16, row_major column_major, F16 F16 F32, 0.002;
    tf32_tn: Tf32 f32 f32, row_major column_major, F32 F32 Tf32, 0.004 tf32;
    f32_nn: f32 f32 f32, row_major row_major, F32 F32 F32, 0.00001;
    f64_nn: f64 f64 f64, row_major row_major, F64 F64 F64, 0.0000000000001;
    i8_tn: i8 i8 i32, row_major column_major, I8 I32 I32, 0.0;
    e4m3_tn: E4m3 E4m3 Bf16, row_major column_major, E4m3 Bf16 F32, 0.02;
}
