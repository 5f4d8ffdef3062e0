//! `millpondCudaOptions`, and what it means.

use std::mem::offset_of;

use millpond_pool::PageSize;

/// The C structure. Fields are only ever added at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Options {
    pub(crate) struct_size: usize,
    pub(crate) page_bytes: u64,
    pub(crate) range_bytes: u64,
    pub(crate) release_threshold_bytes: u64,
    pub(crate) floor_bytes: u64,
    pub(crate) slack_permille: u32,
    pub(crate) ahead_permille: u32,
    pub(crate) flags: u32,
    pub(crate) reserved: u32,
}

// The header's twin: crates/plugin/tests/cuda/layout.c has the same numbers.
const _: () = assert!(
    size_of::<Options>() == 56
        && offset_of!(Options, floor_bytes) == 32
        && offset_of!(Options, slack_permille) == 40
        && offset_of!(Options, flags) == 48
);

const KEEP: u32 = 1;
const NO_WINDOWS: u32 = 2;
const NO_SHARING: u32 = 4;

const AHEAD: u32 = 800;

/// How an arena behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) page: PageSize,
    /// `None`: by the device's memory.
    pub(crate) range: Option<u64>,
    pub(crate) release_threshold: u64,
    pub(crate) floor: u64,
    pub(crate) slack: u32,
    pub(crate) ahead: u32,
    pub(crate) keep: bool,
    pub(crate) windows: bool,
    pub(crate) shared: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            page: millpond_pool::GPU_PAGE,
            range: None,
            release_threshold: 0,
            floor: 0,
            slack: millpond_pool::GPU_SLACK,
            ahead: AHEAD,
            keep: false,
            windows: true,
            shared: true,
        }
    }
}

impl TryFrom<Options> for Settings {
    type Error = String;

    fn try_from(options: Options) -> Result<Self, String> {
        let usual = Self::default();
        let unknown = options.flags & !(KEEP | NO_WINDOWS | NO_SHARING);
        if unknown != 0 {
            return Err(format!("options.flags has unknown bits: {unknown:#x}"));
        }
        if options.reserved != 0 {
            return Err(format!(
                "options.reserved is {}, but must be 0",
                options.reserved
            ));
        }
        let page = match options.page_bytes {
            0 => usual.page,
            bytes => page(bytes)?,
        };
        let thousandths = |name, value: u32, most, usual| match value {
            0 => Ok(usual),
            value if value <= most => Ok(value),
            value => Err(format!(
                "options.{name} is {value}, but must be at most {most}"
            )),
        };
        let keep = options.flags & KEEP != 0;
        Ok(Self {
            page,
            range: (options.range_bytes != 0).then_some(options.range_bytes),
            release_threshold: options.release_threshold_bytes,
            floor: options.floor_bytes,
            slack: thousandths("slack_permille", options.slack_permille, 1000, usual.slack)?,
            ahead: thousandths("ahead_permille", options.ahead_permille, 100_000, AHEAD)?,
            keep,
            windows: !keep && options.flags & NO_WINDOWS == 0,
            shared: options.flags & NO_SHARING == 0,
        })
    }
}

fn page(bytes: u64) -> Result<PageSize, String> {
    PageSize::new(bytes)
        .filter(|page| page.bytes() <= 1 << 30)
        .ok_or_else(|| format!("a page of {bytes} bytes is not a power of two from 2 MiB to 1 GiB"))
}

/// `page=16MiB,slack=15,ahead=800,floor=1GiB,keep=0,windows=1`.
pub(crate) fn parse(text: &str) -> Result<Settings, String> {
    let mut settings = Settings::default();
    for word in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let wrong = || {
            format!(
                "`{word}` is not one of page=BYTES, range=BYTES, floor=BYTES, keep_bytes=BYTES, slack=THOUSANDTHS, \
                 ahead=THOUSANDTHS, windows=0|1, sharing=0|1"
            )
        };
        let (key, value) = word.split_once('=').ok_or_else(wrong)?;
        let bytes = || bytes(value).ok_or_else(wrong);
        let small = || {
            value
                .parse()
                .ok()
                .filter(|&it: &u32| it <= 100_000)
                .ok_or_else(wrong)
        };
        match key {
            "page" => settings.page = page(bytes()?)?,
            "range" => settings.range = Some(bytes()?),
            "floor" => settings.floor = bytes()?,
            "keep_bytes" => settings.release_threshold = bytes()?,
            "slack" => settings.slack = small()?.min(1000),
            "ahead" => settings.ahead = small()?,
            "windows" => settings.windows = value != "0",
            "sharing" => settings.shared = value != "0",
            _ => return Err(wrong()),
        }
    }
    Ok(settings)
}

/// `4096`, `8MiB`, `1GiB`, `512K`.
fn bytes(text: &str) -> Option<u64> {
    let end = text
        .find(|it: char| !it.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim_end_matches('B').trim_end_matches('i') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_in_words() {
        let settings = parse("page=16MiB, slack=20,windows=0,ahead=1000").unwrap();
        assert_eq!(settings.page.bytes(), 16 << 20);
        assert_eq!(
            (settings.slack, settings.windows, settings.ahead),
            (20, false, 1000)
        );
        assert_eq!(parse(""), Ok(Settings::default()));
        for (text, expected) in [
            ("page=3MiB", "a page of 3145728 bytes is not a power of two"),
            ("page=1", "power of two"),
            ("pages=1", "`pages=1` is not one of page=BYTES"),
            ("slack", "is not one of"),
            ("floor=9XB", "is not one of"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn options_of_a_program_are_checked() {
        let options = |change: fn(&mut Options)| {
            let mut options = Options::default();
            change(&mut options);
            Settings::try_from(options)
        };
        assert_eq!(options(|_| ()), Ok(Settings::default()));
        assert!(!options(|it| it.flags = KEEP).unwrap().windows);
        assert!(options(|it| it.flags = 8).is_err());
        assert!(options(|it| it.slack_permille = 1001).is_err());
        assert!(options(|it| it.page_bytes = 2 << 30).is_err());
        assert!(options(|it| it.reserved = 1).is_err());
    }
}
