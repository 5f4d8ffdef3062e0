//! Ranks on several machines.
//!
//! ```text
//!   machine A                                            machine B
//!   rank 0 ─┐                                       ┌─ rank 2
//!           ├─ board ── relay (process of rank 0) ══ relay (process of rank 2) ── board ─┤
//!   rank 1 ─┘                 one connection, Gloo            └─ rank 3
//! ```
//!
//! The data: every machine has a board with a place for *every* rank of the communicator. The ranks of a machine write and read their
//! board exactly as they do when all ranks are on one machine. The relay of a machine, a thread in the process of the communicator's lowest
//! rank there, copies what its own ranks have written to the boards of the other machines: descriptions, rounds, messages, and the
//! counters that announce them. So operations, their order, the comparison of the ranks' calls and the ends of ranks are decided by the
//! same code as on one machine, and nothing there knows a network.
//!
//! Who owns what: a counter still has one writer on each board, its rank or the relay that copies it. A relay writes the bytes first and
//! the counter afterwards, and a rank writes its outbox again only when all ranks, as seen on its own board, have read it. So the bytes that
//! a relay sends do not change until they have arrived.
//!
//! Reductions take two rounds (`rounds.rs`): ranks of a machine reduce a slice each, in rank order; only these partial results, in
//! 32 bits for 16-bit floats, cross the network; every rank combines them in the order of the machines.
//!
//! - `address`: which address and ports this process uses. `wire`: messages over TCP.
//! - `door`: where processes of other machines find the meetings of this one. `assembly`: how ranks of several machines meet.
//! - `engine`: Gloo, which moves the bytes. `link`: one connection to another process. `relay`: what goes over it.
//!
//! What must always hold: no lock is held while the network is waited for; a machine that cannot be reached any more is marked on the board, and
//! the ranks that wait for its ranks end as if these had ended. The kernel's keepalive on a second, idle connection notices that: a
//! process that is slow or stopped still has a kernel that answers.

pub(crate) mod address;
pub(crate) mod assembly;
pub(crate) mod door;
mod engine;
mod link;
mod relay;
pub(crate) mod wire;

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use millpond_sharing::Bell;
use parking_lot::{Condvar, Mutex};

pub use address::{Network, Ports, choose_address, own_machine};
use door::Door;
use engine::Device;
use link::Link;
use relay::Bridge;

/// The number of a process that takes part: that of its hub's bell.
pub(crate) type HubId = [u8; 16];

/// Whether the companion that connects machines is there.
pub fn has_companion() -> bool {
    engine::find().is_some()
}

/// Why a machine without it cannot invite others, and what to do.
pub const NO_COMPANION: &str = "libmillpond_gloo.so is not installed there: install Debian's libgloo-dev and g++, build Millpond again \
     with cargo xtask dist, and run millpond doctor on every machine";

/// Which machine each rank of a communicator is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spread {
    /// The machine of each rank. Machines are numbered in the order of their lowest rank.
    pub(crate) machine: Vec<usize>,
    /// This one.
    pub(crate) own: usize,
    /// How people know each machine.
    pub(crate) hosts: Vec<String>,
    /// Where the process of each rank can be reached; known once all are connected.
    pub(crate) doors: Vec<Option<SocketAddr>>,
}

impl Spread {
    pub(crate) fn is_here(&self, rank: usize) -> bool {
        self.machine.get(rank) == Some(&self.own)
    }

    /// The ranks of a machine, in order.
    pub(crate) fn ranks(&self, machine: usize) -> impl Iterator<Item = usize> + '_ {
        let ranks = self.machine.iter().enumerate();
        ranks
            .filter(move |(_, other)| **other == machine)
            .map(|(rank, _)| rank)
    }

    /// The rank whose process connects a machine to the others.
    pub(crate) fn leader(&self, machine: usize) -> usize {
        self.ranks(machine).next().unwrap_or(0)
    }
}

