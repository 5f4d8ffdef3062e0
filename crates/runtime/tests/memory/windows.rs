//! Blocks whose pages are shown side by side at a second address.

use std::sync::Arc;

use millpond::device_api::testing::{FailingDevice, FailurePlan};
use millpond::{
    Config, Device, DeviceBlock, DeviceError, Error, HostDevice, HostOptions, MemorySource,
    PinnedMemory, Runtime, Schedule,
};
use proptest::prelude::*;

use crate::common::{MIB, config, on_gpu};

/// A block, and the byte that it is full of.
type Full = (DeviceBlock, u8);

/// A program that fills every block it gets and looks at it before it frees it.
struct Program {
    device: Device,
    blocks: Vec<Full>,
    next: u8,
    /// Whether it fills and looks at once.
    fills: bool,
}

impl Program {
    fn on(runtime: &Runtime) -> Self {
        Self {
            device: runtime.device(0).expect("the first device"),
            blocks: Vec::new(),
            next: 0,
            fills: true,
        }
    }

    fn alloc(&mut self, bytes: u64) -> Result<(), Error> {
        let block = self.device.alloc(bytes)?;
        self.next = self.next % 250 + 1;
        if self.fills {
            fill(&self.device, &block, self.next);
        }
        self.blocks.push((block, self.next));
        Ok(())
    }

    fn free(&mut self, at: usize) {
        let (block, byte) = self.blocks.swap_remove(at);
        if self.fills {
            assert_full(&block, byte);
        }
    }

    fn check(&self) {
        for (block, byte) in &self.blocks {
            assert_full(block, *byte);
        }
    }

    fn moved(&self) -> u64 {
        self.device.statistics().pages_moved
    }
}

fn fill(device: &Device, block: &DeviceBlock, byte: u8) {
    let stream = device.create_stream().expect("a stream");
    stream.fill(block.all(), byte).expect("a live block");
    stream.synchronize().expect("nothing fails");
}

fn assert_full(block: &DeviceBlock, byte: u8) {
    let mut bytes = vec![0; usize::try_from(block.len()).expect("64 bits")];
    block.read(&mut bytes).expect("a live block");
    let full = bytes == vec![byte; bytes.len()];
    assert!(full, "{} bytes are not all {byte}", bytes.len());
}

fn small(unified: bool) -> Config {
    Config {
        capacity: 256 * MIB,
        // The program cannot touch a GPU's memory.
        unified: unified && !on_gpu(),
        ..config(Schedule::Eager)
    }
}

/// Many blocks of a page each, every second one freed; then blocks that fit no gap.
fn scattered(program: &mut Program) -> Result<(), Error> {
    for _ in 0..24 {
        program.alloc(2 * MIB)?;
    }
    for at in (0..12).rev() {
        program.free(2 * at);
    }
    for pages in [3, 5, 2] {
        program.alloc(pages * 2 * MIB)?;
    }
    Ok(())
}

#[test]
fn a_block_in_scattered_pages_holds_its_bytes_and_no_page_is_added() {
    for unified in [false, true] {
        let runtime = Runtime::new(small(unified)).unwrap();
        let mut program = Program::on(&runtime);
        scattered(&mut program).unwrap();
        program.check();
        assert!(program.moved() >= 4, "{} pages moved", program.moved());
        assert!(program.device.usage().promised <= 30 * 2 * MIB);
        while !program.blocks.is_empty() {
            program.free(0);
        }
        // The pages are home again, and in one piece.
        program.alloc(24 * 2 * MIB).unwrap();
        program.check();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_stay_where_they_were_written(
        steps in prop::collection::vec((0..40_u64, any::<prop::sample::Index>()), 40..80),
        unified: bool,
    ) {
        let runtime = Runtime::new(small(unified)).unwrap();
        let mut program = Program::on(&runtime);
        scattered(&mut program).unwrap();
        for (size, which) in steps {
            // Near the peak, so that pages are borrowed.
            let bytes = (size * size * 9_000).max(600);
            while program.device.usage().charged + bytes > 56 * MIB {
                program.free(which.index(program.blocks.len()));
            }
            program.alloc(bytes).unwrap();
        }
        program.check();
        prop_assert!(program.moved() > 0);
    }
}

/// The machine's own memory, whose calls fail as planned.
#[derive(Debug)]
struct Failing(Arc<FailurePlan>);

impl MemorySource for Failing {
    fn device(
        &self,
        index: u32,
        config: &Config,
    ) -> Result<Arc<dyn millpond_device::Device>, DeviceError> {
        let device = HostDevice::new(HostOptions {
            index,
            span: 2 * config.capacity,
            least_span: config.capacity,
            windows: config.capacity,
            unified: false,
        })?;
        Ok(Arc::new(FailingDevice::new(device, Arc::clone(&self.0))))
    }

    fn pinned(&self, _config: &Config) -> Result<Arc<dyn millpond_device::Memory>, DeviceError> {
        Ok(Arc::new(PinnedMemory::new(64 * MIB, MIB)?))
    }
}

#[test]
fn a_device_that_cannot_show_pages_gives_others_and_loses_no_bytes() {
    let mut without_windows = 0;
    for fail_at in 1.. {
        let plan = FailurePlan::at(fail_at);
        let source = Box::new(Failing(Arc::clone(&plan)));
        let runtime = Runtime::with_source(small(false), source).unwrap();
        let mut program = Program::on(&runtime);
        program.fills = false;
        let done = scattered(&mut program);
        let fired = plan.fired();
        if !fired {
            done.unwrap();
            break;
        }
        without_windows += u64::from(done.is_ok() && fired);
        let charged = program.blocks.iter().map(|(block, _)| block.info().bytes);
        assert_eq!(program.device.usage().charged, charged.sum::<u64>());
        // The last ones are larger than every gap.
        program
            .blocks
            .drain(..program.blocks.len().saturating_sub(3));
        program.fills = true;
        for (block, byte) in &program.blocks {
            fill(&program.device, block, *byte);
        }
        program.check();
        program.blocks.clear();
        program.alloc(20 * 2 * MIB).unwrap();
        program.check();
    }
    assert!(without_windows > 0, "a call to show pages failed");
}

#[test]
fn a_program_that_is_checked_has_no_windows() {
    let runtime = Runtime::new(Config {
        guards: true,
        ..small(false)
    });
    let mut program = Program::on(&runtime.unwrap());
    scattered(&mut program).unwrap();
    program.check();
    assert_eq!(program.moved(), 0);
}
