//! What the derives check about a type as it is after all attribute macros.

/// That a field has the type that a derive saw. Sealed: implemented for equal types alone.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a field is of type `{Self}`, but the derive was given `{Seen}`",
    label = "its type is `{Self}` now",
    note = "an attribute macro below the derive changed the field after it was checked; write that attribute above the derive"
)]
pub trait FieldAsSeen<Seen>: sealed::FieldAsSeen<Seen> {}

impl<T> FieldAsSeen<T> for T {}

mod sealed {
    pub trait FieldAsSeen<Seen> {}
    impl<T> FieldAsSeen<T> for T {}
}
