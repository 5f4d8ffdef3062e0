//! The timed part: what a call costs, beside what mimalloc takes at the same moment.

pub(crate) mod borders;
mod mimalloc;
mod show;
mod sizes;
mod threads;
mod timed;
mod work;

#[cfg(test)]
mod tests;

use self::mimalloc::Mimalloc;
pub(crate) use self::show::{Rows, Times};
use self::sizes::sizes;
use self::threads::{Across, Together};
pub(crate) use self::timed::Timed;
use self::timed::{Expandable, Gpu, Offset, Pytorch, Rlsf, RmmPool};
use self::work::{Batch, Mix, Pair, Work};
use super::millpond::Shared as Millpond;
use crate::acl::Acl;
use crate::measure::{Comparison, compare};
use crate::plugin::Plugin;

/// How many samples of each side are taken.
const PAIRS: usize = 15;

/// How long a sample should be, in nanoseconds.
const SAMPLE: f64 = 1e6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Pair,
    Mix512,
    Mix4096,
    MixDistinct,
    Lifo,
    Fifo,
    OwnStreams,
    OneStream,
    Across,
}

impl Case {
    pub(crate) const ALL: [Self; 9] = [
        Self::Pair,
        Self::Mix512,
        Self::Mix4096,
        Self::MixDistinct,
        Self::Lifo,
        Self::Fifo,
        Self::OwnStreams,
        Self::OneStream,
        Self::Across,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pair => "pair",
            Self::Mix512 => "mix, 512 live",
            Self::Mix4096 => "mix, 4,096 live",
            Self::MixDistinct => "mix, 512 live, sizes distinct",
            Self::Lifo => "256, newest freed first",
            Self::Fifo => "256, oldest freed first",
            Self::OwnStreams => "pair, 2 threads, own streams",
            Self::OneStream => "pair, 2 threads, one stream",
            Self::Across => "freed by another thread, pair",
        }
    }

    fn work<P: Timed>(self, peer: &P) -> Result<Box<dyn Work + '_>, String> {
        Ok(match self {
            Self::Pair => Box::new(Pair::new(peer, 0)?),
            Self::Mix512 => Box::new(Mix::new(peer, 512, sizes(256, false))?),
            Self::Mix4096 => Box::new(Mix::new(peer, 4096, sizes(256, false))?),
            Self::MixDistinct => Box::new(Mix::new(peer, 512, sizes(8192, true))?),
            Self::Lifo => Box::new(Batch::new(peer, true)),
            Self::Fifo => Box::new(Batch::new(peer, false)),
            Self::OwnStreams => Box::new(Together::new(peer, &[0, 1])),
            Self::OneStream => Box::new(Together::new(peer, &[0, 0])),
            Self::Across => Box::new(Across::new(peer)),
        })
    }
}

type Measured = Result<Comparison, String>;
type Measure = fn(Case) -> Measured;

/// Somebody who is timed.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    beside_mimalloc: Measure,
    /// For those that could manage device memory in Millpond's place.
    beside_millpond: Option<Measure>,
}

/// Millpond first.
pub(crate) const PEERS: [Peer; 7] = [
    Peer {
        name: "millpond",
        beside_mimalloc: beside::<Millpond, Mimalloc>,
        beside_millpond: None,
    },
    device_peer::<Pytorch>("pytorch"),
    device_peer::<Expandable>("pytorch-expandable"),
    device_peer::<RmmPool>("rmm"),
    device_peer::<Offset>("offset-allocator"),
    // It works inside the memory that it manages.
    Peer {
        name: "rlsf",
        beside_mimalloc: beside::<Rlsf, Mimalloc>,
        beside_millpond: None,
    },
    device_peer::<Gpu>("gpu-allocator"),
];

const fn device_peer<P: Timed>(name: &'static str) -> Peer {
    Peer {
        name,
        beside_mimalloc: beside::<P, Mimalloc>,
        beside_millpond: Some(beside::<P, Millpond>),
    }
}

/// The cases in which Millpond is to be ahead of every device-memory peer.
pub(crate) const LEADS: [Case; 3] = [Case::Pair, Case::OneStream, Case::Across];

/// Times everyone.
pub(crate) fn measure() -> Times {
    let rows = Case::ALL.map(row);
    let acl = Acl::load(None);
    let through = |pairs: fn(&Acl) -> Measured| acl.as_ref().map_err(Clone::clone).and_then(pairs);
    Times {
        rows,
        by_pointer: through(by_pointer),
        by_callback: through(by_callback),
        scaling: scaling(),
        leads: LEADS.map(lead),
    }
}

/// Times the cases whose names have `part` in them.
pub(crate) fn measure_only(part: &str) -> Result<Rows, String> {
    let named = Case::ALL
        .into_iter()
        .filter(|case| case.name().contains(part));
    let rows: Vec<_> = named.map(row).collect();
    if rows.is_empty() {
        let names = Case::ALL.map(Case::name).join("; ");
        return Err(format!(
            "no case has {part:?} in its name; there are: {names}"
        ));
    }
    Ok(Rows(rows))
}

