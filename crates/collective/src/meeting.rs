//! How the ranks of a communicator find each other.
//!
//! One rank's process hosts the meeting at a name that only the invitation tells. Every rank connects, says who it is, and gets the
//! shared segment once all are there. It enters, says so, and may go on when all have entered. A rank that does not come, comes twice,
//! expects another number of ranks or ends in the middle is named to all who wait.
//!
//! Ranks of other machines come through the door of the host's process (`machines/door.rs`). If there are any, each machine gets a
//! segment of its own and the machines are connected before the ranks go on (`machines/assembly.rs`).

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use millpond_sharing::{Channel, Listener, Segment, hex, random_id, spawn};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::board::{Board, Shape};
use crate::communicator::Host;
use crate::communicator::{Communicator, Settings};
use crate::hub::Hub;
use crate::machines::address::number;
use crate::machines::assembly::{Arrival, Directions, Entry, Road, Table, assemble};
use crate::machines::door;
use crate::machines::wire::{Reader, Writer};

/// What the other ranks need in order to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invitation {
    id: [u8; 16],
    /// The machine of the process that opened it, and where other machines reach that.
    machine: [u8; 16],
    address: Option<SocketAddr>,
    /// Why there is no such address, as text.
    why: [u8; 256],
}

/// Who joins.
#[derive(Debug, Clone)]
pub struct Member {
    /// How many ranks there will be.
    pub ranks: u32,
    /// Which of them this is.
    pub rank: u32,
    /// How long to wait for the others.
    pub patience: Duration,
    /// Settings of the communicator; the name is the same on all ranks.
    pub settings: Settings,
}

/// Why ranks did not meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeetingError {
    /// Not all came in time.
    TimedOut(String),
    /// Ranks contradict each other.
    Inconsistent(String),
    /// A process that takes part has ended.
    Ended(String),
    /// The system refused something.
    System(String),
    /// Machines cannot be connected.
    Network(String),
    /// The port at which other machines expect this one is not free.
    Port(String),
    /// What connects machines is not installed.
    Unavailable(String),
}

impl fmt::Display for MeetingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::TimedOut(text)
        | Self::Inconsistent(text)
        | Self::Ended(text)
        | Self::System(text)
        | Self::Network(text)
        | Self::Port(text)
        | Self::Unavailable(text)) = self;
        f.write_str(text)
    }
}

impl From<io::Error> for MeetingError {
    fn from(error: io::Error) -> Self {
        if matches!(
            error.kind(),
            io::ErrorKind::BrokenPipe
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::UnexpectedEof
        ) {
            return Self::Ended(
                "EI0006: the process that coordinates the new communicator has ended".to_owned(),
            );
        }
        Self::System(format!("cannot connect the ranks: {error}"))
    }
}

/// Longer than the host takes to answer when the time is up there.
const GRACE: Duration = Duration::from_secs(5);
const MAGIC: [u8; 4] = *b"MPR2";

impl Invitation {
    /// Bytes of an invitation.
    pub const BYTES: usize = 512;

    /// Opens a meeting in this process, and returns what the other ranks need.
    pub fn open(hub: &Arc<Hub>) -> Result<Self, MeetingError> {
        // Ranks of this machine do not need it: only those of other machines learn why it is missing.
        Self::opened(
            hub,
            match hub.exchange().network.closed {
                Some(why) => Err(why.to_owned()),
                None => hub.exchange().door(),
            },
        )
    }

    /// The same for ranks of this machine only.
    pub fn open_here(hub: &Arc<Hub>) -> Result<Self, MeetingError> {
        Self::opened(hub, Err("it is for ranks of one process".to_owned()))
    }

    fn opened(hub: &Arc<Hub>, opened: Result<SocketAddr, String>) -> Result<Self, MeetingError> {
        let exchange = hub.exchange();
        let mut invitation = Self {
            id: random_id()?,
            machine: number(&exchange.network.machine),
            address: opened.as_ref().ok().copied(),
            why: [0; 256],
        };
        if let Err(why) = opened {
            let length = why.len().min(invitation.why.len());
            invitation.why[..length].copy_from_slice(&why.as_bytes()[..length]);
        }
        host(hub, &invitation.name(), invitation.id, false)?;
        Ok(invitation)
    }

