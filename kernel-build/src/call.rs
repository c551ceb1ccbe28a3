//! rustc's arguments, as cargo writes them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// One call of rustc, without the program.
pub(crate) struct Call<'a>(pub(crate) &'a [OsString]);

impl<'a> Call<'a> {
    pub(crate) fn has(&self, flag: &str, value: &str) -> bool {
        self.values(flag).any(|v| v == value)
    }

    pub(crate) fn value(&self, flag: &str) -> Option<&'a str> {
        self.values(flag).next()?.to_str()
    }

    fn values(&self, flag: &str) -> impl Iterator<Item = &'a OsStr> {
        let pairs = self.0.windows(2);
        pairs.filter_map(move |pair| (pair[0] == flag).then_some(&*pair[1]))
    }

    /// `lib`, `bin`, `proc-macro`; `None` for test harnesses, and for benchmarks with `harness = false`.
    pub(crate) fn crate_type(&self) -> Option<&'a str> {
        self.value("--crate-type")
    }

    /// The `-0123456789abcdef` of the names of all results.
    pub(crate) fn file_suffix(&self) -> &'a str {
        let given = self.values("-C").filter_map(|value| value.to_str());
        let suffixes = given.filter_map(|value| value.strip_prefix("extra-filename="));
        suffixes.last().unwrap_or_default()
    }

    pub(crate) fn features(&self) -> BTreeSet<String> {
        let given = self.values("--cfg").filter_map(|value| value.to_str());
        let names = given.filter_map(|cfg| cfg.strip_prefix("feature=\"")?.strip_suffix('"'));
        names.map(str::to_owned).collect()
    }

    /// The crates that this one depends on, and where they are; without those of the sysroot.
    pub(crate) fn externs(&self) -> Vec<(&'a str, &'a Path)> {
        let given = self.values("--extern").filter_map(|value| value.to_str());
        let places = given.filter_map(|value| value.split_once('='));
        // In front of the name there may be options: `priv,noprelude:name`.
        let name = |text: &'a str| text.rsplit_once(':').map_or(text, |(_, name)| name);
        places
            .map(|(key, path)| (name(key), Path::new(path)))
            .collect()
    }

    /// The crate's first source file.
    pub(crate) fn root(&self) -> Option<&'a Path> {
        let is_source = |arg: &&OsString| Path::new(arg).extension().is_some_and(|e| e == "rs");
        self.0.iter().find(is_source).map(Path::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_as_cargo_writes_them() {
        let line = r#"--crate-name syn --edition=2021 /r/syn-3.0.9/src/lib.rs --crate-type lib --emit=dep-info,metadata,link -C embed-bitcode=no --cfg feature="full" --cfg feature="default" --cfg syn_x -C metadata=ab -C extra-filename=-cd --out-dir /t/deps --extern quote=/t/deps/libquote-1.rmeta --extern priv:b=/t/deps/libb-1.rlib --extern proc_macro"#;
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let call = Call(&args);
        assert_eq!(call.value("--crate-name"), Some("syn"));
        assert_eq!(call.crate_type(), Some("lib"));
        assert!(call.has("--cfg", "syn_x") && !call.has("--cfg", "syn_y"));
        assert_eq!(call.file_suffix(), "-cd");
        assert!(call.features().iter().eq(["default", "full"]));
        assert_eq!(call.root(), Some(Path::new("/r/syn-3.0.9/src/lib.rs")));
        let externs = [
            ("quote", Path::new("/t/deps/libquote-1.rmeta")),
            ("b", Path::new("/t/deps/libb-1.rlib")),
        ];
        assert_eq!(call.externs(), externs);
    }
}
