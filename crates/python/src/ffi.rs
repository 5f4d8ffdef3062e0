//! The part of Python's C interface that is used here. All of it is in the stable interface or has been exported
//! unchanged since 3.9, so one file serves all later versions.
//!
//! Functions that may take the interpreter's lock are "C-unwind": while the interpreter ends, older versions end the
//! thread inside them, by unwinding.
#![expect(unsafe_code, reason = "declares C functions")]

use std::ffi::{c_char, c_double, c_int, c_long, c_longlong, c_ulong, c_ulonglong, c_void};

/// Any object of Python.
#[repr(C)]
pub(crate) struct PyObject {
    _private: [u8; 0],
}

/// A thread's state.
#[repr(C)]
pub(crate) struct PyThreadState {
    _private: [u8; 0],
}

/// A function with its arguments in an array.
pub(crate) type Fast =
    unsafe extern "C-unwind" fn(*mut PyObject, *const *mut PyObject, isize) -> *mut PyObject;

/// One function of a module.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PyMethodDef {
    pub(crate) name: *const c_char,
    pub(crate) function: Option<Fast>,
    pub(crate) flags: c_int,
    pub(crate) doc: *const c_char,
}

/// `PyModuleDef`, with the head that every object has.
#[repr(C)]
pub(crate) struct PyModuleDef {
    pub(crate) references: isize,
    pub(crate) kind: *mut c_void,
    pub(crate) initialise: *mut c_void,
    pub(crate) index: isize,
    pub(crate) copy: *mut c_void,
    pub(crate) name: *const c_char,
    pub(crate) doc: *const c_char,
    pub(crate) size: isize,
    pub(crate) methods: *mut PyMethodDef,
    pub(crate) slots: *mut c_void,
    pub(crate) traverse: *mut c_void,
    pub(crate) clear: *mut c_void,
    pub(crate) free: *mut c_void,
}

pub(crate) const METH_FASTCALL: c_int = 0x80;
/// The version of the stable interface, as `PyModule_Create2` wants it.
pub(crate) const PYTHON_ABI_VERSION: c_int = 3;

