"""The functions of acl.

Generated from functions.tsv and the C headers by `cargo xtask generate`.
"""

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

_Text = Union[str, bytes, os.PathLike[str]]

from . import rt as rt
from . import mdl as mdl
from . import op as op
from . import blas as blas
from . import media as media
from . import prof as prof
from . import util as util

__version__: str

def create_tensor_desc(data_type: int, dims: Sequence[int], format: int, /) -> int:
    """value = acl.create_tensor_desc(data_type, dims, format)

    Creating and destroying. No dimensions make a scalar; -1 means a dimension that is not known
    yet.

    C: aclCreateTensorDesc"""

def destroy_tensor_desc(desc: int, /) -> None:
    """acl.destroy_tensor_desc(desc)

    Creating and destroying. No dimensions make a scalar; -1 means a dimension that is not known
    yet.

    C: aclDestroyTensorDesc"""

def set_tensor_shape_range(desc: int, dims_range: Sequence[Sequence[int]], /) -> int:
    """ret = acl.set_tensor_shape_range(desc, dims_range)

    Creating and destroying. No dimensions make a scalar; -1 means a dimension that is not known
    yet.

    C: aclSetTensorShapeRange"""

def set_tensor_value_range(desc: int, value_range: Sequence[Sequence[int]], /) -> int:
    """ret = acl.set_tensor_value_range(desc, value_range)

    Creating and destroying. No dimensions make a scalar; -1 means a dimension that is not known
    yet.

    C: aclSetTensorValueRange"""

def get_tensor_desc_type(desc: int, /) -> int:
    """value = acl.get_tensor_desc_type(desc)

    Reading. Size and element count are 0 while a dimension is unknown.

    C: aclGetTensorDescType"""

def get_tensor_desc_format(desc: int, /) -> int:
    """value = acl.get_tensor_desc_format(desc)

    Reading. Size and element count are 0 while a dimension is unknown.

    C: aclGetTensorDescFormat"""

def get_tensor_desc_size(desc: int, /) -> int:
    """value = acl.get_tensor_desc_size(desc)

    Reading. Size and element count are 0 while a dimension is unknown.

    C: aclGetTensorDescSize"""

def get_tensor_desc_element_count(desc: int, /) -> int:
    """value = acl.get_tensor_desc_element_count(desc)

    Reading. Size and element count are 0 while a dimension is unknown.

    C: aclGetTensorDescElementCount"""

def get_tensor_desc_num_dims(desc: int, /) -> int:
    """value = acl.get_tensor_desc_num_dims(desc)

    Reading. Size and element count are 0 while a dimension is unknown.

    C: aclGetTensorDescNumDims"""

def get_tensor_desc_dim(desc: int, index: int, /) -> int:
    """value = acl.get_tensor_desc_dim(desc, index)

    Reading. Size and element count are 0 while a dimension is unknown.

    C: aclGetTensorDescDim"""

def get_tensor_desc_dim_v2(desc: int, index: int, /) -> Tuple[int, int]:
    """dim_size, ret = acl.get_tensor_desc_dim_v2(desc, index)

    Reading. Size and element count are 0 while a dimension is unknown.

    C: aclGetTensorDescDimV2"""

def get_tensor_desc_dim_range(desc: int, index: int, dim_range_num: int, /) -> Tuple[List[int], int]:
    """Reading. Size and element count are 0 while a dimension is unknown.

    C: aclGetTensorDescDimRange"""

def set_tensor_desc_name(desc: int, name: _Text, /) -> None:
    """acl.set_tensor_desc_name(desc, name)

    The name is copied in; the one returned belongs to the description.

    C: aclSetTensorDescName"""

def get_tensor_desc_name(desc: int, /) -> Optional[str]:
    """value = acl.get_tensor_desc_name(desc)

    The name is copied in; the one returned belongs to the description.

    C: aclGetTensorDescName"""

def trans_tensor_desc_format(src_desc: int, dst_format: int, /) -> Tuple[int, int]:
    """dst_desc, ret = acl.trans_tensor_desc_format(src_desc, dst_format)

    Format and shape, as stored in memory and as the program first described them.
    aclTransTensorDescFormat creates a description that the caller destroys.

    Note: between NCHW, NHWC and HWCN; other pairs return 100027.

    C: aclTransTensorDescFormat"""

def set_tensor_storage_format(desc: int, format: int, /) -> int:
    """ret = acl.set_tensor_storage_format(desc, format)

    Format and shape, as stored in memory and as the program first described them.
    aclTransTensorDescFormat creates a description that the caller destroys.

    C: aclSetTensorStorageFormat"""

