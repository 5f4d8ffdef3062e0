//! The configuration of a runtime: a profile, a few numbers and a schedule.
//!
//! A [`Config`] is plain data. [`Config::from_env`] reads the variables that docs/environment.md
//! lists; [`Config::from_sources`] adds the `millpond` object of the file given to `aclInit`.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use crate::clock::Time;
use crate::error::Error;
use crate::kind::{self, DeviceKind};
use crate::profile::Profile;
use crate::schedule::Schedule;

/// The configuration of a runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "settings that do not depend on each other"
)]
pub struct Config {
    /// The chip that the devices emulate.
    pub profile: Profile,
    /// What the devices are made of. If there are more devices than entries, the list begins again.
    pub kinds: Vec<DeviceKind>,
    /// How many devices there are.
    pub devices: u32,
    /// Which of them are visible, in this order, under the numbers 0, 1, 2, …; `None` shows all.
    pub visible: Option<Vec<u32>>,
    /// Bytes of memory per device.
    pub capacity: u64,
    /// Whether devices that are GPUs have all of their memory, and not `capacity`.
    pub whole_gpus: bool,
    /// Whether the program may touch device memory: the program "runs on the device".
    pub unified: bool,
    /// The order in which streams run.
    pub schedule: Schedule,
    /// Worker threads of the eager schedule.
    pub workers: usize,
    /// Threads that may compute one operator or model, including the thread that runs it: of kernels and of ONNX Runtime.
    pub threads: usize,
    /// How long the other schedules wait for a call before they run queued tasks anyway. A program
    /// that computes longer than this between two calls may hide a missing synchronisation.
    pub patience: Duration,
    /// How time passes for waits with a limit.
    pub time: Time,
    /// Whether other streams may reuse freed memory as soon as the work that used it is done, although the program has
    /// not seen that: less memory, but runs differ.
    pub polls: bool,
    /// Where ONNX Runtime is: its library, its folder or a Python environment. `None` looks in the usual
    /// places. It is looked for when an operator or a model first needs it.
    pub onnxruntime: Option<PathBuf>,
    /// Whether operators and models compute on the GPU that has a device's memory, if ONNX Runtime is a build for GPUs.
    pub cuda_operators: bool,
    /// How many models and operators may have a session on a GPU at a time. `None`: as many as take a sixteenth of its memory.
    pub cuda_sessions: Option<usize>,
    /// Whether the checking mode writes guards, fill and poison into memory, quarantines freed blocks and watches
    /// the sources of queued copies. A change where none should be becomes a record. Everything takes longer.
    pub guards: bool,
    /// How the program sees pinned memory.
    pub pinned: Pinned,
    /// Bytes of addresses that a range of pinned memory reserves; when it is full, a further one is opened. `None` is twice
    /// the memory of the machine or its control group.
    pub pinned_range: Option<u64>,
}

/// How the program sees pinned memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pinned {
    /// The same view as for work.
    #[default]
    Plain,
    /// Through a separate view with a gate, so that a checker sees which pages the program accesses while queued work uses
    /// them: [`Runtime::gate`](crate::Runtime::gate). Each block begins on its own page. A forked child has pinned
    /// memory only if the parent provides a copy: [`Runtime::freeze`](crate::Runtime::freeze).
    Gated,
}

/// More devices than any machine has; each reserves address space.
const MOST_DEVICES: u32 = 64;
/// How many ranks run on this machine, by launcher: torchrun, Open MPI, MPICH.
const LOCAL_RANKS: [&str; 3] = [
    "LOCAL_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "MPI_LOCALNRANKS",
];
/// The least that makes sense as a device.
const LEAST_CAPACITY: u64 = 1 << 20;
/// Beyond this a process could not map two views of it.
const MOST_CAPACITY: u64 = 8 << 40;
/// Sizes of a range of pinned memory.
const PINNED_SIZES: std::ops::RangeInclusive<u64> = 64 << 20..=8 << 40;

