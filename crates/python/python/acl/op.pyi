"""The functions of acl.op.

Generated from functions.tsv and the C headers by `cargo xtask generate`.
"""

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

_Text = Union[str, bytes, os.PathLike[str]]

def set_model_dir(model_dir: _Text, /) -> int:
    """ret = acl.op.set_model_dir(model_dir)

    Operators compiled ahead of time: a folder of them, or one in memory.

    Note: operators compiled by millpond atc; if a file was compiled for an NPU and cannot be read,
    every operator of the table counts as compiled.

    C: aclopSetModelDir"""

def load(model: int, model_size: int, /) -> int:
    """ret = acl.op.load(model, model_size)

    Operators compiled ahead of time: a folder of them, or one in memory.

    Note: operators compiled by millpond atc; if a file was compiled for an NPU and cannot be read,
    every operator of the table counts as compiled.

    C: aclopLoad"""

def set_max_op_queue_num(max_op_num: int, /) -> int:
    """ret = acl.op.set_max_op_queue_num(max_op_num)

    Operators compiled ahead of time: a folder of them, or one in memory.

    Note: the number of operators that stay loaded.

    C: aclopSetMaxOpQueueNum"""

def create_attr() -> int:
    """value = acl.op.create_attr()

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopCreateAttr"""

def destroy_attr(attr: int, /) -> None:
    """acl.op.destroy_attr(attr)

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopDestroyAttr"""

def set_attr_bool(attr: int, attr_name: _Text, attr_value: Union[bool, int], /) -> int:
    """ret = acl.op.set_attr_bool(attr, attr_name, attr_value)

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopSetAttrBool"""

def set_attr_int(attr: int, attr_name: _Text, attr_value: int, /) -> int:
    """ret = acl.op.set_attr_int(attr, attr_name, attr_value)

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopSetAttrInt"""

def set_attr_float(attr: int, attr_name: _Text, attr_value: float, /) -> int:
    """ret = acl.op.set_attr_float(attr, attr_name, attr_value)

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopSetAttrFloat"""

def set_attr_string(attr: int, attr_name: _Text, attr_value: _Text, /) -> int:
    """ret = acl.op.set_attr_string(attr, attr_name, attr_value)

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopSetAttrString"""

def set_attr_data_type(attr: int, attr_name: _Text, attr_value: int, /) -> int:
    """ret = acl.op.set_attr_data_type(attr, attr_name, attr_value)

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopSetAttrDataType"""

def set_attr_list_data_type(attr: int, attr_name: _Text, values: Sequence[int], /) -> int:
    """ret = acl.op.set_attr_list_data_type(attr, attr_name, values)

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopSetAttrListDataType"""

def set_attr_list_bool(attr: int, attr_name: _Text, values: Sequence[Union[bool, int]], /) -> int:
    """ret = acl.op.set_attr_list_bool(attr, attr_name, values)

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopSetAttrListBool"""

def set_attr_list_int(attr: int, attr_name: _Text, values: Sequence[int], /) -> int:
    """ret = acl.op.set_attr_list_int(attr, attr_name, values)

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopSetAttrListInt"""

def set_attr_list_float(attr: int, attr_name: _Text, values: Sequence[float], /) -> int:
    """ret = acl.op.set_attr_list_float(attr, attr_name, values)

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopSetAttrListFloat"""

def set_attr_list_string(attr: int, attr_name: _Text, values: Sequence[_Text], /) -> int:
    """ret = acl.op.set_attr_list_string(attr, attr_name, values)

    Attributes. The caller destroys the set; names and values are copied in.

    C: aclopSetAttrListString"""

def set_attr_list_list_int(attr: int, attr_name: _Text, values: Sequence[Sequence[int]], /) -> int:
    """Attributes. The caller destroys the set; names and values are copied in.

    C: aclopSetAttrListListInt"""

def execute(op_type: _Text, input_desc: Sequence[int], inputs: Sequence[int], output_desc: Sequence[int], outputs: Sequence[int], attr: int, stream: int, /) -> int:
    """ret = acl.op.execute(op_type, input_desc, inputs, output_desc, outputs, attr, stream)

    Execution, queued in the stream. aclopExecuteV2 completes the output descriptions when shapes
    are dynamic.

    Note: the operators of Millpond's table; others return 100024 and name the closest ones.

    C: aclopExecute"""