def set_tensor_storage_shape(desc: int, dims: Sequence[int], /) -> int:
    """ret = acl.set_tensor_storage_shape(desc, dims)

    Format and shape, as stored in memory and as the program first described them.
    aclTransTensorDescFormat creates a description that the caller destroys.

    C: aclSetTensorStorageShape"""

def set_tensor_format(desc: int, format: int, /) -> int:
    """ret = acl.set_tensor_format(desc, format)

    Format and shape, as stored in memory and as the program first described them.
    aclTransTensorDescFormat creates a description that the caller destroys.

    C: aclSetTensorFormat"""

def set_tensor_shape(desc: int, dims: Sequence[int], /) -> int:
    """ret = acl.set_tensor_shape(desc, dims)

    Format and shape, as stored in memory and as the program first described them.
    aclTransTensorDescFormat creates a description that the caller destroys.

    C: aclSetTensorShape"""

def set_tensor_origin_format(desc: int, format: int, /) -> int:
    """ret = acl.set_tensor_origin_format(desc, format)

    Format and shape, as stored in memory and as the program first described them.
    aclTransTensorDescFormat creates a description that the caller destroys.

    C: aclSetTensorOriginFormat"""

def set_tensor_origin_shape(desc: int, dims: Sequence[int], /) -> int:
    """ret = acl.set_tensor_origin_shape(desc, dims)

    Format and shape, as stored in memory and as the program first described them.
    aclTransTensorDescFormat creates a description that the caller destroys.

    C: aclSetTensorOriginShape"""

def get_tensor_desc_by_index(desc: int, index: int, /) -> int:
    """value = acl.get_tensor_desc_by_index(desc, index)

    Dynamic inputs, constants and placement.

    C: aclGetTensorDescByIndex"""

def get_tensor_desc_address(desc: int, /) -> int:
    """value = acl.get_tensor_desc_address(desc)

    Dynamic inputs, constants and placement.

    Note: always NULL; only models assign addresses to tensors.

    C: aclGetTensorDescAddress"""

def set_tensor_dynamic_input(desc: int, dynamic_input_name: _Text, /) -> int:
    """ret = acl.set_tensor_dynamic_input(desc, dynamic_input_name)

    Dynamic inputs, constants and placement.

    C: aclSetTensorDynamicInput"""

def set_tensor_const(desc: int, data_buffer: int, length: int, /) -> int:
    """ret = acl.set_tensor_const(desc, data_buffer, length)

    Dynamic inputs, constants and placement.

    C: aclSetTensorConst"""

def set_tensor_place_ment(desc: int, mem_type: int, /) -> int:
    """ret = acl.set_tensor_place_ment(desc, mem_type)

    Dynamic inputs, constants and placement.

    C: aclSetTensorPlaceMent"""

def set_tensor_placement(desc: int, mem_type: int, /) -> int:
    """ret = acl.set_tensor_place_ment(desc, mem_type)

    Dynamic inputs, constants and placement.

    C: aclSetTensorPlaceMent"""

def float16_to_float(value: int, /) -> float:
    """value = acl.float16_to_float(value)

    Half precision. The conversions saturate: what does not fit becomes the largest finite value.

    C: aclFloat16ToFloat"""

def float_to_float16(value: float, /) -> int:
    """value = acl.float_to_float16(value)

    Half precision. The conversions saturate: what does not fit becomes the largest finite value.

    C: aclFloatToFloat16"""

def create_data_buffer(data: int, size: int, /) -> int:
    """value = acl.create_data_buffer(data, size)

    Data buffers. The caller keeps ownership of the memory; destroying a buffer frees only the
    buffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.

    C: aclCreateDataBuffer"""

def destroy_data_buffer(data_buffer: int, /) -> int:
    """ret = acl.destroy_data_buffer(data_buffer)

    Data buffers. The caller keeps ownership of the memory; destroying a buffer frees only the
    buffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.

    C: aclDestroyDataBuffer"""

def update_data_buffer(data_buffer: int, data: int, size: int, /) -> int:
    """ret = acl.update_data_buffer(data_buffer, data, size)

    Data buffers. The caller keeps ownership of the memory; destroying a buffer frees only the
    buffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.

    C: aclUpdateDataBuffer"""

def get_data_buffer_addr(data_buffer: int, /) -> int:
    """value = acl.get_data_buffer_addr(data_buffer)

    Data buffers. The caller keeps ownership of the memory; destroying a buffer frees only the
    buffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.

    C: aclGetDataBufferAddr"""

