//! The functions of `op`.
//!
//! Generated from `functions.tsv` and the headers by `cargo xtask generate`: change the table, not this file.
#![expect(unsafe_code, reason = "calls C functions")]

use std::ffi::{c_char, c_void};

use millpond_abi as abi;

use super::c;
use crate::arguments::{Args, Text, pointer_to};
use crate::gil;
use crate::items::Truth;
use crate::methods::{END, Methods, method, row};
use crate::object::{Answer, Owned, ToObject, text_in, text_or_none, tuple};
use crate::structs::{Element, Struct, zeroed};

pub(crate) static METHODS: Methods<29> = Methods([
row(c"set_model_dir", method!("op.set_model_dir" ("model_dir") least 1, set_model_dir), c"set_model_dir(model_dir, /)\n--\n\nret = acl.op.set_model_dir(model_dir)\n\nOperators compiled ahead of time: a folder of them, or one in memory.\n\nNote: operators compiled by millpond atc; if a file was compiled for an NPU and cannot be read,\nevery operator of the table counts as compiled.\n\nC: aclopSetModelDir"),
row(c"load", method!("op.load" ("model", "model_size") least 2, load), c"load(model, model_size, /)\n--\n\nret = acl.op.load(model, model_size)\n\nOperators compiled ahead of time: a folder of them, or one in memory.\n\nNote: operators compiled by millpond atc; if a file was compiled for an NPU and cannot be read,\nevery operator of the table counts as compiled.\n\nC: aclopLoad"),
row(c"set_max_op_queue_num", method!("op.set_max_op_queue_num" ("max_op_num") least 1, set_max_op_queue_num), c"set_max_op_queue_num(max_op_num, /)\n--\n\nret = acl.op.set_max_op_queue_num(max_op_num)\n\nOperators compiled ahead of time: a folder of them, or one in memory.\n\nNote: the number of operators that stay loaded.\n\nC: aclopSetMaxOpQueueNum"),
row(c"create_attr", method!("op.create_attr" () least 0, create_attr), c"create_attr()\n--\n\nvalue = acl.op.create_attr()\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopCreateAttr"),
row(c"destroy_attr", method!("op.destroy_attr" ("attr") least 1, destroy_attr), c"destroy_attr(attr, /)\n--\n\nacl.op.destroy_attr(attr)\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopDestroyAttr"),
row(c"set_attr_bool", method!("op.set_attr_bool" ("attr", "attr_name", "attr_value") least 3, set_attr_bool), c"set_attr_bool(attr, attr_name, attr_value, /)\n--\n\nret = acl.op.set_attr_bool(attr, attr_name, attr_value)\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopSetAttrBool"),
row(c"set_attr_int", method!("op.set_attr_int" ("attr", "attr_name", "attr_value") least 3, set_attr_int), c"set_attr_int(attr, attr_name, attr_value, /)\n--\n\nret = acl.op.set_attr_int(attr, attr_name, attr_value)\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopSetAttrInt"),
row(c"set_attr_float", method!("op.set_attr_float" ("attr", "attr_name", "attr_value") least 3, set_attr_float), c"set_attr_float(attr, attr_name, attr_value, /)\n--\n\nret = acl.op.set_attr_float(attr, attr_name, attr_value)\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopSetAttrFloat"),
row(c"set_attr_string", method!("op.set_attr_string" ("attr", "attr_name", "attr_value") least 3, set_attr_string), c"set_attr_string(attr, attr_name, attr_value, /)\n--\n\nret = acl.op.set_attr_string(attr, attr_name, attr_value)\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopSetAttrString"),
row(c"set_attr_data_type", method!("op.set_attr_data_type" ("attr", "attr_name", "attr_value") least 3, set_attr_data_type), c"set_attr_data_type(attr, attr_name, attr_value, /)\n--\n\nret = acl.op.set_attr_data_type(attr, attr_name, attr_value)\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopSetAttrDataType"),
row(c"set_attr_list_data_type", method!("op.set_attr_list_data_type" ("attr", "attr_name", "values") least 3, set_attr_list_data_type), c"set_attr_list_data_type(attr, attr_name, values, /)\n--\n\nret = acl.op.set_attr_list_data_type(attr, attr_name, values)\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopSetAttrListDataType"),
row(c"set_attr_list_bool", method!("op.set_attr_list_bool" ("attr", "attr_name", "values") least 3, set_attr_list_bool), c"set_attr_list_bool(attr, attr_name, values, /)\n--\n\nret = acl.op.set_attr_list_bool(attr, attr_name, values)\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopSetAttrListBool"),
row(c"set_attr_list_int", method!("op.set_attr_list_int" ("attr", "attr_name", "values") least 3, set_attr_list_int), c"set_attr_list_int(attr, attr_name, values, /)\n--\n\nret = acl.op.set_attr_list_int(attr, attr_name, values)\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopSetAttrListInt"),
row(c"set_attr_list_float", method!("op.set_attr_list_float" ("attr", "attr_name", "values") least 3, set_attr_list_float), c"set_attr_list_float(attr, attr_name, values, /)\n--\n\nret = acl.op.set_attr_list_float(attr, attr_name, values)\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopSetAttrListFloat"),
row(c"set_attr_list_string", method!("op.set_attr_list_string" ("attr", "attr_name", "values") least 3, set_attr_list_string), c"set_attr_list_string(attr, attr_name, values, /)\n--\n\nret = acl.op.set_attr_list_string(attr, attr_name, values)\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopSetAttrListString"),
row(c"set_attr_list_list_int", method!("op.set_attr_list_list_int" ("attr", "attr_name", "values") least 3, crate::hand::op_set_attr_list_list_int), c"set_attr_list_list_int(attr, attr_name, values, /)\n--\n\nAttributes. The caller destroys the set; names and values are copied in.\n\nC: aclopSetAttrListListInt"),
row(c"execute", method!("op.execute" ("op_type", "input_desc", "inputs", "output_desc", "outputs", "attr", "stream") least 7, execute), c"execute(op_type, input_desc, inputs, output_desc, outputs, attr, stream, /)\n--\n\nret = acl.op.execute(op_type, input_desc, inputs, output_desc, outputs, attr, stream)\n\nExecution, queued in the stream. aclopExecuteV2 completes the output descriptions when shapes\nare dynamic.\n\nNote: the operators of Millpond's table; others return 100024 and name the closest ones.\n\nC: aclopExecute"),
row(c"execute_v2", method!("op.execute_v2" ("op_type", "input_desc", "inputs", "output_desc", "outputs", "attr", "stream") least 7, execute_v2), c"execute_v2(op_type, input_desc, inputs, output_desc, outputs, attr, stream, /)\n--\n\nret = acl.op.execute_v2(op_type, input_desc, inputs, output_desc, outputs, attr, stream)\n\nExecution, queued in the stream. aclopExecuteV2 completes the output descriptions when shapes\nare dynamic.\n\nNote: the operators of Millpond's table; others return 100024 and name the closest ones.\n\nC: aclopExecuteV2"),
row(c"infer_shape", method!("op.infer_shape" ("op_type", "input_desc", "inputs", "output_desc", "attr") least 5, infer_shape), c"infer_shape(op_type, input_desc, inputs, output_desc, attr, /)\n--\n\nret = acl.op.infer_shape(op_type, input_desc, inputs, output_desc, attr)\n\nExecution, queued in the stream. aclopExecuteV2 completes the output descriptions when shapes\nare dynamic.\n\nNote: shapes are exact, because the operator runs on copies of its inputs.\n\nC: aclopInferShape"),
row(c"create_handle", method!("op.create_handle" ("op_type", "input_desc", "output_desc", "op_attr") least 4, create_handle), c"create_handle(op_type, input_desc, output_desc, op_attr, /)\n--\n\nhandle, ret = acl.op.create_handle(op_type, input_desc, output_desc, op_attr)\n\nAn operator that is looked up once and run many times. The caller destroys the handle.\n\nNote: the operators of Millpond's table; others return 100024 and name the closest ones.\n\nC: aclopCreateHandle"),
row(c"destroy_handle", method!("op.destroy_handle" ("handle") least 1, destroy_handle), c"destroy_handle(handle, /)\n--\n\nacl.op.destroy_handle(handle)\n\nAn operator that is looked up once and run many times. The caller destroys the handle.\n\nNote: the operators of Millpond's table; others return 100024 and name the closest ones.\n\nC: aclopDestroyHandle"),
row(c"execute_with_handle", method!("op.execute_with_handle" ("handle", "inputs", "outputs", "stream") least 4, execute_with_handle), c"execute_with_handle(handle, inputs, outputs, stream, /)\n--\n\nret = acl.op.execute_with_handle(handle, inputs, outputs, stream)\n\nAn operator that is looked up once and run many times. The caller destroys the handle.\n\nNote: the operators of Millpond's table; others return 100024 and name the closest ones.\n\nC: aclopExecWithHandle"),
row(c"cast", method!("op.cast" ("src_desc", "src_buffer", "dst_desc", "dst_buffer", "truncate", "stream") least 6, cast), c"cast(src_desc, src_buffer, dst_desc, dst_buffer, truncate, stream, /)\n--\n\nret = acl.op.cast(src_desc, src_buffer, dst_desc, dst_buffer, truncate, stream)\n\nConversion between element types.\n\nNote: truncate is ignored.\n\nC: aclopCast"),
row(c"create_handle_for_cast", method!("op.create_handle_for_cast" ("src_desc", "dst_desc", "truncate") least 3, create_handle_for_cast), c"create_handle_for_cast(src_desc, dst_desc, truncate, /)\n--\n\nhandle, ret = acl.op.create_handle_for_cast(src_desc, dst_desc, truncate)\n\nConversion between element types.\n\nNote: truncate is ignored.\n\nC: aclopCreateHandleForCast"),
row(c"compile", method!("op.compile" ("op_type", "input_desc", "output_desc", "attr", "engine_type", "compile_flag", "op_path") least 6, compile), c"compile(op_type, input_desc, output_desc, attr, engine_type, compile_flag, op_path=None, /)\n--\n\nret = acl.op.compile(op_type, input_desc, output_desc, attr, engine_type, compile_flag, op_path)\n\nCompiling; and compiling and queueing in one call.\n\nNote: the operators of Millpond's table; others return 100024 and name the closest ones.\n\nC: aclopCompile"),
row(c"compile_and_execute", method!("op.compile_and_execute" ("op_type", "input_desc", "inputs", "output_desc", "outputs", "attr", "engine_type", "compile_flag", "op_path", "stream") least 10, compile_and_execute), c"compile_and_execute(op_type, input_desc, inputs, output_desc, outputs, attr, engine_type, compile_flag, op_path, stream, /)\n--\n\nret = acl.op.compile_and_execute(op_type, input_desc, inputs, output_desc, outputs, attr,\nengine_type, compile_flag, op_path, stream)\n\nCompiling; and compiling and queueing in one call.\n\nNote: the operators of Millpond's table; others return 100024 and name the closest ones.\n\nC: aclopCompileAndExecute"),
row(c"compile_and_execute_v2", method!("op.compile_and_execute_v2" ("op_type", "input_desc", "inputs", "output_desc", "outputs", "attr", "engine_type", "compile_flag", "op_path", "stream") least 10, compile_and_execute_v2), c"compile_and_execute_v2(op_type, input_desc, inputs, output_desc, outputs, attr, engine_type, compile_flag, op_path, stream, /)\n--\n\nret = acl.op.compile_and_execute_v2(op_type, input_desc, inputs, output_desc, outputs, attr,\nengine_type, compile_flag, op_path, stream)\n\nCompiling; and compiling and queueing in one call.\n\nNote: the operators of Millpond's table; others return 100024 and name the closest ones.\n\nC: aclopCompileAndExecuteV2"),
row(c"set_compile_flag", method!("op.set_compile_flag" ("flag") least 1, set_compile_flag), c"set_compile_flag(flag, /)\n--\n\nret = acl.op.set_compile_flag(flag)\n\nOptions. The caller provides room for aclGetCompileoptSize characters, terminator included.\n\nNote: both serve many shapes.\n\nC: aclopSetCompileFlag"),
END,
]);

