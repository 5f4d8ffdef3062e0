//! Communicators: making them, asking about them, ending them.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::collections::HashMap;
use std::ffi::c_char;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Once, OnceLock};
use std::time::Duration;

use millpond_abi as abi;
use millpond_collective::{
    Communicator, Host, Hub, Invitation, MeetingError, Member, Settings, join, join_named_at,
};
use millpond_sharing::hex;
use parking_lot::Mutex;

use super::{network, rank_table, ranks, settings, status};
use crate::boundary::{CallError, array, bad_value, out, put, read, text};
use crate::handles::{mint, pointer, resolve, withdraw, word};
use crate::registry::{HandleGuard, Kind, Registry};
use crate::{current, process};

pub(crate) static COMMUNICATORS: Registry<Arc<Entry>> = Registry::new(Kind::Communicator);
static HUB: OnceLock<Arc<Hub>> = OnceLock::new();
static DETERMINISTIC: AtomicI32 = AtomicI32::new(0);

/// What a handle names.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) communicator: Arc<Communicator>,
    /// The device that was current when it was made.
    pub(super) device: u32,
    /// Held from the moment a call gets its place in the order until it is in its stream's queue: both orders are the same.
    pub(super) calling: Mutex<()>,
    /// Memory that the program announced, by address.
    pub(super) announced: Mutex<HashMap<u64, u64>>,
    is_sub: bool,
}

/// The communicator behind a handle.
pub(super) fn find(comm: abi::HcclComm) -> Result<HandleGuard<'static, Arc<Entry>>, CallError> {
    resolve(&COMMUNICATORS, Kind::Communicator, comm, "comm")
}

/// The process's hub.
fn hub() -> Result<&'static Arc<Hub>, CallError> {
    if let Some(hub) = HUB.get() {
        return Ok(hub);
    }
    // A hub needs the handler for forks, which comes with the runtime.
    process::runtime()?;
    let made = Hub::with_network(network::read()?).map_err(MeetingError::from)?;
    made.watch_events(ranks::event_waits());
    Ok(HUB.get_or_init(|| made))
}

/// Sends what other machines still need before the process ends: nobody would afterwards.
fn send_at_exit(communicator: &Communicator) {
    static REGISTERED: Once = Once::new();
    extern "C" fn drain() {
        /// Other machines that do not take it by then have trouble of their own.
        const LIMIT: Duration = Duration::from_secs(10);
        if let Some(hub) = HUB.get().filter(|_| !process::forked()) {
            hub.drain(LIMIT);
        }
    }
    if communicator.host(0).is_some() {
        REGISTERED.call_once(|| {
            // SAFETY: the function takes nothing, and this library is never unloaded.
            unsafe { libc::atexit(drain) };
        });
    }
}

/// Handles of communicators, by name. Several ranks of one process have one each.
static NAMED: Mutex<Vec<(String, u64)>> = Mutex::new(Vec::new());

/// Closes all communicators, and returns how many there were.
pub(crate) fn forget_all() -> usize {
    let live = COMMUNICATORS.live();
    for handle in &live {
        drop(destroy(pointer(*handle)));
    }
    live.len()
}

fn destroy(comm: abi::HcclComm) -> Result<(), CallError> {
    let gone = withdraw(&COMMUNICATORS, Kind::Communicator, comm, "comm")?;
    NAMED.lock().retain(|(_, handle)| *handle != word(comm));
    gone.communicator.close();
    ranks::left(&gone.communicator);
    if gone.communicator.host(0).is_some() {
        // The process may end now, in a way that nobody notices.
        const LIMIT: Duration = Duration::from_secs(5);
        hub()?.flush(LIMIT);
    }
    Ok(())
}

/// The communicator of this name whose rank has this device.
pub(crate) fn find_named(
    name: &str,
    device: u32,
) -> Result<HandleGuard<'static, Arc<Entry>>, CallError> {
    let handles: Vec<u64> = {
        let named = NAMED.lock();
        let same = named.iter().filter(|(known, _)| known == name);
        same.map(|(_, handle)| *handle).collect()
    };
    let mut entries = handles
        .into_iter()
        .filter_map(|handle| find(pointer(handle)).ok());
    match entries.find(|entry| entry.device == device) {
        Some(entry) => Ok(entry),
        None => bad_value(
            "group",
            format!("'{name}'"),
            "it must be the name of a communicator of this device, as HcclGetCommName returns it",
        ),
    }
}