def get_data_buffer_size(data_buffer: int, /) -> int:
    """value = acl.get_data_buffer_size(data_buffer)

    Data buffers. The caller keeps ownership of the memory; destroying a buffer frees only the
    buffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.

    C: aclGetDataBufferSize"""

def get_data_buffer_size_v2(data_buffer: int, /) -> int:
    """value = acl.get_data_buffer_size_v2(data_buffer)

    Data buffers. The caller keeps ownership of the memory; destroying a buffer frees only the
    buffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.

    C: aclGetDataBufferSizeV2"""

def data_type_size(data_type: int, /) -> int:
    """value = acl.data_type_size(data_type)

    Bytes of one element; 0 for types without a fixed size.

    C: aclDataTypeSize"""

def get_soc_name() -> Optional[str]:
    """value = acl.get_soc_name()

    What the software and the devices offer. The list and the name are owned by the runtime and live
    as long as the process.

    C: aclrtGetSocName"""

def get_cann_attribute_list() -> Tuple[List[int], int]:
    """The features that get_cann_attribute supports.

    Note: three features, all supported.

    C: aclGetCannAttributeList"""

def get_cann_attribute(cann_attr: int, /) -> Tuple[int, int]:
    """value, ret = acl.get_cann_attribute(cann_attr)

    What the software and the devices offer. The list and the name are owned by the runtime and live
    as long as the process.

    Note: INF_NAN, BF16 and JIT_COMPILE are supported.

    C: aclGetCannAttribute"""

def get_device_capability(device_id: int, device_info: int, /) -> Tuple[int, int]:
    """value, ret = acl.get_device_capability(device_id, device_info)

    What the software and the devices offer. The list and the name are owned by the runtime and live
    as long as the process.

    Note: the values of the profile.

    C: aclGetDeviceCapability"""

def app_log(log_level: int, func: Optional[_Text], file: Optional[_Text], line: int, message: _Text, /) -> None:
    """Writes a line to the log, if its level is enabled. func and file may be None.

    Note: written to stderr from ACL_ERROR on; see docs/environment.md.

    C: aclAppLog"""

def recover_all_hccl_tasks(device_id: int, /) -> int:
    """ret = acl.recover_all_hccl_tasks(device_id)

    Attributes of a loaded model, and its tasks.

    Refused: recovery from hardware faults is not supported.

    C: aclRecoverAllHcclTasks"""

def set_compileopt(opt: int, value: _Text, /) -> int:
    """ret = acl.set_compileopt(opt, value)

    Options. The caller provides room for aclGetCompileoptSize characters, terminator included.

    Note: stored and returned; options do not change operators; an empty value leaves an option with
    known values unchanged.

    C: aclSetCompileopt"""

def set_compile_opt(opt: int, value: _Text, /) -> int:
    """ret = acl.set_compileopt(opt, value)

    Options. The caller provides room for aclGetCompileoptSize characters, terminator included.

    Note: stored and returned; options do not change operators; an empty value leaves an option with
    known values unchanged.

    C: aclSetCompileopt"""

def get_compileopt_size(opt: int, /) -> int:
    """value = acl.get_compileopt_size(opt)

    Options. The caller provides room for aclGetCompileoptSize characters, terminator included.

    Note: ACL_OP_JIT_COMPILE is "disable" by default; options that were never set are empty.

    C: aclGetCompileoptSize"""

def get_compile_opt_size(opt: int, /) -> int:
    """value = acl.get_compileopt_size(opt)

    Options. The caller provides room for aclGetCompileoptSize characters, terminator included.

    Note: ACL_OP_JIT_COMPILE is "disable" by default; options that were never set are empty.

    C: aclGetCompileoptSize"""

def get_compileopt(opt: int, length: Optional[int] = ..., /) -> Tuple[str, int]:
    """Options. The caller provides room for aclGetCompileoptSize characters, terminator included.

    Note: ACL_OP_JIT_COMPILE is "disable" by default; options that were never set are empty.

    C: aclGetCompileopt"""

def get_compile_opt(opt: int, length: Optional[int] = ..., /) -> Tuple[str, int]:
    """Options. The caller provides room for aclGetCompileoptSize characters, terminator included.

    Note: ACL_OP_JIT_COMPILE is "disable" by default; options that were never set are empty.

    C: aclGetCompileopt"""

def create_graph_dump_opt() -> int:
    """value = acl.create_graph_dump_opt()

    Writing the graph of one operator to a file.

    Refused: Millpond's operators are ONNX graphs; writing the vendor's graph format is not
    supported.

    C: aclCreateGraphDumpOpt"""

