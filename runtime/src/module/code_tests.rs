use super::*;

/// A cubin's header, with one section of `section` bytes and one program header.
fn cubin(version: u8, flags: u32, section: u64) -> Vec<u8> {
    let mut bytes = vec![0; 64 + 64 + 56];
    bytes[..4].copy_from_slice(b"\x7fELF");
    bytes[4..9].copy_from_slice(&[2, 1, 1, 0x33, version]);
    let mut put = |at: usize, number: u64, len: usize| {
        bytes[at..at + len].copy_from_slice(&number.to_le_bytes()[..len]);
    };
    put(18, EM_CUDA, 2);
    put(32, 128, 8);
    put(40, 64, 8);
    put(48, u64::from(flags), 4);
    put(54, 56, 2);
    put(56, 1, 2);
    put(58, 64, 2);
    put(60, 1, 2);
    put(64 + 4, 1, 4);
    put(64 + 24, 184, 8);
    put(64 + 32, section, 8);
    bytes.resize(184 + section as usize, 0);
    bytes
}

fn fat_binary(rest: u64) -> Vec<u8> {
    let mut bytes = FAT.to_vec();
    bytes.extend([1, 0, 16, 0]);
    bytes.extend(rest.to_le_bytes());
    bytes.resize(16 + rest as usize, 0);
    bytes
}

fn refused(code: Result<Code<'_>, ModuleError>) -> String {
    code.unwrap_err().to_string()
}

#[test]
fn ptx_gets_one_zero_byte_and_its_target_is_read() {
    let text =
        "// made by hand\n.version 8.0\n .target sm_90a, debug // what for\n.address_size 64\n";
    let code = Code::ptx(text).unwrap();
    assert_eq!(code.arch(), Some(Arch::exact(9, 0)));
    assert_eq!((code.as_ptx(), code.form()), (Some(text), Form::Ptx));
    assert_eq!(code.bytes().strip_suffix(&[0]), Some(text.as_bytes()));
    let ended = format!("{text}\0");
    assert_eq!(Code::ptx(&ended).unwrap().bytes(), code.bytes());
    assert_eq!(Code::ptx(".version 8.0").unwrap().arch(), None);
}

#[test]
fn what_is_no_ptx_is_refused() {
    let text = refused(Code::ptx("fn main() {}"));
    assert!(text.contains("PTX says `.version` in front"), "{text}");
    let text = refused(Code::ptx(".version\0 8.0"));
    assert!(text.contains("a zero byte at byte 8"), "{text}");
    assert!(Code::ptx("").is_err());
}

#[test]
fn binaries_say_what_they_are() {
    let bytes = cubin(7, 0x005a_055a, 100);
    let code = Code::binary(&bytes).unwrap();
    assert_eq!(
        (code.kind(), code.arch()),
        (CodeKind::Cubin, Some(Arch::new(9, 0)))
    );
    assert_eq!((code.bytes(), code.as_ptx()), (&*bytes, None));
    let newer = cubin(8, 0x0600_6402, 0);
    assert_eq!(Code::binary(&newer).unwrap().arch(), Some(Arch::new(10, 0)));
    assert_eq!(Code::binary(&cubin(9, 90, 0)).unwrap().arch(), None);
    let fat = fat_binary(40);
    let code = Code::binary(&fat).unwrap();
    assert_eq!((code.kind(), code.arch()), (CodeKind::FatBinary, None));
}

#[test]
fn bytes_that_start_anywhere_are_moved() {
    let mut bytes = vec![0; 3];
    bytes.extend(cubin(8, 0x0600_5a02, 20));
    for from in 0..8 {
        let mut moved = vec![0; from];
        moved.extend(&bytes[3..]);
        let code = Code::binary(&moved[from..]).unwrap();
        assert_eq!(code.bytes(), &bytes[3..]);
        assert!(code.bytes().as_ptr().addr().is_multiple_of(8), "{from}");
    }
}

