//! Messages between two ranks: sends and receives, alone or many at a time.
//!
//! A message goes through the buffer of its ordered pair in chunks. The sender is done when the last chunk was taken. The messages
//! of one call advance side by side, so sends and receives of one batch do not block each other.
#![expect(
    unsafe_code,
    reason = "moves bytes between the program's buffers and the shared memory"
)]

use std::sync::atomic::Ordering;

use crate::board::{Board, Label};
use crate::communicator::Line;
use crate::operation::{Transfer, code, name_of};

/// The messages of one call.
#[derive(Debug)]
pub(crate) struct Transfers {
    messages: Vec<Message>,
}

#[derive(Debug)]
struct Message {
    transfer: Transfer,
    /// Where work finds the bytes.
    address: usize,
    /// Chunks that were sent or taken.
    moved: u64,
}

/// What is wrong with a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unequal {
    pub(crate) peer: usize,
    pub(crate) text: String,
}

impl Message {
    fn chunks(&self, board: &Board) -> u64 {
        self.transfer
            .bytes
            .div_ceil(board.shape.pair_chunk as u64)
            .max(1)
    }

    /// Start and length of a chunk.
    fn piece(&self, board: &Board) -> (usize, usize) {
        let bytes = usize::try_from(self.transfer.bytes).unwrap_or(usize::MAX);
        let start = usize::try_from(self.moved).unwrap_or(usize::MAX) * board.shape.pair_chunk;
        (
            start,
            bytes.saturating_sub(start).min(board.shape.pair_chunk),
        )
    }

    /// Whether it has ended; for sends, whether everything was taken.
    fn is_done(&self, board: &Board, rank: usize) -> bool {
        if self.moved < self.chunks(board) {
            return false;
        }
        let peer = self.transfer.peer as usize;
        let sent = |from, to| board.sent(from, to).load(Ordering::SeqCst);
        let taken = |from, to| board.taken(from, to).load(Ordering::SeqCst);
        !self.transfer.sends || taken(rank, peer) == sent(rank, peer)
    }

    /// Moves the next chunk if it can.
    fn step(&mut self, board: &Board, rank: usize) -> Result<bool, Unequal> {
        let peer = self.transfer.peer as usize;
        if self.moved == self.chunks(board) {
            return Ok(false);
        }
        let (from, to) = if self.transfer.sends {
            (rank, peer)
        } else {
            (peer, rank)
        };
        let sent = board.sent(from, to).load(Ordering::SeqCst);
        let taken = board.taken(from, to).load(Ordering::SeqCst);
        let (start, bytes) = self.piece(board);
        let own = self.address + start;
        if self.transfer.sends {
            if sent - taken >= 2 {
                return Ok(false);
            }
            board.set_label(from, to, sent, self.label());
            let piece = u32::try_from(bytes).unwrap_or(u32::MAX);
            board.piece(from, to, sent).store(piece, Ordering::Relaxed);
            // SAFETY: the receiver has taken what was in this half, and the program's buffer has these bytes.
            unsafe {
                copy(
                    board.pair(from, to, sent),
                    std::ptr::with_exposed_provenance(own),
                    bytes,
                );
            }
            board.sent(from, to).store(sent + 1, Ordering::SeqCst);
        } else {
            if sent == taken {
                return Ok(false);
            }
            let label = board.get_label(from, to, taken);
            if label != self.label() {
                return Err(self.unequal(label));
            }
            // SAFETY: the sender has written this half and leaves it alone until it was taken; the buffer has room.
            unsafe {
                copy(
                    std::ptr::with_exposed_provenance_mut(own),
                    board.pair(from, to, taken),
                    bytes,
                );
            }
            board.taken(from, to).store(taken + 1, Ordering::SeqCst);
        }
        self.moved += 1;
        Ok(true)
    }

    fn label(&self) -> Label {
        Label {
            bytes: self.transfer.bytes,
            element: code(self.transfer.element),
        }
    }

    #[cold]
    fn unequal(&self, label: Label) -> Unequal {
        let mine = self.label();
        Unequal {
            peer: self.transfer.peer as usize,
            text: format!(
                "rank {} sends {} bytes of {}, and the receive expects {} bytes of {}",
                self.transfer.peer,
                label.bytes,
                name_of(label.element),
                mine.bytes,
                name_of(mine.element)
            ),
        }
    }
}

