//! Device code from elsewhere: PTX, cubins, fat binaries, and whether it is all there.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use crate::device::Device;
use crate::module::error::ModuleError;
use crate::module::images::{Arch, Form, choose};

/// Device code that another compiler made: PTX, a cubin or a fat binary.
///
/// ```
/// use warploom_runtime::module::{Code, CodeKind};
/// let code = Code::ptx(".version 7.0\n.target sm_75\n.address_size 64\n")?.named("empty");
/// assert_eq!(code.kind(), CodeKind::Ptx);
/// assert_eq!(code.arch().map(|arch| arch.to_string()), Some("sm_75".to_owned()));
/// # Ok::<(), warploom_runtime::module::ModuleError>(())
/// ```
#[derive(Clone)]
pub struct Code<'a> {
    kind: CodeKind,
    name: String,
    /// PTX ends with its only zero byte; the headers of binaries name no byte behind the end.
    bytes: Cow<'a, [u8]>,
    arch: Option<Arch>,
}

/// What [`Code`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CodeKind {
    /// Text that the driver compiles.
    Ptx,
    /// Machine code for one architecture, an ELF file.
    Cubin,
    /// Several of both, among which the driver chooses.
    FatBinary,
}

impl<'a> Code<'a> {
    /// PTX as text.
    ///
    /// # Errors
    /// [`ModuleError::NotCode`] for a text without `.version`, or with a zero byte in it.
    pub fn ptx(text: &str) -> Result<Code<'static>, ModuleError> {
        Code::of_bytes("PTX".to_owned(), Cow::Owned(text.as_bytes().to_vec()), true)
    }

    /// A cubin or a fat binary: which of them, the bytes say.
    ///
    /// A fat binary is what `nvcc --fatbin` writes.
    ///
    /// # Errors
    /// [`ModuleError::NotCode`] for other bytes, and for a file that is cut off.
    pub fn binary(bytes: &'a [u8]) -> Result<Code<'a>, ModuleError> {
        Code::of_bytes("the binary".to_owned(), Cow::Borrowed(bytes), false)
    }

    /// The file of this name: PTX, a cubin or a fat binary. CUDA: `cuModuleLoad`.
    ///
    /// # Errors
    /// [`ModuleError::Read`] if the file cannot be read, [`ModuleError::NotCode`] if it is neither of them.
    pub fn file(path: impl AsRef<Path>) -> Result<Code<'static>, ModuleError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| ModuleError::Read {
            path: path.display().to_string(),
            reason: error.to_string(),
        })?;
        let is_text = kind_of_binary(&bytes).is_none();
        Code::of_bytes(path.display().to_string(), Cow::Owned(bytes), is_text)
    }

    /// The same under another name, which messages show.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Code<'a> {
        Code {
            name: name.into(),
            ..self
        }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> CodeKind {
        self.kind
    }

    /// The name that messages show: that of the file, or what was given to [`named`](Code::named).
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it was made for; `None` for fat binaries, and where the code does not say it in a way that is known here. Cubins do not say
    /// that they are for one GPU alone: `sm_90` may be `sm_90a`.
    #[must_use]
    pub fn arch(&self) -> Option<Arch> {
        self.arch
    }

    /// The PTX; `None` for binaries.
    #[must_use]
    pub fn as_ptx(&self) -> Option<&str> {
        match (self.kind, &*self.bytes) {
            (CodeKind::Ptx, [text @ .., 0]) => std::str::from_utf8(text).ok(),
            _ => None,
        }
    }

    /// The one of `all` that a device gets, by [`images::choose`](crate::module::images::choose). Fat binaries, whose driver chooses
    /// itself, come last. `None` if none of it runs there.
    ///
    /// ```
    /// use warploom_runtime::{Device, model::Model, module::Code};
    /// let ptx = |target: &str| Code::ptx(&format!(".version 8.6\n.target {target}\n.address_size 64\n"));
    /// let all = [ptx("sm_75")?, ptx("sm_90a")?, ptx("sm_100")?];
    /// let chosen = |model| Code::choose(&all, &Device::emulator_of(model)).and_then(|code| code.arch()).map(|arch| arch.to_string());
    /// assert_eq!(chosen(Model::CC_8_6).as_deref(), Some("sm_75"));
    /// assert_eq!(chosen(Model::CC_9_0).as_deref(), Some("sm_90a"));
    /// assert_eq!(chosen(Model::CC_12_0).as_deref(), Some("sm_100"));
    /// # Ok::<(), warploom_runtime::module::ModuleError>(())
    /// ```
    #[must_use]
    pub fn choose<'c>(all: &'c [Code<'a>], device: &Device) -> Option<&'c Code<'a>> {
        let known: Vec<_> = all
            .iter()
            .filter_map(|code| Some((code, (code.form(), code.arch?))))
            .collect();
        let images: Vec<_> = known.iter().map(|(_, image)| *image).collect();
        let best = choose(&images, device.compute_capability()).map(|at| known[at].0);
        best.or_else(|| all.iter().find(|code| code.arch.is_none()))
    }

    pub(super) fn form(&self) -> Form {
        match self.kind {
            CodeKind::Ptx => Form::Ptx,
            CodeKind::Cubin | CodeKind::FatBinary => Form::Binary,
        }
    }

    /// As the driver takes it: PTX with a zero byte behind it.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn of_bytes(name: String, bytes: Cow<'a, [u8]>, text: bool) -> Result<Code<'a>, ModuleError> {
        let read = if text {
            let ptx = check_ptx(&bytes);
            ptx.map(|(ptx, arch)| (CodeKind::Ptx, Cow::Owned(ptx), arch))
        } else {
            match kind_of_binary(&bytes) {
                Some(CodeKind::Cubin) => {
                    check_cubin(&bytes).map(|arch| (CodeKind::Cubin, bytes, arch))
                }
                Some(kind) => check_fat_binary(&bytes).map(|()| (kind, bytes, None)),
                None => Err(
                    "it starts neither as a cubin nor as a fat binary; PTX is given to `Code::ptx`"
                        .to_owned(),
                ),
            }
        };
        match read {
            Ok((kind, bytes, arch)) => Ok(Code {
                kind,
                name,
                bytes: aligned(bytes),
                arch,
            }),
            Err(reason) => Err(ModuleError::NotCode { name, reason }),
        }
    }
}

