//! Arguments of functions: handles and pointers of C turned into what formulas take.
#![expect(unsafe_code, reason = "reads texts that C points to")]

use std::ffi::{CStr, c_char};
use std::ops::Deref;
use std::sync::Arc;

use millpond_abi as abi;
use millpond_functions::{Scalar, Tensor};

use super::containers::{BOOLS, FLOATS, INTS, SCALAR_LISTS, SCALARS, TENSOR_LISTS};
use super::tensor::{Found, find};
use crate::boundary::CallError;
use crate::handles::resolve;
use crate::registry::{HandleGuard, Kind};

/// A tensor that has to be there.
pub(super) fn tensor(
    handle: *const abi::aclTensor,
    argument: &'static str,
) -> Result<Found, CallError> {
    find(handle, argument)
}

/// A tensor that may be NULL.
pub(super) fn optional_tensor(
    handle: *const abi::aclTensor,
    argument: &'static str,
) -> Result<Option<Found>, CallError> {
    if handle.is_null() {
        return Ok(None);
    }
    find(handle, argument).map(Some)
}

/// A list that a handle names, as a slice.
pub(super) struct Slice<T: 'static>(HandleGuard<'static, Vec<T>>);

impl<T> Deref for Slice<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

// Which kinds of arguments are required or optional depends on the rows of the table.
macro_rules! objects {
    ($($get:ident, $optional:ident, $type:ident, $registry:ident, $kind:ident, $value:ty, $wrap:expr;)*) => {$(
        /// An object that has to be there.
        #[allow(dead_code, reason = "see above")]
        pub(super) fn $get(handle: *const abi::$type, argument: &'static str) -> Result<$value, CallError> {
            resolve(&$registry, Kind::$kind, handle.cast(), argument).map($wrap)
        }
        /// An object that may be NULL.
        #[allow(dead_code, reason = "see above")]
        pub(super) fn $optional(handle: *const abi::$type, argument: &'static str) -> Result<Option<$value>, CallError> {
            if handle.is_null() {
                return Ok(None);
            }
            $get(handle, argument).map(Some)
        }
    )*};
}
objects! {
    scalar, optional_scalar, aclScalar, SCALARS, Scalar, HandleGuard<'static, Scalar>, |held| held;
    ints, optional_ints, aclIntArray, INTS, IntArray, Slice<i64>, Slice;
    floats, optional_floats, aclFloatArray, FLOATS, FloatArray, Slice<f32>, Slice;
    bools, optional_bools, aclBoolArray, BOOLS, BoolArray, Slice<bool>, Slice;
}

/// The tensors of a list.
pub(super) struct Tensors(Vec<Found>);

impl Tensors {
    pub(super) fn references(&self) -> Vec<&Tensor> {
        self.0.iter().map(|tensor| &**tensor).collect()
    }
}

/// A list of tensors. One that may be NULL is empty then, and its members may be NULL: such a member is a tensor without elements and
/// without a type.
pub(super) fn tensors(
    handle: *const abi::aclTensorList,
    argument: &'static str,
    required: bool,
) -> Result<Tensors, CallError> {
    if handle.is_null() && !required {
        return Ok(Tensors(Vec::new()));
    }
    let list = resolve(&TENSOR_LISTS, Kind::TensorList, handle.cast(), argument)?;
    let members = list.iter().map(|member| {
        let handle: *const abi::aclTensor = member.pointer();
        if handle.is_null() && !required {
            return Ok(Found::Later(Arc::new(Tensor::absent())));
        }
        find(handle, argument)
    });
    members.collect::<Result<_, _>>().map(Tensors)
}

/// The scalars of a list.
pub(super) struct Scalars(Vec<Scalar>);

impl Scalars {
    pub(super) fn references(&self) -> Vec<&Scalar> {
        self.0.iter().collect()
    }
}

/// A list of scalars. One that may be NULL is empty then.
pub(super) fn scalars(
    handle: *const abi::aclScalarList,
    argument: &'static str,
    required: bool,
) -> Result<Scalars, CallError> {
    if handle.is_null() && !required {
        return Ok(Scalars(Vec::new()));
    }
    let list = resolve(&SCALAR_LISTS, Kind::ScalarList, handle.cast(), argument)?;
    let members = list
        .iter()
        .map(|member| scalar(member.pointer(), argument).map(|scalar| *scalar));
    members.collect::<Result<_, _>>().map(Scalars)
}

/// A text; NULL stands for an empty one.
pub(super) fn string(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the header's contract: a NUL-terminated string.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