    /// A random number: no two invitations have the same.
    pub fn id(&self) -> [u8; 16] {
        self.id
    }

    /// As bytes that can be copied anywhere.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut writer = Writer::default();
        writer.id(&self.id).id(&self.machine);
        let address = self.address.map(|address| address.to_string());
        writer
            .text(address.unwrap_or_default().as_bytes())
            .text(&self.why);
        let mut bytes = [0; Self::BYTES];
        let length = writer.0.len().min(Self::BYTES);
        bytes[..length].copy_from_slice(&writer.0[..length]);
        bytes
    }

    /// From those bytes.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut reader = Reader(bytes);
        let id = reader.id().unwrap_or_default();
        let machine = reader.id().unwrap_or_default();
        let address = reader.text().and_then(|text| text.parse().ok());
        let why = reader.bytes().and_then(|why| why.try_into().ok());
        Self {
            id,
            machine,
            address,
            why: why.unwrap_or([0; 256]),
        }
    }

    fn name(&self) -> String {
        format!("millpond-ranks-{}", hex(&self.id))
    }
}

/// Joins a meeting, and returns when all ranks have.
pub fn join(
    hub: &Arc<Hub>,
    invitation: Invitation,
    member: Member,
) -> Result<Arc<Communicator>, MeetingError> {
    let refused = || {
        MeetingError::Ended(
            "EI0006: invalid root info: the process that created it has ended, or its communicator is already complete. \
             Call HcclGetRootInfo once for each communicator, on one rank, and pass the result to all ranks"
                .to_owned(),
        )
    };
    let network = &hub.exchange().network;
    let road = if invitation.machine == number(&network.machine) {
        let channel = Channel::connect(&invitation.name()).map_err(|error| {
            if error.kind() == io::ErrorKind::ConnectionRefused {
                refused()
            } else {
                error.into()
            }
        })?;
        Road::Near(channel)
    } else {
        let Some(address) = invitation.address else {
            let why = invitation.why.split(|byte| *byte == 0).next();
            return Err(MeetingError::Unavailable(format!(
                "EI0006: the root info was created on another machine, which other machines cannot reach: {}",
                String::from_utf8_lossy(why.unwrap_or_default())
            )));
        };
        let deadline = Instant::now() + member.patience;
        let name = invitation.name();
        let visited = door::visit(address, &name, Duration::ZERO, deadline, network.heartbeat);
        Road::Far(visited.map_err(|error| {
            if error.kind() == io::ErrorKind::ConnectionRefused {
                refused()
            } else {
                unreachable_root(address, &error)
            }
        })?)
    };
    enter(hub, &road, invitation.id, member)
}

fn unreachable_root(address: SocketAddr, error: &io::Error) -> MeetingError {
    MeetingError::Network(format!(
        "EI0006: cannot reach rank 0 at {address}: {error}. HCCL_IF_IP or HCCL_SOCKET_IFNAME on its machine choose the address"
    ))
}

/// Joins a meeting whose name all ranks know. Rank 0 hosts it.
pub fn join_named(
    hub: &Arc<Hub>,
    name: &str,
    member: Member,
) -> Result<Arc<Communicator>, MeetingError> {
    join_named_at(hub, name, None, member)
}

