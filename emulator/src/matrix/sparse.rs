//! Products with a sparse A: of each group of neighbours in a row only half are there, and a word in each lane says which.

use super::{Fragment, Instruction, Shape, multiply_add};

/// Lanes of a warp.
const LANES: usize = 32;
/// Groups whose places are in one word.
const GROUPS: usize = 8;

/// `D = A · B + C` by the 32 lanes of a warp, where A is sparse.
#[derive(Clone, Copy, Debug)]
pub struct SparseInstruction {
    /// The name, the types, the shape of the whole matrices and their fragments, but for A: that of the elements which are there, of `m` rows and `k / 2`
    /// columns.
    pub product: Instruction,
    /// Which elements are groups.
    pub groups: Groups,
    /// Row and group of the 4 bits number `i` of the word of lane `lane`, as `places(lane, i)`, if the instruction reads them.
    pub places: fn(u32, u32) -> Option<(u32, u32)>,
}

/// Of which elements in a row half are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// One of two. The places in a word are 4 bits: 0b0100 is the first, 0b1110 the second.
    Pairs,
    /// Two of four. The places in a word are two numbers of 2 bits, the smaller one first.
    Fours,
    /// Two pairs of eight elements, each pair of neighbours together. The places in a word are those of the pairs, as for [`Groups::Fours`].
    Eights,
}

impl Groups {
    /// Elements of a group.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Pairs => 2,
            Self::Fours => 4,
            Self::Eights => 8,
        }
    }

    /// Where the elements that are there stand in their group, if `places` are such.
    fn elements(self, places: u32) -> Option<[usize; 4]> {
        let (first, second) = ((places & 3) as usize, (places >> 2 & 3) as usize);
        match (self, places & 0xf) {
            (Self::Pairs, 0b0100) => Some([0; 4]),
            (Self::Pairs, 0b1110) => Some([1; 4]),
            (Self::Pairs, _) => None,
            _ if first >= second => None,
            (Self::Fours, _) => Some([first, second, 0, 0]),
            (Self::Eights, _) => Some([2 * first, 2 * first + 1, 2 * second, 2 * second + 1]),
        }
    }
}

impl SparseInstruction {
    /// Registers of a lane that the instruction reads: those of A, B and C, and the word of places.
    #[must_use]
    pub const fn operands(&self) -> usize {
        self.product.operands() + 1
    }

    /// The first 4 bits of the word of lane `lane` that the instruction reads and that are no places of elements, as their number and themselves.
    #[must_use]
    pub fn wrong_places(&self, lane: u32, word: u32) -> Option<(u32, u32)> {
        (0..GROUPS as u32).find_map(|i| {
            let places = word >> (4 * i) & 0xf;
            (self.places)(lane, i)?;
            self.groups
                .elements(places)
                .is_none()
                .then_some((i, places))
        })
    }

    /// Carries it out. Each lane has the registers of A, then those of B, then those of C, then the word of places; afterwards it begins with those of D.
    pub fn execute<const N: usize>(&self, lanes: &mut [[u32; N]; LANES]) {
        let Instruction {
            kind,
            shape: Shape { m, n, k },
            a: of_a,
            b: of_b,
            c: of_c,
            d: of_d,
            ..
        } = self.product;
        let (at_b, at_c) = (of_a.registers(), of_a.registers() + of_b.registers());
        let at_places = self.product.operands();
        let there = k / 2;
        let a = of_a.matrix(lanes, 0, (m, there));
        let b = of_b.matrix(lanes, at_b, (k, n));
        let mut d = of_c.matrix(lanes, at_c, (m, n));
        let mut columns = vec![0; m * there];
        for (lane, registers) in lanes.iter().enumerate() {
            self.columns_of(lane as u32, registers[at_places], &mut columns);
        }
        for row in 0..m {
            // The rows of B that this row of A meets.
            let met: Vec<u64> = columns[row * there..][..there]
                .iter()
                .flat_map(|column| b[column * n..][..n].iter().copied())
                .collect();
            multiply_add(
                kind,
                Shape { m: 1, n, k: there },
                &a[row * there..][..there],
                &met,
                &mut d[row * n..][..n],
            );
        }
        store(&of_d, lanes, n, &d);
    }

    /// Writes the columns, in the whole matrix, of the elements whose places lane `lane` has.
    fn columns_of(&self, lane: u32, word: u32, columns: &mut [usize]) {
        let (group, half) = (self.groups.size(), self.groups.size() / 2);
        for i in 0..GROUPS as u32 {
            let Some((row, at)) = (self.places)(lane, i) else {
                continue;
            };
            // What is no places was reported; here any will do.
            let elements = self.groups.elements(word >> (4 * i)).unwrap_or([0; 4]);
            let first = row as usize * self.product.shape.k / 2 + at as usize * half;
            for (column, element) in columns[first..][..half].iter_mut().zip(elements) {
                *column = at as usize * group + element;
            }
        }
    }
}

fn store<const N: usize>(of: &Fragment, lanes: &mut [[u32; N]; LANES], columns: usize, d: &[u64]) {
    for (lane, i, at) in of.places(columns) {
        of.set(&mut lanes[lane], i, d[at]);
    }
}
