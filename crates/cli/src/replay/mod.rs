//! `millpond replay`: what other allocators, or other settings, would have made of a recording.

mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use millpond_replay::allocator::{Allocator, USUAL};
use millpond_replay::engine::{self, Figures};
use millpond_replay::plan::{self, Plan};
use millpond_replay::recorded::{Recording, Without};
use millpond_replay::sizes;
use millpond_replay::trace::Trace;
use millpond_trace::{clean, clean_lines};

pub(crate) use self::show::add_line;
use crate::progress::Progress;
use crate::say::{say, to_stdout};

/// Above so many operations a trace is timed once.
const LONG: usize = 200_000;

/// Arguments of `millpond replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Allocators: millpond, millpond-mempool, millpond-cuda, pytorch, torch_npu, cuda-malloc-async, acl-mempool, rmm-pool, rmm-arena,
mindspore, best-fit, buddy, tlsf. Settings of PyTorch have the names of PYTORCH_ALLOC_CONF:
  millpond replay run.pickle --allocator pytorch --allocator pytorch,expandable_segments=True
Exit code: 0 if the files were replayed, 2 if a file or an argument is wrong.")]
pub(crate) struct Replay {
    /// Recordings: of Millpond, PyTorch snapshots, CSV traces, RMM logs
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// An allocator with settings; may be given several times. Default: every allocator with its defaults
    #[arg(long = "allocator", value_name = "NAME[,KEY=VALUE…]", value_parser = Allocator::parse)]
    allocators: Vec<Allocator>,

    /// How much memory the device has, for example 64GiB. Default: it is never full
    #[arg(long, value_name = "SIZE", value_parser = sizes::parse)]
    device_memory: Option<u64>,

    /// Leave out the blocks of this owner, as `millpond advise` names it; may be given several times
    #[arg(long, value_name = "OWNER")]
    without: Vec<String>,

    /// Leave out only the blocks of this owner that are never freed, and came after the first quarter of the recording: what
    /// `millpond advise` counts as a leak
    #[arg(long, value_name = "OWNER")]
    without_leaks_of: Vec<String>,

    /// Also show what somebody could hold who knows all requests in advance
    #[arg(long)]
    plan: bool,

    /// Do not measure the time of a call, which takes longest
    #[arg(long)]
    no_time: bool,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// A trace with what every allocator made of it.
#[derive(Debug)]
struct Replayed {
    trace: Trace,
    rows: Vec<(String, Figures)>,
    plan: Option<Plan>,
}

impl Replay {
    pub(crate) fn start(&self) -> ExitCode {
        let shown = self.replay().and_then(|replayed| {
            let text = if self.json {
                format!("{:#}\n", show::json(&replayed, self.device_memory))
            } else {
                show::table(&replayed, self.device_memory)
            };
            to_stdout(|out| out.write_all(text.as_bytes())).map_err(|error| error.to_string())
        });
        match shown {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                say!("millpond replay: {}\n", clean_lines(&error));
                ExitCode::from(2)
            }
        }
    }

    fn replay(&self) -> Result<Vec<Replayed>, String> {
        let allocators = if self.allocators.is_empty() {
            USUAL
                .iter()
                .map(|name| Allocator::parse(name))
                .collect::<Result<_, _>>()?
        } else {
            self.allocators.clone()
        };
        let mut progress = Progress::new();
        let mut all = Vec::new();
        let without = Without {
            owners: self.without.clone(),
            leaks: self.without_leaks_of.clone(),
        };
        let mut nobody: Vec<&String> = self.without.iter().collect();
        let mut tidy: Vec<&String> = self.without_leaks_of.iter().collect();
        for file in &self.files {
            let name = file.display().to_string();
            let name = clean(&name);
            let reading = |part| progress.show(&format!("reading {name}:"), part);
            let recording = Recording::open(file, reading)
                .map_err(|error| clean(&error.to_string()).into_owned())?;
            for note in recording.notes() {
                say!("millpond replay: {name}: {note}\n");
            }
            nobody.retain(|owner| !recording.has_owner(owner));
            tidy.retain(|owner| !recording.has_leak(owner));
            let traces = recording.traces_without(&without);
            // What is left out may be all of it.
            if traces.is_empty() {
                return Err(format!("{name}: there are no allocations in it"));
            }
            drop(recording);
            for trace in traces {
                all.push(self.one(trace, &allocators, &mut progress)?);
            }
        }
        // The figures would be those of the whole recording.
        let hint = "hint: `millpond advise` names owners as they are written here";
        if let Some(owner) = nobody.first() {
            return Err(format!(
                "--without: no blocks belong to `{}`\n{hint}",
                clean(owner)
            ));
        }
        match tidy.first() {
            Some(owner) => Err(format!(
                "--without-leaks-of: `{}` leaves no blocks behind\n{hint}",
                clean(owner)
            )),
            None => Ok(all),
        }
    }

    fn one(
        &self,
        trace: Trace,
        allocators: &[Allocator],
        progress: &mut Progress,
    ) -> Result<Replayed, String> {
        let mut rows = Vec::new();
        let rounds = match trace.ops.len() {
            _ if self.no_time => 0,
            few if few <= LONG => 3,
            _ => 1,
        };
        let live = trace.peak_live();
        for (number, allocator) in allocators.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "a few allocators")]
            let part = number as f64 / allocators.len() as f64;
            progress.show(&format!("{}, {allocator}:", clean(&trace.name)), part);
            // An allocator that needs to know more says so before the replay.
            allocator.build(self.device_memory, live)?;
            let new = || {
                let built = allocator.build(self.device_memory, live);
                built.expect("it was built a moment ago")
            };
            let figures = engine::measure(&trace, new, rounds);
            assert_eq!(
                figures.peak_live, live,
                "live bytes are the same for every allocator"
            );
            rows.push((allocator.to_string(), figures));
        }
        progress.show(&format!("{}, plan:", clean(&trace.name)), 1.0);
        let plan = self.plan.then(|| plan::plan(&trace));
        Ok(Replayed { trace, rows, plan })
    }
}
