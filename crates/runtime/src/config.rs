//! What a runtime is made from: a profile, a few numbers and a schedule.
//!
//! A [`Config`] is plain data. [`Config::from_env`] reads the variables that docs/environment.md
//! lists, [`Config::merge_json`] the `millpond` object of the file given to `aclInit`.

use std::num::NonZeroUsize;

use crate::error::Error;
use crate::profile::Profile;
use crate::schedule::Schedule;

/// What a runtime is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// What the devices claim to be.
    pub profile: Profile,
    /// How many devices there are.
    pub devices: u32,
    /// Which of them are visible, in this order, under the numbers 0, 1, 2, …; `None` shows all.
    pub visible: Option<Vec<u32>>,
    /// Bytes of memory per device.
    pub capacity: u64,
    /// Whether the program may touch device memory: the program "runs on the device".
    pub unified: bool,
    /// Who runs next.
    pub schedule: Schedule,
    /// Worker threads of the eager schedule.
    pub workers: usize,
}

/// More devices than any machine has; each reserves address space.
const MOST_DEVICES: u32 = 64;
/// The least that makes sense as a device.
const LEAST_CAPACITY: u64 = 1 << 20;
/// Beyond this a process could not map two views of it.
const MOST_CAPACITY: u64 = 8 << 40;

impl Default for Config {
    fn default() -> Self {
        let profile = Profile::default();
        Self {
            profile,
            devices: 1,
            visible: None,
            capacity: profile.capacity,
            unified: false,
            schedule: Schedule::Eager,
            workers: std::thread::available_parallelism().map_or(2, NonZeroUsize::get),
        }
    }
}

impl Config {
    /// The configuration that the environment asks for.
    pub fn from_env() -> Result<Self, Error> {
        Self::from_variables(|name| {
            std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        })
    }

    /// The same from any source of variables. Empty values count as absent.
    pub fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let mut config = Self::default();
        let get = |name: &str| {
            get(name)
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        // The profile first: it sets the capacity that the next line may change.
        for setting in [
            "MILLPOND_PROFILE",
            "MILLPOND_DEVICES",
            "MILLPOND_CAPACITY",
            "MILLPOND_RUN_MODE",
            "MILLPOND_SCHEDULE",
            "MILLPOND_WORKERS",
        ] {
            if let Some(value) = get(setting) {
                config.set(
                    setting,
                    &setting["MILLPOND_".len()..].to_ascii_lowercase(),
                    &value,
                )?;
            }
        }
        if let Some(value) = get("ASCEND_RT_VISIBLE_DEVICES") {
            config.visible = Some(visible(&value, config.devices)?);
        }
        Ok(config)
    }

    /// Changes what the `millpond` object of a JSON document names; other keys are left alone.
    pub fn merge_json(&mut self, document: &serde_json::Value) -> Result<(), Error> {
        let Some(own) = document.get("millpond") else {
            return Ok(());
        };
        let Some(own) = own.as_object() else {
            return Err(bad("millpond", &own.to_string(), "an object is expected"));
        };
        // "profile" sets the capacity, so it goes first wherever it stands.
        let (first, rest): (Vec<_>, Vec<_>) = own.iter().partition(|(key, _)| *key == "profile");
        for (key, value) in first.into_iter().chain(rest) {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            self.set(&format!("millpond.{key}"), key, &text)?;
        }
        Ok(())
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
                        &format!("it is one of {}", names.join(", ")),
                    )
                })?;
                self.capacity = self.profile.capacity;
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
                            &format!("it is a number from 0 to {MOST_DEVICES}"),
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
                            "it is a size from 1M to 8T, for example 512M or 32G",
                        )
                    })?;
            }
            "run_mode" => {
                self.unified = match value {
                    "host" => false,
                    "device" => true,
                    _ => return Err(bad(setting, value, "it is host or device")),
                };
            }
            "schedule" => {
                self.schedule = value
                    .parse()
                    .map_err(|()| bad(setting, value, "it is eager, latest or seed=N"))?;
            }
            "workers" => {
                self.workers = value
                    .parse()
                    .ok()
                    .filter(|workers| (1..=1024).contains(workers))
                    .ok_or_else(|| bad(setting, value, "it is a number from 1 to 1024"))?;
            }
            _ => {
                return Err(bad(
                    setting,
                    value,
                    "the keys are profile, devices, capacity, run_mode, schedule and workers",
                ));
            }
        }
        Ok(())
    }
}

/// A list such as `2,0`. As with other runtimes, what follows an entry that does not exist is ignored.
fn visible(value: &str, devices: u32) -> Result<Vec<u32>, Error> {
    let mut list = Vec::new();
    for entry in value.split(',') {
        let Ok(index) = entry.trim().parse::<u32>() else {
            return Err(bad(
                "ASCEND_RT_VISIBLE_DEVICES",
                value,
                "it is a list of numbers such as 0,1",
            ));
        };
        if index >= devices || list.contains(&index) {
            break;
        }
        list.push(index);
    }
    Ok(list)
}

/// Bytes from `4096`, `64K`, `512M`, `32G` or `1T`; a trailing `B` or `iB` is allowed.
fn parse_size(text: &str) -> Option<u64> {
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
    fn visible_devices_remap_and_stop_at_the_first_that_does_not_exist() {
        let seen = |list| {
            with(&[
                ("MILLPOND_DEVICES", "4"),
                ("ASCEND_RT_VISIBLE_DEVICES", list),
            ])
            .map(|c| c.visible)
        };
        assert_eq!(seen("2,0").unwrap(), Some(vec![2, 0]));
        assert_eq!(seen("1,9,0").unwrap(), Some(vec![1]));
        assert_eq!(seen("7").unwrap(), Some(vec![]));
        assert!(seen("one").is_err());
    }

    #[test]
    fn a_bad_setting_names_itself_and_what_would_be_right() {
        for (name, value) in [
            ("MILLPOND_PROFILE", "h100"),
            ("MILLPOND_DEVICES", "-1"),
            ("MILLPOND_CAPACITY", "lots"),
            ("MILLPOND_RUN_MODE", "both"),
            ("MILLPOND_SCHEDULE", "soon"),
            ("MILLPOND_WORKERS", "0"),
        ] {
            let text = with(&[(name, value)]).unwrap_err().to_string();
            assert!(
                text.starts_with(&format!("{name} is '{value}', but it is ")),
                "{text}"
            );
        }
    }

    #[test]
    fn the_file_of_init_changes_what_it_names() {
        let mut config = Config::default();
        let text = r#"{"dump": {}, "millpond": {"capacity": "64M", "devices": 2, "profile": "ascend310p3"}}"#;
        config
            .merge_json(&serde_json::from_str(text).unwrap())
            .unwrap();
        assert_eq!((config.devices, config.capacity), (2, 64 << 20));
        let wrong = serde_json::json!({"millpond": {"colour": "blue"}});
        assert!(config.merge_json(&wrong).is_err());
    }
}