fn device() -> Result<u32, CallError> {
    current::with(|entry| Ok(entry.context.device().index()))
}

fn enter(
    communicator: Arc<Communicator>,
    device: u32,
    is_sub: bool,
) -> Result<abi::HcclComm, CallError> {
    let entry = Entry {
        communicator,
        device,
        calling: Mutex::new(()),
        announced: Mutex::default(),
        is_sub,
    };
    let name = entry.communicator.name().to_owned();
    ranks::joined(&entry.communicator);
    let handle = mint(&COMMUNICATORS, Kind::Communicator, Arc::new(entry))?;
    NAMED.lock().push((name, handle));
    Ok(pointer(handle))
}

/// Records a meeting that failed.
fn met(
    member: &Member,
    joined: Result<Arc<Communicator>, MeetingError>,
) -> Result<Arc<Communicator>, MeetingError> {
    joined
        .inspect_err(|error| ranks::did_not_meet(member, error))
        .inspect(|communicator| {
            ranks::share_device(communicator);
            send_at_exit(communicator);
        })
}

fn check_rank(ranks: u32, rank: u32) -> Result<(), CallError> {
    /// More ranks than a machine runs.
    const MOST: u32 = 1024;
    if ranks == 0 || ranks > MOST {
        return bad_value("nRanks", ranks, "it must be from 1 to 1024");
    }
    if rank >= ranks {
        return bad_value("rank", rank, "it must be less than the number of ranks");
    }
    Ok(())
}

const MAGIC: [u8; 8] = *b"MILLPND2";

/// # Safety
/// `info` is NULL or readable.
unsafe fn invitation(info: *const abi::HcclRootInfo) -> Result<Invitation, CallError> {
    // SAFETY: passed on.
    let bytes: Vec<c_char> =
        unsafe { array(info.cast::<c_char>(), 8 + Invitation::BYTES, "rootInfo") }?;
    let bytes: Vec<u8> = bytes.iter().map(|letter| letter.to_le_bytes()[0]).collect();
    let (magic, invitation) = bytes.split_at(8);
    match invitation.try_into() {
        Ok(invitation) if magic == MAGIC => Ok(Invitation::from_bytes(invitation)),
        _ => bad_value(
            "rootInfo",
            "not a root info of this library",
            "it must hold the bytes that HcclGetRootInfo returned on one rank",
        ),
    }
}

/// Opens a meeting of ranks.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclGetRootInfo(
    rootInfo: *mut abi::HcclRootInfo,
) -> abi::HcclResult {
    status::entry("HcclGetRootInfo", || {
        let rootInfo = out!(rootInfo);
        let invitation = Invitation::open(hub()?)?;
        let mut bytes = [0; abi::HCCL_ROOT_INFO_BYTES];
        crate::boundary::write_text(&mut bytes[..8], &MAGIC);
        crate::boundary::write_text(&mut bytes[8..8 + Invitation::BYTES], &invitation.to_bytes());
        rootInfo.write(abi::HcclRootInfo { internal: bytes });
        Ok(())
    })
}
const _: abi::HcclGetRootInfoFn = HcclGetRootInfo;

/// # Safety
/// As the C functions require of their arguments.
unsafe fn init_by_root(
    ranks: u32,
    info: *const abi::HcclRootInfo,
    rank: u32,
    config: *const abi::HcclCommConfig,
    comm: *mut abi::HcclComm,
) -> Result<(), CallError> {
    let comm = out!(comm);
    // SAFETY: passed on.
    let invitation = unsafe { invitation(info) }?;
    check_rank(ranks, rank)?;
    let name = || format!("hccl_{}", &hex(&invitation.id())[..16]);
    // SAFETY: passed on.
    let mut settings = unsafe { settings::read(config, name) }?;
    let device = device()?;
    settings.device = ranks::device(device);
    let member = Member {
        ranks,
        rank,
        patience: settings::patience()?,
        settings,
    };
    let communicator = met(&member, join(hub()?, invitation, member.clone()))?;
    comm.write(enter(communicator, device, false)?);
    Ok(())
}

