//! Policies by name: `NAME[,key=value…]`, as on the command line.

use std::fmt;

use millpond_pool::{Options, PageSize};

use crate::policies::best_fit::BestFit;
use crate::policies::buddy::Buddy;
use crate::policies::millpond::{self, Reuse};
use crate::policies::mindspore::{self, MindSpore};
use crate::policies::per_stream::PerStream;
use crate::policies::pytorch::{self, Caching, Divisions};
use crate::policies::rmm_arena::RmmArena;
use crate::policies::rmm_pool::Rmm;
use crate::policies::stream_ordered::{self, StreamOrdered};
use crate::policies::tlsf::Tlsf;
use crate::policy::Policy;
use crate::sizes;

/// What a policy's device has if nothing says otherwise.
pub const DEVICE: u64 = millpond::DEVICE;

/// What is replayed if nothing is named.
pub const USUAL: [&str; 12] = [
    "millpond",
    "millpond-mempool",
    "pytorch",
    "pytorch,expandable_segments=True",
    "cuda-malloc-async",
    "acl-mempool",
    "rmm-pool",
    "rmm-arena",
    "mindspore",
    "best-fit",
    "buddy",
    "tlsf",
];

/// Every name, with its keys.
const NAMES: [(&str, &str); 13] = [
    ("millpond", MILLPOND_KEYS),
    ("millpond-mempool", MILLPOND_KEYS),
    ("millpond-cuda", MILLPOND_KEYS),
    (
        "pytorch",
        "expandable_segments=True|False, max_split_size_mb, max_non_split_rounding_mb, roundup_power2_divisions, \
         garbage_collection_threshold",
    ),
    (
        "torch_npu",
        "as pytorch, and padding=0 for CANN 9.1 and newer",
    ),
    (
        "cuda-malloc-async",
        "release_threshold, reuse_across_streams=True|False",
    ),
    (
        "acl-mempool",
        "release_threshold, reuse_across_streams=True|False",
    ),
    ("rmm-pool", "initial_pool_size, maximum_pool_size"),
    ("rmm-arena", "arena_size"),
    ("mindspore", "mempool_block_size"),
    ("best-fit", ""),
    ("buddy", ""),
    ("tlsf", ""),
];

const MILLPOND_KEYS: &str = "reuse=ordered|polling, windows=True|False, slack and most_slack (thousandths), page, freely, floor";

/// A policy with its settings, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Allocator {
    text: String,
    rule: Rule,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    Millpond(Pool),
    Pytorch(pytorch::Settings),
    StreamOrdered(stream_ordered::Rules),
    RmmPool { initial: u64, maximum: Option<u64> },
    RmmArena { bytes: Option<u64> },
    MindSpore { block: u64 },
    BestFit,
    Buddy,
    Tlsf,
}

/// Settings of our own pool.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pool {
    kind: Kind,
    reuse: Reuse,
    windows: bool,
    slack: Option<u32>,
    most_slack: Option<u32>,
    page: Option<PageSize>,
    freely: Option<u64>,
    floor: Option<u64>,
}

/// Whose defaults it has.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Device,
    /// As an `aclrtMemPool` has it.
    MemoryPool,
    Gpu,
}

