//! Device code becomes objects that cargo links into the package's targets.

use crate::groups::{DeviceCode, Group};
use crate::instructions::{fail, instruct};
use crate::package::{Package, PackageError, write_if_changed};
use crate::{elf, platform};
use std::path::Path;

/// Writes objects and tells cargo to link them.
pub(crate) fn embed(package: &Package, code: &DeviceCode) {
    let machine = elf::Machine::of_triple(&package.target);
    let Some(machine) = machine.filter(|_| platform::carries_device_code(&package.target)) else {
        return;
    };
    let folder = package.out_dir.join("warploom");
    for (group, linked) in code.groups() {
        let containers: Vec<&[u8]> = linked.iter().map(|l| &*l.containers).collect();
        let mut objects = vec![elf::object(&containers.concat(), machine)];
        let instrumented = linked.iter().map(|l| &l.instrumented);
        objects.extend(instrumented.filter(|code| !code.is_empty()).cloned());
        let written = std::fs::create_dir_all(&folder)
            .map_err(|e| e.to_string())
            .and_then(|()| link(package, &folder, group, &objects).map_err(|e| e.to_string()));
        if let Err(error) = written {
            fail(&format!(
                "cannot write the device code of `{}`: {error}",
                package.name
            ));
        }
    }
}

fn link(
    package: &Package,
    folder: &Path,
    group: Group,
    objects: &[Vec<u8>],
) -> Result<(), PackageError> {
    if group == Group::Lib {
        let name = format!(
            "warploom_{}",
            package.spec.replace(['-', '@', '.', '+'], "_")
        );
        write_if_changed(&folder.join(format!("lib{name}.a")), &elf::archive(objects))?;
        instruct(&format!("rustc-link-search=native={}", folder.display()));
        instruct(&format!("rustc-link-lib=static:+whole-archive={name}"));
    } else {
        for (number, object) in objects.iter().enumerate() {
            let path = folder.join(format!("{group:?}{number}.o").to_lowercase());
            write_if_changed(&path, object)?;
            instruct(&format!("{}={}", group.instruction(), path.display()));
        }
    }
    Ok(())
}
