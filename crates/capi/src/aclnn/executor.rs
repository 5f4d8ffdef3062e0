//! `aclOpExecutor`: one run of an operator, planned by the first of its two functions and queued by the second.
#![expect(
    unsafe_code,
    reason = "exported C symbols; runs plans on memory that the runtime resolved"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use millpond::{Stream, Touch};
use millpond_abi as abi;
use millpond_functions::{Access, Exchange, Operand, Plan};
use millpond_trace::{CallSite, StackRef, thread_number};
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::containers::TENSOR_LISTS;
use super::{exchange, status, tensor};
use crate::acl::overflow::{self, Watch};
use crate::boundary::{CallError, bad_value, out};
use crate::handles::{mint, pointer, resolve, retire, withdraw};
use crate::registry::{HandleGuard, Kind, Registry};
use crate::{current, process};

pub(crate) static EXECUTORS: Registry<Executor> = Registry::new(Kind::Executor);

/// Work up to this many bytes runs inside the call if its stream is idle: it takes less time than waking a worker.
const SMALL: u64 = 32 * 1024;

/// One run of an operator, or any number if it is repeatable.
#[derive(Debug)]
pub(crate) struct Executor {
    function: &'static str,
    plan: Plan,
    /// Where the operands are, once the program has changed that.
    moved: OnceLock<Mutex<Vec<u64>>>,
    repeatable: AtomicBool,
    /// Where the first function was called, if stacks are wanted.
    launch: Option<Launch>,
}

/// Where an operator was launched: a program may call the second function on a thread that only empties a queue.
#[derive(Debug, Clone, Copy)]
struct Launch {
    thread: u64,
    caller: u64,
    stack: StackRef,
}

impl Launch {
    fn now() -> Option<Self> {
        if !process::listening() {
            return None;
        }
        let (caller, stack) = CallSite::current();
        (stack != 0).then(|| Self {
            thread: thread_number(),
            caller,
            stack,
        })
    }

    /// Lets records of a call on another thread name the launch, until the result is dropped.
    fn note(self, function: &'static str) -> Option<CallSite> {
        (self.thread != thread_number()).then(|| CallSite::note(function, self.caller, self.stack))
    }
}

/// The first of an operator's two functions: plans it and hands the executor to C.
#[inline(always)]
pub(super) fn plan(
    function: &'static str,
    exported: &'static str,
    workspaceSize: *mut u64,
    executor: *mut *mut abi::aclOpExecutor,
    formula: impl FnOnce() -> Result<Plan, CallError>,
) -> abi::aclnnStatus {
    plan_sized(
        function,
        exported,
        workspaceSize,
        executor,
        formula,
        Plan::scratch,
    )
}

/// The same with room for all lengths that the function may be called with later, in an update of a graph.
#[inline(always)]
pub(super) fn plan_most(
    function: &'static str,
    exported: &'static str,
    workspaceSize: *mut u64,
    executor: *mut *mut abi::aclOpExecutor,
    formula: impl FnOnce() -> Result<Plan, CallError>,
) -> abi::aclnnStatus {
    plan_sized(
        function,
        exported,
        workspaceSize,
        executor,
        formula,
        Plan::most_scratch,
    )
}

#[inline(always)]
fn plan_sized(
    function: &'static str,
    exported: &'static str,
    workspaceSize: *mut u64,
    executor: *mut *mut abi::aclOpExecutor,
    formula: impl FnOnce() -> Result<Plan, CallError>,
    bytes: fn(&Plan) -> u64,
) -> abi::aclnnStatus {
    status::entry(exported, || {
        let (size, made) = (out!(workspaceSize), out!(executor));
        let plan = formula()?;
        size.write(bytes(&plan));
        made.write(handle(function, plan)?);
        Ok(())
    })
}

/// The executor of a plan. Not inlined: there are hundreds of callers.
#[inline(never)]
fn handle(function: &'static str, plan: Plan) -> Result<*mut abi::aclOpExecutor, CallError> {
    let executor = Executor {
        function,
        plan,
        moved: OnceLock::new(),
        repeatable: AtomicBool::new(false),
        launch: Launch::now(),
    };
    Ok(pointer(mint(&EXECUTORS, Kind::Executor, executor)?).cast())
}