impl fmt::Display for Allocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Allocator {
    /// Reads `NAME[,key=value…]`. An error says which names or keys there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = outside_brackets(text).into_iter();
        let name = words.next().unwrap_or_default();
        let mut rule = rule(name)?;
        for word in words {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| format!("`{word}` in `{text}` is not key=value"))?;
            set(&mut rule, key.trim(), value.trim()).map_err(|why| {
                format!(
                    "{name}: {}",
                    why.unwrap_or_else(|| no_key(name, key.trim()))
                )
            })?;
        }
        Ok(Self {
            text: text.to_owned(),
            rule,
        })
    }

    /// A policy that holds nothing yet, on a device of so many bytes; without a number the device is never full, and what depends
    /// on its size is that of a device of 64 GiB, or of twice as much until `peak_live` is at most half of it.
    pub fn build(&self, device: Option<u64>, peak_live: u64) -> Result<Box<dyn Policy>, String> {
        let limit = device.unwrap_or(u64::MAX);
        let size = device.unwrap_or_else(|| assumed(peak_live));
        Ok(match self.rule {
            Rule::Millpond(pool) => {
                let usual = match pool.kind {
                    Kind::Device => millpond::of_device(size),
                    Kind::MemoryPool => millpond::of_memory_pool(size),
                    Kind::Gpu => millpond::of_gpu(size),
                };
                let options = Options {
                    windows: if pool.windows { usual.windows } else { 0 },
                    slack: pool.slack.unwrap_or(usual.slack),
                    most_slack: pool.most_slack.unwrap_or(usual.most_slack),
                    page: pool.page.unwrap_or(usual.page),
                    freely: pool.freely.unwrap_or(usual.freely),
                    floor: pool.floor.unwrap_or(usual.floor),
                    // Addresses for more than the device has: a replay goes on when it is full.
                    bytes: usual.bytes.max(4 * assumed(peak_live)),
                    ..usual
                };
                Box::new(millpond::Replayed::on_device(options, limit, pool.reuse))
            }
            Rule::Pytorch(settings) => {
                if settings.garbage_threshold > 0.0 && device.is_none() {
                    return Err(format!(
                        "{self}: the threshold is a share of the device's memory\nhint: say how much that is with --device-memory"
                    ));
                }
                Box::new(Caching::new(settings, limit))
            }
            Rule::StreamOrdered(rules) => Box::new(StreamOrdered::new(rules, limit)),
            Rule::RmmPool { initial, maximum } => Box::new(Rmm::new(initial, maximum, limit)),
            Rule::RmmArena { bytes } => Box::new(RmmArena::new(bytes.unwrap_or(size / 2), limit)),
            Rule::MindSpore { block } => Box::new(MindSpore::new(block, limit)),
            Rule::BestFit => Box::new(PerStream::<BestFit>::new(limit)),
            Rule::Buddy => Box::new(PerStream::<Buddy>::new(limit)),
            Rule::Tlsf => Box::new(PerStream::<Tlsf>::new(limit)),
        })
    }
}

/// The device that is assumed if none is named.
fn assumed(peak_live: u64) -> u64 {
    let mut size = DEVICE;
    while size < (1 << 44) && size / 2 < peak_live {
        size *= 2;
    }
    size
}

fn rule(name: &str) -> Result<Rule, String> {
    let pool = |kind| {
        Rule::Millpond(Pool {
            kind,
            reuse: Reuse::Ordered,
            windows: true,
            slack: None,
            most_slack: None,
            page: None,
            freely: None,
            floor: None,
        })
    };
    Ok(match name {
        "millpond" => pool(Kind::Device),
        "millpond-mempool" => pool(Kind::MemoryPool),
        "millpond-cuda" => pool(Kind::Gpu),
        "pytorch" => Rule::Pytorch(pytorch::Settings::default()),
        "torch_npu" => Rule::Pytorch(pytorch::Settings {
            padding: 32,
            ..pytorch::Settings::default()
        }),
        "cuda-malloc-async" => Rule::StreamOrdered(stream_ordered::CUDA),
        "acl-mempool" => Rule::StreamOrdered(stream_ordered::ACL),
        "rmm-pool" => Rule::RmmPool {
            initial: 0,
            maximum: None,
        },
        "rmm-arena" => Rule::RmmArena { bytes: None },
        "mindspore" => Rule::MindSpore {
            block: mindspore::BLOCK,
        },
        "best-fit" => Rule::BestFit,
        "buddy" => Rule::Buddy,
        "tlsf" => Rule::Tlsf,
        other => {
            let names = NAMES.map(|(name, _)| name).join(", ");
            return Err(format!(
                "unknown allocator `{other}`\nhint: expected one of {names}"
            ));
        }
    })
}

