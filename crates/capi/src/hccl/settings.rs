//! Settings of communicators: the environment, and the structure that programs pass.
#![expect(unsafe_code, reason = "reads a structure of the size that it states")]

use std::ffi::c_char;
use std::time::Duration;

use millpond_abi as abi;
use millpond_collective::Settings;

use crate::boundary::{CallError, bad_value};
use crate::environment;

/// The least size that has a meaning: up to the name.
const LEAST: u64 = 32;
/// What the manual names as defaults.
const CONNECT_SECONDS: u64 = 120;
const CONNECT_EXTRA: u64 = 20;
const EXEC_SECONDS: u64 = 1836;

/// How long ranks wait for each other when they meet. The manual's least value is 120 s, to which it adds 20; smaller values are
/// accepted as they are, for tests.
pub(super) fn patience() -> Result<Duration, CallError> {
    let seconds = seconds("HCCL_CONNECT_TIMEOUT", CONNECT_SECONDS, 7200)?;
    Ok(Duration::from_secs(if seconds < CONNECT_SECONDS {
        seconds
    } else {
        seconds + CONNECT_EXTRA
    }))
}

fn seconds(name: &'static str, default: u64, most: u64) -> Result<u64, CallError> {
    let Some(text) = environment::text(name).filter(|text| !text.is_empty()) else {
        return Ok(default);
    };
    match text.trim().parse::<u64>() {
        Ok(seconds) if seconds <= most => Ok(seconds),
        _ => Err(CallError::coded(
            abi::HCCL_E_PARA,
            format!("{name} is '{text}', but it must be a number of seconds up to {most}"),
        )),
    }
}

/// The settings of a communicator that is called `name` unless the program names it.
///
/// # Safety
/// `config` is NULL, or points to as many readable bytes as its first field says.
pub(super) unsafe fn read(
    config: *const abi::HcclCommConfig,
    name: impl FnOnce() -> String,
) -> Result<Settings, CallError> {
    let most = u64::from(i32::MAX.unsigned_abs());
    let mut limit = seconds("HCCL_EXEC_TIMEOUT", EXEC_SECONDS, most)?;
    let mut given = String::new();
    if !config.is_null() {
        // SAFETY: the caller promises the first 16 bytes and what their size says.
        let config = unsafe { Fields::new(config) }?;
        given = config.name()?;
        if let Some(own) = config.limit()? {
            limit = own;
        }
        config.check_buffer()?;
    }
    let order = environment::text("MILLPOND_HCCL_ORDER").unwrap_or_default();
    let shuffled = match order.as_str() {
        "" | "ranks" => false,
        "shuffled" => true,
        _ => {
            return Err(CallError::coded(
                abi::HCCL_E_PARA,
                format!("MILLPOND_HCCL_ORDER is '{order}', but it must be ranks or shuffled"),
            ));
        }
    };
    Ok(Settings {
        name: if given.is_empty() { name() } else { given },
        limit: (limit > 0).then(|| Duration::from_secs(limit)),
        shuffled,
        observer: super::ranks::observer(),
        device: None,
    })
}

/// The fields that a structure has according to its size.
struct Fields {
    config: *const abi::HcclCommConfig,
    size: u64,
}

macro_rules! field {
    ($fields:expr, $name:ident: $type:ty) => {{
        let end = std::mem::offset_of!(abi::HcclCommConfig, $name) + size_of::<$type>();
        (end as u64 <= $fields.size).then(|| {
            // SAFETY: inside the size that the structure states.
            unsafe { (&raw const (*$fields.config).$name).read_unaligned() }
        })
    }};
}

impl Fields {
    /// # Safety
    /// As [`read`].
    unsafe fn new(config: *const abi::HcclCommConfig) -> Result<Self, CallError> {
        let head = Self { config, size: 16 };
        let size = field!(head, size: u64).unwrap_or(0);
        let magic = field!(head, magicWord: u32).unwrap_or(0);
        if magic != abi::HCCL_COMM_CONFIG_MAGIC_WORD || size < LEAST {
            return bad_value(
                "config",
                format!("a structure with magic word {magic:#x} and size {size}"),
                "it must be initialised with HcclCommConfigInit",
            );
        }
        Ok(Self { config, size })
    }

    fn name(&self) -> Result<String, CallError> {
        let Some(name) = field!(self, hcclCommName: [c_char; abi::HCCL_COMM_NAME_MAX_LENGTH])
        else {
            return Ok(String::new());
        };
        let bytes: Vec<u8> = name
            .iter()
            .map(|letter| letter.to_le_bytes()[0])
            .take_while(|byte| *byte != 0)
            .collect();
        if bytes.len() == name.len() {
            return bad_value(
                "config->hcclCommName",
                "128 bytes without a NUL",
                "it must be at most 127 bytes and a NUL",
            );
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn limit(&self) -> Result<Option<u64>, CallError> {
        match field!(self, hcclExecTimeOut: i32) {
            None | Some(-1) => Ok(None),
            Some(seconds) => match u64::try_from(seconds) {
                Ok(seconds) => Ok(Some(seconds)),
                Err(_) => bad_value(
                    "config->hcclExecTimeOut",
                    seconds,
                    "it must be a number of seconds, 0 for no limit, or -1 for HCCL_EXEC_TIMEOUT",
                ),
            },
        }
    }

    fn check_buffer(&self) -> Result<(), CallError> {
        match field!(self, hcclBufferSize: u32) {
            Some(0) => bad_value("config->hcclBufferSize", 0, "it must be at least 1 (MB)"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> abi::HcclCommConfig {
        // SAFETY: zero is valid for every field.
        let mut config: abi::HcclCommConfig = unsafe { std::mem::zeroed() };
        config.size = size_of::<abi::HcclCommConfig>() as u64;
        config.magicWord = abi::HCCL_COMM_CONFIG_MAGIC_WORD;
        config.hcclBufferSize = 200;
        config.hcclCommName[0] = c_char::from_le_bytes([b'x']);
        config.hcclExecTimeOut = 7;
        config
    }

    fn read(config: &abi::HcclCommConfig) -> Result<Settings, CallError> {
        // SAFETY: a whole structure.
        unsafe { super::read(config, || "made up".to_owned()) }
    }

    #[test]
    fn fields_beyond_the_size_are_not_read() {
        let mut config = config();
        let whole = read(&config).unwrap();
        assert_eq!(whole.name, "x");
        assert_eq!(whole.limit, Some(Duration::from_secs(7)));
        // Older clients: without what came last, and the least that was ever passed.
        config.size = 2232;
        assert_eq!(read(&config).unwrap().name, "x");
        config.size = 0x13c;
        assert_eq!(
            read(&config).unwrap().limit,
            Some(Duration::from_secs(EXEC_SECONDS))
        );
        config.size = 32;
        assert_eq!(read(&config).unwrap().name, "made up");
    }

    #[test]
    fn what_was_not_initialised_is_refused() {
        let mut wrong = config();
        wrong.magicWord = 1;
        assert!(read(&wrong).is_err());
        let mut wrong = config();
        wrong.hcclBufferSize = 0;
        assert!(read(&wrong).is_err());
        let mut wrong = config();
        wrong.hcclCommName = [1; 128];
        assert!(read(&wrong).is_err());
        let mut wrong = config();
        wrong.hcclExecTimeOut = -2;
        assert!(read(&wrong).is_err());
    }
}
