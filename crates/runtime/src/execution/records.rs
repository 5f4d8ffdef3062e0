//! Records of runs: their accesses, the source of their memory, and refusals.

use millpond_trace::{Accesses, Bytes, Operation, Outcome, RunSource, Span, TaskKind, Text};

use super::argument::{Argument, Data, Destination, Output};
use super::call::Call;
use super::model::ModelCore;
use super::plan::bytes_of;
use super::site::Site;
use super::source::BlockSource;
use crate::api::device::Device;
use crate::error::Error;
use crate::shared::Shared;

impl ModelCore {
    /// What records call it: an operator by its type alone, which errors say is an operator.
    fn record_name(&self) -> Text {
        let name = self.name.strip_prefix("operator ").unwrap_or(&self.name);
        Text::Owned(name.to_owned())
    }

    /// A accesses of this model that touches nothing yet.
    pub(super) fn accesses(&self) -> Accesses {
        Accesses {
            name: self.record_name(),
            model: self.number,
            geared: self.geared,
            ..Accesses::none(TaskKind::Compute)
        }
    }

    /// What a run would have done that was refused: all that it needs of what was given.
    pub(super) fn refused_deed(
        &self,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
        error: &Error,
    ) -> Accesses {
        let range = |start, bytes| Span::from(Bytes { start, bytes });
        let mut accesses = self.accesses();
        accesses.reads = inputs
            .iter()
            .filter_map(|input| match input.data {
                Data::At { address, bytes } => {
                    let needed = bytes_of(input.element, input.dims);
                    Some(range(address, needed.unwrap_or(bytes)))
                }
                Data::Host(_) => None,
            })
            .collect();
        let writes = outputs.iter().enumerate().filter_map(|(index, output)| {
            let Destination::At { address, room } = output.destination else {
                return None;
            };
            let needed = match error {
                Error::OutputTooSmall { output, needed, .. } if *output == index => *needed,
                _ => output.likely.or(output.dims).map_or(room, |dims| {
                    let slot = self.outputs.get(index);
                    slot.and_then(|slot| bytes_of(slot.element, dims))
                        .unwrap_or(room)
                }),
            };
            Some(range(address, needed))
        });
        accesses.writes = writes.collect();
        // What it would have done with memory of its own counts only where that is what is wrong.
        if let Error::NotABlock { address, .. } = error {
            let named = |range: &Bytes| range.start == *address;
            accesses
                .reads
                .extend(self.weights_at.filter(named).map(Span::from));
            let work = self.work_memory().filter(named).map(Span::from);
            accesses.scratch = u64::from(work.is_some());
            accesses.writes.extend(work);
        }
        accesses.room = match error {
            Error::OutputTooSmall { room, .. } => *room,
            Error::InputTooSmall { given, .. } => *given,
            _ => 0,
        };
        accesses
    }

    /// Records a run that was waited for.
    pub(super) fn record_run(&self, device: &Device, call: &Call, failure: Option<&str>) {
        device.shared.tap.emit(|| Operation::Moved {
            accesses: call.accesses(self),
            outcome: failure.map_or(Outcome::Done, |text| Outcome::Failed(text.to_owned())),
        });
    }

    /// Records where the memory of a run is from.
    pub(super) fn record_place(
        &self,
        shared: &Shared,
        site: &Site,
        source: &BlockSource<'_>,
        bytes: u64,
    ) {
        shared.tap.emit(|| {
            let (stream, from, reason) = source.origin(site, bytes);
            if bytes == 0 {
                return self.placed_nowhere(stream);
            }
            Operation::RunPlaced {
                stream,
                name: self.record_name(),
                source: from,
                bytes,
                reason: Text::Borrowed(reason),
            }
        });
    }

    /// Records that a run on a stream needs no memory.
    pub(super) fn record_no_place(&self, shared: &Shared, stream: u64) {
        shared.tap.emit(|| self.placed_nowhere(Some(stream)));
    }

    fn placed_nowhere(&self, stream: Option<u64>) -> Operation {
        Operation::RunPlaced {
            stream,
            name: self.record_name(),
            source: RunSource::Nothing,
            bytes: 0,
            reason: Text::Borrowed("it needs no memory beyond its inputs and outputs"),
        }
    }
}
