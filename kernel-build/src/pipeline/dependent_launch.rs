//! Kernels that may start before the kernels ahead of them in their stream have ended: their code waits for those first.
//!
//! The instruction is put into the PTX, in front of all others of the kernel. In IR LLVM would move loads across it that it takes for
//! independent of all writes, as those of slices that the launch borrows: they are not, while the kernel that writes the slice still runs.

/// Waits until the grids that this one depends on have ended and their writes are visible.
const WAIT: &str = "\tgriddepcontrol.wait;\n";

/// Lets these kernels begin with the wait; the name of a kernel whose code is not found in the text is the error.
pub(super) fn wait_first<'k>(
    mut ptx: String,
    kernels: impl IntoIterator<Item = &'k str>,
) -> Result<String, &'k str> {
    for kernel in kernels {
        let at = first_instruction(&ptx, kernel).ok_or(kernel)?;
        ptx.insert_str(at, WAIT);
    }
    Ok(ptx)
}

/// Where the kernel's first instruction or label is: behind the declarations of its body.
fn first_instruction(ptx: &str, kernel: &str) -> Option<usize> {
    let entry = ptx.find(&format!(".entry {kernel}("))?;
    let mut at = entry + ptx[entry..].find("\n{\n")? + "\n{\n".len();
    for line in ptx[at..].split_inclusive('\n') {
        let text = line.trim();
        let declares = |word: &&str| text.starts_with(*word);
        if !text.is_empty() && ![".reg", ".local", ".shared", "//"].iter().any(declares) {
            break;
        }
        at += line.len();
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{compiled, options, storing};
    use super::wait_first;
    use crate::options::{Arch, Options};
    use crate::sample::storing_dependent;

    const TEXT: &str = "\
.visible .entry first_2(
	.param .u64 first_2_param_0
)
.maxntid 256
{
	.local .align 8 .b8 	__local_depot0[16];
	.reg .b64 	%SP;

$L__func_begin0:
	ld.param.b64 	%rd1, [first_2_param_0];
	ret;
}
.visible .entry first()
{
	.reg .b32 	%r<2>;
	// demoted variable
	.shared .align 4 .b8 tile[64];

// %bb.0:
	mov.b32 	%r1, 0;
	ret;
}
";

    #[test]
    fn the_wait_is_the_first_instruction_of_its_kernel() {
        let wait = "\tgriddepcontrol.wait;\n";
        let of_first = TEXT.replace("\tmov.b32", &format!("{wait}\tmov.b32"));
        assert_eq!(wait_first(TEXT.to_owned(), ["first"]).unwrap(), of_first);
        let of_both = of_first.replace("$L__func_begin0:", &format!("{wait}$L__func_begin0:"));
        let both = wait_first(TEXT.to_owned(), ["first_2", "first"]).unwrap();
        assert_eq!(both, of_both);
    }

    #[test]
    fn a_kernel_that_is_not_in_the_text_is_an_error() {
        assert_eq!(wait_first(TEXT.to_owned(), ["second"]), Err("second"));
        assert_eq!(wait_first(TEXT.to_owned(), ["firs"]), Err("firs"));
    }

    /// The load is of memory that nothing writes while the kernel runs, as far as LLVM knows.
    #[test]
    fn a_dependent_kernel_waits_before_all_else_where_the_architecture_can() {
        let ir = storing_dependent("follows", "  %v = load i32, ptr %y, !invariant.load !{}");
        let of = |archs: &[Arch]| {
            let archs = archs.to_vec();
            let (kernels, texts) = compiled(&ir, Options { archs, ..options() }).unwrap();
            assert!(kernels[0].contract.unwrap().dependent_launch);
            let instructions = texts.into_iter().map(|(sm, _, text)| {
                let (_, body) = text.split_once("{\n").unwrap();
                let mut lines = body.lines().map(str::trim);
                let first = lines.find(|l| l.ends_with(';') && !l.starts_with('.'));
                (sm, first == Some("griddepcontrol.wait;"))
            });
            instructions.collect::<Vec<_>>()
        };
        assert_eq!(of(&[Arch::sm(75)]), [(75, false), (90, true)]);
        assert_eq!(
            of(&[Arch::sm(90), Arch::sm(100)]),
            [(90, true), (100, true)]
        );
        assert_eq!(of(&[Arch::exactly(90)]), [(90, true)]);
        let others = storing("alone", "  %v = load i32, ptr %y, !invariant.load !{}");
        let (_, texts) = compiled(&others, options()).unwrap();
        assert_eq!(texts.len(), 1);
        assert!(!texts[0].2.contains("griddepcontrol"), "{}", texts[0].2);
    }
}
