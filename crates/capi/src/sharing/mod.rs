//! What this process shares with others: memory, events and notifications.
//!
//! One thread, started with the first thing that is shared, serves everything. It answers other processes of the same user,
//! which know a key that cannot be guessed, and it watches for what streams and threads of this process wait for (`waits.rs`).
//!
//! - `wire.rs`: what is said. `client.rs`: asking other processes. `signal.rs`: the memory of events and notifications.
//!
//! What must always hold:
//! - Nothing of this exists in a file system, and the kernel removes all of it when the processes have ended.
//! - Memory that another process may have mapped has a lease (`millpond::Lease`), which ends when that process says so,
//!   closes the connection, or ends.
//! - A forked child uses none of it: its calls are refused, and the thread does not exist there.

mod client;
pub(crate) mod signal;
mod waits;
pub(crate) mod wire;

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use millpond::device_api::PagesOf;
use millpond::{Lease, Lent, SharedRange};
use millpond_abi as abi;
use millpond_sharing::{Bell, Channel, Listener, Peer, end_of, hex, random_id, wait_for_any};
use millpond_trace::{Bytes, Operation};
use parking_lot::Mutex;

use crate::acl::event::monotonic;
use crate::boundary::CallError;
use crate::process;

pub(crate) use client::{import_memory, import_number, import_object};
use signal::{ArenaId, Signal};
pub(crate) use waits::Waited;
use waits::Waits;
use wire::{Answer, KEY, Key, Request, Wanted};

/// Bytes of a key that name the process.
const HUB: usize = 3;

/// Bits of a number of physical memory below those that name the process.
const NUMBER_BITS: u32 = 40;

/// How often a name is looked for that nobody has.
const ATTEMPTS: u32 = 64;

/// Everything that this process shares.
#[derive(Debug)]
pub(crate) struct Hub {
    name: [u8; HUB],
    bell: Bell,
    exports: Mutex<HashMap<Key, Export>>,
    waits: Waits,
    next_lease: AtomicU64,
}

/// Something that was exported.
#[derive(Debug)]
struct Export {
    what: Exported,
    /// Whether every process of the user may import it, and which others may.
    open: bool,
    importers: Vec<i32>,
}

/// What can be exported under a key.
#[derive(Debug, Clone)]
pub(crate) enum Exported {
    /// A range of device memory.
    Memory(SharedRange),
    /// An event or a notification.
    Object(Arc<Signal>),
}

impl Exported {
    /// Refuses a key of another kind.
    fn check(&self, wanted: Wanted) -> Result<(), CallError> {
        let kind = match self {
            Self::Memory(_) => Wanted::Memory,
            Self::Object(signal) => Wanted::Object(signal.kind()),
        };
        if kind == wanted {
            return Ok(());
        }
        Err(CallError::coded(
            abi::ACL_ERROR_RT_PARAM_INVALID,
            format!("the key is of {kind}, and the call needs one of {wanted}"),
        ))
    }
}

/// The socket of a process, by the bytes that name it.
fn socket_name(hub: [u8; HUB]) -> String {
    format!("millpond-hub-3-{}", hex(&hub))
}

fn failed(what: &str, error: &io::Error) -> CallError {
    CallError::coded(
        abi::ACL_ERROR_RT_DRV_INTERNAL_ERROR,
        format!("{what}: {error}"),
    )
}

/// The process's hub, started if it is not there yet.
pub(crate) fn hub() -> Result<&'static Hub, CallError> {
    static HUB_OF_PROCESS: OnceLock<&'static Hub> = OnceLock::new();
    static STARTING: Mutex<()> = Mutex::new(());
    if let Some(hub) = HUB_OF_PROCESS.get() {
        return Ok(hub);
    }
    // Refuses what cannot share, and watches forks from now on.
    process::runtime()?;
    let _starting = STARTING.lock();
    if let Some(hub) = HUB_OF_PROCESS.get() {
        return Ok(hub);
    }
    let begin = || -> io::Result<(Hub, Listener)> {
        let (name, listener) = listen()?;
        let hub = Hub {
            name,
            bell: Bell::new()?,
            exports: Mutex::default(),
            waits: Waits::default(),
            next_lease: AtomicU64::new(1),
        };
        Ok((hub, listener))
    };
    let (made, listener) =
        begin().map_err(|error| failed("sharing with other processes cannot begin", &error))?;
    let (send, receive) = std::sync::mpsc::channel::<&'static Hub>();
    let serve = move || {
        if let Ok(hub) = receive.recv() {
            hub.serve(&listener);
        }
    };
    millpond_sharing::spawn("millpond-sharing", serve).map_err(|error| {
        failed(
            "the thread that serves other processes cannot start",
            &error,
        )
    })?;
    // Only now: without its thread nobody would end what waits for it.
    let hub: &'static Hub = Box::leak(Box::new(made));
    let ended = |_| {
        failed(
            "the thread that serves other processes has ended",
            &io::Error::other("it panicked"),
        )
    };
    send.send(hub).map_err(ended)?;
    Ok(HUB_OF_PROCESS.get_or_init(|| hub))
}

