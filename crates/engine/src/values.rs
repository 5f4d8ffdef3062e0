//! The options and values of one run.
#![expect(unsafe_code, reason = "calls functions of the engine")]

use std::cell::Cell;
use std::ptr;

use ort_sys::{OrtRunOptions, OrtValue};

use crate::api::Api;
use crate::error::EngineError;

thread_local! {
    /// Reusable options for the next run on this thread.
    static SPARE: Cell<Option<RunOptions>> = const { Cell::new(None) };
}

/// The engine's options for a run, used to terminate it.
pub(crate) struct RunOptions {
    api: Api,
    pub(crate) options: *mut OrtRunOptions,
}

impl RunOptions {
    pub(crate) fn take(api: Api) -> Result<Self, EngineError> {
        // A thread that is ending keeps none, and may run models yet.
        if let Ok(Some(spare)) = SPARE.try_with(Cell::take)
            && ptr::eq(spare.api.table, api.table)
        {
            return Ok(spare);
        }
        let mut options = ptr::null_mut();
        // SAFETY: writes one pointer.
        api.check(unsafe { (api.table.CreateRunOptions)(&raw mut options) })?;
        Ok(Self { api, options })
    }

    pub(crate) fn give_back(self) {
        // Dropped where the thread is ending.
        drop(SPARE.try_with(|spare| spare.replace(Some(self))));
    }
}

impl Drop for RunOptions {
    fn drop(&mut self) {
        // SAFETY: created by this, released once, and no run uses them.
        unsafe { (self.api.table.ReleaseRunOptions)(self.options) };
    }
}

/// Values of a run, released at its end. Most runs have few.
pub(crate) struct Values {
    api: Api,
    few: [*mut OrtValue; FEW],
    many: Vec<*mut OrtValue>,
    count: usize,
}

const FEW: usize = 12;

impl Values {
    pub(crate) fn new(api: Api, room: usize) -> Self {
        Self {
            api,
            few: [ptr::null_mut(); FEW],
            many: if room > FEW {
                vec![ptr::null_mut(); room]
            } else {
                Vec::new()
            },
            count: 0,
        }
    }

    fn all(&mut self) -> &mut [*mut OrtValue] {
        if self.many.is_empty() {
            &mut self.few
        } else {
            &mut self.many
        }
    }

    pub(crate) fn add(&mut self, value: *mut OrtValue) {
        let count = self.count;
        self.all()[count] = value;
        self.count += 1;
    }

    /// The first `inputs`, and the others.
    pub(crate) fn split(&mut self, inputs: usize) -> (&mut [*mut OrtValue], &mut [*mut OrtValue]) {
        let count = self.count;
        self.all()[..count].split_at_mut(inputs)
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        let (api, count) = (self.api, self.count);
        for value in &self.all()[..count] {
            if !value.is_null() {
                // SAFETY: made for this run, and released once.
                unsafe { (api.table.ReleaseValue)(*value) };
            }
        }
    }
}