fn set_model_dir(args: Args<'_>) -> Answer {
    let model_dir = args.text(0)?;
    let model_dir_text = model_dir.as_ptr();
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclopSetModelDir(model_dir_text) }
    });
    ret.object()
}

fn load(args: Args<'_>) -> Answer {
    let model = args.constant(0)?;
    let model_size = args.usize(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclopLoad(model, model_size) }
    });
    ret.object()
}

fn set_max_op_queue_num(args: Args<'_>) -> Answer {
    let max_op_num = args.u64(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclopSetMaxOpQueueNum(max_op_num) };
    ret.object()
}

fn create_attr(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclopCreateAttr() };
    ret.object()
}

fn destroy_attr(args: Args<'_>) -> Answer {
    let attr = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    unsafe { c::aclopDestroyAttr(attr) };
    Owned::none()
}

fn set_attr_bool(args: Args<'_>) -> Answer {
    let attr = args.pointer(0)?;
    let attr_name = args.text(1)?;
    let attr_name_text = attr_name.as_ptr();
    let attr_value = args.bool(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclopSetAttrBool(attr, attr_name_text, attr_value) };
    ret.object()
}

fn set_attr_int(args: Args<'_>) -> Answer {
    let attr = args.pointer(0)?;
    let attr_name = args.text(1)?;
    let attr_name_text = attr_name.as_ptr();
    let attr_value = args.i64(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclopSetAttrInt(attr, attr_name_text, attr_value) };
    ret.object()
}

