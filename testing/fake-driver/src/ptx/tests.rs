use super::*;

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

fn wrong(body: &str) -> (usize, String) {
    let wrong = read(&format!("{HEAD}{body}")).unwrap_err();
    (wrong.line, wrong.reason)
}

#[test]
fn entries_have_parameters_with_offsets() {
    let ptx = read(&format!(
        "{HEAD}.visible .entry k(.param .u32 a, .param .align 16 .b8 b[20], .param .u64 .ptr .global .align 4 c)\n\
         .maxntid 32, 2, 1\n{{ .reg .b32 %r<2>; .shared .align 4 .b8 s[64]; ret; }}"
    ));
    let ptx = ptx.unwrap();
    assert_eq!((ptx.version, ptx.target), ((8, 0), 90));
    let entry = &ptx.entries[0];
    let params: Vec<_> = entry.params.iter().map(|p| (p.offset, p.size)).collect();
    assert_eq!(params, [(0, 4), (16, 20), (40, 8)]);
    assert_eq!(
        (&*entry.name, entry.max_threads, entry.shared_bytes),
        ("k", Some(64), 64)
    );
}

#[test]
fn variables_have_their_first_bytes() {
    let ptx = read(&format!(
        "{HEAD}.global .align 4 .u32 one = 7; /* two\nlines */ .const .align 1 .b8 text[4] = {{104, 0x69}};\n\
         .global .u64 where[2] = {{generic(one)+4, one}}; .global .s16 minus = -2;"
    ));
    let variables = ptx.unwrap().variables;
    assert_eq!(variables[0].bytes, [7, 0, 0, 0]);
    assert_eq!(
        (&*variables[1].bytes, variables[1].constant),
        (&b"hi\0\0"[..], true)
    );
    let addresses = [(0, "one".to_owned(), 4), (8, "one".to_owned(), 0)];
    assert_eq!(variables[2].addresses, addresses);
    assert_eq!(variables[3].bytes, [0xFE, 0xFF]);
}

#[test]
fn errors_name_the_line() {
    let (line, reason) = wrong(".visible .entry k()\n{\n    frobnicate.u32 %r1, %r2;\n}");
    assert_eq!((line, &*reason), (6, "'frobnicate' is no instruction"));
    assert_eq!(
        wrong(".visible .entry k()\n{\n  ret\n}").0,
        7,
        "no semicolon"
    );
    assert_eq!(
        wrong(".visible .entry k()\n{\n  ret;\n").1,
        "syntax error near 'end of file'"
    );
    assert_eq!(wrong("hello").1, "syntax error near 'hello'");
    assert_eq!(read("no PTX at all").unwrap_err().line, 1);
}