/// Joins a meeting of ranks.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommInitRootInfo(
    nRanks: u32,
    rootInfo: *const abi::HcclRootInfo,
    rank: u32,
    comm: *mut abi::HcclComm,
) -> abi::HcclResult {
    status::entry("HcclCommInitRootInfo", || {
        // SAFETY: the contract of the function.
        unsafe { init_by_root(nRanks, rootInfo, rank, std::ptr::null(), comm) }
    })
}
const _: abi::HcclCommInitRootInfoFn = HcclCommInitRootInfo;

/// Joins a meeting of ranks, with settings.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommInitRootInfoConfig(
    nRanks: u32,
    rootInfo: *const abi::HcclRootInfo,
    rank: u32,
    config: *const abi::HcclCommConfig,
    comm: *mut abi::HcclComm,
) -> abi::HcclResult {
    status::entry("HcclCommInitRootInfoConfig", || {
        if config.is_null() {
            return Err(CallError::null("config"));
        }
        // SAFETY: the contract of the function.
        unsafe { init_by_root(nRanks, rootInfo, rank, config, comm) }
    })
}
const _: abi::HcclCommInitRootInfoConfigFn = HcclCommInitRootInfoConfig;

fn user() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// # Safety
/// As the C functions require of their arguments.
unsafe fn init_by_table(
    path: *const c_char,
    rank: u32,
    config: *const abi::HcclCommConfig,
    comm: *mut abi::HcclComm,
) -> Result<(), CallError> {
    let comm = out!(comm);
    // SAFETY: passed on.
    let path = unsafe { text(path, "clusterInfo") }?;
    let table = rank_table::read(&path)?;
    if rank >= table.ranks {
        return bad_value("rank", rank, "it must be a rank_id of the rank table");
    }
    let meeting = format!("table-{}-{:016x}", user(), table.fingerprint);
    // SAFETY: passed on.
    let mut settings = unsafe { settings::read(config, || meeting.clone()) }?;
    let device = device()?;
    settings.device = ranks::device(device);
    let member = Member {
        ranks: table.ranks,
        rank,
        patience: settings::patience()?,
        settings,
    };
    let host = table.host(rank)?;
    let joined = join_named_at(hub()?, &meeting, host, member.clone());
    let communicator = met(&member, joined)?;
    comm.write(enter(communicator, device, false)?);
    Ok(())
}

/// Joins the ranks that a file describes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommInitClusterInfo(
    clusterInfo: *const c_char,
    rank: u32,
    comm: *mut abi::HcclComm,
) -> abi::HcclResult {
    status::entry("HcclCommInitClusterInfo", || {
        // SAFETY: the contract of the function.
        unsafe { init_by_table(clusterInfo, rank, std::ptr::null(), comm) }
    })
}
const _: abi::HcclCommInitClusterInfoFn = HcclCommInitClusterInfo;

/// Joins the ranks that a file describes, with settings.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommInitClusterInfoConfig(
    clusterInfo: *const c_char,
    rank: u32,
    config: *mut abi::HcclCommConfig,
    comm: *mut abi::HcclComm,
) -> abi::HcclResult {
    status::entry("HcclCommInitClusterInfoConfig", || {
        if config.is_null() {
            return Err(CallError::null("config"));
        }
        // SAFETY: the contract of the function.
        unsafe { init_by_table(clusterInfo, rank, config, comm) }
    })
}
const _: abi::HcclCommInitClusterInfoConfigFn = HcclCommInitClusterInfoConfig;

