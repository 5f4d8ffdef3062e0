//! The functions of `mdl`.
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

pub(crate) static METHODS: Methods<111> = Methods([
row(c"create_desc", method!("mdl.create_desc" () least 0, create_desc), c"create_desc()\n--\n\nvalue = acl.mdl.create_desc()\n\nDescriptions. The caller creates and destroys them.\n\nC: aclmdlCreateDesc"),
row(c"destroy_desc", method!("mdl.destroy_desc" ("model_desc") least 1, destroy_desc), c"destroy_desc(model_desc, /)\n--\n\nret = acl.mdl.destroy_desc(model_desc)\n\nDescriptions. The caller creates and destroys them.\n\nC: aclmdlDestroyDesc"),
row(c"get_desc", method!("mdl.get_desc" ("model_desc", "model_id") least 2, get_desc), c"get_desc(model_desc, model_id, /)\n--\n\nret = acl.mdl.get_desc(model_desc, model_id)\n\nDescriptions. The caller creates and destroys them.\n\nC: aclmdlGetDesc"),
row(c"get_desc_from_file", method!("mdl.get_desc_from_file" ("model_desc", "model_path") least 2, get_desc_from_file), c"get_desc_from_file(model_desc, model_path, /)\n--\n\nret = acl.mdl.get_desc_from_file(model_desc, model_path)\n\nDescriptions. The caller creates and destroys them.\n\nC: aclmdlGetDescFromFile"),
row(c"get_desc_from_mem", method!("mdl.get_desc_from_mem" ("model_desc", "model", "model_size") least 3, get_desc_from_mem), c"get_desc_from_mem(model_desc, model, model_size, /)\n--\n\nret = acl.mdl.get_desc_from_mem(model_desc, model, model_size)\n\nDescriptions. The caller creates and destroys them.\n\nC: aclmdlGetDescFromMem"),
row(c"get_num_inputs", method!("mdl.get_num_inputs" ("model_desc") least 1, get_num_inputs), c"get_num_inputs(model_desc, /)\n--\n\nvalue = acl.mdl.get_num_inputs(model_desc)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetNumInputs"),
row(c"get_num_outputs", method!("mdl.get_num_outputs" ("model_desc") least 1, get_num_outputs), c"get_num_outputs(model_desc, /)\n--\n\nvalue = acl.mdl.get_num_outputs(model_desc)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetNumOutputs"),
row(c"get_input_size_by_index", method!("mdl.get_input_size_by_index" ("model_desc", "index") least 2, get_input_size_by_index), c"get_input_size_by_index(model_desc, index, /)\n--\n\nvalue = acl.mdl.get_input_size_by_index(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nNote: 0 when a dimension is dynamic.\n\nC: aclmdlGetInputSizeByIndex"),
row(c"get_output_size_by_index", method!("mdl.get_output_size_by_index" ("model_desc", "index") least 2, get_output_size_by_index), c"get_output_size_by_index(model_desc, index, /)\n--\n\nvalue = acl.mdl.get_output_size_by_index(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nNote: 0 when a dimension is dynamic; the description of a file that is not loaded does not know\nthe outputs of gears.\n\nC: aclmdlGetOutputSizeByIndex"),
row(c"get_input_dims", method!("mdl.get_input_dims" ("model_desc", "index") least 2, get_input_dims), c"get_input_dims(model_desc, index, /)\n--\n\ndims, ret = acl.mdl.get_input_dims(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetInputDims"),
row(c"get_input_dims_v2", method!("mdl.get_input_dims_v2" ("model_desc", "index") least 2, get_input_dims_v2), c"get_input_dims_v2(model_desc, index, /)\n--\n\ndims, ret = acl.mdl.get_input_dims_v2(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetInputDimsV2"),
row(c"get_input_dims_range", method!("mdl.get_input_dims_range" ("model_desc", "index") least 2, get_input_dims_range), c"get_input_dims_range(model_desc, index, /)\n--\n\ndims_range, ret = acl.mdl.get_input_dims_range(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetInputDimsRange"),
row(c"get_output_dims", method!("mdl.get_output_dims" ("model_desc", "index") least 2, get_output_dims), c"get_output_dims(model_desc, index, /)\n--\n\ndims, ret = acl.mdl.get_output_dims(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetOutputDims"),
row(c"get_cur_output_dims", method!("mdl.get_cur_output_dims" ("model_desc", "index") least 2, get_cur_output_dims), c"get_cur_output_dims(model_desc, index, /)\n--\n\ndims, ret = acl.mdl.get_cur_output_dims(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nNote: models with ranges return 200001.\n\nC: aclmdlGetCurOutputDims"),
row(c"get_input_name_by_index", method!("mdl.get_input_name_by_index" ("model_desc", "index") least 2, get_input_name_by_index), c"get_input_name_by_index(model_desc, index, /)\n--\n\nvalue = acl.mdl.get_input_name_by_index(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetInputNameByIndex"),
row(c"get_output_name_by_index", method!("mdl.get_output_name_by_index" ("model_desc", "index") least 2, get_output_name_by_index), c"get_output_name_by_index(model_desc, index, /)\n--\n\nvalue = acl.mdl.get_output_name_by_index(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetOutputNameByIndex"),
row(c"get_input_index_by_name", method!("mdl.get_input_index_by_name" ("model_desc", "name") least 2, get_input_index_by_name), c"get_input_index_by_name(model_desc, name, /)\n--\n\nindex, ret = acl.mdl.get_input_index_by_name(model_desc, name)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetInputIndexByName"),
row(c"get_output_index_by_name", method!("mdl.get_output_index_by_name" ("model_desc", "name") least 2, get_output_index_by_name), c"get_output_index_by_name(model_desc, name, /)\n--\n\nindex, ret = acl.mdl.get_output_index_by_name(model_desc, name)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetOutputIndexByName"),
row(c"get_input_format", method!("mdl.get_input_format" ("model_desc", "index") least 2, get_input_format), c"get_input_format(model_desc, index, /)\n--\n\nvalue = acl.mdl.get_input_format(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetInputFormat"),
row(c"get_output_format", method!("mdl.get_output_format" ("model_desc", "index") least 2, get_output_format), c"get_output_format(model_desc, index, /)\n--\n\nvalue = acl.mdl.get_output_format(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetOutputFormat"),
row(c"get_input_data_type", method!("mdl.get_input_data_type" ("model_desc", "index") least 2, get_input_data_type), c"get_input_data_type(model_desc, index, /)\n--\n\nvalue = acl.mdl.get_input_data_type(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetInputDataType"),
row(c"get_output_data_type", method!("mdl.get_output_data_type" ("model_desc", "index") least 2, get_output_data_type), c"get_output_data_type(model_desc, index, /)\n--\n\nvalue = acl.mdl.get_output_data_type(model_desc, index)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetOutputDataType"),
row(c"get_tensor_real_name", method!("mdl.get_tensor_real_name" ("model_desc", "name") least 2, get_tensor_real_name), c"get_tensor_real_name(model_desc, name, /)\n--\n\nvalue = acl.mdl.get_tensor_real_name(model_desc, name)\n\nReading a description. Texts belong to the description.\n\nC: aclmdlGetTensorRealName"),
row(c"get_op_attr", method!("mdl.get_op_attr" ("model_desc", "op_name", "attr") least 3, get_op_attr), c"get_op_attr(model_desc, op_name, attr, /)\n--\n\nvalue = acl.mdl.get_op_attr(model_desc, op_name, attr)\n\nReading a description. Texts belong to the description.\n\nRefused: models are ONNX graphs and have no vendor operators with attributes.\n\nC: aclmdlGetOpAttr"),
row(c"create_dataset", method!("mdl.create_dataset" () least 0, create_dataset), c"create_dataset()\n--\n\nvalue = acl.mdl.create_dataset()\n\nDatasets. Destroying one leaves its buffers. A tensor description may stand beside a buffer\nwhose shape is dynamic.\n\nC: aclmdlCreateDataset"),
row(c"destroy_dataset", method!("mdl.destroy_dataset" ("dataset") least 1, destroy_dataset), c"destroy_dataset(dataset, /)\n--\n\nret = acl.mdl.destroy_dataset(dataset)\n\nDatasets. Destroying one leaves its buffers. A tensor description may stand beside a buffer\nwhose shape is dynamic.\n\nC: aclmdlDestroyDataset"),
row(c"add_dataset_buffer", method!("mdl.add_dataset_buffer" ("dataset", "data_buffer") least 2, crate::hand::mdl_add_dataset_buffer), c"add_dataset_buffer(dataset, data_buffer, /)\n--\n\nAdds a buffer to a dataset. Returns the dataset and a code.\n\nC: aclmdlAddDatasetBuffer"),
row(c"get_dataset_num_buffers", method!("mdl.get_dataset_num_buffers" ("dataset") least 1, get_dataset_num_buffers), c"get_dataset_num_buffers(dataset, /)\n--\n\nvalue = acl.mdl.get_dataset_num_buffers(dataset)\n\nDatasets. Destroying one leaves its buffers. A tensor description may stand beside a buffer\nwhose shape is dynamic.\n\nC: aclmdlGetDatasetNumBuffers"),
row(c"get_dataset_buffer", method!("mdl.get_dataset_buffer" ("dataset", "index") least 2, get_dataset_buffer), c"get_dataset_buffer(dataset, index, /)\n--\n\nvalue = acl.mdl.get_dataset_buffer(dataset, index)\n\nDatasets. Destroying one leaves its buffers. A tensor description may stand beside a buffer\nwhose shape is dynamic.\n\nC: aclmdlGetDatasetBuffer"),
row(c"set_dataset_tensor_desc", method!("mdl.set_dataset_tensor_desc" ("dataset", "tensor_desc", "index") least 3, crate::hand::mdl_set_dataset_tensor_desc), c"set_dataset_tensor_desc(dataset, tensor_desc, index, /)\n--\n\nSets the description of a buffer in a dataset. Returns the dataset and a code.\n\nC: aclmdlSetDatasetTensorDesc"),
row(c"get_dataset_tensor_desc", method!("mdl.get_dataset_tensor_desc" ("dataset", "index") least 2, get_dataset_tensor_desc), c"get_dataset_tensor_desc(dataset, index, /)\n--\n\nvalue = acl.mdl.get_dataset_tensor_desc(dataset, index)\n\nDatasets. Destroying one leaves its buffers. A tensor description may stand beside a buffer\nwhose shape is dynamic.\n\nC: aclmdlGetDatasetTensorDesc"),
row(c"query_size", method!("mdl.query_size" ("file_name") least 1, query_size), c"query_size(file_name, /)\n--\n\nwork_size, weight_size, ret = acl.mdl.query_size(file_name)\n\nLoading. In the forms with memory the caller provides it, keeps it until the model is unloaded,\nand asks for its size beforehand.\n\nNote: multiples of 512, never 0; the memory of a model with dynamic shapes is not known before\nit runs.\n\nC: aclmdlQuerySize"),
row(c"query_size_from_mem", method!("mdl.query_size_from_mem" ("model", "model_size") least 2, query_size_from_mem), c"query_size_from_mem(model, model_size, /)\n--\n\nwork_size, weight_size, ret = acl.mdl.query_size_from_mem(model, model_size)\n\nLoading. In the forms with memory the caller provides it, keeps it until the model is unloaded,\nand asks for its size beforehand.\n\nNote: multiples of 512, never 0; the memory of a model with dynamic shapes is not known before\nit runs.\n\nC: aclmdlQuerySizeFromMem"),
row(c"load_from_file", method!("mdl.load_from_file" ("model_path") least 1, load_from_file), c"load_from_file(model_path, /)\n--\n\nmodel_id, ret = acl.mdl.load_from_file(model_path)\n\nLoading. In the forms with memory the caller provides it, keeps it until the model is unloaded,\nand asks for its size beforehand.\n\nNote: ONNX files and files of millpond atc; a file compiled for an NPU returns 200001.\n\nC: aclmdlLoadFromFile"),
row(c"load_from_mem", method!("mdl.load_from_mem" ("model", "model_size") least 2, load_from_mem), c"load_from_mem(model, model_size, /)\n--\n\nmodel_id, ret = acl.mdl.load_from_mem(model, model_size)\n\nLoading. In the forms with memory the caller provides it, keeps it until the model is unloaded,\nand asks for its size beforehand.\n\nNote: ONNX files and files of millpond atc; a file compiled for an NPU returns 200001.\n\nC: aclmdlLoadFromMem"),
row(c"load_from_file_with_mem", method!("mdl.load_from_file_with_mem" ("model_path", "work_ptr", "work_size", "weight_ptr", "weight_size") least 5, load_from_file_with_mem), c"load_from_file_with_mem(model_path, work_ptr, work_size, weight_ptr, weight_size, /)\n--\n\nmodel_id, ret = acl.mdl.load_from_file_with_mem(model_path, work_ptr, work_size, weight_ptr,\nweight_size)\n\nLoading. In the forms with memory the caller provides it, keeps it until the model is unloaded,\nand asks for its size beforehand.\n\nNote: the work memory serves runs of a model with fixed shapes; the weight memory must be large\nenough but is not used, because the engine has its own.\n\nC: aclmdlLoadFromFileWithMem"),
row(c"load_from_mem_with_mem", method!("mdl.load_from_mem_with_mem" ("model", "model_size", "work_ptr", "work_size", "weight_ptr", "weight_size") least 6, load_from_mem_with_mem), c"load_from_mem_with_mem(model, model_size, work_ptr, work_size, weight_ptr, weight_size, /)\n--\n\nmodel_id, ret = acl.mdl.load_from_mem_with_mem(model, model_size, work_ptr, work_size,\nweight_ptr, weight_size)\n\nLoading. In the forms with memory the caller provides it, keeps it until the model is unloaded,\nand asks for its size beforehand.\n\nNote: the work memory serves runs of a model with fixed shapes; the weight memory must be large\nenough but is not used, because the engine has its own.\n\nC: aclmdlLoadFromMemWithMem"),
row(c"load_from_model", method!("mdl.load_from_model" ("model", "handle") least 2, load_from_model), c"load_from_model(model, handle, /)\n--\n\nmodel_id, ret = acl.mdl.load_from_model(model, handle)\n\nLoading. In the forms with memory the caller provides it, keeps it until the model is unloaded,\nand asks for its size beforehand.\n\nRefused: models are loaded from files and memory only.\n\nC: aclmdlLoadFromModel"),
row(c"unload", method!("mdl.unload" ("model_id") least 1, unload), c"unload(model_id, /)\n--\n\nret = acl.mdl.unload(model_id)\n\nLoading. In the forms with memory the caller provides it, keeps it until the model is unloaded,\nand asks for its size beforehand.\n\nNote: queued runs of the model still run.\n\nC: aclmdlUnload"),
row(c"create_config_handle", method!("mdl.create_config_handle" () least 0, create_config_handle), c"create_config_handle()\n--\n\nvalue = acl.mdl.create_config_handle()\n\nLoading with options. attrValue points to a value of valueSize bytes, which is copied.\n\nC: aclmdlCreateConfigHandle"),
row(c"destroy_config_handle", method!("mdl.destroy_config_handle" ("handle") least 1, destroy_config_handle), c"destroy_config_handle(handle, /)\n--\n\nret = acl.mdl.destroy_config_handle(handle)\n\nLoading with options. attrValue points to a value of valueSize bytes, which is copied.\n\nC: aclmdlDestroyConfigHandle"),
row(c"set_config_opt", method!("mdl.set_config_opt" ("handle", "attr", "value") least 3, crate::hand::mdl_set_config_opt), c"set_config_opt(handle, attr, value, /)\n--\n\nAn option of loading: an int, or a str for paths.\n\nNote: queues, weights in separate files and parts that exist only on an NPU return 200001;\npriority, memory policy and memory optimisation are stored and ignored.\n\nC: aclmdlSetConfigOpt"),
row(c"set_external_weight_address", method!("mdl.set_external_weight_address" ("handle", "weight_file_name", "dev_ptr", "size") least 4, set_external_weight_address), c"set_external_weight_address(handle, weight_file_name, dev_ptr, size, /)\n--\n\nret = acl.mdl.set_external_weight_address(handle, weight_file_name, dev_ptr, size)\n\nLoading with options. attrValue points to a value of valueSize bytes, which is copied.\n\nRefused: weights must be in the model's own file, or next to it.\n\nC: aclmdlSetExternalWeightAddress"),
row(c"load_with_config", method!("mdl.load_with_config" ("handle") least 1, load_with_config), c"load_with_config(handle, /)\n--\n\nmodel_id, ret = acl.mdl.load_with_config(handle)\n\nLoading with options. attrValue points to a value of valueSize bytes, which is copied.\n\nNote: as aclmdlLoadFromFile and similar functions; queues return 200001.\n\nC: aclmdlLoadWithConfig"),
row(c"execute", method!("mdl.execute" ("model_id", "input", "output") least 3, execute), c"execute(model_id, input, output, /)\n--\n\nret = acl.mdl.execute(model_id, input, output)\n\nRunning. The plain forms return when the outputs are there; the asynchronous ones when the run\nis queued.\n\nC: aclmdlExecute"),
row(c"execute_v2", method!("mdl.execute_v2" ("model_id", "input", "output", "stream", "handle") least 5, execute_v2), c"execute_v2(model_id, input, output, stream, handle, /)\n--\n\nret = acl.mdl.execute_v2(model_id, input, output, stream, handle)\n\nRunning. The plain forms return when the outputs are there; the asynchronous ones when the run\nis queued.\n\nC: aclmdlExecuteV2"),
row(c"execute_async", method!("mdl.execute_async" ("model_id", "input", "output", "stream") least 4, execute_async), c"execute_async(model_id, input, output, stream, /)\n--\n\nret = acl.mdl.execute_async(model_id, input, output, stream)\n\nRunning. The plain forms return when the outputs are there; the asynchronous ones when the run\nis queued.\n\nNote: a NULL output buffer returns 100000, because a queued run cannot return its address.\n\nC: aclmdlExecuteAsync"),
row(c"execute_async_v2", method!("mdl.execute_async_v2" ("model_id", "input", "output", "stream", "handle") least 5, execute_async_v2), c"execute_async_v2(model_id, input, output, stream, handle, /)\n--\n\nret = acl.mdl.execute_async_v2(model_id, input, output, stream, handle)\n\nRunning. The plain forms return when the outputs are there; the asynchronous ones when the run\nis queued.\n\nNote: a NULL output buffer returns 100000, because a queued run cannot return its address.\n\nC: aclmdlExecuteAsyncV2"),
row(c"create_exec_config_handle", method!("mdl.create_exec_config_handle" () least 0, create_exec_config_handle), c"create_exec_config_handle()\n--\n\nvalue = acl.mdl.create_exec_config_handle()\n\nRunning. The plain forms return when the outputs are there; the asynchronous ones when the run\nis queued.\n\nC: aclmdlCreateExecConfigHandle"),
row(c"destroy_exec_config_handle", method!("mdl.destroy_exec_config_handle" ("handle") least 1, destroy_exec_config_handle), c"destroy_exec_config_handle(handle, /)\n--\n\nret = acl.mdl.destroy_exec_config_handle(handle)\n\nRunning. The plain forms return when the outputs are there; the asynchronous ones when the run\nis queued.\n\nC: aclmdlDestroyExecConfigHandle"),
row(c"set_exec_config_opt", method!("mdl.set_exec_config_opt" ("handle", "attr", "value") least 3, crate::hand::mdl_set_exec_config_opt), c"set_exec_config_opt(handle, attr, value, /)\n--\n\nRunning. The plain forms return when the outputs are there; the asynchronous ones when the run\nis queued.\n\nNote: options that tune NPU hardware return 200001; the time limit applies to the wait before\nthe run; work memory and priority are ignored.\n\nC: aclmdlSetExecConfigOpt"),
row(c"get_dynamic_batch", method!("mdl.get_dynamic_batch" ("model_desc") least 1, get_dynamic_batch), c"get_dynamic_batch(model_desc, /)\n--\n\nbatch, ret = acl.mdl.get_dynamic_batch(model_desc)\n\nDynamic batch, image size and dimensions: what a model allows, and the choice for the next runs\nwith a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.\nDimensions are those of all inputs, one behind the other.\n\nC: aclmdlGetDynamicBatch"),
row(c"set_dynamic_batch_size", method!("mdl.set_dynamic_batch_size" ("model_id", "dataset", "index", "batch_size") least 4, set_dynamic_batch_size), c"set_dynamic_batch_size(model_id, dataset, index, batch_size, /)\n--\n\nret = acl.mdl.set_dynamic_batch_size(model_id, dataset, index, batch_size)\n\nDynamic batch, image size and dimensions: what a model allows, and the choice for the next runs\nwith a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.\nDimensions are those of all inputs, one behind the other.\n\nC: aclmdlSetDynamicBatchSize"),
row(c"get_dynamic_hw", method!("mdl.get_dynamic_hw" ("model_desc", "index") least 2, get_dynamic_hw), c"get_dynamic_hw(model_desc, index, /)\n--\n\nhw, ret = acl.mdl.get_dynamic_hw(model_desc, index)\n\nDynamic batch, image size and dimensions: what a model allows, and the choice for the next runs\nwith a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.\nDimensions are those of all inputs, one behind the other.\n\nC: aclmdlGetDynamicHW"),
row(c"set_dynamic_hw_size", method!("mdl.set_dynamic_hw_size" ("model_id", "dataset", "index", "height", "width") least 5, set_dynamic_hw_size), c"set_dynamic_hw_size(model_id, dataset, index, height, width, /)\n--\n\nret = acl.mdl.set_dynamic_hw_size(model_id, dataset, index, height, width)\n\nDynamic batch, image size and dimensions: what a model allows, and the choice for the next runs\nwith a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.\nDimensions are those of all inputs, one behind the other.\n\nC: aclmdlSetDynamicHWSize"),
row(c"get_input_dynamic_gear_count", method!("mdl.get_input_dynamic_gear_count" ("model_desc", "index") least 2, get_input_dynamic_gear_count), c"get_input_dynamic_gear_count(model_desc, index, /)\n--\n\ngear_count, ret = acl.mdl.get_input_dynamic_gear_count(model_desc, index)\n\nDynamic batch, image size and dimensions: what a model allows, and the choice for the next runs\nwith a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.\nDimensions are those of all inputs, one behind the other.\n\nC: aclmdlGetInputDynamicGearCount"),
row(c"get_input_dynamic_dims", method!("mdl.get_input_dynamic_dims" ("model_desc", "index", "gear_count") least 3, crate::hand::mdl_get_input_dynamic_dims), c"get_input_dynamic_dims(model_desc, index, gear_count, /)\n--\n\nDynamic batch, image size and dimensions: what a model allows, and the choice for the next runs\nwith a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.\nDimensions are those of all inputs, one behind the other.\n\nC: aclmdlGetInputDynamicDims"),
row(c"set_input_dynamic_dims", method!("mdl.set_input_dynamic_dims" ("model_id", "dataset", "index", "dims") least 4, set_input_dynamic_dims), c"set_input_dynamic_dims(model_id, dataset, index, dims, /)\n--\n\nret = acl.mdl.set_input_dynamic_dims(model_id, dataset, index, dims)\n\nDynamic batch, image size and dimensions: what a model allows, and the choice for the next runs\nwith a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.\nDimensions are those of all inputs, one behind the other.\n\nC: aclmdlSetInputDynamicDims"),
row(c"create_aipp", method!("mdl.create_aipp" ("batch_size") least 1, create_aipp), c"create_aipp(batch_size, /)\n--\n\nvalue = acl.mdl.create_aipp(batch_size)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlCreateAIPP"),
row(c"destroy_aipp", method!("mdl.destroy_aipp" ("aipp_parms_set") least 1, destroy_aipp), c"destroy_aipp(aipp_parms_set, /)\n--\n\nret = acl.mdl.destroy_aipp(aipp_parms_set)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlDestroyAIPP"),
row(c"get_aipp_data_size", method!("mdl.get_aipp_data_size" ("batch_size") least 1, get_aipp_data_size), c"get_aipp_data_size(batch_size, /)\n--\n\nsize, ret = acl.mdl.get_aipp_data_size(batch_size)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlGetAippDataSize"),
row(c"set_aipp_input_format", method!("mdl.set_aipp_input_format" ("aipp_parms_set", "input_format") least 2, set_aipp_input_format), c"set_aipp_input_format(aipp_parms_set, input_format, /)\n--\n\nret = acl.mdl.set_aipp_input_format(aipp_parms_set, input_format)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlSetAIPPInputFormat"),
row(c"set_aipp_rbuv_swap_switch", method!("mdl.set_aipp_rbuv_swap_switch" ("aipp_parms_set", "rbuv_swap_switch") least 2, set_aipp_rbuv_swap_switch), c"set_aipp_rbuv_swap_switch(aipp_parms_set, rbuv_swap_switch, /)\n--\n\nret = acl.mdl.set_aipp_rbuv_swap_switch(aipp_parms_set, rbuv_swap_switch)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlSetAIPPRbuvSwapSwitch"),
row(c"set_aipp_ax_swap_switch", method!("mdl.set_aipp_ax_swap_switch" ("aipp_parms_set", "ax_swap_switch") least 2, set_aipp_ax_swap_switch), c"set_aipp_ax_swap_switch(aipp_parms_set, ax_swap_switch, /)\n--\n\nret = acl.mdl.set_aipp_ax_swap_switch(aipp_parms_set, ax_swap_switch)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlSetAIPPAxSwapSwitch"),
row(c"set_aipp_src_image_size", method!("mdl.set_aipp_src_image_size" ("aipp_parms_set", "src_image_size_w", "src_image_size_h") least 3, set_aipp_src_image_size), c"set_aipp_src_image_size(aipp_parms_set, src_image_size_w, src_image_size_h, /)\n--\n\nret = acl.mdl.set_aipp_src_image_size(aipp_parms_set, src_image_size_w, src_image_size_h)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlSetAIPPSrcImageSize"),
row(c"set_aipp_scf_params", method!("mdl.set_aipp_scf_params" ("aipp_parms_set", "scf_switch", "scf_input_size_w", "scf_input_size_h", "scf_output_size_w", "scf_output_size_h", "batch_index") least 7, set_aipp_scf_params), c"set_aipp_scf_params(aipp_parms_set, scf_switch, scf_input_size_w, scf_input_size_h, scf_output_size_w, scf_output_size_h, batch_index, /)\n--\n\nret = acl.mdl.set_aipp_scf_params(aipp_parms_set, scf_switch, scf_input_size_w,\nscf_input_size_h, scf_output_size_w, scf_output_size_h, batch_index)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlSetAIPPScfParams"),
row(c"set_aipp_crop_params", method!("mdl.set_aipp_crop_params" ("aipp_parms_set", "crop_switch", "crop_start_pos_w", "crop_start_pos_h", "crop_size_w", "crop_size_h", "batch_index") least 7, set_aipp_crop_params), c"set_aipp_crop_params(aipp_parms_set, crop_switch, crop_start_pos_w, crop_start_pos_h, crop_size_w, crop_size_h, batch_index, /)\n--\n\nret = acl.mdl.set_aipp_crop_params(aipp_parms_set, crop_switch, crop_start_pos_w,\ncrop_start_pos_h, crop_size_w, crop_size_h, batch_index)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlSetAIPPCropParams"),
row(c"set_aipp_padding_params", method!("mdl.set_aipp_padding_params" ("aipp_parms_set", "padding_switch", "padding_size_top", "padding_size_bottom", "padding_size_left", "padding_size_right", "batch_index") least 7, set_aipp_padding_params), c"set_aipp_padding_params(aipp_parms_set, padding_switch, padding_size_top, padding_size_bottom, padding_size_left, padding_size_right, batch_index, /)\n--\n\nret = acl.mdl.set_aipp_padding_params(aipp_parms_set, padding_switch, padding_size_top,\npadding_size_bottom, padding_size_left, padding_size_right, batch_index)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlSetAIPPPaddingParams"),
row(c"set_aipp_dtc_pixel_min", method!("mdl.set_aipp_dtc_pixel_min" ("aipp_parms_set", "dtc_pixel_min_chn0", "dtc_pixel_min_chn1", "dtc_pixel_min_chn2", "dtc_pixel_min_chn3", "batch_index") least 6, set_aipp_dtc_pixel_min), c"set_aipp_dtc_pixel_min(aipp_parms_set, dtc_pixel_min_chn0, dtc_pixel_min_chn1, dtc_pixel_min_chn2, dtc_pixel_min_chn3, batch_index, /)\n--\n\nret = acl.mdl.set_aipp_dtc_pixel_min(aipp_parms_set, dtc_pixel_min_chn0, dtc_pixel_min_chn1,\ndtc_pixel_min_chn2, dtc_pixel_min_chn3, batch_index)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlSetAIPPDtcPixelMin"),
row(c"set_aipp_pixel_var_reci", method!("mdl.set_aipp_pixel_var_reci" ("aipp_parms_set", "dtc_pixel_var_reci_chn0", "dtc_pixel_var_reci_chn1", "dtc_pixel_var_reci_chn2", "dtc_pixel_var_reci_chn3", "batch_index") least 6, set_aipp_pixel_var_reci), c"set_aipp_pixel_var_reci(aipp_parms_set, dtc_pixel_var_reci_chn0, dtc_pixel_var_reci_chn1, dtc_pixel_var_reci_chn2, dtc_pixel_var_reci_chn3, batch_index, /)\n--\n\nret = acl.mdl.set_aipp_pixel_var_reci(aipp_parms_set, dtc_pixel_var_reci_chn0,\ndtc_pixel_var_reci_chn1, dtc_pixel_var_reci_chn2, dtc_pixel_var_reci_chn3, batch_index)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlSetAIPPPixelVarReci"),
row(c"set_input_aipp", method!("mdl.set_input_aipp" ("model_id", "dataset", "index", "aipp_parms_set") least 4, set_input_aipp), c"set_input_aipp(model_id, dataset, index, aipp_parms_set, /)\n--\n\nret = acl.mdl.set_input_aipp(model_id, dataset, index, aipp_parms_set)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlSetInputAIPP"),
row(c"set_aipp_by_input_index", method!("mdl.set_aipp_by_input_index" ("model_id", "dataset", "index", "aipp_parms_set") least 4, set_aipp_by_input_index), c"set_aipp_by_input_index(model_id, dataset, index, aipp_parms_set, /)\n--\n\nret = acl.mdl.set_aipp_by_input_index(model_id, dataset, index, aipp_parms_set)\n\nImage preprocessing. The caller destroys the settings.\n\nRefused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the\nmodel with static AIPP.\n\nC: aclmdlSetAIPPByInputIndex"),
row(c"get_aipp_type", method!("mdl.get_aipp_type" ("model_id", "index") least 2, get_aipp_type), c"get_aipp_type(model_id, index, /)\n--\n\ntype, dynamic_attached_data_index, ret = acl.mdl.get_aipp_type(model_id, index)\n\nImage preprocessing. The caller destroys the settings.\n\nNote: never dynamic: that is refused when the model is compiled.\n\nC: aclmdlGetAippType"),
row(c"get_first_aipp_info", method!("mdl.get_first_aipp_info" ("model_id", "index") least 2, get_first_aipp_info), c"get_first_aipp_info(model_id, index, /)\n--\n\naipp_info, ret = acl.mdl.get_first_aipp_info(model_id, index)\n\nImage preprocessing. The caller destroys the settings.\n\nNote: the type and format of the source are those of the input before the preprocessing was\nadded; dimensions of the image are batch, rows, columns, bytes.\n\nC: aclmdlGetFirstAippInfo"),
row(c"bundle_load_from_file", method!("mdl.bundle_load_from_file" ("model_path") least 1, bundle_load_from_file), c"bundle_load_from_file(model_path, /)\n--\n\nbundle_id, ret = acl.mdl.bundle_load_from_file(model_path)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleLoadFromFile"),
row(c"bundle_load_from_mem", method!("mdl.bundle_load_from_mem" ("model", "model_size") least 2, bundle_load_from_mem), c"bundle_load_from_mem(model, model_size, /)\n--\n\nbundle_id, ret = acl.mdl.bundle_load_from_mem(model, model_size)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleLoadFromMem"),
row(c"bundle_unload", method!("mdl.bundle_unload" ("bundle_id") least 1, bundle_unload), c"bundle_unload(bundle_id, /)\n--\n\nret = acl.mdl.bundle_unload(bundle_id)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleUnload"),
row(c"bundle_get_model_num", method!("mdl.bundle_get_model_num" ("bundle_id") least 1, bundle_get_model_num), c"bundle_get_model_num(bundle_id, /)\n--\n\nmodel_num, ret = acl.mdl.bundle_get_model_num(bundle_id)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleGetModelNum"),
row(c"bundle_get_model_id", method!("mdl.bundle_get_model_id" ("bundle_id", "index") least 2, bundle_get_model_id), c"bundle_get_model_id(bundle_id, index, /)\n--\n\nmodel_id, ret = acl.mdl.bundle_get_model_id(bundle_id, index)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleGetModelId"),
row(c"bundle_create_query_info", method!("mdl.bundle_create_query_info" () least 0, bundle_create_query_info), c"bundle_create_query_info()\n--\n\nvalue = acl.mdl.bundle_create_query_info()\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleCreateQueryInfo"),
row(c"bundle_destroy_query_info", method!("mdl.bundle_destroy_query_info" ("query_info") least 1, bundle_destroy_query_info), c"bundle_destroy_query_info(query_info, /)\n--\n\nret = acl.mdl.bundle_destroy_query_info(query_info)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleDestroyQueryInfo"),
row(c"bundle_query_info_from_file", method!("mdl.bundle_query_info_from_file" ("file_name", "query_info") least 2, bundle_query_info_from_file), c"bundle_query_info_from_file(file_name, query_info, /)\n--\n\nret = acl.mdl.bundle_query_info_from_file(file_name, query_info)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleQueryInfoFromFile"),
row(c"bundle_query_info_from_mem", method!("mdl.bundle_query_info_from_mem" ("model", "model_size", "query_info") least 3, bundle_query_info_from_mem), c"bundle_query_info_from_mem(model, model_size, query_info, /)\n--\n\nret = acl.mdl.bundle_query_info_from_mem(model, model_size, query_info)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleQueryInfoFromMem"),
row(c"bundle_get_query_model_num", method!("mdl.bundle_get_query_model_num" ("query_info") least 1, bundle_get_query_model_num), c"bundle_get_query_model_num(query_info, /)\n--\n\nmodel_num, ret = acl.mdl.bundle_get_query_model_num(query_info)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleGetQueryModelNum"),
row(c"bundle_get_var_weight_size", method!("mdl.bundle_get_var_weight_size" ("query_info") least 1, bundle_get_var_weight_size), c"bundle_get_var_weight_size(query_info, /)\n--\n\nvariable_weight_size, ret = acl.mdl.bundle_get_var_weight_size(query_info)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleGetVarWeightSize"),
row(c"bundle_get_size", method!("mdl.bundle_get_size" ("query_info", "index") least 2, bundle_get_size), c"bundle_get_size(query_info, index, /)\n--\n\nwork_size, const_weight_size, ret = acl.mdl.bundle_get_size(query_info, index)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleGetSize"),
row(c"bundle_init_from_file", method!("mdl.bundle_init_from_file" ("model_path", "var_weight_ptr", "var_weight_size") least 3, bundle_init_from_file), c"bundle_init_from_file(model_path, var_weight_ptr, var_weight_size, /)\n--\n\nbundle_id, ret = acl.mdl.bundle_init_from_file(model_path, var_weight_ptr, var_weight_size)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleInitFromFile"),
row(c"bundle_init_from_mem", method!("mdl.bundle_init_from_mem" ("model", "model_size", "var_weight_ptr", "var_weight_size") least 4, bundle_init_from_mem), c"bundle_init_from_mem(model, model_size, var_weight_ptr, var_weight_size, /)\n--\n\nbundle_id, ret = acl.mdl.bundle_init_from_mem(model, model_size, var_weight_ptr,\nvar_weight_size)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleInitFromMem"),
row(c"bundle_load_model", method!("mdl.bundle_load_model" ("bundle_id", "index") least 2, bundle_load_model), c"bundle_load_model(bundle_id, index, /)\n--\n\nmodel_id, ret = acl.mdl.bundle_load_model(bundle_id, index)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleLoadModel"),
row(c"bundle_load_model_with_mem", method!("mdl.bundle_load_model_with_mem" ("bundle_id", "index", "work_ptr", "work_size", "weight_ptr", "weight_size") least 6, bundle_load_model_with_mem), c"bundle_load_model_with_mem(bundle_id, index, work_ptr, work_size, weight_ptr, weight_size, /)\n--\n\nmodel_id, ret = acl.mdl.bundle_load_model_with_mem(bundle_id, index, work_ptr, work_size,\nweight_ptr, weight_size)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleLoadModelWithMem"),
row(c"bundle_load_model_with_config", method!("mdl.bundle_load_model_with_config" ("bundle_id", "index", "handle") least 3, bundle_load_model_with_config), c"bundle_load_model_with_config(bundle_id, index, handle, /)\n--\n\nmodel_id, ret = acl.mdl.bundle_load_model_with_config(bundle_id, index, handle)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleLoadModelWithConfig"),
row(c"bundle_unload_model", method!("mdl.bundle_unload_model" ("bundle_id", "model_id") least 2, bundle_unload_model), c"bundle_unload_model(bundle_id, model_id, /)\n--\n\nret = acl.mdl.bundle_unload_model(bundle_id, model_id)\n\nBundles: several models in one file that share weights.\n\nRefused: bundles of models are not supported; load each model from its own file.\n\nC: aclmdlBundleUnloadModel"),
row(c"ri_capture_begin", method!("mdl.ri_capture_begin" ("stream", "mode") least 2, ri_capture_begin), c"ri_capture_begin(stream, mode, /)\n--\n\nret = acl.mdl.ri_capture_begin(stream, mode)\n\nCapturing. From begin to end, work that is queued on the stream does not run. A stream that\nwaits for an event of the capture joins it, and has to come back the same way before the end.\nEnd names the stream of begin and, unless the mode is relaxed, is called by the same thread.\n\nNote: a default stream cannot be captured.\n\nC: aclmdlRICaptureBegin"),
row(c"ri_capture_get_info", method!("mdl.ri_capture_get_info" ("stream") least 1, ri_capture_get_info), c"ri_capture_get_info(stream, /)\n--\n\nstatus, model_ri, ret = acl.mdl.ri_capture_get_info(stream)\n\nCapturing. From begin to end, work that is queued on the stream does not run. A stream that\nwaits for an event of the capture joins it, and has to come back the same way before the end.\nEnd names the stream of begin and, unless the mode is relaxed, is called by the same thread.\n\nNote: the handle is that of aclmdlRICaptureEnd.\n\nC: aclmdlRICaptureGetInfo"),
row(c"ri_capture_end", method!("mdl.ri_capture_end" ("stream") least 1, ri_capture_end), c"ri_capture_end(stream, /)\n--\n\nmodel_ri, ret = acl.mdl.ri_capture_end(stream)\n\nCapturing. From begin to end, work that is queued on the stream does not run. A stream that\nwaits for an event of the capture joins it, and has to come back the same way before the end.\nEnd names the stream of begin and, unless the mode is relaxed, is called by the same thread.\n\nNote: collectives, operators, models, copies, events, notifications and host functions can be\ncaptured; a run whose output shapes are known only afterwards cannot; returns 107045 while a\nbranch of a condition is still captured.\n\nC: aclmdlRICaptureEnd"),
row(c"ri_capture_thread_exchange_mode", method!("mdl.ri_capture_thread_exchange_mode" ("mode") least 1, crate::hand::mdl_ri_capture_thread_exchange_mode), c"ri_capture_thread_exchange_mode(mode, /)\n--\n\nSets the mode of the calling thread and returns the mode before.\n\nC: aclmdlRICaptureThreadExchangeMode"),
row(c"ri_execute_async", method!("mdl.ri_execute_async" ("model_ri", "stream") least 2, ri_execute_async), c"ri_execute_async(model_ri, stream, /)\n--\n\nret = acl.mdl.ri_execute_async(model_ri, stream)\n\nLaunching. The second form waits, at most so many milliseconds; -1 for no limit.\n\nNote: launches of one graph on two streams run one after the other.\n\nC: aclmdlRIExecuteAsync"),
row(c"ri_execute", method!("mdl.ri_execute" ("model_ri", "timeout") least 2, ri_execute), c"ri_execute(model_ri, timeout, /)\n--\n\nret = acl.mdl.ri_execute(model_ri, timeout)\n\nLaunching. The second form waits, at most so many milliseconds; -1 for no limit.\n\nC: aclmdlRIExecute"),
row(c"ri_destroy", method!("mdl.ri_destroy" ("model_ri") least 1, ri_destroy), c"ri_destroy(model_ri, /)\n--\n\nret = acl.mdl.ri_destroy(model_ri)\n\nEnds the use of a graph. Launches that are queued still run.\n\nNote: launches that are queued still run.\n\nC: aclmdlRIDestroy"),
row(c"ri_get_id", method!("mdl.ri_get_id" ("model_ri") least 1, ri_get_id), c"ri_get_id(model_ri, /)\n--\n\nmodel_riid, ret = acl.mdl.ri_get_id(model_ri)\n\nA number that no other graph has.\n\nC: aclmdlRIGetId"),
row(c"ri_capture_task_grp_begin", method!("mdl.ri_capture_task_grp_begin" ("stream") least 1, ri_capture_task_grp_begin), c"ri_capture_task_grp_begin(stream, /)\n--\n\nret = acl.mdl.ri_capture_task_grp_begin(stream)\n\nTask groups. Between begin and end, on a captured stream, operators by function and copies\nbelong to a group. An update, on a stream that is not captured, queues the same operators again:\nthey do not run, but their arguments replace those of the group when the stream comes to its\nend.\n\nNote: groups do not nest.\n\nC: aclmdlRICaptureTaskGrpBegin"),
row(c"ri_capture_task_grp_end", method!("mdl.ri_capture_task_grp_end" ("stream") least 1, ri_capture_task_grp_end), c"ri_capture_task_grp_end(stream, /)\n--\n\nhandle, ret = acl.mdl.ri_capture_task_grp_end(stream)\n\nTask groups. Between begin and end, on a captured stream, operators by function and copies\nbelong to a group. An update, on a stream that is not captured, queues the same operators again:\nthey do not run, but their arguments replace those of the group when the stream comes to its\nend.\n\nNote: copies, fills and operators by function; 207000 for a group with anything else, also with\noperators by name that run in ONNX Runtime.\n\nC: aclmdlRICaptureTaskGrpEnd"),
row(c"ri_capture_task_update_begin", method!("mdl.ri_capture_task_update_begin" ("stream", "handle") least 2, ri_capture_task_update_begin), c"ri_capture_task_update_begin(stream, handle, /)\n--\n\nret = acl.mdl.ri_capture_task_update_begin(stream, handle)\n\nTask groups. Between begin and end, on a captured stream, operators by function and copies\nbelong to a group. An update, on a stream that is not captured, queues the same operators again:\nthey do not run, but their arguments replace those of the group when the stream comes to its\nend.\n\nC: aclmdlRICaptureTaskUpdateBegin"),
row(c"ri_capture_task_update_end", method!("mdl.ri_capture_task_update_end" ("stream") least 1, ri_capture_task_update_end), c"ri_capture_task_update_end(stream, /)\n--\n\nret = acl.mdl.ri_capture_task_update_end(stream)\n\nTask groups. Between begin and end, on a captured stream, operators by function and copies\nbelong to a group. An update, on a stream that is not captured, queues the same operators again:\nthey do not run, but their arguments replace those of the group when the stream comes to its\nend.\n\nNote: takes effect in the order of its stream.\n\nC: aclmdlRICaptureTaskUpdateEnd"),
row(c"ri_cond_handle_create", method!("mdl.ri_cond_handle_create" ("model_ri", "default_launch_value", "flag") least 3, ri_cond_handle_create), c"ri_cond_handle_create(model_ri, default_launch_value, flag, /)\n--\n\nhandle, ret = acl.mdl.ri_cond_handle_create(model_ri, default_launch_value, flag)\n\nConditions. The value is 8 bytes of device memory that captured work writes. A branch is filled\nby capturing another stream to it.\n\nC: aclmdlRICondHandleCreate"),
row(c"ri_cond_handle_get_cond_ptr", method!("mdl.ri_cond_handle_get_cond_ptr" ("handle") least 1, ri_cond_handle_get_cond_ptr), c"ri_cond_handle_get_cond_ptr(handle, /)\n--\n\ndev_ptr, ret = acl.mdl.ri_cond_handle_get_cond_ptr(handle)\n\nConditions. The value is 8 bytes of device memory that captured work writes. A branch is filled\nby capturing another stream to it.\n\nC: aclmdlRICondHandleGetCondPtr"),
row(c"ri_add_cond_task", method!("mdl.ri_add_cond_task" ("handle", "type", "size", "stream", "flags") least 5, crate::hand::mdl_ri_add_cond_task), c"ri_add_cond_task(handle, type, size, stream, flags, /)\n--\n\nCaptures a task that runs one of several graphs, and returns these graphs, which are empty.\n\nC: aclmdlRIAddCondTask"),
row(c"ri_capture_to_model_ri_begin", method!("mdl.ri_capture_to_model_ri_begin" ("stream", "model_ri", "mode") least 3, ri_capture_to_model_ri_begin), c"ri_capture_to_model_ri_begin(stream, model_ri, mode, /)\n--\n\nret = acl.mdl.ri_capture_to_model_ri_begin(stream, model_ri, mode)\n\nConditions. The value is 8 bytes of device memory that captured work writes. A branch is filled\nby capturing another stream to it.\n\nC: aclmdlRICaptureToModelRIBegin"),
row(c"ri_debug_print", method!("mdl.ri_debug_print" ("model_ri") least 1, ri_debug_print), c"ri_debug_print(model_ri, /)\n--\n\nret = acl.mdl.ri_debug_print(model_ri)\n\nThe tasks of a graph, printed, or written to a file as JSON; the flags are not used.\n\nNote: prints a Chrome trace to the error output.\n\nC: aclmdlRIDebugPrint"),
row(c"ri_debug_json_print", method!("mdl.ri_debug_json_print" ("model_ri", "path", "flags") least 3, ri_debug_json_print), c"ri_debug_json_print(model_ri, path, flags, /)\n--\n\nret = acl.mdl.ri_debug_json_print(model_ri, path, flags)\n\nThe tasks of a graph, printed, or written to a file as JSON; the flags are not used.\n\nNote: a Chrome trace with a row for each captured stream.\n\nC: aclmdlRIDebugJsonPrint"),
END,
]);

