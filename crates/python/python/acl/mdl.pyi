"""The functions of acl.mdl.

Generated from functions.tsv and the C headers by `cargo xtask generate`.
"""

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

_Text = Union[str, bytes, os.PathLike[str]]

def create_desc() -> int:
    """value = acl.mdl.create_desc()

    Descriptions. The caller creates and destroys them.

    C: aclmdlCreateDesc"""

def destroy_desc(model_desc: int, /) -> int:
    """ret = acl.mdl.destroy_desc(model_desc)

    Descriptions. The caller creates and destroys them.

    C: aclmdlDestroyDesc"""

def get_desc(model_desc: int, model_id: int, /) -> int:
    """ret = acl.mdl.get_desc(model_desc, model_id)

    Descriptions. The caller creates and destroys them.

    C: aclmdlGetDesc"""

def get_desc_from_file(model_desc: int, model_path: _Text, /) -> int:
    """ret = acl.mdl.get_desc_from_file(model_desc, model_path)

    Descriptions. The caller creates and destroys them.

    C: aclmdlGetDescFromFile"""

def get_desc_from_mem(model_desc: int, model: int, model_size: int, /) -> int:
    """ret = acl.mdl.get_desc_from_mem(model_desc, model, model_size)

    Descriptions. The caller creates and destroys them.

    C: aclmdlGetDescFromMem"""

def get_num_inputs(model_desc: int, /) -> int:
    """value = acl.mdl.get_num_inputs(model_desc)

    Reading a description. Texts belong to the description.

    C: aclmdlGetNumInputs"""

def get_num_outputs(model_desc: int, /) -> int:
    """value = acl.mdl.get_num_outputs(model_desc)

    Reading a description. Texts belong to the description.

    C: aclmdlGetNumOutputs"""

def get_input_size_by_index(model_desc: int, index: int, /) -> int:
    """value = acl.mdl.get_input_size_by_index(model_desc, index)

    Reading a description. Texts belong to the description.

    Note: 0 when a dimension is dynamic.

    C: aclmdlGetInputSizeByIndex"""

def get_output_size_by_index(model_desc: int, index: int, /) -> int:
    """value = acl.mdl.get_output_size_by_index(model_desc, index)

    Reading a description. Texts belong to the description.

    Note: 0 when a dimension is dynamic; the description of a file that is not loaded does not know
    the outputs of gears.

    C: aclmdlGetOutputSizeByIndex"""

def get_input_dims(model_desc: int, index: int, /) -> Tuple[Dict[str, Any], int]:
    """dims, ret = acl.mdl.get_input_dims(model_desc, index)

    Reading a description. Texts belong to the description.

    C: aclmdlGetInputDims"""

def get_input_dims_v2(model_desc: int, index: int, /) -> Tuple[Dict[str, Any], int]:
    """dims, ret = acl.mdl.get_input_dims_v2(model_desc, index)

    Reading a description. Texts belong to the description.

    C: aclmdlGetInputDimsV2"""

def get_input_dims_range(model_desc: int, index: int, /) -> Tuple[Dict[str, Any], int]:
    """dims_range, ret = acl.mdl.get_input_dims_range(model_desc, index)

    Reading a description. Texts belong to the description.

    C: aclmdlGetInputDimsRange"""

def get_output_dims(model_desc: int, index: int, /) -> Tuple[Dict[str, Any], int]:
    """dims, ret = acl.mdl.get_output_dims(model_desc, index)

    Reading a description. Texts belong to the description.

    C: aclmdlGetOutputDims"""

def get_cur_output_dims(model_desc: int, index: int, /) -> Tuple[Dict[str, Any], int]:
    """dims, ret = acl.mdl.get_cur_output_dims(model_desc, index)

    Reading a description. Texts belong to the description.

    Note: models with ranges return 200001.

    C: aclmdlGetCurOutputDims"""

def get_input_name_by_index(model_desc: int, index: int, /) -> Optional[str]:
    """value = acl.mdl.get_input_name_by_index(model_desc, index)

    Reading a description. Texts belong to the description.

    C: aclmdlGetInputNameByIndex"""

def get_output_name_by_index(model_desc: int, index: int, /) -> Optional[str]:
    """value = acl.mdl.get_output_name_by_index(model_desc, index)

    Reading a description. Texts belong to the description.

    C: aclmdlGetOutputNameByIndex"""

