//! What a program carries: its kernels, and their PTX for one or more architectures.

use crate::project::Program;
use object::{Object as _, ObjectSection as _};
use std::rc::Rc;
use warploom_manifest::container::{self, SECTION};
use warploom_manifest::{Contract, Kernel, instrumented};
use warploom_runtime::module::images::{self, Form};

/// A GPU architecture: `sm_90`, `sm_90a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Arch {
    pub(crate) sm: u32,
    /// Whether only GPUs of this one run the code.
    pub(crate) exact: bool,
}

impl Arch {
    /// Reads `sm_90`, `sm_90a`, `90` or `9.0`.
    pub(crate) fn parse(text: &str) -> Result<Arch, String> {
        let wrong = || format!("`{text}` is no architecture; one is written as sm_90 or sm_90a");
        let rest = text.strip_prefix("sm_").unwrap_or(text);
        let (digits, exact) = match rest.strip_suffix('a') {
            Some(digits) => (digits.to_owned(), true),
            None => (rest.replacen('.', "", 1), false),
        };
        let is_number =
            (2..=3).contains(&digits.len()) && digits.bytes().all(|c| c.is_ascii_digit());
        match is_number.then(|| digits.parse()) {
            Some(Ok(sm)) => Ok(Arch { sm, exact }),
            _ => Err(wrong()),
        }
    }

    pub(crate) fn name(self) -> String {
        format!("sm_{}{}", self.sm, if self.exact { "a" } else { "" })
    }
}

/// PTX for one architecture.
#[derive(Debug, Clone)]
pub(crate) struct Image {
    pub(crate) arch: Arch,
    pub(crate) ptx: String,
}

/// A kernel of a program, with the PTX that it stands in.
#[derive(Debug, Clone)]
pub(crate) struct DeviceKernel {
    /// With its path and generic arguments.
    pub(crate) name: String,
    pub(crate) package: String,
    /// Its name in the PTX.
    pub(crate) entry: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    /// Tells instances of one name apart.
    pub(crate) launched_at: Vec<warploom_manifest::Location>,
    pub(crate) contract: Option<Contract>,
    /// The program that it was found in.
    pub(crate) program: usize,
    pub(crate) images: Vec<Rc<Image>>,
}

impl DeviceKernel {
    /// The image that the runtime takes for a GPU of an architecture.
    pub(crate) fn image(&self, arch: Arch) -> Option<&Image> {
        let capability = |arch: Arch| (arch.sm / 10, arch.sm % 10);
        let of_runtime = |image: &Rc<Image>| {
            let (major, minor) = capability(image.arch);
            let arch = match image.arch.exact {
                true => images::Arch::exact(major, minor),
                false => images::Arch::new(major, minor),
            };
            (Form::Ptx, arch)
        };
        let images: Vec<(Form, images::Arch)> = self.images.iter().map(of_runtime).collect();
        let chosen = images::choose(&images, capability(arch))?;
        Some(&self.images[chosen])
    }

    fn is_same(&self, other: &DeviceKernel) -> bool {
        let key = |k: &DeviceKernel| (k.package.clone(), k.name.clone(), k.entry.clone());
        key(self) == key(other)
            && (&self.file, self.line, &self.launched_at)
                == (&other.file, other.line, &other.launched_at)
    }
}

/// What programs carry.
#[derive(Debug, Default)]
pub(crate) struct DeviceCode {
    /// Each kernel once, as the first of the programs has it.
    pub(crate) kernels: Vec<DeviceKernel>,
    /// Targets without device code, and why.
    pub(crate) failures: Vec<(String, String)>,
}

/// What one program carries.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    pub(crate) kernels: Vec<DeviceKernel>,
    pub(crate) failures: Vec<(String, String)>,
    /// Whether there is code that the emulator can check.
    pub(crate) is_instrumented: bool,
}

