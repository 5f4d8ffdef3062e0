//! How ranks of several machines meet.
//!
//! Every rank joins one meeting, in the process that hosts it (`meeting.rs`), directly or through that process's door. When all are there,
//! the host sends a table: which machine each rank is on. Then
//!
//! 1. the lowest rank of each machine makes the board of the machine, and the others of the machine get it from there;
//! 2. every rank says where its process's door is, and the lowest ones add one address for each connection that they need;
//! 3. the host passes these on, the lowest ranks connect, and when all have, everyone may go on.
//!
//! A rank that fails on the way says why to the host, which tells everyone.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use millpond_sharing::{Channel, Listener, Segment, hex, wait_for_any};

use super::engine::Pair;
use super::link::Link;
use super::relay::Bridge;
use super::wire::{Reader, Wire, Writer};
use super::{HubId, Spread, door};
use crate::board::{Board, PRESENT, Shape};
use crate::communicator::Communicator;
use crate::hub::Hub;
use crate::meeting::{Answer, MeetingError, Member, answer, unexpected};

/// How a rank reaches its meeting.
#[derive(Debug)]
pub(crate) enum Road {
    /// On this machine.
    Near(Channel),
    /// Through the door of a process on another machine.
    Far(Wire),
}

impl Road {
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Near(channel) => channel.send(bytes, &[]),
            Self::Far(wire) => wire.send(bytes),
        }
    }

    pub(crate) fn receive(&self, deadline: Instant) -> io::Result<millpond_sharing::Message> {
        match self {
            Self::Near(channel) => channel.receive(Some(deadline)),
            Self::Far(wire) => Ok(millpond_sharing::Message {
                bytes: wire.receive(Some(deadline))?,
                descriptors: Vec::new(),
            }),
        }
    }

    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        use std::os::fd::AsFd;
        match self {
            Self::Near(channel) => channel.as_fd(),
            Self::Far(wire) => wire.as_fd(),
        }
    }
}

/// What the host knows of a rank, for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) machine: usize,
    pub(crate) process: u32,
    pub(crate) hub: HubId,
}

/// Which machine each rank is on, as the host sends it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Table {
    pub(crate) ranks: Vec<Entry>,
    pub(crate) hosts: Vec<String>,
    /// Machines whose lowest ranks' processes are already connected.
    pub(crate) connected: Vec<(usize, usize)>,
}

impl Table {
    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.word(self.ranks.len());
        for entry in &self.ranks {
            writer
                .word(entry.machine)
                .word(entry.process as usize)
                .id(&entry.hub);
        }
        writer.word(self.hosts.len());
        for host in &self.hosts {
            writer.text(host.as_bytes());
        }
        writer.word(self.connected.len());
        for (one, other) in &self.connected {
            writer.word(*one).word(*other);
        }
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mut table = Self::default();
        for _ in 0..reader.word()? {
            table.ranks.push(Entry {
                machine: reader.word()?,
                process: u32::try_from(reader.word()?).ok()?,
                hub: reader.id()?,
            });
        }
        for _ in 0..reader.word()? {
            table.hosts.push(reader.text()?);
        }
        for _ in 0..reader.word()? {
            table.connected.push((reader.word()?, reader.word()?));
        }
        let machines = table.hosts.len();
        let known = |entry: &Entry| entry.machine < machines;
        table.ranks.iter().all(known).then_some(table)
    }

    fn are_connected(&self, one: usize, other: usize) -> bool {
        self.connected.contains(&(one.min(other), one.max(other)))
    }
}

/// What a rank says when it has its board: where its door is, and for its machine's lowest rank, one half connection per machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Arrival {
    pub(crate) door: Option<SocketAddr>,
    pub(crate) halves: Vec<(usize, Vec<u8>)>,
}

impl Arrival {
    fn write(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.byte(b'E').text(text_of(self.door).as_bytes());
        writer.word(self.halves.len());
        for (machine, address) in &self.halves {
            writer.word(*machine).text(address);
        }
        writer.0
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes.strip_prefix(b"E")?);
        let door = reader.text()?;
        let mut halves = Vec::new();
        for _ in 0..reader.word()? {
            halves.push((reader.word()?, reader.bytes()?.to_vec()));
        }
        Some(Self {
            door: door.parse().ok(),
            halves,
        })
    }
}