/// The same if rank 0 may be on another machine: `host` says where.
pub fn join_named_at(
    hub: &Arc<Hub>,
    name: &str,
    host_of: Option<Host>,
    member: Member,
) -> Result<Arc<Communicator>, MeetingError> {
    let name = format!("millpond-ranks-{name}");
    let deadline = Instant::now() + member.patience;
    let late = |error: &io::Error| error.kind() == io::ErrorKind::TimedOut;
    let timed_out = || {
        MeetingError::TimedOut(format!(
            "EI0006: Getting socket times out: rank 0 did not join within {} s",
            member.patience.as_secs()
        ))
    };
    // For a rank table: the door that other machines expect.
    let mut expected_door = None;
    if member.rank == 0 {
        if let Some(host) = host_of
            && hub.exchange().door().ok() != Some(host.address)
        {
            let opened = hub.exchange().second_door(host.address);
            expected_door = Some(opened.map_err(|why| {
                MeetingError::Port(format!("EI0006: {why}. HCCL_IF_BASE_PORT and HCCL_HOST_SOCKET_PORT_RANGE choose the ports"))
            })?);
        }
        host(hub, &name, random_id()?, true).map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => MeetingError::Inconsistent(format!(
                "EI0006: another job, or another rank 0, already uses the name {name}"
            )),
            _ => error.into(),
        })?;
    }
    let road = match host_of {
        Some(host) if !host.is_here => {
            let heartbeat = hub.exchange().network.heartbeat;
            // Rank 0 may come later than this one.
            loop {
                const PAUSE: Duration = Duration::from_millis(100);
                match door::visit(host.address, &name, member.patience, deadline, heartbeat) {
                    Ok(wire) => break Road::Far(wire),
                    Err(error) if Instant::now() + PAUSE >= deadline => {
                        return Err(if late(&error) {
                            timed_out()
                        } else {
                            unreachable_root(host.address, &error)
                        });
                    }
                    Err(_) => std::thread::sleep(PAUSE),
                }
            }
        }
        _ => Road::Near(
            Channel::connect_until(&name, Some(deadline)).map_err(|error| {
                if late(&error) {
                    timed_out()
                } else {
                    error.into()
                }
            })?,
        ),
    };
    let joined = enter(hub, &road, [0; 16], member);
    drop(expected_door);
    joined
}

fn enter(
    hub: &Arc<Hub>,
    road: &Road,
    expected: [u8; 16],
    member: Member,
) -> Result<Arc<Communicator>, MeetingError> {
    let deadline = Instant::now() + member.patience + GRACE;
    let exchange = hub.exchange();
    let hello = Hello {
        ranks: member.ranks,
        rank: member.rank,
        patience: member.patience,
        name: member.settings.name.clone(),
        process: std::process::id(),
        machine: number(&exchange.network.machine),
        host: exchange.network.host.clone(),
        hub: exchange.id,
        live: exchange.live(),
    };
    road.send(&hello.write())?;
    let (id, descriptor) = match answer(road, deadline)? {
        Answer::Meet(id, descriptor) => (id, descriptor),
        Answer::Apart(id, table) => {
            if expected != [0; 16] && id != expected {
                return Err(unexpected());
            }
            return assemble(hub, road, id, &table, member, deadline);
        }
        Answer::Go | Answer::Links(_) => return Err(unexpected()),
    };
    if expected != [0; 16] && id != expected {
        return Err(unexpected());
    }
    let segment = hub.segment(id, Some(descriptor), || Err(io::ErrorKind::NotFound.into()))?;
    let rank = member.rank as usize;
    let board = Board::new(segment, member.ranks as usize).ok_or_else(unexpected)?;
    board.segment().claim(rank as u64)?;
    let device = member.settings.device.map_or(0, |device| device + 1);
    board
        .device(rank)
        .store(device, std::sync::atomic::Ordering::Relaxed);
    board.enter(rank, std::process::id(), hub.bell());
    // A host that has given up has said why before it closed.
    let said = road.send(b"entered");
    let answer = answer(road, deadline)?;
    said?;
    match answer {
        Answer::Go => {
            let communicator = Communicator::new(board, rank, id, member.settings, hub);
            hub.meet(&communicator);
            Ok(communicator)
        }
        Answer::Meet(..) | Answer::Apart(..) | Answer::Links(_) => Err(unexpected()),
    }
}

pub(crate) fn unexpected() -> MeetingError {
    MeetingError::System(
        "unexpected reply from the process that coordinates the new communicator: all ranks must use the same version of Millpond".to_owned(),
    )
}

