//! Queues work on pictures: which bytes of memory it reads and writes, by rows, and what it does to them.
#![expect(
    unsafe_code,
    reason = "work gets slices of memory that the runtime resolved"
)]

use std::sync::Arc;

use millpond::{Stream, Touch};
use millpond_abi as abi;
use millpond_media::{Layout, Part, Region, Rules, Step};
use millpond_trace::{Space, Span};

use super::picture::Picture;
use crate::boundary::CallError;
use crate::handles::host_pointer;
use crate::process;

/// A picture operation that was checked.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) step: Step,
    pub(super) source: u64,
    pub(super) target: u64,
    /// Who learns how it ended.
    pub(super) output: Picture,
}

/// An argument that breaks a rule of the manual.
pub(super) fn invalid(text: String) -> CallError {
    CallError::coded(abi::ACL_ERROR_INVALID_PARAM, text)
}

/// The rules of the chip that the devices claim to be.
pub(super) fn rules() -> Result<&'static Rules, CallError> {
    Ok(Rules::of(process::settings()?.profile.soc_name))
}

/// Refuses memory that is not a device's.
pub(super) fn on_device(address: u64, what: &str) -> Result<(), CallError> {
    match process::runtime()?.space_of(address) {
        Some(Space::Device(_)) => Ok(()),
        Some(Space::Pinned | Space::Foreign) | None => Err(invalid(format!(
            "{what} is at {address:#x}, which is not device memory: allocate it with acldvppMalloc"
        ))),
    }
}

/// The bytes that work uses, as the runtime and as records name them.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) touches: Vec<Touch>,
    pub(super) rows: Vec<Span>,
}

impl Uses {
    pub(super) fn add(&mut self, span: Span, writes: bool) {
        let hull = span.hull();
        self.touches.push(Touch {
            address: hull.start,
            bytes: hull.bytes,
            reads: !writes,
            writes,
        });
        self.rows.push(span);
    }

    pub(super) fn add_picture(
        &mut self,
        address: u64,
        layout: &Layout,
        region: Region,
        writes: bool,
    ) {
        for part in layout.parts(region) {
            let span = Span {
                start: address + part.start as u64,
                width: part.width as u64,
                pitch: part.pitch as u64,
                rows: part.rows as u64,
            };
            self.add(span, writes);
        }
    }
}

fn length(part: &Part) -> usize {
    part.end() - part.start
}

/// Reads the parts of a picture.
///
/// # Safety
/// Each place must be the start of as many readable bytes as its part has.
pub(super) unsafe fn readable<'a>(parts: &[Part], places: &[u64]) -> Vec<&'a [u8]> {
    let both = parts.iter().zip(places);
    both.map(|(part, place)| {
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts(host_pointer::<u8>(*place), length(part)) }
    })
    .collect()
}

/// Writes the parts of a picture.
///
/// # Safety
/// Each place must be the start of as many bytes as its part has, which nothing else uses meanwhile.
pub(super) unsafe fn writable<'a>(parts: &[Part], places: &[u64]) -> Vec<&'a mut [u8]> {
    let both = parts.iter().zip(places);
    both.map(|(part, place)| {
        // SAFETY: as the caller promises; the parts of a picture do not overlap.
        unsafe { std::slice::from_raw_parts_mut(host_pointer::<u8>(*place), length(part)) }
    })
    .collect()
}

/// Queues an operation.
pub(super) fn queue(name: &'static str, job: &Job, stream: &Stream) -> Result<(), CallError> {
    let step = job.step;
    let mut uses = Uses::default();
    uses.add_picture(job.source, &step.from, step.crop, false);
    let sources = uses.touches.len();
    uses.add_picture(job.target, &step.to, step.paste, true);
    let output = Arc::clone(&job.output);
    let run = move |places: &[u64], _: u64| {
        let (from, to) = places.split_at(sources);
        // SAFETY: the runtime resolved the touches, in their order, and keeps them until this returns.
        let bytes = unsafe { readable(&step.from.parts(step.crop), from) };
        let image = step.compute(&bytes);
        // SAFETY: as above; the slices of the source, which may be the same memory, are not used any more.
        let mut bytes = unsafe { writable(&step.to.parts(step.paste), to) };
        step.finish(&image, &mut bytes);
        output.lock().code = 0;
        Ok(())
    };
    stream.compute_rows(name, &uses.touches, &uses.rows, None, false, run)?;
    Ok(())
}
