//! Events with `ACL_EVENT_EXTERNAL`: between a graph and work outside of it.
//!
//! Unlike other events they are set, waited for and reset when streams come to these tasks, not when the calls are made: a graph that
//! was captured once waits anew at every launch. So they are signals, as notifications are.

use std::sync::Arc;
use std::time::Duration;

use millpond::{EndedBy, Stream};
use millpond_abi as abi;

use super::ipc_event::{outcome, unless_aborted};
use crate::boundary::CallError;
use crate::current;
use crate::handles::{mint, resolve, withdraw, word};
use crate::registry::{HandleGuard, Kind, Registry};
use crate::sharing::signal::{Signal, SignalKind};
use crate::sharing::{self, Waited};

pub(crate) static EVENTS: Registry<Arc<Signal>> = Registry::new(Kind::ExternalEvent);

/// The event behind a handle; `None` if the handle is of another kind.
pub(super) fn get(
    event: abi::aclrtEvent,
) -> Option<Result<HandleGuard<'static, Arc<Signal>>, CallError>> {
    let is = Kind::ExternalEvent.is_of(word(event));
    is.then(|| resolve(&EVENTS, Kind::ExternalEvent, event, "event"))
}

pub(super) fn create() -> Result<u64, CallError> {
    current::with(|_| Ok(()))?;
    let signal = Signal::create(SignalKind::Notify)?;
    mint(&EVENTS, Kind::ExternalEvent, Arc::new(signal))
}

pub(super) fn destroy(event: abi::aclrtEvent) -> Result<(), CallError> {
    let gone = withdraw(&EVENTS, Kind::ExternalEvent, event, "event")?;
    sharing::hub()?.withdraw_object(&gone);
    Ok(())
}

/// Queues that it is set, or reset.
pub(super) fn set(
    signal: &Arc<Signal>,
    stream: &Stream,
    name: &'static str,
    to: u32,
) -> Result<(), CallError> {
    let signal = Arc::clone(signal);
    Ok(stream.call(name, move |stream| {
        let signal = Arc::clone(&signal);
        let queued = stream.external(name, &[], EndedBy::Others, move |_, ending| {
            signal.change(|_| to);
            ending.end(Ok(()));
        });
        queued.map(drop)
    })?)
}

/// Queues a wait until it is set.
pub(super) fn wait(
    signal: &Arc<Signal>,
    stream: &Stream,
    limit: Option<Duration>,
) -> Result<(), CallError> {
    let hub = sharing::hub()?;
    let signal = Arc::clone(signal);
    Ok(stream.call("aclrtStreamWaitEvent", move |stream| {
        let signal = Arc::clone(&signal);
        let queued = stream.external(
            "aclrtStreamWaitEvent",
            &[],
            EndedBy::Program,
            move |_, ending| {
                let key = Some(signal.key());
                let is_set = move || {
                    let set = signal.try_take(|value| (value != 0).then_some(value));
                    set.then_some(Waited::Done)
                };
                let is_set = unless_aborted(&ending, is_set);
                hub.when(key, is_set, limit, move |waited| {
                    ending.end(outcome(waited, limit));
                });
            },
        );
        queued.map(drop)
    })?)
}

/// Whether it is set.
pub(super) fn is_set(signal: &Signal) -> bool {
    signal.try_take(|value| (value != 0).then_some(value))
}