/// What the host says.
pub(crate) enum Answer {
    /// All are here, and this is the segment.
    Meet([u8; 16], std::os::fd::OwnedFd),
    /// All are here, on several machines.
    Apart([u8; 16], Table),
    /// How the machines are connected.
    Links(Directions),
    Go,
}

pub(crate) fn answer(road: &Road, deadline: Instant) -> Result<Answer, MeetingError> {
    let message = road
        .receive(deadline)
        .map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => {
                MeetingError::TimedOut(
                    "EI0006: Getting socket times out: no reply from the process that coordinates the new communicator"
                        .to_owned(),
                )
            }
            _ => error.into(),
        })?;
    let text = || String::from_utf8_lossy(&message.bytes[1..]).into_owned();
    match message.bytes.first() {
        Some(b'M') => {
            let id = message.bytes.get(1..17).and_then(|id| id.try_into().ok());
            match (id, message.descriptors.into_iter().next()) {
                (Some(id), Some(descriptor)) => Ok(Answer::Meet(id, descriptor)),
                _ => Err(unexpected()),
            }
        }
        Some(b'A') => {
            let mut reader = Reader(&message.bytes[1..]);
            let read = (|| Some((reader.id()?, Table::read(&mut reader)?)))();
            let (id, table) = read.ok_or_else(unexpected)?;
            Ok(Answer::Apart(id, table))
        }
        Some(b'L') => match Directions::read(&message.bytes) {
            Some(directions) => Ok(Answer::Links(directions)),
            None => Err(unexpected()),
        },
        Some(b'G') => Ok(Answer::Go),
        Some(b'N') => Err(MeetingError::Network(text())),
        Some(b'U') => Err(MeetingError::Unavailable(text())),
        Some(b'T') => Err(MeetingError::TimedOut(text())),
        Some(b'I') => Err(MeetingError::Inconsistent(text())),
        Some(b'E') => Err(MeetingError::Ended(text())),
        Some(b'S') => Err(MeetingError::System(text())),
        _ => Err(unexpected()),
    }
}

/// What a rank says first.
struct Hello {
    ranks: u32,
    rank: u32,
    patience: Duration,
    name: String,
    process: u32,
    machine: [u8; 16],
    host: String,
    hub: [u8; 16],
    /// The processes that this one is connected to.
    live: Vec<[u8; 16]>,
}

impl Hello {
    fn write(&self) -> Vec<u8> {
        let mut writer = Writer(MAGIC.to_vec());
        let patience = u64::try_from(self.patience.as_millis()).unwrap_or(u64::MAX);
        writer
            .word(self.ranks as usize)
            .word(self.rank as usize)
            .long(patience)
            .text(self.name.as_bytes())
            .word(self.process as usize)
            .id(&self.machine)
            .text(self.host.as_bytes())
            .id(&self.hub)
            .word(self.live.len());
        for hub in &self.live {
            writer.id(hub);
        }
        writer.0
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes.strip_prefix(&MAGIC)?);
        let mut hello = Self {
            ranks: u32::try_from(reader.word()?).ok()?,
            rank: u32::try_from(reader.word()?).ok()?,
            patience: Duration::from_millis(reader.long()?),
            name: reader.text()?,
            process: u32::try_from(reader.word()?).ok()?,
            machine: reader.id()?,
            host: reader.text()?,
            hub: reader.id()?,
            live: Vec::new(),
        };
        for _ in 0..reader.word()? {
            hello.live.push(reader.id()?);
        }
        Some(hello)
    }
}

/// Starts the host's thread. It ends when the meeting is over.
fn host(hub: &Arc<Hub>, name: &str, id: [u8; 16], is_named: bool) -> io::Result<()> {
    let meeting = Meeting {
        listener: Some(Listener::bind(name)?),
        is_named,
        is_given_up: false,
        id,
        guests: Vec::new(),
        segment: None,
        connecting: Connecting::No,
        failure: None,
        hub: Arc::clone(hub),
    };
    spawn("millpond-meet", move || meeting.run())
}