def get_input_index_by_name(model_desc: int, name: _Text, /) -> Tuple[int, int]:
    """index, ret = acl.mdl.get_input_index_by_name(model_desc, name)

    Reading a description. Texts belong to the description.

    C: aclmdlGetInputIndexByName"""

def get_output_index_by_name(model_desc: int, name: _Text, /) -> Tuple[int, int]:
    """index, ret = acl.mdl.get_output_index_by_name(model_desc, name)

    Reading a description. Texts belong to the description.

    C: aclmdlGetOutputIndexByName"""

def get_input_format(model_desc: int, index: int, /) -> int:
    """value = acl.mdl.get_input_format(model_desc, index)

    Reading a description. Texts belong to the description.

    C: aclmdlGetInputFormat"""

def get_output_format(model_desc: int, index: int, /) -> int:
    """value = acl.mdl.get_output_format(model_desc, index)

    Reading a description. Texts belong to the description.

    C: aclmdlGetOutputFormat"""

def get_input_data_type(model_desc: int, index: int, /) -> int:
    """value = acl.mdl.get_input_data_type(model_desc, index)

    Reading a description. Texts belong to the description.

    C: aclmdlGetInputDataType"""

def get_output_data_type(model_desc: int, index: int, /) -> int:
    """value = acl.mdl.get_output_data_type(model_desc, index)

    Reading a description. Texts belong to the description.

    C: aclmdlGetOutputDataType"""

def get_tensor_real_name(model_desc: int, name: _Text, /) -> Optional[str]:
    """value = acl.mdl.get_tensor_real_name(model_desc, name)

    Reading a description. Texts belong to the description.

    C: aclmdlGetTensorRealName"""

def get_op_attr(model_desc: int, op_name: _Text, attr: _Text, /) -> Optional[str]:
    """value = acl.mdl.get_op_attr(model_desc, op_name, attr)

    Reading a description. Texts belong to the description.

    Refused: models are ONNX graphs and have no vendor operators with attributes.

    C: aclmdlGetOpAttr"""

def create_dataset() -> int:
    """value = acl.mdl.create_dataset()

    Datasets. Destroying one leaves its buffers. A tensor description may stand beside a buffer
    whose shape is dynamic.

    C: aclmdlCreateDataset"""

def destroy_dataset(dataset: int, /) -> int:
    """ret = acl.mdl.destroy_dataset(dataset)

    Datasets. Destroying one leaves its buffers. A tensor description may stand beside a buffer
    whose shape is dynamic.

    C: aclmdlDestroyDataset"""

def add_dataset_buffer(dataset: int, data_buffer: int, /) -> Tuple[int, int]:
    """Adds a buffer to a dataset. Returns the dataset and a code.

    C: aclmdlAddDatasetBuffer"""

def get_dataset_num_buffers(dataset: int, /) -> int:
    """value = acl.mdl.get_dataset_num_buffers(dataset)

    Datasets. Destroying one leaves its buffers. A tensor description may stand beside a buffer
    whose shape is dynamic.

    C: aclmdlGetDatasetNumBuffers"""

def get_dataset_buffer(dataset: int, index: int, /) -> int:
    """value = acl.mdl.get_dataset_buffer(dataset, index)

    Datasets. Destroying one leaves its buffers. A tensor description may stand beside a buffer
    whose shape is dynamic.

    C: aclmdlGetDatasetBuffer"""

def set_dataset_tensor_desc(dataset: int, tensor_desc: int, index: int, /) -> Tuple[int, int]:
    """Sets the description of a buffer in a dataset. Returns the dataset and a code.

    C: aclmdlSetDatasetTensorDesc"""

def get_dataset_tensor_desc(dataset: int, index: int, /) -> int:
    """value = acl.mdl.get_dataset_tensor_desc(dataset, index)

    Datasets. Destroying one leaves its buffers. A tensor description may stand beside a buffer
    whose shape is dynamic.

    C: aclmdlGetDatasetTensorDesc"""

def query_size(file_name: _Text, /) -> Tuple[int, int, int]:
    """work_size, weight_size, ret = acl.mdl.query_size(file_name)

    Loading. In the forms with memory the caller provides it, keeps it until the model is unloaded,
    and asks for its size beforehand.

    Note: multiples of 512, never 0; the memory of a model with dynamic shapes is not known before
    it runs.

    C: aclmdlQuerySize"""

