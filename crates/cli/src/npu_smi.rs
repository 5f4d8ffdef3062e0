//! `npu-smi`: shows the devices in the form that build scripts and tests read.
//!
//! The command is a link to `millpond`, in `bin` of the dist folder and of the environment that `millpond run` gives. Tables have the lines
//! and columns that programs look for: the name of the first chip is the third word of the seventh line of `info`, and pairs are
//! `KEY : VALUE`. What is not measured is `NA`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

use millpond::{Config, MemoryKind};

use crate::say::say;

const HELP: &str = "\
npu-smi: Millpond's devices, in the form of the vendor's command. There is no NPU: devices run on this machine's processor and memory.

  npu-smi info                          a table of all devices
  npu-smi info -l                       their numbers
  npu-smi info -m                       their chips
  npu-smi info -t TYPE [-i ID] [-c 0]   details: board, memory, usages
  npu-smi -v                            the version

MILLPOND_DEVICES, MILLPOND_PROFILE and MILLPOND_CAPACITY choose the devices (docs/environment.md).
";

/// Whether the command was called by this name.
pub(crate) fn is_named(program: &OsStr) -> bool {
    Path::new(program).file_name() == Some(OsStr::new("npu-smi"))
}

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
enum Request {
    Help,
    Version,
    Table,
    List,
    Map,
    Details { of: Details, device: Option<u32> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Details {
    Board,
    Memory,
    Usages,
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] | ["-h" | "--help" | "help"] | ["info", "-h" | "--help"] => Ok(Request::Help),
        ["-v" | "--version"] => Ok(Request::Version),
        ["info"] => Ok(Request::Table),
        ["info", "-l"] => Ok(Request::List),
        ["info", "-m"] => Ok(Request::Map),
        ["info", ref options @ ..] => details(options),
        [other, ..] => Err(format!(
            "'{other}' is not supported; npu-smi -h shows what is"
        )),
    }
}

fn details(options: &[&str]) -> Result<Request, String> {
    let (mut of, mut device) = (None, None);
    let mut pairs = options.chunks(2);
    for pair in &mut pairs {
        let &[option, value] = pair else {
            return Err(format!("'{}' needs a value", pair.join(" ")));
        };
        let number = || {
            let parsed: Result<u32, _> = value.parse();
            parsed.map_err(|_| format!("'{option} {value}': a number is expected"))
        };
        match option {
            "-t" => {
                of = Some(match value {
                    "board" => Details::Board,
                    "memory" => Details::Memory,
                    "usages" => Details::Usages,
                    _ => {
                        return Err(format!(
                            "'-t {value}' is not supported: board, memory and usages are"
                        ));
                    }
                });
            }
            "-i" => device = Some(number()?),
            // Every device is one chip.
            "-c" if number()? == 0 => {}
            "-c" => {
                return Err(format!(
                    "chip {value} does not exist: every device has one, 0"
                ));
            }
            _ => {
                return Err(format!(
                    "'info {option}' is not supported; npu-smi -h shows what is"
                ));
            }
        }
    }
    let of = of.ok_or("'info' needs -l, -m or -t")?;
    Ok(Request::Details { of, device })
}

/// Runs the command.
pub(crate) fn start(arguments: &[String]) -> ExitCode {
    let asked = parse(arguments).map_err(|problem| format!("{problem}\n\n{}", HELP.trim_end()));
    let shown = asked.and_then(|request| {
        let config = Config::from_env().map_err(|error| error.to_string())?;
        show(&request, &config)
    });
    match shown {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            say!("npu-smi (Millpond): {problem}\n");
            ExitCode::FAILURE
        }
    }
}

/// Without what all names begin with.
fn short(name: &str) -> &str {
    name.strip_prefix("Ascend").unwrap_or(name)
}

const MIB: u64 = 1 << 20;

