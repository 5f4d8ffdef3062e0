//! The functions of `acl`.
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

pub(crate) static METHODS: Methods<65> = Methods([
row(c"create_tensor_desc", method!("create_tensor_desc" ("data_type", "dims", "format") least 3, create_tensor_desc), c"create_tensor_desc(data_type, dims, format, /)\n--\n\nvalue = acl.create_tensor_desc(data_type, dims, format)\n\nCreating and destroying. No dimensions make a scalar; -1 means a dimension that is not known\nyet.\n\nC: aclCreateTensorDesc"),
row(c"destroy_tensor_desc", method!("destroy_tensor_desc" ("desc") least 1, destroy_tensor_desc), c"destroy_tensor_desc(desc, /)\n--\n\nacl.destroy_tensor_desc(desc)\n\nCreating and destroying. No dimensions make a scalar; -1 means a dimension that is not known\nyet.\n\nC: aclDestroyTensorDesc"),
row(c"set_tensor_shape_range", method!("set_tensor_shape_range" ("desc", "dims_range") least 2, set_tensor_shape_range), c"set_tensor_shape_range(desc, dims_range, /)\n--\n\nret = acl.set_tensor_shape_range(desc, dims_range)\n\nCreating and destroying. No dimensions make a scalar; -1 means a dimension that is not known\nyet.\n\nC: aclSetTensorShapeRange"),
row(c"set_tensor_value_range", method!("set_tensor_value_range" ("desc", "value_range") least 2, set_tensor_value_range), c"set_tensor_value_range(desc, value_range, /)\n--\n\nret = acl.set_tensor_value_range(desc, value_range)\n\nCreating and destroying. No dimensions make a scalar; -1 means a dimension that is not known\nyet.\n\nC: aclSetTensorValueRange"),
row(c"get_tensor_desc_type", method!("get_tensor_desc_type" ("desc") least 1, get_tensor_desc_type), c"get_tensor_desc_type(desc, /)\n--\n\nvalue = acl.get_tensor_desc_type(desc)\n\nReading. Size and element count are 0 while a dimension is unknown.\n\nC: aclGetTensorDescType"),
row(c"get_tensor_desc_format", method!("get_tensor_desc_format" ("desc") least 1, get_tensor_desc_format), c"get_tensor_desc_format(desc, /)\n--\n\nvalue = acl.get_tensor_desc_format(desc)\n\nReading. Size and element count are 0 while a dimension is unknown.\n\nC: aclGetTensorDescFormat"),
row(c"get_tensor_desc_size", method!("get_tensor_desc_size" ("desc") least 1, get_tensor_desc_size), c"get_tensor_desc_size(desc, /)\n--\n\nvalue = acl.get_tensor_desc_size(desc)\n\nReading. Size and element count are 0 while a dimension is unknown.\n\nC: aclGetTensorDescSize"),
row(c"get_tensor_desc_element_count", method!("get_tensor_desc_element_count" ("desc") least 1, get_tensor_desc_element_count), c"get_tensor_desc_element_count(desc, /)\n--\n\nvalue = acl.get_tensor_desc_element_count(desc)\n\nReading. Size and element count are 0 while a dimension is unknown.\n\nC: aclGetTensorDescElementCount"),
row(c"get_tensor_desc_num_dims", method!("get_tensor_desc_num_dims" ("desc") least 1, get_tensor_desc_num_dims), c"get_tensor_desc_num_dims(desc, /)\n--\n\nvalue = acl.get_tensor_desc_num_dims(desc)\n\nReading. Size and element count are 0 while a dimension is unknown.\n\nC: aclGetTensorDescNumDims"),
row(c"get_tensor_desc_dim", method!("get_tensor_desc_dim" ("desc", "index") least 2, get_tensor_desc_dim), c"get_tensor_desc_dim(desc, index, /)\n--\n\nvalue = acl.get_tensor_desc_dim(desc, index)\n\nReading. Size and element count are 0 while a dimension is unknown.\n\nC: aclGetTensorDescDim"),
row(c"get_tensor_desc_dim_v2", method!("get_tensor_desc_dim_v2" ("desc", "index") least 2, get_tensor_desc_dim_v2), c"get_tensor_desc_dim_v2(desc, index, /)\n--\n\ndim_size, ret = acl.get_tensor_desc_dim_v2(desc, index)\n\nReading. Size and element count are 0 while a dimension is unknown.\n\nC: aclGetTensorDescDimV2"),
row(c"get_tensor_desc_dim_range", method!("get_tensor_desc_dim_range" ("desc", "index", "dim_range_num") least 3, crate::hand::acl_get_tensor_desc_dim_range), c"get_tensor_desc_dim_range(desc, index, dim_range_num, /)\n--\n\nReading. Size and element count are 0 while a dimension is unknown.\n\nC: aclGetTensorDescDimRange"),
row(c"set_tensor_desc_name", method!("set_tensor_desc_name" ("desc", "name") least 2, set_tensor_desc_name), c"set_tensor_desc_name(desc, name, /)\n--\n\nacl.set_tensor_desc_name(desc, name)\n\nThe name is copied in; the one returned belongs to the description.\n\nC: aclSetTensorDescName"),
row(c"get_tensor_desc_name", method!("get_tensor_desc_name" ("desc") least 1, get_tensor_desc_name), c"get_tensor_desc_name(desc, /)\n--\n\nvalue = acl.get_tensor_desc_name(desc)\n\nThe name is copied in; the one returned belongs to the description.\n\nC: aclGetTensorDescName"),
row(c"trans_tensor_desc_format", method!("trans_tensor_desc_format" ("src_desc", "dst_format") least 2, trans_tensor_desc_format), c"trans_tensor_desc_format(src_desc, dst_format, /)\n--\n\ndst_desc, ret = acl.trans_tensor_desc_format(src_desc, dst_format)\n\nFormat and shape, as stored in memory and as the program first described them.\naclTransTensorDescFormat creates a description that the caller destroys.\n\nNote: between NCHW, NHWC and HWCN; other pairs return 100027.\n\nC: aclTransTensorDescFormat"),
row(c"set_tensor_storage_format", method!("set_tensor_storage_format" ("desc", "format") least 2, set_tensor_storage_format), c"set_tensor_storage_format(desc, format, /)\n--\n\nret = acl.set_tensor_storage_format(desc, format)\n\nFormat and shape, as stored in memory and as the program first described them.\naclTransTensorDescFormat creates a description that the caller destroys.\n\nC: aclSetTensorStorageFormat"),
row(c"set_tensor_storage_shape", method!("set_tensor_storage_shape" ("desc", "dims") least 2, set_tensor_storage_shape), c"set_tensor_storage_shape(desc, dims, /)\n--\n\nret = acl.set_tensor_storage_shape(desc, dims)\n\nFormat and shape, as stored in memory and as the program first described them.\naclTransTensorDescFormat creates a description that the caller destroys.\n\nC: aclSetTensorStorageShape"),
row(c"set_tensor_format", method!("set_tensor_format" ("desc", "format") least 2, set_tensor_format), c"set_tensor_format(desc, format, /)\n--\n\nret = acl.set_tensor_format(desc, format)\n\nFormat and shape, as stored in memory and as the program first described them.\naclTransTensorDescFormat creates a description that the caller destroys.\n\nC: aclSetTensorFormat"),
row(c"set_tensor_shape", method!("set_tensor_shape" ("desc", "dims") least 2, set_tensor_shape), c"set_tensor_shape(desc, dims, /)\n--\n\nret = acl.set_tensor_shape(desc, dims)\n\nFormat and shape, as stored in memory and as the program first described them.\naclTransTensorDescFormat creates a description that the caller destroys.\n\nC: aclSetTensorShape"),
row(c"set_tensor_origin_format", method!("set_tensor_origin_format" ("desc", "format") least 2, set_tensor_origin_format), c"set_tensor_origin_format(desc, format, /)\n--\n\nret = acl.set_tensor_origin_format(desc, format)\n\nFormat and shape, as stored in memory and as the program first described them.\naclTransTensorDescFormat creates a description that the caller destroys.\n\nC: aclSetTensorOriginFormat"),
row(c"set_tensor_origin_shape", method!("set_tensor_origin_shape" ("desc", "dims") least 2, set_tensor_origin_shape), c"set_tensor_origin_shape(desc, dims, /)\n--\n\nret = acl.set_tensor_origin_shape(desc, dims)\n\nFormat and shape, as stored in memory and as the program first described them.\naclTransTensorDescFormat creates a description that the caller destroys.\n\nC: aclSetTensorOriginShape"),
row(c"get_tensor_desc_by_index", method!("get_tensor_desc_by_index" ("desc", "index") least 2, get_tensor_desc_by_index), c"get_tensor_desc_by_index(desc, index, /)\n--\n\nvalue = acl.get_tensor_desc_by_index(desc, index)\n\nDynamic inputs, constants and placement.\n\nC: aclGetTensorDescByIndex"),
row(c"get_tensor_desc_address", method!("get_tensor_desc_address" ("desc") least 1, get_tensor_desc_address), c"get_tensor_desc_address(desc, /)\n--\n\nvalue = acl.get_tensor_desc_address(desc)\n\nDynamic inputs, constants and placement.\n\nNote: always NULL; only models assign addresses to tensors.\n\nC: aclGetTensorDescAddress"),
row(c"set_tensor_dynamic_input", method!("set_tensor_dynamic_input" ("desc", "dynamic_input_name") least 2, set_tensor_dynamic_input), c"set_tensor_dynamic_input(desc, dynamic_input_name, /)\n--\n\nret = acl.set_tensor_dynamic_input(desc, dynamic_input_name)\n\nDynamic inputs, constants and placement.\n\nC: aclSetTensorDynamicInput"),
row(c"set_tensor_const", method!("set_tensor_const" ("desc", "data_buffer", "length") least 3, set_tensor_const), c"set_tensor_const(desc, data_buffer, length, /)\n--\n\nret = acl.set_tensor_const(desc, data_buffer, length)\n\nDynamic inputs, constants and placement.\n\nC: aclSetTensorConst"),
row(c"set_tensor_place_ment", method!("set_tensor_place_ment" ("desc", "mem_type") least 2, set_tensor_place_ment), c"set_tensor_place_ment(desc, mem_type, /)\n--\n\nret = acl.set_tensor_place_ment(desc, mem_type)\n\nDynamic inputs, constants and placement.\n\nC: aclSetTensorPlaceMent"),
row(c"set_tensor_placement", method!("set_tensor_placement" ("desc", "mem_type") least 2, set_tensor_place_ment), c"set_tensor_placement(desc, mem_type, /)\n--\n\nret = acl.set_tensor_place_ment(desc, mem_type)\n\nDynamic inputs, constants and placement.\n\nC: aclSetTensorPlaceMent"),
row(c"float16_to_float", method!("float16_to_float" ("value") least 1, float16_to_float), c"float16_to_float(value, /)\n--\n\nvalue = acl.float16_to_float(value)\n\nHalf precision. The conversions saturate: what does not fit becomes the largest finite value.\n\nC: aclFloat16ToFloat"),
row(c"float_to_float16", method!("float_to_float16" ("value") least 1, float_to_float16), c"float_to_float16(value, /)\n--\n\nvalue = acl.float_to_float16(value)\n\nHalf precision. The conversions saturate: what does not fit becomes the largest finite value.\n\nC: aclFloatToFloat16"),
row(c"create_data_buffer", method!("create_data_buffer" ("data", "size") least 2, create_data_buffer), c"create_data_buffer(data, size, /)\n--\n\nvalue = acl.create_data_buffer(data, size)\n\nData buffers. The caller keeps ownership of the memory; destroying a buffer frees only the\nbuffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.\n\nC: aclCreateDataBuffer"),
row(c"destroy_data_buffer", method!("destroy_data_buffer" ("data_buffer") least 1, destroy_data_buffer), c"destroy_data_buffer(data_buffer, /)\n--\n\nret = acl.destroy_data_buffer(data_buffer)\n\nData buffers. The caller keeps ownership of the memory; destroying a buffer frees only the\nbuffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.\n\nC: aclDestroyDataBuffer"),
row(c"update_data_buffer", method!("update_data_buffer" ("data_buffer", "data", "size") least 3, update_data_buffer), c"update_data_buffer(data_buffer, data, size, /)\n--\n\nret = acl.update_data_buffer(data_buffer, data, size)\n\nData buffers. The caller keeps ownership of the memory; destroying a buffer frees only the\nbuffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.\n\nC: aclUpdateDataBuffer"),
row(c"get_data_buffer_addr", method!("get_data_buffer_addr" ("data_buffer") least 1, get_data_buffer_addr), c"get_data_buffer_addr(data_buffer, /)\n--\n\nvalue = acl.get_data_buffer_addr(data_buffer)\n\nData buffers. The caller keeps ownership of the memory; destroying a buffer frees only the\nbuffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.\n\nC: aclGetDataBufferAddr"),
row(c"get_data_buffer_size", method!("get_data_buffer_size" ("data_buffer") least 1, get_data_buffer_size), c"get_data_buffer_size(data_buffer, /)\n--\n\nvalue = acl.get_data_buffer_size(data_buffer)\n\nData buffers. The caller keeps ownership of the memory; destroying a buffer frees only the\nbuffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.\n\nC: aclGetDataBufferSize"),
row(c"get_data_buffer_size_v2", method!("get_data_buffer_size_v2" ("data_buffer") least 1, get_data_buffer_size_v2), c"get_data_buffer_size_v2(data_buffer, /)\n--\n\nvalue = acl.get_data_buffer_size_v2(data_buffer)\n\nData buffers. The caller keeps ownership of the memory; destroying a buffer frees only the\nbuffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.\n\nC: aclGetDataBufferSizeV2"),
row(c"data_type_size", method!("data_type_size" ("data_type") least 1, data_type_size), c"data_type_size(data_type, /)\n--\n\nvalue = acl.data_type_size(data_type)\n\nBytes of one element; 0 for types without a fixed size.\n\nC: aclDataTypeSize"),
row(c"get_soc_name", method!("get_soc_name" () least 0, get_soc_name), c"get_soc_name()\n--\n\nvalue = acl.get_soc_name()\n\nWhat the software and the devices offer. The list and the name are owned by the runtime and live\nas long as the process.\n\nC: aclrtGetSocName"),
row(c"get_cann_attribute_list", method!("get_cann_attribute_list" () least 0, crate::hand::acl_get_cann_attribute_list), c"get_cann_attribute_list()\n--\n\nThe features that get_cann_attribute supports.\n\nNote: three features, all supported.\n\nC: aclGetCannAttributeList"),
row(c"get_cann_attribute", method!("get_cann_attribute" ("cann_attr") least 1, get_cann_attribute), c"get_cann_attribute(cann_attr, /)\n--\n\nvalue, ret = acl.get_cann_attribute(cann_attr)\n\nWhat the software and the devices offer. The list and the name are owned by the runtime and live\nas long as the process.\n\nNote: INF_NAN, BF16 and JIT_COMPILE are supported.\n\nC: aclGetCannAttribute"),
row(c"get_device_capability", method!("get_device_capability" ("device_id", "device_info") least 2, get_device_capability), c"get_device_capability(device_id, device_info, /)\n--\n\nvalue, ret = acl.get_device_capability(device_id, device_info)\n\nWhat the software and the devices offer. The list and the name are owned by the runtime and live\nas long as the process.\n\nNote: the values of the profile.\n\nC: aclGetDeviceCapability"),
row(c"app_log", method!("app_log" ("log_level", "func", "file", "line", "message") least 5, crate::hand::acl_app_log), c"app_log(log_level, func, file, line, message, /)\n--\n\nWrites a line to the log, if its level is enabled. func and file may be None.\n\nNote: written to stderr from ACL_ERROR on; see docs/environment.md.\n\nC: aclAppLog"),
row(c"recover_all_hccl_tasks", method!("recover_all_hccl_tasks" ("device_id") least 1, recover_all_hccl_tasks), c"recover_all_hccl_tasks(device_id, /)\n--\n\nret = acl.recover_all_hccl_tasks(device_id)\n\nAttributes of a loaded model, and its tasks.\n\nRefused: recovery from hardware faults is not supported.\n\nC: aclRecoverAllHcclTasks"),
row(c"set_compileopt", method!("set_compileopt" ("opt", "value") least 2, set_compileopt), c"set_compileopt(opt, value, /)\n--\n\nret = acl.set_compileopt(opt, value)\n\nOptions. The caller provides room for aclGetCompileoptSize characters, terminator included.\n\nNote: stored and returned; options do not change operators; an empty value leaves an option with\nknown values unchanged.\n\nC: aclSetCompileopt"),
row(c"set_compile_opt", method!("set_compile_opt" ("opt", "value") least 2, set_compileopt), c"set_compile_opt(opt, value, /)\n--\n\nret = acl.set_compileopt(opt, value)\n\nOptions. The caller provides room for aclGetCompileoptSize characters, terminator included.\n\nNote: stored and returned; options do not change operators; an empty value leaves an option with\nknown values unchanged.\n\nC: aclSetCompileopt"),
row(c"get_compileopt_size", method!("get_compileopt_size" ("opt") least 1, get_compileopt_size), c"get_compileopt_size(opt, /)\n--\n\nvalue = acl.get_compileopt_size(opt)\n\nOptions. The caller provides room for aclGetCompileoptSize characters, terminator included.\n\nNote: ACL_OP_JIT_COMPILE is \"disable\" by default; options that were never set are empty.\n\nC: aclGetCompileoptSize"),
row(c"get_compile_opt_size", method!("get_compile_opt_size" ("opt") least 1, get_compileopt_size), c"get_compile_opt_size(opt, /)\n--\n\nvalue = acl.get_compileopt_size(opt)\n\nOptions. The caller provides room for aclGetCompileoptSize characters, terminator included.\n\nNote: ACL_OP_JIT_COMPILE is \"disable\" by default; options that were never set are empty.\n\nC: aclGetCompileoptSize"),
row(c"get_compileopt", method!("get_compileopt" ("opt", "length") least 1, crate::hand::acl_get_compileopt), c"get_compileopt(opt, length=None, /)\n--\n\nOptions. The caller provides room for aclGetCompileoptSize characters, terminator included.\n\nNote: ACL_OP_JIT_COMPILE is \"disable\" by default; options that were never set are empty.\n\nC: aclGetCompileopt"),
row(c"get_compile_opt", method!("get_compile_opt" ("opt", "length") least 1, crate::hand::acl_get_compileopt), c"get_compile_opt(opt, length=None, /)\n--\n\nOptions. The caller provides room for aclGetCompileoptSize characters, terminator included.\n\nNote: ACL_OP_JIT_COMPILE is \"disable\" by default; options that were never set are empty.\n\nC: aclGetCompileopt"),
row(c"create_graph_dump_opt", method!("create_graph_dump_opt" () least 0, create_graph_dump_opt), c"create_graph_dump_opt()\n--\n\nvalue = acl.create_graph_dump_opt()\n\nWriting the graph of one operator to a file.\n\nRefused: Millpond's operators are ONNX graphs; writing the vendor's graph format is not\nsupported.\n\nC: aclCreateGraphDumpOpt"),
row(c"destroy_graph_dump_opt", method!("destroy_graph_dump_opt" ("graph_dump_opt") least 1, destroy_graph_dump_opt), c"destroy_graph_dump_opt(graph_dump_opt, /)\n--\n\nret = acl.destroy_graph_dump_opt(graph_dump_opt)\n\nWriting the graph of one operator to a file.\n\nRefused: Millpond's operators are ONNX graphs; writing the vendor's graph format is not\nsupported.\n\nC: aclDestroyGraphDumpOpt"),
row(c"init_callback_register", method!("init_callback_register" ("type", "callback", "user_data") least 2, crate::hand::acl_init_callback_register), c"init_callback_register(type, callback, user_data=None, /)\n--\n\ncallback(config, user_data) is called by init and returns a code; None means 0.\n\nC: aclInitCallbackRegister"),
row(c"init_callback_unregister", method!("init_callback_unregister" ("type", "callback") least 2, crate::hand::acl_init_callback_unregister), c"init_callback_unregister(type, callback, /)\n--\n\nRemoves a callback of init_callback_register.\n\nC: aclInitCallbackUnRegister"),
row(c"finalize_callback_register", method!("finalize_callback_register" ("type", "callback", "user_data") least 2, crate::hand::acl_finalize_callback_register), c"finalize_callback_register(type, callback, user_data=None, /)\n--\n\ncallback(user_data) is called by finalize and returns a code; None means 0.\n\nC: aclFinalizeCallbackRegister"),
row(c"finalize_callback_unregister", method!("finalize_callback_unregister" ("type", "callback") least 2, crate::hand::acl_finalize_callback_unregister), c"finalize_callback_unregister(type, callback, /)\n--\n\nRemoves a callback of finalize_callback_register.\n\nC: aclFinalizeCallbackUnRegister"),
row(c"init", method!("init" ("config_path") least 0, init), c"init(config_path=None, /)\n--\n\nret = acl.init(config_path)\n\naclInit takes the path of a JSON file, or NULL. Further calls count and return\nACL_ERROR_REPEAT_INITIALIZE. aclFinalize ends the runtime regardless of the count;\naclFinalizeReference decrements the count and returns what is left.\n\nNote: other functions work before aclInit, as in the reference; it opens no device, so children\nthat are forked after it have their own devices; device settings in the file must be set before\nthe first use of a device; a second call counts and returns 100002 without a message, because\nnothing failed.\n\nC: aclInit"),
row(c"finalize", method!("finalize" () least 0, finalize), c"finalize()\n--\n\nret = acl.finalize()\n\naclInit takes the path of a JSON file, or NULL. Further calls count and return\nACL_ERROR_REPEAT_INITIALIZE. aclFinalize ends the runtime regardless of the count;\naclFinalizeReference decrements the count and returns what is left.\n\nNote: devices that are still set are reset and contexts destroyed.\n\nC: aclFinalize"),
row(c"finalize_reference", method!("finalize_reference" () least 0, finalize_reference), c"finalize_reference()\n--\n\nref_count, ret = acl.finalize_reference()\n\naclInit takes the path of a JSON file, or NULL. Further calls count and return\nACL_ERROR_REPEAT_INITIALIZE. aclFinalize ends the runtime regardless of the count;\naclFinalizeReference decrements the count and returns what is left.\n\nC: aclFinalizeReference"),
row(c"get_recent_err_msg", method!("get_recent_err_msg" () least 0, crate::hand::acl_get_recent_err_msg), c"get_recent_err_msg()\n--\n\nWhy the last call on this thread failed; None if none did. Reading it clears it.\n\nNote: a text stays until it is read, or until a later call on the thread succeeds that starts\nsomething new: allocates, creates, copies, sets, executes, records, loads or maps.\n\nC: aclGetRecentErrMsg"),
row(c"get_cann_version", method!("get_cann_version" ("name") least 1, get_cann_version), c"get_cann_version(name, /)\n--\n\nversion, ret = acl.get_cann_version(name)\n\nVersions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.\n\nNote: returns 9.0.0, the release whose functions the headers declare, for every package.\n\nC: aclsysGetCANNVersion"),
row(c"sys_get_cann_version", method!("sys_get_cann_version" ("name") least 1, get_cann_version), c"sys_get_cann_version(name, /)\n--\n\nversion, ret = acl.get_cann_version(name)\n\nVersions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.\n\nNote: returns 9.0.0, the release whose functions the headers declare, for every package.\n\nC: aclsysGetCANNVersion"),
row(c"get_version_str", method!("get_version_str" ("pkg_name") least 1, get_version_str), c"get_version_str(pkg_name, /)\n--\n\nversion_str, ret = acl.get_version_str(pkg_name)\n\nVersions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.\n\nNote: as aclsysGetCANNVersion.\n\nC: aclsysGetVersionStr"),
row(c"sys_get_version_str", method!("sys_get_version_str" ("pkg_name") least 1, get_version_str), c"sys_get_version_str(pkg_name, /)\n--\n\nversion_str, ret = acl.get_version_str(pkg_name)\n\nVersions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.\n\nNote: as aclsysGetCANNVersion.\n\nC: aclsysGetVersionStr"),
row(c"get_version_num", method!("get_version_num" ("pkg_name") least 1, get_version_num), c"get_version_num(pkg_name, /)\n--\n\nversion_num, ret = acl.get_version_num(pkg_name)\n\nVersions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.\n\nNote: as aclsysGetCANNVersion.\n\nC: aclsysGetVersionNum"),
row(c"sys_get_version_num", method!("sys_get_version_num" ("pkg_name") least 1, get_version_num), c"sys_get_version_num(pkg_name, /)\n--\n\nversion_num, ret = acl.get_version_num(pkg_name)\n\nVersions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.\n\nNote: as aclsysGetCANNVersion.\n\nC: aclsysGetVersionNum"),
END,
]);