/// Takes a name that nobody has.
fn listen() -> io::Result<([u8; HUB], Listener)> {
    for _ in 0..ATTEMPTS {
        let [first, second, third, ..] = random_id()?;
        let name = [first, second, third];
        // 0 would make a number of physical memory that looks invented.
        if name == [0; HUB] {
            continue;
        }
        match Listener::bind(&socket_name(name)) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            bound => return Ok((name, bound?)),
        }
    }
    Err(io::ErrorKind::AddrInUse.into())
}

/// Another process that imports from this one.
struct Connection {
    channel: Channel,
    peer: Peer,
    end: Option<OwnedFd>,
    leases: HashMap<u64, Lease>,
}

impl Hub {
    /// The bytes that name a hub in a key.
    fn name_in(key: &Key) -> [u8; HUB] {
        [key[0], key[1], key[2]]
    }

    /// The same in a number of physical memory.
    fn name_in_number(number: u64) -> [u8; HUB] {
        let [a, b, c, ..] = (number >> NUMBER_BITS).to_le_bytes();
        [a, b, c]
    }

    /// A number for physical memory that cannot be guessed.
    pub(crate) fn new_number(&self) -> Result<u64, CallError> {
        let id = random_id().map_err(|error| failed("no random number", &error))?;
        let [a, b, c] = self.name;
        let top = u64::from_le_bytes([a, b, c, 0, 0, 0, 0, 0]) << NUMBER_BITS;
        let low = u64::from_le_bytes(id[..8].try_into().unwrap_or_default());
        Ok(top | low >> (64 - NUMBER_BITS))
    }

    /// Exports an object under its key, or a new one if it has none.
    pub(crate) fn export_object(&self, object: &Arc<Signal>, open: bool) -> Result<Key, CallError> {
        // A process that gets one arena under two names would open its file twice, and lose its claims with the first close.
        if !object.is_own() {
            return Err(CallError::coded(
                millpond_abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                "it was imported from another process: export it in the process that created it",
            ));
        }
        for (key, export) in &mut *self.exports.lock() {
            if let Exported::Object(known) = &export.what
                && Arc::ptr_eq(known, object)
            {
                export.open |= open;
                return Ok(*key);
            }
        }
        self.export(Exported::Object(Arc::clone(object)), open)
    }

    /// Exports something under a new key.
    pub(crate) fn export(&self, what: Exported, open: bool) -> Result<Key, CallError> {
        let random = || random_id().map_err(|error| failed("no random number", &error));
        let mut key: Key = [0; KEY];
        key[..16].copy_from_slice(&random()?);
        key[16..].copy_from_slice(&random()?);
        key[..HUB].copy_from_slice(&self.name);
        let export = Export {
            what,
            open,
            importers: Vec::new(),
        };
        self.exports.lock().insert(key, export);
        Ok(key)
    }

    /// Takes a key back; false if it was not one of this process.
    pub(crate) fn withdraw(&self, key: &Key) -> bool {
        self.exports.lock().remove(key).is_some()
    }

    /// Takes all keys of an object back.
    pub(crate) fn withdraw_object(&self, object: &Arc<Signal>) {
        let is_other = |export: &Export| match &export.what {
            Exported::Object(known) => !Arc::ptr_eq(known, object),
            Exported::Memory(_) => true,
        };
        self.exports.lock().retain(|_, export| is_other(export));
    }

    /// What this process exported under a key. It may always have it.
    pub(crate) fn own(&self, key: &Key) -> Option<Exported> {
        let exports = self.exports.lock();
        exports.get(key).map(|export| export.what.clone())
    }

    /// Lets processes import what is exported under a key; false if nothing is.
    pub(crate) fn allow(&self, key: &Key, processes: &[i32]) -> bool {
        let mut exports = self.exports.lock();
        let Some(export) = exports.get_mut(key) else {
            return false;
        };
        export.importers.extend(processes);
        true
    }

    /// As above, for all keys of an object. Returns false if it was never exported.
    pub(crate) fn allow_object(&self, object: &Arc<Signal>, processes: &[i32]) -> bool {
        let mut found = false;
        for export in self.exports.lock().values_mut() {
            if let Exported::Object(known) = &export.what
                && Arc::ptr_eq(known, object)
            {
                export.importers.extend(processes);
                found = true;
            }
        }
        found
    }

    /// The bell that wakes the thread.
    pub(crate) fn bell(&self) -> &Bell {
        &self.bell
    }