/// The second of an operator's two functions: queues the run, which uses the executor up unless it is repeatable.
#[inline(always)]
pub(super) fn execute(
    function: &'static str,
    workspace: *mut c_void,
    workspaceSize: u64,
    executor: *mut abi::aclOpExecutor,
    stream: abi::aclrtStream,
) -> abi::aclnnStatus {
    status::entry(function, || {
        queue(function, workspace, workspaceSize, executor, stream)
    })
}

/// What [`execute`] does. Not inlined: there are hundreds of callers.
#[inline(never)]
fn queue(
    function: &'static str,
    workspace: *mut c_void,
    workspaceSize: u64,
    executor: *mut abi::aclOpExecutor,
    stream: abi::aclrtStream,
) -> Result<(), CallError> {
    let executor = take(executor)?;
    if executor.function != function {
        return bad_value(
            "executor",
            format!("made by {}GetWorkspaceSize", executor.function),
            "it must come from the first of the two functions of the same operator",
        );
    }
    if executor.plan.is_empty() {
        return Ok(());
    }
    let needed = executor.plan.scratch();
    let address = workspace.addr() as u64;
    if needed > 0 && address == 0 {
        return Err(CallError::null("workspace"));
    }
    if needed > workspaceSize {
        let given = format!(
            "{workspaceSize}, less than the {needed} bytes that the first function returned"
        );
        return bad_value("workspaceSize", given, "the run needs all of them");
    }
    if address.checked_add(needed).is_none() {
        return bad_value(
            "workspace",
            format!("{address:#x}"),
            "there is no memory behind it",
        );
    }
    let _site = executor.launch.and_then(|launch| launch.note(function));
    current::on_stream(stream, "stream", |stream| run(executor, address, stream))
}

/// The executor for one run: taken out of use, unless it is repeatable.
fn take(handle: *mut abi::aclOpExecutor) -> Result<HandleGuard<'static, Executor>, CallError> {
    let executor = resolve(&EXECUTORS, Kind::Executor, handle.cast(), "executor")?;
    if !executor.repeatable.load(Ordering::Acquire) {
        // Of two runs at once only one gets it.
        retire(&executor, Kind::Executor, handle.cast(), "executor")?;
    }
    Ok(executor)
}

/// Queues one run. The task keeps the executor: its handle may be stale by then.
fn run(
    executor: HandleGuard<'static, Executor>,
    workspace: u64,
    stream: &Stream,
) -> Result<(), CallError> {
    let plan = &executor.plan;
    let touch = |operand: &Operand, address| Touch {
        address,
        bytes: operand.bytes,
        reads: operand.access != Access::Write,
        writes: operand.access != Access::Read,
    };
    let operands = plan.operands().iter();
    let touches: SmallVec<[Touch; 4]> = match executor.moved.get() {
        None => operands
            .map(|operand| touch(operand, operand.address))
            .collect(),
        Some(moved) => operands
            .zip(&*moved.lock())
            .map(|(operand, address)| touch(operand, *address))
            .collect(),
    };
    if let Some(touch) = touches
        .iter()
        .find(|touch| touch.bytes > 0 && touch.address == 0)
    {
        let missing = format!("a tensor of {} bytes has no address", touch.bytes);
        return Err(CallError::coded(abi::ACLNN_ERR_PARAM_NULLPTR, missing));
    }
    if plan.exchanges().is_some() {
        return exchange::run(executor, &touches, workspace, stream);
    }
    compute(executor, &touches, workspace, None, stream)
}

