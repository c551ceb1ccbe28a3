use warploom_manifest::container::pack;
use warploom_manifest::{Manifest, ParamKind};

use super::*;
use crate::kernel::Contract;

fn described(name: &str, entry: &str, params: Vec<Param>, at: &[(u32, u32)]) -> manifest::Kernel {
    manifest::Kernel {
        name: name.into(),
        package: String::new(),
        entry: entry.into(),
        file: String::new(),
        line: 0,
        launched_at: at
            .iter()
            .map(|(line, column)| manifest::Location {
                file: format!("/home/someone/{}", file!()),
                line: *line,
                column: *column,
            })
            .collect(),
        layouts: vec![0; params.len()],
        contract: None,
        params,
        id: 1,
    }
}

fn section(targets: Vec<(&str, Option<&str>, Vec<manifest::Kernel>)>) -> Vec<u8> {
    let mut section = vec![0; 16];
    for (target, failure, kernels) in targets {
        let manifest = Manifest {
            target: target.into(),
            failure: failure.map(Into::into),
            kernels,
            images: vec![],
            symbols: vec![],
        };
        section.extend(pack(manifest, &[(75, false, "text".into())]).unwrap());
    }
    section
}

fn kernel<'a>(name: &'static str, params: &'a [Param]) -> Kernel<'a> {
    Kernel {
        name,
        base: "scale",
        package: "",
        contract: Contract::ANY,
        params,
        layouts: &[],
        index: 0,
        file: file!(),
        line: 1,
    }
}

fn value(size: u64) -> Param {
    Param {
        kind: ParamKind::ByValue,
        size,
        align: 4,
    }
}

#[track_caller]
fn here() -> &'static Location<'static> {
    Location::caller()
}

#[test]
fn a_program_without_device_code_has_an_empty_section() {
    assert!(embedded().unwrap().is_empty());
}

#[test]
fn a_missing_kernel_says_what_to_do() {
    let bytes = section(vec![]);
    let found = unpack(&bytes).unwrap();
    let error = find(&found, &kernel("shop::scale", &[]), here()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("no device code for kernel `shop::scale` in this program: the crate")
    );
    assert!(
        error
            .to_string()
            .contains("build.rs with `warploom_build::compile()`")
    );

    let bytes = section(vec![("lib shop", Some("no libLLVM"), vec![])]);
    let found = unpack(&bytes).unwrap();
    let error = find(&found, &kernel("shop::scale", &[]), here()).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("the device pass of lib shop failed: no libLLVM")
    );
}

#[test]
fn closures_of_one_name_are_told_apart_by_the_line() {
    let (first, second) = (here(), here());
    let at = |location: &Location<'_>| (location.line(), location.column());
    let name = "shop::map<shop::main::{{closure}}>";
    let bytes = section(vec![(
        "bin shop",
        None,
        vec![
            described(name, "a", vec![value(4)], &[at(first)]),
            described(name, "b", vec![value(4)], &[(9999, 1), at(second)]),
        ],
    )]);
    let found = unpack(&bytes).unwrap();
    let params = [Param {
        kind: ParamKind::ByValue,
        size: 4,
        align: 4,
    }];
    let entry = |at| find(&found, &kernel(name, &params), at).map(|(_, kernel)| &*kernel.entry);
    assert_eq!(entry(first).unwrap(), "a");
    assert_eq!(entry(second).unwrap(), "b");
    let error = entry(here()).unwrap_err().to_string();
    assert!(
        error.contains("2 versions") && error.contains("a line of its own"),
        "{error}"
    );
}

#[test]
fn instances_on_one_line_are_told_apart_by_layout() {
    let bytes = section(vec![(
        "bin shop",
        None,
        vec![
            described("shop::map", "a", vec![value(4)], &[]),
            described("shop::map", "b", vec![value(8)], &[]),
        ],
    )]);
    let found = unpack(&bytes).unwrap();
    let params = [Param {
        kind: ParamKind::ByValue,
        size: 8,
        align: 4,
    }];
    let (_, kernel) = find(&found, &kernel("shop::map", &params), here()).unwrap();
    assert_eq!(kernel.entry, "b");
}

#[test]
fn one_kernel_in_two_containers_is_no_conflict() {
    let kernels = || vec![described("shop::scale", "a", vec![], &[])];
    let bytes = section(vec![
        ("lib shop", None, kernels()),
        ("bin shop", None, kernels()),
    ]);
    let found = unpack(&bytes).unwrap();
    assert!(find(&found, &kernel("shop::scale", &[]), here()).is_ok());
}

/// A library and the program beside it have one name, and so do two versions of a library.
#[test]
fn kernels_of_one_name_are_told_apart_by_their_place() {
    let at = |entry, file: &str, line| manifest::Kernel {
        file: file.into(),
        line,
        ..described("shop::scale", entry, vec![], &[])
    };
    let bytes = section(vec![
        (
            "shop (bin)",
            None,
            vec![at("a", "/home/someone/shop/src/main.rs", 7)],
        ),
        ("shop (lib)", None, vec![at("b", "src/lib.rs", 7)]),
        (
            "shop (lib)",
            None,
            vec![at("c", "registry/shop-1.0.0/src/lib.rs", 9)],
        ),
    ]);
    let found = unpack(&bytes).unwrap();
    let entry = |file, line| {
        let kernel = Kernel {
            layouts: &[],
            file,
            line,
            ..kernel("shop::scale", &[])
        };
        find(&found, &kernel, here()).map(|(_, kernel)| &*kernel.entry)
    };
    assert_eq!(entry("src/main.rs", 7).unwrap(), "a");
    assert_eq!(entry("/home/someone/shop/src/lib.rs", 7).unwrap(), "b");
    assert_eq!(
        entry("/home/other/registry/shop-1.0.0/src/lib.rs", 9).unwrap(),
        "c"
    );
}