#[test]
fn a_binary_that_is_cut_off_anywhere_is_refused() {
    for whole in [cubin(7, 90, 100), fat_binary(40)] {
        assert!(Code::binary(&whole).is_ok());
        for end in 0..whole.len() {
            assert!(
                Code::binary(&whole[..end]).is_err(),
                "{end} of {}",
                whole.len()
            );
        }
    }
    let text = refused(Code::binary(&fat_binary(40)[..50]));
    assert!(
        text.ends_with("it ends after 50 bytes, within what its header names; is it cut off?"),
        "{text}"
    );
}

#[test]
fn numbers_in_headers_do_not_overflow() {
    let mut far = cubin(7, 90, 0);
    far[40..48].fill(0xff);
    assert!(Code::binary(&far).is_err());
    let mut long = cubin(7, 90, 0);
    long[64 + 24..64 + 40].fill(0xff);
    assert!(Code::binary(&long).is_err());
    let mut small = cubin(7, 90, 0);
    small[58] = 1;
    assert!(Code::binary(&small).is_err());
    let mut fat = fat_binary(0);
    fat[8..16].fill(0xff);
    assert!(Code::binary(&fat).is_err());
}

#[test]
fn other_files_are_refused() {
    let text = refused(Code::binary(b"PK\x03\x04 an archive"));
    assert!(
        text.contains("neither as a cubin nor as a fat binary"),
        "{text}"
    );
    let mut program = cubin(7, 90, 0);
    program[18] = 62;
    let text = refused(Code::binary(&program));
    assert!(
        text.contains("not one of 64 bits with code for NVIDIA GPUs"),
        "{text}"
    );
}

//@ rows: GCO-2
#[test]
fn files_are_what_their_bytes_say() {
    let folder = std::env::temp_dir().join(format!("warploom-code-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let at = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        Code::file(&path)
    };
    let ptx = at("a.bin", b".version 7.0\n.target sm_75\n").unwrap();
    assert_eq!(
        (ptx.kind(), ptx.arch()),
        (CodeKind::Ptx, Some(Arch::new(7, 5)))
    );
    assert!(ptx.name().ends_with("a.bin"), "{}", ptx.name());
    assert_eq!(at("b", &cubin(7, 80, 3)).unwrap().kind(), CodeKind::Cubin);
    assert_eq!(at("c", &fat_binary(8)).unwrap().kind(), CodeKind::FatBinary);
    let text = refused(at("d", &[0xff, 0xfe]));
    assert!(text.contains("no text from byte 0 on"), "{text}");
    std::fs::remove_dir_all(&folder).unwrap();
    let text = refused(Code::file(folder.join("a.bin")));
    assert!(
        text.starts_with("cannot read device code from ") && text.contains("a.bin"),
        "{text}"
    );
}

//@ rows: GCO-7
#[test]
fn a_device_gets_the_nearest_code() {
    let (old, new, fat) = (cubin(7, 80, 0), cubin(7, 86, 0), fat_binary(0));
    let all = [
        Code::binary(&fat).unwrap(),
        Code::ptx(".version 7.0\n.target sm_75\n").unwrap(),
        Code::binary(&old).unwrap(),
        Code::binary(&new).unwrap(),
    ];
    let chosen = |model| {
        Code::choose(&all, &Device::emulator_of(model))
            .unwrap()
            .arch()
    };
    use crate::model::Model;
    assert_eq!(chosen(Model::CC_7_5), Some(Arch::new(7, 5)));
    assert_eq!(chosen(Model::CC_8_0), Some(Arch::new(8, 0)));
    assert_eq!(chosen(Model::CC_8_9), Some(Arch::new(8, 6)));
    assert_eq!(chosen(Model::CC_9_0), Some(Arch::new(7, 5)));
    let device = Device::emulator_of(Model::CC_7_5);
    assert!(Code::choose(&all[2..], &device).is_none());
    assert_eq!(
        Code::choose(&all[..1], &device).unwrap().kind(),
        CodeKind::FatBinary
    );
}