impl Default for Config {
    fn default() -> Self {
        let profile = Profile::default();
        Self {
            profile,
            kinds: vec![DeviceKind::Host],
            devices: 1,
            visible: None,
            capacity: profile.capacity,
            whole_gpus: false,
            unified: false,
            schedule: Schedule::Eager,
            workers: std::thread::available_parallelism().map_or(2, NonZeroUsize::get),
            threads: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            patience: Duration::from_millis(5),
            time: Time::Real,
            polls: false,
            onnxruntime: None,
            cuda_operators: true,
            cuda_sessions: None,
            guards: false,
            pinned: Pinned::Plain,
            pinned_range: None,
        }
    }
}

impl Config {
    /// The configuration from the environment variables.
    pub fn from_env() -> Result<Self, Error> {
        Self::from_variables(|name| {
            std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        })
    }

    /// The same from any source of variables. Empty values count as absent.
    pub fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        Self::from_sources(get, None)
    }

    /// From variables and the JSON document given to `aclInit`, whose `millpond` object takes precedence
    /// over the variables, key by key.
    pub fn from_sources(
        given: impl Fn(&str) -> Option<String>,
        document: Option<&serde_json::Value>,
    ) -> Result<Self, Error> {
        let get = |name: &str| {
            given(name)
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        let own = document
            .and_then(|document| document.get("millpond"))
            .map(own_settings)
            .transpose()?
            .unwrap_or_default();
        let mut config = Self {
            whole_gpus: true,
            ..Self::default()
        };
        // A launcher says how many processes it starts on this machine: each gets a device.
        let local_ranks = LOCAL_RANKS.iter().find_map(|name| get(name)?.parse().ok());
        if let Some(ranks) = local_ranks {
            config.devices = config.devices.max(MOST_DEVICES.min(ranks));
        }
        // In this order, wherever a setting comes from: a profile sets the capacity that the next
        // may change, and the number of devices decides which of them can be visible.
        for key in KEYS {
            let variable = format!("MILLPOND_{}", key.to_ascii_uppercase());
            if let Some(value) = own.get(*key) {
                config.set(&format!("millpond.{key}"), key, value)?;
            } else if let Some(value) = get(&variable) {
                config.set(&variable, key, &value)?;
            }
        }
        // As it is: here a blank means something, and nothing too.
        if let Some(value) = given("ASCEND_RT_VISIBLE_DEVICES") {
            config.visible = Some(visible(&value, config.devices));
        }
        Ok(config)
    }

    /// The physical number of the device that the program sees as `index`.
    pub fn physical(&self, index: i64) -> Result<u32, Error> {
        let shown = u32::try_from(index)
            .ok()
            .filter(|index| *index < self.visible_devices());
        let shown = shown.ok_or(Error::NoSuchDevice {
            index,
            count: self.visible_devices(),
        })?;
        Ok(match &self.visible {
            None => shown,
            Some(list) => list[shown as usize],
        })
    }

    /// What a device is made of, by its number among all devices.
    pub fn kind(&self, physical: u32) -> DeviceKind {
        let number = usize::try_from(physical).unwrap_or(usize::MAX);
        let kind = number.checked_rem(self.kinds.len());
        kind.map_or(DeviceKind::Host, |place| self.kinds[place])
    }

    /// Whether any device is a GPU.
    pub fn has_gpus(&self) -> bool {
        self.kinds.iter().any(|kind| *kind != DeviceKind::Host)
    }

    /// How many devices the program sees.
    pub fn visible_devices(&self) -> u32 {
        self.visible.as_ref().map_or(self.devices, |list| {
            u32::try_from(list.len()).unwrap_or(u32::MAX)
        })
    }

    fn set(&mut self, setting: &str, key: &str, value: &str) -> Result<(), Error> {
        match key {
            "profile" => {
                self.profile = *Profile::named(value).ok_or_else(|| {
                    let names: Vec<_> = crate::profile::PROFILES.iter().map(|p| p.name).collect();
                    bad(
                        setting,
                        value,
                        &format!("must be one of {}", names.join(", ")),
                    )
                })?;
                self.capacity = self.profile.capacity;
            }
            "device" => {
                let kinds = kind::parse(value, kind::gpus);
                self.kinds = kinds.map_err(|expected| bad(setting, value, &expected))?;
                let count = u32::try_from(self.kinds.len()).unwrap_or(u32::MAX);
                self.devices = self.devices.max(count).min(MOST_DEVICES);
            }
            "devices" => {
                self.devices = value
                    .parse()
                    .ok()
                    .filter(|devices| *devices <= MOST_DEVICES)
                    .ok_or_else(|| {
                        bad(
                            setting,
                            value,
                            &format!("must be a number from 0 to {MOST_DEVICES}"),
                        )
                    })?;
            }
            "capacity" => {
                self.capacity = parse_size(value)
                    .filter(|bytes| (LEAST_CAPACITY..=MOST_CAPACITY).contains(bytes))
                    .ok_or_else(|| {
                        bad(
                            setting,
                            value,
                            "must be a size from 1M to 8T, for example 512M or 32G",
                        )
                    })?;
                self.whole_gpus = false;
            }
            "run_mode" => {
                self.unified = match value {
                    "host" => false,
                    "device" => true,
                    _ => return Err(bad(setting, value, "must be host or device")),
                };
            }
            "schedule" => {
                self.schedule = value
                    .parse()
                    .map_err(|()| bad(setting, value, "must be eager, latest or seed=N"))?;
            }
            "workers" => {
                self.workers = value
                    .parse()
                    .ok()
                    .filter(|workers| (1..=1024).contains(workers))
                    .ok_or_else(|| bad(setting, value, "must be a number from 1 to 1024"))?;
            }
            "threads" => {
                self.threads = value
                    .parse()
                    .ok()
                    .filter(|threads| (1..=1024).contains(threads))
                    .ok_or_else(|| bad(setting, value, "must be a number from 1 to 1024"))?;
            }
            "patience" => {
                let milliseconds: Option<u64> = value.parse().ok();
                self.patience = milliseconds
                    .filter(|milliseconds| (1..=60_000).contains(milliseconds))
                    .map(Duration::from_millis)
                    .ok_or_else(|| {
                        bad(
                            setting,
                            value,
                            "must be a number of milliseconds from 1 to 60000",
                        )
                    })?;
            }
            "time" => {
                self.time = value
                    .parse()
                    .map_err(|()| bad(setting, value, "must be real, virtual or manual"))?;
            }
            "reuse" => {
                self.polls = match value {
                    "ordered" => false,
                    "polling" => true,
                    _ => return Err(bad(setting, value, "must be ordered or polling")),
                };
            }
            "pinned_range" => {
                let bytes = parse_size(value).filter(|bytes| PINNED_SIZES.contains(bytes));
                let expected = "must be a size from 64M to 8T, for example 4G";
                self.pinned_range = Some(bytes.ok_or_else(|| bad(setting, value, expected))?);
            }
            "cuda_operators" => {
                self.cuda_operators = match value {
                    "auto" => true,
                    "cpu" => false,
                    _ => return Err(bad(setting, value, "must be auto or cpu")),
                };
            }
            "cuda_sessions" => {
                let most: Option<usize> = value.parse().ok();
                let most = most.filter(|most| (1..=1024).contains(most));
                let expected = "must be a number from 1 to 1024";
                self.cuda_sessions = Some(most.ok_or_else(|| bad(setting, value, expected))?);
            }
            "onnxruntime" => self.onnxruntime = Some(value.into()),
            _ => return Err(bad(setting, value, "this setting does not exist")),
        }
        Ok(())
    }
}