    /// What streams and threads of this process wait for.
    fn waits(&self) -> &Waits {
        &self.waits
    }

    /// Calls `then` when the condition holds, or the time is up: at once, or on the thread of the hub. Neither may block.
    /// Conditions with the same key are asked in the order of these calls, so that none takes what an earlier one waits for.
    pub(crate) fn when(
        &self,
        key: Option<u64>,
        condition: impl FnMut() -> Option<Waited> + Send + 'static,
        limit: Option<Duration>,
        then: impl FnOnce(Waited) + Send + 'static,
    ) {
        if self.waits.add(key, condition, limit, then) {
            self.bell.ring(self.bell.name());
        }
    }

    /// Blocks this thread until the condition holds, or the time is up.
    pub(crate) fn wait_for(
        &self,
        condition: impl FnMut() -> Option<Waited> + Send + 'static,
        limit: Option<Duration>,
    ) -> Waited {
        let (send, ended) = std::sync::mpsc::channel();
        self.when(None, condition, limit, move |waited| {
            drop(send.send(waited));
        });
        ended
            .recv()
            .unwrap_or_else(|_| Waited::Failed("the thread that waits has ended".to_owned()))
    }

    /// The thread.
    fn serve(&self, listener: &Listener) {
        let mut connections: Vec<Connection> = Vec::new();
        loop {
            let mut sources: Vec<BorrowedFd<'_>> = vec![listener.as_fd(), self.bell.as_fd()];
            // Which connection each further source belongs to.
            let mut owners = Vec::new();
            for (index, connection) in connections.iter().enumerate() {
                sources.push(connection.channel.as_fd());
                owners.push((index, false));
                if let Some(end) = &connection.end {
                    sources.push(end.as_fd());
                    owners.push((index, true));
                }
            }
            let Ok(ready) = wait_for_any(&sources, self.waits.pause()) else {
                // Only where the process has no memory left for the call.
                std::thread::yield_now();
                continue;
            };
            drop(sources);
            if ready[1] {
                self.bell.hush();
            }
            self.waits.look();
            if !ready[2..].contains(&true) {
                QUIET.fetch_add(1, Ordering::SeqCst);
            }
            let mut over = Vec::new();
            for (&(index, is_end), _) in owners.iter().zip(&ready[2..]).filter(|(_, ready)| **ready)
            {
                let connection = &mut connections[index];
                // A panic ends the connection, not the thread.
                let answer = AssertUnwindSafe(|| self.answer(connection));
                if is_end || !catch_unwind(answer).unwrap_or(false) {
                    over.push(index);
                }
            }
            over.sort_unstable();
            over.dedup();
            for index in over.iter().rev() {
                let ended = connections.swap_remove(*index);
                ended.leases.keys().for_each(|lease| returned(*lease, 0));
            }
            if !over.is_empty() {
                leases_ended();
            }
            if ready[0]
                && let Ok(channel) = listener.accept(Some(Instant::now()))
                && let Ok(peer) = channel.peer()
            {
                connections.push(Connection {
                    end: end_of(peer.process),
                    channel,
                    peer,
                    leases: HashMap::new(),
                });
            }
        }
    }

    /// Answers what a connection asks; false if it has ended.
    fn answer(&self, connection: &mut Connection) -> bool {
        let message = match connection.channel.receive(Some(Instant::now())) {
            Ok(message) => message,
            Err(error) => return error.kind() == io::ErrorKind::TimedOut,
        };
        let Some(request) = Request::decode(&message.bytes) else {
            return false;
        };
        let (what, process) = match request {
            Request::Release { lease, at } => {
                drop(connection.leases.remove(&lease));
                returned(lease, at);
                leases_ended();
                return true;
            }
            Request::Key {
                process,
                key,
                wanted,
                arena,
            } => (What::Key(key, wanted, arena), process),
            Request::Number { process, number } => (What::Number(number), process),
        };
        // A process of another namespace has no number here: then its own has to do.
        let process = match connection.peer.process {
            0 => process,
            known => known,
        };
        let sent = match self.find(&what, process) {
            Ok(Found::Memory(lent, range)) => {
                self.send_memory(connection, *lent, range.map(|range| (range, process)))
            }
            Ok(Found::Object(signal, known)) => {
                let (kind, place) = signal.hand_out();
                let answer = Answer::Object { kind, place };
                let memory = signal.descriptor(&known);
                connection.channel.send(&answer.encode(), memory.as_slice())
            }
            Err(error) => {
                let answer = Answer::Refused {
                    code: error.code(),
                    reason: error.to_string(),
                };
                connection.channel.send(&answer.encode(), &[])
            }
        };
        sent.is_ok()
    }

