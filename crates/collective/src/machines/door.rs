//! Where processes of other machines find this one.
//!
//! A connection says what it wants first: a meeting by its name, or to be the second, idle connection of a link. Messages of a
//! meeting are passed on to the meeting's own socket, which is local, and its replies back; so a meeting does not know how its
//! ranks come. The names of meetings are secret: whoever does not have the root info cannot join.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use millpond_sharing::{Channel, wait_for_any};

use super::address::Ports;
use super::wire::{Reader, Wire, Writer, keep_alive};
use super::{Exchange, engine};

const MAGIC: &[u8; 4] = b"MPD1";
/// How long a connection may take to say what it wants.
const GREETING: Duration = Duration::from_secs(10);

/// A listening socket, and the thread that answers it. Closed with its last owner.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) address: SocketAddr,
    listener: Arc<TcpListener>,
}

impl Drop for Door {
    fn drop(&mut self) {
        // Ends the thread's wait; the socket goes with it.
        rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both).ok();
    }
}

impl Door {
    pub(crate) fn open(
        exchange: &Arc<Exchange>,
        host: IpAddr,
        ports: &Ports,
    ) -> Result<Arc<Self>, String> {
        let bound = match ports {
            Ports::Any => TcpListener::bind((host, 0)),
            Ports::These(ports) => {
                let mut bound = Err(io::ErrorKind::AddrInUse.into());
                for port in ports {
                    bound = TcpListener::bind((host, *port));
                    let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::AddrInUse;
                    if !bound.as_ref().is_err_and(is_taken) {
                        break;
                    }
                }
                bound
            }
        };
        let started = bound.and_then(|listener| Self::start(exchange, listener));
        started.map_err(|error| {
            let ports = match ports {
                Ports::Any => String::new(),
                Ports::These(ports) => match ports.as_slice() {
                    [first, .., last] => format!(" port {first} to {last}"),
                    [one] => format!(" port {one}"),
                    [] => " without a port".to_owned(),
                },
            };
            format!("cannot listen on {host}{ports}: {error}")
        })
    }

    fn start(exchange: &Arc<Exchange>, listener: TcpListener) -> io::Result<Arc<Self>> {
        let address = listener.local_addr()?;
        let listener = Arc::new(listener);
        let door = Arc::new(Self {
            address,
            listener: Arc::clone(&listener),
        });
        let exchange = Arc::downgrade(exchange);
        thread::Builder::new()
            .name("millpond-door".to_owned())
            .spawn(move || {
                engine::block_signals();
                answer_all(&listener, &exchange);
            })?;
        Ok(door)
    }
}

fn answer_all(listener: &TcpListener, exchange: &Weak<Exchange>) {
    loop {
        let (stream, from) = match listener.accept() {
            Ok(accepted) => accepted,
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let Some(strong) = exchange.upgrade() else {
            return;
        };
        let allowed = strong.network.allowed.as_ref();
        if allowed.is_some_and(|allowed| !allowed.contains(&from.ip())) {
            continue;
        }
        let exchange = Weak::clone(exchange);
        let started = thread::Builder::new()
            .name("millpond-guest".to_owned())
            .spawn(move || {
                engine::block_signals();
                // A guest that says nothing useful, or leaves, needs no reply.
                drop(answer(stream, &exchange));
            });
        if started.is_err() {
            return;
        }
    }
}

fn answer(stream: TcpStream, exchange: &Weak<Exchange>) -> io::Result<()> {
    let strong = exchange.upgrade().ok_or(io::ErrorKind::NotFound)?;
    keep_alive(&stream, strong.network.heartbeat)?;
    let wire = Wire { stream };
    let greeting = wire.receive(Some(Instant::now() + GREETING))?;
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let rest = greeting.strip_prefix(MAGIC).ok_or_else(invalid)?;
    let mut reader = Reader(rest);
    match reader.byte().ok_or_else(invalid)? {
        b'M' => {
            let patience = Duration::from_millis(reader.long().ok_or_else(invalid)?);
            let name = reader.text().ok_or_else(invalid)?;
            drop(strong);
            if !name.starts_with("millpond-ranks-") {
                return Err(invalid());
            }
            let deadline = Instant::now().checked_add(patience);
            match Channel::connect_until(&name, deadline) {
                Ok(channel) => {
                    wire.send(b"O")?;
                    pass_on(&wire, &channel)
                }
                Err(_) => wire.send(b"X"),
            }
        }
        b'P' => {
            let key = rest.get(1..33).and_then(|key| key.try_into().ok());
            strong.pulse_arrived(key.ok_or_else(invalid)?, wire.stream);
            Ok(())
        }
        _ => Err(invalid()),
    }
}

/// Passes messages on until one side ends; the other side then ends, too.
fn pass_on(wire: &Wire, channel: &Channel) -> io::Result<()> {
    loop {
        let ready = wait_for_any(&[wire.as_fd(), channel.as_fd()], None)?;
        if ready[1] {
            wire.send(&channel.receive(None)?.bytes)?;
        } else if ready[0] {
            channel.send(&wire.receive(None)?, &[])?;
        }
    }
}

/// Connects to a meeting in a process of another machine. `patience` is how long the meeting may take to open.
pub(crate) fn visit(
    address: SocketAddr,
    name: &str,
    patience: Duration,
    deadline: Instant,
    heartbeat: Duration,
) -> io::Result<Wire> {
    let wire = Wire::connect(address, deadline, heartbeat)?;
    let mut greeting = Writer(MAGIC.to_vec());
    let milliseconds = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
    greeting.byte(b'M').long(milliseconds).text(name.as_bytes());
    wire.send(&greeting.0)?;
    match wire.receive(Some(deadline))?.as_slice() {
        b"O" => Ok(wire),
        _ => Err(io::ErrorKind::ConnectionRefused.into()),
    }
}

/// Makes the second connection of a link.
pub(crate) fn pulse(
    address: SocketAddr,
    key: &[u8; 32],
    deadline: Instant,
    heartbeat: Duration,
) -> io::Result<TcpStream> {
    let wire = Wire::connect(address, deadline, heartbeat)?;
    let mut greeting = Writer(MAGIC.to_vec());
    greeting.byte(b'P');
    greeting.0.extend(key);
    wire.send(&greeting.0)?;
    Ok(wire.stream)
}
