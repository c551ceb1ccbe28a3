mod pair; mod ranges; mod slices; mod searches; mod integers; mod arrays;
use warploom::prelude::*;
use warploom_harness::static_comparison::tools;
use warploom_harness::ptx;
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files = [("ranges", ranges::PAIRS), ("slices", slices::PAIRS), ("searches", searches::PAIRS), ("integers", integers::PAIRS), ("arrays", arrays::PAIRS)];
    if std::env::args().nth(1).is_none() {
    let stream = Device::emulator().stream()?;
    let mut n = 0;
    for (_, pairs) in files { for p in pairs { if let Err(e) = (p.run)(&stream) { println!("{e}") } n += 1; } }
    println!("{n} pairs");
    }
    let (Some(images), Some(tools)) = (ptx::images(), tools("sm_90")) else { return Ok(()) };
    let mut all = std::collections::BTreeMap::new();
    for image in &images {
        let names: Vec<&str> = image.kernels.iter().map(|k| k.1.as_str()).collect();
        let figures = tools.of_image(&image.ptx, &names)?;
        for (k, f) in image.kernels.iter().zip(figures) { all.insert(k.0.clone(), f); }
    }
    println!("images {}, kernels {}", images.len(), all.len());
    let mut bad = 0;
    for (file, pairs) in files { for p in pairs {
        let find = |form: &str| all.iter().find(|(k, _)| k.ends_with(&format!("::{file}::{}::{form}", p.module))).map(|(_, f)| f);
        let (Some(i), Some(c)) = (find("idiom"), find("plain")) else { println!("missing {}", p.module); continue };
        let r = i.whole.instructions as f64 / c.whole.instructions as f64;
        let h = |f: &warploom_harness::static_comparison::Figures| f.hottest.as_ref().map_or("-".into(), |h| format!("{}", h.instructions));
        if r > 1.1 { bad += 1; }
        println!("{}{:28} {:4} {:4} {:.2}  regs {:3} {:3}  hot {:>4} {:>4}", if r > 1.1 { "*" } else { " " }, p.module, i.whole.instructions, c.whole.instructions, r, i.registers, c.registers, h(i), h(c));
    }}
    println!("{bad} worse");
    Ok(())
}
