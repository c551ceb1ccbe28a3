//! An instruction of tensor cores: which register of which lane holds which element.

use super::{Kind, Shape, multiply_add};

/// Lanes of a warp.
const LANES: usize = 32;

/// A matrix that the registers of a warp hold.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    /// Elements in each lane.
    pub elements: u32,
    /// Bits of an element: 1, 4, 8, 16, 32 or 64. Elements of less than 32 bits share registers, the first in the lowest bits; one of 64 takes two.
    pub bits: u32,
    /// Row and column of element `i` of lane `lane`, as `coords(lane, i)`.
    pub coords: fn(u32, u32) -> (u32, u32),
}

/// `D = A · B + C` by the 32 lanes of a warp.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// The name in messages. Lanes meet by it, so it tells instructions apart.
    pub name: &'static str,
    /// The types.
    pub kind: Kind,
    /// The shape of the matrices.
    pub shape: Shape,
    /// Rows and columns of A: `m` and `k`.
    pub a: Fragment,
    /// Rows and columns of B: `k` and `n`.
    pub b: Fragment,
    /// Rows and columns of C: `m` and `n`.
    pub c: Fragment,
    /// Rows and columns of D: `m` and `n`.
    pub d: Fragment,
}

impl Fragment {
    /// Registers of 32 bits in each lane.
    #[must_use]
    pub const fn registers(&self) -> usize {
        (self.elements * self.bits).div_ceil(32) as usize
    }

    /// Bits of element `i` of a lane that has these registers.
    fn get(&self, registers: &[u32], i: u32) -> u64 {
        let at = (i * self.bits / 32) as usize;
        match self.bits {
            64 => u64::from(registers[at]) | u64::from(registers[at + 1]) << 32,
            bits => {
                let register = u64::from(registers[at]);
                register >> (i * bits % 32) & ((1 << bits) - 1)
            }
        }
    }

    pub(super) fn set(&self, registers: &mut [u32], i: u32, value: u64) {
        let at = (i * self.bits / 32) as usize;
        match self.bits {
            64 => {
                registers[at] = value as u32;
                registers[at + 1] = (value >> 32) as u32;
            }
            bits => {
                let (shift, mask) = (i * bits % 32, (1u64 << bits) - 1);
                registers[at] &= !((mask as u32) << shift);
                registers[at] |= (value as u32) << shift;
            }
        }
    }

    /// Every element of the fragment: lane, number in the lane, place in a matrix of `columns` columns in row-major order.
    pub(super) fn places(&self, columns: usize) -> impl Iterator<Item = (usize, u32, usize)> {
        (0..LANES).flat_map(move |lane| {
            (0..self.elements).map(move |i| {
                let (row, column) = (self.coords)(lane as u32, i);
                (lane, i, row as usize * columns + column as usize)
            })
        })
    }

    /// The matrix of `rows` rows that the lanes hold from register `first` on.
    pub(super) fn matrix<const N: usize>(
        &self,
        lanes: &[[u32; N]; LANES],
        first: usize,
        (rows, columns): (usize, usize),
    ) -> Vec<u64> {
        let mut matrix = vec![0; rows * columns];
        for (lane, i, at) in self.places(columns) {
            matrix[at] = self.get(&lanes[lane][first..], i);
        }
        matrix
    }
}

impl Instruction {
    /// Registers of a lane that the instruction reads: those of A, B and C.
    #[must_use]
    pub const fn operands(&self) -> usize {
        self.a.registers() + self.b.registers() + self.c.registers()
    }

    /// Carries it out. Each lane has the registers of A, then those of B, then those of C; afterwards it begins with those of D.
    pub fn execute<const N: usize>(&self, lanes: &mut [[u32; N]; LANES]) {
        let Shape { m, n, k } = self.shape;
        let (of_b, of_c) = (self.a.registers(), self.a.registers() + self.b.registers());
        let a = self.a.matrix(lanes, 0, (m, k));
        let b = self.b.matrix(lanes, of_b, (k, n));
        let mut d = self.c.matrix(lanes, of_c, (m, n));
        multiply_add(self.kind, self.shape, &a, &b, &mut d);
        for (lane, i, at) in self.d.places(n) {
            self.d.set(&mut lanes[lane], i, d[at]);
        }
    }
}
