//! Waking a thread of another process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{hex, random_id};

/// Where a bell can be rung. 16 bytes, so that it fits into shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BellName(pub [u8; 16]);

impl BellName {
    fn address(self) -> io::Result<SocketAddr> {
        SocketAddr::from_abstract_name(format!("millpond-bell-{}", hex(&self.0)))
    }
}

/// A bell: any process of the machine that knows its name can ring it, and one thread waits for it.
#[derive(Debug)]
pub struct Bell {
    name: BellName,
    socket: UnixDatagram,
}

impl Bell {
    /// Makes a bell with a name of its own.
    pub fn new() -> io::Result<Self> {
        let name = BellName(random_id()?);
        let socket = UnixDatagram::bind_addr(&name.address()?)?;
        socket.set_nonblocking(true)?;
        Ok(Self { name, socket })
    }

    /// Its name, for others.
    pub fn name(&self) -> BellName {
        self.name
    }

    /// Rings another bell. One that is full of calls rings anyway, and one that is gone has nobody to wake: neither is an error.
    pub fn ring(&self, other: BellName) {
        if let Ok(address) = other.address() {
            drop(self.socket.send_to_addr(&[1], &address));
        }
    }

    /// Waits until it rings, or until the time is up; forgets all calls so far. Returns whether it rang.
    pub fn wait(&self, limit: Option<Duration>) -> bool {
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let mut sources = [PollFd::from_borrowed_fd(self.socket.as_fd(), PollFlags::IN)];
        let rang = matches!(poll(&mut sources, limit.as_ref()), Ok(count) if count > 0);
        self.hush();
        rang
    }

    /// Forgets all calls so far.
    pub fn hush(&self) {
        let mut call = [0; 1];
        while self.socket.recv(&mut call).is_ok() {}
    }
}

/// Can be read while calls are not forgotten.
impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bell_that_was_rung_before_the_wait_rings() {
        let (one, other) = (Bell::new().unwrap(), Bell::new().unwrap());
        assert!(!one.wait(Some(Duration::ZERO)), "nobody rang");
        other.ring(one.name());
        other.ring(one.name());
        assert!(one.wait(None), "rung before");
        assert!(!one.wait(Some(Duration::ZERO)), "all calls are forgotten");
    }

    #[test]
    fn ringing_a_bell_that_is_gone_does_nothing() {
        let name = Bell::new().unwrap().name();
        Bell::new().unwrap().ring(name);
    }
}