fn show(request: &Request, config: &Config) -> Result<String, String> {
    let version = env!("CARGO_PKG_VERSION");
    Ok(match request {
        Request::Help => HELP.to_owned(),
        Request::Version => format!("npu-smi version: {version} (Millpond)\n"),
        Request::Table => table(config, version),
        Request::List => list(config),
        Request::Map => map(config),
        Request::Details { of, device } => {
            if let Some(number) = device
                && *number >= config.devices
            {
                return Err(format!(
                    "device {number} does not exist: there are {}",
                    config.devices
                ));
            }
            let chosen = device.map_or(0..config.devices, |number| number..number + 1);
            chosen
                .map(|number| describe(*of, number, config))
                .collect::<Vec<_>>()
                .join("\n")
        }
    })
}

/// A line of the table.
fn row(cells: &[(&str, usize)]) -> String {
    let cells: Vec<String> = cells
        .iter()
        .map(|(text, width)| format!(" {text:<width$} "))
        .collect();
    format!("|{}|\n", cells.join("|"))
}

fn table(config: &Config, version: &str) -> String {
    const COLUMNS: [usize; 3] = [25, 13, 51];
    let rule = |mark: &str| {
        let parts = COLUMNS.map(|width| mark.repeat(width + 2));
        format!("+{}+\n", parts.join("+"))
    };
    let whole = COLUMNS.iter().sum::<usize>() + 6;
    let line = |cells: [&str; 3]| {
        let [a, b, c] = cells;
        row(&[(a, COLUMNS[0]), (b, COLUMNS[1]), (c, COLUMNS[2])])
    };
    let wide = |text: &str| row(&[(text, whole)]);
    let what = if config.has_gpus() {
        "no NPU, NVIDIA GPUs"
    } else {
        "no NPU, this machine's own memory"
    };
    let edge = format!("+{}+\n", "-".repeat(whole + 2));
    let mut text = edge.clone();
    text += &wide(&format!(
        "npu-smi {version}   Version: {version}   Millpond: {what}"
    ));
    text += &rule("-");
    text += &line([
        "NPU   Name",
        "Health",
        "Power(W)    Temp(C)           Hugepages-Usage(page)",
    ]);
    text += &line([
        "Chip",
        "Bus-Id",
        "AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)",
    ]);
    text += &rule("=");
    let total = config.capacity / MIB;
    let (ddr, hbm) = match config.profile.memory {
        MemoryKind::Ddr => (total, 0),
        MemoryKind::Hbm => (0, total),
    };
    for number in 0..config.devices {
        text += &line([
            &format!("{number:<5} {}", short(config.profile.soc_name)),
            "OK",
            "NA          NA                0    / 0",
        ]);
        let memory = format!("0    / {ddr}");
        text += &line(["0", "NA", &format!("NA          {memory:<17} 0    / {hbm}")]);
        text += &rule("=");
    }
    if config.devices == 0 {
        text += &wide("No devices: MILLPOND_DEVICES is 0");
        text += &edge;
    }
    text += &edge;
    text += &wide("NPU     Chip   Process id     Process name             Process memory(MB)");
    text += &edge;
    text += &wide("Processes are not listed: each has devices and memory of its own.");
    text += &edge;
    text
}

fn pair(key: &str, value: impl std::fmt::Display) -> String {
    format!("\t{key:<30} : {value}\n")
}

fn list(config: &Config) -> String {
    let mut text = pair("Total Count", config.devices);
    for number in 0..config.devices {
        text += "\n";
        text += &pair("NPU ID", number);
        text += &pair("Chip Count", 1);
    }
    text
}

fn map(config: &Config) -> String {
    let line = |cells: [&str; 4]| {
        let [a, b, c, d] = cells;
        format!("\t{a:<30} {b:<30} {c:<30} {d}\n")
    };
    let name = format!("Ascend {}", short(config.profile.soc_name));
    let chips = (0..config.devices).map(|number| {
        let number = number.to_string();
        line([&number, "0", &number, &name])
    });
    let head = line(["NPU ID", "Chip ID", "Chip Logic ID", "Chip Name"]);
    [head].into_iter().chain(chips).collect()
}