/// A library in two versions, of which one has no build script that compiles its kernels; both have the kernel at one place.
#[test]
fn the_one_kernel_of_a_name_is_not_taken_for_that_of_another_version() {
    let bytes = section(vec![(
        "shop (lib)",
        None,
        vec![manifest::Kernel {
            package: "shop 1.0.0".into(),
            file: "/registry/shop-1.0.0/src/lib.rs".into(),
            line: 7,
            ..described("shop::scale", "a", vec![], &[])
        }],
    )]);
    let found = unpack(&bytes).unwrap();
    let of = |package, file, line| {
        let kernel = Kernel {
            package,
            file,
            line,
            ..kernel("shop::scale", &[])
        };
        find(&found, &kernel, here()).map(|(_, kernel)| &*kernel.entry)
    };
    let file = "/registry/shop-1.0.0/src/lib.rs";
    assert_eq!(of("shop 1.0.0", file, 7).unwrap(), "a");
    // The paths of one of the two compilations may have been remapped.
    assert_eq!(of("shop 1.0.0", "/_/src/lib.rs", 7).unwrap(), "a");
    let other_version = of("shop 2.0.0", "/registry/shop-2.0.0/src/lib.rs", 7);
    assert_eq!(
        other_version.unwrap_err().to_string(),
        "no device code for kernel `shop::scale` in this program: it has that of package `shop 1.0.0`, and this launch is of `shop 2.0.0`; add a build.rs with `warploom_build::compile()` to `shop 2.0.0`, or let the program use one version of it; WARPLOOM_DEVICE=emulator runs it on the CPU"
    );
    for (file, line) in [(file, 9), ("/registry/shop-1.0.0/src/kernels.rs", 7)] {
        let text = of("shop 1.0.0", file, line).unwrap_err().to_string();
        let compared = format!(
            "has it at /registry/shop-1.0.0/src/lib.rs:7, the program at {file}:{line}: they were compiled from different sources; build both again with `cargo clean -p shop`"
        );
        assert!(text.contains(&compared), "{text}");
    }
}

#[test]
fn layouts_must_agree() {
    let host = [Param::by_value::<u64>(), Param::slice::<f32>()];
    let kernel = kernel("shop::scale", &host);
    let device = |size, kind| {
        let slice = Param {
            kind,
            size: 4,
            align: 4,
        };
        [
            Param {
                kind: ParamKind::ByValue,
                size,
                align: 8,
            },
            slice,
        ]
    };
    assert!(check_layout(&kernel, &device(8, ParamKind::Slice)).is_ok());
    let error = check_layout(&kernel, &device(12, ParamKind::Slice))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("parameter 1 is a value of 8 bytes, aligned to 8 on the host"),
        "{error}"
    );
    assert!(error.contains("a value of 12 bytes"), "{error}");
    let error = check_layout(&kernel, &device(8, ParamKind::SliceMut))
        .unwrap_err()
        .to_string();
    assert!(error.contains("parameter 2"), "{error}");
    let error = check_layout(&kernel, &device(8, ParamKind::Slice)[..1])
        .unwrap_err()
        .to_string();
    assert!(error.contains("but absent in the device code"), "{error}");
}

#[test]
fn the_driver_must_see_the_same_parameters() {
    let host = [
        Param::by_value::<()>(),
        Param::by_value::<u8>(),
        Param::slice_2d_mut::<f32>(),
    ];
    let kernel = kernel("shop::scale", &host);
    let sizes = [1, 8, 8, 8];
    assert!(check_parameters(&kernel, &sizes, None).is_ok());
    assert!(check_parameters(&kernel, &sizes, Some(vec![1, 8, 8, 8])).is_ok());
    let error = check_parameters(&kernel, &sizes, Some(vec![1, 8, 8]))
        .unwrap_err()
        .to_string();
    assert!(error.contains("parameter 4"), "{error}");
}

#[test]
fn fields_and_launch_conditions_must_agree() {
    let params = [value(8), value(4)];
    let device = manifest::Kernel {
        layouts: vec![1, 2],
        contract: Some(Contract {
            block: [64, 1, 1],
            conditions: 7,
            ..Contract::ANY
        }),
        ..described("shop::scale", "a", params.to_vec(), &[])
    };
    let host = Kernel {
        layouts: &[1, 2],
        contract: device.contract.unwrap(),
        ..kernel("shop::scale", &params)
    };
    assert!(check_described(&host, &device).is_ok());
    let error = |host: Kernel<'_>| check_described(&host, &device).unwrap_err().to_string();
    let fields = error(Kernel {
        layouts: &[1, 3],
        ..host
    });
    assert!(
        fields.contains("the type of parameter 2 has other fields"),
        "{fields}"
    );
    let block = error(Kernel {
        contract: Contract {
            block: [32, 1, 1],
            ..host.contract
        },
        ..host
    });
    assert!(
        block.contains("its block is [32, 1, 1] on the host, but [64, 1, 1] in the device code"),
        "{block}"
    );
    let conditions = error(Kernel {
        contract: Contract {
            conditions: 8,
            ..host.contract
        },
        ..host
    });
    assert!(
        conditions.contains("constants is 0000000000000008 on the host, but 0000000000000007"),
        "{conditions}"
    );
}