fn text_of(address: Option<SocketAddr>) -> String {
    address.map_or_else(String::new, |address| address.to_string())
}

/// What the host says when all have arrived: all doors, and the halves that belong to the receiver's machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Directions {
    pub(crate) doors: Vec<Option<SocketAddr>>,
    pub(crate) halves: Vec<(usize, Vec<u8>)>,
}

impl Directions {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.byte(b'L').word(self.doors.len());
        for door in &self.doors {
            writer.text(text_of(*door).as_bytes());
        }
        writer.word(self.halves.len());
        for (machine, address) in &self.halves {
            writer.word(*machine).text(address);
        }
        writer.0
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes.strip_prefix(b"L")?);
        let mut read = Self::default();
        for _ in 0..reader.word()? {
            read.doors.push(reader.text()?.parse().ok());
        }
        for _ in 0..reader.word()? {
            read.halves.push((reader.word()?, reader.bytes()?.to_vec()));
        }
        Some(read)
    }
}

/// Takes a rank through steps 1 to 3.
pub(crate) fn assemble(
    hub: &Arc<Hub>,
    road: &Road,
    id: [u8; 16],
    table: &Table,
    member: Member,
    deadline: Instant,
) -> Result<Arc<Communicator>, MeetingError> {
    let joining = Joining {
        hub,
        road,
        id,
        table,
        deadline,
        patience: member.patience,
    };
    joining.run(member).inspect_err(|error| {
        // Only what this rank found out itself; what the host said, everyone knows.
        if let MeetingError::Network(text) | MeetingError::Unavailable(text) = error {
            let kind = match error {
                MeetingError::Unavailable(_) => b'U',
                _ => b'N',
            };
            let mut message = vec![b'F', kind];
            message.extend(text.as_bytes());
            drop(road.send(&message));
        }
    })
}

struct Joining<'a> {
    hub: &'a Arc<Hub>,
    road: &'a Road,
    id: [u8; 16],
    table: &'a Table,
    deadline: Instant,
    patience: Duration,
}