/// Makes one rank for each device of this process.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommInitAll(
    ndev: u32,
    devices: *mut i32,
    comms: *mut abi::HcclComm,
) -> abi::HcclResult {
    status::entry("HcclCommInitAll", || {
        check_rank(ndev, 0)?;
        let count = ndev as usize;
        // SAFETY: the contract of the function.
        let devices: Vec<i32> = unsafe { array(devices.cast_const(), count, "devices") }?;
        if comms.is_null() {
            return Err(CallError::null("comms"));
        }
        let known = process::runtime()?.device_count();
        for (index, device) in devices.iter().enumerate() {
            if u32::try_from(*device).map_or(true, |device| device >= known) {
                return bad_value("devices", device, "it must be a device of this process");
            }
            if devices[..index].contains(device) {
                return bad_value("devices", device, "each device may occur only once");
            }
        }
        let hub = hub()?;
        let invitation = Invitation::open_here(hub)?;
        let name = format!("hccl_{}", &hex(&invitation.id())[..16]);
        // SAFETY: there is no structure.
        let settings: Settings = unsafe { settings::read(std::ptr::null(), || name) }?;
        let patience = settings::patience()?;
        let joined: Vec<Result<Arc<Communicator>, MeetingError>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..ndev)
                .map(|rank| {
                    let member = Member {
                        ranks: ndev,
                        rank,
                        patience,
                        settings: settings.clone(),
                    };
                    scope.spawn(move || join(hub, invitation, member))
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| {
                    thread.join().unwrap_or_else(|_| {
                        Err(MeetingError::System("a rank's thread panicked".to_owned()))
                    })
                })
                .collect()
        });
        let joined: Vec<Arc<Communicator>> = joined.into_iter().collect::<Result<_, _>>()?;
        for (index, (communicator, device)) in joined.into_iter().zip(&devices).enumerate() {
            let device = u32::try_from(*device).unwrap_or(0);
            let handle = enter(communicator, device, false)?;
            // SAFETY: the program's array has a place for each device.
            unsafe { put(comms, index, handle) };
        }
        Ok(())
    })
}
const _: abi::HcclCommInitAllFn = HcclCommInitAll;

/// The id that ranks outside a new communicator pass.
const OUTSIDE: u64 = 0xffff_ffff;

/// Makes a communicator of some ranks of another.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCreateSubCommConfig(
    comm: *mut abi::HcclComm,
    rankNum: u32,
    rankIds: *mut u32,
    subCommId: u64,
    subCommRankId: u32,
    config: *mut abi::HcclCommConfig,
    subComm: *mut abi::HcclComm,
) -> abi::HcclResult {
    status::entry("HcclCreateSubCommConfig", || {
        // SAFETY: the contract of the function.
        let whole = find(unsafe { read(comm.cast_const(), "comm") }?)?;
        if config.is_null() {
            return Err(CallError::null("config"));
        }
        if whole.is_sub {
            return bad_value(
                "comm",
                "a sub-communicator",
                "it must be a communicator that is not itself a sub-communicator",
            );
        }
        if rankIds.is_null() && subCommId == OUTSIDE {
            return Ok(());
        }
        let subComm = out!(subComm);
        check_rank(rankNum, subCommRankId)?;
        // SAFETY: the contract of the function.
        let ids: Vec<u32> = unsafe { array(rankIds.cast_const(), rankNum as usize, "rankIds") }?;
        for (index, id) in ids.iter().enumerate() {
            if *id as usize >= whole.communicator.ranks() {
                return bad_value("rankIds", id, "it must be a rank of the communicator");
            }
            if ids[..index].contains(id) {
                return bad_value("rankIds", id, "each rank may occur only once");
            }
        }
        if ids[subCommRankId as usize] as usize != whole.communicator.rank() {
            return bad_value(
                "subCommRankId",
                subCommRankId,
                "it must be this rank's index in rankIds",
            );
        }
        let parent = whole.communicator.name().to_owned();
        let name = || format!("{parent}_sub_{subCommId}");
        // SAFETY: the contract of the function.
        let settings = unsafe { settings::read(config, name) }?;
        let meeting = format!("{}-{:016x}", hex(&whole.communicator.id()), subCommId);
        let member = Member {
            ranks: rankNum,
            rank: subCommRankId,
            patience: settings::patience()?,
            settings,
        };
        let device = whole.device;
        // With all ranks on one machine, and for a communicator whose ranks are all on one, names of the machine are enough.
        let host = |id: &u32| whole.communicator.host(*id as usize);
        let is_near = ids.iter().all(|id| host(id).is_none_or(|it| it.is_here));
        let host: Option<Host> = if is_near { None } else { host(&ids[0]) };
        drop(whole);
        let joined = join_named_at(hub()?, &meeting, host, member.clone());
        let communicator = met(&member, joined)?;
        subComm.write(enter(communicator, device, true)?);
        Ok(())
    })
}
const _: abi::HcclCreateSubCommConfigFn = HcclCreateSubCommConfig;