fn row(case: Case) -> (Case, [Measured; PEERS.len()]) {
    eprintln!("timing {} …", case.name());
    (case, PEERS.map(|peer| (peer.beside_mimalloc)(case)))
}

/// Times two in turn.
fn beside<P: Timed, Q: Timed>(case: Case) -> Measured {
    let (one, other) = (P::new()?, Q::new()?);
    in_turn(case.work(&one)?.as_mut(), case.work(&other)?.as_mut())
}

fn in_turn(ours: &mut dyn Work, reference: &mut dyn Work) -> Measured {
    let (our_count, count) = (enough(ours)?, enough(reference)?);
    compare(PAIRS, || ours.sample(our_count), || reference.sample(count))
}

/// The fastest device-memory peer, and how many times as long as Millpond it takes.
fn lead(case: Case) -> Result<(&'static str, f64), String> {
    eprintln!("timing {} beside peers …", case.name());
    let mut fastest = ("nobody", f64::INFINITY);
    for peer in PEERS {
        if let Some(beside_millpond) = peer.beside_millpond {
            let found = beside_millpond(case)?.ratio;
            if found < fastest.1 {
                fastest = (peer.name, found);
            }
        }
    }
    Ok(fastest)
}

/// How many operations make a sample.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 512 and 2^17"
)]
fn enough(work: &mut dyn Work) -> Result<usize, String> {
    work.sample(512)?;
    let time = work.sample(2048)?;
    Ok((SAMPLE / time).clamp(512.0, 131_072.0) as usize)
}

/// How many times the throughput of one thread two threads have, each on its own stream.
fn scaling() -> Result<f64, String> {
    let peer = Millpond::new()?;
    let found = in_turn(
        &mut Together::new(&peer, &[0]),
        &mut Together::new(&peer, &[0, 1]),
    )?;
    Ok(2.0 * found.ratio)
}

/// Pairs through the C interface, where a block is freed by its address.
struct ByPointer<'acl> {
    acl: &'acl Acl,
    sizes: Vec<usize>,
}

impl Work for ByPointer<'_> {
    fn sample(&mut self, count: usize) -> Result<f64, String> {
        let rounds = count.div_ceil(self.sizes.len());
        let start = std::time::Instant::now();
        let mut failed = 0;
        for _ in 0..rounds {
            for bytes in &self.sizes {
                failed |= self.acl.alloc_and_free(*bytes);
            }
        }
        let time = work::per(start, rounds * self.sizes.len());
        self.acl.check("a measured call", failed)?;
        Ok(time)
    }
}

/// The sizes of a pair as C has them.
fn c_sizes() -> Result<Vec<usize>, String> {
    let sizes = sizes(256, false).into_iter().map(usize::try_from);
    let sizes = sizes.collect::<Result<Vec<_>, _>>();
    sizes.map_err(|error| error.to_string())
}

fn by_pointer(acl: &Acl) -> Measured {
    let sizes = c_sizes()?;
    let mut background = (0..512)
        .map(|number| acl.device_memory(sizes[number * 37 % 256]).map(Some))
        .collect::<Result<Vec<_>, _>>()?;
    for slot in background.iter_mut().step_by(2) {
        *slot = None;
    }
    let reference = Mimalloc::new()?;
    in_turn(
        &mut ByPointer { acl, sizes },
        &mut Pair::new(&reference, 0)?,
    )
}

/// Pairs with the callbacks in a descriptor of the plug-in's, for a stream of our own runtime.
struct ByCallback<'plugin, 'stream, 'acl> {
    plugin: &'plugin Plugin<'stream, 'acl>,
    sizes: Vec<usize>,
}

impl Work for ByCallback<'_, '_, '_> {
    fn sample(&mut self, count: usize) -> Result<f64, String> {
        let rounds = count.div_ceil(self.sizes.len());
        let start = std::time::Instant::now();
        for _ in 0..rounds {
            for bytes in &self.sizes {
                let block = self.plugin.alloc(*bytes).ok_or(work::REFUSED)?;
                self.plugin.free(block);
            }
        }
        Ok(work::per(start, rounds * self.sizes.len()))
    }
}

fn by_callback(acl: &Acl) -> Measured {
    let sizes = c_sizes()?;
    let stream = acl.stream()?;
    let plugin = Plugin::load(&stream)?;
    let mut background = (0..512)
        .map(|number| plugin.alloc(sizes[number * 37 % 256]).map(Some))
        .collect::<Option<Vec<_>>>()
        .ok_or(work::REFUSED)?;
    for slot in background.iter_mut().step_by(2) {
        slot.take().into_iter().for_each(|block| plugin.free(block));
    }
    let reference = Mimalloc::new()?;
    let mut pairs = ByCallback {
        plugin: &plugin,
        sizes,
    };
    let found = in_turn(&mut pairs, &mut Pair::new(&reference, 0)?);
    for block in background.into_iter().flatten() {
        plugin.free(block);
    }
    found
}
