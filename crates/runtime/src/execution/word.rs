//! Words in memory that streams write and wait for.
//!
//! A wait holds no worker: it is external work whose [`Ending`] is on a list. The list is looked at whenever a task ends
//! or a call has moved bytes, because any of them may have written the word: a copy, a fill, an operator, another stream's write. What
//! nobody here sees, code of the program that writes pinned memory or another process, is left to [`Runtime::look_at_words`].
//!
//! Words in the memory of a GPU are read and written there, eight bytes at a time. They are not staged as other operands are: a
//! look would replace what a write has left on the stage.
//!
//! For readers of the records, each wait that is over says whose write it saw ([`Operation::WordMet`]), if that is known.
#![expect(
    unsafe_code,
    reason = "reads and writes words at addresses that were checked when the task was made"
)]

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use millpond_device::DeviceError;
use millpond_trace::{Operation, Position, Tap};

use super::native::{Begin, Touch};
use crate::api::runtime::Runtime;
use crate::api::stream::Stream;
use crate::error::{Error, TaskFailure};
use crate::lock::{Mutex, rank};
use crate::shared::{DeviceCore, Shared};
use crate::stream::{EndedBy, Ending};

/// Bytes of a word.
const BYTES: u64 = 8;

/// Words whose last write is remembered. With more of them, all are forgotten: a wait then does not know whose write it saw.
const MOST_WRITES: usize = 4096;

/// How tasks on words begin: they move their bytes themselves.
const ON_WORDS: Begin = Begin {
    on_caller: true,
    staged: false,
};

/// When a wait for a word is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// The word is the value or at most 2^63 - 1 steps beyond it: numbers may wrap around.
    GreaterOrEqual,
    /// The word is the value.
    Equal,
    /// The word and the value have a bit in common.
    And,
    /// There is a bit that neither the word nor the value has.
    Nor,
}

impl Comparison {
    /// Whether a wait for `value` is over when the word is `now`.
    pub fn holds(self, now: u64, value: u64) -> bool {
        match self {
            Self::GreaterOrEqual => now.wrapping_sub(value).cast_signed() >= 0,
            Self::Equal => now == value,
            Self::And => now & value != 0,
            Self::Nor => !(now | value) != 0,
        }
    }
}

/// A stream that waits for a word.
struct Wait {
    place: u64,
    value: u64,
    comparison: Comparison,
    is_aborted: Box<dyn Fn() -> bool + Send>,
    ending: Ending,
    /// What reads the word, where this process cannot touch it.
    stager: Option<Arc<DeviceCore>>,
}

/// The write that a word has its value from, as far as streams wrote it with [`Stream::write_word`].
#[derive(Debug, Clone, Copy)]
struct Write {
    position: Position,
    value: u64,
}

#[derive(Default)]
struct State {
    waits: Vec<Wait>,
    /// Words of GPUs that are being written: no wait for them is over before it is known who wrote them.
    writing: Vec<u64>,
    /// By the address where work finds the word. Empty while nobody reads records.
    writes: HashMap<u64, Write>,
}

/// What streams of one runtime wait for.
pub(crate) struct Words {
    /// How many wait: looked at often, and seldom more than none.
    waiting: AtomicUsize,
    state: Mutex<rank::Words, State>,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            waiting: AtomicUsize::new(0),
            state: Mutex::new(State::default()),
        }
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Words")
            .field("waiting", &self.waiting)
            .finish_non_exhaustive()
    }
}

/// The word at a place.
///
/// # Safety
/// The place is a multiple of 8 in memory that a task keeps.
unsafe fn word<'a>(place: u64) -> &'a AtomicU64 {
    let at = std::ptr::with_exposed_provenance_mut::<u64>(usize::try_from(place).unwrap_or(0));
    // SAFETY: the caller's promise.
    unsafe { AtomicU64::from_ptr(at) }
}

impl Words {
    /// Something has ended that may have written a word. No lock is held.
    #[inline]
    pub(crate) fn changed(&self, tap: &Tap) {
        // The end of a task is one atomic operation before this, and a wait looks once more after it is on the list, so one of
        // the two sees the other.
        if self.waiting.load(Ordering::SeqCst) != 0 {
            self.look(tap);
        }
    }

    /// Ends the waits that are over.
    #[cold]
    fn look(&self, tap: &Tap) {
        let over: Vec<Wait> = {
            let mut state = self.state.lock();
            let State {
                waits,
                writing,
                writes,
            } = &mut *state;
            let over = waits
                .extract_if(.., |wait| is_over(wait, writing, writes, tap))
                .collect();
            self.waiting.store(waits.len(), Ordering::SeqCst);
            over
        };
        for wait in over {
            wait.ending.end(Ok(()));
        }
    }

    fn wait(&self, tap: &Tap, wait: Wait) {
        {
            let mut state = self.state.lock();
            state.waits.push(wait);
            self.waiting.store(state.waits.len(), Ordering::SeqCst);
        }
        self.look(tap);
    }

    fn write(&self, shared: &Shared, place: u64, value: u64, ending: Ending) {
        let written = match shared.stager() {
            Some(stager) => self.write_on_gpu(stager, place, value),
            None => Ok(false),
        };
        let mut state = self.state.lock();
        if shared.tap.listening()
            && written.is_ok()
            && let Some(position) = ending.position()
        {
            if state.writes.len() >= MOST_WRITES {
                state.writes.clear();
            }
            state.writes.insert(place, Write { position, value });
        }
        if let Some(at) = state.writing.iter().position(|it| *it == place) {
            state.writing.swap_remove(at);
        }
        if matches!(written, Ok(false)) {
            // SAFETY: the task keeps the memory, and the address was checked to be a multiple of 8.
            unsafe { word(place) }.store(value, Ordering::SeqCst);
        }
        drop(state);
        ending.end(written.map(drop).map_err(TaskFailure::Device));
    }

