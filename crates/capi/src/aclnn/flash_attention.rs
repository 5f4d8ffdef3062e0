//! Attention and its gradient, by function.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_void};

use millpond_abi as abi;
use millpond_operators::{Attributes, Value};

use super::arrays;
use super::executor::{self, Executor};
use crate::boundary::{Fault, bad_value, entry, out, text};

const FORWARD: &str = "FlashAttentionScore";
const BACKWARD: &str = "FlashAttentionScoreGrad";

/// What both functions say besides the tensors.
struct Settings {
    prefix: *const abi::aclIntArray,
    scaleValue: f64,
    keepProb: f64,
    preTokens: i64,
    nextTokens: i64,
    headNum: i64,
    inputLayout: *const c_char,
    sparseMode: i64,
}

impl Settings {
    /// # Safety
    /// `inputLayout` is null or a NUL-terminated string.
    unsafe fn attributes(&self) -> Result<Attributes, Fault> {
        let prefix = arrays::integers(self.prefix, "prefix")?;
        if !prefix.is_empty() {
            let given = format!("{prefix:?}");
            return bad_value("prefix", given, "this version takes none: use attenMask");
        }
        // SAFETY: the caller's promise.
        let layout = unsafe { text(self.inputLayout, "inputLayout") }?;
        // The table's floating-point attributes have 32 bits.
        #[allow(clippy::cast_possible_truncation, reason = "as the line above says")]
        let real = |number: f64| Value::Float(number as f32);
        let mut attributes = Attributes::new();
        attributes.set("scale_value", real(self.scaleValue));
        attributes.set("keep_prob", real(self.keepProb));
        attributes.set("pre_tockens", Value::Int(self.preTokens));
        attributes.set("next_tockens", Value::Int(self.nextTokens));
        attributes.set("head_num", Value::Int(self.headNum));
        attributes.set("input_layout", Value::Text(layout));
        attributes.set("sparse_mode", Value::Int(self.sparseMode));
        Ok(attributes)
    }
}

/// Puts a run of attention together.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclnnFlashAttentionScoreGetWorkspaceSize(
    query: *const abi::aclTensor,
    key: *const abi::aclTensor,
    value: *const abi::aclTensor,
    realShift: *const abi::aclTensor,
    dropMask: *const abi::aclTensor,
    paddingMask: *const abi::aclTensor,
    attenMask: *const abi::aclTensor,
    prefix: *const abi::aclIntArray,
    scaleValue: f64,
    keepProb: f64,
    preTokens: i64,
    nextTokens: i64,
    headNum: i64,
    inputLayout: *mut c_char,
    _innerPrecise: i64,
    sparseMode: i64,
    softmaxMax: *const abi::aclTensor,
    softmaxSum: *const abi::aclTensor,
    softmaxOut: *const abi::aclTensor,
    attentionOut: *const abi::aclTensor,
    workspaceSize: *mut u64,
    executor: *mut *mut abi::aclOpExecutor,
) -> abi::aclnnStatus {
    entry("aclnnFlashAttentionScoreGetWorkspaceSize", || {
        let (size, made) = (out!(workspaceSize), out!(executor));
        let settings = Settings {
            prefix,
            scaleValue,
            keepProb,
            preTokens,
            nextTokens,
            headNum,
            inputLayout,
            sparseMode,
        };
        // SAFETY: the header's contract for the layout.
        let mut run = Executor::new(FORWARD, unsafe { settings.attributes() }?);
        run.input((query, "query"))?;
        run.input((key, "key"))?;
        run.input((value, "value"))?;
        run.optional((realShift, "realShift"))?;
        run.optional((dropMask, "dropMask"))?;
        run.optional((paddingMask, "paddingMask"))?;
        run.optional((attenMask, "attenMask"))?;
        run.output((softmaxMax, "softmaxMax"))?;
        run.output((softmaxSum, "softmaxSum"))?;
        run.optional_output((softmaxOut, "softmaxOut"))?;
        run.output((attentionOut, "attentionOut"))?;
        let (bytes, handle) = run.hand_over()?;
        size.write(bytes);
        made.write(handle);
        Ok(())
    })
}
const _: abi::aclnnFlashAttentionScoreGetWorkspaceSizeFn = aclnnFlashAttentionScoreGetWorkspaceSize;