    fn find(&self, what: &What, process: i32) -> Result<Found, CallError> {
        let no_permission = || {
            CallError::coded(
                abi::ACL_ERROR_RT_NO_PERMISSION,
                format!("process {process} is not on the list of those that may import it"),
            )
        };
        match what {
            What::Number(number) => {
                let lent = process::runtime()?.lend_physical(*number, process)?;
                let lent = lent.ok_or_else(no_permission)?;
                Ok(Found::Memory(Box::new(lent), None))
            }
            What::Key(key, wanted, arena) => {
                let found = {
                    let exports = self.exports.lock();
                    let export = exports.get(key).ok_or_else(unknown_key)?;
                    // Before anything is handed out for it.
                    export.what.check(*wanted)?;
                    if !export.open && !export.importers.contains(&process) {
                        return Err(no_permission());
                    }
                    export.what.clone()
                };
                match found {
                    Exported::Object(signal) => Ok(Found::Object(signal, *arena)),
                    Exported::Memory(range) => {
                        let lent = process::runtime()?.lend(&range)?;
                        let lent_range = Bytes {
                            start: range.address,
                            bytes: range.bytes,
                        };
                        Ok(Found::Memory(Box::new(lent), Some(lent_range)))
                    }
                }
            }
        }
    }

    fn send_memory(
        &self,
        connection: &mut Connection,
        lent: Lent,
        by_key: Option<(Bytes, i32)>,
    ) -> io::Result<()> {
        let Lent {
            pages,
            skip,
            request,
            lease,
        } = lent;
        let number = self.next_lease.fetch_add(1, Ordering::Relaxed);
        let (bus, descriptors) = match &pages.source {
            PagesOf::File(file) => (None, std::slice::from_ref(file)),
            PagesOf::Gpu { bus, handles } => (Some(bus.clone()), &handles[..]),
        };
        let descriptors: Vec<_> = descriptors.iter().map(AsFd::as_fd).collect();
        let is_file = bus.is_none();
        let answer = Answer::Memory {
            lease: number,
            skip,
            parts: u32::try_from(pages.parts.len()).map_err(io::Error::other)?,
            request,
            bus,
        };
        connection.leases.insert(number, lease);
        if let Some((range, process)) = by_key {
            process::emit(|| Operation::MemoryLent {
                range,
                lease: number,
                process: u32::try_from(process).unwrap_or(0),
            });
        }
        let channel = &connection.channel;
        if is_file {
            channel.send(&answer.encode(), &descriptors)?;
            for parts in pages.parts.chunks(wire::PARTS_AT_ONCE) {
                channel.send(&wire::encode_parts(parts), &[])?;
            }
            return Ok(());
        }
        channel.send(&answer.encode(), &[])?;
        let parts = pages.parts.chunks(wire::HANDLES_AT_ONCE);
        for (parts, handles) in parts.zip(descriptors.chunks(wire::HANDLES_AT_ONCE)) {
            channel.send(&wire::encode_parts(parts), handles)?;
        }
        Ok(())
    }
}

/// What another process asks for.
enum What {
    Key(Key, Wanted, ArenaId),
    Number(u64),
}

enum Found {
    /// Memory, and which bytes it is if it was asked for by a key.
    Memory(Box<Lent>, Option<Bytes>),
    /// An object, and which memory of objects the importer has.
    Object(Arc<Signal>, ArenaId),
}

/// Records that another process does not use memory any more, since a time of the machine's clock in microseconds; 0
/// if that is not known.
fn returned(lease: u64, at: u64) {
    let Some(tap) = process::tap() else {
        return;
    };
    // In this order: the result is not later than it was.
    let now = tap.now();
    let since = (monotonic() + 1).saturating_sub(at) * 1000;
    let until = if at == 0 {
        0
    } else {
        now.saturating_sub(since)
    };
    process::emit(|| Operation::MemoryReturned { lease, until });
}

/// How often the thread found nothing to answer. 0 before it runs.
static QUIET: AtomicU64 = AtomicU64::new(0);

/// Waits, a second at most, until the thread has heard what other processes have said.
pub(crate) fn settle() {
    let began = QUIET.load(Ordering::SeqCst);
    if began == 0 {
        return;
    }
    let Ok(hub) = hub() else {
        return;
    };
    let limit = Instant::now() + Duration::from_secs(1);
    // The first may have looked before they said it.
    while QUIET.load(Ordering::SeqCst) < began + 2 && Instant::now() < limit {
        hub.bell.ring(hub.bell.name());
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn leases_ended() {
    if let Some(runtime) = process::known() {
        runtime.leases_ended();
    }
}

/// The error of a key that names nothing.
pub(crate) fn unknown_key() -> CallError {
    CallError::coded(
        abi::ACL_ERROR_RT_PARAM_INVALID,
        "the key names nothing that is exported: it was closed, its object was destroyed, or it is not a key",
    )
}