fn create_tensor_desc(args: Args<'_>) -> Answer {
    let data_type = args.i32(0)?;
    let dims: Vec<i64> = args.list(1)?;
    let format = args.i32(2)?;
    let num_dims = args.count(1, dims.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclCreateTensorDesc(data_type, num_dims, dims.as_ptr().cast(), format) };
    ret.object()
}

fn destroy_tensor_desc(args: Args<'_>) -> Answer {
    let desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    unsafe { c::aclDestroyTensorDesc(desc) };
    Owned::none()
}

fn set_tensor_shape_range(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let mut dims_range: Vec<[i64; 2]> = args.list(1)?;
    let dims_count = args.count(1, dims_range.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret =
        unsafe { c::aclSetTensorShapeRange(desc, dims_count, dims_range.as_mut_ptr().cast()) };
    ret.object()
}

fn set_tensor_value_range(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let mut value_range: Vec<[i64; 2]> = args.list(1)?;
    let value_count = args.count(1, value_range.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret =
        unsafe { c::aclSetTensorValueRange(desc, value_count, value_range.as_mut_ptr().cast()) };
    ret.object()
}

fn get_tensor_desc_type(args: Args<'_>) -> Answer {
    let desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetTensorDescType(desc) };
    ret.object()
}

fn get_tensor_desc_format(args: Args<'_>) -> Answer {
    let desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetTensorDescFormat(desc) };
    ret.object()
}

