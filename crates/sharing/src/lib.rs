//! What processes of one machine share, and how they find each other.
//!
//! - [`Segment`]: memory behind a descriptor, mapped in every process that has it. The kernel frees it when the last one is gone.
//! - [`Channel`], [`Listener`]: messages, with descriptors, between two processes. Addresses are names that exist only while somebody
//!   listens: nothing is left behind in a file system.
//! - [`Bell`]: wakes a thread of another process, by name.
//! - [`Segment::claim`], [`Segment::is_claimed`]: one byte of a segment per participant, which the kernel frees when its process ends.
//! - [`wait_for_any`], [`end_of`], [`is_running`]: several of these at once, and the end of a process.
//! - [`spawn`]: a thread that leaves signals to the program.
//!
//! Only processes of the same user can connect: [`Listener::accept`] checks it.

mod bell;
mod channel;
mod segment;
mod thread;
mod wait;

use std::fs::File;
use std::io::{self, Read};

pub use bell::{Bell, BellName};
pub use channel::{Channel, Listener, Message, Peer};
pub use segment::Segment;
pub use thread::{monotonic_milliseconds, spawn};
pub use wait::{end_of, is_running, wait_for_any};

/// A number that cannot be guessed.
pub fn random_id() -> io::Result<[u8; 16]> {
    let mut id = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut id)?;
    Ok(id)
}

/// The text of a number, for names.
pub fn hex(id: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = id.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}