/// What ranks on several machines know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Connecting {
    /// Nothing, or all ranks are on one machine.
    No,
    /// Who is on which machine.
    Apart,
    /// How to connect.
    Directed,
}

struct Meeting {
    /// Gone once the ranks go on: the name is free for the next meeting.
    listener: Option<Listener>,
    /// Whether the name is one that ranks use again, so that a meeting that fails must not keep it.
    is_named: bool,
    /// Whether nobody will come any more, or nobody shall.
    is_given_up: bool,
    id: [u8; 16],
    guests: Vec<Guest>,
    segment: Option<Arc<Segment>>,
    /// How far ranks on several machines have come.
    connecting: Connecting,
    /// Why it cannot succeed any more: told to everyone who still comes.
    failure: Option<(u8, String)>,
    hub: Arc<Hub>,
}

struct Guest {
    channel: Channel,
    hello: Option<Hello>,
    process: i32,
    deadline: Option<Instant>,
    entered: bool,
    /// With ranks on several machines: what it said when it entered, and whether its machine is connected.
    arrival: Arrival,
    linked: bool,
}

impl Guest {
    fn say(&self, kind: u8, text: &str) {
        let mut bytes = vec![kind];
        bytes.extend(text.as_bytes());
        // One that is gone needs no answer.
        drop(self.channel.send(&bytes, &[]));
    }
}

impl Meeting {
    fn run(mut self) {
        while !self.is_over() {
            let Ok(ready) = self.wait() else { return };
            let now = Instant::now();
            for index in ready.into_iter().rev() {
                match index {
                    0 => self.welcome(),
                    guest => self.hear(guest - 1),
                }
            }
            self.give_up(now);
            self.proceed();
        }
    }

