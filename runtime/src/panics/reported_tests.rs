//! Messages of records that point into a memory of this test.

use super::*;

const FILE: &str = "src/main.rs";
const TEXT: &str = "lost";

/// A location at 0x1000, the texts that it and records point to behind it.
fn memory() -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(0x1020u64.to_le_bytes());
    bytes.extend((FILE.len() as u64).to_le_bytes());
    for number in [12u32, 9, 3, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(FILE.as_bytes());
    bytes.extend(TEXT.as_bytes());
    bytes
}

fn read(address: u64, len: usize) -> Result<Vec<u8>, DriverError> {
    let memory = memory();
    let start = usize::try_from(address - 0x1000).unwrap();
    let found = memory.get(start..start + len);
    found.map(<[u8]>::to_vec).ok_or_else(|| DriverError {
        code: 1,
        name: "CUDA_ERROR_INVALID_VALUE".to_owned(),
        text: "invalid argument".to_owned(),
        call: "cuMemcpyDtoHAsync_v2",
        launches: Box::default(),
    })
}

fn record(kind: u32, first: u64, second: u64) -> PanicRecord {
    PanicRecord {
        place: 0x1000,
        ready: kind,
        first,
        second,
        thread_yz: 5 | 6 << 32,
        block_xy: 1 | 2 << 32,
        block_z_thread_x: 3 | 4 << 32,
        ..PanicRecord::empty()
    }
}

fn message_of(record: &PanicRecord) -> String {
    Reported::of(record, &read).message
}

#[test]
fn a_bounds_check_with_all_its_coordinates() {
    let reported = Reported::of(&record(PanicRecord::BOUNDS, 7, 5), &read);
    assert_eq!(
        reported,
        Reported {
            kernel: 3,
            message: "index out of bounds: the len is 5 but the index is 7".to_owned(),
            file: FILE.to_owned(),
            line: 12,
            column: 9,
            block: [1, 2, 3],
            thread: [4, 5, 6],
        }
    );
}

#[test]
fn a_constant_text_is_read_from_the_device() {
    let at = 0x1020 + FILE.len() as u64;
    assert_eq!(message_of(&record(PanicRecord::LITERAL, at, 4)), TEXT);
    let nowhere = message_of(&record(PanicRecord::LITERAL, 0x9000, 4));
    assert!(
        nowhere.contains("could not be read from the GPU: "),
        "{nowhere}"
    );
}

#[test]
fn a_written_text_is_cut_at_its_length() {
    let mut record = record(PanicRecord::WRITTEN, 4, 0);
    record.text[..6].copy_from_slice(b"losted");
    assert_eq!(message_of(&record), "lost");
    record.first = u64::MAX;
    assert_eq!(message_of(&record).len(), PanicRecord::TEXT_MAX);
}

#[test]
fn without_a_location_the_line_is_0() {
    let mut record = record(PanicRecord::OUT_OF_MEMORY, 64, 0);
    record.place = 0;
    let reported = Reported::of(&record, &read);
    assert_eq!(
        (&*reported.file, reported.line, reported.kernel),
        ("", 0, 0)
    );
    assert_eq!(reported.message, "memory allocation of 64 bytes failed");
}

#[test]
fn a_file_name_that_cannot_be_read_leaves_the_location_unknown() {
    let read_all_but_the_name = |address, len| match address {
        0x1020 => read(0x9000, len),
        _ => read(address, len),
    };
    let reported = Reported::of(&record(PanicRecord::BOUNDS, 7, 5), &read_all_but_the_name);
    assert_eq!(
        (&*reported.file, reported.line, reported.column),
        ("", 0, 0)
    );
    assert_eq!(reported.kernel, 3);
    assert_eq!(
        reported.message,
        "index out of bounds: the len is 5 but the index is 7"
    );
}

/// Those of core, which this program can ask.
#[test]
fn ranges_say_what_core_says() {
    #[expect(clippy::reversed_empty_ranges, reason = "they must fail")]
    for range in [5..9, 1..9, 3..2, 9..5] {
        let mut record = record(PanicRecord::RANGE, range.start as u64, range.end as u64);
        record.values[0] = 4;
        let text = message_of(&record);
        let said = std::panic::catch_unwind(|| [1, 2, 3, 4][range].len()).unwrap_err();
        assert_eq!(Some(&text), said.downcast_ref::<String>());
    }
}
