//! Where one injected tool stores its functions, and how they are called.
//!
//! A tool gets a function without a context argument, so each position in the chain has its own: a tool
//! may call it at any time, on any thread.
#![expect(
    unsafe_code,
    reason = "calls functions of tools through the types that the interface gives them"
)]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use millpond_abi as abi;

use crate::handles;

/// How many tools can be chained.
pub(super) const MAX_TOOLS: usize = 8;

const CORE: usize = 5;
const DOMAIN: usize = 6;
const MEMORY: usize = 6;

type Slot = AtomicPtr<c_void>;

/// The functions of a tool, and the tables in which it stores them.
#[derive(Debug)]
struct Slots {
    core: [Slot; CORE],
    domain: [Slot; DOMAIN],
    memory: [Slot; MEMORY],
    /// One entry per slot, with null before the first and behind the last.
    core_table: [AtomicPtr<Slot>; CORE + 1],
    domain_table: [AtomicPtr<Slot>; DOMAIN + 1],
    memory_table: [AtomicPtr<Slot>; MEMORY + 1],
}

static PLACES: [OnceLock<Box<Slots>>; MAX_TOOLS] = [const { OnceLock::new() }; MAX_TOOLS];

const GETTERS: [abi::mstxGetModuleFuncTableFunc; MAX_TOOLS] = [
    Some(get_table::<0>),
    Some(get_table::<1>),
    Some(get_table::<2>),
    Some(get_table::<3>),
    Some(get_table::<4>),
    Some(get_table::<5>),
    Some(get_table::<6>),
    Some(get_table::<7>),
];

fn made() -> Box<Slots> {
    let slots = Box::new(Slots {
        core: Default::default(),
        domain: Default::default(),
        memory: Default::default(),
        core_table: Default::default(),
        domain_table: Default::default(),
        memory_table: Default::default(),
    });
    point(&slots.core_table, &slots.core);
    point(&slots.domain_table, &slots.domain);
    point(&slots.memory_table, &slots.memory);
    slots
}

fn point(table: &[AtomicPtr<Slot>], slots: &[Slot]) {
    for (entry, slot) in table.iter().zip(slots).skip(1) {
        entry.store(std::ptr::from_ref(slot).cast_mut(), Ordering::Release);
    }
}

/// What a tool at place `N` is given to find its slots with.
unsafe extern "C" fn get_table<const N: usize>(
    module: abi::mstxFuncModule,
    out_table: *mut abi::mstxFuncTable,
    out_size: *mut c_uint,
) -> c_int {
    let Some(slots) = PLACES[N].get() else {
        return abi::MSTX_FAIL;
    };
    if out_table.is_null() || out_size.is_null() {
        return abi::MSTX_FAIL;
    }
    let (table, size) = match module {
        abi::MSTX_API_MODULE_CORE => (slots.core_table.as_slice(), CORE),
        abi::MSTX_API_MODULE_CORE_DOMAIN => (slots.domain_table.as_slice(), DOMAIN),
        abi::MSTX_API_MODULE_CORE_MEM => (slots.memory_table.as_slice(), MEMORY),
        _ => return abi::MSTX_FAIL,
    };
    // SAFETY: not null, and the contract says that it can be written. An atomic pointer is laid out
    // as a pointer, and the places behind the table are as atomic.
    unsafe { out_table.write(table.as_ptr().cast_mut().cast()) };
    // SAFETY: as above.
    unsafe { out_size.write(c_uint::try_from(size).unwrap_or(0)) };
    abi::MSTX_SUCCESS
}

/// A tool that listens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tool {
    slots: &'static Slots,
}

impl Tool {
    /// Attaches a tool at a place of the chain. `None` if it does not want to listen.
    ///
    /// # Safety
    /// `init` is the `InitInjectionMstx` of a tool.
    pub(super) unsafe fn attach(
        place: usize,
        init: unsafe extern "C-unwind" fn(abi::mstxGetModuleFuncTableFunc) -> c_int,
    ) -> Option<Self> {
        let (slots, getter) = (PLACES.get(place)?, *GETTERS.get(place)?);
        let slots = slots.get_or_init(made);
        // SAFETY: as the caller promises.
        let answer = unsafe { init(getter) };
        (answer == abi::MSTX_SUCCESS).then_some(Self { slots })
    }

    fn core(self, id: abi::mstxImplCoreFuncId) -> Option<*mut c_void> {
        function(&self.slots.core, id)
    }

    fn domain(self, id: abi::mstxImplCoreDomainFuncId) -> Option<*mut c_void> {
        function(&self.slots.domain, id)
    }

    fn memory(self, id: abi::mstxImplCoreMemFuncId) -> Option<*mut c_void> {
        function(&self.slots.memory, id)
    }
}

fn function(slots: &[Slot], id: c_int) -> Option<*mut c_void> {
    let slot = slots.get(usize::try_from(id).ok()?)?;
    let function = slot.load(Ordering::Acquire);
    (!function.is_null()).then_some(function)
}

/// Calls what a tool stored in a slot, as the function that belongs there.
macro_rules! call {
    ($slot:expr, ($($kind:ty),*) $(-> $answer:ty)?, [$($absent:expr)?], $($argument:expr),*) => {{
        let Some(function) = $slot else { return $($absent)? };
        // SAFETY: a tool stores in this slot a function of this type: that is the interface.
        let function = unsafe {
            transmute::<*mut c_void, unsafe extern "C-unwind" fn($($kind),*) $(-> $answer)?>(function)
        };
        millpond::lock::assert_none_held();
        // SAFETY: the arguments are those of the program, or stand for them.
        unsafe { function($($argument),*) }
    }};
}

