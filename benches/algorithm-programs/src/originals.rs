//! What the programs are compared with: those of HeCBench for its ports, our twins in CUDA C++ for the others, and sorts of the
//! host. How they are run, and the times that they print.

use std::path::Path;
use std::process::Command;

/// A run of an executable.
#[derive(Debug)]
pub(crate) struct Original {
    executable: &'static str,
    arguments: Vec<String>,
    n: usize,
    /// The times in what it prints for `n` elements.
    times: fn(&str, usize) -> Vec<Figure>,
}

/// A time that an original prints.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// As the program has it.
    pub(crate) case: String,
    /// What the original is made with.
    pub(crate) by: String,
    pub(crate) ms: f64,
}

/// Why there are no times.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OriginalError {
    #[error("cannot run {executable}; benches/algorithm-programs/build-originals.sh makes it")]
    Start {
        executable: String,
        #[source]
        source: std::io::Error,
    },
    #[error("{executable} failed, or printed no times; it printed\n{printed}")]
    Failed { executable: String, printed: String },
}

impl Original {
    /// The runs that together have the cases of `program` with `n` elements.
    pub(crate) fn of(program: &str, n: usize) -> Vec<Original> {
        let run = |executable, arguments: &[String], times| Original {
            executable,
            arguments: arguments.to_vec(),
            n,
            times,
        };
        let (number, side) = (n.to_string(), n.isqrt().to_string());
        match program {
            "radixsort2" => {
                let mut runs = vec![run("cpu_sort", &[number], lines)];
                for flags in [
                    &["-float", "-keysonly"][..],
                    &["-float"],
                    &["-keysonly"],
                    &[],
                ] {
                    let mut arguments = vec![format!("-n={n}")];
                    arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
                    runs.push(run("radixsort2", &arguments, radixsort2));
                }
                runs
            }
            "scan3" => vec![run("scan3", &["1000".to_owned(), number], scan3)],
            "segment-reduce" => {
                let arguments = [(n / 16_384).to_string(), "100".to_owned()];
                vec![run("segment-reduce", &arguments, segment_reduce)]
            }
            "nonzero" => {
                let arguments = [side.clone(), side, "20".to_owned()];
                vec![run("nonzero", &arguments, nonzero)]
            }
            "rle" => {
                let arguments = ["--i=1000".to_owned(), format!("--n={n}")];
                vec![run("rle", &arguments, rle)]
            }
            "group_by" => vec![run("group_by", &[number], lines)],
            "particles" => vec![run("particles", &[number], lines)],
            "k_means" => vec![run("k_means", &[number], lines)],
            "equalise" => vec![run("equalise", &[number], lines)],
            "compress" => vec![run("compress", &[number], lines)],
            _ => Vec::new(),
        }
    }

    /// Runs it, and reads its times.
    pub(crate) fn run(&self, folder: &Path) -> Result<Vec<Figure>, OriginalError> {
        let path = folder.join(self.executable);
        let executable = format!("{} {}", path.display(), self.arguments.join(" "));
        match Command::new(path).args(&self.arguments).output() {
            Err(source) => Err(OriginalError::Start { executable, source }),
            Ok(output) => {
                let printed = String::from_utf8_lossy(&output.stdout).into_owned();
                let right = output.status.success() && !says_wrong(&printed);
                let figures = (self.times)(&printed, self.n);
                if right && !figures.is_empty() {
                    return Ok(figures);
                }
                let printed = printed + &String::from_utf8_lossy(&output.stderr);
                Err(OriginalError::Failed {
                    executable,
                    printed,
                })
            }
        }
    }
}

/// Whether an original says that its results are wrong.
fn says_wrong(printed: &str) -> bool {
    let signs = ["FAIL", "INCORRECT", "mismatch", "does not agree"];
    signs.iter().any(|sign| printed.contains(sign))
}

/// The numbers that stand after `label`.
fn after<'t>(text: &'t str, label: &'t str) -> impl Iterator<Item = f64> + 't {
    text.split(label).skip(1).filter_map(|rest| {
        let number = rest.trim_start().split([' ', '\n', ',']).next()?;
        number.parse().ok()
    })
}

fn radixsort2(printed: &str, n: usize) -> Vec<Figure> {
    let word = |sign: &str, yes, no| if printed.contains(sign) { yes } else { no };
    let of = word(" float keys", "float", "unsigned int");
    let what = word("(only)", "keys", "keys and values");
    let case = format!("{of} {what}");
    let rates = after(printed, "Throughput =");
    rates
        .map(|millions_per_second| Figure {
            case: case.clone(),
            by: "Thrust".to_owned(),
            ms: n as f64 / 1e3 / millions_per_second,
        })
        .collect()
}

fn scan3(printed: &str, _: usize) -> Vec<Figure> {
    ["Thrust", "CUB"]
        .into_iter()
        .flat_map(|by| {
            let label = match by {
                "Thrust" => "CUDA Thrust exclusive scan:",
                _ => "CUDA CUB exclusive scan:",
            };
            after(printed, label).map(move |us| Figure {
                case: "float".to_owned(),
                by: by.to_owned(),
                ms: us / 1e3,
            })
        })
        .collect()
}