def query_size_from_mem(model: int, model_size: int, /) -> Tuple[int, int, int]:
    """work_size, weight_size, ret = acl.mdl.query_size_from_mem(model, model_size)

    Loading. In the forms with memory the caller provides it, keeps it until the model is unloaded,
    and asks for its size beforehand.

    Note: multiples of 512, never 0; the memory of a model with dynamic shapes is not known before
    it runs.

    C: aclmdlQuerySizeFromMem"""

def load_from_file(model_path: _Text, /) -> Tuple[int, int]:
    """model_id, ret = acl.mdl.load_from_file(model_path)

    Loading. In the forms with memory the caller provides it, keeps it until the model is unloaded,
    and asks for its size beforehand.

    Note: ONNX files and files of millpond atc; a file compiled for an NPU returns 200001.

    C: aclmdlLoadFromFile"""

def load_from_mem(model: int, model_size: int, /) -> Tuple[int, int]:
    """model_id, ret = acl.mdl.load_from_mem(model, model_size)

    Loading. In the forms with memory the caller provides it, keeps it until the model is unloaded,
    and asks for its size beforehand.

    Note: ONNX files and files of millpond atc; a file compiled for an NPU returns 200001.

    C: aclmdlLoadFromMem"""

def load_from_file_with_mem(model_path: _Text, work_ptr: int, work_size: int, weight_ptr: int, weight_size: int, /) -> Tuple[int, int]:
    """model_id, ret = acl.mdl.load_from_file_with_mem(model_path, work_ptr, work_size, weight_ptr,
    weight_size)

    Loading. In the forms with memory the caller provides it, keeps it until the model is unloaded,
    and asks for its size beforehand.

    Note: the work memory serves runs of a model with fixed shapes; the weight memory must be large
    enough but is not used, because the engine has its own.

    C: aclmdlLoadFromFileWithMem"""

def load_from_mem_with_mem(model: int, model_size: int, work_ptr: int, work_size: int, weight_ptr: int, weight_size: int, /) -> Tuple[int, int]:
    """model_id, ret = acl.mdl.load_from_mem_with_mem(model, model_size, work_ptr, work_size,
    weight_ptr, weight_size)

    Loading. In the forms with memory the caller provides it, keeps it until the model is unloaded,
    and asks for its size beforehand.

    Note: the work memory serves runs of a model with fixed shapes; the weight memory must be large
    enough but is not used, because the engine has its own.

    C: aclmdlLoadFromMemWithMem"""

def load_from_model(model: int, handle: int, /) -> Tuple[int, int]:
    """model_id, ret = acl.mdl.load_from_model(model, handle)

    Loading. In the forms with memory the caller provides it, keeps it until the model is unloaded,
    and asks for its size beforehand.

    Refused: models are loaded from files and memory only.

    C: aclmdlLoadFromModel"""

def unload(model_id: int, /) -> int:
    """ret = acl.mdl.unload(model_id)

    Loading. In the forms with memory the caller provides it, keeps it until the model is unloaded,
    and asks for its size beforehand.

    Note: queued runs of the model still run.

    C: aclmdlUnload"""

def create_config_handle() -> int:
    """value = acl.mdl.create_config_handle()

    Loading with options. attrValue points to a value of valueSize bytes, which is copied.

    C: aclmdlCreateConfigHandle"""

def destroy_config_handle(handle: int, /) -> int:
    """ret = acl.mdl.destroy_config_handle(handle)

    Loading with options. attrValue points to a value of valueSize bytes, which is copied.

    C: aclmdlDestroyConfigHandle"""

def set_config_opt(handle: int, attr: int, value: Union[int, _Text], /) -> int:
    """An option of loading: an int, or a str for paths.

    Note: queues, weights in separate files and parts that exist only on an NPU return 200001;
    priority, memory policy and memory optimisation are stored and ignored.

    C: aclmdlSetConfigOpt"""

def set_external_weight_address(handle: int, weight_file_name: _Text, dev_ptr: int, size: int, /) -> int:
    """ret = acl.mdl.set_external_weight_address(handle, weight_file_name, dev_ptr, size)

    Loading with options. attrValue points to a value of valueSize bytes, which is copied.

    Refused: weights must be in the model's own file, or next to it.

    C: aclmdlSetExternalWeightAddress"""