fn create_desc(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlCreateDesc() };
    ret.object()
}

fn destroy_desc(args: Args<'_>) -> Answer {
    let model_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlDestroyDesc(model_desc) };
    ret.object()
}

fn get_desc(args: Args<'_>) -> Answer {
    let model_desc = args.pointer(0)?;
    let model_id = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetDesc(model_desc, model_id) };
    ret.object()
}

fn get_desc_from_file(args: Args<'_>) -> Answer {
    let model_desc = args.pointer(0)?;
    let model_path = args.text(1)?;
    let model_path_text = model_path.as_ptr();
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlGetDescFromFile(model_desc, model_path_text) }
    });
    ret.object()
}

fn get_desc_from_mem(args: Args<'_>) -> Answer {
    let model_desc = args.pointer(0)?;
    let model = args.constant(1)?;
    let model_size = args.usize(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlGetDescFromMem(model_desc, model, model_size) }
    });
    ret.object()
}

fn get_num_inputs(args: Args<'_>) -> Answer {
    let model_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetNumInputs(model_desc) };
    ret.object()
}

fn get_num_outputs(args: Args<'_>) -> Answer {
    let model_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetNumOutputs(model_desc) };
    ret.object()
}

fn get_input_size_by_index(args: Args<'_>) -> Answer {
    let model_desc = args.pointer(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetInputSizeByIndex(model_desc, index) };
    ret.object()
}

