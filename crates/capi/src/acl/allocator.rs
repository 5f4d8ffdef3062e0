//! `acl/acl_rt_allocator.h`: allocators that a program registers on its streams.
//!
//! Programs cast a descriptor to its five pointers, so it is a real 40-byte object in memory that
//! is never freed. Whether an address is a live descriptor is looked up, never guessed from its
//! contents. Registering copies it; later changes of the descriptor have no effect.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use millpond::lock::assert_none_held;
use millpond::{AllocatorBlock, StreamAllocator};
use millpond_abi as abi;
use millpond_trace::{DescriptorField, DescriptorProblem, Operation};
use parking_lot::Mutex;

use crate::boundary::{CallError, bad_value, entry, not_null, out, value_entry};
use crate::handles;
use crate::hooks::UserData;
use crate::{process, testing};

/// The description as programs see it. The order of the fields is part of the interface.
#[derive(Debug, Default)]
#[repr(C)]
struct Description {
    object: AtomicPtr<c_void>,
    alloc: AtomicPtr<c_void>,
    free: AtomicPtr<c_void>,
    alloc_advise: AtomicPtr<c_void>,
    get_address: AtomicPtr<c_void>,
}

impl Description {
    fn field(&self, field: DescriptorField) -> &AtomicPtr<c_void> {
        match field {
            DescriptorField::Object => &self.object,
            DescriptorField::Alloc => &self.alloc,
            DescriptorField::Free => &self.free,
            DescriptorField::AllocAdvise => &self.alloc_advise,
            DescriptorField::GetAddress => &self.get_address,
        }
    }
}

const _: () = assert!(size_of::<Description>() == 40 || size_of::<usize>() != 8);

#[derive(Default)]
struct Descriptions {
    live: HashMap<u64, &'static Description>,
    /// Those that were destroyed, the oldest first: reused late, so that an old handle is more
    /// likely found stale than taken for a new one.
    idle: VecDeque<&'static Description>,
}

const REUSE_AFTER: usize = 1024;

static DESCRIPTIONS: Mutex<Option<Descriptions>> = Mutex::new(None);

fn with_descriptions<T>(act: impl FnOnce(&mut Descriptions) -> T) -> T {
    act(DESCRIPTIONS.lock().get_or_insert_default())
}

fn resolve(desc: abi::aclrtAllocatorDesc) -> Result<&'static Description, CallError> {
    let address = not_null(desc, "allocatorDesc")?;
    let found = with_descriptions(|known| known.live.get(&address).copied());
    found.ok_or_else(|| unknown(address))
}

/// Tells of a description that was not taken.
fn refused(desc: abi::aclrtAllocatorDesc, problem: DescriptorProblem) {
    process::emit(|| Operation::DescriptorRefused {
        descriptor: desc.addr() as u64,
        problem,
    });
}

/// Tells that a program named the null stream, if it did.
fn check_stream(stream: abi::aclrtStream, desc: abi::aclrtAllocatorDesc) -> Result<(), CallError> {
    not_null(stream, "stream")
        .map(drop)
        .inspect_err(|_| refused(desc, DescriptorProblem::NullStream))
}

#[cold]
fn unknown(address: u64) -> CallError {
    process::emit(|| Operation::DescriptorRefused {
        descriptor: address,
        problem: DescriptorProblem::Unknown,
    });
    let expected = "it must come from aclrtAllocatorCreateDesc and not have been destroyed";
    CallError::value("allocatorDesc", format!("{address:#x}"), expected)
}