/// Ends this rank's part of a communicator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclCommDestroy(comm: abi::HcclComm) -> abi::HcclResult {
    status::entry("HcclCommDestroy", || destroy(comm))
}
const _: abi::HcclCommDestroyFn = HcclCommDestroy;

/// The name of a communicator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclGetCommName(
    comm: abi::HcclComm,
    commName: *mut c_char,
) -> abi::HcclResult {
    status::entry("HcclGetCommName", || {
        let entry = find(comm)?;
        if commName.is_null() {
            return Err(CallError::null("commName"));
        }
        let name = entry.communicator.name().as_bytes();
        let mut text = [0; abi::HCCL_COMM_NAME_MAX_LENGTH];
        let length = name.len().min(abi::HCCL_COMM_NAME_MAX_LENGTH - 1);
        crate::boundary::write_text(&mut text[..length], &name[..length]);
        // SAFETY: the contract of the function: room for 128 bytes.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), commName, length + 1) };
        Ok(())
    })
}
const _: abi::HcclGetCommNameFn = HcclGetCommName;

/// This rank's number.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclGetRankId(
    comm: abi::HcclComm,
    rank: *mut u32,
) -> abi::HcclResult {
    status::entry("HcclGetRankId", || {
        let (entry, rank) = (find(comm)?, out!(rank));
        rank.write(u32::try_from(entry.communicator.rank()).unwrap_or(u32::MAX));
        Ok(())
    })
}
const _: abi::HcclGetRankIdFn = HcclGetRankId;

/// How many ranks there are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclGetRankSize(
    comm: abi::HcclComm,
    rankSize: *mut u32,
) -> abi::HcclResult {
    status::entry("HcclGetRankSize", || {
        let (entry, rankSize) = (find(comm)?, out!(rankSize));
        rankSize.write(u32::try_from(entry.communicator.ranks()).unwrap_or(u32::MAX));
        Ok(())
    })
}
const _: abi::HcclGetRankSizeFn = HcclGetRankSize;

/// Whether a communicator is of use.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclGetCommAsyncError(
    comm: abi::HcclComm,
    asyncError: *mut abi::HcclResult,
) -> abi::HcclResult {
    status::entry("HcclGetCommAsyncError", || {
        let (entry, asyncError) = (find(comm)?, out!(asyncError));
        asyncError.write(match entry.communicator.failure() {
            Some(why) => {
                // Clients print the last message of the thread beside the code.
                crate::message::put(why);
                abi::HCCL_E_REMOTE
            }
            None => abi::HCCL_SUCCESS,
        });
        Ok(())
    })
}
const _: abi::HcclGetCommAsyncErrorFn = HcclGetCommAsyncError;

/// The name of a result.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn HcclGetErrorString(code: abi::HcclResult) -> *const c_char {
    status::name(code).as_ptr()
}
const _: abi::HcclGetErrorStringFn = HcclGetErrorString;

/// How many fields of the settings this library knows.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn HcclGetCommConfigCapability() -> u32 {
    abi::HCCL_COMM_CONFIG_RESERVED.unsigned_abs()
}
const _: abi::HcclGetCommConfigCapabilityFn = HcclGetCommConfigCapability;

/// Sets something for the process.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn HcclSetConfig(
    config: abi::HcclConfig,
    configValue: abi::HcclConfigValue,
) -> abi::HcclResult {
    status::entry("HcclSetConfig", || {
        if config != abi::HCCL_DETERMINISTIC {
            return bad_value("config", config, "it must be HCCL_DETERMINISTIC (0)");
        }
        // SAFETY: the union has one field.
        let value = unsafe { configValue.value };
        DETERMINISTIC.store(value, Ordering::Relaxed);
        Ok(())
    })
}
const _: abi::HcclSetConfigFn = HcclSetConfig;