fn get_output_size_by_index(args: Args<'_>) -> Answer {
    let model_desc = args.pointer(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetOutputSizeByIndex(model_desc, index) };
    ret.object()
}

fn get_input_dims(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    let mut dims: abi::aclmdlIODims = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetInputDims(model_desc, index, &raw mut dims) };
    tuple([dims.dict()?, ret.object()?])
}

fn get_input_dims_v2(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    let mut dims: abi::aclmdlIODims = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetInputDimsV2(model_desc, index, &raw mut dims) };
    tuple([dims.dict()?, ret.object()?])
}

fn get_input_dims_range(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    let mut dims_range: abi::aclmdlIODimsRange = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetInputDimsRange(model_desc, index, &raw mut dims_range) };
    tuple([dims_range.dict()?, ret.object()?])
}

fn get_output_dims(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    let mut dims: abi::aclmdlIODims = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetOutputDims(model_desc, index, &raw mut dims) };
    tuple([dims.dict()?, ret.object()?])
}

fn get_cur_output_dims(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    let mut dims: abi::aclmdlIODims = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetCurOutputDims(model_desc, index, &raw mut dims) };
    tuple([dims.dict()?, ret.object()?])
}

fn get_input_name_by_index(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetInputNameByIndex(model_desc, index) };
    text_or_none(ret)
}