/// Reads the device code of programs.
pub(crate) fn read_all(programs: &[Program]) -> Result<DeviceCode, String> {
    let mut all = DeviceCode::default();
    for (number, program) in programs.iter().enumerate() {
        let carried = read(program, number)?;
        for kernel in carried.kernels {
            if !all.kernels.iter().any(|known| known.is_same(&kernel)) {
                all.kernels.push(kernel);
            }
        }
        for failure in carried.failures {
            if !all.failures.contains(&failure) {
                all.failures.push(failure);
            }
        }
    }
    all.kernels
        .sort_by(|a, b| (&a.name, a.line, &a.entry).cmp(&(&b.name, b.line, &b.entry)));
    Ok(all)
}

/// Reads the device code of one program, which is the one of this `number`.
pub(crate) fn read(program: &Program, number: usize) -> Result<Carried, String> {
    let cannot = |why: &dyn std::fmt::Display| {
        format!(
            "cannot read the device code of {}: {why}",
            program.path.display()
        )
    };
    let bytes = std::fs::read(&program.path).map_err(|e| cannot(&e))?;
    let file = object::File::parse(&*bytes).map_err(|e| cannot(&e))?;
    let Some(section) = file.section_by_name(SECTION) else {
        return Ok(Carried::default());
    };
    let data = section.data().map_err(|e| cannot(&e))?;
    let containers = container::unpack(data).map_err(|e| cannot(&e))?;
    let mut carried = Carried {
        is_instrumented: file
            .section_by_name(instrumented::CODE_SECTION)
            .is_some_and(|code| code.size() > 0),
        ..Carried::default()
    };
    let targets: Vec<&str> = containers.iter().map(|c| &*c.manifest.target).collect();
    let own = are_of(&targets, program);
    let own = containers.iter().zip(own).filter(|(_, is_own)| *is_own);
    for (container, _) in own {
        let manifest = &container.manifest;
        if let Some(reason) = &manifest.failure {
            carried
                .failures
                .push((manifest.target.clone(), reason.clone()));
        }
        let mut images = Vec::new();
        for image in &manifest.images {
            let Some(ptx) = container.ptx(image) else {
                return Err(cannot(&format!(
                    "an image of `{}` is cut off",
                    manifest.target
                )));
            };
            let arch = Arch {
                sm: image.sm,
                exact: image.exact,
            };
            let ptx = String::from_utf8_lossy(ptx)
                .trim_end_matches('\0')
                .to_owned();
            images.push(Rc::new(Image { arch, ptx }));
        }
        let kernels = manifest.kernels.iter();
        carried
            .kernels
            .extend(kernels.map(|kernel| device_kernel(kernel, number, &images)));
    }
    Ok(carried)
}

/// Which crate targets, such as `saxpy (bin)`, are part of a program, such as `saxpy (example)`.
///
/// Cargo links all examples of a package with the device code of each, and so with tests and benchmarks; that of unit tests goes to all programs.
/// A test harness, `saxpy (test)`, has the kernels of the crate that it tests as well.
fn are_of(targets: &[&str], program: &Program) -> Vec<bool> {
    let split = |name: &str| {
        let (name, kind) = name.split_once(" (").unwrap_or((name, ""));
        let kind = kind.trim_end_matches(')').to_owned();
        (name.replace('-', "_"), kind)
    };
    let own = split(&program.name).0;
    let targets: Vec<(String, String)> = targets.iter().map(|target| split(target)).collect();
    let is_harness = |(name, kind): &(String, String)| *name == own && kind == "test";
    let has_harness = program.is_test && targets.iter().any(is_harness);
    let is_of = |(name, kind): &(String, String)| match (&**kind, *name == own) {
        ("bin", false) | ("test", false) => false,
        ("test", true) => program.is_test,
        (_, true) => !has_harness,
        (_, false) => true,
    };
    targets.iter().map(is_of).collect()
}