fn get_tensor_desc_size(args: Args<'_>) -> Answer {
    let desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetTensorDescSize(desc) };
    ret.object()
}

fn get_tensor_desc_element_count(args: Args<'_>) -> Answer {
    let desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetTensorDescElementCount(desc) };
    ret.object()
}

fn get_tensor_desc_num_dims(args: Args<'_>) -> Answer {
    let desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetTensorDescNumDims(desc) };
    ret.object()
}

fn get_tensor_desc_dim(args: Args<'_>) -> Answer {
    let desc = args.constant(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetTensorDescDim(desc, index) };
    ret.object()
}

fn get_tensor_desc_dim_v2(args: Args<'_>) -> Answer {
    let desc = args.constant(0)?;
    let index = args.usize(1)?;
    let mut dim_size = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetTensorDescDimV2(desc, index, &raw mut dim_size) };
    tuple([dim_size.object()?, ret.object()?])
}

fn set_tensor_desc_name(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let name = args.text(1)?;
    let name_text = name.as_ptr();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    unsafe { c::aclSetTensorDescName(desc, name_text) };
    Owned::none()
}

fn get_tensor_desc_name(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetTensorDescName(desc) };
    text_or_none(ret)
}

fn trans_tensor_desc_format(args: Args<'_>) -> Answer {
    let src_desc = args.constant(0)?;
    let dst_format = args.i32(1)?;
    let mut dst_desc = std::ptr::null_mut();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclTransTensorDescFormat(src_desc, dst_format, &raw mut dst_desc) };
    tuple([dst_desc.object()?, ret.object()?])
}