def load_with_config(handle: int, /) -> Tuple[int, int]:
    """model_id, ret = acl.mdl.load_with_config(handle)

    Loading with options. attrValue points to a value of valueSize bytes, which is copied.

    Note: as aclmdlLoadFromFile and similar functions; queues return 200001.

    C: aclmdlLoadWithConfig"""

def execute(model_id: int, input: int, output: int, /) -> int:
    """ret = acl.mdl.execute(model_id, input, output)

    Running. The plain forms return when the outputs are there; the asynchronous ones when the run
    is queued.

    C: aclmdlExecute"""

def execute_v2(model_id: int, input: int, output: int, stream: int, handle: int, /) -> int:
    """ret = acl.mdl.execute_v2(model_id, input, output, stream, handle)

    Running. The plain forms return when the outputs are there; the asynchronous ones when the run
    is queued.

    C: aclmdlExecuteV2"""

def execute_async(model_id: int, input: int, output: int, stream: int, /) -> int:
    """ret = acl.mdl.execute_async(model_id, input, output, stream)

    Running. The plain forms return when the outputs are there; the asynchronous ones when the run
    is queued.

    Note: a NULL output buffer returns 100000, because a queued run cannot return its address.

    C: aclmdlExecuteAsync"""

def execute_async_v2(model_id: int, input: int, output: int, stream: int, handle: int, /) -> int:
    """ret = acl.mdl.execute_async_v2(model_id, input, output, stream, handle)

    Running. The plain forms return when the outputs are there; the asynchronous ones when the run
    is queued.

    Note: a NULL output buffer returns 100000, because a queued run cannot return its address.

    C: aclmdlExecuteAsyncV2"""

def create_exec_config_handle() -> int:
    """value = acl.mdl.create_exec_config_handle()

    Running. The plain forms return when the outputs are there; the asynchronous ones when the run
    is queued.

    C: aclmdlCreateExecConfigHandle"""

def destroy_exec_config_handle(handle: int, /) -> int:
    """ret = acl.mdl.destroy_exec_config_handle(handle)

    Running. The plain forms return when the outputs are there; the asynchronous ones when the run
    is queued.

    C: aclmdlDestroyExecConfigHandle"""

def set_exec_config_opt(handle: int, attr: int, value: int, /) -> int:
    """Running. The plain forms return when the outputs are there; the asynchronous ones when the run
    is queued.

    Note: options that tune NPU hardware return 200001; the time limit applies to the wait before
    the run; work memory and priority are ignored.

    C: aclmdlSetExecConfigOpt"""

def get_dynamic_batch(model_desc: int, /) -> Tuple[Dict[str, Any], int]:
    """batch, ret = acl.mdl.get_dynamic_batch(model_desc)

    Dynamic batch, image size and dimensions: what a model allows, and the choice for the next runs
    with a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.
    Dimensions are those of all inputs, one behind the other.

    C: aclmdlGetDynamicBatch"""

def set_dynamic_batch_size(model_id: int, dataset: int, index: int, batch_size: int, /) -> int:
    """ret = acl.mdl.set_dynamic_batch_size(model_id, dataset, index, batch_size)

    Dynamic batch, image size and dimensions: what a model allows, and the choice for the next runs
    with a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.
    Dimensions are those of all inputs, one behind the other.

    C: aclmdlSetDynamicBatchSize"""

def get_dynamic_hw(model_desc: int, index: int, /) -> Tuple[Dict[str, Any], int]:
    """hw, ret = acl.mdl.get_dynamic_hw(model_desc, index)

    Dynamic batch, image size and dimensions: what a model allows, and the choice for the next runs
    with a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.
    Dimensions are those of all inputs, one behind the other.

    C: aclmdlGetDynamicHW"""

def set_dynamic_hw_size(model_id: int, dataset: int, index: int, height: int, width: int, /) -> int:
    """ret = acl.mdl.set_dynamic_hw_size(model_id, dataset, index, height, width)

    Dynamic batch, image size and dimensions: what a model allows, and the choice for the next runs
    with a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.
    Dimensions are those of all inputs, one behind the other.

    C: aclmdlSetDynamicHWSize"""

def get_input_dynamic_gear_count(model_desc: int, index: int, /) -> Tuple[int, int]:
    """gear_count, ret = acl.mdl.get_input_dynamic_gear_count(model_desc, index)

    Dynamic batch, image size and dimensions: what a model allows, and the choice for the next runs
    with a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.
    Dimensions are those of all inputs, one behind the other.

    C: aclmdlGetInputDynamicGearCount"""

