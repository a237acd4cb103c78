//! Makes the list of systems from the dependencies of this package that are folders beside it.

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=Cargo.toml");
    let manifest = fs::read_to_string("Cargo.toml")?;
    let names: Vec<&str> =
        manifest.lines().filter_map(|line| Some(line.split_once(" = { path = ")?.0)).collect();
    let systems: Vec<String> = names.iter().map(|name| format!("{name}::system()")).collect();
    let list = format!(
        "pub use {{{}}};\n\n\
         /// All systems, in the order of the home page.\n\
         #[must_use]\n\
         pub fn all() -> Vec<singlet_web::System> {{\n    vec![{}]\n}}\n",
        names.join(", "),
        systems.join(", ")
    );
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&folder).join("systems.rs"), list)
}