fn set_attr_float(args: Args<'_>) -> Answer {
    let attr = args.pointer(0)?;
    let attr_name = args.text(1)?;
    let attr_name_text = attr_name.as_ptr();
    let attr_value = args.f32(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclopSetAttrFloat(attr, attr_name_text, attr_value) };
    ret.object()
}

fn set_attr_string(args: Args<'_>) -> Answer {
    let attr = args.pointer(0)?;
    let attr_name = args.text(1)?;
    let attr_name_text = attr_name.as_ptr();
    let attr_value = args.text(2)?;
    let attr_value_text = attr_value.as_ptr();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclopSetAttrString(attr, attr_name_text, attr_value_text) };
    ret.object()
}

fn set_attr_data_type(args: Args<'_>) -> Answer {
    let attr = args.pointer(0)?;
    let attr_name = args.text(1)?;
    let attr_name_text = attr_name.as_ptr();
    let attr_value = args.i32(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclopSetAttrDataType(attr, attr_name_text, attr_value) };
    ret.object()
}

fn set_attr_list_data_type(args: Args<'_>) -> Answer {
    let attr = args.pointer(0)?;
    let attr_name = args.text(1)?;
    let attr_name_text = attr_name.as_ptr();
    let values: Vec<i32> = args.list(2)?;
    let num_values = args.count(2, values.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclopSetAttrListDataType(attr, attr_name_text, num_values, values.as_ptr().cast())
    };
    ret.object()
}

