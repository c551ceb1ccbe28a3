//! Bytes that were never written.

use super::*;
use crate::detector::atomic::{self, Does};

#[test]
fn copies_of_kernels_take_the_state_of_their_source() {
    let (from, to) = (
        buffer::<u32>(4, Birth::Uninitialised),
        buffer::<u32>(4, Birth::Uninitialised),
    );
    initialise(from.start().as_ptr(), 8);
    let (source, target) = (start(&from), start(&to));
    let reports = one_lane(|| {
        access::copy(target, source, 16, 0);
        read(target + 4, 4);
    });
    assert_eq!(reports, []);
    let report = finding(|| read(target + 8, 4));
    assert_eq!(report.code, Code::GLOBAL_UNINIT);
}

#[test]
fn a_copy_to_where_no_values_are_followed_is_a_read() {
    let (from, to) = (
        buffer::<u32>(4, Birth::Uninitialised),
        buffer::<u32>(4, Birth::Initialised),
    );
    let (source, target) = (start(&from), start(&to));
    let report = finding(|| access::copy(target, source, 16, 0));
    assert_eq!(report.code, Code::GLOBAL_UNINIT);
}

#[test]
fn bytes_that_were_never_written_are_not_read() {
    fn unwritten<T>(len: usize) {
        let x = buffer::<T>(len, Birth::Uninitialised);
        let (at, size) = (start(&x), size_of::<T>());
        name(x.start().as_ptr(), "x");
        let report = finding(|| {
            write(at, size);
            read(at, size);
            read(at + (len - 1) * size, size);
        });
        assert_eq!(report.code, Code::GLOBAL_UNINIT);
        assert_eq!(
            report.title,
            format!("read of uninitialised memory: x[{}]", len - 1)
        );
    }
    for len in [2, 3, 65] {
        unwritten::<u8>(len);
        unwritten::<u16>(len);
        unwritten::<u32>(len);
        unwritten::<u64>(len);
    }
}

#[test]
fn bytes_that_the_host_or_a_kernel_wrote_are_read() {
    let x = buffer::<u32>(10, Birth::Uninitialised);
    let at = start(&x);
    initialise(x.start().as_ptr(), 20);
    let reports = one_lane(|| {
        (0..5).for_each(|i| read(at + 4 * i, 4));
        (5..10).for_each(|i| write(at + 4 * i, 4));
        (0..10).for_each(|i| access(at + 4 * i, 4, 4, How::Changes));
    });
    assert_eq!(reports, []);
    assert!(host_reads(x.start().as_ptr(), 40).is_none());
}

#[test]
fn a_vector_with_one_unwritten_element_names_it() {
    let x = buffer::<f32>(4, Birth::Uninitialised);
    let at = start(&x);
    name(x.start().as_ptr(), "x");
    let report = finding(|| {
        (0..3).for_each(|i| write(at + 4 * i, 4));
        read(at, 16);
    });
    assert_eq!(report.title, "read of uninitialised memory: x[3]");
    assert_eq!(
        report.sides[0].did,
        "reads x[0] (16 bytes), without a value from x[3] on"
    );
}

#[test]
fn copies_take_the_state_of_their_source() {
    let (from, to) = (
        buffer::<u8>(9, Birth::Uninitialised),
        buffer::<u8>(9, Birth::Uninitialised),
    );
    initialise(from.start().as_ptr(), 4);
    copied(to.start().as_ptr(), from.start().as_ptr(), 9);
    assert!(host_reads(to.start().as_ptr(), 4).is_none());
    let report = host_reads(to.start().as_ptr(), 9).unwrap();
    assert!(report.title.contains("element 4"), "{}", report.title);
    let whole = [1_u8; 9];
    copied(to.start().as_ptr(), whole.as_ptr(), 9);
    assert!(host_reads(to.start().as_ptr(), 9).is_none());
}

#[test]
fn atomics_read_what_they_change() {
    let x = buffer::<u32>(3, Birth::Uninitialised);
    let at = start(&x);
    name(x.start().as_ptr(), "x");
    initialise(x.start().as_ptr(), 8);
    let report = finding(|| {
        for i in 0..3 {
            let place = ptr::with_exposed_provenance(at + 4 * i);
            atomic::around(place, 4, Does::Changes, 2, || ((), true));
        }
    });
    assert_eq!(report.code, Code::GLOBAL_UNINIT);
    assert_eq!(report.title, "read of uninitialised memory: x[2]");
}
