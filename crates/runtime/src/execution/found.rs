//! Copies whose addresses are in memory: a task reads them when its stream comes to it, and copies.
//!
//! Nobody waits for the stream to learn the addresses. So which bytes a copy uses is known only when it runs: then its memory is looked up,
//! notes the task, and a record says what is copied ([`Operation::CopyFound`]), from where the copy was requested. If there is no such
//! memory, the stream fails with a sentence.

use std::sync::Arc;

use millpond_trace::{Bytes, CallSite, Operation, Space};

use super::call::Call;
use super::native::{Begin, Touch};
use super::task::Move;
use crate::api::raw::RawCopy;
use crate::api::stream::{Stream, plan_copy};
use crate::error::{Boxed, Error, TaskFailure};
use crate::shared::{DeviceCore, Shared};
use crate::stream::{EndedBy, Ending};

/// How these copies begin: they may be large.
const IN_TURN: Begin = Begin {
    on_caller: false,
    staged: true,
};

/// Tells from the words at its places what to copy, or why that is impossible.
type Find = dyn Fn(&[u64]) -> Result<RawCopy, String> + Send + Sync;

impl Stream {
    /// Queues a copy inside a device. When the stream comes to it, `find` gets the words of eight bytes that are in these places, one place after
    /// the other, and says what to copy. `name` is for records and errors.
    pub fn copy_found(
        &self,
        name: &'static str,
        places: &[Bytes],
        find: impl Fn(&[u64]) -> Result<RawCopy, String> + Send + Sync + 'static,
    ) -> Result<(), Box<Error>> {
        let touches: Vec<Touch> = places
            .iter()
            .map(|place| Touch {
                address: place.start,
                bytes: place.bytes,
                reads: true,
                writes: false,
            })
            .collect();
        let used = touches.clone();
        let check = move |stream: &Self| {
            let ranges = used.iter().map(Touch::range);
            Call::using(stream.shared(), ranges, None)?.check(stream.shared())
        };
        let find: Arc<Find> = Arc::new(find);
        let used = touches.clone();
        self.call_using(name, &touches, check, move |stream| {
            let copy = Found {
                name,
                find: Arc::clone(&find),
                shared: Arc::clone(stream.shared()),
                device: Arc::clone(&stream.core().device),
                bytes: used.iter().map(|touch| touch.bytes).collect(),
                function: CallSite::function(),
                site: CallSite::current(),
            };
            let begin = move |places: &[u64], ending: Ending| {
                let copied = copy.copy(places, &ending);
                ending.end(copied);
            };
            stream
                .external_as(name, &used, EndedBy::Others, IN_TURN, begin)
                .map(drop)
        })
    }
}

/// The task.
struct Found {
    name: &'static str,
    find: Arc<Find>,
    shared: Arc<Shared>,
    device: Arc<DeviceCore>,
    /// The bytes of each place.
    bytes: Vec<u64>,
    function: &'static str,
    site: (u64, millpond_trace::StackRef),
}

impl Found {
    /// Finds and copies, on the thread that runs the stream.
    fn copy(&self, places: &[u64], ending: &Ending) -> Result<(), TaskFailure> {
        let (caller, stack) = self.site;
        let _site = CallSite::note(self.function, caller, stack);
        let failed = |reason: String| TaskFailure::Computation(format!("{}: {reason}", self.name));
        let copy = (self.find)(&self.words(places)).map_err(failed)?;
        let stream = ending.position().map(|at| at.stream);
        self.inside_one_device(&copy, stream).map_err(failed)?;
        self.carry_out(&copy, ending).map_err(|error| {
            let accesses = |_: &Error| copy.accesses();
            let error = self.shared.refused_work(stream, accesses, error);
            failed(error.to_string())
        })
    }

    /// Refuses what is not memory of one device.
    fn inside_one_device(&self, copy: &RawCopy, stream: Option<u64>) -> Result<(), String> {
        let space = |address| {
            self.shared
                .operand(address, copy.bytes)
                .map(|side| side.space)
        };
        let (Ok(to), Ok(from)) = (space(copy.to), space(copy.from)) else {
            // What is wrong with a range is said when it is looked up again.
            return Ok(());
        };
        if matches!((to, from), (Space::Device(to), Space::Device(from)) if to == from) {
            return Ok(());
        }
        let reason = format!(
            "destination {:#x} and source {:#x} are not memory of one device",
            copy.to, copy.from
        );
        self.shared.tap.emit(|| Operation::WorkRefused {
            stream,
            accesses: copy.accesses(),
            reason: reason.clone(),
        });
        Err(reason)
    }

    /// The words at its places.
    fn words(&self, places: &[u64]) -> Vec<u64> {
        let mut words = Vec::new();
        for (place, bytes) in places.iter().zip(&self.bytes) {
            let mut here = vec![0_u64; usize::try_from(bytes / 8).unwrap_or(0)];
            let read = Move {
                from: *place,
                to: here.as_mut_ptr().expose_provenance() as u64,
                bytes: here.len() as u64 * 8,
            };
            read.perform();
            words.append(&mut here);
        }
        words
    }

    fn carry_out(&self, copy: &RawCopy, ending: &Ending) -> Boxed<()> {
        let shared = &self.shared;
        let Some(motion) = plan_copy(shared, copy)? else {
            return Ok(());
        };
        // From here on the memory is kept until the task has ended.
        shared.check(&motion, ending.user())?;
        let _kept = shared.keep(&motion)?;
        if let Some(position) = ending.position() {
            shared.tap.emit(|| Operation::CopyFound {
                position,
                accesses: motion.accesses(copy.room),
            });
        }
        let moved = motion.ready().perform(&*self.device.device);
        moved.map_err(|error| Error::Device(error).into())
    }
}