fn set_attr_list_bool(args: Args<'_>) -> Answer {
    let attr = args.pointer(0)?;
    let attr_name = args.text(1)?;
    let attr_name_text = attr_name.as_ptr();
    let values: Vec<Truth> = args.list(2)?;
    let num_values = args.count(2, values.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclopSetAttrListBool(attr, attr_name_text, num_values, values.as_ptr().cast())
    };
    ret.object()
}

fn set_attr_list_int(args: Args<'_>) -> Answer {
    let attr = args.pointer(0)?;
    let attr_name = args.text(1)?;
    let attr_name_text = attr_name.as_ptr();
    let values: Vec<i64> = args.list(2)?;
    let num_values = args.count(2, values.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret =
        unsafe { c::aclopSetAttrListInt(attr, attr_name_text, num_values, values.as_ptr().cast()) };
    ret.object()
}

fn set_attr_list_float(args: Args<'_>) -> Answer {
    let attr = args.pointer(0)?;
    let attr_name = args.text(1)?;
    let attr_name_text = attr_name.as_ptr();
    let values: Vec<f32> = args.list(2)?;
    let num_values = args.count(2, values.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclopSetAttrListFloat(attr, attr_name_text, num_values, values.as_ptr().cast())
    };
    ret.object()
}

fn set_attr_list_string(args: Args<'_>) -> Answer {
    let attr = args.pointer(0)?;
    let attr_name = args.text(1)?;
    let attr_name_text = attr_name.as_ptr();
    let values: Vec<Text> = args.list(2)?;
    let mut values_texts: Vec<*const c_char> = values.iter().map(Text::as_ptr).collect();
    let num_values = args.count(2, values.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclopSetAttrListString(
            attr,
            attr_name_text,
            num_values,
            values_texts.as_mut_ptr().cast(),
        )
    };
    ret.object()
}

fn execute(args: Args<'_>) -> Answer {
    let op_type = args.text(0)?;
    let op_type_text = op_type.as_ptr();
    let input_desc: Vec<*mut c_void> = args.list(1)?;
    let inputs: Vec<*mut c_void> = args.list(2)?;
    args.same_length(2, inputs.len(), (1, input_desc.len()))?;
    let output_desc: Vec<*mut c_void> = args.list(3)?;
    let outputs: Vec<*mut c_void> = args.list(4)?;
    args.same_length(4, outputs.len(), (3, output_desc.len()))?;
    let attr = args.constant(5)?;
    let stream = args.pointer(6)?;
    let num_inputs = args.count(1, input_desc.len())?;
    let num_outputs = args.count(3, output_desc.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclopExecute(
                op_type_text,
                num_inputs,
                input_desc.as_ptr().cast(),
                inputs.as_ptr().cast(),
                num_outputs,
                output_desc.as_ptr().cast(),
                outputs.as_ptr().cast(),
                attr,
                stream,
            )
        }
    });
    ret.object()
}