/// Creates a description with all five fields NULL.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtAllocatorCreateDesc() -> abi::aclrtAllocatorDesc {
    value_entry("aclrtAllocatorCreateDesc", std::ptr::null_mut(), || {
        Ok(with_descriptions(|known| {
            let reused = (known.idle.len() >= REUSE_AFTER)
                .then(|| known.idle.pop_front())
                .flatten();
            let description = reused.unwrap_or_else(|| Box::leak(Box::default()));
            let address = std::ptr::from_ref(description);
            known.live.insert(address.addr() as u64, description);
            process::emit(|| Operation::DescriptorCreated {
                descriptor: address.addr() as u64,
            });
            address.cast_mut().cast()
        }))
    })
}
const _: abi::aclrtAllocatorCreateDescFn = aclrtAllocatorCreateDesc;

/// Ends a description. Registrations made from it stay.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtAllocatorDestroyDesc(
    allocatorDesc: abi::aclrtAllocatorDesc,
) -> abi::aclError {
    entry("aclrtAllocatorDestroyDesc", || {
        let address = not_null(allocatorDesc, "allocatorDesc")?;
        with_descriptions(|known| {
            let description = known
                .live
                .remove(&address)
                .ok_or_else(|| unknown(address))?;
            process::emit(|| Operation::DescriptorDestroyed {
                descriptor: address,
            });
            for field in [
                &description.object,
                &description.alloc,
                &description.free,
                &description.alloc_advise,
                &description.get_address,
            ] {
                field.store(std::ptr::null_mut(), Ordering::Relaxed);
            }
            known.idle.push_back(description);
            Ok(())
        })
    })
}
const _: abi::aclrtAllocatorDestroyDescFn = aclrtAllocatorDestroyDesc;

fn set(
    desc: abi::aclrtAllocatorDesc,
    value: *mut c_void,
    argument: &'static str,
    field: DescriptorField,
) -> Result<(), CallError> {
    let description = resolve(desc)?;
    not_null(value, argument)?;
    description.field(field).store(value, Ordering::Release);
    process::emit(|| Operation::DescriptorSet {
        descriptor: desc.addr() as u64,
        field,
    });
    Ok(())
}

/// Sets the object that the functions get.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtAllocatorSetObjToDesc(
    allocatorDesc: abi::aclrtAllocatorDesc,
    allocator: abi::aclrtAllocator,
) -> abi::aclError {
    entry("aclrtAllocatorSetObjToDesc", || {
        set(
            allocatorDesc,
            allocator,
            "allocator",
            DescriptorField::Object,
        )
    })
}
const _: abi::aclrtAllocatorSetObjToDescFn = aclrtAllocatorSetObjToDesc;

/// Sets the function that allocates.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtAllocatorSetAllocFuncToDesc(
    allocatorDesc: abi::aclrtAllocatorDesc,
    func: abi::aclrtAllocatorAllocFunc,
) -> abi::aclError {
    let func = func.map_or(std::ptr::null_mut(), |func| func as *mut c_void);
    entry("aclrtAllocatorSetAllocFuncToDesc", || {
        set(allocatorDesc, func, "func", DescriptorField::Alloc)
    })
}
const _: abi::aclrtAllocatorSetAllocFuncToDescFn = aclrtAllocatorSetAllocFuncToDesc;

/// Sets the function that frees.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtAllocatorSetFreeFuncToDesc(
    allocatorDesc: abi::aclrtAllocatorDesc,
    func: abi::aclrtAllocatorFreeFunc,
) -> abi::aclError {
    let func = func.map_or(std::ptr::null_mut(), |func| func as *mut c_void);
    entry("aclrtAllocatorSetFreeFuncToDesc", || {
        set(allocatorDesc, func, "func", DescriptorField::Free)
    })
}
const _: abi::aclrtAllocatorSetFreeFuncToDescFn = aclrtAllocatorSetFreeFuncToDesc;

/// Sets the function that allocates near an address. Optional.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtAllocatorSetAllocAdviseFuncToDesc(
    allocatorDesc: abi::aclrtAllocatorDesc,
    func: abi::aclrtAllocatorAllocAdviseFunc,
) -> abi::aclError {
    let func = func.map_or(std::ptr::null_mut(), |func| func as *mut c_void);
    entry("aclrtAllocatorSetAllocAdviseFuncToDesc", || {
        set(allocatorDesc, func, "func", DescriptorField::AllocAdvise)
    })
}
const _: abi::aclrtAllocatorSetAllocAdviseFuncToDescFn = aclrtAllocatorSetAllocAdviseFuncToDesc;