fn device_kernel(kernel: &Kernel, program: usize, images: &[Rc<Image>]) -> DeviceKernel {
    DeviceKernel {
        name: kernel.name.clone(),
        package: kernel.package.clone(),
        entry: kernel.entry.clone(),
        file: kernel.file.clone(),
        line: kernel.line,
        launched_at: kernel.launched_at.clone(),
        contract: kernel.contract,
        program,
        images: images.to_vec(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A kernel without code.
    pub(crate) fn kernel(name: &str) -> DeviceKernel {
        DeviceKernel {
            name: name.into(),
            package: "p 0.1.0".into(),
            entry: name.rsplit("::").next().unwrap_or(name).into(),
            file: "src/main.rs".into(),
            line: 5,
            launched_at: vec![],
            contract: None,
            program: 0,
            images: vec![],
        }
    }

    #[test]
    fn architectures_are_read() {
        let arch = |sm, exact| Ok(Arch { sm, exact });
        assert_eq!(Arch::parse("sm_90"), arch(90, false));
        assert_eq!(Arch::parse("sm_90a"), arch(90, true));
        assert_eq!(Arch::parse("120"), arch(120, false));
        assert_eq!(Arch::parse("8.6"), arch(86, false));
        for wrong in ["", "sm_", "sm_9", "sm_9000", "hopper", "sm_90x"] {
            assert!(Arch::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_image_is_the_one_that_the_runtime_takes() {
        let image = |sm, exact| {
            Rc::new(Image {
                arch: Arch { sm, exact },
                ptx: String::new(),
            })
        };
        let mut kernel = kernel("k");
        kernel.images = vec![image(75, false), image(80, false), image(90, true)];
        let taken = |sm| {
            kernel
                .image(Arch { sm, exact: false })
                .map(|i| i.arch.name())
        };
        assert_eq!(taken(70), None);
        assert_eq!(taken(75).as_deref(), Some("sm_75"));
        assert_eq!(taken(89).as_deref(), Some("sm_80"));
        assert_eq!(taken(90).as_deref(), Some("sm_90a"));
        assert_eq!(taken(100).as_deref(), Some("sm_80"));
    }

    #[test]
    fn kernels_of_other_programs_are_left_out() {
        let of = |targets: &[&str], name: &str| {
            let program = Program {
                path: "x".into(),
                name: name.into(),
                folder: ".".into(),
                is_test: name.ends_with("tests)") || name.ends_with("(test)"),
            };
            let kept = targets.iter().zip(are_of(targets, &program));
            let kept = kept
                .filter(|(_, is_own)| *is_own)
                .map(|(target, _)| *target);
            kept.map(str::to_owned).collect::<Vec<_>>()
        };
        let all = [
            "my_app (bin)",
            "other (bin)",
            "my_app (test)",
            "kernels (lib)",
            "failed",
        ];
        let of_bin = ["my_app (bin)", "kernels (lib)", "failed"];
        assert_eq!(of(&all, "my-app (bin)"), of_bin);
        let of_tests = ["my_app (test)", "kernels (lib)", "failed"];
        assert_eq!(of(&all, "my-app (unit tests)"), of_tests);
        assert_eq!(of(&all[..2], "my-app (unit tests)"), ["my_app (bin)"]);
        assert_eq!(
            of(&["a (test)", "b (test)", "kernels (lib)"], "a (test)"),
            ["a (test)", "kernels (lib)"]
        );
        assert_eq!(
            of(&["kernels (lib)", "kernels (test)"], "kernels (unit tests)"),
            ["kernels (test)"]
        );
    }

    #[test]
    fn a_file_that_is_no_program_is_an_error() {
        let program = Program {
            path: file!().into(),
            name: "x".into(),
            folder: ".".into(),
            is_test: false,
        };
        let error = read(&program, 0).unwrap_err();
        assert!(
            error.starts_with("cannot read the device code of "),
            "{error}"
        );
    }
}