fn set_tensor_storage_format(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let format = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclSetTensorStorageFormat(desc, format) };
    ret.object()
}

fn set_tensor_storage_shape(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let dims: Vec<i64> = args.list(1)?;
    let num_dims = args.count(1, dims.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclSetTensorStorageShape(desc, num_dims, dims.as_ptr().cast()) };
    ret.object()
}

fn set_tensor_format(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let format = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclSetTensorFormat(desc, format) };
    ret.object()
}

fn set_tensor_shape(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let dims: Vec<i64> = args.list(1)?;
    let num_dims = args.count(1, dims.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclSetTensorShape(desc, num_dims, dims.as_ptr().cast()) };
    ret.object()
}

fn set_tensor_origin_format(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let format = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclSetTensorOriginFormat(desc, format) };
    ret.object()
}

fn set_tensor_origin_shape(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let dims: Vec<i64> = args.list(1)?;
    let num_dims = args.count(1, dims.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclSetTensorOriginShape(desc, num_dims, dims.as_ptr().cast()) };
    ret.object()
}

fn get_tensor_desc_by_index(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetTensorDescByIndex(desc, index) };
    ret.object()
}

fn get_tensor_desc_address(args: Args<'_>) -> Answer {
    let desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetTensorDescAddress(desc) };
    ret.object()
}