fn get_output_name_by_index(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetOutputNameByIndex(model_desc, index) };
    text_or_none(ret)
}

fn get_input_index_by_name(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let name = args.text(1)?;
    let name_text = name.as_ptr();
    let mut index = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetInputIndexByName(model_desc, name_text, &raw mut index) };
    tuple([index.object()?, ret.object()?])
}

fn get_output_index_by_name(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let name = args.text(1)?;
    let name_text = name.as_ptr();
    let mut index = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetOutputIndexByName(model_desc, name_text, &raw mut index) };
    tuple([index.object()?, ret.object()?])
}

fn get_input_format(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetInputFormat(model_desc, index) };
    ret.object()
}

fn get_output_format(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetOutputFormat(model_desc, index) };
    ret.object()
}

fn get_input_data_type(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetInputDataType(model_desc, index) };
    ret.object()
}

fn get_output_data_type(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetOutputDataType(model_desc, index) };
    ret.object()
}

fn get_tensor_real_name(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let name = args.text(1)?;
    let name_text = name.as_ptr();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetTensorRealName(model_desc, name_text) };
    text_or_none(ret)
}

fn get_op_attr(args: Args<'_>) -> Answer {
    let model_desc = args.pointer(0)?;
    let op_name = args.text(1)?;
    let op_name_text = op_name.as_ptr();
    let attr = args.text(2)?;
    let attr_text = attr.as_ptr();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetOpAttr(model_desc, op_name_text, attr_text) };
    text_or_none(ret)
}

