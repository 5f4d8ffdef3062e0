//! What to change so that a program needs less memory: at most three sentences, each with a replay that shows its bytes.
//!
//! Candidates are settings of PyTorch's allocator, Millpond's pool, blocks that are never freed, and who holds most at the peak.
//! Every one is replayed. A candidate becomes advice only if the replay holds less with it, by 1 % of what is held without it or
//! more. Settings come first, then a leak, then the peak's owner, at most three. The numbers in a sentence are those of the rows of
//! its replay.

use millpond_recording::{Allocator as Made, Format};

use crate::allocator::{Allocator, outside_brackets};
use crate::engine;
use crate::holders::{Holder, holders};
use crate::recorded::{Recording, Without};
use crate::sizes;
use crate::trace::Trace;

/// Settings of PyTorch's allocator that are tried, as `PYTORCH_ALLOC_CONF` writes them.
const PYTORCH: [&str; 7] = [
    "expandable_segments:True",
    "max_split_size_mb:64",
    "max_split_size_mb:256",
    "max_split_size_mb:1024",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:8",
    "expandable_segments:True,roundup_power2_divisions:8",
];

/// The allocator of `torch_npu`, which adds 32 bytes to each request.
const TORCH_NPU: &str = "torch_npu";

/// Its setting where CANN needs no such bytes.
const UNPADDED: &str = "padding=0";

/// Our own pool on an NPU, and on a GPU.
const MILLPOND: &str = "millpond";
const MILLPOND_CUDA: &str = "millpond-cuda";
/// The plug-in's pool without options (`crates/plugin/src/options.rs`): as an `aclrtMemPool`, but it sees no waits.
const MILLPOND_PLUGIN: &str = "millpond-mempool,reuse=polling,slack=5,most_slack=5";

/// How many sentences there are at most.
const MOST: usize = 3;

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// What kind it is: `pytorch`, `millpond`, `leak` or `owner`.
    pub kind: &'static str,
    /// What to change, and what that saves.
    pub sentence: String,
    /// What `before` and `after` are about, if the recording has several devices: one of them, or all together.
    pub device: Option<String>,
    /// Peak reserved as it is, and with the change.
    pub before: u64,
    /// See `before`.
    pub after: u64,
    /// The replay whose rows have these numbers: arguments behind `millpond replay FILE`.
    pub replays: Vec<String>,
    /// Whose blocks the replay leaves out, if it is about those.
    pub holder: Option<Holder>,
}

impl Advice {
    /// How many bytes less are held.
    pub fn saves(&self) -> u64 {
        self.before - self.after
    }
}

/// Everything there is to say about a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The allocator that the recording is compared with: the one that made it, as far as that is known.
    pub baseline: String,
    /// What it holds at most, over all devices.
    pub held: u64,
    /// What the recorded allocator held at most, over all devices, if the recording says so.
    pub recorded: Option<u64>,
    /// The most that was live, over all devices.
    pub live: u64,
    /// The sentences, in the order in which they are told.
    pub advice: Vec<Advice>,
    /// How many changes were replayed.
    pub tried: usize,
}

/// What is asked of a recording.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question {
    /// How much memory the device has; `None` if that does not matter.
    pub device: Option<u64>,
}

/// Replays a recording with every candidate. `progress` hears how far it is, from 0 to 1.
pub fn advise(
    recording: &Recording,
    question: Question,
    mut progress: impl FnMut(f64),
) -> Result<Report, String> {
    let traces = recording.traces();
    let baseline = baseline(recording, question);
    let devices = recording.devices();
    let several = devices.len() > 1;
    let together = several.then(|| format!("all {} devices together", devices.len()));
    let held = |allocator: &str, traces: &[Trace]| held(allocator, traces, question.device);
    let before = held(&baseline, &traces)?;
    let mut candidates = Vec::new();
    let kinds = settings(&baseline, &traces);
    let found = holders(recording);
    let same = found.leak.as_ref().map(|it| &it.name) == found.owner.as_ref().map(|it| &it.name);
    let owner = found.owner.filter(|_| !same || found.leak.is_none());
    let told = [("leak", found.leak), ("owner", owner)];
    let of_program = told.iter().filter(|(_, holder)| holder.is_some()).count();
    let all = of_program + kinds.iter().map(|(.., tried)| tried.len()).sum::<usize>();
    let mut done = 0;
    let mut step = || {
        done += 1;
        progress(fraction(done, all));
    };
    for (kind, sentence, allocators) in kinds {
        let mut best: Option<(u64, usize)> = None;
        for (number, allocator) in allocators.iter().enumerate() {
            let after = held(allocator, &traces)?;
            if best.is_none_or(|best| after < best.0) {
                best = Some((after, number));
            }
            step();
        }
        let Some((after, number)) = best else {
            continue;
        };
        candidates.push(Advice {
            kind,
            sentence: sentence(&allocators[number]),
            device: together.clone(),
            before,
            after,
            replays: vec![format!("{} {}", with(&baseline), with(&allocators[number]))],
            holder: None,
        });
    }
    for (kind, holder) in told {
        let Some(holder) = holder else { continue };
        let (option, without) = left_out(kind, &holder.name);
        let rest = recording.traces_without(&without);
        // The rows of its device: others have peaks of their own.
        let place = devices.iter().position(|it| *it == holder.device);
        let of_device = place.unwrap_or(0)..=place.unwrap_or(0);
        let before = held(&baseline, &traces[of_device.clone()])?;
        candidates.push(Advice {
            kind,
            sentence: words(kind, &holder, recording),
            device: several.then(|| recording.device_name(holder.device)),
            before,
            after: held(&baseline, &rest[of_device])?.min(before),
            replays: vec![
                with(&baseline),
                format!("{} {option} {}", with(&baseline), shell_word(&holder.name)),
            ],
            holder: Some(holder),
        });
        step();
    }
    Ok(Report {
        held: before,
        recorded: traces.iter().map(|trace| trace.recorded_reserved).sum(),
        live: traces.iter().map(Trace::peak_live).sum(),
        tried: done,
        baseline,
        advice: chosen(candidates),
    })
}

