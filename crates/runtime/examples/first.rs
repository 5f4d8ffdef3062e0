//! The first program: bytes go to the device, are changed there, and come back.

use millpond::{Config, Error, Runtime};

#[expect(clippy::print_stdout, reason = "an example says what it did")]
pub(crate) fn main() -> Result<(), Error> {
    let runtime = Runtime::new(Config::from_env()?)?;
    let device = runtime.device(0)?;
    let stream = device.create_stream()?;
    let block = device.alloc(1024)?;
    let mut host = runtime.alloc_host(1024)?;
    host.bytes()?.fill(7);
    stream.copy(block.all(), host.all())?;
    stream.fill(block.slice(512..), 9)?;
    stream.copy(host.all(), block.all())?;
    stream.synchronize()?;
    assert_eq!(&host.bytes()?[510..514], [7, 7, 9, 9]);
    println!("1024 bytes went to device 0, half of them were changed there, and all came back");
    Ok(())
}
