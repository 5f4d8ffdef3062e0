//! `aclopAttr`: the attributes of an operator. Names and values are copied in.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_int};

use millpond_abi as abi;
use millpond_operators::{Attributes, Value};
use parking_lot::Mutex;

use crate::boundary::{self, CallError, bad_value, entry, text, value_entry};
use crate::handles::{mint, pointer, resolve, withdraw};
use crate::registry::{Kind, Registry};

pub(crate) static ATTRIBUTES: Registry<Mutex<Attributes>> = Registry::new(Kind::OperatorAttributes);

/// The attributes in an argument; NULL means none.
pub(crate) fn of(
    attr: *const abi::aclopAttr,
    argument: &'static str,
) -> Result<Attributes, CallError> {
    if attr.is_null() {
        return Ok(Attributes::new());
    }
    let attributes = resolve(&ATTRIBUTES, Kind::OperatorAttributes, attr.cast(), argument)?;
    let attributes = attributes.lock().clone();
    Ok(attributes)
}

/// Creates an empty set.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopCreateAttr() -> *mut abi::aclopAttr {
    value_entry("aclopCreateAttr", std::ptr::null_mut(), || {
        let minted = mint(&ATTRIBUTES, Kind::OperatorAttributes, Mutex::default())?;
        Ok(pointer(minted).cast())
    })
}
const _: abi::aclopCreateAttrFn = aclopCreateAttr;

/// Ends a set. NULL is ignored.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopDestroyAttr(attr: *const abi::aclopAttr) {
    if attr.is_null() {
        return;
    }
    value_entry("aclopDestroyAttr", (), || {
        withdraw(&ATTRIBUTES, Kind::OperatorAttributes, attr.cast(), "attr").map(drop)
    });
}
const _: abi::aclopDestroyAttrFn = aclopDestroyAttr;

/// # Safety
/// `name` is null or a NUL-terminated string.
unsafe fn set(
    function: &'static str,
    attr: *mut abi::aclopAttr,
    name: *const c_char,
    value: impl FnOnce() -> Result<Value, CallError>,
) -> abi::aclError {
    entry(function, || {
        let attributes = resolve(&ATTRIBUTES, Kind::OperatorAttributes, attr.cast(), "attr")?;
        // SAFETY: the caller's promise.
        let name = unsafe { text(name, "attrName") }?;
        let value = value()?;
        attributes.lock().set(&name, value);
        Ok(())
    })
}

/// # Safety
/// `values` is null or points to `count` values.
unsafe fn list<T: Copy>(
    count: c_int,
    counted: &'static str,
    values: *const T,
) -> Result<Vec<T>, CallError> {
    let Ok(count) = usize::try_from(count) else {
        return bad_value(counted, count, "it must not be negative");
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::array(values, count, "values") }
}

/// Sets a switch: anything but 0 is on.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetAttrBool(
    attr: *mut abi::aclopAttr,
    attrName: *const c_char,
    attrValue: u8,
) -> abi::aclError {
    let value = || Ok(Value::Bool(attrValue != 0));
    // SAFETY: the header's contract for the name.
    unsafe { set("aclopSetAttrBool", attr, attrName, value) }
}
const _: abi::aclopSetAttrBoolFn = aclopSetAttrBool;

/// Sets an integer.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetAttrInt(
    attr: *mut abi::aclopAttr,
    attrName: *const c_char,
    attrValue: i64,
) -> abi::aclError {
    let value = || Ok(Value::Int(attrValue));
    // SAFETY: the header's contract for the name.
    unsafe { set("aclopSetAttrInt", attr, attrName, value) }
}
const _: abi::aclopSetAttrIntFn = aclopSetAttrInt;

/// Sets a floating-point number.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetAttrFloat(
    attr: *mut abi::aclopAttr,
    attrName: *const c_char,
    attrValue: f32,
) -> abi::aclError {
    let value = || Ok(Value::Float(attrValue));
    // SAFETY: the header's contract for the name.
    unsafe { set("aclopSetAttrFloat", attr, attrName, value) }
}
const _: abi::aclopSetAttrFloatFn = aclopSetAttrFloat;

/// Sets a text.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetAttrString(
    attr: *mut abi::aclopAttr,
    attrName: *const c_char,
    attrValue: *const c_char,
) -> abi::aclError {
    // SAFETY: the header's contract for the value.
    let value = || Ok(Value::Text(unsafe { text(attrValue, "attrValue") }?));
    // SAFETY: the header's contract for the name.
    unsafe { set("aclopSetAttrString", attr, attrName, value) }
}
const _: abi::aclopSetAttrStringFn = aclopSetAttrString;