/// Queues the steps of a plan. `kept` is the beginning of the workspace, if what is there comes from another task or goes to one: then it
/// is not scratch memory, whose contents nobody may use.
pub(super) fn compute(
    executor: HandleGuard<'static, Executor>,
    touches: &[Touch],
    workspace: u64,
    kept: Option<Touch>,
    stream: &Stream,
) -> Result<(), CallError> {
    let plan = &executor.plan;
    let watch = overflow::watch(stream);
    if let Some(kept) = kept {
        let rest = plan.scratch().saturating_sub(kept.bytes);
        let rest = Some((workspace + kept.bytes, rest)).filter(|(_, bytes)| *bytes > 0);
        let mut touches: SmallVec<[Touch; 4]> = touches.into();
        touches.push(kept);
        return Ok(stream.compute(
            executor.function,
            &touches,
            rest,
            false,
            move |operands, _| match operands.split_last() {
                // SAFETY: as below; the scratch memory begins with what is kept, and the rest follows it.
                Some((scratch, operands)) => unsafe {
                    run_watched(&executor.plan, operands, *scratch, watch)
                },
                None => Ok(()),
            },
        )?);
    }
    let scratch = Some((workspace, plan.scratch())).filter(|(_, bytes)| *bytes > 0);
    let small = plan.size() <= SMALL;
    stream.compute(
        executor.function,
        touches,
        scratch,
        small,
        move |operands, scratch| {
            // SAFETY: the runtime has resolved every operand and the scratch memory, keeps them until this returns, and gives the
            // sizes that the plan asked for.
            unsafe { run_watched(&executor.plan, operands, scratch, watch) }
        },
    )?;
    Ok(())
}

/// Runs a plan, and looks at its results if the stream wants that.
///
/// # Safety
/// As for [`Plan::run`].
pub(crate) unsafe fn run_watched(
    plan: &Plan,
    operands: &[u64],
    scratch: u64,
    watch: Option<Watch>,
) -> Result<(), String> {
    // SAFETY: as the caller promises.
    unsafe { plan.run(operands, scratch) }?;
    if let Some(watch) = watch {
        // SAFETY: as above; the run is over.
        unsafe { watch.look(plan, operands) };
    }
    Ok(())
}

impl Executor {
    /// The operator's function, what it exchanges with other ranks, and whether tensors were moved after the plan was made.
    pub(super) fn exchange(&self) -> (&'static str, Option<&Exchange>, bool) {
        let is_moved = self.moved.get().is_some();
        (self.function, self.plan.exchanges(), is_moved)
    }

    /// How many steps the plan has.
    pub(super) fn steps(&self) -> usize {
        self.plan.steps()
    }

    /// How many bytes of scratch memory the plan needs.
    pub(super) fn scratch(&self) -> u64 {
        self.plan.scratch()
    }

    /// Runs some steps of the plan. `places` has the operands, and the scratch memory last.
    pub(super) fn run_some(&self, places: &[u64], steps: Range<usize>) -> Result<(), String> {
        match places.split_last() {
            // SAFETY: as in `compute`; the scratch memory is named as the last place.
            Some((scratch, operands)) => unsafe { self.plan.run_some(operands, *scratch, steps) },
            None => Ok(()),
        }
    }

    /// Changes where a tensor is.
    fn set_address(&self, index: usize, id: u64, address: u64) -> Result<(), CallError> {
        let operands = self.plan.operands().iter();
        let planned = || Mutex::new(operands.clone().map(|operand| operand.address).collect());
        let mut addresses = self.moved.get_or_init(planned).lock();
        let mut found = false;
        for (operand, at) in operands.clone().zip(addresses.iter_mut()) {
            if operand.id == id {
                *at = address;
                found = true;
            }
        }
        if found {
            return Ok(());
        }
        let text = format!("index {index}: {} does not use this tensor", self.function);
        Err(CallError::coded(abi::ACLNN_ERR_PARAM_INVALID, text))
    }
}

fn find(executor: *mut abi::aclOpExecutor) -> Result<HandleGuard<'static, Executor>, CallError> {
    if executor.is_null() {
        return Err(CallError::coded(
            abi::ACLNN_ERR_INNER_NULLPTR,
            "the argument 'executor' is NULL",
        ));
    }
    resolve(&EXECUTORS, Kind::Executor, executor.cast(), "executor")
}