/// Sets one key. `Err(None)` if the allocator has no such key.
fn set(rule: &mut Rule, key: &str, value: &str) -> Result<(), Option<String>> {
    let size = || sizes::parse(value).map_err(Some);
    match (rule, key) {
        (Rule::Millpond(pool), "reuse") => {
            pool.reuse = match value {
                "ordered" => Reuse::Ordered,
                "polling" => Reuse::Polling,
                _ => return Err(Some(format!("reuse is ordered or polling, not `{value}`"))),
            };
        }
        (Rule::Millpond(pool), "windows") => pool.windows = switch(key, value)?,
        (Rule::Millpond(pool), "slack") => pool.slack = Some(thousandths(key, value)?),
        (Rule::Millpond(pool), "most_slack") => pool.most_slack = Some(thousandths(key, value)?),
        (Rule::Millpond(pool), "page") => {
            let page = PageSize::new(size()?);
            let wrong = || format!("page is a power of two from 2 MiB up, not `{value}`");
            pool.page = Some(page.ok_or_else(|| Some(wrong()))?);
        }
        (Rule::Millpond(pool), "freely") => pool.freely = Some(size()?),
        (Rule::Millpond(pool), "floor") => pool.floor = Some(size()?),
        (Rule::Pytorch(settings), key) => return set_pytorch(settings, key, value),
        (Rule::StreamOrdered(rules), "release_threshold") => rules.release_threshold = size()?,
        (Rule::StreamOrdered(rules), "reuse_across_streams") => {
            rules.across_streams = switch(key, value)?;
        }
        (Rule::RmmPool { initial, .. }, "initial_pool_size") => *initial = size()?,
        (Rule::RmmPool { maximum, .. }, "maximum_pool_size") => *maximum = Some(size()?),
        (Rule::RmmArena { bytes }, "arena_size") => *bytes = Some(size()?),
        (Rule::MindSpore { block }, "mempool_block_size") => {
            *block = size()?;
            if *block < 1 << 20 {
                return Err(Some("mempool_block_size is at least 1 MiB".to_owned()));
            }
        }
        _ => return Err(None),
    }
    Ok(())
}

fn thousandths(key: &str, value: &str) -> Result<u32, Option<String>> {
    let number = value.parse().ok().filter(|it| *it <= 10_000);
    number.ok_or_else(|| {
        Some(format!(
            "{key} is a number of thousandths up to 10000, not `{value}`"
        ))
    })
}

fn set_pytorch(
    settings: &mut pytorch::Settings,
    key: &str,
    value: &str,
) -> Result<(), Option<String>> {
    let mebibytes = || {
        let number = value
            .parse::<u64>()
            .ok()
            .and_then(|it| it.checked_mul(1 << 20));
        number.ok_or_else(|| Some(format!("{key} is a whole number of MiB, not `{value}`")))
    };
    match key {
        "expandable_segments" => settings.expandable = switch(key, value)?,
        "max_split_size_mb" => {
            settings.max_split = mebibytes()?;
            if settings.max_split <= 20 << 20 {
                return Err(Some(
                    "max_split_size_mb has to be above 20, as in PyTorch".to_owned(),
                ));
            }
        }
        "max_non_split_rounding_mb" => settings.non_split_rounding = mebibytes()?,
        "roundup_power2_divisions" => {
            settings.divisions = divisions(value).ok_or_else(|| {
                Some(format!(
                    "roundup_power2_divisions is a power of two, or a list such as [256:1,512:2,>:4], not `{value}`"
                ))
            })?;
        }
        "garbage_collection_threshold" => {
            let share = value
                .parse::<f64>()
                .ok()
                .filter(|it| *it > 0.0 && *it < 1.0);
            settings.garbage_threshold = share.ok_or_else(|| {
                Some(format!(
                    "garbage_collection_threshold lies between 0 and 1, which `{value}` does not"
                ))
            })?;
        }
        "padding" => {
            settings.padding = value.parse().ok().filter(|it| *it <= 4096).ok_or_else(|| {
                Some(format!(
                    "padding is a number of bytes up to 4096, not `{value}`"
                ))
            })?;
        }
        _ => return Err(None),
    }
    Ok(())
}