/// What is told of a setting.
type Words = fn(&str) -> String;

/// Kinds of settings: the allocators to try, of which the best is told.
fn settings(baseline: &str, traces: &[Trace]) -> Vec<(&'static str, Words, Vec<String>)> {
    let mut all: Vec<(&'static str, Words, Vec<String>)> = Vec::new();
    let name = baseline.split(',').next().unwrap_or_default();
    if name == "pytorch" || name == TORCH_NPU {
        let conf: Words = |allocator| {
            let (name, conf) = allocator.split_once(',').unwrap_or_default();
            let variable = if name == TORCH_NPU {
                "PYTORCH_NPU_ALLOC_CONF"
            } else {
                "PYTORCH_ALLOC_CONF"
            };
            // What CANN adds to requests is no setting.
            let unpadded = conf.strip_prefix(UNPADDED);
            let conf = unpadded.map_or(conf, |rest| rest.trim_start_matches(','));
            format!("Set {variable}={}:", conf.replace('=', ":"))
        };
        let unpadded = baseline.split(',').any(|word| word == UNPADDED);
        let name = if unpadded {
            format!("{name},{UNPADDED}")
        } else {
            name.to_owned()
        };
        let mut tried = PYTORCH.map(|conf| allocator(&name, conf)).to_vec();
        // What is set already is no change.
        tried.retain(|it| it != baseline);
        all.push(("pytorch", conf, tried));
    }
    // What has Millpond's pool by another way than its runtime has neither the variable nor another pool of ours.
    if baseline == MILLPOND {
        let polling: Words = |_| "Set MILLPOND_REUSE=polling:".to_owned();
        all.push((MILLPOND, polling, vec![format!("{MILLPOND},reuse=polling")]));
    } else if !name.starts_with(MILLPOND) {
        // Where nobody knows which streams wait for each other, our pool is not credited with knowing it either.
        let unknown = traces.iter().any(|trace| trace.held_frees() > 0);
        let pool = if unknown {
            format!("{MILLPOND},reuse=polling")
        } else {
            MILLPOND.to_owned()
        };
        let serve: Words = |_| "Let Millpond's pool serve these allocations:".to_owned();
        all.push((MILLPOND, serve, vec![pool]));
    }
    all
}

/// The candidates that help, with their bytes in the sentence: settings first, as they cost least, then what is in the program's
/// hands.
fn chosen(mut candidates: Vec<Advice>) -> Vec<Advice> {
    candidates.retain(|it| it.after < it.before && it.saves() >= it.before.div_ceil(100));
    let in_program = |it: &Advice| matches!(it.kind, "leak" | "owner");
    candidates.sort_by_key(|it| {
        (
            in_program(it),
            it.kind == "owner",
            std::cmp::Reverse(it.saves()),
        )
    });
    candidates.truncate(MOST);
    for advice in &mut candidates {
        advice.sentence = format!(
            "{} peak reserved{} falls from {} to {}, which saves {} ({} bytes).",
            advice.sentence,
            of(advice.device.as_deref()),
            sizes::text(advice.before),
            sizes::text(advice.after),
            sizes::text(advice.saves()),
            advice.saves(),
        );
    }
    candidates
}

/// The option of `millpond replay` that leaves out what a sentence is about, and what it leaves out.
fn left_out(kind: &str, owner: &str) -> (&'static str, Without) {
    let owners = vec![owner.to_owned()];
    let leaks = Vec::new();
    if kind == "leak" {
        let (owners, leaks) = (leaks, owners);
        return ("--without-leaks-of", Without { owners, leaks });
    }
    ("--without", Without { owners, leaks })
}

fn of(device: Option<&str>) -> String {
    device.map_or_else(String::new, |device| format!(" of {device}"))
}

fn words(kind: &str, holder: &Holder, recording: &Recording) -> String {
    let Holder {
        name,
        device,
        blocks,
        bytes,
    } = holder;
    let bytes = sizes::text(*bytes);
    let on = if recording.devices().len() > 1 {
        format!(" on {}", recording.device_name(*device))
    } else {
        String::new()
    };
    if kind == "leak" {
        format!(
            "Free the blocks that {name} leaks{on} ({blocks} blocks, {bytes}, growing until the end):"
        )
    } else {
        format!("Reduce {name} first{on} ({blocks} blocks, {bytes} at the peak): without them")
    }
}

/// The allocator that made the recording, with the settings that it tells.
fn baseline(recording: &Recording, question: Question) -> String {
    let about = recording.about();
    let name = match (about.allocator, about.format) {
        (Some(Made::TorchNpu { pads: true }), _) => TORCH_NPU.to_owned(),
        (Some(Made::TorchNpu { pads: false }), _) => format!("{TORCH_NPU},{UNPADDED}"),
        (Some(Made::MillpondCuda), _) => return MILLPOND_CUDA.to_owned(),
        (Some(Made::MillpondPlugin), _) => return MILLPOND_PLUGIN.to_owned(),
        (None, Format::Millpond) => return MILLPOND.to_owned(),
        (None, Format::Rmm) => return "rmm-pool".to_owned(),
        (None, Format::Snapshot | Format::Csv) => "pytorch".to_owned(),
    };
    let told = |key: &str| {
        let found = about.settings.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    };
    let conf = [
        "PYTORCH_ALLOC_CONF",
        "PYTORCH_CUDA_ALLOC_CONF",
        "PYTORCH_NPU_ALLOC_CONF",
    ]
    .into_iter()
    .find_map(told)
    .unwrap_or_default();
    let mut allocator = name;
    let mut add = |key: &str, value: Option<String>| {
        let Some(value) = value.or_else(|| word(conf, key)) else {
            return;
        };
        let longer = format!("{allocator},{key}={value}");
        // A threshold is a share of a device whose size has to be known.
        let has_device = question.device.is_some() || key != "garbage_collection_threshold";
        if has_device && Allocator::parse(&longer).is_ok() {
            allocator = longer;
        }
    };
    let expandable = told("expandable_segments")
        .filter(|it| matches!(*it, "True" | "true" | "1"))
        .map(|_| "True".to_owned());
    add("expandable_segments", expandable);
    add(
        "max_split_size_mb",
        told("max_split_size").and_then(mebibytes),
    );
    add("max_non_split_rounding_mb", None);
    add(
        "roundup_power2_divisions",
        told("roundup_power2_divisions").and_then(divisions),
    );
    add(
        "garbage_collection_threshold",
        told("garbage_collection_threshold")
            .filter(|it| it.parse::<f64>().is_ok_and(|it| it > 0.0))
            .map(ToOwned::to_owned),
    );
    allocator
}

/// A key's value in the text of `PYTORCH_ALLOC_CONF`.
fn word(conf: &str, key: &str) -> Option<String> {
    let outside = outside_brackets(conf);
    let mut pairs = outside.iter().filter_map(|word| word.split_once(':'));
    let found = pairs.rfind(|(name, _)| name.trim() == key);
    found.map(|(_, value)| value.trim().to_owned())
}

/// A number of bytes as MiB, unless there is no limit.
fn mebibytes(bytes: &str) -> Option<String> {
    let bytes = bytes.parse::<u64>().ok()?;
    (bytes > 0 && bytes < i64::MAX.unsigned_abs()).then(|| (bytes >> 20).to_string())
}

/// Divisions of each power of two from 1 MiB on, as a snapshot writes them (`1:0,2:4,…`), as a list of pairs.
fn divisions(told: &str) -> Option<String> {
    let pairs: Vec<(&str, &str)> = told
        .split(',')
        .filter_map(|it| it.split_once(':'))
        .collect();
    let mut values = pairs.iter().map(|(_, value)| *value);
    let first = values.next()?;
    if values.all(|value| value == first) {
        return (first != "0").then(|| first.to_owned());
    }
    let text: Vec<String> = pairs
        .iter()
        // One division rounds as none does.
        .map(|(size, value)| format!("{size}:{}", if *value == "0" { "1" } else { value }))
        .collect();
    Some(format!("[{}]", text.join(",")))
}

/// `PYTORCH_ALLOC_CONF`'s words as an allocator's.
fn allocator(name: &str, conf: &str) -> String {
    format!("{name},{}", conf.replace(':', "="))
}

fn with(allocator: &str) -> String {
    format!("--allocator {}", shell_word(allocator))
}

/// A word as a shell takes it: in quotes if anything in it could mean something to one.
pub fn shell_word(text: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-+=,.:/@%".contains(it);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The peaks of all devices together.
pub fn held(allocator: &str, traces: &[Trace], device: Option<u64>) -> Result<u64, String> {
    let allocator = Allocator::parse(allocator)?;
    let mut held = 0;
    for trace in traces {
        let mut policy = allocator.build(device, trace.peak_live())?;
        held += engine::memory(trace, policy.as_mut()).peak_reserved;
    }
    Ok(held)
}

#[expect(clippy::cast_precision_loss, reason = "a few candidates")]
fn fraction(done: usize, all: usize) -> f64 {
    done as f64 / all as f64
}
