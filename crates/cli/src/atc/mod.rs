//! `millpond atc`: compiles models to the files that programs load. Its name and options are those of the vendor's
//! compiler, so that scripts for it work.

mod model;
mod operators;
mod options;
mod output;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::say::say;

/// Arguments of `millpond atc`.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Atc {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

const HELP: &str = "\
Compile an ONNX model, or single operators, to .om files that programs load

Usage: millpond atc --framework 5 --model FILE.onnx --output NAME [OPTIONS]
       millpond atc --singleop FILE.json --output FOLDER [OPTIONS]

  --model FILE                   The ONNX model; weights in external files are copied into the .om file
  --framework 5                  ONNX, the only supported framework
  --output NAME                  Writes NAME.om; with --singleop the folder for one file per operator
  --singleop FILE                A JSON list of operators instead of a model
  --input_shape TEXT             Shapes and ranges: \"a:1~10,3,-1;b:2,3\"
  --input_shape_range TEXT       The same in brackets: \"a:[1~10,3,-1]\"
  --dynamic_batch_size TEXT      Gears of the first dimension, -1 in --input_shape: \"1,2,4\"
  --dynamic_image_size TEXT      Gears of height and width: \"416,416;832,832\"
  --dynamic_dims TEXT            Gears of every -1 in --input_shape: \"1,128;8,64\"
  --input_format FORMAT          NCHW (default), NHWC, NCDHW, NDHWC or ND
  --input_fp16_nodes NAMES       Inputs that take float16: \"a;b\"
  --output_type TYPE             Outputs of this type: FP32, FP16, UINT8, INT8, or \"y:FP16;z:FP32\"
  --out_nodes TEXT               Outputs instead of the model's own: \"node:0;node:1;value\"
  --insert_op_conf FILE          Image preprocessing (AIPP) in front of inputs; see docs/media.md
  --soc_version NAME             Stored in the file; it has no effect on runs
  --help                         This text

Options are written --name value or --name=value, with one dash or two. Other options of the vendor's tool are ignored if they only
affect code for an NPU. docs/models.md has the rules for shapes and gears.

Exit code: 0 and the line \"ATC run success\", or 1 and an error message on stderr.
";

impl Atc {
    pub(crate) fn compile(&self) -> ExitCode {
        let help = ["--help", "-h"];
        let asked = |word: &OsString| help.iter().any(|help| word == help);
        if self.arguments.is_empty() || self.arguments.iter().any(asked) {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        match compile(&self.arguments) {
            Ok(()) => {
                println!("ATC run success");
                ExitCode::SUCCESS
            }
            Err(error) => {
                say!("ATC error: {error}\n");
                say!("ATC run failed\n");
                ExitCode::FAILURE
            }
        }
    }
}

fn compile(arguments: &[OsString]) -> Result<(), String> {
    let options = options::read(arguments)?;
    if !options.without_effect().is_empty() {
        let names: Vec<String> = options
            .without_effect()
            .iter()
            .map(|name| format!("--{name}"))
            .collect();
        say!("ATC note: ignored options: {}\n", names.join(", "));
    }
    match (options.get("model"), options.get("singleop")) {
        (Some(_), Some(_)) => Err("--model and --singleop cannot be used together".to_owned()),
        (Some(path), None) => model::compile(path.as_ref(), &options),
        (None, Some(path)) => operators::compile(path.as_ref(), &options),
        (None, None) => Err("missing --model; see millpond atc --help".to_owned()),
    }
}