/// Lets an executor run any number of times.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclSetAclOpExecutorRepeatable(
    executor: *mut abi::aclOpExecutor,
) -> abi::aclnnStatus {
    status::entry("aclSetAclOpExecutorRepeatable", || {
        find(executor)?.repeatable.store(true, Ordering::Release);
        Ok(())
    })
}
const _: abi::aclSetAclOpExecutorRepeatableFn = aclSetAclOpExecutorRepeatable;

/// Destroys an executor.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclDestroyAclOpExecutor(
    executor: *mut abi::aclOpExecutor,
) -> abi::aclnnStatus {
    status::entry("aclDestroyAclOpExecutor", || {
        find(executor)?;
        withdraw(&EXECUTORS, Kind::Executor, executor.cast(), "executor").map(drop)
    })
}
const _: abi::aclDestroyAclOpExecutorFn = aclDestroyAclOpExecutor;

fn set_address(
    executor: *mut abi::aclOpExecutor,
    index: usize,
    handle: *const abi::aclTensor,
    addr: *mut c_void,
) -> Result<(), CallError> {
    let executor = find(executor)?;
    if handle.is_null() {
        return Err(CallError::coded(
            abi::ACLNN_ERR_INNER_NULLPTR,
            "the argument 'tensor' is NULL",
        ));
    }
    let tensor = tensor::find(handle, "tensor")?;
    // The program gives the address of the storage; the view may begin later.
    let offset = tensor
        .offset
        .unsigned_abs()
        .saturating_mul(tensor.element().bytes() as u64);
    executor.set_address(
        index,
        tensor.id,
        (addr.addr() as u64).saturating_add(offset),
    )
}

macro_rules! setters {
    ($($function:ident, $type:ident;)*) => {$(
        /// Changes where a tensor of a repeatable executor is.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $function(
            executor: *mut abi::aclOpExecutor,
            index: usize,
            tensor: *mut abi::aclTensor,
            addr: *mut c_void,
        ) -> abi::aclnnStatus {
            status::entry(stringify!($function), || set_address(executor, index, tensor, addr))
        }
        const _: abi::$type = $function;
    )*};
}
setters! {
    aclSetInputTensorAddr, aclSetInputTensorAddrFn;
    aclSetOutputTensorAddr, aclSetOutputTensorAddrFn;
    aclSetTensorAddr, aclSetTensorAddrFn;
}

macro_rules! list_setters {
    ($($function:ident, $type:ident;)*) => {$(
        /// Changes where a member of a list of a repeatable executor is.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $function(
            executor: *mut abi::aclOpExecutor,
            _irIndex: usize,
            relativeIndex: usize,
            tensors: *mut abi::aclTensorList,
            addr: *mut c_void,
        ) -> abi::aclnnStatus {
            status::entry(stringify!($function), || {
                find(executor)?;
                if tensors.is_null() {
                    return Err(CallError::coded(abi::ACLNN_ERR_INNER_NULLPTR, "the argument 'tensors' is NULL"));
                }
                let list = resolve(&TENSOR_LISTS, Kind::TensorList, tensors.cast(), "tensors")?;
                match list.get(relativeIndex) {
                    Some(member) => set_address(executor, relativeIndex, member.pointer(), addr),
                    None => bad_value("relativeIndex", relativeIndex, "the list has fewer tensors"),
                }
            })
        }
        const _: abi::$type = $function;
    )*};
}
list_setters! {
    aclSetDynamicInputTensorAddr, aclSetDynamicInputTensorAddrFn;
    aclSetDynamicOutputTensorAddr, aclSetDynamicOutputTensorAddrFn;
    aclSetDynamicTensorAddr, aclSetDynamicTensorAddrFn;
}

/// Start and end of the functions: `aclInit` and `aclFinalize` do the work.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclnnInit(
    _configPath: *const std::ffi::c_char,
) -> abi::aclnnStatus {
    status::entry("aclnnInit", || Ok(()))
}
const _: abi::aclnnInitFn = aclnnInit;

/// The end.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclnnFinalize() -> abi::aclnnStatus {
    status::entry("aclnnFinalize", || Ok(()))
}
const _: abi::aclnnFinalizeFn = aclnnFinalize;