unsafe extern "C-unwind" {
    pub(crate) static mut PyExc_SystemExit: *mut PyObject;
    pub(crate) static mut PyExc_TypeError: *mut PyObject;
    pub(crate) static mut PyExc_ValueError: *mut PyObject;
    pub(crate) static mut PyExc_OverflowError: *mut PyObject;
    pub(crate) static mut PyUnicode_Type: PyObject;
    pub(crate) static mut PyBytes_Type: PyObject;
    pub(crate) static mut PyByteArray_Type: PyObject;
    pub(crate) static mut PyDict_Type: PyObject;
    pub(crate) static mut PyLong_Type: PyObject;
    pub(crate) static mut _Py_NoneStruct: PyObject;

    pub(crate) fn Py_IncRef(object: *mut PyObject);
    pub(crate) fn Py_DecRef(object: *mut PyObject);

    pub(crate) fn PyErr_Occurred() -> *mut PyObject;
    pub(crate) fn PyErr_Clear();
    pub(crate) fn PyErr_ExceptionMatches(kind: *mut PyObject) -> c_int;
    pub(crate) fn PyErr_SetString(kind: *mut PyObject, text: *const c_char);
    pub(crate) fn PyErr_Fetch(
        kind: *mut *mut PyObject,
        value: *mut *mut PyObject,
        trace: *mut *mut PyObject,
    );
    pub(crate) fn PyErr_Restore(kind: *mut PyObject, value: *mut PyObject, trace: *mut PyObject);
    pub(crate) fn PyErr_NormalizeException(
        kind: *mut *mut PyObject,
        value: *mut *mut PyObject,
        trace: *mut *mut PyObject,
    );
    pub(crate) fn PyErr_WriteUnraisable(object: *mut PyObject);

    pub(crate) fn PyObject_IsInstance(object: *mut PyObject, kind: *mut PyObject) -> c_int;
    pub(crate) fn PyObject_IsTrue(object: *mut PyObject) -> c_int;
    pub(crate) fn PyObject_Type(object: *mut PyObject) -> *mut PyObject;
    pub(crate) fn PyObject_Str(object: *mut PyObject) -> *mut PyObject;
    pub(crate) fn PyObject_GetAttrString(
        object: *mut PyObject,
        name: *const c_char,
    ) -> *mut PyObject;
    pub(crate) fn PyObject_RichCompareBool(
        one: *mut PyObject,
        other: *mut PyObject,
        operator: c_int,
    ) -> c_int;
    pub(crate) fn PyObject_CallObject(
        callable: *mut PyObject,
        arguments: *mut PyObject,
    ) -> *mut PyObject;
    pub(crate) fn PyCallable_Check(object: *mut PyObject) -> c_int;
    pub(crate) fn PyOS_FSPath(object: *mut PyObject) -> *mut PyObject;

    pub(crate) fn PyNumber_Index(object: *mut PyObject) -> *mut PyObject;
    pub(crate) fn PyLong_AsLongLong(object: *mut PyObject) -> c_longlong;
    pub(crate) fn PyLong_AsUnsignedLongLong(object: *mut PyObject) -> c_ulonglong;
    pub(crate) fn PyLong_FromLong(value: c_long) -> *mut PyObject;
    pub(crate) fn PyLong_FromLongLong(value: c_longlong) -> *mut PyObject;
    pub(crate) fn PyLong_FromUnsignedLongLong(value: c_ulonglong) -> *mut PyObject;
    pub(crate) fn PyFloat_AsDouble(object: *mut PyObject) -> c_double;
    pub(crate) fn PyFloat_FromDouble(value: c_double) -> *mut PyObject;

    pub(crate) fn PyUnicode_AsUTF8String(object: *mut PyObject) -> *mut PyObject;
    pub(crate) fn PyUnicode_EncodeFSDefault(object: *mut PyObject) -> *mut PyObject;
    pub(crate) fn PyUnicode_DecodeUTF8(
        text: *const c_char,
        bytes: isize,
        errors: *const c_char,
    ) -> *mut PyObject;
    pub(crate) fn PyBytes_AsStringAndSize(
        object: *mut PyObject,
        text: *mut *mut c_char,
        bytes: *mut isize,
    ) -> c_int;
    pub(crate) fn PyBytes_FromStringAndSize(text: *const c_char, bytes: isize) -> *mut PyObject;
    pub(crate) fn PyByteArray_AsString(object: *mut PyObject) -> *mut c_char;

    pub(crate) fn PySequence_Tuple(object: *mut PyObject) -> *mut PyObject;
    pub(crate) fn PyTuple_New(items: isize) -> *mut PyObject;
    pub(crate) fn PyTuple_SetItem(tuple: *mut PyObject, index: isize, item: *mut PyObject)
    -> c_int;
    pub(crate) fn PyTuple_GetItem(tuple: *mut PyObject, index: isize) -> *mut PyObject;
    pub(crate) fn PyTuple_Size(tuple: *mut PyObject) -> isize;
    pub(crate) fn PyList_New(items: isize) -> *mut PyObject;
    pub(crate) fn PyList_SetItem(list: *mut PyObject, index: isize, item: *mut PyObject) -> c_int;
    pub(crate) fn PyDict_New() -> *mut PyObject;
    pub(crate) fn PyDict_Size(dict: *mut PyObject) -> isize;
    pub(crate) fn PyDict_GetItemString(dict: *mut PyObject, key: *const c_char) -> *mut PyObject;
    pub(crate) fn PyDict_SetItemString(
        dict: *mut PyObject,
        key: *const c_char,
        item: *mut PyObject,
    ) -> c_int;

    pub(crate) fn PyModule_Create2(definition: *mut PyModuleDef, version: c_int) -> *mut PyObject;
    pub(crate) fn PyModule_New(name: *const c_char) -> *mut PyObject;
    pub(crate) fn PyModule_AddFunctions(
        module: *mut PyObject,
        functions: *mut PyMethodDef,
    ) -> c_int;
    pub(crate) fn PyModule_AddObject(
        module: *mut PyObject,
        name: *const c_char,
        item: *mut PyObject,
    ) -> c_int;

    pub(crate) fn PyThread_get_thread_ident() -> c_ulong;
    pub(crate) fn PyThreadState_SetAsyncExc(thread: c_ulong, kind: *mut PyObject) -> c_int;
    pub(crate) fn PyEval_SaveThread() -> *mut PyThreadState;
    pub(crate) fn PyEval_RestoreThread(thread: *mut PyThreadState);
    pub(crate) fn PyGILState_Ensure() -> c_int;
    pub(crate) fn PyGILState_Release(state: c_int);

    pub(crate) fn PyEval_GetFrame() -> *mut PyObject;
}
