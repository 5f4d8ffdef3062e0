//! Asking other processes for what they exported.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use millpond::device_api::{Keeper, PagesOf, SharedPages};
use millpond::{Lease, PhysicalRequest};
use millpond_abi as abi;
use millpond_sharing::{Channel, Message, end_of, wait_for_any};
use parking_lot::Mutex;

use super::signal::{ArenaId, Signal, SignalKind};
use super::wire::{self, Answer, Key, Request, Wanted};
use super::{Exported, HUB, Hub, hub, socket_name, unknown_key};
use crate::boundary::CallError;
use crate::process;

/// After this a process that does not answer counts as gone: it is stopped, or not one of ours.
const PATIENCE: Duration = Duration::from_mins(1);

/// The processes that this one is connected to.
static CLIENTS: Mutex<Option<HashMap<[u8; HUB], Weak<Client>>>> = Mutex::new(None);

/// A connection to a process that exports.
#[derive(Debug)]
struct Client {
    channel: Channel,
    end: Option<OwnedFd>,
    /// One request at a time. The end of a lease needs no turn, because nothing answers it.
    turn: Mutex<()>,
    /// Whether an answer did not arrive whole.
    is_out_of_step: AtomicBool,
}

/// Memory of another process is used here as long as this lives.
#[derive(Debug)]
struct RemoteLease {
    client: Arc<Client>,
    number: u64,
}

impl Drop for RemoteLease {
    fn drop(&mut self) {
        let request = Request::Release {
            lease: self.number,
            at: crate::acl::event::monotonic(),
        };
        // If the owner is gone nobody has to know.
        drop(self.client.channel.send(&request.encode(), &[]));
    }
}

/// What keeps imported memory: dropped, never looked at.
#[derive(Debug)]
#[expect(dead_code, reason = "dropped with the memory")]
enum Kept {
    Remote(RemoteLease),
    Own(Lease),
}

/// Memory that was imported.
#[derive(Debug)]
pub(crate) struct ImportedMemory {
    pub(crate) pages: SharedPages,
    /// What it is where it comes from.
    pub(crate) request: PhysicalRequest,
    /// Bytes of the pages in front of it.
    pub(crate) skip: u64,
    /// What keeps it.
    pub(crate) keep: Keeper,
}

/// What another process answered.
enum Answered {
    Memory(ImportedMemory),
    Object(u8, u32, Option<OwnedFd>),
}

fn gone(reason: &str) -> CallError {
    CallError::coded(
        abi::ACL_ERROR_RT_DRV_INTERNAL_ERROR,
        format!("the process that exported it {reason}"),
    )
}

/// What an error of the connection means.
fn broken(error: &io::Error) -> CallError {
    match error.kind() {
        io::ErrorKind::TimedOut => gone("does not answer"),
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionRefused => gone("has ended"),
        io::ErrorKind::PermissionDenied => gone("belongs to another user"),
        _ => gone(&format!("cannot be asked: {error}")),
    }
}

/// The connection to a process.
fn client(name: [u8; HUB]) -> Result<Arc<Client>, CallError> {
    let mut clients = CLIENTS.lock();
    let clients = clients.get_or_insert_default();
    let known = clients.get(&name).and_then(Weak::upgrade);
    if let Some(known) = known.filter(|known| !known.is_out_of_step.load(Ordering::Relaxed)) {
        return Ok(known);
    }
    let connect = || -> io::Result<Client> {
        let channel = Channel::connect(&socket_name(name))?;
        let peer = channel.peer()?;
        if peer.user != super::signal::user() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(Client {
            end: end_of(peer.process),
            channel,
            turn: Mutex::new(()),
            is_out_of_step: AtomicBool::new(false),
        })
    };
    let client = Arc::new(connect().map_err(|error| broken(&error))?);
    clients.retain(|_, known| known.strong_count() > 0);
    clients.insert(name, Arc::downgrade(&client));
    Ok(client)
}