/// Runs it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclnnFlashAttentionScore(
    workspace: *mut c_void,
    workspaceSize: u64,
    executor: *mut abi::aclOpExecutor,
    stream: abi::aclrtStream,
) -> abi::aclnnStatus {
    entry("aclnnFlashAttentionScore", || {
        executor::execute(FORWARD, workspace, workspaceSize, executor, stream)
    })
}
const _: abi::aclnnFlashAttentionScoreFn = aclnnFlashAttentionScore;

/// Puts a run of the gradient together.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclnnFlashAttentionScoreGradGetWorkspaceSize(
    query: *const abi::aclTensor,
    key: *const abi::aclTensor,
    value: *const abi::aclTensor,
    dy: *const abi::aclTensor,
    pseShift: *const abi::aclTensor,
    dropMask: *const abi::aclTensor,
    paddingMask: *const abi::aclTensor,
    attenMask: *const abi::aclTensor,
    softmaxMax: *const abi::aclTensor,
    softmaxSum: *const abi::aclTensor,
    softmaxIn: *const abi::aclTensor,
    attentionIn: *const abi::aclTensor,
    prefix: *const abi::aclIntArray,
    scaleValue: f64,
    keepProb: f64,
    preTokens: i64,
    nextTokens: i64,
    headNum: i64,
    inputLayout: *mut c_char,
    _innerPrecise: i64,
    sparseMode: i64,
    dq: *const abi::aclTensor,
    dk: *const abi::aclTensor,
    dv: *const abi::aclTensor,
    dpse: *const abi::aclTensor,
    workspaceSize: *mut u64,
    executor: *mut *mut abi::aclOpExecutor,
) -> abi::aclnnStatus {
    entry("aclnnFlashAttentionScoreGradGetWorkspaceSize", || {
        let (size, made) = (out!(workspaceSize), out!(executor));
        let settings = Settings {
            prefix,
            scaleValue,
            keepProb,
            preTokens,
            nextTokens,
            headNum,
            inputLayout,
            sparseMode,
        };
        // SAFETY: the header's contract for the layout.
        let mut run = Executor::new(BACKWARD, unsafe { settings.attributes() }?);
        run.input((query, "query"))?;
        run.input((key, "key"))?;
        run.input((value, "value"))?;
        run.input((dy, "dy"))?;
        run.optional((pseShift, "pseShift"))?;
        run.optional((dropMask, "dropMask"))?;
        run.optional((paddingMask, "paddingMask"))?;
        run.optional((attenMask, "attenMask"))?;
        run.input((softmaxMax, "softmaxMax"))?;
        run.input((softmaxSum, "softmaxSum"))?;
        run.optional((softmaxIn, "softmaxIn"))?;
        run.optional((attentionIn, "attentionIn"))?;
        run.output((dq, "dq"))?;
        run.output((dk, "dk"))?;
        run.output((dv, "dv"))?;
        run.optional_output((dpse, "dpse"))?;
        let (bytes, handle) = run.hand_over()?;
        size.write(bytes);
        made.write(handle);
        Ok(())
    })
}
const _: abi::aclnnFlashAttentionScoreGradGetWorkspaceSizeFn =
    aclnnFlashAttentionScoreGradGetWorkspaceSize;

/// Runs it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclnnFlashAttentionScoreGrad(
    workspace: *mut c_void,
    workspaceSize: u64,
    executor: *mut abi::aclOpExecutor,
    stream: abi::aclrtStream,
) -> abi::aclnnStatus {
    entry("aclnnFlashAttentionScoreGrad", || {
        executor::execute(BACKWARD, workspace, workspaceSize, executor, stream)
    })
}
const _: abi::aclnnFlashAttentionScoreGradFn = aclnnFlashAttentionScoreGrad;