/// Sets a type of elements.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetAttrDataType(
    attr: *mut abi::aclopAttr,
    attrName: *const c_char,
    attrValue: abi::aclDataType,
) -> abi::aclError {
    let value = || Ok(Value::Element(attrValue));
    // SAFETY: the header's contract for the name.
    unsafe { set("aclopSetAttrDataType", attr, attrName, value) }
}
const _: abi::aclopSetAttrDataTypeFn = aclopSetAttrDataType;

/// Sets a list of types of elements.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetAttrListDataType(
    attr: *mut abi::aclopAttr,
    attrName: *const c_char,
    numValues: c_int,
    values: *const abi::aclDataType,
) -> abi::aclError {
    let value = || {
        // SAFETY: the header's contract for the values.
        let values = unsafe { list(numValues, "numValues", values) }?;
        Ok(Value::Elements(values))
    };
    // SAFETY: the header's contract for the name.
    unsafe { set("aclopSetAttrListDataType", attr, attrName, value) }
}
const _: abi::aclopSetAttrListDataTypeFn = aclopSetAttrListDataType;

/// Sets a list of switches.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetAttrListBool(
    attr: *mut abi::aclopAttr,
    attrName: *const c_char,
    numValues: c_int,
    values: *const u8,
) -> abi::aclError {
    let value = || {
        // SAFETY: the header's contract for the values.
        let values = unsafe { list(numValues, "numValues", values) }?;
        Ok(Value::Bools(
            values.iter().map(|value| *value != 0).collect(),
        ))
    };
    // SAFETY: the header's contract for the name.
    unsafe { set("aclopSetAttrListBool", attr, attrName, value) }
}
const _: abi::aclopSetAttrListBoolFn = aclopSetAttrListBool;

/// Sets a list of integers.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetAttrListInt(
    attr: *mut abi::aclopAttr,
    attrName: *const c_char,
    numValues: c_int,
    values: *const i64,
) -> abi::aclError {
    let value = || {
        // SAFETY: the header's contract for the values.
        let values = unsafe { list(numValues, "numValues", values) }?;
        Ok(Value::Ints(values))
    };
    // SAFETY: the header's contract for the name.
    unsafe { set("aclopSetAttrListInt", attr, attrName, value) }
}
const _: abi::aclopSetAttrListIntFn = aclopSetAttrListInt;

/// Sets a list of floating-point numbers.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetAttrListFloat(
    attr: *mut abi::aclopAttr,
    attrName: *const c_char,
    numValues: c_int,
    values: *const f32,
) -> abi::aclError {
    let value = || {
        // SAFETY: the header's contract for the values.
        let values = unsafe { list(numValues, "numValues", values) }?;
        Ok(Value::Floats(values))
    };
    // SAFETY: the header's contract for the name.
    unsafe { set("aclopSetAttrListFloat", attr, attrName, value) }
}
const _: abi::aclopSetAttrListFloatFn = aclopSetAttrListFloat;

/// Sets a list of texts.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetAttrListString(
    attr: *mut abi::aclopAttr,
    attrName: *const c_char,
    numValues: c_int,
    values: *mut *const c_char,
) -> abi::aclError {
    let value = || {
        // SAFETY: the header's contract for the values.
        let values = unsafe { list(numValues, "numValues", values.cast_const()) }?;
        // SAFETY: the header's contract for each value.
        let read = |value| unsafe { text(value, "values") };
        let texts = values.into_iter().map(read);
        Ok(Value::Texts(texts.collect::<Result<_, CallError>>()?))
    };
    // SAFETY: the header's contract for the name.
    unsafe { set("aclopSetAttrListString", attr, attrName, value) }
}
const _: abi::aclopSetAttrListStringFn = aclopSetAttrListString;

/// Sets a list of lists of integers.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclopSetAttrListListInt(
    attr: *mut abi::aclopAttr,
    attrName: *const c_char,
    numLists: c_int,
    numValues: *const c_int,
    values: *const *const i64,
) -> abi::aclError {
    let value = || {
        let Ok(count) = usize::try_from(numLists) else {
            return bad_value("numLists", numLists, "it must not be negative");
        };
        // SAFETY: the header's contract for these arguments.
        let lengths = unsafe { boundary::array(numValues, count, "numValues") }?;
        // SAFETY: as above.
        let starts = unsafe { boundary::array(values, count, "values") }?;
        let lists = lengths.into_iter().zip(starts);
        // SAFETY: the header's contract for each list.
        let lists = lists.map(|(length, start)| unsafe { list(length, "numValues", start) });
        Ok(Value::IntLists(lists.collect::<Result<_, CallError>>()?))
    };
    // SAFETY: the header's contract for the name.
    unsafe { set("aclopSetAttrListListInt", attr, attrName, value) }
}
const _: abi::aclopSetAttrListListIntFn = aclopSetAttrListListInt;