/// Sets the function that returns a block's address.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
    allocatorDesc: abi::aclrtAllocatorDesc,
    func: abi::aclrtAllocatorGetAddrFromBlockFunc,
) -> abi::aclError {
    let func = func.map_or(std::ptr::null_mut(), |func| func as *mut c_void);
    entry("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", || {
        set(allocatorDesc, func, "func", DescriptorField::GetAddress)
    })
}
const _: abi::aclrtAllocatorSetGetAddrFromBlockFuncToDescFn =
    aclrtAllocatorSetGetAddrFromBlockFuncToDesc;

/// A description as it was when it was registered: complete, and unchangeable.
#[derive(Debug)]
struct ForeignAllocator {
    /// Given back by `aclrtAllocatorGetByStream`, never looked behind.
    description: UserData,
    object: UserData,
    alloc: unsafe extern "C-unwind" fn(*mut c_void, usize) -> *mut c_void,
    free: unsafe extern "C-unwind" fn(*mut c_void, *mut c_void),
    alloc_advise: abi::aclrtAllocatorAllocAdviseFunc,
    get_address: unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void,
}

impl StreamAllocator for ForeignAllocator {
    fn alloc(&self, bytes: u64) -> Option<AllocatorBlock> {
        let bytes = usize::try_from(bytes).ok()?;
        if testing::fails_allocator() {
            return None;
        }
        assert_none_held();
        // SAFETY: the program registered this function to be called like this.
        let block = unsafe { (self.alloc)(self.object.0, bytes) };
        if block.is_null() {
            return None;
        }
        assert_none_held();
        // SAFETY: as above, with a block that its own allocator just gave.
        let address = unsafe { (self.get_address)(block) };
        Some(AllocatorBlock {
            token: block.expose_provenance(),
            address: address.expose_provenance() as u64,
        })
    }

    fn free(&self, block: AllocatorBlock) {
        let block = std::ptr::with_exposed_provenance_mut(block.token);
        assert_none_held();
        // SAFETY: the program registered this function to be called like this.
        unsafe { (self.free)(self.object.0, block) };
    }

    fn address_now(&self, block: AllocatorBlock) -> u64 {
        let block = std::ptr::with_exposed_provenance_mut(block.token);
        assert_none_held();
        // SAFETY: the program registered this function to be called like this, with a block that its allocator
        // gave and has not got back.
        let address = unsafe { (self.get_address)(block) };
        address.addr() as u64
    }

    fn identity(&self) -> (u64, u64) {
        let of = |data: &UserData| data.0.addr() as u64;
        (of(&self.description), of(&self.object))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Copies a description, or says which of its fields is missing.
fn freeze(
    description: &Description,
    original: abi::aclrtAllocatorDesc,
) -> Result<ForeignAllocator, CallError> {
    let field = |field: DescriptorField, missing: &'static str| {
        let value = description.field(field).load(Ordering::Acquire);
        if value.is_null() {
            refused(original, DescriptorProblem::Missing(field));
            return bad_value(
                "allocatorDesc",
                format!("without {missing}"),
                "it must be set first",
            );
        }
        Ok(value)
    };
    let object = field(DescriptorField::Object, "an object")?;
    let alloc = field(DescriptorField::Alloc, "an alloc function")?;
    let free = field(DescriptorField::Free, "a free function")?;
    let get_address = field(
        DescriptorField::GetAddress,
        "a function that returns the address of a block",
    )?;
    let advise = description.alloc_advise.load(Ordering::Acquire);
    Ok(ForeignAllocator {
        description: UserData(original),
        object: UserData(object),
        // SAFETY: the field holds a function of this type: the setters take no other, and a program
        // that writes the field itself knows its layout and with it this type.
        alloc: unsafe {
            std::mem::transmute::<
                *mut c_void,
                unsafe extern "C-unwind" fn(*mut c_void, usize) -> *mut c_void,
            >(alloc)
        },
        // SAFETY: as above.
        free: unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn(*mut c_void, *mut c_void)>(
                free,
            )
        },
        // SAFETY: as above; a null pointer is `None`.
        alloc_advise: unsafe {
            std::mem::transmute::<*mut c_void, abi::aclrtAllocatorAllocAdviseFunc>(advise)
        },
        // SAFETY: as above.
        get_address: unsafe {
            std::mem::transmute::<
                *mut c_void,
                unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void,
            >(get_address)
        },
    })
}

