//! Allocators that are written in Python.
//!
//! C knows one function for each deed and carries a number as the allocator's object, by which the functions of the
//! right allocator are found. A registration freezes what the description held: so the number names a version, and a
//! description that is changed after it was registered gets a new one. A block of Python is any object; C holds its number
//! until it is given back, and with it the version, because C asks for a block's address without saying whose it is.
//!
//! - `calls`: what C calls.
//! - `DRAFTS`: what the descriptions of Python hold now. `VERSIONS`: by the number in C's hands.
//! - `REGISTERED`: which version a stream has. Ended when the stream says that it is about to be destroyed.
#![expect(unsafe_code, reason = "calls C functions, and is called by C")]

mod calls;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, Once};

use millpond_abi as abi;

use self::calls::{address, advise, alloc, free};
use super::table::{ObjectTable, as_pointer, lock};
use crate::arguments::Args;
use crate::bindings::c;
use crate::gil;
use crate::object::{self, Answer, Owned, ToObject, tuple};

/// One version of an allocator.
#[derive(Default)]
struct Version {
    object: Option<Owned>,
    alloc: Option<Owned>,
    free: Option<Owned>,
    advise: Option<Owned>,
    address: Option<Owned>,
}

impl Version {
    fn another(&self) -> Self {
        let another = |one: &Option<Owned>| one.as_ref().map(Owned::another);
        Self {
            object: another(&self.object),
            alloc: another(&self.alloc),
            free: another(&self.free),
            advise: another(&self.advise),
            address: another(&self.address),
        }
    }
}

/// A block that Python gave.
struct Block {
    version: Arc<Version>,
    value: Owned,
}

/// What a description holds, and by which number C knows it.
struct Draft {
    version: Arc<Version>,
    number: usize,
}

static DRAFTS: Mutex<Option<HashMap<usize, Draft>>> = Mutex::new(None);
static VERSIONS: ObjectTable<Version> = ObjectTable::new();
static BLOCKS: ObjectTable<Block> = ObjectTable::new();
/// By stream: the version's number, and the version.
static REGISTERED: Mutex<Option<HashMap<usize, usize>>> = Mutex::new(None);

thread_local! {
    /// The last exception of an allocator on this thread; added to the next message.
    static COMPLAINT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What an allocator raised on this thread since the last time.
pub(super) fn complaint() -> Option<String> {
    COMPLAINT.try_with(RefCell::take).ok().flatten()
}

pub(crate) fn rt_allocator_create_desc(_: Args<'_>) -> Answer {
    // SAFETY: takes nothing.
    let desc = unsafe { c::aclrtAllocatorCreateDesc() };
    if !desc.is_null() {
        let version = Arc::new(Version::default());
        let number = VERSIONS.put(Arc::clone(&version));
        let draft = Draft { version, number };
        lock(&DRAFTS)
            .get_or_insert_default()
            .insert(desc.addr(), draft);
    }
    desc.object()
}

pub(crate) fn rt_allocator_destroy_desc(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    // SAFETY: descriptions are looked up.
    let ret = unsafe { c::aclrtAllocatorDestroyDesc(desc) };
    if ret == 0 {
        let draft = lock(&DRAFTS).get_or_insert_default().remove(&desc.addr());
        if let Some(draft) = draft {
            forget_version(draft.number);
        }
    }
    ret.object()
}

/// Drops a version that no stream has.
fn forget_version(number: usize) {
    let used = {
        let registered = lock(&REGISTERED);
        let mut numbers = registered.iter().flat_map(HashMap::values);
        numbers.any(|one| *one == number)
    };
    let drafted = {
        let drafts = lock(&DRAFTS);
        let mut numbers = drafts.iter().flat_map(HashMap::values);
        numbers.any(|draft| draft.number == number)
    };
    if !used && !drafted {
        drop(VERSIONS.take(number));
    }
}

/// Changes what a description of Python holds. A version that may be registered is left as it is.
fn change(desc: usize, alter: impl FnOnce(&mut Version)) -> Option<usize> {
    let current = {
        let drafts = lock(&DRAFTS);
        let draft = drafts.as_ref()?.get(&desc)?;
        (Arc::clone(&draft.version), draft.number)
    };
    let mut next = current.0.another();
    alter(&mut next);
    let version = Arc::new(next);
    let number = VERSIONS.put(Arc::clone(&version));
    let draft = Draft { version, number };
    let replaced = lock(&DRAFTS).get_or_insert_default().insert(desc, draft);
    drop(replaced);
    forget_version(current.1);
    Some(number)
}

/// Tells C the number of the version that a description has now, if it has an object.
fn tell_number(desc: *mut c_void, number: usize) -> abi::aclError {
    let has_object = VERSIONS
        .get(number)
        .is_some_and(|version| version.object.is_some());
    if !has_object {
        return 0;
    }
    // SAFETY: descriptions are looked up; the number is carried and not looked at.
    unsafe { c::aclrtAllocatorSetObjToDesc(desc, as_pointer(number)) }
}

pub(crate) fn rt_allocator_set_obj_to_desc(args: Args<'_>) -> Answer {
    let desc: *mut c_void = args.pointer(0)?;
    let object = args.owned(1)?;
    let Some(number) = change(desc.addr(), |version| version.object = Some(object)) else {
        // Not one of Python's: C says what is wrong with it, or takes a plain address.
        let address = args.pointer(1)?;
        // SAFETY: as above.
        return unsafe { c::aclrtAllocatorSetObjToDesc(desc, address) }.object();
    };
    tell_number(desc, number).object()
}

/// Sets one function: the one that C calls, and the one of Python.
fn set(
    args: Args<'_>,
    tell: impl FnOnce(*mut c_void) -> abi::aclError,
    alter: impl FnOnce(&mut Version, Owned),
) -> Answer {
    let desc: *mut c_void = args.pointer(0)?;
    let callable = args.callable(1)?;
    let ret = tell(desc);
    if ret != 0 {
        return ret.object();
    }
    match change(desc.addr(), |version| alter(version, callable)) {
        Some(number) => tell_number(desc, number).object(),
        // A description that C made: the function would never be found.
        None => Err(object::value_error(
            "the description must come from acl.rt.allocator_create_desc",
        )),
    }
}

pub(crate) fn rt_allocator_set_alloc_func_to_desc(args: Args<'_>) -> Answer {
    // SAFETY: descriptions are looked up; the function is never unloaded.
    let tell = |desc| unsafe { c::aclrtAllocatorSetAllocFuncToDesc(desc, Some(alloc)) };
    set(args, tell, |version, own| version.alloc = Some(own))
}

pub(crate) fn rt_allocator_set_free_func_to_desc(args: Args<'_>) -> Answer {
    // SAFETY: as above.
    let tell = |desc| unsafe { c::aclrtAllocatorSetFreeFuncToDesc(desc, Some(free)) };
    set(args, tell, |version, own| version.free = Some(own))
}

pub(crate) fn rt_allocator_set_alloc_advise_func_to_desc(args: Args<'_>) -> Answer {
    // SAFETY: as above.
    let tell = |desc| unsafe { c::aclrtAllocatorSetAllocAdviseFuncToDesc(desc, Some(advise)) };
    set(args, tell, |version, own| version.advise = Some(own))
}

pub(crate) fn rt_allocator_set_get_addr_from_block_func_to_desc(args: Args<'_>) -> Answer {
    let tell = |desc| {
        // SAFETY: as above.
        unsafe { c::aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, Some(address)) }
    };
    set(args, tell, |version, own| version.address = Some(own))
}

