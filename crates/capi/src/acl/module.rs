//! Memory by module: which part of a device's memory was allocated for which module of a program.
//!
//! A program names the module of a block with `ACL_RT_MEM_ATTR_MODULE_ID`. Here is what was allocated for others than itself; all the rest
//! is its own.
//!
//! Invariant: while no such block is known, allocating and freeing cost one relaxed load.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use millpond_abi as abi;
use millpond_trace::Space;
use parking_lot::Mutex;

use crate::boundary::{self, CallError, bad_value, entry, not_null, out};
use crate::process;

/// The module that a program itself is.
pub(super) const APP: u16 = 33;

/// A block that was allocated for another module.
#[derive(Debug, Clone, Copy)]
struct Block {
    serial: u64,
    owner: Owner,
    charged: u64,
}

/// A module on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Owner {
    device: u32,
    module: u16,
}

#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    now: u64,
    peak: u64,
}

#[derive(Debug, Default)]
struct Modules {
    /// By address.
    blocks: HashMap<u64, Block>,
    amounts: HashMap<Owner, Amount>,
}

static MODULES: Mutex<Option<Modules>> = Mutex::new(None);
/// Whether there is a block in it.
static ANY: AtomicBool = AtomicBool::new(false);

impl Modules {
    fn add(&mut self, address: u64, block: Block) {
        // One that was there ended without this module's knowledge, for example with its device.
        self.remove(address);
        self.blocks.insert(address, block);
        let amount = self.amounts.entry(block.owner).or_default();
        amount.now += block.charged;
        amount.peak = amount.peak.max(amount.now);
    }

    fn remove(&mut self, address: u64) {
        if let Some(block) = self.blocks.remove(&address)
            && let Some(amount) = self.amounts.get_mut(&block.owner)
        {
            amount.now -= block.charged;
        }
    }
}

/// Whether a block of another module is known.
#[inline(always)]
pub(super) fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// A block was allocated for a module.
pub(super) fn note(address: u64, module: u16) -> Result<(), CallError> {
    if module == APP {
        return Ok(());
    }
    let found = process::runtime()?.find_block(address)?;
    let Space::Device(device) = found.space else {
        return Ok(());
    };
    let block = Block {
        serial: found.serial,
        owner: Owner { device, module },
        charged: found.pages.charge(found.bytes).unwrap_or(found.bytes),
    };
    MODULES.lock().get_or_insert_default().add(address, block);
    ANY.store(true, Ordering::Relaxed);
    Ok(())
}

/// A block is about to be freed.
pub(super) fn forget(address: u64) {
    if any()
        && let Some(modules) = &mut *MODULES.lock()
    {
        modules.remove(address);
        ANY.store(!modules.blocks.is_empty(), Ordering::Relaxed);
    }
}

/// Forgets all blocks and peaks.
pub(crate) fn forget_all() {
    *MODULES.lock() = None;
    ANY.store(false, Ordering::Relaxed);
}

/// What the modules other than the program itself use of a device.
fn amounts(device: u32) -> Result<Vec<(u16, Amount)>, CallError> {
    let runtime = process::runtime()?;
    let mut modules = MODULES.lock();
    let Some(modules) = &mut *modules else {
        return Ok(Vec::new());
    };
    // Blocks also end with their device, and in the order of a stream.
    let lives = |address: u64, serial| {
        let found = runtime.find_block(address);
        found.is_ok_and(|found| found.serial == serial && found.address == address)
    };
    let known = modules.blocks.iter();
    let ended = known.filter(|(address, block)| !lives(**address, block.serial));
    for address in ended.map(|(address, _)| *address).collect::<Vec<_>>() {
        modules.remove(address);
    }
    let all = modules.amounts.iter();
    let here = all.filter(|(owner, _)| owner.device == device);
    Ok(here
        .map(|(owner, amount)| (owner.module, *amount))
        .collect())
}

/// The modules that use a device's memory, the one with most first. What no other module was named for is the program's own: `app`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtGetMemUsageInfo(
    deviceId: i32,
    memUsageInfo: *mut abi::aclrtMemUsageInfo,
    inputNum: usize,
    outputNum: *mut usize,
) -> abi::aclError {
    entry("aclrtGetMemUsageInfo", || {
        not_null(memUsageInfo, "memUsageInfo")?;
        let count = out!(outputNum);
        if inputNum == 0 {
            return bad_value("inputNum", inputNum, "it must be at least 1");
        }
        let device = process::runtime()?.device(i64::from(deviceId))?;
        let mut modules = amounts(device.index())?;
        let usage = device.usage();
        let others: u64 = modules.iter().map(|(_, amount)| amount.now).sum();
        modules.push((
            APP,
            Amount {
                now: usage.charged.saturating_sub(others),
                peak: usage.peak,
            },
        ));
        modules.sort_by_key(|(module, amount)| (std::cmp::Reverse(amount.now), *module));
        modules.truncate(inputNum);
        for (at, (module, amount)) in modules.iter().enumerate() {
            let text = match *module {
                APP => "app".to_owned(),
                other => format!("module {other}"),
            };
            let mut name = [0; 32];
            boundary::write_text(&mut name, text.as_bytes());
            let usage = abi::aclrtMemUsageInfo {
                name,
                curMemSize: amount.now,
                memPeakSize: amount.peak,
                reserved: [0; 8],
            };
            // SAFETY: not null as just checked; the header's contract says that there is room for `inputNum` of them.
            unsafe { boundary::put(memUsageInfo, at, usage) };
        }
        count.write(modules.len());
        Ok(())
    })
}
const _: abi::aclrtGetMemUsageInfoFn = aclrtGetMemUsageInfo;