/// The pointer that a tool knows as its handle.
fn handle<T>(word: u64) -> *mut T {
    handles::host_pointer(word)
}

fn word<T>(handle: *mut T) -> u64 {
    handle.expose_provenance() as u64
}

impl Tool {
    pub(super) fn mark(self, message: *const c_char, stream: abi::aclrtStream) {
        let slot = self.core(abi::MSTX_API_CORE_MARK_A);
        call!(slot, (*const c_char, abi::aclrtStream), [], message, stream);
    }

    pub(super) fn range_start(self, message: *const c_char, stream: abi::aclrtStream) -> u64 {
        let slot = self.core(abi::MSTX_API_CORE_RANGE_START_A);
        call!(slot, (*const c_char, abi::aclrtStream) -> u64, [0], message, stream)
    }

    pub(super) fn range_end(self, id: u64) {
        let slot = self.core(abi::MSTX_API_CORE_RANGE_END);
        call!(slot, (u64), [], id);
    }

    pub(super) fn tool_id(self) -> u64 {
        let mut id = 0;
        let slot = self.core(abi::MSTX_API_CORE_GET_TOOL_ID);
        call!(slot, (*mut u64), [0], &raw mut id);
        id
    }

    pub(super) fn domain_create(self, name: *const c_char) -> u64 {
        let slot = self.domain(abi::MSTX_API_CORE_DOMAIN_CREATE_A);
        word(call!(slot, (*const c_char) -> abi::mstxDomainHandle_t, [0], name))
    }

    pub(super) fn domain_destroy(self, domain: u64) {
        let slot = self.domain(abi::MSTX_API_CORE_DOMAIN_DESTROY);
        call!(slot, (abi::mstxDomainHandle_t), [], handle(domain));
    }

    pub(super) fn domain_mark(self, domain: u64, message: *const c_char, stream: abi::aclrtStream) {
        let slot = self.domain(abi::MSTX_API_CORE_DOMAIN_MARK_A);
        call!(
            slot,
            (abi::mstxDomainHandle_t, *const c_char, abi::aclrtStream),
            [],
            handle(domain),
            message,
            stream
        );
    }

    pub(super) fn domain_range_start(
        self,
        domain: u64,
        message: *const c_char,
        stream: abi::aclrtStream,
    ) -> u64 {
        let slot = self.domain(abi::MSTX_API_CORE_DOMAIN_RANGE_START_A);
        call!(
            slot,
            (abi::mstxDomainHandle_t, *const c_char, abi::aclrtStream) -> u64,
            [0],
            handle(domain),
            message,
            stream
        )
    }

    pub(super) fn domain_range_end(self, domain: u64, id: u64) {
        let slot = self.domain(abi::MSTX_API_CORE_DOMAIN_RANGE_END);
        call!(slot, (abi::mstxDomainHandle_t, u64), [], handle(domain), id);
    }

    pub(super) fn heap_register(self, domain: u64, desc: *const abi::mstxMemHeapDesc_t) -> u64 {
        let slot = self.memory(abi::MSTX_API_CORE_MEMHEAP_REGISTER);
        word(call!(
            slot,
            (abi::mstxDomainHandle_t, *const abi::mstxMemHeapDesc_t) -> abi::mstxMemHeapHandle_t,
            [0],
            handle(domain),
            desc
        ))
    }

    pub(super) fn heap_unregister(self, domain: u64, heap: u64) {
        let slot = self.memory(abi::MSTX_API_CORE_MEMHEAP_UNREGISTER);
        call!(
            slot,
            (abi::mstxDomainHandle_t, abi::mstxMemHeapHandle_t),
            [],
            handle(domain),
            handle(heap)
        );
    }

    /// Registers regions in the tool's own heap and returns the tool's own handles.
    pub(super) fn regions_register(
        self,
        domain: u64,
        heap: u64,
        batch: &abi::mstxMemRegionsRegisterBatch_t,
    ) -> Vec<u64> {
        // The tool writes into an array of ours: the program's may be missing.
        let mut handles = vec![null_mut(); batch.regionCount];
        let own = abi::mstxMemRegionsRegisterBatch_t {
            heap: handle(heap),
            regionHandleArrayOut: handles.as_mut_ptr(),
            ..*batch
        };
        let slot = self.memory(abi::MSTX_API_CORE_MEM_REGIONS_REGISTER);
        call!(
            slot,
            (
                abi::mstxDomainHandle_t,
                *const abi::mstxMemRegionsRegisterBatch_t
            ),
            [Vec::new()],
            handle(domain),
            &raw const own
        );
        handles.into_iter().map(word).collect()
    }

    pub(super) fn regions_unregister(
        self,
        domain: u64,
        batch: &abi::mstxMemRegionsUnregisterBatch_t,
    ) {
        let slot = self.memory(abi::MSTX_API_CORE_MEM_REGIONS_UNREGISTER);
        call!(
            slot,
            (
                abi::mstxDomainHandle_t,
                *const abi::mstxMemRegionsUnregisterBatch_t
            ),
            [],
            handle(domain),
            std::ptr::from_ref(batch)
        );
    }

    pub(super) fn permissions_assign(
        self,
        domain: u64,
        batch: &abi::mstxMemPermissionsAssignBatch_t,
    ) {
        let slot = self.memory(abi::MSTX_API_CORE_MEM_PERMISSIONS_ASSIGN);
        call!(
            slot,
            (
                abi::mstxDomainHandle_t,
                *const abi::mstxMemPermissionsAssignBatch_t
            ),
            [],
            handle(domain),
            std::ptr::from_ref(batch)
        );
    }
}