def execute_v2(op_type: _Text, input_desc: Sequence[int], inputs: Sequence[int], output_desc: Sequence[int], outputs: Sequence[int], attr: int, stream: int, /) -> int:
    """ret = acl.op.execute_v2(op_type, input_desc, inputs, output_desc, outputs, attr, stream)

    Execution, queued in the stream. aclopExecuteV2 completes the output descriptions when shapes
    are dynamic.

    Note: the operators of Millpond's table; others return 100024 and name the closest ones.

    C: aclopExecuteV2"""

def infer_shape(op_type: _Text, input_desc: Sequence[int], inputs: Sequence[int], output_desc: Sequence[int], attr: int, /) -> int:
    """ret = acl.op.infer_shape(op_type, input_desc, inputs, output_desc, attr)

    Execution, queued in the stream. aclopExecuteV2 completes the output descriptions when shapes
    are dynamic.

    Note: shapes are exact, because the operator runs on copies of its inputs.

    C: aclopInferShape"""

def create_handle(op_type: _Text, input_desc: Sequence[int], output_desc: Sequence[int], op_attr: int, /) -> Tuple[int, int]:
    """handle, ret = acl.op.create_handle(op_type, input_desc, output_desc, op_attr)

    An operator that is looked up once and run many times. The caller destroys the handle.

    Note: the operators of Millpond's table; others return 100024 and name the closest ones.

    C: aclopCreateHandle"""

def destroy_handle(handle: int, /) -> None:
    """acl.op.destroy_handle(handle)

    An operator that is looked up once and run many times. The caller destroys the handle.

    Note: the operators of Millpond's table; others return 100024 and name the closest ones.

    C: aclopDestroyHandle"""

def execute_with_handle(handle: int, inputs: Sequence[int], outputs: Sequence[int], stream: int, /) -> int:
    """ret = acl.op.execute_with_handle(handle, inputs, outputs, stream)

    An operator that is looked up once and run many times. The caller destroys the handle.

    Note: the operators of Millpond's table; others return 100024 and name the closest ones.

    C: aclopExecWithHandle"""

def cast(src_desc: int, src_buffer: int, dst_desc: int, dst_buffer: int, truncate: Union[bool, int], stream: int, /) -> int:
    """ret = acl.op.cast(src_desc, src_buffer, dst_desc, dst_buffer, truncate, stream)

    Conversion between element types.

    Note: truncate is ignored.

    C: aclopCast"""

def create_handle_for_cast(src_desc: int, dst_desc: int, truncate: Union[bool, int], /) -> Tuple[int, int]:
    """handle, ret = acl.op.create_handle_for_cast(src_desc, dst_desc, truncate)

    Conversion between element types.

    Note: truncate is ignored.

    C: aclopCreateHandleForCast"""

def compile(op_type: _Text, input_desc: Sequence[int], output_desc: Sequence[int], attr: int, engine_type: int, compile_flag: int, op_path: Optional[_Text] = ..., /) -> int:
    """ret = acl.op.compile(op_type, input_desc, output_desc, attr, engine_type, compile_flag, op_path)

    Compiling; and compiling and queueing in one call.

    Note: the operators of Millpond's table; others return 100024 and name the closest ones.

    C: aclopCompile"""

def compile_and_execute(op_type: _Text, input_desc: Sequence[int], inputs: Sequence[int], output_desc: Sequence[int], outputs: Sequence[int], attr: int, engine_type: int, compile_flag: int, op_path: Optional[_Text], stream: int, /) -> int:
    """ret = acl.op.compile_and_execute(op_type, input_desc, inputs, output_desc, outputs, attr,
    engine_type, compile_flag, op_path, stream)

    Compiling; and compiling and queueing in one call.

    Note: the operators of Millpond's table; others return 100024 and name the closest ones.

    C: aclopCompileAndExecute"""

def compile_and_execute_v2(op_type: _Text, input_desc: Sequence[int], inputs: Sequence[int], output_desc: Sequence[int], outputs: Sequence[int], attr: int, engine_type: int, compile_flag: int, op_path: Optional[_Text], stream: int, /) -> int:
    """ret = acl.op.compile_and_execute_v2(op_type, input_desc, inputs, output_desc, outputs, attr,
    engine_type, compile_flag, op_path, stream)

    Compiling; and compiling and queueing in one call.

    Note: the operators of Millpond's table; others return 100024 and name the closest ones.

    C: aclopCompileAndExecuteV2"""

def set_compile_flag(flag: int, /) -> int:
    """ret = acl.op.set_compile_flag(flag)

    Options. The caller provides room for aclGetCompileoptSize characters, terminator included.

    Note: both serve many shapes.

    C: aclopSetCompileFlag"""