fn divisions(value: &str) -> Option<Divisions> {
    let number = |text: &str| {
        text.trim()
            .parse::<u64>()
            .ok()
            .filter(|it| it.is_power_of_two())
    };
    let Some(list) = value.strip_prefix('[').and_then(|it| it.strip_suffix(']')) else {
        return number(value).map(Divisions::all);
    };
    let (mut pairs, mut above) = (Vec::new(), None);
    for pair in list.split(',') {
        let (size, divisions) = pair.split_once(':')?;
        if size.trim() == ">" {
            above = Some(number(divisions)?);
        } else {
            pairs.push((number(size)?, number(divisions)?));
        }
    }
    let rises = pairs.is_sorted_by(|one, next| one.0 < next.0);
    rises.then(|| Divisions::by_size(&pairs, above))
}

fn switch(key: &str, value: &str) -> Result<bool, Option<String>> {
    match value {
        "True" | "true" | "1" => Ok(true),
        "False" | "false" | "0" => Ok(false),
        _ => Err(Some(format!("{key} is True or False, not `{value}`"))),
    }
}

fn no_key(name: &str, key: &str) -> String {
    let keys = NAMES.iter().find(|it| it.0 == name).map_or("", |it| it.1);
    if keys.is_empty() {
        format!("it has no settings, so no `{key}`")
    } else {
        format!("there is no setting `{key}`\nhint: there are {keys}")
    }
}

/// The words between commas; a comma in brackets separates nothing.
pub(crate) fn outside_brackets(text: &str) -> Vec<&str> {
    let (mut words, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, it) in text.char_indices() {
        match it {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth <= 0 => {
                words.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    words.push(text[start..].trim());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_allocator_and_setting_is_understood() {
        let more = [
            "millpond,reuse=polling,windows=False,slack=0",
            "millpond,page=16MiB,freely=0,floor=64MiB,most_slack=20",
            "torch_npu,expandable_segments=True,padding=0",
            "pytorch,max_split_size_mb=128,max_non_split_rounding_mb=64",
            "pytorch,roundup_power2_divisions=8",
            "pytorch,roundup_power2_divisions=[256:1,512:2,>:4],expandable_segments=True",
            "pytorch,garbage_collection_threshold=0.8",
            "cuda-malloc-async,release_threshold=1GiB,reuse_across_streams=False",
            "rmm-pool,initial_pool_size=1G,maximum_pool_size=20G",
            "rmm-arena,arena_size=10GiB",
            "mindspore,mempool_block_size=512M",
        ];
        for text in USUAL.iter().chain(&more) {
            let allocator = Allocator::parse(text).unwrap();
            assert_eq!(allocator.to_string(), *text);
            let mut policy = allocator.build(Some(32 << 30), 0).unwrap();
            assert!(policy.alloc(0, 4096).is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error_that_helps() {
        let rows = [
            ("jemalloc", "expected one of millpond"),
            ("", "unknown allocator"),
            ("pytorch,expandable_segments", "is not key=value"),
            ("pytorch,expandable_segments=yes", "True or False"),
            ("pytorch,segments=1", "max_split_size_mb"),
            ("pytorch,max_split_size_mb=20", "above 20"),
            (
                "pytorch,max_split_size_mb=99999999999999999",
                "whole number of MiB",
            ),
            ("pytorch,roundup_power2_divisions=3", "power of two"),
            (
                "pytorch,roundup_power2_divisions=[512:1,256:2]",
                "power of two",
            ),
            (
                "pytorch,garbage_collection_threshold=1.5",
                "between 0 and 1",
            ),
            ("buddy,size=1", "no settings"),
            ("rmm-arena,arena_size=much", "not a size"),
            ("millpond,reuse=always", "ordered or polling"),
            ("millpond,page=3MiB", "power of two"),
        ];
        for (text, expected) in rows {
            let error = Allocator::parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_threshold_needs_a_device() {
        let allocator = Allocator::parse("pytorch,garbage_collection_threshold=0.8").unwrap();
        let error = allocator.build(None, 0).err().unwrap();
        assert!(error.contains("--device-memory"), "{error}");
    }
}