fn segment_reduce(printed: &str, n: usize) -> Vec<Figure> {
    let lengths = after(printed, "segment_size =");
    let rates = after(printed, "Throughput =");
    lengths
        .zip(rates)
        .map(|(length, billions_per_second)| Figure {
            case: format!("segments of {length}"),
            by: "Thrust".to_owned(),
            ms: n as f64 / 1e6 / billions_per_second,
        })
        .collect()
}

/// It counts, then writes; each type comes twice, and the first time is for warming up.
fn nonzero(printed: &str, _: usize) -> Vec<Figure> {
    let counts = after(printed, "sum reduction:");
    let writes = after(printed, "write index operations:");
    let types = ["I8", "I16", "I32", "FP32", "FP64"];
    let all = types.iter().cycle().zip(counts.zip(writes));
    all.skip(types.len())
        .map(|(of, (count_us, write_us))| Figure {
            case: (*of).to_owned(),
            by: "CUB".to_owned(),
            ms: (count_us + write_us) / 1e3,
        })
        .collect()
}

fn rle(printed: &str, n: usize) -> Vec<Figure> {
    let one = "one run".to_owned();
    let longest = [1, 16, 256, 4096, 65_536].map(|longest| format!("runs up to {longest}"));
    let cases = [one].into_iter().chain(longest);
    let rates = printed.lines().filter_map(|line| {
        let (before, _) = line.split_once(" billion items/s")?;
        before.rsplit(' ').next()?.parse::<f64>().ok()
    });
    cases
        .zip(rates)
        .map(|(case, billions_per_second)| Figure {
            case,
            by: "CUB".to_owned(),
            ms: n as f64 / 1e6 / billions_per_second,
        })
        .collect()
}

/// Lines of a case, what it is made with, and its milliseconds.
fn lines(printed: &str, _: usize) -> Vec<Figure> {
    let figure = |line: &str| {
        let (case, rest) = line.split_once('\t')?;
        let (by, ms) = rest.split_once('\t')?;
        Some(Figure {
            case: case.to_owned(),
            by: by.to_owned(),
            ms: ms.parse().ok()?,
        })
    };
    printed.lines().filter_map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(figures: &[Figure]) -> Vec<(&str, &str, f64)> {
        let case = |figure: &Figure| (figure.ms * 1e6).round() / 1e6;
        figures
            .iter()
            .map(|f| (f.case.as_str(), f.by.as_str(), case(f)))
            .collect()
    }

    #[test]
    fn rates_become_times() {
        let text = "\nSorting 1000000 32-bit float keys (only)\n\nThroughput = 4000.0000 MElements/s, Time = 0.00025 s\nPASS\n";
        let found = radixsort2(text, 1_000_000);
        assert_eq!(cases(&found), [("float keys", "Thrust", 0.25)]);
        let text = "num_segments = 8 segment_size = 16 Throughput = 2.000000 (G/s)\nnum_segments = 4 segment_size = 32 Throughput = 4.000000 (G/s)\n";
        assert_eq!(
            cases(&segment_reduce(text, 4_000_000)),
            [
                ("segments of 16", "Thrust", 2.0),
                ("segments of 32", "Thrust", 1.0)
            ]
        );
        let text = "Test iterator: on 9 items\n\t Count PASS\n, 0.020 avg ms, 50.000 billion items/s, 9.1 logical GB/s\n\nTest pointer:\n, 0.020 avg ms, 25.000 billion items/s, 9.1 logical GB/s\n";
        assert_eq!(
            cases(&rle(text, 1_000_000)),
            [("one run", "CUB", 0.02), ("runs up to 1", "CUB", 0.04)]
        );
    }

    #[test]
    fn times_are_read_as_they_are_printed() {
        let text = "Average execution time of CUDA Thrust exclusive scan: 104.5 (us)\nPASS\nAverage execution time of CUDA CUB exclusive scan: 200 (us)\nPASS\n";
        assert_eq!(
            cases(&scan3(text, 8)),
            [("float", "Thrust", 0.1045), ("float", "CUB", 0.2)]
        );
        assert_eq!(
            cases(&lines("u8\tCUB\t1.25\nchecked\n", 8)),
            [("u8", "CUB", 1.25)]
        );
    }

    #[test]
    fn the_second_pass_of_nonzero_counts() {
        let pass = |us: u32| {
            let of = "Average time for sum reduction: ";
            let writes = "Average time for write index operations: ";
            format!("{of}{us}.5 (us)\n{writes}100.0 (us)\nPASS\n").repeat(5)
        };
        let found = nonzero(&(pass(900) + &pass(30)), 8);
        let names: Vec<&str> = found.iter().map(|figure| figure.case.as_str()).collect();
        assert_eq!(names, ["I8", "I16", "I32", "FP32", "FP64"]);
        assert!(found.iter().all(|figure| (figure.ms - 0.1305).abs() < 1e-9));
    }

    #[test]
    fn an_original_that_is_not_there_is_named() {
        let original = &Original::of("scan3", 64)[0];
        let error = original.run(Path::new("/nowhere")).unwrap_err();
        assert!(
            error.to_string().contains("/nowhere/scan3 1000 64"),
            "{error}"
        );
    }
}