/// What can be set, in the order in which it is applied.
const KEYS: &[&str] = &[
    "profile",
    "device",
    "devices",
    "capacity",
    "run_mode",
    "schedule",
    "workers",
    "threads",
    "patience",
    "time",
    "reuse",
    "pinned_range",
    "onnxruntime",
    "cuda_operators",
    "cuda_sessions",
];

/// The `millpond` object of a document, as texts.
fn own_settings(own: &serde_json::Value) -> Result<BTreeMap<String, String>, Error> {
    let Some(own) = own.as_object() else {
        return Err(bad("millpond", &own.to_string(), "must be an object"));
    };
    let mut settings = BTreeMap::new();
    for (key, value) in own {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        if !KEYS.contains(&key.as_str()) {
            let expected = format!("this key is unknown; the keys are {}", KEYS.join(", "));
            return Err(bad(&format!("millpond.{key}"), &text, &expected));
        }
        settings.insert(key.clone(), text);
    }
    Ok(settings)
}

/// The devices that a list such as `0,2` shows. No list is refused: it counts up to the first character that is
/// neither a digit nor a comma, to an empty entry and to a device that does not exist. But one that does not ascend shows
/// nothing at all. PyTorch for Ascend counts devices by the same rule.
fn visible(value: &str, devices: u32) -> Vec<u32> {
    let strange = |letter: char| !letter.is_ascii_digit() && letter != ',';
    let clean = value.find(strange).map_or(value, |end| &value[..end]);
    let mut list = Vec::new();
    for entry in clean.split(',') {
        if entry.is_empty() {
            break;
        }
        // More digits than a number has are no device either.
        let index = entry.parse::<u32>().unwrap_or(u32::MAX);
        if list.last().is_some_and(|last| index <= *last) {
            return Vec::new();
        }
        if index >= devices {
            break;
        }
        list.push(index);
    }
    list
}