def get_input_dynamic_dims(model_desc: int, index: int, gear_count: int, /) -> Tuple[List[Dict[str, Any]], int]:
    """Dynamic batch, image size and dimensions: what a model allows, and the choice for the next runs
    with a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.
    Dimensions are those of all inputs, one behind the other.

    C: aclmdlGetInputDynamicDims"""

def set_input_dynamic_dims(model_id: int, dataset: int, index: int, dims: Dict[str, Any], /) -> int:
    """ret = acl.mdl.set_input_dynamic_dims(model_id, dataset, index, dims)

    Dynamic batch, image size and dimensions: what a model allows, and the choice for the next runs
    with a dataset. Such a model has one more input, ACL_DYNAMIC_TENSOR_NAME, whose index is given.
    Dimensions are those of all inputs, one behind the other.

    C: aclmdlSetInputDynamicDims"""

def create_aipp(batch_size: int, /) -> int:
    """value = acl.mdl.create_aipp(batch_size)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlCreateAIPP"""

def destroy_aipp(aipp_parms_set: int, /) -> int:
    """ret = acl.mdl.destroy_aipp(aipp_parms_set)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlDestroyAIPP"""

def get_aipp_data_size(batch_size: int, /) -> Tuple[int, int]:
    """size, ret = acl.mdl.get_aipp_data_size(batch_size)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlGetAippDataSize"""

def set_aipp_input_format(aipp_parms_set: int, input_format: int, /) -> int:
    """ret = acl.mdl.set_aipp_input_format(aipp_parms_set, input_format)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlSetAIPPInputFormat"""

def set_aipp_rbuv_swap_switch(aipp_parms_set: int, rbuv_swap_switch: int, /) -> int:
    """ret = acl.mdl.set_aipp_rbuv_swap_switch(aipp_parms_set, rbuv_swap_switch)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlSetAIPPRbuvSwapSwitch"""

def set_aipp_ax_swap_switch(aipp_parms_set: int, ax_swap_switch: int, /) -> int:
    """ret = acl.mdl.set_aipp_ax_swap_switch(aipp_parms_set, ax_swap_switch)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlSetAIPPAxSwapSwitch"""

def set_aipp_src_image_size(aipp_parms_set: int, src_image_size_w: int, src_image_size_h: int, /) -> int:
    """ret = acl.mdl.set_aipp_src_image_size(aipp_parms_set, src_image_size_w, src_image_size_h)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlSetAIPPSrcImageSize"""

def set_aipp_scf_params(aipp_parms_set: int, scf_switch: int, scf_input_size_w: int, scf_input_size_h: int, scf_output_size_w: int, scf_output_size_h: int, batch_index: int, /) -> int:
    """ret = acl.mdl.set_aipp_scf_params(aipp_parms_set, scf_switch, scf_input_size_w,
    scf_input_size_h, scf_output_size_w, scf_output_size_h, batch_index)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlSetAIPPScfParams"""

def set_aipp_crop_params(aipp_parms_set: int, crop_switch: int, crop_start_pos_w: int, crop_start_pos_h: int, crop_size_w: int, crop_size_h: int, batch_index: int, /) -> int:
    """ret = acl.mdl.set_aipp_crop_params(aipp_parms_set, crop_switch, crop_start_pos_w,
    crop_start_pos_h, crop_size_w, crop_size_h, batch_index)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlSetAIPPCropParams"""

def set_aipp_padding_params(aipp_parms_set: int, padding_switch: int, padding_size_top: int, padding_size_bottom: int, padding_size_left: int, padding_size_right: int, batch_index: int, /) -> int:
    """ret = acl.mdl.set_aipp_padding_params(aipp_parms_set, padding_switch, padding_size_top,
    padding_size_bottom, padding_size_left, padding_size_right, batch_index)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlSetAIPPPaddingParams"""

def set_aipp_dtc_pixel_min(aipp_parms_set: int, dtc_pixel_min_chn0: float, dtc_pixel_min_chn1: float, dtc_pixel_min_chn2: float, dtc_pixel_min_chn3: float, batch_index: int, /) -> int:
    """ret = acl.mdl.set_aipp_dtc_pixel_min(aipp_parms_set, dtc_pixel_min_chn0, dtc_pixel_min_chn1,
    dtc_pixel_min_chn2, dtc_pixel_min_chn3, batch_index)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlSetAIPPDtcPixelMin"""

