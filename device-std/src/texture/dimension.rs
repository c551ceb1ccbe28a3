//! What the coordinates of a texture or surface mean.

mod sealed {
    pub trait Sealed {}
}

/// The dimensions of a texture or surface: [`D1`], [`D2`], [`D3`], [`D1Layered`], [`D2Layered`], [`Cube`], [`CubeLayered`] or, for textures alone, [`LinearMemory`].
pub trait Dimension: sealed::Sealed {
    /// As fingerprints and messages name it.
    #[doc(hidden)]
    const NAME: &'static str;
}

macro_rules! dimensions {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        pub enum $name {}
        impl sealed::Sealed for $name {}
        impl Dimension for $name {
            const NAME: &'static str = stringify!($name);
        }
    )*};
}

dimensions! {
    /// A row of elements: x.
    D1
    /// Rows: x and y.
    D2
    /// Slices of rows: x, y and z.
    D3
    /// Layers of one row each: x, and the layer.
    D1Layered
    /// Layers of rows: x and y, and the layer.
    D2Layered
    /// Six square faces: +x, −x, +y, −y, +z, −z.
    Cube
    /// Layers of six square faces each.
    CubeLayered
    /// Linear memory: an index.
    LinearMemory
}