impl Joining<'_> {
    fn run(&self, member: Member) -> Result<Arc<Communicator>, MeetingError> {
        let rank = member.rank as usize;
        let own = self.table.ranks.get(rank).ok_or_else(unexpected)?.machine;
        let mut spread = Spread {
            machine: self.table.ranks.iter().map(|it| it.machine).collect(),
            own,
            hosts: self.table.hosts.clone(),
            doors: Vec::new(),
        };
        let leads = spread.leader(own) == rank;
        let segment = if leads {
            self.make_board(&spread)?
        } else {
            self.find_board(&spread)?
        };
        let exchange = self.hub.exchange();
        let door = exchange.door().map_err(|why| self.network(&why))?;
        let mut arrival = Arrival {
            door: Some(door),
            halves: Vec::new(),
        };
        let mut pairs: Vec<(usize, Arc<Pair>)> = Vec::new();
        if leads {
            for machine in (0..spread.hosts.len()).filter(|&it| it != own) {
                if self.table.are_connected(own, machine)
                    && exchange.link(self.hub_of(&spread, machine)).is_some()
                {
                    continue;
                }
                let device = exchange.device().map_err(|why| self.unavailable(&why))?;
                let (pair, address) = device
                    .pair(own > machine, self.patience)
                    .map_err(|why| self.network(&why))?;
                pairs.push((machine, pair));
                arrival.halves.push((machine, address));
            }
        }
        // The place on the board comes before the message: whoever goes on finds everyone there.
        let first = Board::new_spread(Arc::clone(&segment), Arc::new(spread.clone()));
        let first = first.ok_or_else(unexpected)?;
        first.segment().claim(rank as u64)?;
        let device = member.settings.device.map_or(0, |device| device + 1);
        first.device(rank).store(device, Ordering::Relaxed);
        first.enter(rank, std::process::id(), self.hub.bell());
        let said = self.road.send(&arrival.write());
        let Answer::Links(directions) = answer(self.road, self.deadline)? else {
            return Err(unexpected());
        };
        said?;
        spread.doors.clone_from(&directions.doors);
        let spread = Arc::new(spread);
        let board = || {
            let made = Board::new_spread(Arc::clone(&segment), Arc::clone(&spread));
            made.ok_or_else(unexpected)
        };
        if leads {
            let links = self.connect(&spread, &pairs, &directions)?;
            self.open_bridge(board()?, &spread, links)?;
        }
        let said = self.road.send(b"linked");
        match answer(self.road, self.deadline)? {
            Answer::Go => {}
            _ => return Err(unexpected()),
        }
        said?;
        let communicator = Communicator::new(board()?, rank, self.id, member.settings, self.hub);
        self.hub.meet(&communicator);
        Ok(communicator)
    }

    fn network(&self, why: &str) -> MeetingError {
        let host = &self.hub.exchange().network.host;
        MeetingError::Network(format!(
            "EI0006: cannot connect {host} to the other machines: {why}"
        ))
    }

    fn unavailable(&self, why: &str) -> MeetingError {
        let host = &self.hub.exchange().network.host;
        MeetingError::Unavailable(format!("on {host}: {why}"))
    }

    /// The process of a machine's lowest rank.
    fn hub_of(&self, spread: &Spread, machine: usize) -> HubId {
        self.table.ranks[spread.leader(machine)].hub
    }

    fn board_name(&self, spread: &Spread) -> String {
        let number = super::address::number(&self.hub.exchange().network.machine);
        format!(
            "millpond-board-{}-{}-{}",
            &hex(&self.id)[..24],
            &hex(&number)[..16],
            spread.own
        )
    }

    /// Makes the board of this machine, and gives it to the other ranks of it.
    fn make_board(&self, spread: &Spread) -> Result<Arc<Segment>, MeetingError> {
        let bytes = Shape::spread(spread.machine.len()).bytes();
        let segment = self
            .hub
            .segment(self.id, None, || Segment::create("millpond-ranks", bytes))?;
        let others = spread.ranks(spread.own).count() - 1;
        let listener = Listener::bind(&self.board_name(spread))?;
        for _ in 0..others {
            let ready = self.wait(&listener)?;
            if ready {
                let channel = listener.accept(Some(self.deadline))?;
                // One that is gone again is noticed by the host.
                drop(channel.send(b"board", &[segment.descriptor()]));
            }
        }
        Ok(segment)
    }

    /// Waits for the next rank of this machine; an error if the meeting fails meanwhile.
    fn wait(&self, listener: &Listener) -> Result<bool, MeetingError> {
        use std::os::fd::AsFd;
        let left = self.deadline.saturating_duration_since(Instant::now());
        let ready = wait_for_any(&[listener.as_fd(), self.road.as_fd()], Some(left))?;
        if ready[0] {
            return Ok(true);
        }
        match answer(self.road, self.deadline) {
            Err(error) => Err(error),
            Ok(_) => Err(unexpected()),
        }
    }

    fn find_board(&self, spread: &Spread) -> Result<Arc<Segment>, MeetingError> {
        let name = self.board_name(spread);
        let channel = loop {
            const PAUSE: Duration = Duration::from_millis(50);
            match Channel::connect_until(&name, Some(Instant::now() + PAUSE)) {
                Ok(channel) => break channel,
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                Err(error) => return Err(error.into()),
            }
            let said = wait_for_any(&[self.road.as_fd()], Some(Duration::ZERO))?;
            if said[0] || Instant::now() >= self.deadline {
                return match answer(self.road, self.deadline) {
                    Err(error) => Err(error),
                    Ok(_) => Err(unexpected()),
                };
            }
        };
        let message = channel.receive(Some(self.deadline))?;
        let descriptor = message.descriptors.into_iter().next();
        let descriptor = descriptor.ok_or_else(unexpected)?;
        Ok(self.hub.segment(self.id, Some(descriptor), || {
            Err(io::ErrorKind::NotFound.into())
        })?)
    }

    /// Connects to the lowest ranks of all other machines, in the order of the machines on both sides.
    fn connect(
        &self,
        spread: &Spread,
        pairs: &[(usize, Arc<Pair>)],
        directions: &Directions,
    ) -> Result<Vec<Option<Arc<Link>>>, MeetingError> {
        let exchange = self.hub.exchange();
        let mut links: Vec<Option<Arc<Link>>> = Vec::new();
        for machine in 0..spread.hosts.len() {
            if machine == spread.own {
                links.push(None);
                continue;
            }
            let peer = self.hub_of(spread, machine);
            let host = &spread.hosts[machine];
            let failed = |why: String| self.network(&format!("{host}: {why}"));
            let half = directions.halves.iter().find(|(from, _)| *from == machine);
            let own = pairs.iter().find(|(to, _)| *to == machine);
            let link = match (own, half) {
                (Some((_, pair)), Some((_, address))) => {
                    pair.connect(address).map_err(failed)?;
                    let pulse = self.pulse(spread, machine).map_err(|error| {
                        self.network(&format!("{host}: no second connection: {error}"))
                    })?;
                    let link = Link::start(exchange, peer, Arc::clone(pair), pulse)?;
                    exchange.links.lock().push(Arc::clone(&link));
                    link
                }
                (None, None) => exchange
                    .link(peer)
                    .ok_or_else(|| failed("the connection was lost".to_owned()))?,
                _ => {
                    return Err(failed(
                        "one side has lost an older connection; try again".to_owned(),
                    ));
                }
            };
            links.push(Some(link));
        }
        Ok(links)
    }

    /// The second connection to another machine: the one with the lower number makes it.
    fn pulse(&self, spread: &Spread, machine: usize) -> io::Result<std::net::TcpStream> {
        let exchange = self.hub.exchange();
        let (low, high) = (spread.own.min(machine), spread.own.max(machine));
        let mut key = [0; 32];
        key[..16].copy_from_slice(&self.id);
        for (place, number) in [(16, low), (24, high)] {
            key[place..place + 8].copy_from_slice(&(number as u64).to_le_bytes());
        }
        if spread.own == high {
            let arrived = exchange.wait_for_pulse(&key, self.deadline);
            return arrived.ok_or_else(|| io::ErrorKind::TimedOut.into());
        }
        let leader = spread.leader(machine);
        let door = spread.doors.get(leader).copied().flatten();
        let door = door.ok_or(io::ErrorKind::AddrNotAvailable)?;
        door::pulse(door, &key, self.deadline, exchange.network.heartbeat)
    }

    /// Fills the places of the other machines' ranks, and starts to copy.
    fn open_bridge(
        &self,
        board: Board,
        spread: &Arc<Spread>,
        links: Vec<Option<Arc<Link>>>,
    ) -> Result<(), MeetingError> {
        let exchange = self.hub.exchange();
        for (rank, entry) in self.table.ranks.iter().enumerate() {
            if !spread.is_here(rank) {
                board.process(rank).store(entry.process, Ordering::Relaxed);
                board.presence(rank).store(PRESENT, Ordering::Release);
            }
        }
        board.segment().claim(board.shape.ranks as u64)?;
        board.set_relay(std::process::id(), exchange.bell.name());
        exchange.add(&Bridge::new(self.id, board, Arc::clone(spread), links))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_as_they_were_sent() {
        let entry = |machine| Entry {
            machine,
            process: 7,
            hub: [u8::try_from(machine).unwrap(); 16],
        };
        let table = Table {
            ranks: vec![entry(0), entry(1), entry(0)],
            hosts: vec!["one".to_owned(), "two".to_owned()],
            connected: vec![(0, 1)],
        };
        let mut writer = Writer::default();
        table.write(&mut writer);
        assert_eq!(Table::read(&mut Reader(&writer.0)), Some(table.clone()));
        assert!(table.are_connected(1, 0) && !table.are_connected(0, 2));
        let door: SocketAddr = "10.1.2.3:60000".parse().unwrap();
        let arrival = Arrival {
            door: Some(door),
            halves: vec![(1, vec![1, 2, 3])],
        };
        assert_eq!(Arrival::read(&arrival.write()), Some(arrival));
        let directions = Directions {
            doors: vec![Some(door), None],
            halves: vec![(0, vec![4])],
        };
        assert_eq!(Directions::read(&directions.write()), Some(directions));
        let wrong = Table {
            hosts: Vec::new(),
            ..table
        };
        let mut writer = Writer::default();
        wrong.write(&mut writer);
        assert_eq!(Table::read(&mut Reader(&writer.0)), None);
    }
}