    /// Which sources have something to say: 0 is the listener, the others are guests.
    fn wait(&self) -> io::Result<Vec<usize>> {
        let first = self.guests.iter().filter_map(|guest| guest.deadline).min();
        let left = first.map(|at| at.saturating_duration_since(Instant::now()));
        let limit = left.and_then(|left| Timespec::try_from(left).ok());
        let listener = self.listener.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        let mut sources = vec![PollFd::from_borrowed_fd(listener.as_fd(), PollFlags::IN)];
        for guest in &self.guests {
            sources.push(PollFd::from_borrowed_fd(
                guest.channel.as_fd(),
                PollFlags::IN,
            ));
        }
        match poll(&mut sources, limit.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = sources.iter().enumerate();
        Ok(ready
            .filter(|(_, source)| !source.revents().is_empty())
            .map(|(index, _)| index)
            .collect())
    }

    fn welcome(&mut self) {
        let accepted = self
            .listener
            .as_ref()
            .map(|listener| listener.accept(Some(Instant::now())));
        if let Some(Ok(channel)) = accepted {
            let process = channel.peer().map_or(0, |peer| peer.process);
            self.guests.push(Guest {
                channel,
                hello: None,
                process,
                deadline: None,
                entered: false,
                arrival: Arrival::default(),
                linked: false,
            });
        }
    }

    fn hear(&mut self, index: usize) {
        // An earlier one may have ended the meeting for all.
        let Some(guest) = self.guests.get_mut(index) else {
            return;
        };
        match guest.channel.receive(Some(Instant::now())) {
            Ok(message) if guest.hello.is_none() => match Hello::read(&message.bytes) {
                Some(hello) => {
                    guest.process = i32::try_from(hello.process).unwrap_or(0);
                    guest.deadline = Instant::now().checked_add(hello.patience);
                    guest.hello = Some(hello);
                    self.admit(index);
                }
                None => drop(self.guests.remove(index)),
            },
            Ok(message) => match message.bytes.split_first() {
                Some((b'F', rest)) => {
                    let kind = if rest.first() == Some(&b'U') {
                        b'U'
                    } else {
                        b'N'
                    };
                    let text = String::from_utf8_lossy(rest.get(1..).unwrap_or_default());
                    self.end(kind, &text);
                }
                _ if guest.entered => guest.linked = true,
                _ => {
                    guest.entered = true;
                    if let Some(arrival) = Arrival::read(&message.bytes) {
                        guest.arrival = arrival;
                    }
                }
            },
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
            Err(_) => self.lose(index),
        }
    }

    /// Compares a new guest with those who are there.
    fn admit(&mut self, index: usize) {
        if let Some((kind, text)) = &self.failure {
            self.guests.remove(index).say(*kind, text);
            return;
        }
        let guest = &self.guests[index];
        let Some(hello) = &guest.hello else { return };
        let mut others = self.guests.iter().enumerate();
        let problem = others.find_map(|(other, there)| {
            let known = there.hello.as_ref().filter(|_| other != index)?;
            if known.ranks != hello.ranks {
                return Some(format!(
                    "rank {} (pid {}) expects {} ranks, rank {} (pid {}) expects {}",
                    known.rank, there.process, known.ranks, hello.rank, guest.process, hello.ranks
                ));
            }
            if known.name != hello.name {
                return Some(format!(
                    "rank {} calls the communicator '{}', rank {} calls it '{}'",
                    known.rank, known.name, hello.rank, hello.name
                ));
            }
            (known.rank == hello.rank).then(|| {
                format!(
                    "rank {} came twice: from pid {} and from pid {}",
                    hello.rank, there.process, guest.process
                )
            })
        });
        if let Some(problem) = problem {
            let text = format!("EI0005: the ranks of a communicator disagree: {problem}");
            self.end(b'I', &text);
        }
    }

    /// A guest has gone.
    fn lose(&mut self, index: usize) {
        let guest = self.guests.remove(index);
        if let Some(hello) = guest.hello
            && !self.guests.is_empty()
        {
            let text = format!(
                "EI0006: rank {} (pid {}) ended before all ranks had joined communicator {}",
                hello.rank, guest.process, hello.name
            );
            self.end(b'E', &text);
        }
    }

    /// Answers those whose time is up.
    fn give_up(&mut self, now: Instant) {
        let is_late = |guest: &Guest| guest.deadline.is_some_and(|at| at <= now);
        let Some(hello) = self
            .guests
            .iter()
            .find(|guest| is_late(guest))
            .and_then(|guest| guest.hello.as_ref())
        else {
            return;
        };
        let here = |rank: u32| {
            let ranks = self.guests.iter().filter_map(|guest| guest.hello.as_ref());
            ranks.into_iter().any(|hello| hello.rank == rank)
        };
        let missing: Vec<String> = (0..hello.ranks)
            .filter(|&rank| !here(rank))
            .map(|rank| rank.to_string())
            .collect();
        let text = format!(
            "EI0006: Getting socket times out: communicator {} waited {} s for rank {} of {}. Check that every rank joins the communicator; \
             HCCL_CONNECT_TIMEOUT sets the limit",
            hello.name,
            hello.patience.as_secs(),
            missing.join(", "),
            hello.ranks
        );
        let (late, waiting) = std::mem::take(&mut self.guests)
            .into_iter()
            .partition(is_late);
        self.guests = waiting;
        let late: Vec<Guest> = late;
        // Rank 0 hosts a named meeting, and may call it again.
        self.is_given_up = self.is_named
            && late
                .iter()
                .any(|guest| guest.hello.as_ref().is_some_and(|hello| hello.rank == 0));
        if self.is_given_up {
            self.listener = None;
        }
        for guest in late {
            guest.say(b'T', &text);
        }
    }

    /// Ends the meeting for all who wait.
    fn end(&mut self, kind: u8, text: &str) {
        if self.is_named {
            self.is_given_up = true;
            self.listener = None;
        }
        for guest in self.guests.drain(..) {
            guest.say(kind, text);
        }
        self.segment = None;
        self.failure = Some((kind, text.to_owned()));
    }

    fn proceed(&mut self) {
        let hellos = self.guests.iter().filter_map(|guest| guest.hello.as_ref());
        let Some(ranks) = hellos.clone().map(|hello| hello.ranks as usize).next() else {
            return;
        };
        if hellos.clone().count() < ranks {
            return;
        }
        let mut machines = hellos.map(|hello| hello.machine);
        let first = machines.next();
        if machines.any(|machine| Some(machine) != first) {
            self.connect();
            return;
        }
        if self.segment.is_none() {
            let bytes = Shape::new(ranks).bytes();
            let made = self
                .hub
                .segment(self.id, None, || Segment::create("millpond-ranks", bytes));
            match made {
                Ok(segment) => self.segment = Some(segment),
                Err(error) => {
                    let text = format!(
                        "cannot allocate {bytes} bytes of shared memory for {ranks} ranks: {error}"
                    );
                    self.end(b'S', &text);
                    return;
                }
            }
            let mut meet = vec![b'M'];
            meet.extend(self.id);
            for guest in &self.guests {
                if let Some(segment) = &self.segment {
                    // One that is gone is noticed when it is heard next.
                    drop(guest.channel.send(&meet, &[segment.descriptor()]));
                }
            }
        }
        if self.guests.iter().all(|guest| guest.entered) {
            // Before anyone goes on: a rank that makes the next communicator of this name must not find this meeting.
            self.listener = None;
            for guest in self.guests.drain(..) {
                guest.say(b'G', "");
            }
        }
    }

    /// All ranks are here, on several machines: takes them through `machines/assembly.rs`.
    fn connect(&mut self) {
        let hello = |guest: &Guest| guest.hello.as_ref().map_or(0, |hello| hello.rank);
        self.guests.sort_by_key(hello);
        if self.connecting == Connecting::No {
            self.connecting = Connecting::Apart;
            let mut message = Writer(vec![b'A']);
            message.id(&self.id);
            self.table().write(&mut message);
            for guest in &self.guests {
                // One that is gone is noticed when it is heard next.
                drop(guest.channel.send(&message.0, &[]));
            }
        }
        if !self.guests.iter().all(|guest| guest.entered) {
            return;
        }
        if self.connecting == Connecting::Apart {
            self.connecting = Connecting::Directed;
            let table = self.table();
            let doors: Vec<Option<SocketAddr>> =
                self.guests.iter().map(|guest| guest.arrival.door).collect();
            for (rank, guest) in self.guests.iter().enumerate() {
                let own = table.ranks[rank].machine;
                let directions = Directions {
                    doors: doors.clone(),
                    halves: self
                        .guests
                        .iter()
                        .zip(&table.ranks)
                        .flat_map(|(other, entry)| {
                            let halves = other.arrival.halves.iter();
                            halves
                                .filter(|(to, _)| *to == own)
                                .map(|(_, half)| (entry.machine, half.clone()))
                        })
                        .collect(),
                };
                drop(guest.channel.send(&directions.write(), &[]));
            }
        }
        if self.guests.iter().all(|guest| guest.linked) {
            self.listener = None;
            for guest in self.guests.drain(..) {
                guest.say(b'G', "");
            }
        }
    }

    /// Who is on which machine. The guests are in the order of their ranks.
    fn table(&self) -> Table {
        let mut table = Table::default();
        let mut machines: Vec<&Hello> = Vec::new();
        for hello in self.guests.iter().filter_map(|guest| guest.hello.as_ref()) {
            let known = machines.iter().position(|it| it.machine == hello.machine);
            let machine = known.unwrap_or_else(|| {
                machines.push(hello);
                machines.len() - 1
            });
            table.ranks.push(Entry {
                machine,
                process: hello.process,
                hub: hello.hub,
            });
        }
        table.hosts = machines.iter().map(|it| it.host.clone()).collect();
        for (one, first) in machines.iter().enumerate() {
            for (other, second) in machines.iter().enumerate().skip(one + 1) {
                if first.live.contains(&second.hub) && second.live.contains(&first.hub) {
                    table.connected.push((one, other));
                }
            }
        }
        table
    }

    /// Whether every rank has its answer, or the meeting was given up.
    fn is_over(&self) -> bool {
        self.is_given_up
            || ((self.segment.is_some() || self.connecting != Connecting::No)
                && self.guests.is_empty())
    }
}
