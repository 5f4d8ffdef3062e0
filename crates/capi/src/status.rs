//! The code of each error. One place, no wildcard: a new error must be given one.

use millpond::{DeviceError, Error, GraphError, Limited, MappingError, TaskFailure, Waited};
use millpond_abi as abi;

use crate::boundary::{CallError, Cause};
use crate::registry::{Kind, Unresolved};

impl CallError {
    /// The code that a function returns for it.
    #[deny(
        clippy::wildcard_enum_match_arm,
        clippy::match_wildcard_for_single_variants
    )]
    pub(crate) fn code(&self) -> abi::aclError {
        match self.cause() {
            Cause::Null { .. } | Cause::BadValue { .. } => abi::ACL_ERROR_INVALID_PARAM,
            // Contexts have a code of their own.
            Cause::Handle {
                kind: Kind::Context,
                ..
            }
            | Cause::NoContext => abi::ACL_ERROR_RT_CONTEXT_NULL,
            Cause::Handle { .. } => abi::ACL_ERROR_RT_INVALID_HANDLE,
            Cause::OtherContext { .. } => abi::ACL_ERROR_RT_STREAM_CONTEXT,
            Cause::TooMany { .. } => abi::ACL_ERROR_STORAGE_OVER_LIMIT,
            Cause::Code { code, .. } => *code,
            Cause::Forked | Cause::Panicked { .. } => abi::ACL_ERROR_INTERNAL_ERROR,
            // A call that succeeds.
            Cause::FailsLater => 0,
            Cause::Runtime(error) => of_runtime(error),
        }
    }
}

#[deny(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants
)]
fn of_runtime(error: &Error) -> abi::aclError {
    match error {
        Error::NoSuchDevice { .. } => abi::ACL_ERROR_RT_INVALID_DEVICEID,
        Error::BadSetting { .. } | Error::BadSize { .. } | Error::Unaligned { .. } => {
            abi::ACL_ERROR_INVALID_PARAM
        }
        Error::OutOfMemory { .. } | Error::MachineFull { .. } => {
            abi::ACL_ERROR_RT_MEMORY_ALLOCATION
        }
        Error::PagesNotOffered { .. } | Error::HostToHost | Error::ImportedMemory => {
            abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT
        }
        Error::NotABlock { .. }
        | Error::WrongSpace { .. }
        | Error::OutOfBlock { .. }
        | Error::BadRange { .. }
        | Error::WrongDirection { .. }
        | Error::DestinationTooSmall { .. }
        | Error::EventCannot { .. }
        | Error::WouldDeadlock
        | Error::InUse
        | Error::PoolBounds { .. } => abi::ACL_ERROR_RT_PARAM_INVALID,
        Error::Device(cause) => of_device(cause),
        Error::Mapping(cause) => of_mapping(*cause),
        Error::Graph(cause) => of_graph(cause),
        Error::StreamGone | Error::PoolGone => abi::ACL_ERROR_RT_INVALID_HANDLE,
        Error::StreamAborted => abi::ACL_ERROR_RT_STREAM_ABORT,
        Error::ContextGone => abi::ACL_ERROR_RT_CONTEXT_NULL,
        Error::TooMany { what, .. } => match what {
            Limited::Streams => abi::ACL_ERROR_RT_NO_STREAM_RESOURCE,
            Limited::Events => abi::ACL_ERROR_RT_NO_EVENT_RESOURCE,
        },
        Error::TimedOut { what, .. } => match what {
            Waited::Stream | Waited::Device => abi::ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
            Waited::Event => abi::ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
            Waited::Report => abi::ACL_ERROR_RT_REPORT_TIMEOUT,
        },
        Error::TaskFailed { cause, .. } => of_task(cause),
        Error::EventNotRecorded | Error::PoolInUse { .. } => abi::ACL_ERROR_RT_INTERNAL_ERROR,
        Error::NoTimestamp { .. } => abi::ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
        Error::AlreadySubscribed | Error::ReportsLeft => abi::ACL_ERROR_RT_STREAM_SUBSCRIBE,
        Error::NotSubscribed => abi::ACL_ERROR_RT_STREAM_NO_CB_REG,
        Error::NoThread(_) | Error::TooManyPools { .. } => abi::ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
        Error::Injected { code, .. } => *code,
        Error::NoEngine { .. } => abi::ACL_ERROR_API_NOT_SUPPORT,
        Error::ModelRefused { .. } => abi::ACL_ERROR_GE_LOAD_MODEL,
        Error::BadArgument { .. } | Error::InputTooSmall { .. } => abi::ACL_ERROR_INVALID_PARAM,
        Error::OutputTooSmall { .. } => abi::ACL_ERROR_GE_PARAM_INVALID,
        Error::AllocatorRefused { .. } | Error::NotOnGpu { .. } => {
            abi::ACL_ERROR_GE_MEMORY_ALLOCATION
        }
        Error::NoTrialMemory { .. } => abi::ACL_ERROR_BAD_ALLOC,
        Error::ComputationFailed(_) => abi::ACL_ERROR_GE_INTERNAL_ERROR,
    }
}

