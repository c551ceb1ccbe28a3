//! What all vector types have in common: elements by number, arithmetic element by element.

/// `v[i]`, and the elements as a slice. `v[i]` with an `i` that is not constant keeps the vector in memory.
macro_rules! elements {
    ($name:ident $ty:ident $count:tt) => {
        impl AsRef<[$ty; $count]> for $name {
            #[inline(always)]
            fn as_ref(&self) -> &[$ty; $count] {
                // SAFETY: `repr(C)` puts the fields side by side as in an array; the size is checked where the type is.
                unsafe { &*core::ptr::from_ref(self).cast() }
            }
        }
        impl AsMut<[$ty; $count]> for $name {
            #[inline(always)]
            fn as_mut(&mut self) -> &mut [$ty; $count] {
                // SAFETY: as above; the borrow is unique for the lifetime of the result.
                unsafe { &mut *core::ptr::from_mut(self).cast() }
            }
        }
        impl core::ops::Index<usize> for $name {
            type Output = $ty;
            #[inline(always)]
            fn index(&self, index: usize) -> &$ty {
                &self.as_ref()[index]
            }
        }
        impl core::ops::IndexMut<usize> for $name {
            #[inline(always)]
            fn index_mut(&mut self, index: usize) -> &mut $ty {
                &mut self.as_mut()[index]
            }
        }
    };
}

/// `+`, `-`, `*` of two vectors, `*` with a scalar, and the assigning forms.
macro_rules! arithmetic {
    ($name:ident $ty:ident: $($field:ident)*) => {
        arithmetic!(@one Add add AddAssign add_assign +, $name: $($field)*);
        arithmetic!(@one Sub sub SubAssign sub_assign -, $name: $($field)*);
        arithmetic!(@one Mul mul MulAssign mul_assign *, $name: $($field)*);
        impl core::ops::Mul<$ty> for $name {
            type Output = $name;
            #[inline(always)]
            fn mul(self, other: $ty) -> $name {
                $name { $($field: self.$field * other),* }
            }
        }
    };
    (@one $op:ident $method:ident $assign:ident $assign_method:ident $sign:tt, $name:ident: $($field:ident)*) => {
        impl core::ops::$op for $name {
            type Output = $name;
            #[inline(always)]
            fn $method(self, other: $name) -> $name {
                $name { $($field: self.$field $sign other.$field),* }
            }
        }
        impl core::ops::$assign for $name {
            #[inline(always)]
            fn $assign_method(&mut self, other: $name) {
                *self = *self $sign other;
            }
        }
    };
}

/// `-v`.
macro_rules! signed {
    ($($name:ident: $($field:ident)*;)*) => {$(
        impl core::ops::Neg for $name {
            type Output = $name;
            #[inline(always)]
            fn neg(self) -> $name {
                $name { $($field: -self.$field),* }
            }
        }
    )*};
}

/// Sums, differences and products of integers that wrap around.
macro_rules! wrapping {
    ($($name:ident: $($field:ident)*;)*) => {$(
        impl $name {
            wrapping!(@one wrapping_add "+" $name: $($field)*);
            wrapping!(@one wrapping_sub "-" $name: $($field)*);
            wrapping!(@one wrapping_mul "*" $name: $($field)*);
        }
    )*};
    (@one $method:ident $sign:literal $name:ident: $($field:ident)*) => {
        #[doc = concat!("`self ", $sign, " other`, element by element; what does not fit wraps around, in every build.")]
        #[inline(always)]
        #[must_use]
        pub const fn $method(self, other: $name) -> $name {
            $name { $($field: self.$field.$method(other.$field)),* }
        }
    };
}

pub(super) use {arithmetic, elements, signed, wrapping};
