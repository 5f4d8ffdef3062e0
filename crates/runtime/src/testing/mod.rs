//! For test suites: calls that fail by rule, and counts of calls.
//!
//! [`Rules`] is a small language that says which calls fail and how (`rules.rs`), [`Counters`] says how often functions were called.
//! Both are plain data with locks of their own. The C interface has one of each for the process and knows C functions by name; a [`Runtime`]
//! has one of each for its own methods, whose names are in [`METHODS`]:
//!
//! ```
//! use millpond::{Config, Runtime};
//!
//! let runtime = Runtime::new(Config::default())?;
//! runtime.faults().set("Device.alloc:nth=2")?;
//! runtime.calls().start();
//! let device = runtime.device(0)?;
//! assert!(device.alloc(64).is_ok());
//! let refused = device.alloc(64).unwrap_err();
//! assert!(refused.to_string().contains("Device.alloc:nth=2"), "{refused}");
//! assert_eq!(runtime.calls().of("Device.alloc").calls, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod counters;
mod rules;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use counters::{Count, Counters};
pub use rules::{Action, Call, Decision, Names, Rule, Rules, matches};

use crate::api::runtime::Runtime;
use crate::api::stream::Stream;
use crate::clock::Clock;
use crate::error::{Error, TaskFailure};
use crate::stream::EndedBy;

/// The methods that rules can name and that are counted.
pub const METHODS: [&str; 10] = [
    "Device.alloc",
    "Device.create_stream",
    "Device.synchronize",
    "Event.synchronize",
    "Runtime.alloc_host",
    "Runtime.create_event",
    "Stream.copy",
    "Stream.fill",
    "Stream.record",
    "Stream.synchronize",
];

/// The code of an error that a rule causes and gives no number.
const USUAL_CODE: i32 = 507_000;

/// Faults and counts of one runtime.
#[derive(Debug)]
pub(crate) struct Testing {
    /// Whether any of them is used.
    used: AtomicBool,
    rules: Rules,
    counters: Counters,
    clock: Arc<Clock>,
}

impl Testing {
    pub(crate) fn new(clock: &Arc<Clock>) -> Self {
        Self {
            used: AtomicBool::new(false),
            rules: Rules::new(),
            counters: Counters::new(),
            clock: Arc::clone(clock),
        }
    }

    /// A method was called. Fails if a rule says so.
    #[inline]
    pub(crate) fn enter(&self, method: &'static str, bytes: Option<u64>) -> Result<(), Error> {
        if self.used.load(Ordering::Relaxed) {
            self.enter_slowly(method, bytes)
        } else {
            Ok(())
        }
    }

    #[cold]
    fn enter_slowly(&self, method: &'static str, bytes: Option<u64>) -> Result<(), Error> {
        let call = Call {
            function: method,
            bytes: None,
            device: None,
        };
        let mut decision = self.rules.decide(&call);
        if decision.is_none() && bytes.is_some() {
            decision = self.rules.decide(&Call { bytes, ..call });
        }
        let failure = decision.and_then(|decision| match decision.action {
            Action::Return(code) | Action::Lost(code) | Action::Task(code) => {
                let text = decision.sentence();
                Some(Error::Injected { code, text })
            }
            Action::Delay(time) => {
                // The call itself; a task is delayed with `Stream::delay`.
                self.clock.sleep(time);
                None
            }
        });
        self.counters.count(method, failure.is_some());
        failure.map_or(Ok(()), Err)
    }
}

/// The vocabulary of a runtime's rules.
struct Methods;

impl Names for Methods {
    fn functions(&self) -> Vec<&'static str> {
        METHODS.to_vec()
    }

    fn near(&self, name: &str) -> Vec<String> {
        let last = |name: &str| name.rsplit('.').next().map(str::to_owned);
        let wanted = last(name);
        let near = METHODS.iter().filter(|known| last(known) == wanted);
        near.map(|known| (*known).to_owned()).collect()
    }

    fn code(&self, name: &str) -> Result<i32, String> {
        Err(format!(
            "code is '{name}', but must be a number other than 0"
        ))
    }

    fn usual_code(&self, _function: &str) -> i32 {
        USUAL_CODE
    }

    fn lost_code(&self) -> i32 {
        USUAL_CODE
    }

    fn has_size(&self, function: &str) -> bool {
        [
            "Device.alloc",
            "Runtime.alloc_host",
            "Stream.copy",
            "Stream.fill",
        ]
        .contains(&function)
    }
}

/// Access to the rules of a runtime.
#[derive(Debug, Clone, Copy)]
pub struct FaultsOf<'a> {
    testing: &'a Testing,
}

impl FaultsOf<'_> {
    /// Replaces the rules; counting starts again. An empty text removes all. An invalid text changes nothing, and the error says what is
    /// wrong with it.
    pub fn set(self, text: &str) -> Result<(), Error> {
        let set = self.testing.rules.set(text, &Methods);
        set.map_err(|problem| Error::BadSetting {
            setting: "faults".to_owned(),
            value: text.to_owned(),
            expected: problem,
        })?;
        self.testing.used.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// How many calls were made to fail or to wait by rules since they were set.
    pub fn hits(self) -> u64 {
        self.testing.rules.hits()
    }
}

/// Access to the counts of a runtime.
#[derive(Debug, Clone, Copy)]
pub struct CallsOf<'a> {
    testing: &'a Testing,
}

impl CallsOf<'_> {
    /// Counts from now on, from 0.
    pub fn start(self) {
        self.testing.counters.start();
        self.testing.used.store(true, Ordering::Relaxed);
    }

    /// How often a method was called, and how often a rule made it fail. The name may have a `*` in it.
    pub fn of(self, pattern: &str) -> Count {
        self.testing.counters.of(pattern)
    }
}

impl Runtime {
    /// The rules by which its methods fail.
    pub fn faults(&self) -> FaultsOf<'_> {
        FaultsOf {
            testing: &self.shared.testing,
        }
    }

    /// How often its methods were called.
    pub fn calls(&self) -> CallsOf<'_> {
        CallsOf {
            testing: &self.shared.testing,
        }
    }
}

impl Stream {
    /// Queues a task that fails, with this code and text. A synchronisation reports it.
    pub fn fail(&self, code: i32, text: impl Into<String>) -> Result<(), Box<Error>> {
        let text = text.into();
        let queued = self.external("injected fault", &[], EndedBy::Others, move |_, ending| {
            ending.end(Err(TaskFailure::Injected { code, text }));
        });
        queued.map(drop)
    }

    /// Queues a task that does nothing for a time, as the runtime's [clock](Runtime::clock) counts it.
    pub fn delay(&self, time: Duration) -> Result<(), Box<Error>> {
        let shared = Arc::clone(self.shared());
        let queued =
            self.external(
                "injected delay",
                &[],
                EndedBy::Others,
                move |_, ending| match shared.clock.after(time) {
                    Some(at) => shared
                        .scheduler
                        .call_later(at, Box::new(move || ending.end(Ok(())))),
                    None => ending.end(Ok(())),
                },
            );
        queued.map(drop)
    }
}