def set_aipp_pixel_var_reci(aipp_parms_set: int, dtc_pixel_var_reci_chn0: float, dtc_pixel_var_reci_chn1: float, dtc_pixel_var_reci_chn2: float, dtc_pixel_var_reci_chn3: float, batch_index: int, /) -> int:
    """ret = acl.mdl.set_aipp_pixel_var_reci(aipp_parms_set, dtc_pixel_var_reci_chn0,
    dtc_pixel_var_reci_chn1, dtc_pixel_var_reci_chn2, dtc_pixel_var_reci_chn3, batch_index)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlSetAIPPPixelVarReci"""

def set_input_aipp(model_id: int, dataset: int, index: int, aipp_parms_set: int, /) -> int:
    """ret = acl.mdl.set_input_aipp(model_id, dataset, index, aipp_parms_set)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlSetInputAIPP"""

def set_aipp_by_input_index(model_id: int, dataset: int, index: int, aipp_parms_set: int, /) -> int:
    """ret = acl.mdl.set_aipp_by_input_index(model_id, dataset, index, aipp_parms_set)

    Image preprocessing. The caller destroys the settings.

    Refused: preprocessing with parameters of each run (dynamic AIPP) is not supported; compile the
    model with static AIPP.

    C: aclmdlSetAIPPByInputIndex"""

def get_aipp_type(model_id: int, index: int, /) -> Tuple[int, int, int]:
    """type, dynamic_attached_data_index, ret = acl.mdl.get_aipp_type(model_id, index)

    Image preprocessing. The caller destroys the settings.

    Note: never dynamic: that is refused when the model is compiled.

    C: aclmdlGetAippType"""

def get_first_aipp_info(model_id: int, index: int, /) -> Tuple[Dict[str, Any], int]:
    """aipp_info, ret = acl.mdl.get_first_aipp_info(model_id, index)

    Image preprocessing. The caller destroys the settings.

    Note: the type and format of the source are those of the input before the preprocessing was
    added; dimensions of the image are batch, rows, columns, bytes.

    C: aclmdlGetFirstAippInfo"""

def bundle_load_from_file(model_path: _Text, /) -> Tuple[int, int]:
    """bundle_id, ret = acl.mdl.bundle_load_from_file(model_path)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleLoadFromFile"""

def bundle_load_from_mem(model: int, model_size: int, /) -> Tuple[int, int]:
    """bundle_id, ret = acl.mdl.bundle_load_from_mem(model, model_size)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleLoadFromMem"""

def bundle_unload(bundle_id: int, /) -> int:
    """ret = acl.mdl.bundle_unload(bundle_id)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleUnload"""

def bundle_get_model_num(bundle_id: int, /) -> Tuple[int, int]:
    """model_num, ret = acl.mdl.bundle_get_model_num(bundle_id)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleGetModelNum"""

def bundle_get_model_id(bundle_id: int, index: int, /) -> Tuple[int, int]:
    """model_id, ret = acl.mdl.bundle_get_model_id(bundle_id, index)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleGetModelId"""

def bundle_create_query_info() -> int:
    """value = acl.mdl.bundle_create_query_info()

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleCreateQueryInfo"""

def bundle_destroy_query_info(query_info: int, /) -> int:
    """ret = acl.mdl.bundle_destroy_query_info(query_info)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleDestroyQueryInfo"""

def bundle_query_info_from_file(file_name: _Text, query_info: int, /) -> int:
    """ret = acl.mdl.bundle_query_info_from_file(file_name, query_info)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleQueryInfoFromFile"""

def bundle_query_info_from_mem(model: int, model_size: int, query_info: int, /) -> int:
    """ret = acl.mdl.bundle_query_info_from_mem(model, model_size, query_info)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleQueryInfoFromMem"""

def bundle_get_query_model_num(query_info: int, /) -> Tuple[int, int]:
    """model_num, ret = acl.mdl.bundle_get_query_model_num(query_info)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleGetQueryModelNum"""

def bundle_get_var_weight_size(query_info: int, /) -> Tuple[int, int]:
    """variable_weight_size, ret = acl.mdl.bundle_get_var_weight_size(query_info)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleGetVarWeightSize"""

