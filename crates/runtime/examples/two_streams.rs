//! Two streams and an event: one stream loads a block, the other waits for it and takes it away.
//!
//! Without the event the copy would race with the fill. Try it: take out the `wait_event` line and
//! run with `MILLPOND_SCHEDULE=latest`.

use millpond::{Config, Error, EventKind, Runtime};

pub(crate) fn main() -> Result<(), Error> {
    let runtime = Runtime::new(Config::from_env()?)?;
    let device = runtime.device(0)?;
    let (loads, takes) = (device.create_stream()?, device.create_stream()?);
    let loaded = runtime.create_event(EventKind::Rerecordable)?;
    let block = device.alloc(1 << 20)?;
    let mut host = runtime.alloc_host(1 << 20)?;

    loads.fill(block.all(), 42)?;
    loads.record(&loaded)?;
    takes.wait_event(&loaded, None)?;
    takes.copy(host.all(), block.all())?;
    takes.synchronize()?;

    assert!(host.bytes()?.iter().all(|byte| *byte == 42));
    Ok(())
}
