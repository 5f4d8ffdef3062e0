//! Streams, events, and functions that a stream calls.
#![expect(unsafe_code, reason = "calls functions of the driver")]

use std::ffi::{c_int, c_uint, c_void};

use crate::context::Context;
use crate::driver::Driver;
use crate::error::{Code, Error};

/// A stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stream(pub(crate) usize);

impl Stream {
    /// The default stream of the thread's context, which waits for and holds up all others that are not marked otherwise.
    pub const DEFAULT: Self = Self(0);

    /// A stream that another library gave out.
    ///
    /// # Safety
    /// `raw` is a stream of the driver that it is passed to, and stays one while this value is used.
    pub unsafe fn from_raw(raw: usize) -> Self {
        Self(raw)
    }

    /// The driver's own value.
    pub fn raw(self) -> usize {
        self.0
    }
}

/// An event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Event(pub(crate) usize);

impl Event {
    /// An event that another library gave out.
    ///
    /// # Safety
    /// `raw` is an event of the driver that it is passed to, and stays one while this value is used.
    pub unsafe fn from_raw(raw: usize) -> Self {
        Self(raw)
    }

    /// The driver's own value.
    pub fn raw(self) -> usize {
        self.0
    }
}

/// What a query says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ready {
    /// Everything in front is over.
    Yes,
    /// It is not.
    No,
}

/// Whether a stream is captured into a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    /// It is not.
    None,
    /// It is.
    Active,
    /// It was, and something forbidden ended it.
    Broken,
}

const NON_BLOCKING: c_uint = 1;
const WITHOUT_TIMING: c_uint = 2;

impl Driver {
    /// Makes a stream in the thread's context that the default stream does not hold up.
    pub fn stream(&self) -> Result<Stream, Error> {
        let mut stream = 0;
        // SAFETY: one handle is written.
        unsafe { self.calls.stream_create(&raw mut stream, NON_BLOCKING) }?;
        Ok(Stream(stream))
    }

    /// Destroys a stream when its work is over. Does not wait for that.
    ///
    /// # Safety
    /// Nobody uses the stream any more.
    pub unsafe fn destroy_stream(&self, stream: Stream) -> Result<(), Error> {
        // SAFETY: the caller promises that this is the last use.
        unsafe { self.calls.stream_destroy(stream.0) }
    }

    /// Whether all work of a stream is over.
    pub fn stream_ready(&self, stream: Stream) -> Result<Ready, Error> {
        // SAFETY: the value is a stream.
        ready(unsafe { self.calls.stream_query(stream.0) })
    }

    /// Waits for all work of a stream.
    pub fn synchronize_stream(&self, stream: Stream) -> Result<(), Error> {
        // SAFETY: the value is a stream.
        unsafe { self.calls.stream_synchronize(stream.0) }
    }

    /// Work that is queued from now on waits for the last recording of `event`.
    pub fn wait(&self, stream: Stream, event: Event) -> Result<(), Error> {
        // SAFETY: the values are a stream and an event.
        unsafe { self.calls.stream_wait(stream.0, event.0, 0) }
    }

    /// Whether a stream is captured into a graph.
    pub fn capture(&self, stream: Stream) -> Result<Capture, Error> {
        let mut state: c_int = 0;
        // SAFETY: one number is written; the value is a stream.
        unsafe { self.calls.stream_capturing(stream.0, &raw mut state) }?;
        Ok(match state {
            0 => Capture::None,
            1 => Capture::Active,
            _ => Capture::Broken,
        })
    }

    /// The context that a stream belongs to.
    pub fn context_of(&self, stream: Stream) -> Result<Context, Error> {
        let mut context = 0;
        // SAFETY: one handle is written; the value is a stream.
        unsafe { self.calls.stream_context(stream.0, &raw mut context) }?;
        Ok(Context(context))
    }

    /// Calls `function` with `argument` on a thread of the driver when the stream reaches it. It must not call the driver.
    ///
    /// # Safety
    /// The function may be called with this argument at any later time, once, on any thread.
    pub unsafe fn call(
        &self,
        stream: Stream,
        function: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> Result<(), Error> {
        // SAFETY: the caller promises that the function can be called.
        unsafe { self.calls.launch_function(stream.0, function, argument) }
    }

    /// Makes an event without times in the thread's context.
    pub fn event(&self) -> Result<Event, Error> {
        let mut event = 0;
        // SAFETY: one handle is written.
        unsafe { self.calls.event_create(&raw mut event, WITHOUT_TIMING) }?;
        Ok(Event(event))
    }

    /// Makes an event with times in the thread's context.
    pub fn timed_event(&self) -> Result<Event, Error> {
        let mut event = 0;
        // SAFETY: one handle is written.
        unsafe { self.calls.event_create(&raw mut event, 0) }?;
        Ok(Event(event))
    }

    /// Destroys an event. Does not wait for its recording.
    ///
    /// # Safety
    /// Nobody uses the event any more.
    pub unsafe fn destroy_event(&self, event: Event) -> Result<(), Error> {
        // SAFETY: the caller promises that this is the last use.
        unsafe { self.calls.event_destroy(event.0) }
    }

    /// The event now stands for the work that is queued in the stream.
    pub fn record(&self, event: Event, stream: Stream) -> Result<(), Error> {
        // SAFETY: the values are an event and a stream.
        unsafe { self.calls.event_record(event.0, stream.0) }
    }

    /// Whether the work of the last recording is over. True where nothing was recorded.
    pub fn event_ready(&self, event: Event) -> Result<Ready, Error> {
        // SAFETY: the value is an event.
        ready(unsafe { self.calls.event_query(event.0) })
    }

    /// Waits for the work of the last recording.
    pub fn synchronize_event(&self, event: Event) -> Result<(), Error> {
        // SAFETY: the value is an event.
        unsafe { self.calls.event_synchronize(event.0) }
    }

    /// Milliseconds between two recordings of timed events, which are over.
    pub fn elapsed(&self, start: Event, end: Event) -> Result<f32, Error> {
        let mut milliseconds = 0.0;
        // SAFETY: one number is written; the values are events.
        unsafe {
            self.calls
                .event_elapsed(&raw mut milliseconds, start.0, end.0)
        }?;
        Ok(milliseconds)
    }
}

fn ready(queried: Result<(), Error>) -> Result<Ready, Error> {
    match queried {
        Ok(()) => Ok(Ready::Yes),
        Err(error) if error.code() == Some(Code::NOT_READY) => Ok(Ready::No),
        Err(error) => Err(error),
    }
}