fn set_tensor_dynamic_input(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let dynamic_input_name = args.text(1)?;
    let dynamic_input_name_text = dynamic_input_name.as_ptr();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclSetTensorDynamicInput(desc, dynamic_input_name_text) };
    ret.object()
}

fn set_tensor_const(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let data_buffer = args.pointer(1)?;
    let length = args.usize(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclSetTensorConst(desc, data_buffer, length) };
    ret.object()
}

fn set_tensor_place_ment(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let mem_type = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclSetTensorPlaceMent(desc, mem_type) };
    ret.object()
}

fn float16_to_float(args: Args<'_>) -> Answer {
    let value = args.u16(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclFloat16ToFloat(value) };
    ret.object()
}

fn float_to_float16(args: Args<'_>) -> Answer {
    let value = args.f32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclFloatToFloat16(value) };
    ret.object()
}

fn create_data_buffer(args: Args<'_>) -> Answer {
    let data = args.pointer(0)?;
    let size = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclCreateDataBuffer(data, size) };
    ret.object()
}

fn destroy_data_buffer(args: Args<'_>) -> Answer {
    let data_buffer = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclDestroyDataBuffer(data_buffer) };
    ret.object()
}

fn update_data_buffer(args: Args<'_>) -> Answer {
    let data_buffer = args.pointer(0)?;
    let data = args.pointer(1)?;
    let size = args.usize(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclUpdateDataBuffer(data_buffer, data, size) };
    ret.object()
}

