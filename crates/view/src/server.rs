//! Serves one page on the loopback interface.
//!
//! Other users of the machine, and pages of other sites in the user's browser, can reach the port, so every address begins with a random
//! token, and a request must name this server as its host: that defeats names that were made to point here. There is no header that lets another
//! origin read an answer. Nothing is written to disk.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::html;
use crate::index::Index;
use crate::protocol::answer;

/// Longer requests are refused: questions are short.
const LONGEST_REQUEST: usize = 16 << 10;
/// Connections at a time; a browser has about six.
const MOST_CONNECTIONS: usize = 64;
/// A connection that says nothing for so long is closed.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    token: String,
    runs: Arc<Vec<Index>>,
}

impl Server {
    /// Listens on a port of the loopback interface; 0 lets the system choose one.
    pub fn bind(runs: Vec<Index>, port: u16) -> io::Result<Self> {
        Ok(Self {
            listener: TcpListener::bind((Ipv4Addr::LOCALHOST, port))?,
            token: token()?,
            runs: Arc::new(runs),
        })
    }

    /// The address of the page.
    pub fn address(&self) -> io::Result<String> {
        Ok(format!(
            "http://{}/{}/",
            self.listener.local_addr()?,
            self.token
        ))
    }

    /// Answers until the process ends.
    pub fn serve(&self) -> io::Result<()> {
        let here = self.listener.local_addr()?;
        let busy = Arc::new(AtomicUsize::new(0));
        for connection in self.listener.incoming() {
            // One that broke off before it began is not our concern.
            let Ok(stream) = connection else { continue };
            if busy.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                busy.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let runs = Arc::clone(&self.runs);
            let token = self.token.clone();
            let done = Arc::clone(&busy);
            let started = thread::Builder::new().spawn(move || {
                // What a browser broke off needs no answer.
                drop(talk(&stream, here, &token, &runs));
                done.fetch_sub(1, Ordering::Relaxed);
            });
            if started.is_err() {
                busy.fetch_sub(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

/// 128 random bits, as hexadecimal digits.
fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}

/// Answers the requests of one connection.
fn talk(mut stream: &TcpStream, here: SocketAddr, token: &str, runs: &[Index]) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    loop {
        let Some(length) = receive(stream, &mut buffer)? else {
            return Ok(());
        };
        let reply = reply(&buffer[..length], here, token, runs);
        stream.write_all(&reply.bytes())?;
        buffer.drain(..length);
        if reply.is_last() {
            return Ok(());
        }
    }
}

/// Reads on until `buffer` begins with a whole request. Returns the request's length, or none at the end of the connection.
fn receive(mut stream: &TcpStream, buffer: &mut Vec<u8>) -> io::Result<Option<usize>> {
    loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            return Ok(Some(end + 4));
        }
        let mut more = [0; 4096];
        let count = stream.read(&mut more)?;
        if count == 0 || buffer.len() > LONGEST_REQUEST {
            return Ok(None);
        }
        buffer.extend_from_slice(&more[..count]);
    }
}

struct Reply {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
}

impl Reply {
    fn refused(status: u16, why: &str) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            body: why.as_bytes().to_vec(),
        }
    }

    /// Whether the connection ends with it: a body that was not read may follow a request that was refused.
    fn is_last(&self) -> bool {
        self.status != 200
    }

    fn bytes(&self) -> Vec<u8> {
        let reason = match self.status {
            200 => "OK",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            _ => "Bad Request",
        };
        // The client must know, or it may send its next request to a connection that is being closed.
        let end = if self.is_last() {
            "Connection: close\r\n"
        } else {
            ""
        };
        let mut bytes = format!(
            "HTTP/1.1 {} {reason}\r\n{end}Content-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             Content-Security-Policy: {}\r\n\r\n",
            self.status,
            self.kind,
            self.body.len(),
            html::POLICY,
        )
        .into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

fn reply(request: &[u8], here: SocketAddr, token: &str, runs: &[Index]) -> Reply {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Request::new(&mut headers);
    if !matches!(parsed.parse(request), Ok(httparse::Status::Complete(_))) {
        return Reply::refused(400, "this is not an HTTP request\n");
    }
    let host = parsed
        .headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case("host"))
        .map_or(&b""[..], |header| header.value);
    let names = [here.to_string(), format!("localhost:{}", here.port())];
    if !names.iter().any(|name| name.as_bytes() == host) {
        return Reply::refused(403, "this server answers to its own address only\n");
    }
    if parsed.method != Some("GET") {
        return Reply::refused(405, "only GET is answered\n");
    }
    let path = parsed.path.unwrap_or("");
    let Some(path) = path
        .strip_prefix('/')
        .and_then(|path| path.split_once('/'))
        .and_then(|(given, rest)| same(given, token).then_some(rest))
    else {
        return Reply::refused(
            403,
            "the token in the address is missing or wrong: use the address that millpond view printed\n",
        );
    };
    if path.is_empty() {
        return Reply {
            status: 200,
            kind: "text/html; charset=utf-8",
            body: html::page_for_server().into_bytes(),
        };
    }
    match path
        .strip_prefix("data/")
        .and_then(|question| answer(runs, question))
    {
        Some(body) => Reply {
            status: 200,
            kind: "application/json",
            body: body.into_bytes(),
        },
        None => Reply::refused(404, "there is nothing here\n"),
    }
}

/// Compares in a time that does not tell how much of it was right.
fn same(given: &str, token: &str) -> bool {
    let differences = given
        .bytes()
        .zip(token.bytes())
        .fold(0, |sum, (one, other)| sum | (one ^ other));
    given.len() == token.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_that_ends_the_connection_says_so() {
        let fine = Reply {
            status: 200,
            kind: "text/plain",
            body: b"7".to_vec(),
        };
        for (reply, ends) in [(fine, false), (Reply::refused(403, "no\n"), true)] {
            let text = String::from_utf8(reply.bytes()).unwrap();
            assert_eq!(text.contains("\r\nConnection: close\r\n"), ends, "{text}");
            assert_eq!(reply.is_last(), ends);
        }
    }
}