/// Bytes of a program's own (`include_bytes!`) may start anywhere; the driver finds numbers of eight bytes in them.
fn aligned(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match bytes {
        Cow::Borrowed(bytes) if !bytes.as_ptr().addr().is_multiple_of(8) => {
            Cow::Owned(bytes.to_vec())
        }
        bytes => bytes,
    }
}

const ELF: [u8; 4] = *b"\x7fELF";
/// What a fat binary starts with.
const FAT: [u8; 4] = 0xBA55_ED50_u32.to_le_bytes();
/// `e_machine` of ELF files with machine code for GPUs.
const EM_CUDA: u64 = 190;

fn kind_of_binary(bytes: &[u8]) -> Option<CodeKind> {
    match bytes.first_chunk() {
        Some(&ELF) => Some(CodeKind::Cubin),
        Some(&FAT) => Some(CodeKind::FatBinary),
        _ => None,
    }
}

/// The text with one zero byte behind it, and its target.
fn check_ptx(bytes: &[u8]) -> Result<(Vec<u8>, Option<Arch>), String> {
    let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    let text = std::str::from_utf8(text).map_err(|error| {
        format!(
            "it is no text from byte {} on; give binaries to `Code::binary`",
            error.valid_up_to()
        )
    })?;
    if let Some(at) = text.find('\0') {
        return Err(format!(
            "there is a zero byte at byte {at}, where the driver would stop reading; remove it"
        ));
    }
    if !text.contains(".version") {
        return Err("PTX says `.version` in front; is this PTX, and all of it?".to_owned());
    }
    let target = text
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(".target"));
    let arch = target.and_then(|rest| {
        rest.trim_start()
            .split([',', ' ', '\t', '/', '\r'])
            .next()?
            .parse()
            .ok()
    });
    let mut ptx = text.as_bytes().to_vec();
    ptx.push(0);
    Ok((ptx, arch))
}

