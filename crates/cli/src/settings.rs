//! The settings of a run, and the variables that pass them to the library.
//!
//! Values are checked here by the library's own rules, so that a typing error is reported before the program starts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Every `MILLPOND_` variable that the library reads. docs/environment.md explains them.
pub(crate) const VARIABLES: &[&str] = &[
    "MILLPOND_PROFILE",
    "MILLPOND_DEVICE",
    "MILLPOND_CUDA_DRIVER",
    "MILLPOND_DEVICES",
    "MILLPOND_CAPACITY",
    "MILLPOND_RUN_MODE",
    "MILLPOND_SCHEDULE",
    "MILLPOND_WORKERS",
    "MILLPOND_THREADS",
    "MILLPOND_PATIENCE",
    "MILLPOND_REUSE",
    "MILLPOND_PINNED_RANGE",
    "MILLPOND_TIME",
    "MILLPOND_ONNXRUNTIME",
    "MILLPOND_CUDA_OPERATORS",
    "MILLPOND_CUDA_SESSIONS",
    "MILLPOND_HOME",
    "MILLPOND_RECORDS",
    "MILLPOND_STATS",
    "MILLPOND_CHECK",
    "MILLPOND_CHECK_CUDA",
    "MILLPOND_CHECK_FINDINGS",
    "MILLPOND_CHECK_LEDGER",
    "MILLPOND_CHECK_RULES",
    "MILLPOND_CHECK_LEAKS",
    "MILLPOND_CHECK_PINNED",
    "MILLPOND_CHECK_STACKS",
    "MILLPOND_CHECK_SUPPRESSIONS",
    "MILLPOND_CHECK_COLOUR",
    "MILLPOND_CHECK_TEXT",
    "MILLPOND_CALLS",
    "MILLPOND_FAULT",
    "MILLPOND_RECORD",
    "MILLPOND_MSPROF",
    "MILLPOND_RECORD_SCOPE",
    "MILLPOND_MSTX_TOOLS",
    "MILLPOND_HCCL_ORDER",
    "MILLPOND_HCCL_HEARTBEAT",
    "MILLPOND_HCCL_HOST",
    "MILLPOND_GLOO",
];

/// The machine that the program sees: options of every command that starts programs.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Machine {
    #[arg(long, value_name = "NAME", value_parser = valid("MILLPOND_PROFILE"))]
    #[arg(help = "Chip to emulate: ascend910b2 (default), ascend910b4, ... [MILLPOND_PROFILE]")]
    profile: Option<String>,

    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    #[arg(help = "Number of devices, 0 to 64 [MILLPOND_DEVICES]")]
    devices: Option<u32>,

    #[arg(long, value_name = "SIZE", value_parser = valid("MILLPOND_CAPACITY"))]
    #[arg(help = "Memory of each device, such as 512M or 32G [MILLPOND_CAPACITY]")]
    capacity: Option<String>,

    #[arg(long, value_name = "POLICY", value_parser = valid("MILLPOND_SCHEDULE"))]
    #[arg(
        help = "Order in which streams run: eager (default), latest, seed=N [MILLPOND_SCHEDULE]"
    )]
    pub(crate) schedule: Option<String>,
}

/// The options of `millpond run`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Settings {
    #[command(flatten)]
    machine: Machine,

    #[arg(long, value_name = "FILE|stderr")]
    #[arg(help = "Write one line per operation to this file, or to stderr [MILLPOND_RECORDS]")]
    records: Option<PathBuf>,

    #[arg(long, value_name = "FILE|stderr", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "stderr")]
    #[arg(
        help = "Print memory statistics by size and stream at exit: to stderr, or with \
                --stats=FILE (the = is required) to a file [MILLPOND_STATS]"
    )]
    stats: Option<PathBuf>,
}

impl Machine {
    /// The variables to set. Options that were not given leave the caller's environment unchanged.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let mut variables = Vec::new();
        if let Some(profile) = &self.profile {
            variables.push(("MILLPOND_PROFILE", profile.into()));
        }
        if let Some(devices) = self.devices {
            variables.push(("MILLPOND_DEVICES", devices.to_string().into()));
        }
        if let Some(capacity) = &self.capacity {
            variables.push(("MILLPOND_CAPACITY", capacity.into()));
        }
        if let Some(schedule) = &self.schedule {
            variables.push(("MILLPOND_SCHEDULE", schedule.into()));
        }
        variables
    }
}

impl Settings {
    /// The variables to set.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let mut variables = self.machine.variables();
        for (variable, target) in [
            ("MILLPOND_RECORDS", &self.records),
            ("MILLPOND_STATS", &self.stats),
        ] {
            if let Some(target) = target {
                variables.push((variable, absolute(target).into()));
            }
        }
        variables
    }
}

/// The absolute path of a file: the program may change its folder before the library opens it.
pub(crate) fn absolute(target: &Path) -> PathBuf {
    if target.as_os_str() == "stderr" {
        return target.to_owned();
    }
    std::path::absolute(target).unwrap_or_else(|_| target.to_owned())
}

/// Checks a value by the rules of its variable.
fn valid(variable: &'static str) -> impl Fn(&str) -> Result<String, String> + Clone {
    move |text| {
        let only = |name: &str| (name == variable).then(|| text.to_owned());
        millpond::Config::from_variables(only)
            .map(|_| text.to_owned())
            .map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_with_a_unit() {
        let size = valid("MILLPOND_CAPACITY");
        for good in [
            "1048576", "512M", "32G", "32GiB", "8192k", "8T", "1 g", "64MB",
        ] {
            assert_eq!(size(good).as_deref(), Ok(good));
        }
        for bad in [
            "0",
            "0G",
            "G",
            "-1",
            "1.5G",
            "32X",
            "+4K",
            "iB",
            "99999999999T",
        ] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn schedules_are_three() {
        let schedule = valid("MILLPOND_SCHEDULE");
        for good in ["eager", "latest", "seed=0", "seed=18446744073709551615"] {
            assert_eq!(schedule(good).as_deref(), Ok(good));
        }
        for bad in ["Eager", "seed", "seed=", "seed=x", "seed=-1"] {
            assert!(schedule(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn profiles_are_those_that_the_library_knows() {
        let profile = valid("MILLPOND_PROFILE");
        assert!(profile("Ascend910B4").is_ok());
        assert!(profile("h100").unwrap_err().contains("ascend910b4"));
    }

    #[test]
    fn only_given_options_are_set_and_files_become_absolute() {
        assert!(Settings::default().variables().is_empty());
        let settings = Settings {
            machine: Machine {
                devices: Some(2),
                ..Machine::default()
            },
            records: Some("records.txt".into()),
            ..Settings::default()
        };
        let variables = settings.variables();
        assert_eq!(variables[0], ("MILLPOND_DEVICES", "2".into()));
        assert_eq!(variables[1].0, "MILLPOND_RECORDS");
        assert!(PathBuf::from(&variables[1].1).is_absolute());
    }

    #[test]
    fn every_variable_that_is_set_is_in_the_table() {
        let all = Settings {
            machine: Machine {
                profile: Some("ascend910b4".into()),
                devices: Some(1),
                capacity: Some("1G".into()),
                schedule: Some("latest".into()),
            },
            records: Some("stderr".into()),
            stats: Some("stats.txt".into()),
        };
        for (name, _) in all.variables() {
            assert!(VARIABLES.contains(&name), "{name}");
        }
    }

    #[test]
    fn the_document_explains_every_variable() {
        let document = include_str!("../../../docs/environment.md");
        for name in VARIABLES {
            assert!(document.contains(&format!("| `{name}` |")), "{name}");
        }
    }
}