/// Bytes from `4096`, `64K`, `512M`, `32G` or `1T`; a trailing `B` or `iB` is allowed.
pub(crate) fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let unit = text[digits..].trim().to_ascii_lowercase();
    let shift = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    number.checked_mul(1 << shift)
}

fn bad(setting: &str, value: &str, expected: &str) -> Error {
    Error::BadSetting {
        setting: setting.to_owned(),
        value: value.to_owned(),
        expected: expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<Config, Error> {
        Config::from_variables(|name| {
            let pair = pairs.iter().find(|(known, _)| *known == name)?;
            Some(pair.1.to_owned())
        })
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let rows = [
            ("4096", Some(4096)),
            ("64K", Some(65_536)),
            ("512M", Some(512 << 20)),
            ("32GiB", Some(32 << 30)),
            ("1 T", Some(1 << 40)),
            ("1.5G", None),
            ("", None),
            ("G", None),
            ("99999999999T", None),
            ("-1", None),
        ];
        for (text, bytes) in rows {
            assert_eq!(parse_size(text), bytes, "{text}");
        }
    }

    #[test]
    fn a_profile_sets_the_capacity_and_a_capacity_overrides_it() {
        let b4 = with(&[("MILLPOND_PROFILE", "Ascend910B4")]).unwrap();
        assert_eq!(b4.capacity, 32 << 30);
        let small = with(&[
            ("MILLPOND_PROFILE", "ascend910b4"),
            ("MILLPOND_CAPACITY", "64M"),
        ])
        .unwrap();
        assert_eq!(small.capacity, 64 << 20);
        assert_eq!(small.profile.soc_name, "Ascend910B4");
    }

    #[test]
    fn visible_devices_ascend_and_end_at_the_first_that_does_not_exist() {
        for (list, shown) in [
            ("0,2", &[0, 2][..]),
            ("3", &[3]),
            ("1,9,0", &[1]),
            ("7", &[]),
            ("", &[]),
            ("0 ,1", &[0]),
            ("0,1 ", &[0, 1]),
            (" 0", &[]),
            ("0,,1", &[0]),
            ("0,1,", &[0, 1]),
            (",0", &[]),
            ("0,0", &[]),
            ("2,0", &[]),
            ("0,2,1", &[]),
            ("1,one", &[1]),
            ("one", &[]),
            ("-1", &[]),
            ("00,01", &[0, 1]),
            ("0,99999999999", &[0]),
        ] {
            let config = with(&[
                ("MILLPOND_DEVICES", "4"),
                ("ASCEND_RT_VISIBLE_DEVICES", list),
            ]);
            assert_eq!(config.unwrap().visible.as_deref(), Some(shown), "'{list}'");
        }
        assert_eq!(with(&[]).unwrap().visible, None);
    }

    #[test]
    fn a_visible_device_has_a_number_among_all() {
        let config = Config {
            devices: 4,
            visible: Some(vec![1, 3]),
            ..Config::default()
        };
        assert_eq!((config.physical(0), config.physical(1)), (Ok(1), Ok(3)));
        for index in [-1, 2, i64::MAX] {
            let missing = Error::NoSuchDevice { index, count: 2 };
            assert_eq!(config.physical(index), Err(missing));
        }
        assert_eq!(Config::default().physical(0), Ok(0));
    }

    #[test]
    fn a_bad_setting_names_itself_and_what_was_expected() {
        for (name, value) in [
            ("MILLPOND_PROFILE", "h100"),
            ("MILLPOND_DEVICES", "-1"),
            ("MILLPOND_CAPACITY", "lots"),
            ("MILLPOND_RUN_MODE", "both"),
            ("MILLPOND_SCHEDULE", "soon"),
            ("MILLPOND_WORKERS", "0"),
            ("MILLPOND_THREADS", "0"),
            ("MILLPOND_PATIENCE", "0"),
            ("MILLPOND_PINNED_RANGE", "1M"),
            ("MILLPOND_CUDA_OPERATORS", "gpu"),
            ("MILLPOND_CUDA_SESSIONS", "0"),
        ] {
            let text = with(&[(name, value)]).unwrap_err().to_string();
            assert!(
                text.starts_with(&format!("{name} is '{value}', but must be ")),
                "{text}"
            );
        }
    }

    fn with_file(pairs: &[(&str, &str)], own: &serde_json::Value) -> Result<Config, Error> {
        let document = serde_json::json!({"dump": {}, "millpond": own});
        let get = |name: &str| {
            let pair = pairs.iter().find(|(known, _)| *known == name)?;
            Some(pair.1.to_owned())
        };
        Config::from_sources(get, Some(&document))
    }

    #[test]
    fn the_file_of_init_changes_what_it_names() {
        use serde_json::json;
        let own = json!({"capacity": "64M", "devices": 2, "profile": "ascend310p3"});
        let config = with_file(&[("MILLPOND_PINNED_RANGE", "4G")], &own).unwrap();
        assert_eq!((config.devices, config.capacity), (2, 64 << 20));
        assert_eq!(config.pinned_range, Some(4 << 30));
        assert!(with_file(&[], &json!({"colour": "blue"})).is_err());
        assert!(with_file(&[], &json!("blue")).is_err());
        // What the file does not name stays as the variables have it.
        let small = [("MILLPOND_CAPACITY", "64M")];
        let config = with_file(&small, &json!({"profile": "ascend910b4"})).unwrap();
        assert_eq!(
            (config.capacity, config.profile.name),
            (64 << 20, "ascend910b4")
        );
    }

    #[test]
    fn visible_devices_are_chosen_from_what_there_is_in_the_end() {
        use serde_json::json;
        let one = [("ASCEND_RT_VISIBLE_DEVICES", "1")];
        let config = with_file(&one, &json!({"devices": 2})).unwrap();
        assert_eq!(config.visible, Some(vec![1]));
        let three = [
            ("MILLPOND_DEVICES", "4"),
            ("ASCEND_RT_VISIBLE_DEVICES", "3"),
        ];
        let config = with_file(&three, &json!({"devices": 2})).unwrap();
        assert_eq!(config.visible, Some(vec![]));
    }
}
