//! A product of a warp group, as far as one of its warps computes it: which kind it is, and where its operands lie in shared memory.

use super::fused::{self, Precision};
use super::{Float, Integer, Kind, Sum, Value};

/// What the number of an instruction says; `kernel-build/src/lower/warp_group.rs` has the table of its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupProduct {
    pub(crate) kind: Kind,
    pub(crate) columns: usize,
    pub(crate) a_in_registers: bool,
    pub(crate) a_transposed: bool,
    pub(crate) b_transposed: bool,
    /// Whether D is replaced instead of added to.
    pub(crate) replaces: bool,
}

/// Rows of D, and of A, that a warp has.
pub(crate) const ROWS: usize = 16;

#[derive(Clone, Copy)]
enum Input {
    Float(Float),
    Integer(Integer),
}

impl Input {
    fn of(number: u32) -> Option<Self> {
        let integer = |signed| Self::Integer(Integer { bits: 8, signed });
        Some(match number {
            0 => Self::Float(Float::F16),
            1 => Self::Float(Float::Bf16),
            2 => Self::Float(Float::Tf32),
            3 => Self::Float(Float::E4m3),
            4 => Self::Float(Float::E5m2),
            5 => integer(true),
            6 => integer(false),
            _ => return None,
        })
    }
}

impl GroupProduct {
    /// `None` for a number that stands for no instruction.
    pub(crate) fn of(number: u32) -> Option<Self> {
        let bit = |at: u32| number >> at & 1 == 1;
        let (a, b) = (Input::of(number >> 6 & 15)?, Input::of(number >> 10 & 15)?);
        let kind = match (a, b, number >> 14 & 3) {
            (Input::Float(a), Input::Float(b), sum @ (0 | 1)) => {
                let sum = if sum == 0 { Sum::F16 } else { Sum::F32 };
                Kind::Float {
                    a,
                    b,
                    c: sum,
                    d: sum,
                }
            }
            (Input::Integer(a), Input::Integer(b), 2) => Kind::Integer {
                a,
                b,
                saturates: false,
            },
            _ => return None,
        };
        Some(Self {
            kind,
            columns: 8 * (number & 63) as usize,
            a_in_registers: bit(16),
            a_transposed: bit(17),
            b_transposed: bit(18),
            replaces: bit(19),
        })
    }

    /// Bits of an element of A and B.
    pub(crate) fn bits(&self) -> u32 {
        self.kind.bits()[0]
    }

    /// Bits of an element of D.
    pub(crate) fn sum_bits(&self) -> u32 {
        self.kind.bits()[3]
    }

    /// Columns of A and rows of B.
    pub(crate) fn k(&self) -> usize {
        256 / self.bits() as usize
    }

    /// `d = a · b + d`, or without `+ d`, of bits: `a` has 16 rows of k elements, `b` as many columns as D, each of k elements, `d` has rows.
    pub(crate) fn compute(&self, a: &[u64], b: &[u64], d: &mut [u64]) {
        let (k, n) = (self.k(), self.columns);
        if self.replaces {
            d.fill(0);
        }
        match self.kind {
            Kind::Float {
                a: of_a,
                b: of_b,
                d: sum,
                ..
            } => {
                let decoded = |of: Float, bits: &[u64]| -> Vec<Value> {
                    bits.iter().map(|bits| of.decode_own(*bits)).collect()
                };
                let (a, b) = (decoded(of_a, a), decoded(of_b, b));
                let precision = match of_a {
                    Float::E4m3 | Float::E5m2 => Precision::OfBytes,
                    _ => Precision::Full,
                };
                for (at, d) in d.iter_mut().enumerate() {
                    let row = &a[at / n * k..][..k];
                    let column = &b[at % n * k..][..k];
                    *d = fused::dot_with(row, column, *d, sum, precision);
                }
            }
            Kind::Integer {
                a: of_a, b: of_b, ..
            } => {
                for (at, d) in d.iter_mut().enumerate() {
                    let row = &a[at / n * k..][..k];
                    let column = &b[at % n * k..][..k];
                    let products = row.iter().zip(column);
                    let sum: i64 = products.map(|(a, b)| of_a.value(*a) * of_b.value(*b)).sum();
                    *d = u64::from((*d as u32).wrapping_add(sum as u32));
                }
            }
            Kind::Double | Kind::Bits(_) => unreachable!("no warp group multiplies these"),
        }
    }
}

/// Where the lines of an operand lie in shared memory: what its descriptor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    start: usize,
    leading: usize,
    stride: usize,
    /// Bytes of a row of a panel.
    span: usize,
    transposed: bool,
}

impl Lines {
    pub(crate) fn of(start: usize, descriptor: u64, transposed: bool) -> Self {
        Self {
            start,
            leading: (descriptor >> 16 & 0x3fff) as usize * 16,
            stride: (descriptor >> 32 & 0x3fff) as usize * 16,
            span: [16, 128, 64, 32][(descriptor >> 62) as usize],
            transposed,
        }
    }

    /// The address of 16 bytes of a line: those from byte `16 · chunk` on, not transposed; transposed, the elements `8 · chunk` and following of the
    /// row of one k, which `line` is then.
    fn chunk(&self, line: usize, chunk: usize) -> usize {
        let (eight, within) = (line / 8, line % 8);
        let in_panel = self.span / 16;
        let linear = self.start
            + match (self.span, self.transposed) {
                (16, false) => eight * self.stride + within * 16 + chunk * self.leading,
                (16, true) => eight * self.leading + within * 16 + chunk * self.stride,
                (span, false) => eight * self.stride + within * span + chunk * 16,
                (span, true) => {
                    chunk / in_panel * self.leading
                        + eight * self.stride
                        + within * span
                        + chunk % in_panel * 16
                }
            };
        linear ^ ((linear >> 7 & (in_panel - 1)) << 4)
    }

    /// The addresses of all chunks of `lines` lines of 32 bytes.
    pub(crate) fn chunks(&self, lines: usize) -> Vec<usize> {
        let (rows, columns) = match self.transposed {
            false => (lines, 2),
            true => (16, lines / 8),
        };
        (0..rows)
            .flat_map(|row| (0..columns).map(move |chunk| self.chunk(row, chunk)))
            .collect()
    }

    /// The elements of `lines` lines, each of 32 bytes, from line `first` on; `read` gives the 16 bytes at an address.
    pub(crate) fn elements(
        &self,
        (first, lines): (usize, usize),
        bits: u32,
        read: impl Fn(usize) -> [u8; 16],
    ) -> Vec<u64> {
        let bytes = bits as usize / 8;
        let element = |chunk: [u8; 16], i: usize| {
            let own = &chunk[i * bytes..][..bytes];
            own.iter()
                .rev()
                .fold(0, |bits, byte| bits << 8 | u64::from(*byte))
        };
        let k = 32 / bytes;
        let per_chunk = 16 / bytes;
        let mut elements = Vec::with_capacity(lines * k);
        for line in first..first + lines {
            for k in 0..k {
                elements.push(match self.transposed {
                    false => element(read(self.chunk(line, k / per_chunk)), k % per_chunk),
                    true => element(read(self.chunk(k, line / per_chunk)), line % per_chunk),
                });
            }
        }
        elements
    }
}
