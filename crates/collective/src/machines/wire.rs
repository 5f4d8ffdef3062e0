//! Messages over TCP between processes that meet: a length and the bytes.
//!
//! The kernel's keepalive ends a connection whose other machine is silent for too long.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt;

/// More than the longest message of a meeting.
const MOST: u32 = 64 << 10;

/// A connection of whole messages.
#[derive(Debug)]
pub(crate) struct Wire {
    pub(crate) stream: TcpStream,
}

/// Lets the kernel end a connection whose other machine does not reply within the limit.
pub(crate) fn keep_alive(stream: &TcpStream, limit: Duration) -> io::Result<()> {
    const FIRST: Duration = Duration::from_secs(1);
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, FIRST)?;
    sockopt::set_tcp_keepintvl(stream, FIRST)?;
    let probes = u32::try_from(limit.as_secs()).unwrap_or(100).clamp(1, 100);
    sockopt::set_tcp_keepcnt(stream, probes)?;
    let limit = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX);
    sockopt::set_tcp_user_timeout(stream, limit)?;
    sockopt::set_tcp_nodelay(stream, true)?;
    Ok(())
}

impl Wire {
    pub(crate) fn connect(
        address: SocketAddr,
        deadline: Instant,
        heartbeat: Duration,
    ) -> io::Result<Self> {
        let left = deadline.saturating_duration_since(Instant::now());
        let stream = TcpStream::connect_timeout(&address, left.max(Duration::from_millis(1)))?;
        keep_alive(&stream, heartbeat)?;
        Ok(Self { stream })
    }

    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        if length > MOST {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut message = length.to_le_bytes().to_vec();
        message.extend(bytes);
        (&self.stream).write_all(&message)
    }

    /// The next message. An error of the kind `UnexpectedEof` if the other end is gone, `TimedOut` if the time is up.
    pub(crate) fn receive(&self, deadline: Option<Instant>) -> io::Result<Vec<u8>> {
        let mut length = [0; 4];
        self.fill(&mut length, deadline)?;
        let length = u32::from_le_bytes(length);
        if length > MOST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut bytes = vec![0; length as usize];
        self.fill(&mut bytes, deadline)?;
        Ok(bytes)
    }

    fn fill(&self, mut bytes: &mut [u8], deadline: Option<Instant>) -> io::Result<()> {
        while !bytes.is_empty() {
            readable(self.stream.as_fd(), deadline)?;
            match (&self.stream).read(bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => bytes = &mut bytes[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

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

/// Numbers and texts, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn byte(&mut self, value: u8) -> &mut Self {
        self.0.push(value);
        self
    }

    pub(crate) fn word(&mut self, value: usize) -> &mut Self {
        let value = u32::try_from(value).unwrap_or(u32::MAX);
        self.0.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn long(&mut self, value: u64) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn id(&mut self, value: &[u8; 16]) -> &mut Self {
        self.0.extend(value);
        self
    }

    pub(crate) fn text(&mut self, value: &[u8]) -> &mut Self {
        self.word(value.len());
        self.0.extend(value);
        self
    }
}

/// Reads what [`Writer`] wrote; nothing is trusted.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(crate) fn word(&mut self) -> Option<usize> {
        let bytes = self.take(4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    }

    pub(crate) fn long(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub(crate) fn id(&mut self) -> Option<[u8; 16]> {
        self.take(16)?.try_into().ok()
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.word()?;
        self.take(length)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        Some(String::from_utf8_lossy(self.bytes()?).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_beyond_it() {
        let mut writer = Writer::default();
        writer
            .byte(7)
            .word(8)
            .long(9)
            .id(&[3; 16])
            .text("ü".as_bytes());
        let mut reader = Reader(&writer.0);
        assert_eq!(reader.byte(), Some(7));
        assert_eq!(reader.word(), Some(8));
        assert_eq!(reader.long(), Some(9));
        assert_eq!(reader.id(), Some([3; 16]));
        assert_eq!(reader.text().as_deref(), Some("ü"));
        assert_eq!(reader.byte(), None);
        assert_eq!(Reader(&[255; 8]).bytes(), None, "longer than the message");
    }
}