def destroy_graph_dump_opt(graph_dump_opt: int, /) -> int:
    """ret = acl.destroy_graph_dump_opt(graph_dump_opt)

    Writing the graph of one operator to a file.

    Refused: Millpond's operators are ONNX graphs; writing the vendor's graph format is not
    supported.

    C: aclDestroyGraphDumpOpt"""

def init_callback_register(type: int, callback: Callable[[Optional[str], Any], Any], user_data: Any = ..., /) -> int:
    """callback(config, user_data) is called by init and returns a code; None means 0.

    C: aclInitCallbackRegister"""

def init_callback_unregister(type: int, callback: Callable[[Optional[str], Any], Any], /) -> int:
    """Removes a callback of init_callback_register.

    C: aclInitCallbackUnRegister"""

def finalize_callback_register(type: int, callback: Callable[[Any], Any], user_data: Any = ..., /) -> int:
    """callback(user_data) is called by finalize and returns a code; None means 0.

    C: aclFinalizeCallbackRegister"""

def finalize_callback_unregister(type: int, callback: Callable[[Any], Any], /) -> int:
    """Removes a callback of finalize_callback_register.

    C: aclFinalizeCallbackUnRegister"""

def init(config_path: Optional[_Text] = ..., /) -> int:
    """ret = acl.init(config_path)

    aclInit takes the path of a JSON file, or NULL. Further calls count and return
    ACL_ERROR_REPEAT_INITIALIZE. aclFinalize ends the runtime regardless of the count;
    aclFinalizeReference decrements the count and returns what is left.

    Note: other functions work before aclInit, as in the reference; it opens no device, so children
    that are forked after it have their own devices; device settings in the file must be set before
    the first use of a device; a second call counts and returns 100002 without a message, because
    nothing failed.

    C: aclInit"""

def finalize() -> int:
    """ret = acl.finalize()

    aclInit takes the path of a JSON file, or NULL. Further calls count and return
    ACL_ERROR_REPEAT_INITIALIZE. aclFinalize ends the runtime regardless of the count;
    aclFinalizeReference decrements the count and returns what is left.

    Note: devices that are still set are reset and contexts destroyed.

    C: aclFinalize"""

def finalize_reference() -> Tuple[int, int]:
    """ref_count, ret = acl.finalize_reference()

    aclInit takes the path of a JSON file, or NULL. Further calls count and return
    ACL_ERROR_REPEAT_INITIALIZE. aclFinalize ends the runtime regardless of the count;
    aclFinalizeReference decrements the count and returns what is left.

    C: aclFinalizeReference"""

def get_recent_err_msg() -> Optional[str]:
    """Why the last call on this thread failed; None if none did. Reading it clears it.

    Note: a text stays until it is read, or until a later call on the thread succeeds that starts
    something new: allocates, creates, copies, sets, executes, records, loads or maps.

    C: aclGetRecentErrMsg"""

def get_cann_version(name: int, /) -> Tuple[Dict[str, Any], int]:
    """version, ret = acl.get_cann_version(name)

    Versions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.

    Note: returns 9.0.0, the release whose functions the headers declare, for every package.

    C: aclsysGetCANNVersion"""

def sys_get_cann_version(name: int, /) -> Tuple[Dict[str, Any], int]:
    """version, ret = acl.get_cann_version(name)

    Versions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.

    Note: returns 9.0.0, the release whose functions the headers declare, for every package.

    C: aclsysGetCANNVersion"""

def get_version_str(pkg_name: _Text, /) -> Tuple[str, int]:
    """version_str, ret = acl.get_version_str(pkg_name)

    Versions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.

    Note: as aclsysGetCANNVersion.

    C: aclsysGetVersionStr"""

def sys_get_version_str(pkg_name: _Text, /) -> Tuple[str, int]:
    """version_str, ret = acl.get_version_str(pkg_name)

    Versions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.

    Note: as aclsysGetCANNVersion.

    C: aclsysGetVersionStr"""

def get_version_num(pkg_name: _Text, /) -> Tuple[int, int]:
    """version_num, ret = acl.get_version_num(pkg_name)

    Versions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.

    Note: as aclsysGetCANNVersion.

    C: aclsysGetVersionNum"""

def sys_get_version_num(pkg_name: _Text, /) -> Tuple[int, int]:
    """version_num, ret = acl.get_version_num(pkg_name)

    Versions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.

    Note: as aclsysGetCANNVersion.

    C: aclsysGetVersionNum"""