fn execute_v2(args: Args<'_>) -> Answer {
    let op_type = args.text(0)?;
    let op_type_text = op_type.as_ptr();
    let mut input_desc: Vec<*mut c_void> = args.list(1)?;
    let mut inputs: Vec<*mut c_void> = args.list(2)?;
    args.same_length(2, inputs.len(), (1, input_desc.len()))?;
    let mut output_desc: Vec<*mut c_void> = args.list(3)?;
    let mut outputs: Vec<*mut c_void> = args.list(4)?;
    args.same_length(4, outputs.len(), (3, output_desc.len()))?;
    let attr = args.pointer(5)?;
    let stream = args.pointer(6)?;
    let num_inputs = args.count(1, input_desc.len())?;
    let num_outputs = args.count(3, output_desc.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclopExecuteV2(
                op_type_text,
                num_inputs,
                input_desc.as_mut_ptr().cast(),
                inputs.as_mut_ptr().cast(),
                num_outputs,
                output_desc.as_mut_ptr().cast(),
                outputs.as_mut_ptr().cast(),
                attr,
                stream,
            )
        }
    });
    ret.object()
}

fn infer_shape(args: Args<'_>) -> Answer {
    let op_type = args.text(0)?;
    let op_type_text = op_type.as_ptr();
    let mut input_desc: Vec<*mut c_void> = args.list(1)?;
    let mut inputs: Vec<*mut c_void> = args.list(2)?;
    args.same_length(2, inputs.len(), (1, input_desc.len()))?;
    let mut output_desc: Vec<*mut c_void> = args.list(3)?;
    let attr = args.pointer(4)?;
    let num_inputs = args.count(1, input_desc.len())?;
    let num_outputs = args.count(3, output_desc.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclopInferShape(
                op_type_text,
                num_inputs,
                input_desc.as_mut_ptr().cast(),
                inputs.as_mut_ptr().cast(),
                num_outputs,
                output_desc.as_mut_ptr().cast(),
                attr,
            )
        }
    });
    ret.object()
}

fn create_handle(args: Args<'_>) -> Answer {
    let op_type = args.text(0)?;
    let op_type_text = op_type.as_ptr();
    let input_desc: Vec<*mut c_void> = args.list(1)?;
    let output_desc: Vec<*mut c_void> = args.list(2)?;
    let op_attr = args.constant(3)?;
    let mut handle = std::ptr::null_mut();
    let num_inputs = args.count(1, input_desc.len())?;
    let num_outputs = args.count(2, output_desc.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclopCreateHandle(
                op_type_text,
                num_inputs,
                input_desc.as_ptr().cast(),
                num_outputs,
                output_desc.as_ptr().cast(),
                op_attr,
                &raw mut handle,
            )
        }
    });
    tuple([handle.object()?, ret.object()?])
}

fn destroy_handle(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    unsafe { c::aclopDestroyHandle(handle) };
    Owned::none()
}

fn execute_with_handle(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let inputs: Vec<*mut c_void> = args.list(1)?;
    let outputs: Vec<*mut c_void> = args.list(2)?;
    let stream = args.pointer(3)?;
    let num_inputs = args.count(1, inputs.len())?;
    let num_outputs = args.count(2, outputs.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclopExecWithHandle(
                handle,
                num_inputs,
                inputs.as_ptr().cast(),
                num_outputs,
                outputs.as_ptr().cast(),
                stream,
            )
        }
    });
    ret.object()
}

fn cast(args: Args<'_>) -> Answer {
    let src_desc = args.constant(0)?;
    let src_buffer = args.constant(1)?;
    let dst_desc = args.constant(2)?;
    let dst_buffer = args.pointer(3)?;
    let truncate = args.bool(4)?;
    let stream = args.pointer(5)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclopCast(src_desc, src_buffer, dst_desc, dst_buffer, truncate, stream) }
    });
    ret.object()
}