def bundle_get_size(query_info: int, index: int, /) -> Tuple[int, int, int]:
    """work_size, const_weight_size, ret = acl.mdl.bundle_get_size(query_info, index)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleGetSize"""

def bundle_init_from_file(model_path: _Text, var_weight_ptr: int, var_weight_size: int, /) -> Tuple[int, int]:
    """bundle_id, ret = acl.mdl.bundle_init_from_file(model_path, var_weight_ptr, var_weight_size)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleInitFromFile"""

def bundle_init_from_mem(model: int, model_size: int, var_weight_ptr: int, var_weight_size: int, /) -> Tuple[int, int]:
    """bundle_id, ret = acl.mdl.bundle_init_from_mem(model, model_size, var_weight_ptr,
    var_weight_size)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleInitFromMem"""

def bundle_load_model(bundle_id: int, index: int, /) -> Tuple[int, int]:
    """model_id, ret = acl.mdl.bundle_load_model(bundle_id, index)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleLoadModel"""

def bundle_load_model_with_mem(bundle_id: int, index: int, work_ptr: int, work_size: int, weight_ptr: int, weight_size: int, /) -> Tuple[int, int]:
    """model_id, ret = acl.mdl.bundle_load_model_with_mem(bundle_id, index, work_ptr, work_size,
    weight_ptr, weight_size)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleLoadModelWithMem"""

def bundle_load_model_with_config(bundle_id: int, index: int, handle: int, /) -> Tuple[int, int]:
    """model_id, ret = acl.mdl.bundle_load_model_with_config(bundle_id, index, handle)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleLoadModelWithConfig"""

def bundle_unload_model(bundle_id: int, model_id: int, /) -> int:
    """ret = acl.mdl.bundle_unload_model(bundle_id, model_id)

    Bundles: several models in one file that share weights.

    Refused: bundles of models are not supported; load each model from its own file.

    C: aclmdlBundleUnloadModel"""

def ri_capture_begin(stream: int, mode: int, /) -> int:
    """ret = acl.mdl.ri_capture_begin(stream, mode)

    Capturing. From begin to end, work that is queued on the stream does not run. A stream that
    waits for an event of the capture joins it, and has to come back the same way before the end.
    End names the stream of begin and, unless the mode is relaxed, is called by the same thread.

    Note: a default stream cannot be captured.

    C: aclmdlRICaptureBegin"""

def ri_capture_get_info(stream: int, /) -> Tuple[int, int, int]:
    """status, model_ri, ret = acl.mdl.ri_capture_get_info(stream)

    Capturing. From begin to end, work that is queued on the stream does not run. A stream that
    waits for an event of the capture joins it, and has to come back the same way before the end.
    End names the stream of begin and, unless the mode is relaxed, is called by the same thread.

    Note: the handle is that of aclmdlRICaptureEnd.

    C: aclmdlRICaptureGetInfo"""

def ri_capture_end(stream: int, /) -> Tuple[int, int]:
    """model_ri, ret = acl.mdl.ri_capture_end(stream)

    Capturing. From begin to end, work that is queued on the stream does not run. A stream that
    waits for an event of the capture joins it, and has to come back the same way before the end.
    End names the stream of begin and, unless the mode is relaxed, is called by the same thread.

    Note: collectives, operators, models, copies, events, notifications and host functions can be
    captured; a run whose output shapes are known only afterwards cannot; returns 107045 while a
    branch of a condition is still captured.

    C: aclmdlRICaptureEnd"""

def ri_capture_thread_exchange_mode(mode: int, /) -> Tuple[int, int]:
    """Sets the mode of the calling thread and returns the mode before.

    C: aclmdlRICaptureThreadExchangeMode"""

def ri_execute_async(model_ri: int, stream: int, /) -> int:
    """ret = acl.mdl.ri_execute_async(model_ri, stream)

    Launching. The second form waits, at most so many milliseconds; -1 for no limit.

    Note: launches of one graph on two streams run one after the other.

    C: aclmdlRIExecuteAsync"""

def ri_execute(model_ri: int, timeout: int, /) -> int:
    """ret = acl.mdl.ri_execute(model_ri, timeout)

    Launching. The second form waits, at most so many milliseconds; -1 for no limit.

    C: aclmdlRIExecute"""