/// The code of a task that failed.
#[deny(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants
)]
pub(crate) fn of_task(cause: &TaskFailure) -> abi::aclError {
    match cause {
        TaskFailure::WaitedTooLong { .. } => abi::ACL_ERROR_RT_WAIT_TIMEOUT,
        TaskFailure::Device(cause) => of_device(cause),
        TaskFailure::Panicked(_) => abi::ACL_ERROR_RT_INTERNAL_ERROR,
        TaskFailure::NoThread(_) => abi::ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
        TaskFailure::Computation(_) => abi::ACL_ERROR_RT_MODEL_EXECUTE,
        TaskFailure::Remote(_) => abi::ACL_ERROR_RT_FFTS_PLUS_TIMEOUT,
        TaskFailure::Injected { code, .. } => *code,
    }
}

#[deny(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants
)]
fn of_device(error: &DeviceError) -> abi::aclError {
    match error {
        DeviceError::MachineFull { .. }
        | DeviceError::GpuFull(_)
        | DeviceError::TooManyMappings { .. } => abi::ACL_ERROR_RT_MEMORY_ALLOCATION,
        DeviceError::System { .. } | DeviceError::Driver(_) => abi::ACL_ERROR_RT_DRV_INTERNAL_ERROR,
        DeviceError::NotOffered { .. } => abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        DeviceError::Move { .. } => abi::ACL_ERROR_RT_SYS_DMA,
    }
}

/// The manual says that these are errors, and fixes no numbers.
#[deny(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants
)]
fn of_mapping(error: MappingError) -> abi::aclError {
    match error {
        MappingError::NotWholePages { .. } => abi::ACL_ERROR_INVALID_PARAM,
        MappingError::Gone => abi::ACL_ERROR_RT_INVALID_HANDLE,
        MappingError::NotReserved { .. }
        | MappingError::InsideReservation { .. }
        | MappingError::BeyondReservation { .. }
        | MappingError::Occupied { .. }
        | MappingError::StillQueued { .. }
        | MappingError::NotMapped { .. }
        | MappingError::InsideMapping { .. }
        | MappingError::PartOfMapping { .. }
        | MappingError::NoAccess { .. }
        | MappingError::MappingsLeft { .. }
        | MappingError::OtherPlace { .. }
        | MappingError::NotExported { .. }
        | MappingError::NotABlock { .. } => abi::ACL_ERROR_RT_PARAM_INVALID,
    }
}

#[deny(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants
)]
fn of_graph(error: &GraphError) -> abi::aclError {
    match error {
        GraphError::DefaultStream => abi::ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
        GraphError::StreamCaptured { .. } | GraphError::AlreadyCaptured { .. } => {
            abi::ACL_ERROR_RT_STREAM_CAPTURED
        }
        GraphError::EventCaptured { .. } => abi::ACL_ERROR_RT_EVENT_CAPTURED,
        GraphError::OtherCapture { .. } => abi::ACL_ERROR_RT_CAPTURE_DEPENDENCY,
        GraphError::NotCapturable { .. } | GraphError::NotInGroup { .. } => {
            abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT
        }
        GraphError::NotCaptured { .. } => abi::ACL_ERROR_RT_STREAM_NOT_CAPTURED,
        GraphError::OtherStream { .. } => abi::ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
        GraphError::Invalidated { .. } => abi::ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
        GraphError::Unjoined { .. } => abi::ACL_ERROR_RT_STREAM_UNJOINED,
        GraphError::NotReady => abi::ACL_ERROR_RT_MODEL_CAPTURED,
        GraphError::BranchCaptured => abi::ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING,
        GraphError::StillRuns { .. } => abi::ACL_ERROR_RT_MODEL_RUNNING,
        GraphError::OtherDevice { .. } | GraphError::InsideLaunch => {
            abi::ACL_ERROR_RT_PARAM_INVALID
        }
        GraphError::Group(_) => abi::ACL_ERROR_STREAM_TASK_GROUP_STATUS,
        GraphError::Update(_) => abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP,
        GraphError::Repeated { .. } => abi::ACL_ERROR_RT_PARAM_INVALID,
    }
}

/// Whether `aclrtGetLastError` remembers a code: those of the runtime's own layer only.
pub(crate) fn is_runtime_code(code: abi::aclError) -> bool {
    matches!(code / 1000, 107 | 207 | 507)
}

/// The name of a code, as programs write it.
pub(crate) fn name(code: abi::aclError) -> &'static str {
    abi::constants()
        .find(|(name, value)| {
            ["ACL_ERROR_", "ACLNN_ERR_", "HCCL_E_"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
                && *value == i128::from(code)
        })
        .map_or("unknown code", |(name, _)| name)
}

/// What is wrong with a handle, in words.
pub(crate) fn explain(problem: Unresolved, kind: &str) -> String {
    match problem {
        Unresolved::Foreign => format!("is not a handle of this process ({kind} expected)"),
        Unresolved::OtherKind(other) => {
            format!(
                "is a handle of another kind: {} ({kind} expected)",
                other.name()
            )
        }
        Unresolved::Stale => format!("is stale: the {kind} has been destroyed"),
    }
}