/// Registers an allocator on a stream; the last one wins.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtAllocatorRegister(
    stream: abi::aclrtStream,
    allocatorDesc: abi::aclrtAllocatorDesc,
) -> abi::aclError {
    entry("aclrtAllocatorRegister", || {
        check_stream(stream, allocatorDesc)?;
        let frozen = freeze(resolve(allocatorDesc)?, allocatorDesc)?;
        let entry = handles::stream(stream, "stream")?;
        entry.stream.set_allocator(Some(Arc::new(frozen)));
        Ok(())
    })
}
const _: abi::aclrtAllocatorRegisterFn = aclrtAllocatorRegister;

/// Tells what is registered on a stream: the original description and the fields as they were.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtAllocatorGetByStream(
    stream: abi::aclrtStream,
    allocatorDesc: *mut abi::aclrtAllocatorDesc,
    allocator: *mut abi::aclrtAllocator,
    allocFunc: *mut abi::aclrtAllocatorAllocFunc,
    freeFunc: *mut abi::aclrtAllocatorFreeFunc,
    allocAdviseFunc: *mut abi::aclrtAllocatorAllocAdviseFunc,
    getAddrFromBlockFunc: *mut abi::aclrtAllocatorGetAddrFromBlockFunc,
) -> abi::aclError {
    entry("aclrtAllocatorGetByStream", || {
        check_stream(stream, std::ptr::null_mut())?;
        let out = out!(allocatorDesc);
        // A stream that is gone has no registration, like one that never had any.
        let registered = handles::stream(stream, "stream")
            .ok()
            .and_then(|entry| entry.stream.allocator());
        let foreign = registered
            .as_ref()
            .and_then(|known| known.as_any().downcast_ref::<ForeignAllocator>());
        let Some(foreign) = foreign else {
            return bad_value(
                "stream",
                "a stream without an allocator",
                "it must have a registered one",
            );
        };
        out.write(foreign.description.0);
        if !allocator.is_null() {
            out!(allocator).write(foreign.object.0);
        }
        if !allocFunc.is_null() {
            out!(allocFunc).write(Some(foreign.alloc));
        }
        if !freeFunc.is_null() {
            out!(freeFunc).write(Some(foreign.free));
        }
        if !allocAdviseFunc.is_null() {
            out!(allocAdviseFunc).write(foreign.alloc_advise);
        }
        if !getAddrFromBlockFunc.is_null() {
            out!(getAddrFromBlockFunc).write(Some(foreign.get_address));
        }
        Ok(())
    })
}
const _: abi::aclrtAllocatorGetByStreamFn = aclrtAllocatorGetByStream;

/// Removes a registration; without one there is nothing to do.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclrtAllocatorUnregister(
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclrtAllocatorUnregister", || {
        check_stream(stream, std::ptr::null_mut())?;
        // A stream that is gone took its registration with it: that is what was asked for.
        if let Ok(entry) = handles::stream(stream, "stream") {
            entry.stream.set_allocator(None);
        }
        Ok(())
    })
}
const _: abi::aclrtAllocatorUnregisterFn = aclrtAllocatorUnregister;