fn create_dataset(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlCreateDataset() };
    ret.object()
}

fn destroy_dataset(args: Args<'_>) -> Answer {
    let dataset = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlDestroyDataset(dataset) };
    ret.object()
}

fn get_dataset_num_buffers(args: Args<'_>) -> Answer {
    let dataset = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetDatasetNumBuffers(dataset) };
    ret.object()
}

fn get_dataset_buffer(args: Args<'_>) -> Answer {
    let dataset = args.constant(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetDatasetBuffer(dataset, index) };
    ret.object()
}

fn get_dataset_tensor_desc(args: Args<'_>) -> Answer {
    let dataset = args.constant(0)?;
    let index = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetDatasetTensorDesc(dataset, index) };
    ret.object()
}

fn query_size(args: Args<'_>) -> Answer {
    let file_name = args.text(0)?;
    let file_name_text = file_name.as_ptr();
    let mut work_size = 0;
    let mut weight_size = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlQuerySize(file_name_text, &raw mut work_size, &raw mut weight_size) }
    });
    tuple([work_size.object()?, weight_size.object()?, ret.object()?])
}

fn query_size_from_mem(args: Args<'_>) -> Answer {
    let model = args.constant(0)?;
    let model_size = args.usize(1)?;
    let mut work_size = 0;
    let mut weight_size = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclmdlQuerySizeFromMem(model, model_size, &raw mut work_size, &raw mut weight_size)
        }
    });
    tuple([work_size.object()?, weight_size.object()?, ret.object()?])
}

