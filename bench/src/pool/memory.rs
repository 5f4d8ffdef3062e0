//! The memory part: every trace with every allocator.

use millpond_replay::engine::{self, Figures};
use millpond_replay::oracle;
use millpond_replay::policies::millpond::Replayed as Millpond;
use millpond_replay::policies::per_stream::PerStream;
use millpond_replay::policies::pytorch::{Caching, Settings};
use millpond_replay::policies::rmm_pool::Rmm;
use millpond_replay::policy::Policy;
use millpond_replay::table::gigabytes;
use millpond_replay::trace::Trace;
use serde_json::json;

use super::peers::{gpu, offset, rlsf};

type New = fn() -> Box<dyn Policy>;

/// How often a trace is replayed for time. The shortest counts.
const TIMED: usize = 5;

/// PyTorch with `expandable_segments:True`.
pub(crate) const EXPANDABLE: Settings = Settings {
    expandable: true,
    ..Settings::DEFAULT
};

/// Everyone who replays, Millpond first: as a device has it by default, then as a stream-ordered pool (`aclrtMemPool`).
pub(crate) const ALLOCATORS: [(&str, New); 8] = [
    ("millpond", || Box::new(Millpond::new())),
    (
        "millpond-mempool",
        || Box::new(Millpond::of_a_memory_pool()),
    ),
    ("pytorch", || {
        Box::new(Caching::new(Settings::default(), u64::MAX))
    }),
    ("pytorch-expandable", || {
        Box::new(Caching::new(EXPANDABLE, u64::MAX))
    }),
    ("rmm", || Box::new(Rmm::default())),
    ("offset-allocator", || {
        Box::new(PerStream::<offset::Offset>::new(u64::MAX))
    }),
    ("rlsf", || Box::new(PerStream::<rlsf::Rlsf>::new(u64::MAX))),
    ("gpu-allocator", || {
        Box::new(PerStream::<gpu::Gpu>::new(u64::MAX))
    }),
];

/// A trace with what everyone made of it.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) trace: String,
    /// What the allocator held that was recorded.
    pub(crate) recorded: Option<u64>,
    /// What the order of a trace with edges allows.
    pub(crate) least: Option<u64>,
    /// In the order of [`ALLOCATORS`].
    pub(crate) figures: Vec<Result<Figures, String>>,
}

#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) rows: Vec<Row>,
}

impl Results {
    /// Replays a trace without edges: a policy is judged by what was live.
    pub(crate) fn replay(&mut self, trace: &Trace) {
        self.add(trace, None);
    }

    /// Replays a trace with edges: a policy is judged by what the order allows.
    pub(crate) fn replay_ordered(&mut self, trace: &Trace) {
        self.add(trace, Some(oracle::least_held(trace)));
    }

    fn add(&mut self, trace: &Trace, least: Option<u64>) {
        eprintln!("replaying {} …", trace.name);
        let figures = ALLOCATORS
            .iter()
            .map(|(_, new)| measure(trace, *new))
            .collect();
        self.rows.push(Row {
            trace: trace.name.clone(),
            recorded: trace.recorded_reserved,
            least,
            figures,
        });
    }

    /// One object on a line for each trace and allocator. Who refused a request has none.
    pub(crate) fn print_json(&self) {
        for row in &self.rows {
            for ((allocator, _), figures) in ALLOCATORS.iter().zip(&row.figures) {
                match figures {
                    Ok(figures) => println!(
                        "{}",
                        json!({
                            "trace": row.trace,
                            "allocator": allocator,
                            "peak_live": figures.peak_live,
                            "peak_reserved": figures.peak_reserved,
                            "pages_moved": figures.pages_moved,
                            "ns_per_op": (figures.ns_per_op * 10.0).round() / 10.0,
                        })
                    ),
                    Err(error) => eprintln!("{}, {allocator}: {error}", row.trace),
                }
            }
        }
    }
}

/// Who refuses a request has no figures.
fn measure(trace: &Trace, new: New) -> Result<Figures, String> {
    let figures = engine::measure(trace, new, TIMED);
    match figures.refused {
        None => Ok(figures),
        Some(refused) => Err(format!(
            "operation {}: {} bytes were refused",
            refused.operation, refused.bytes
        )),
    }
}

impl Row {
    pub(crate) fn peak_live(&self) -> Option<u64> {
        let first = self.figures.iter().flatten().next();
        first.map(|figures| figures.peak_live)
    }

    /// The trace, what was live, and a cell for everyone.
    pub(crate) fn cells(&self, cell: impl Fn(&Figures) -> String) -> Vec<String> {
        let live = self.peak_live().map_or_else(String::new, gigabytes);
        let cell = |figures: &Result<Figures, String>| match figures {
            Ok(figures) => cell(figures),
            Err(_) => "refused".to_owned(),
        };
        [self.trace.clone(), live]
            .into_iter()
            .chain(self.figures.iter().map(cell))
            .collect()
    }
}
