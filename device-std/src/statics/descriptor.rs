//! All statics of the program, whether the host names them or not: instrumented code of the emulator, which has copies of its own, finds
//! the program's here.
//!
//! Each static leaves an [`Entry`] in a section that the linker puts together. On Linux only: elsewhere nothing is known.

use super::{ConstantStatic, DeviceStatic, ManagedStatic, StaticName, StaticValue};
use crate::Plain;
use core::alloc::Layout;

/// A static's entry in the list.
#[doc(hidden)]
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Entry(Option<RegisteredStatic>);

/// A static of the program.
#[doc(hidden)]
pub type RegisteredStatic = &'static dyn StaticDescriptor;

impl Entry {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(of: RegisteredStatic) -> Entry {
        Entry(Some(of))
    }
}

/// In which memory of a device a static is.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Device,
    Constant,
    Managed,
}

/// What is known of a static without its type.
#[doc(hidden)]
pub trait StaticDescriptor: Sync {
    /// Which static it is.
    fn name(&self) -> StaticName;
    /// In which memory.
    fn space(&self) -> Space;
    /// Where the emulator has its value now. That of a constant moves with each write of the host; what was there before stays.
    fn start(&self) -> *const u8;
    /// Size and alignment of the value.
    fn layout(&self) -> Layout;
    /// Size and alignment of its elements, if it is an array of numbers; else of the value.
    fn element(&self) -> Layout;
}

impl<T: StaticValue> StaticDescriptor for DeviceStatic<T> {
    fn name(&self) -> StaticName {
        super::Static::name(self)
    }
    fn space(&self) -> Space {
        Space::Device
    }
    fn start(&self) -> *const u8 {
        super::Static::emulated(self)
    }
    fn layout(&self) -> Layout {
        Layout::new::<T>()
    }
    fn element(&self) -> Layout {
        element::<T>()
    }
}

impl<T: Plain> StaticDescriptor for ConstantStatic<T> {
    fn name(&self) -> StaticName {
        super::Static::name(self)
    }
    fn space(&self) -> Space {
        Space::Constant
    }
    fn start(&self) -> *const u8 {
        super::Static::emulated(self)
    }
    fn layout(&self) -> Layout {
        Layout::new::<T>()
    }
    fn element(&self) -> Layout {
        element::<T>()
    }
}

impl<T: StaticValue> StaticDescriptor for ManagedStatic<T> {
    fn name(&self) -> StaticName {
        ManagedStatic::name(self)
    }
    fn space(&self) -> Space {
        Space::Managed
    }
    fn start(&self) -> *const u8 {
        self.emulated().cast()
    }
    fn layout(&self) -> Layout {
        Layout::new::<T>()
    }
    fn element(&self) -> Layout {
        element::<T>()
    }
}

/// An element of an array of numbers is as large as its alignment; of other types nothing is known.
fn element<T>() -> Layout {
    let align = align_of::<T>();
    let all = Layout::new::<T>();
    Layout::from_size_align(align, align).unwrap_or(all)
}

#[cfg(all(target_os = "linux", not(miri)))]
mod section {
    use super::Entry;

    /// Makes the section, and with it the linker's two symbols, exist in programs without statics.
    #[used]
    #[unsafe(link_section = "warploom_statics")]
    static EMPTY: Entry = Entry(None);

    unsafe extern "C" {
        #[link_name = "__start_warploom_statics"]
        static START: u8;
        #[link_name = "__stop_warploom_statics"]
        static STOP: u8;
    }

    pub(super) fn entries() -> &'static [Entry] {
        let (start, stop) = (&raw const START, &raw const STOP);
        let n = (stop.addr() - start.addr()) / size_of::<Entry>();
        // SAFETY: the linker puts the two symbols around one section, which only the macros and `EMPTY` fill: with whole entries, whose
        // size is a multiple of their alignment, so that they follow each other without gaps. They are never written.
        unsafe { core::slice::from_raw_parts(start.cast(), n) }
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod section {
    pub(super) fn entries() -> &'static [super::Entry] {
        &[]
    }
}

/// All statics of the program, those of its dependencies included, in no particular order. None but on Linux.
#[doc(hidden)]
pub fn known() -> impl Iterator<Item = RegisteredStatic> {
    section::entries().iter().filter_map(|entry| entry.0)
}

#[cfg(test)]
#[cfg(all(target_os = "linux", not(miri)))]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicU32, AtomicU64};

    crate::device_static! {
        /// Not for use by name.
        static COUNT: [AtomicU32; 3] = [const { AtomicU32::new(4) }; 3];
    }
    crate::constant_static! { static SCALE: f64 = 2.0; }
    crate::managed_static! { static TOTAL: AtomicU64 = AtomicU64::new(10); }

    #[allow(clippy::unwrap_used, reason = "a helper of tests")]
    fn only(name: &str) -> RegisteredStatic {
        let mut found = known().filter(|one| one.name().path.ends_with(name));
        let first = found.next().unwrap();
        assert!(found.next().is_none());
        first
    }

    #[test]
    fn statics_are_known_without_their_types() {
        let count = only("descriptor::tests::COUNT");
        assert_eq!(count.space(), Space::Device);
        assert_eq!((count.layout().size(), count.element().size()), (12, 4));
        assert_eq!(only("descriptor::tests::SCALE").space(), Space::Constant);
        assert_eq!(only("descriptor::tests::TOTAL").space(), Space::Managed);
    }

    #[test]
    fn each_is_where_the_emulator_has_it() {
        assert_eq!(
            only("descriptor::tests::COUNT").start(),
            super::super::Static::emulated(&COUNT)
        );
        assert_eq!(
            only("descriptor::tests::TOTAL").start(),
            TOTAL.emulated().cast()
        );
    }

    #[test]
    fn a_constant_moves_when_the_host_writes_it() {
        static NEW: f64 = 3.0;
        let scale = only("descriptor::tests::SCALE");
        let old = scale.start();
        super::super::Static::set_emulated_value(&SCALE, NEW, &|_| &NEW);
        assert_ne!(scale.start(), old);
        assert_eq!(scale.start(), (&raw const NEW).cast());
    }

    #[test]
    fn the_name_says_where_the_static_is() {
        let name = only("descriptor::tests::COUNT").name();
        assert!(name.file.ends_with("descriptor.rs"));
        assert!(name.line > 0 && name.column > 0);
    }
}