fn create_handle_for_cast(args: Args<'_>) -> Answer {
    let src_desc = args.pointer(0)?;
    let dst_desc = args.pointer(1)?;
    let truncate = args.bool(2)?;
    let mut handle = std::ptr::null_mut();
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclopCreateHandleForCast(src_desc, dst_desc, truncate, &raw mut handle) }
    });
    tuple([handle.object()?, ret.object()?])
}

fn compile(args: Args<'_>) -> Answer {
    let op_type = args.text(0)?;
    let op_type_text = op_type.as_ptr();
    let input_desc: Vec<*mut c_void> = args.list(1)?;
    let output_desc: Vec<*mut c_void> = args.list(2)?;
    let attr = args.constant(3)?;
    let engine_type = args.i32(4)?;
    let compile_flag = args.i32(5)?;
    let op_path = args.text_or_none(6)?;
    let op_path_text = pointer_to(op_path.as_ref());
    let num_inputs = args.count(1, input_desc.len())?;
    let num_outputs = args.count(2, output_desc.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclopCompile(
                op_type_text,
                num_inputs,
                input_desc.as_ptr().cast(),
                num_outputs,
                output_desc.as_ptr().cast(),
                attr,
                engine_type,
                compile_flag,
                op_path_text,
            )
        }
    });
    ret.object()
}

fn compile_and_execute(args: Args<'_>) -> Answer {
    let op_type = args.text(0)?;
    let op_type_text = op_type.as_ptr();
    let input_desc: Vec<*mut c_void> = args.list(1)?;
    let inputs: Vec<*mut c_void> = args.list(2)?;
    args.same_length(2, inputs.len(), (1, input_desc.len()))?;
    let output_desc: Vec<*mut c_void> = args.list(3)?;
    let outputs: Vec<*mut c_void> = args.list(4)?;
    args.same_length(4, outputs.len(), (3, output_desc.len()))?;
    let attr = args.constant(5)?;
    let engine_type = args.i32(6)?;
    let compile_flag = args.i32(7)?;
    let op_path = args.text_or_none(8)?;
    let op_path_text = pointer_to(op_path.as_ref());
    let stream = args.pointer(9)?;
    let num_inputs = args.count(1, input_desc.len())?;
    let num_outputs = args.count(3, output_desc.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclopCompileAndExecute(
                op_type_text,
                num_inputs,
                input_desc.as_ptr().cast(),
                inputs.as_ptr().cast(),
                num_outputs,
                output_desc.as_ptr().cast(),
                outputs.as_ptr().cast(),
                attr,
                engine_type,
                compile_flag,
                op_path_text,
                stream,
            )
        }
    });
    ret.object()
}

fn compile_and_execute_v2(args: Args<'_>) -> Answer {
    let op_type = args.text(0)?;
    let op_type_text = op_type.as_ptr();
    let mut input_desc: Vec<*mut c_void> = args.list(1)?;
    let mut inputs: Vec<*mut c_void> = args.list(2)?;
    args.same_length(2, inputs.len(), (1, input_desc.len()))?;
    let mut output_desc: Vec<*mut c_void> = args.list(3)?;
    let mut outputs: Vec<*mut c_void> = args.list(4)?;
    args.same_length(4, outputs.len(), (3, output_desc.len()))?;
    let attr = args.pointer(5)?;
    let engine_type = args.i32(6)?;
    let compile_flag = args.i32(7)?;
    let op_path = args.text_or_none(8)?;
    let op_path_text = pointer_to(op_path.as_ref());
    let stream = args.pointer(9)?;
    let num_inputs = args.count(1, input_desc.len())?;
    let num_outputs = args.count(3, output_desc.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclopCompileAndExecuteV2(
                op_type_text,
                num_inputs,
                input_desc.as_mut_ptr().cast(),
                inputs.as_mut_ptr().cast(),
                num_outputs,
                output_desc.as_mut_ptr().cast(),
                outputs.as_mut_ptr().cast(),
                attr,
                engine_type,
                compile_flag,
                op_path_text,
                stream,
            )
        }
    });
    ret.object()
}

fn set_compile_flag(args: Args<'_>) -> Answer {
    let flag = args.i32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclopSetCompileFlag(flag) };
    ret.object()
}