pub(crate) fn rt_allocator_register(args: Args<'_>) -> Answer {
    let stream: *mut c_void = args.pointer(0)?;
    let desc: *mut c_void = args.pointer(1)?;
    watch_streams();
    let number = lock(&DRAFTS)
        .as_ref()
        .and_then(|drafts| drafts.get(&desc.addr()))
        .map(|draft| draft.number);
    // SAFETY: streams and descriptions are looked up.
    let ret = unsafe { c::aclrtAllocatorRegister(stream, desc) };
    if ret == 0 {
        registered(stream.addr(), number);
    }
    ret.object()
}

/// Notes which version a stream has from now on.
fn registered(stream: usize, number: Option<usize>) {
    let before = {
        let mut streams = lock(&REGISTERED);
        let streams = streams.get_or_insert_default();
        match number {
            Some(number) => streams.insert(stream, number),
            None => streams.remove(&stream),
        }
    };
    if let Some(before) = before {
        forget_version(before);
    }
}

pub(crate) fn rt_allocator_unregister(args: Args<'_>) -> Answer {
    let stream: *mut c_void = args.pointer(0)?;
    // SAFETY: streams are looked up.
    let ret = unsafe { c::aclrtAllocatorUnregister(stream) };
    if ret == 0 {
        registered(stream.addr(), None);
    }
    ret.object()
}

pub(crate) fn rt_allocator_get_by_stream(args: Args<'_>) -> Answer {
    let stream: *mut c_void = args.pointer(0)?;
    let (mut desc, mut object) = (std::ptr::null_mut(), std::ptr::null_mut());
    let (mut alloc_func, mut free_func, mut advise_func, mut address_func) =
        (None, None, None, None);
    // SAFETY: the places live until the call returns.
    let ret = unsafe {
        c::aclrtAllocatorGetByStream(
            stream,
            &raw mut desc,
            &raw mut object,
            &raw mut alloc_func,
            &raw mut free_func,
            &raw mut advise_func,
            &raw mut address_func,
        )
    };
    let version = VERSIONS.get(object.addr());
    let (desc, ret) = (desc.object()?, ret.object()?);
    if let Some(version) = version {
        let given = |one: &Option<Owned>| {
            one.as_ref()
                .map_or_else(Owned::none, |one| Ok(one.another()))
        };
        return tuple([
            desc,
            given(&version.object)?,
            given(&version.alloc)?,
            given(&version.free)?,
            given(&version.advise)?,
            given(&version.address)?,
            ret,
        ]);
    }
    tuple([
        desc,
        object.object()?,
        alloc_func
            .map_or(0, |function| function as usize)
            .object()?,
        free_func.map_or(0, |function| function as usize).object()?,
        advise_func
            .map_or(0, |function| function as usize)
            .object()?,
        address_func
            .map_or(0, |function| function as usize)
            .object()?,
        ret,
    ])
}

/// Registers a callback for the destruction of streams, once.
fn watch_streams() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let name = c"acl.python.allocators";
        // SAFETY: the name is copied, the function is never unloaded.
        unsafe {
            c::aclrtRegStreamStateCallback(name.as_ptr(), Some(stream_state), std::ptr::null_mut());
        }
    });
}

unsafe extern "C-unwind" fn stream_state(
    stream: abi::aclrtStream,
    state: abi::aclrtStreamState,
    _: *mut c_void,
) {
    if state == abi::ACL_RT_STREAM_STATE_DESTROY_PRE {
        let known = lock(&REGISTERED)
            .as_ref()
            .is_some_and(|streams| streams.contains_key(&stream.addr()));
        if known {
            gil::attach(|| registered(stream.addr(), None));
        }
    }
}