/// What the communicators of one process share for their connections to other machines. Everything in it starts with the first
/// communicator that needs it.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) network: Network,
    pub(crate) id: HubId,
    /// Rung by ranks of this machine that have written something, and by whoever changes the lists below.
    pub(crate) bell: Bell,
    door: Mutex<Option<Arc<Door>>>,
    device: OnceLock<Device>,
    opening: Mutex<()>,
    /// Usually one per process; two communicators that are created at the same time may make two.
    links: Mutex<Vec<Arc<Link>>>,
    bridges: Mutex<HashMap<[u8; 16], Arc<Bridge>>>,
    is_running: Mutex<bool>,
    /// Second connections that have arrived at the door, by their key.
    pulses: Mutex<HashMap<[u8; 32], std::net::TcpStream>>,
    arrived: Condvar,
}

impl Exchange {
    pub(crate) fn new(network: Network, id: HubId) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            network,
            id,
            bell: Bell::new()?,
            door: Mutex::default(),
            device: OnceLock::new(),
            opening: Mutex::default(),
            links: Mutex::default(),
            bridges: Mutex::default(),
            is_running: Mutex::default(),
            pulses: Mutex::default(),
            arrived: Condvar::new(),
        }))
    }

    /// Where other machines reach this process. Opens the door with the first call.
    pub(crate) fn door(self: &Arc<Self>) -> Result<SocketAddr, String> {
        let mut door = self.door.lock();
        if let Some(door) = &*door {
            return Ok(door.address);
        }
        let made = Door::open(self, self.network.address.clone()?, &self.network.ports)?;
        let address = made.address;
        *door = Some(made);
        Ok(address)
    }

    /// Opens another door, for as long as the result lives.
    pub(crate) fn second_door(self: &Arc<Self>, at: SocketAddr) -> Result<Arc<Door>, String> {
        Door::open(self, at.ip(), &Ports::These(vec![at.port()]))
    }

    fn device(&self) -> Result<&Device, String> {
        let _one = self.opening.lock();
        if let Some(device) = self.device.get() {
            return Ok(device);
        }
        let made = Device::open(self.network.address.clone()?)?;
        Ok(self.device.get_or_init(|| made))
    }

    /// The processes that this one is connected to.
    pub(crate) fn live(&self) -> Vec<HubId> {
        let links = self.links();
        let live = links.iter().filter(|link| link.failure().is_none());
        live.map(|link| link.peer).collect()
    }

    fn link(&self, hub: HubId) -> Option<Arc<Link>> {
        let mut links = self.links().into_iter();
        links.find(|link| link.peer == hub && link.failure().is_none())
    }

    fn links(&self) -> Vec<Arc<Link>> {
        self.links.lock().clone()
    }

    fn bridge(&self, id: &[u8; 16]) -> Option<Arc<Bridge>> {
        self.bridges.lock().get(id).cloned()
    }

    fn bridges(&self) -> Vec<Arc<Bridge>> {
        self.bridges.lock().values().cloned().collect()
    }

    /// A second connection has come in.
    fn pulse_arrived(&self, key: [u8; 32], stream: std::net::TcpStream) {
        self.pulses.lock().insert(key, stream);
        self.arrived.notify_all();
    }

    fn wait_for_pulse(&self, key: &[u8; 32], deadline: Instant) -> Option<std::net::TcpStream> {
        let mut pulses = self.pulses.lock();
        loop {
            if let Some(stream) = pulses.remove(key) {
                return Some(stream);
            }
            if self.arrived.wait_until(&mut pulses, deadline).timed_out() {
                return pulses.remove(key);
            }
        }
    }

    /// Waits until the other machines have what the ranks of this one have written. Called before the process ends: nobody would
    /// send it afterwards. Ranks of this machine that still wait for others get the same time.
    pub(crate) fn drain(&self, limit: Duration) {
        const PAUSE: Duration = Duration::from_millis(5);
        let deadline = Instant::now() + limit;
        let is_busy = |bridge: &Arc<Bridge>| bridge.others_wait();
        while Instant::now() < deadline && self.bridges().iter().any(is_busy) {
            std::thread::sleep(PAUSE);
        }
        self.flush(deadline);
    }

    /// Sends what the ranks of this machine have written, and waits until the other machines have it.
    pub(crate) fn flush(&self, deadline: Instant) {
        for bridge in self.bridges() {
            bridge.look(true);
        }
        let flushed: Vec<(Arc<Link>, u64)> = self
            .links()
            .into_iter()
            .map(|link| {
                let number = link.flush();
                (link, number)
            })
            .collect();
        for (link, number) in flushed {
            link.wait_for_flush(number, deadline);
        }
    }
}
