//! Labels that LLVM puts into PTX for debug information.
//!
//! With line information a label `$L__tmp0:` stands wherever an inlined function begins or ends. Nothing refers to it, but to ptxas it begins a
//! block: a `.pragma "nounroll"` behind one is not that of the loop, which is unrolled then. The panic path of `saxpy` had 104 instructions and
//! 32 registers for sm_90 with line information, 96 and 24 without (ptxas 13.0.88); without the labels both are the same.

const LABEL: &str = "$L__tmp";

/// The text without these labels, unless something refers to one.
pub(super) fn strip(ptx: String) -> String {
    let is_label = |line: &str| {
        let number = line
            .strip_prefix(LABEL)
            .and_then(|rest| rest.strip_suffix(':'));
        number.is_some_and(|number| number.bytes().all(|c| c.is_ascii_digit()))
    };
    let labels = ptx.lines().filter(|line| is_label(line)).count();
    if labels == 0 || ptx.matches(LABEL).count() > labels {
        return ptx;
    }
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        if !is_label(line.trim_end_matches('\n')) {
            text.push_str(line);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::strip;

    #[test]
    fn labels_go_and_all_else_stays() {
        let ptx = "$L__BB0_8:\n$L__tmp0:\n\t.loc\t1 7 19\n\tret;\n$L__tmp12:\n}\n";
        assert_eq!(
            strip(ptx.to_owned()),
            "$L__BB0_8:\n\t.loc\t1 7 19\n\tret;\n}\n"
        );
    }

    #[test]
    fn labels_that_something_refers_to_stay() {
        let ptx = "$L__tmp0:\n\tret;\n\t.section .debug_loc {\n.b64 $L__tmp0\n}\n";
        assert_eq!(strip(ptx.to_owned()), ptx);
    }
}