fn load_from_file(args: Args<'_>) -> Answer {
    let model_path = args.text(0)?;
    let model_path_text = model_path.as_ptr();
    let mut model_id = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlLoadFromFile(model_path_text, &raw mut model_id) }
    });
    tuple([model_id.object()?, ret.object()?])
}

fn load_from_mem(args: Args<'_>) -> Answer {
    let model = args.constant(0)?;
    let model_size = args.usize(1)?;
    let mut model_id = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlLoadFromMem(model, model_size, &raw mut model_id) }
    });
    tuple([model_id.object()?, ret.object()?])
}

fn load_from_file_with_mem(args: Args<'_>) -> Answer {
    let model_path = args.text(0)?;
    let model_path_text = model_path.as_ptr();
    let mut model_id = 0;
    let work_ptr = args.pointer(1)?;
    let work_size = args.usize(2)?;
    let weight_ptr = args.pointer(3)?;
    let weight_size = args.usize(4)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclmdlLoadFromFileWithMem(
                model_path_text,
                &raw mut model_id,
                work_ptr,
                work_size,
                weight_ptr,
                weight_size,
            )
        }
    });
    tuple([model_id.object()?, ret.object()?])
}

fn load_from_mem_with_mem(args: Args<'_>) -> Answer {
    let model = args.constant(0)?;
    let model_size = args.usize(1)?;
    let mut model_id = 0;
    let work_ptr = args.pointer(2)?;
    let work_size = args.usize(3)?;
    let weight_ptr = args.pointer(4)?;
    let weight_size = args.usize(5)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclmdlLoadFromMemWithMem(
                model,
                model_size,
                &raw mut model_id,
                work_ptr,
                work_size,
                weight_ptr,
                weight_size,
            )
        }
    });
    tuple([model_id.object()?, ret.object()?])
}

fn load_from_model(args: Args<'_>) -> Answer {
    let model = args.constant(0)?;
    let handle = args.constant(1)?;
    let mut model_id = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlLoadFromModel(model, handle, &raw mut model_id) }
    });
    tuple([model_id.object()?, ret.object()?])
}

fn unload(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlUnload(model_id) }
    });
    ret.object()
}

fn create_config_handle(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlCreateConfigHandle() };
    ret.object()
}

fn destroy_config_handle(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlDestroyConfigHandle(handle) };
    ret.object()
}