fn get_data_buffer_addr(args: Args<'_>) -> Answer {
    let data_buffer = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetDataBufferAddr(data_buffer) };
    ret.object()
}

fn get_data_buffer_size(args: Args<'_>) -> Answer {
    let data_buffer = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetDataBufferSize(data_buffer) };
    ret.object()
}

fn get_data_buffer_size_v2(args: Args<'_>) -> Answer {
    let data_buffer = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetDataBufferSizeV2(data_buffer) };
    ret.object()
}

fn data_type_size(args: Args<'_>) -> Answer {
    let data_type = args.i32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclDataTypeSize(data_type) };
    ret.object()
}

fn get_soc_name(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetSocName() };
    text_or_none(ret)
}

fn get_cann_attribute(args: Args<'_>) -> Answer {
    let cann_attr = args.i32(0)?;
    let mut value = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetCannAttribute(cann_attr, &raw mut value) };
    tuple([value.object()?, ret.object()?])
}

fn get_device_capability(args: Args<'_>) -> Answer {
    let device_id = args.u32(0)?;
    let device_info = args.i32(1)?;
    let mut value = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetDeviceCapability(device_id, device_info, &raw mut value) };
    tuple([value.object()?, ret.object()?])
}

fn recover_all_hccl_tasks(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclRecoverAllHcclTasks(device_id) };
    ret.object()
}

