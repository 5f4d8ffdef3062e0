//! How the ranks of a communicator find each other.
//!
//! One rank's process hosts the meeting at a name that only the invitation tells. Every rank connects, says who it is, and gets the
//! shared segment once all are there. It enters, says so, and may go on when all have entered. A rank that does not come, comes twice,
//! expects another number of ranks or ends in the middle is named to all who wait.

use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use millpond_sharing::{Channel, Listener, Segment, hex, random_id, spawn};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::board::{Board, Shape};
use crate::communicator::{Communicator, Settings};
use crate::hub::Hub;

/// What the other ranks need in order to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invitation {
    id: [u8; 16],
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
}

impl fmt::Display for MeetingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::TimedOut(text)
        | Self::Inconsistent(text)
        | Self::Ended(text)
        | Self::System(text)) = self;
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
const MAGIC: [u8; 4] = *b"MPR1";

impl Invitation {
    /// Opens a meeting in this process, and returns what the other ranks need.
    pub fn open(hub: &Arc<Hub>) -> Result<Self, MeetingError> {
        let invitation = Self { id: random_id()? };
        host(hub, &invitation.name(), invitation.id, false)?;
        Ok(invitation)
    }

    /// As bytes that can be copied anywhere.
    pub fn to_bytes(self) -> [u8; 16] {
        self.id
    }

    /// From those bytes.
    pub fn from_bytes(id: [u8; 16]) -> Self {
        Self { id }
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
    let channel = Channel::connect(&invitation.name()).map_err(|error| {
        if error.kind() == io::ErrorKind::ConnectionRefused {
            MeetingError::Ended(
                "EI0006: invalid root info: the process that created it has ended or runs on another machine, or its communicator is already complete. \
                 Call HcclGetRootInfo once for each communicator, on one rank, and pass the result to all ranks"
                    .to_owned(),
            )
        } else {
            error.into()
        }
    })?;
    enter(hub, &channel, invitation.id, member)
}

/// Joins a meeting whose name all ranks know. Rank 0 hosts it.
pub fn join_named(
    hub: &Arc<Hub>,
    name: &str,
    member: Member,
) -> Result<Arc<Communicator>, MeetingError> {
    let name = format!("millpond-ranks-{name}");
    let deadline = Instant::now() + member.patience;
    if member.rank == 0 {
        host(hub, &name, random_id()?, true).map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => MeetingError::Inconsistent(format!(
                "EI0006: another job, or another rank 0, already uses the name {name}"
            )),
            _ => error.into(),
        })?;
    }
    let channel = Channel::connect_until(&name, Some(deadline)).map_err(|error| {
        if error.kind() == io::ErrorKind::TimedOut {
            MeetingError::TimedOut(format!(
                "EI0006: Getting socket times out: rank 0 did not join within {} s",
                member.patience.as_secs()
            ))
        } else {
            error.into()
        }
    })?;
    enter(hub, &channel, [0; 16], member)
}

fn enter(
    hub: &Arc<Hub>,
    channel: &Channel,
    expected: [u8; 16],
    member: Member,
) -> Result<Arc<Communicator>, MeetingError> {
    let deadline = Instant::now() + member.patience + GRACE;
    let hello = Hello {
        ranks: member.ranks,
        rank: member.rank,
        patience: member.patience,
        name: member.settings.name.clone(),
    };
    channel.send(&hello.write(), &[])?;
    let (id, descriptor) = match answer(channel, deadline)? {
        Answer::Meet(id, descriptor) => (id, descriptor),
        Answer::Go => return Err(unexpected()),
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
    let said = channel.send(b"entered", &[]);
    let answer = answer(channel, deadline)?;
    said?;
    match answer {
        Answer::Go => {
            let communicator = Communicator::new(board, rank, id, member.settings, hub);
            hub.meet(&communicator);
            Ok(communicator)
        }
        Answer::Meet(..) => Err(unexpected()),
    }
}

fn unexpected() -> MeetingError {
    MeetingError::System(
        "unexpected reply from the process that coordinates the new communicator: all ranks must use the same version of Millpond".to_owned(),
    )
}

enum Answer {
    Meet([u8; 16], std::os::fd::OwnedFd),
    Go,
}

fn answer(channel: &Channel, deadline: Instant) -> Result<Answer, MeetingError> {
    let message = channel
        .receive(Some(deadline))
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
        Some(b'G') => Ok(Answer::Go),
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
}

impl Hello {
    fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.ranks.to_le_bytes());
        bytes.extend(self.rank.to_le_bytes());
        let patience = u64::try_from(self.patience.as_millis()).unwrap_or(u64::MAX);
        bytes.extend(patience.to_le_bytes());
        bytes.extend(self.name.as_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (magic, rest) = bytes.split_at_checked(4)?;
        let (ranks, rest) = rest.split_at_checked(4)?;
        let (rank, rest) = rest.split_at_checked(4)?;
        let (patience, name) = rest.split_at_checked(8)?;
        (magic == MAGIC).then_some(Self {
            ranks: u32::from_le_bytes(ranks.try_into().ok()?),
            rank: u32::from_le_bytes(rank.try_into().ok()?),
            patience: Duration::from_millis(u64::from_le_bytes(patience.try_into().ok()?)),
            name: String::from_utf8_lossy(name).into_owned(),
        })
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
        failure: None,
        hub: Arc::clone(hub),
    };
    spawn("millpond-meet", move || meeting.run())
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
                    guest.deadline = Instant::now().checked_add(hello.patience);
                    guest.hello = Some(hello);
                    self.admit(index);
                }
                None => drop(self.guests.remove(index)),
            },
            Ok(_) => guest.entered = true,
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
        if hellos.count() < ranks {
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

    /// Whether every rank has its answer, or the meeting was given up.
    fn is_over(&self) -> bool {
        self.is_given_up || (self.segment.is_some() && self.guests.is_empty())
    }
}