fn set_external_weight_address(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let weight_file_name = args.text(1)?;
    let weight_file_name_text = weight_file_name.as_ptr();
    let dev_ptr = args.pointer(2)?;
    let size = args.usize(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret =
        unsafe { c::aclmdlSetExternalWeightAddress(handle, weight_file_name_text, dev_ptr, size) };
    ret.object()
}

fn load_with_config(args: Args<'_>) -> Answer {
    let handle = args.constant(0)?;
    let mut model_id = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlLoadWithConfig(handle, &raw mut model_id) }
    });
    tuple([model_id.object()?, ret.object()?])
}

fn execute(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let input = args.constant(1)?;
    let output = args.pointer(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlExecute(model_id, input, output) }
    });
    ret.object()
}

fn execute_v2(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let input = args.constant(1)?;
    let output = args.pointer(2)?;
    let stream = args.pointer(3)?;
    let handle = args.constant(4)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlExecuteV2(model_id, input, output, stream, handle) }
    });
    ret.object()
}

fn execute_async(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let input = args.constant(1)?;
    let output = args.pointer(2)?;
    let stream = args.pointer(3)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlExecuteAsync(model_id, input, output, stream) }
    });
    ret.object()
}

fn execute_async_v2(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let input = args.constant(1)?;
    let output = args.pointer(2)?;
    let stream = args.pointer(3)?;
    let handle = args.constant(4)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlExecuteAsyncV2(model_id, input, output, stream, handle) }
    });
    ret.object()
}

fn create_exec_config_handle(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlCreateExecConfigHandle() };
    ret.object()
}

fn destroy_exec_config_handle(args: Args<'_>) -> Answer {
    let handle = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlDestroyExecConfigHandle(handle) };
    ret.object()
}

fn get_dynamic_batch(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let mut batch: abi::aclmdlBatch = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetDynamicBatch(model_desc, &raw mut batch) };
    tuple([batch.dict()?, ret.object()?])
}

fn set_dynamic_batch_size(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let dataset = args.pointer(1)?;
    let index = args.usize(2)?;
    let batch_size = args.u64(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlSetDynamicBatchSize(model_id, dataset, index, batch_size) };
    ret.object()
}

fn get_dynamic_hw(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    let mut hw: abi::aclmdlHW = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetDynamicHW(model_desc, index, &raw mut hw) };
    tuple([hw.dict()?, ret.object()?])
}

fn set_dynamic_hw_size(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let dataset = args.pointer(1)?;
    let index = args.usize(2)?;
    let height = args.u64(3)?;
    let width = args.u64(4)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlSetDynamicHWSize(model_id, dataset, index, height, width) };
    ret.object()
}

fn get_input_dynamic_gear_count(args: Args<'_>) -> Answer {
    let model_desc = args.constant(0)?;
    let index = args.usize(1)?;
    let mut gear_count = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetInputDynamicGearCount(model_desc, index, &raw mut gear_count) };
    tuple([gear_count.object()?, ret.object()?])
}

fn set_input_dynamic_dims(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let dataset = args.pointer(1)?;
    let index = args.usize(2)?;
    let dims: abi::aclmdlIODims = args.structure(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlSetInputDynamicDims(model_id, dataset, index, &raw const dims) };
    ret.object()
}

fn create_aipp(args: Args<'_>) -> Answer {
    let batch_size = args.u64(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlCreateAIPP(batch_size) };
    ret.object()
}

fn destroy_aipp(args: Args<'_>) -> Answer {
    let aipp_parms_set = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlDestroyAIPP(aipp_parms_set) };
    ret.object()
}

fn get_aipp_data_size(args: Args<'_>) -> Answer {
    let batch_size = args.u64(0)?;
    let mut size = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetAippDataSize(batch_size, &raw mut size) };
    tuple([size.object()?, ret.object()?])
}

fn set_aipp_input_format(args: Args<'_>) -> Answer {
    let aipp_parms_set = args.pointer(0)?;
    let input_format = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlSetAIPPInputFormat(aipp_parms_set, input_format) };
    ret.object()
}

fn set_aipp_rbuv_swap_switch(args: Args<'_>) -> Answer {
    let aipp_parms_set = args.pointer(0)?;
    let rbuv_swap_switch = args.i8(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlSetAIPPRbuvSwapSwitch(aipp_parms_set, rbuv_swap_switch) };
    ret.object()
}

fn set_aipp_ax_swap_switch(args: Args<'_>) -> Answer {
    let aipp_parms_set = args.pointer(0)?;
    let ax_swap_switch = args.i8(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlSetAIPPAxSwapSwitch(aipp_parms_set, ax_swap_switch) };
    ret.object()
}

fn set_aipp_src_image_size(args: Args<'_>) -> Answer {
    let aipp_parms_set = args.pointer(0)?;
    let src_image_size_w = args.i32(1)?;
    let src_image_size_h = args.i32(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret =
        unsafe { c::aclmdlSetAIPPSrcImageSize(aipp_parms_set, src_image_size_w, src_image_size_h) };
    ret.object()
}

fn set_aipp_scf_params(args: Args<'_>) -> Answer {
    let aipp_parms_set = args.pointer(0)?;
    let scf_switch = args.i8(1)?;
    let scf_input_size_w = args.i32(2)?;
    let scf_input_size_h = args.i32(3)?;
    let scf_output_size_w = args.i32(4)?;
    let scf_output_size_h = args.i32(5)?;
    let batch_index = args.u64(6)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclmdlSetAIPPScfParams(
            aipp_parms_set,
            scf_switch,
            scf_input_size_w,
            scf_input_size_h,
            scf_output_size_w,
            scf_output_size_h,
            batch_index,
        )
    };
    ret.object()
}

fn set_aipp_crop_params(args: Args<'_>) -> Answer {
    let aipp_parms_set = args.pointer(0)?;
    let crop_switch = args.i8(1)?;
    let crop_start_pos_w = args.i32(2)?;
    let crop_start_pos_h = args.i32(3)?;
    let crop_size_w = args.i32(4)?;
    let crop_size_h = args.i32(5)?;
    let batch_index = args.u64(6)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclmdlSetAIPPCropParams(
            aipp_parms_set,
            crop_switch,
            crop_start_pos_w,
            crop_start_pos_h,
            crop_size_w,
            crop_size_h,
            batch_index,
        )
    };
    ret.object()
}

fn set_aipp_padding_params(args: Args<'_>) -> Answer {
    let aipp_parms_set = args.pointer(0)?;
    let padding_switch = args.i8(1)?;
    let padding_size_top = args.i32(2)?;
    let padding_size_bottom = args.i32(3)?;
    let padding_size_left = args.i32(4)?;
    let padding_size_right = args.i32(5)?;
    let batch_index = args.u64(6)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclmdlSetAIPPPaddingParams(
            aipp_parms_set,
            padding_switch,
            padding_size_top,
            padding_size_bottom,
            padding_size_left,
            padding_size_right,
            batch_index,
        )
    };
    ret.object()
}

fn set_aipp_dtc_pixel_min(args: Args<'_>) -> Answer {
    let aipp_parms_set = args.pointer(0)?;
    let dtc_pixel_min_chn0 = args.f32(1)?;
    let dtc_pixel_min_chn1 = args.f32(2)?;
    let dtc_pixel_min_chn2 = args.f32(3)?;
    let dtc_pixel_min_chn3 = args.f32(4)?;
    let batch_index = args.u64(5)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclmdlSetAIPPDtcPixelMin(
            aipp_parms_set,
            dtc_pixel_min_chn0,
            dtc_pixel_min_chn1,
            dtc_pixel_min_chn2,
            dtc_pixel_min_chn3,
            batch_index,
        )
    };
    ret.object()
}

fn set_aipp_pixel_var_reci(args: Args<'_>) -> Answer {
    let aipp_parms_set = args.pointer(0)?;
    let dtc_pixel_var_reci_chn0 = args.f32(1)?;
    let dtc_pixel_var_reci_chn1 = args.f32(2)?;
    let dtc_pixel_var_reci_chn2 = args.f32(3)?;
    let dtc_pixel_var_reci_chn3 = args.f32(4)?;
    let batch_index = args.u64(5)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclmdlSetAIPPPixelVarReci(
            aipp_parms_set,
            dtc_pixel_var_reci_chn0,
            dtc_pixel_var_reci_chn1,
            dtc_pixel_var_reci_chn2,
            dtc_pixel_var_reci_chn3,
            batch_index,
        )
    };
    ret.object()
}

fn set_input_aipp(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let dataset = args.pointer(1)?;
    let index = args.usize(2)?;
    let aipp_parms_set = args.constant(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlSetInputAIPP(model_id, dataset, index, aipp_parms_set) };
    ret.object()
}

fn set_aipp_by_input_index(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let dataset = args.pointer(1)?;
    let index = args.usize(2)?;
    let aipp_parms_set = args.constant(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlSetAIPPByInputIndex(model_id, dataset, index, aipp_parms_set) };
    ret.object()
}

fn get_aipp_type(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let index = args.usize(1)?;
    let mut type_ = 0;
    let mut dynamic_attached_data_index = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclmdlGetAippType(
            model_id,
            index,
            &raw mut type_,
            &raw mut dynamic_attached_data_index,
        )
    };
    tuple([
        type_.object()?,
        dynamic_attached_data_index.object()?,
        ret.object()?,
    ])
}

