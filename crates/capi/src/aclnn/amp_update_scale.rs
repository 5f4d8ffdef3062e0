//! The scale of mixed-precision training, by function.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_void;

use millpond_abi as abi;
use millpond_operators::{Attributes, Value};

use super::executor::{self, Executor};
use crate::boundary::{entry, out};

const KIND: &str = "AmpUpdateScale";

/// Puts the update of a scale together.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclnnAmpUpdateScaleGetWorkspaceSize(
    currentScale: *const abi::aclTensor,
    growthTracker: *const abi::aclTensor,
    foundInf: *const abi::aclTensor,
    growthFactor: f64,
    backoffFactor: f64,
    growthInterval: i64,
    updatedScale: *const abi::aclTensor,
    updatedTracker: *const abi::aclTensor,
    workspaceSize: *mut u64,
    executor: *mut *mut abi::aclOpExecutor,
) -> abi::aclnnStatus {
    entry("aclnnAmpUpdateScaleGetWorkspaceSize", || {
        let (size, made) = (out!(workspaceSize), out!(executor));
        // The table's floating-point attributes have 32 bits, and so has the scale.
        #[allow(clippy::cast_possible_truncation, reason = "as the line above says")]
        let real = |number: f64| Value::Float(number as f32);
        let mut attributes = Attributes::new();
        attributes.set("growth_factor", real(growthFactor));
        attributes.set("backoff_factor", real(backoffFactor));
        attributes.set("growth_interval", Value::Int(growthInterval));
        let mut run = Executor::new(KIND, attributes);
        run.input((currentScale, "currentScale"))?;
        run.input((growthTracker, "growthTracker"))?;
        run.input((foundInf, "foundInf"))?;
        run.output((updatedScale, "updatedScale"))?;
        run.output((updatedTracker, "updatedTracker"))?;
        let (bytes, handle) = run.hand_over()?;
        size.write(bytes);
        made.write(handle);
        Ok(())
    })
}
const _: abi::aclnnAmpUpdateScaleGetWorkspaceSizeFn = aclnnAmpUpdateScaleGetWorkspaceSize;

/// Runs it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclnnAmpUpdateScale(
    workspace: *mut c_void,
    workspaceSize: u64,
    executor: *mut abi::aclOpExecutor,
    stream: abi::aclrtStream,
) -> abi::aclnnStatus {
    entry("aclnnAmpUpdateScale", || {
        executor::execute(KIND, workspace, workspaceSize, executor, stream)
    })
}
const _: abi::aclnnAmpUpdateScaleFn = aclnnAmpUpdateScale;
