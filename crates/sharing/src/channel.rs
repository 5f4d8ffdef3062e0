//! Messages with descriptors, between two processes of one machine.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::SocketAddr;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType,
};

/// The most bytes of one message.
const MOST_BYTES: usize = 32 << 10;
/// The most descriptors with one message.
const MOST_DESCRIPTORS: usize = 64;

/// Who is at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Its process, as this process sees it.
    pub process: i32,
    /// Its user.
    pub user: u32,
}

/// A message that has arrived.
#[derive(Debug, Default)]
pub struct Message {
    /// What it says.
    pub bytes: Vec<u8>,
    /// The descriptors that came with it.
    pub descriptors: Vec<OwnedFd>,
}

/// A connection: messages stay whole and arrive in order. The end of the other process ends it.
#[derive(Debug)]
pub struct Channel {
    socket: OwnedFd,
}

/// A name at which other processes find this one.
#[derive(Debug)]
pub struct Listener {
    socket: OwnedFd,
}

fn address(name: &str) -> io::Result<SocketAddrUnix> {
    // The standard library checks the length and what an abstract name may contain.
    SocketAddr::from_abstract_name(name)?;
    Ok(SocketAddrUnix::new_abstract_name(name.as_bytes())?)
}

fn socket() -> io::Result<OwnedFd> {
    Ok(rustix::net::socket_with(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?)
}

/// Waits until something can be read; an error of the kind `TimedOut` if the time is up first.
fn readable(source: BorrowedFd<'_>, deadline: Option<Instant>) -> io::Result<()> {
    loop {
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let limit = left.and_then(|left| Timespec::try_from(left).ok());
        let mut sources = [PollFd::from_borrowed_fd(source, PollFlags::IN)];
        match poll(&mut sources, limit.as_ref()) {
            Ok(0) if left == Some(Duration::ZERO) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

impl Listener {
    /// Takes a name. An error of the kind `AddrInUse` if it is taken.
    pub fn bind(name: &str) -> io::Result<Self> {
        let socket = socket()?;
        rustix::net::bind(&socket, &address(name)?)?;
        rustix::net::listen(&socket, 4096)?;
        Ok(Self { socket })
    }

    /// The next process of this user that connects.
    pub fn accept(&self, deadline: Option<Instant>) -> io::Result<Channel> {
        loop {
            readable(self.socket.as_fd(), deadline)?;
            let socket = match rustix::net::accept_with(&self.socket, SocketFlags::CLOEXEC) {
                Ok(socket) => socket,
                Err(rustix::io::Errno::INTR | rustix::io::Errno::CONNABORTED) => continue,
                Err(error) => return Err(error.into()),
            };
            let channel = Channel { socket };
            if channel.peer()?.user == rustix::process::geteuid().as_raw() {
                return Ok(channel);
            }
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Channel {
    /// Connects to a name. An error of the kind `ConnectionRefused` if nobody listens there.
    pub fn connect(name: &str) -> io::Result<Self> {
        let socket = socket()?;
        rustix::net::connect(&socket, &address(name)?)?;
        Ok(Self { socket })
    }

    /// The same, for a name that may be taken soon: tries again until the deadline.
    pub fn connect_until(name: &str, deadline: Option<Instant>) -> io::Result<Self> {
        const FIRST_PAUSE: Duration = Duration::from_millis(1);
        const LONGEST_PAUSE: Duration = Duration::from_millis(50);
        let mut pause = FIRST_PAUSE;
        loop {
            match Self::connect(name) {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                connected => return connected,
            }
            if deadline.is_some_and(|at| Instant::now() + pause >= at) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Who is at the other end, as it was when the connection was made.
    pub fn peer(&self) -> io::Result<Peer> {
        let who = rustix::net::sockopt::socket_peercred(&self.socket)?;
        Ok(Peer {
            process: who.pid.as_raw_pid(),
            user: who.uid.as_raw(),
        })
    }

    /// Sends a message, and duplicates of these descriptors with it.
    pub fn send(&self, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        if bytes.is_empty() || bytes.len() > MOST_BYTES || descriptors.len() > MOST_DESCRIPTORS {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut space =
            vec![MaybeUninit::uninit(); SendAncillaryMessage::ScmRights(descriptors).size().max(1)];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors))
        {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        loop {
            let parts = [IoSlice::new(bytes)];
            match rustix::net::sendmsg(&self.socket, &parts, &mut ancillary, SendFlags::NOSIGNAL) {
                Ok(sent) if sent == bytes.len() => return Ok(()),
                Ok(_) => return Err(io::ErrorKind::WriteZero.into()),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The next message. An error of the kind `UnexpectedEof` if the other end is gone, `TimedOut` if the time is up.
    pub fn receive(&self, deadline: Option<Instant>) -> io::Result<Message> {
        let mut bytes = vec![0; MOST_BYTES];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let received = loop {
            readable(self.socket.as_fd(), deadline)?;
            let mut parts = [IoSliceMut::new(&mut bytes)];
            match rustix::net::recvmsg(
                &self.socket,
                &mut parts,
                &mut ancillary,
                RecvFlags::CMSG_CLOEXEC,
            ) {
                Err(rustix::io::Errno::INTR) => {}
                received => break received?,
            }
        };
        let mut descriptors = Vec::new();
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(received) = message {
                descriptors.extend(received);
            }
        }
        if received.bytes == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.truncate(received.bytes);
        Ok(Message { bytes, descriptors })
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Seek, Write};

    use super::*;
    use crate::{Segment, hex, random_id};

    fn name() -> String {
        format!("millpond-test-{}", hex(&random_id().unwrap()))
    }

    #[test]
    fn a_descriptor_arrives_and_shows_the_same_bytes() {
        let name = name();
        let listener = Listener::bind(&name).unwrap();
        assert_eq!(
            Listener::bind(&name).unwrap_err().kind(),
            io::ErrorKind::AddrInUse
        );
        let one = Channel::connect(&name).unwrap();
        let other = listener.accept(None).unwrap();
        assert_eq!(
            i64::from(other.peer().unwrap().process),
            i64::from(std::process::id())
        );

        let segment = Segment::create("test", 4096).unwrap();
        one.send(b"here", &[segment.descriptor()]).unwrap();
        let message = other.receive(None).unwrap();
        assert_eq!(message.bytes, b"here");
        let descriptor = message.descriptors.into_iter().next().unwrap();
        let mut file = File::from(descriptor);
        file.write_all(b"shared").unwrap();
        file.rewind().unwrap();
        let mut bytes = [0; 6];
        file.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"shared");
        assert!(file.set_len(1).is_err(), "nobody can make it shorter");
    }

    #[test]
    fn the_end_of_one_side_and_the_end_of_the_time_are_errors() {
        let name = name();
        let past = Some(Instant::now());
        assert_eq!(
            Channel::connect(&name).unwrap_err().kind(),
            io::ErrorKind::ConnectionRefused
        );
        assert_eq!(
            Channel::connect_until(&name, past).unwrap_err().kind(),
            io::ErrorKind::TimedOut
        );
        let listener = Listener::bind(&name).unwrap();
        assert_eq!(
            listener.accept(past).unwrap_err().kind(),
            io::ErrorKind::TimedOut
        );
        let one = Channel::connect(&name).unwrap();
        let other = listener.accept(None).unwrap();
        assert_eq!(
            other.receive(past).unwrap_err().kind(),
            io::ErrorKind::TimedOut
        );
        drop(one);
        assert_eq!(
            other.receive(None).unwrap_err().kind(),
            io::ErrorKind::UnexpectedEof
        );
    }
}
