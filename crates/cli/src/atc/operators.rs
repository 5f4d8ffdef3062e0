//! Compiles single operators: one file per entry of a list.

use std::fs;
use std::path::Path;

use millpond_model::compiled::{self, About};
use millpond_model::singleop;

use super::output;
use millpond_model::compile::Options;

/// Options for a list of operators; the others are for models.
const FITTING: [&str; 4] = ["singleop", "output", "soc_version", "mode"];

pub(super) fn compile(path: &Path, options: &Options) -> Result<(), String> {
    if let Some(other) = options.given().find(|name| !FITTING.contains(name)) {
        return Err(format!("--{other} and --singleop cannot be used together"));
    }
    let folder = options
        .get("output")
        .ok_or("missing --output, the folder for the compiled operators")?;
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let operators = singleop::parse(&text).map_err(|error| format!("{shown}: {error}"))?;
    for (index, operator) in operators.iter().enumerate() {
        let name = operator.file_name(index);
        let about = About {
            name: name.trim_end_matches(".om").to_owned(),
            soc_version: options.get("soc_version").map(str::to_owned),
        };
        let target = Path::new(folder).join(&name);
        output::write(&target, &compiled::write_operator(&about, operator))?;
        println!("wrote {}: {}", target.display(), operator.op);
    }
    Ok(())
}