impl Client {
    /// The next message, or an error if the other process ends first.
    fn receive(&self, deadline: Instant) -> io::Result<Message> {
        let mut sources = vec![self.channel.as_fd()];
        sources.extend(self.end.as_ref().map(AsFd::as_fd));
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let ready = wait_for_any(&sources, Some(left))?;
            // What was said before the end counts.
            if ready[0] || left.is_zero() {
                return self.channel.receive(Some(Instant::now()));
            }
            if ready.get(1) == Some(&true) {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn ask(self: &Arc<Self>, request: Request) -> Result<Answered, CallError> {
        let _turn = self.turn.lock();
        // Unless the whole answer arrives: what is left of it would be taken for the next one's.
        let was = self.is_out_of_step.swap(true, Ordering::Relaxed);
        let answered = self.ask_in_turn(request)?;
        self.is_out_of_step.store(was, Ordering::Relaxed);
        answered
    }

    /// The answer; the outer error is one after which the connection is of no use.
    fn ask_in_turn(
        self: &Arc<Self>,
        request: Request,
    ) -> Result<Result<Answered, CallError>, CallError> {
        let deadline = Instant::now() + PATIENCE;
        let strange = || gone("answers what this version of Millpond does not understand");
        let asked = self.channel.send(&request.encode(), &[]);
        asked.map_err(|error| broken(&error))?;
        let next = || self.receive(deadline).map_err(|error| broken(&error));
        let message = next()?;
        let descriptor = message.descriptors.into_iter().next();
        match Answer::decode(&message.bytes).ok_or_else(strange)? {
            Answer::Refused { code, reason } => Ok(Err(CallError::coded(code, reason))),
            Answer::Object { kind, place } => Ok(Ok(Answered::Object(kind, place, descriptor))),
            Answer::Memory {
                lease,
                skip,
                parts,
                request,
                bus,
            } => {
                // From here on the owner keeps the pages until this lease ends.
                let keep = RemoteLease {
                    client: Arc::clone(self),
                    number: lease,
                };
                let (mut found, mut handles) = (Vec::new(), Vec::new());
                while found.len() < parts as usize {
                    let message = next()?;
                    handles.extend(message.descriptors);
                    let some = wire::decode_parts(&message.bytes);
                    if some.is_empty() {
                        return Err(strange());
                    }
                    found.extend(some);
                }
                Ok(Ok(Answered::Memory(ImportedMemory {
                    pages: SharedPages {
                        source: match bus {
                            Some(bus) => PagesOf::Gpu { bus, handles },
                            None => PagesOf::File(descriptor.ok_or_else(strange)?),
                        },
                        parts: found,
                    },
                    request,
                    skip,
                    keep: Box::new(Kept::Remote(keep)),
                })))
            }
        }
    }
}

fn by_key(key: &Key, wanted: Wanted, arena: ArenaId) -> Result<Answered, CallError> {
    let request = Request::Key {
        process: std::process::id().cast_signed(),
        key: *key,
        wanted,
        arena,
    };
    client(Hub::name_in(key))?.ask(request)
}

/// Imports memory that any process exported under a key.
pub(crate) fn import_memory(key: &Key) -> Result<ImportedMemory, CallError> {
    let own = hub()?;
    if Hub::name_in(key) != own.name {
        return match by_key(key, Wanted::Memory, [0; 16])? {
            Answered::Memory(memory) => Ok(memory),
            Answered::Object(..) => Err(unknown_key()),
        };
    }
    let exported = own.own(key).ok_or_else(unknown_key)?;
    exported.check(Wanted::Memory)?;
    let Exported::Memory(range) = exported else {
        return Err(unknown_key());
    };
    let lent = process::runtime()?.lend(&range)?;
    Ok(ImportedMemory {
        pages: lent.pages,
        request: lent.request,
        skip: lent.skip,
        keep: Box::new(Kept::Own(lent.lease)),
    })
}

/// Imports an event or a notification that any process exported under a key.
pub(crate) fn import_object(key: &Key, kind: SignalKind) -> Result<Signal, CallError> {
    let wanted = Wanted::Object(kind);
    let own = hub()?;
    let name = Hub::name_in(key);
    if name == own.name {
        let exported = own.own(key).ok_or_else(unknown_key)?;
        exported.check(wanted)?;
        return match exported {
            Exported::Object(signal) => Ok(signal.again()),
            Exported::Memory(_) => Err(unknown_key()),
        };
    }
    Signal::open(name, |known| match by_key(key, wanted, known)? {
        Answered::Object(kind, place, memory) => Ok((kind, place, memory)),
        Answered::Memory(_) => Err(unknown_key()),
    })
}

/// Imports physical memory of another process by its number; `None` if it is this process's own.
pub(crate) fn import_number(number: u64) -> Result<Option<ImportedMemory>, CallError> {
    let name = Hub::name_in_number(number);
    if name == [0; HUB] || name == hub()?.name {
        return Ok(None);
    }
    let request = Request::Number {
        process: std::process::id().cast_signed(),
        number,
    };
    let client = client(name).map_err(|error| {
        CallError::coded(
            abi::ACL_ERROR_RT_PARAM_INVALID,
            format!("{number:#x} names no physical memory, or {error}"),
        )
    })?;
    match client.ask(request)? {
        Answered::Memory(memory) => Ok(Some(memory)),
        Answered::Object(..) => Err(unknown_key()),
    }
}