    /// Writes a word if it is a GPU's. No lock is held meanwhile, because the word has to wait until no native work is under way.
    fn write_on_gpu(&self, gpu: &DeviceCore, place: u64, value: u64) -> Result<bool, DeviceError> {
        self.state.lock().writing.push(place);
        gpu.device.store_word(place, value)
    }
}

/// The word that a wait is for. `None` if it cannot be read: then it is not what is waited for, and the stream's next task says why.
fn load(wait: &Wait) -> Option<u64> {
    if let Some(stager) = &wait.stager
        && let Some(there) = stager.device.load_word(wait.place).transpose()
    {
        return there.ok();
    }
    // SAFETY: the task keeps the memory until its end, and the address was checked to be a multiple of 8.
    Some(unsafe { word(wait.place) }.load(Ordering::SeqCst))
}

/// Whether a wait is over; then it is recorded whose write it saw.
fn is_over(wait: &Wait, writing: &[u64], writes: &HashMap<u64, Write>, tap: &Tap) -> bool {
    if (wait.is_aborted)() {
        return true;
    }
    if writing.contains(&wait.place) {
        return false;
    }
    let Some(now) = load(wait) else {
        return false;
    };
    let holds = wait.comparison.holds(now, wait.value);
    if holds && let Some(position) = wait.ending.position() {
        // If the word has another value than that write gave it, something else wrote it since.
        let write = writes.get(&wait.place).filter(|write| write.value == now);
        let writer = write.map(|write| write.position);
        tap.emit(|| Operation::WordMet { position, writer });
    }
    holds
}

fn touch(address: u64, writes: bool) -> Result<[Touch; 1], Box<Error>> {
    if !address.is_multiple_of(BYTES) {
        return Err(Error::Unaligned {
            address,
            alignment: BYTES,
        }
        .into());
    }
    Ok([Touch {
        address,
        bytes: BYTES,
        reads: !writes,
        writes,
    }])
}

impl Stream {
    /// Writes a word of eight bytes when the stream comes to it, in one piece. `name` is for records and errors.
    pub fn write_word(
        &self,
        name: &'static str,
        address: u64,
        value: u64,
    ) -> Result<(), Box<Error>> {
        let touch = touch(address, true)?;
        self.call_using(
            name,
            &touch,
            |_| Ok(()),
            move |stream| {
                let shared = Arc::clone(stream.shared());
                let begin = move |places: &[u64], ending: Ending| {
                    if let [place] = places {
                        shared.words.write(&shared, *place, value, ending);
                    }
                };
                stream
                    .external_as(name, &touch, EndedBy::Others, ON_WORDS, begin)
                    .map(drop)
            },
        )
    }

    /// Waits, when the stream comes to it, until a word of eight bytes compares with a value. No thread is held. `begun` is
    /// called when the wait begins, on any thread, and must not block: whoever has to may then call [`Runtime::look_at_words`] from time to
    /// time.
    pub fn wait_word(
        &self,
        name: &'static str,
        address: u64,
        (comparison, value): (Comparison, u64),
        begun: impl Fn() + Send + Sync + 'static,
    ) -> Result<(), Box<Error>> {
        let touch = touch(address, false)?;
        let begun = Arc::new(begun);
        self.call_using(
            name,
            &touch,
            |_| Ok(()),
            move |stream| {
                let (shared, begun) = (Arc::clone(stream.shared()), Arc::clone(&begun));
                let begin = move |places: &[u64], ending: Ending| {
                    if let [place] = places {
                        let wait = Wait {
                            place: *place,
                            value,
                            comparison,
                            is_aborted: Box::new(ending.watch_aborts()),
                            ending,
                            stager: shared.stager().cloned(),
                        };
                        shared.words.wait(&shared.tap, wait);
                        begun();
                    }
                };
                stream
                    .external_as(name, &touch, EndedBy::Program, ON_WORDS, begin)
                    .map(drop)
            },
        )
    }
}

impl Runtime {
    /// Looks at the words that streams wait for: something that the runtime does not see may have written them. Returns whether
    /// streams still wait.
    pub fn look_at_words(&self) -> bool {
        let Shared { words, tap, .. } = &*self.shared;
        words.changed(tap);
        words.waiting.load(Ordering::SeqCst) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons() {
        use Comparison::{And, Equal, GreaterOrEqual, Nor};
        let table = [
            (GreaterOrEqual, 5, 5, true),
            (GreaterOrEqual, 4, 5, false),
            (GreaterOrEqual, 0, u64::MAX, true),
            (GreaterOrEqual, u64::MAX, 0, false),
            (GreaterOrEqual, 1 << 63, 0, false),
            (GreaterOrEqual, (1 << 63) - 1, 0, true),
            (Equal, 7, 7, true),
            (Equal, 6, 7, false),
            (And, 0b110, 0b010, true),
            (And, 0b100, 0b010, false),
            (And, u64::MAX, 0, false),
            (Nor, 0, u64::MAX, false),
            (Nor, 0, u64::MAX - 1, true),
            (Nor, 1, u64::MAX - 1, false),
        ];
        for (comparison, now, value, expected) in table {
            assert_eq!(
                comparison.holds(now, value),
                expected,
                "{comparison:?} of {now:#x} and {value:#x}"
            );
        }
    }
}