def ri_destroy(model_ri: int, /) -> int:
    """ret = acl.mdl.ri_destroy(model_ri)

    Ends the use of a graph. Launches that are queued still run.

    Note: launches that are queued still run.

    C: aclmdlRIDestroy"""

def ri_get_id(model_ri: int, /) -> Tuple[int, int]:
    """model_riid, ret = acl.mdl.ri_get_id(model_ri)

    A number that no other graph has.

    C: aclmdlRIGetId"""

def ri_capture_task_grp_begin(stream: int, /) -> int:
    """ret = acl.mdl.ri_capture_task_grp_begin(stream)

    Task groups. Between begin and end, on a captured stream, operators by function and copies
    belong to a group. An update, on a stream that is not captured, queues the same operators again:
    they do not run, but their arguments replace those of the group when the stream comes to its
    end.

    Note: groups do not nest.

    C: aclmdlRICaptureTaskGrpBegin"""

def ri_capture_task_grp_end(stream: int, /) -> Tuple[int, int]:
    """handle, ret = acl.mdl.ri_capture_task_grp_end(stream)

    Task groups. Between begin and end, on a captured stream, operators by function and copies
    belong to a group. An update, on a stream that is not captured, queues the same operators again:
    they do not run, but their arguments replace those of the group when the stream comes to its
    end.

    Note: copies, fills and operators by function; 207000 for a group with anything else, also with
    operators by name that run in ONNX Runtime.

    C: aclmdlRICaptureTaskGrpEnd"""

def ri_capture_task_update_begin(stream: int, handle: int, /) -> int:
    """ret = acl.mdl.ri_capture_task_update_begin(stream, handle)

    Task groups. Between begin and end, on a captured stream, operators by function and copies
    belong to a group. An update, on a stream that is not captured, queues the same operators again:
    they do not run, but their arguments replace those of the group when the stream comes to its
    end.

    C: aclmdlRICaptureTaskUpdateBegin"""

def ri_capture_task_update_end(stream: int, /) -> int:
    """ret = acl.mdl.ri_capture_task_update_end(stream)

    Task groups. Between begin and end, on a captured stream, operators by function and copies
    belong to a group. An update, on a stream that is not captured, queues the same operators again:
    they do not run, but their arguments replace those of the group when the stream comes to its
    end.

    Note: takes effect in the order of its stream.

    C: aclmdlRICaptureTaskUpdateEnd"""

def ri_cond_handle_create(model_ri: int, default_launch_value: int, flag: int, /) -> Tuple[int, int]:
    """handle, ret = acl.mdl.ri_cond_handle_create(model_ri, default_launch_value, flag)

    Conditions. The value is 8 bytes of device memory that captured work writes. A branch is filled
    by capturing another stream to it.

    C: aclmdlRICondHandleCreate"""

def ri_cond_handle_get_cond_ptr(handle: int, /) -> Tuple[int, int]:
    """dev_ptr, ret = acl.mdl.ri_cond_handle_get_cond_ptr(handle)

    Conditions. The value is 8 bytes of device memory that captured work writes. A branch is filled
    by capturing another stream to it.

    C: aclmdlRICondHandleGetCondPtr"""

def ri_add_cond_task(handle: int, type: int, size: int, stream: int, flags: int, /) -> Tuple[List[int], int]:
    """Captures a task that runs one of several graphs, and returns these graphs, which are empty.

    C: aclmdlRIAddCondTask"""

def ri_capture_to_model_ri_begin(stream: int, model_ri: int, mode: int, /) -> int:
    """ret = acl.mdl.ri_capture_to_model_ri_begin(stream, model_ri, mode)

    Conditions. The value is 8 bytes of device memory that captured work writes. A branch is filled
    by capturing another stream to it.

    C: aclmdlRICaptureToModelRIBegin"""

def ri_debug_print(model_ri: int, /) -> int:
    """ret = acl.mdl.ri_debug_print(model_ri)

    The tasks of a graph, printed, or written to a file as JSON; the flags are not used.

    Note: prints a Chrome trace to the error output.

    C: aclmdlRIDebugPrint"""

def ri_debug_json_print(model_ri: int, path: _Text, flags: int, /) -> int:
    """ret = acl.mdl.ri_debug_json_print(model_ri, path, flags)

    The tasks of a graph, printed, or written to a file as JSON; the flags are not used.

    Note: a Chrome trace with a row for each captured stream.

    C: aclmdlRIDebugJsonPrint"""