fn get_first_aipp_info(args: Args<'_>) -> Answer {
    let model_id = args.u32(0)?;
    let index = args.usize(1)?;
    let mut aipp_info: abi::aclAippInfo = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlGetFirstAippInfo(model_id, index, &raw mut aipp_info) };
    tuple([aipp_info.dict()?, ret.object()?])
}

fn bundle_load_from_file(args: Args<'_>) -> Answer {
    let model_path = args.text(0)?;
    let model_path_text = model_path.as_ptr();
    let mut bundle_id = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlBundleLoadFromFile(model_path_text, &raw mut bundle_id) }
    });
    tuple([bundle_id.object()?, ret.object()?])
}

fn bundle_load_from_mem(args: Args<'_>) -> Answer {
    let model = args.constant(0)?;
    let model_size = args.usize(1)?;
    let mut bundle_id = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlBundleLoadFromMem(model, model_size, &raw mut bundle_id) }
    });
    tuple([bundle_id.object()?, ret.object()?])
}

fn bundle_unload(args: Args<'_>) -> Answer {
    let bundle_id = args.u32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlBundleUnload(bundle_id) };
    ret.object()
}

fn bundle_get_model_num(args: Args<'_>) -> Answer {
    let bundle_id = args.u32(0)?;
    let mut model_num = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlBundleGetModelNum(bundle_id, &raw mut model_num) };
    tuple([model_num.object()?, ret.object()?])
}

fn bundle_get_model_id(args: Args<'_>) -> Answer {
    let bundle_id = args.u32(0)?;
    let index = args.usize(1)?;
    let mut model_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlBundleGetModelId(bundle_id, index, &raw mut model_id) };
    tuple([model_id.object()?, ret.object()?])
}

fn bundle_create_query_info(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlBundleCreateQueryInfo() };
    ret.object()
}

fn bundle_destroy_query_info(args: Args<'_>) -> Answer {
    let query_info = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlBundleDestroyQueryInfo(query_info) };
    ret.object()
}

fn bundle_query_info_from_file(args: Args<'_>) -> Answer {
    let file_name = args.text(0)?;
    let file_name_text = file_name.as_ptr();
    let query_info = args.pointer(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlBundleQueryInfoFromFile(file_name_text, query_info) };
    ret.object()
}

fn bundle_query_info_from_mem(args: Args<'_>) -> Answer {
    let model = args.constant(0)?;
    let model_size = args.usize(1)?;
    let query_info = args.pointer(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlBundleQueryInfoFromMem(model, model_size, query_info) };
    ret.object()
}

fn bundle_get_query_model_num(args: Args<'_>) -> Answer {
    let query_info = args.constant(0)?;
    let mut model_num = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlBundleGetQueryModelNum(query_info, &raw mut model_num) };
    tuple([model_num.object()?, ret.object()?])
}

fn bundle_get_var_weight_size(args: Args<'_>) -> Answer {
    let query_info = args.constant(0)?;
    let mut variable_weight_size = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlBundleGetVarWeightSize(query_info, &raw mut variable_weight_size) };
    tuple([variable_weight_size.object()?, ret.object()?])
}

fn bundle_get_size(args: Args<'_>) -> Answer {
    let query_info = args.constant(0)?;
    let index = args.usize(1)?;
    let mut work_size = 0;
    let mut const_weight_size = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclmdlBundleGetSize(
            query_info,
            index,
            &raw mut work_size,
            &raw mut const_weight_size,
        )
    };
    tuple([
        work_size.object()?,
        const_weight_size.object()?,
        ret.object()?,
    ])
}

fn bundle_init_from_file(args: Args<'_>) -> Answer {
    let model_path = args.text(0)?;
    let model_path_text = model_path.as_ptr();
    let var_weight_ptr = args.pointer(1)?;
    let var_weight_size = args.usize(2)?;
    let mut bundle_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclmdlBundleInitFromFile(
            model_path_text,
            var_weight_ptr,
            var_weight_size,
            &raw mut bundle_id,
        )
    };
    tuple([bundle_id.object()?, ret.object()?])
}

fn bundle_init_from_mem(args: Args<'_>) -> Answer {
    let model = args.constant(0)?;
    let model_size = args.usize(1)?;
    let var_weight_ptr = args.pointer(2)?;
    let var_weight_size = args.usize(3)?;
    let mut bundle_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclmdlBundleInitFromMem(
            model,
            model_size,
            var_weight_ptr,
            var_weight_size,
            &raw mut bundle_id,
        )
    };
    tuple([bundle_id.object()?, ret.object()?])
}

fn bundle_load_model(args: Args<'_>) -> Answer {
    let bundle_id = args.u32(0)?;
    let index = args.usize(1)?;
    let mut model_id = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlBundleLoadModel(bundle_id, index, &raw mut model_id) }
    });
    tuple([model_id.object()?, ret.object()?])
}

fn bundle_load_model_with_mem(args: Args<'_>) -> Answer {
    let bundle_id = args.u32(0)?;
    let index = args.usize(1)?;
    let work_ptr = args.pointer(2)?;
    let work_size = args.usize(3)?;
    let weight_ptr = args.pointer(4)?;
    let weight_size = args.usize(5)?;
    let mut model_id = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclmdlBundleLoadModelWithMem(
                bundle_id,
                index,
                work_ptr,
                work_size,
                weight_ptr,
                weight_size,
                &raw mut model_id,
            )
        }
    });
    tuple([model_id.object()?, ret.object()?])
}

fn bundle_load_model_with_config(args: Args<'_>) -> Answer {
    let bundle_id = args.u32(0)?;
    let index = args.usize(1)?;
    let handle = args.pointer(2)?;
    let mut model_id = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlBundleLoadModelWithConfig(bundle_id, index, handle, &raw mut model_id) }
    });
    tuple([model_id.object()?, ret.object()?])
}

fn bundle_unload_model(args: Args<'_>) -> Answer {
    let bundle_id = args.u32(0)?;
    let model_id = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlBundleUnloadModel(bundle_id, model_id) };
    ret.object()
}

fn ri_capture_begin(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let mode = args.i32(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlRICaptureBegin(stream, mode) }
    });
    ret.object()
}

fn ri_capture_get_info(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let mut status = 0;
    let mut model_ri = std::ptr::null_mut();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlRICaptureGetInfo(stream, &raw mut status, &raw mut model_ri) };
    tuple([status.object()?, model_ri.object()?, ret.object()?])
}

fn ri_capture_end(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let mut model_ri = std::ptr::null_mut();
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlRICaptureEnd(stream, &raw mut model_ri) }
    });
    tuple([model_ri.object()?, ret.object()?])
}

fn ri_execute_async(args: Args<'_>) -> Answer {
    let model_ri = args.pointer(0)?;
    let stream = args.pointer(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlRIExecuteAsync(model_ri, stream) }
    });
    ret.object()
}

fn ri_execute(args: Args<'_>) -> Answer {
    let model_ri = args.pointer(0)?;
    let timeout = args.i32(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlRIExecute(model_ri, timeout) }
    });
    ret.object()
}

fn ri_destroy(args: Args<'_>) -> Answer {
    let model_ri = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlRIDestroy(model_ri) }
    });
    ret.object()
}

fn ri_get_id(args: Args<'_>) -> Answer {
    let model_ri = args.pointer(0)?;
    let mut model_riid = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlRIGetId(model_ri, &raw mut model_riid) };
    tuple([model_riid.object()?, ret.object()?])
}

fn ri_capture_task_grp_begin(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlRICaptureTaskGrpBegin(stream) };
    ret.object()
}

fn ri_capture_task_grp_end(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let mut handle = std::ptr::null_mut();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlRICaptureTaskGrpEnd(stream, &raw mut handle) };
    tuple([handle.object()?, ret.object()?])
}

fn ri_capture_task_update_begin(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let handle = args.pointer(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlRICaptureTaskUpdateBegin(stream, handle) };
    ret.object()
}

fn ri_capture_task_update_end(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlRICaptureTaskUpdateEnd(stream) }
    });
    ret.object()
}

fn ri_cond_handle_create(args: Args<'_>) -> Answer {
    let model_ri = args.pointer(0)?;
    let default_launch_value = args.u32(1)?;
    let flag = args.u32(2)?;
    let mut handle = std::ptr::null_mut();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclmdlRICondHandleCreate(model_ri, default_launch_value, flag, &raw mut handle)
    };
    tuple([handle.object()?, ret.object()?])
}

fn ri_cond_handle_get_cond_ptr(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let mut dev_ptr = std::ptr::null_mut();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlRICondHandleGetCondPtr(handle, &raw mut dev_ptr) };
    tuple([dev_ptr.object()?, ret.object()?])
}

fn ri_capture_to_model_ri_begin(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let model_ri = args.pointer(1)?;
    let mode = args.i32(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlRICaptureToModelRIBegin(stream, model_ri, mode) }
    });
    ret.object()
}

fn ri_debug_print(args: Args<'_>) -> Answer {
    let model_ri = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclmdlRIDebugPrint(model_ri) };
    ret.object()
}

fn ri_debug_json_print(args: Args<'_>) -> Answer {
    let model_ri = args.pointer(0)?;
    let path = args.text(1)?;
    let path_text = path.as_ptr();
    let flags = args.u32(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclmdlRIDebugJsonPrint(model_ri, path_text, flags) }
    });
    ret.object()
}