fn set_compileopt(args: Args<'_>) -> Answer {
    let opt = args.i32(0)?;
    let value = args.text(1)?;
    let value_text = value.as_ptr();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclSetCompileopt(opt, value_text) };
    ret.object()
}

fn get_compileopt_size(args: Args<'_>) -> Answer {
    let opt = args.i32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclGetCompileoptSize(opt) };
    ret.object()
}

fn create_graph_dump_opt(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclCreateGraphDumpOpt() };
    ret.object()
}

fn destroy_graph_dump_opt(args: Args<'_>) -> Answer {
    let graph_dump_opt = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclDestroyGraphDumpOpt(graph_dump_opt) };
    ret.object()
}

fn init(args: Args<'_>) -> Answer {
    let config_path = args.text_or_none(0)?;
    let config_path_text = pointer_to(config_path.as_ref());
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclInit(config_path_text) }
    });
    ret.object()
}

fn finalize(_: Args<'_>) -> Answer {
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclFinalize() }
    });
    ret.object()
}

fn finalize_reference(_: Args<'_>) -> Answer {
    let mut ref_count = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclFinalizeReference(&raw mut ref_count) };
    tuple([ref_count.object()?, ret.object()?])
}

fn get_cann_version(args: Args<'_>) -> Answer {
    let name = args.i32(0)?;
    let mut version: abi::aclCANNPackageVersion = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclsysGetCANNVersion(name, &raw mut version) };
    tuple([version.dict()?, ret.object()?])
}

fn get_version_str(args: Args<'_>) -> Answer {
    let pkg_name = args.text(0)?;
    let pkg_name_text = pkg_name.as_ptr();
    let mut version_str: Vec<c_char> = vec![0; 128];
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclsysGetVersionStr(pkg_name_text.cast_mut(), version_str.as_mut_ptr()) };
    tuple([text_in(&version_str)?, ret.object()?])
}

fn get_version_num(args: Args<'_>) -> Answer {
    let pkg_name = args.text(0)?;
    let pkg_name_text = pkg_name.as_ptr();
    let mut version_num = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclsysGetVersionNum(pkg_name_text.cast_mut(), &raw mut version_num) };
    tuple([version_num.object()?, ret.object()?])
}
