//! Where surface instructions read and write: x in bytes, other coordinates in texels.

use super::{Dimensions, SurfaceObject};

/// What an access outside of a surface does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Boundary {
    /// It is an error.
    #[default]
    Trap,
    /// It is moved to the edge.
    Clamp,
    /// It reads zeros, or writes nothing.
    Zero,
}

/// What becomes of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It reads or writes here.
    Inside(*mut u8),
    /// It reads zeros, or writes nothing.
    Nowhere,
    /// It ends the kernel with an error.
    Fault,
}

impl SurfaceObject {
    /// The place of an access of 1, 2, 4, 8 or 16 bytes. `x` counts bytes, `y` rows, `z` slices: of the depth, layers, or faces of layers.
    #[must_use]
    pub fn place(&self, [x, y, z]: [i32; 3], bytes: usize, boundary: Boundary) -> Place {
        let level = &self.image.levels[0];
        let row_bytes = level.width as usize * self.image.texel_bytes();
        if !x.cast_unsigned().is_multiple_of(bytes as u32) {
            return Place::Fault;
        }
        // An access that is wider than a row is outside of it everywhere.
        let Some(last) = row_bytes.checked_sub(bytes) else {
            return match boundary {
                Boundary::Zero | Boundary::Clamp => Place::Nowhere,
                Boundary::Trap => Place::Fault,
            };
        };
        // Moved accesses stay aligned.
        let last = last - last % bytes;
        let mosts = [
            last as u64,
            u64::from(level.height) - 1,
            u64::from(level.depth) - 1,
        ];
        let is_layer = self.image.dimensions != Dimensions::D3;
        // Numbers of layers and faces are unsigned.
        let z = if is_layer {
            i64::from(z.cast_unsigned())
        } else {
            i64::from(z)
        };
        let given = [i64::from(x), i64::from(y), z];
        let clamped: [u64; 3] =
            std::array::from_fn(|i| given[i].max(0).cast_unsigned().min(mosts[i]));
        let is_inside = clamped.map(u64::cast_signed) == given;
        match boundary {
            Boundary::Trap if !is_inside => return Place::Fault,
            Boundary::Zero if !is_inside => return Place::Nowhere,
            _ => {}
        }
        let [x, y, z] = clamped.map(|at| at as usize);
        let offset = level.offset + z * level.slice_pitch + y * level.row_pitch + x;
        Place::Inside(self.image.base.wrapping_add(offset))
    }
}