impl Transfers {
    pub(crate) fn begin(transfers: Vec<Transfer>, buffers: &[u64]) -> Self {
        let address = |transfer: &Transfer| {
            let start = buffers.get(transfer.buffer).copied().unwrap_or(0);
            // An empty message may have any offset.
            let start = start.wrapping_add(transfer.offset);
            usize::try_from(start).unwrap_or(0)
        };
        Self {
            messages: transfers
                .into_iter()
                .map(|transfer| Message {
                    address: address(&transfer),
                    transfer,
                    moved: 0,
                })
                .collect(),
        }
    }

    /// The count of taken chunks of a line when these messages have ended. Asked before the first moves.
    pub(crate) fn target(&self, board: &Board, rank: usize, line: Line) -> u64 {
        let (from, to, sends) = match line {
            Line::Group => return 0,
            Line::To(peer) => (rank, peer as usize, true),
            Line::From(peer) => (peer as usize, rank, false),
        };
        let peer = if sends { to } else { from };
        let here = self
            .messages
            .iter()
            .filter(|it| it.transfer.sends == sends && it.transfer.peer as usize == peer);
        let chunks: u64 = here.map(|message| message.chunks(board)).sum();
        board.taken(from, to).load(Ordering::SeqCst) + chunks
    }

    /// What a call is, in words.
    pub(crate) fn title(transfers: &[Transfer]) -> String {
        let one = |it: &Transfer| {
            let (name, way) = if it.sends {
                ("HcclSend", "to")
            } else {
                ("HcclRecv", "from")
            };
            let element = name_of(code(it.element));
            format!(
                "{name}({} bytes of {element} {way} rank {})",
                it.bytes, it.peer
            )
        };
        match transfers {
            [only] => one(only),
            [first, rest @ ..] => format!("{} and {} more messages", one(first), rest.len()),
            [] => "no message".to_owned(),
        }
    }

    /// Goes as far as possible; returns whether all have ended, and whether anything has moved.
    pub(crate) fn advance(
        &mut self,
        board: &Board,
        rank: usize,
        announce: &dyn Fn(),
    ) -> Result<(bool, bool), Unequal> {
        let mut has_moved = false;
        loop {
            let mut moved = false;
            // Two messages of one pair and direction go one after the other.
            for index in 0..self.messages.len() {
                let line = |message: &Message| (message.transfer.peer, message.transfer.sends);
                let is_first = self.messages[..index].iter().all(|earlier| {
                    line(earlier) != line(&self.messages[index])
                        || earlier.moved == earlier.chunks(board)
                });
                if is_first {
                    moved |= self.messages[index].step(board, rank)?;
                }
            }
            if !moved {
                break;
            }
            has_moved = true;
            announce();
        }
        let mut messages = self.messages.iter();
        let has_ended = messages.all(|message| message.is_done(board, rank));
        Ok((has_ended, has_moved))
    }

    /// The ranks that it waits for.
    pub(crate) fn missing(&self, board: &Board, rank: usize) -> Vec<usize> {
        let waiting = |message: &&Message| !message.is_done(board, rank);
        let mut peers: Vec<usize> = self
            .messages
            .iter()
            .filter(waiting)
            .map(|message| message.transfer.peer as usize)
            .collect();
        peers.sort_unstable();
        peers.dedup();
        peers
    }

    /// In words, for messages: the first that has not ended.
    pub(crate) fn summary(&self, board: &Board, rank: usize) -> String {
        let mut waiting = self
            .messages
            .iter()
            .filter(|message| !message.is_done(board, rank));
        match waiting.next() {
            Some(Message { transfer, .. }) if transfer.sends => {
                format!(
                    "HcclSend({} bytes to rank {})",
                    transfer.bytes, transfer.peer
                )
            }
            Some(Message { transfer, .. }) => format!(
                "HcclRecv({} bytes from rank {})",
                transfer.bytes, transfer.peer
            ),
            None => "HcclBatchSendRecv".to_owned(),
        }
    }
}

/// # Safety
/// Both ranges are valid and do not overlap.
unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize) {
    if bytes > 0 {
        // SAFETY: passed on.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
    }
}