fn describe(of: Details, number: u32, config: &Config) -> String {
    let mut text = pair("NPU ID", number);
    let total = config.capacity / MIB;
    let (ddr, hbm) = match config.profile.memory {
        MemoryKind::Ddr => (total, 0),
        MemoryKind::Hbm => (0, total),
    };
    match of {
        Details::Board => {
            text += &pair("Product Name", "Millpond: no NPU");
            text += &pair("Software Version", env!("CARGO_PKG_VERSION"));
            text += &pair("Chip Count", 1);
            text += &pair("Chip ID", 0);
            text += &pair("Chip Type", "Ascend");
            text += &pair("Chip Name", short(config.profile.soc_name));
        }
        Details::Memory => {
            text += &pair("Chip Count", 1);
            text += "\n";
            text += &pair("DDR Capacity(MB)", ddr);
            text += &pair("DDR Clock Speed(MHz)", "NA");
            text += &pair("HBM Capacity(MB)", hbm);
            text += &pair("HBM Clock Speed(MHz)", "NA");
            text += &pair("HBM Temperature(C)", "NA");
            text += &pair("HBM Manufacturer ID", "NA");
            text += &pair("Chip ID", 0);
        }
        Details::Usages => {
            text += &pair("Chip Count", 1);
            text += "\n";
            text += &pair("DDR Capacity(MB)", ddr);
            text += &pair("DDR Usage Rate(%)", 0);
            text += &pair("HBM Capacity(MB)", hbm);
            text += &pair("HBM Usage Rate(%)", 0);
            text += &pair("Aicore Usage Rate(%)", "NA");
            text += &pair("Aivector Usage Rate(%)", "NA");
            text += &pair("Chip ID", 0);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Result<String, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let config = Config {
            devices: 2,
            capacity: 64 << 30,
            ..Config::default()
        };
        parse(&words).and_then(|request| show(&request, &config))
    }

    #[test]
    fn what_scripts_read_is_where_they_read_it() {
        // A build script of a language-model runtime takes the third word of the seventh line.
        let table = shown("info").unwrap();
        let seventh = table.lines().nth(6).unwrap();
        assert_eq!(seventh.split_whitespace().nth(2), Some("910B2"));
        assert!(table.contains("Millpond"));
        let width = table.lines().next().map(str::len);
        assert!(
            table.lines().all(|line| Some(line.len()) == width),
            "{table}"
        );
        // A test suite takes the fourth word of the lines with ID, a monitor the words after the colon.
        let list = shown("info -l").unwrap();
        let ids: Vec<_> = list
            .lines()
            .filter(|line| line.contains("ID"))
            .filter_map(|line| line.split_whitespace().nth(3))
            .collect();
        assert_eq!(ids, ["0", "1"]);
        // A monitor takes the words of all lines but the first.
        let map = shown("info -m").unwrap();
        let second: Vec<_> = map.lines().nth(2).unwrap().split_whitespace().collect();
        assert_eq!(second, ["1", "0", "1", "Ascend", "910B2"]);
        let usages = shown("info -t usages -i 1").unwrap();
        let hbm = usages.lines().find(|line| line.contains("HBM Usage"));
        assert_eq!(hbm.unwrap().split_whitespace().nth(4), Some("0"));
        // The set-up of an inference engine takes what is after the colon.
        let board = shown("info -t board -i 0 -c 0").unwrap();
        let after = |key: &str| {
            let line = board.lines().find(|line| line.contains(key)).unwrap();
            line.split(':').nth(1).unwrap().trim().to_owned()
        };
        assert_eq!(
            (after("Chip Type"), after("Chip Name")),
            ("Ascend".into(), "910B2".into())
        );
        let memory = shown("info -t memory -i 0").unwrap();
        assert!(
            memory.contains("HBM Capacity(MB)               : 65536"),
            "{memory}"
        );
        let version = shown("-v").unwrap();
        assert!(version.starts_with("npu-smi version: ") && version.contains("Millpond"));
        assert!(shown("").unwrap().contains("npu-smi info -l"));
    }

    #[test]
    fn what_is_not_there_is_refused() {
        for line in [
            "set -t reset",
            "info -t power",
            "info -t",
            "info -i 0",
            "info -t memory -i 2",
            "info -t memory -i x",
            "info -t memory -c 1",
            "info -w",
            "info watch",
        ] {
            assert!(shown(line).is_err(), "{line}");
        }
    }
}