/// The driver is given an address without a length: every table and section must lie within the bytes.
fn check_cubin(bytes: &[u8]) -> Result<Option<Arch>, String> {
    let number = |at: usize, len: usize| number(bytes, at, len);
    let cut = || {
        format!(
            "it ends after {} bytes, within what its header names; is it cut off?",
            bytes.len()
        )
    };
    let header = (|| Some((number(4, 1)?, number(5, 1)?, number(18, 2)?, number(62, 2)?)))();
    let Some((class, order, machine, _)) = header else {
        return Err(cut());
    };
    if (class, order, machine) != (2, 1, EM_CUDA) {
        return Err(
            "it is an ELF file, but not one of 64 bits with code for NVIDIA GPUs".to_owned(),
        );
    }
    let inside = |start: u64, len: u64| {
        let end = start.checked_add(len);
        end.is_some_and(|end| end <= bytes.len() as u64)
    };
    let whole = (|| {
        let (programs, sections) = (number(32, 8)?, number(40, 8)?);
        let (program, n_programs) = (number(54, 2)?, number(56, 2)?);
        let (section, n_sections) = (number(58, 2)?, number(60, 2)?);
        let mut whole =
            inside(programs, program * n_programs) && inside(sections, section * n_sections);
        if n_sections > 0 && section < 64 || n_programs > 0 && program < 56 {
            return None;
        }
        for i in 0..if whole { n_sections } else { 0 } {
            let at = usize::try_from(sections + i * section).ok()?;
            let (kind, start, len) = (number(at + 4, 4)?, number(at + 24, 8)?, number(at + 32, 8)?);
            // A section without bytes in the file (8) has a size all the same.
            whole &= kind == 8 || inside(start, len);
        }
        for i in 0..if whole { n_programs } else { 0 } {
            let at = usize::try_from(programs + i * program).ok()?;
            whole &= inside(number(at + 8, 8)?, number(at + 32, 8)?);
        }
        Some(whole)
    })();
    if whole != Some(true) {
        return Err(cut());
    }
    Ok(arch_of_cubin(bytes))
}

/// The architecture as the header's flags say it; in which byte, the version of the format tells. That code is for one GPU or family alone
/// (`sm_90a`), they do not say: the driver knows.
fn arch_of_cubin(bytes: &[u8]) -> Option<Arch> {
    let (version, flags) = (number(bytes, 8, 1)?, number(bytes, 48, 4)? as u32);
    let sm = match version {
        7 => flags & 0xff,
        8 => flags >> 8 & 0xff,
        _ => return None,
    };
    (sm >= 10).then(|| Arch::new(sm / 10, sm % 10))
}

/// A header says how long the rest is.
fn check_fat_binary(bytes: &[u8]) -> Result<(), String> {
    let number = |at, len| number(bytes, at, len);
    let whole = (|| {
        let (header, rest) = (number(6, 2)?, number(8, 8)?);
        Some(header >= 16 && header.checked_add(rest)? <= bytes.len() as u64)
    })();
    if whole == Some(true) {
        return Ok(());
    }
    Err(format!(
        "it ends after {} bytes, within what its header names; is it cut off?",
        bytes.len()
    ))
}

/// The little-endian number of `len` bytes at `at`, if it lies within the bytes.
fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(len)?)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |n, byte| n << 8 | u64::from(*byte)),
    )
}

impl fmt::Debug for Code<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code")
            .field("kind", &self.kind)
            .field("name", &self.name)
            .field("arch", &self.arch)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

#[cfg(test)]
#[path = "code_tests.rs"]
mod tests;
