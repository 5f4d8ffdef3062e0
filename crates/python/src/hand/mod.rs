//! Functions that are written by hand: those that take functions of Python or are made of more than one step.
//!
//! Names are those of the table with the module in front: `rt.allocator_register` is [`rt_allocator_register`].

mod allocator;
mod callback;
mod check;
mod media;
mod memory;
mod model;
mod options;
mod own;
mod table;

pub(crate) use allocator::{
    rt_allocator_create_desc, rt_allocator_destroy_desc, rt_allocator_get_by_stream,
    rt_allocator_register, rt_allocator_set_alloc_advise_func_to_desc,
    rt_allocator_set_alloc_func_to_desc, rt_allocator_set_free_func_to_desc,
    rt_allocator_set_get_addr_from_block_func_to_desc, rt_allocator_set_obj_to_desc,
    rt_allocator_unregister,
};
pub(crate) use callback::{
    acl_finalize_callback_register, acl_finalize_callback_unregister, acl_init_callback_register,
    acl_init_callback_unregister, rt_destroy_stream, rt_destroy_stream_force,
    rt_exception_info_callback_register, rt_exception_info_callback_unregister, rt_launch_callback,
    rt_launch_host_func, rt_reg_device_state_callback, rt_reg_stream_state_callback,
    rt_set_device_task_abort_callback, rt_set_exception_info_callback, rt_stream_abort,
};
pub(crate) use check::{millpond_check_begin, millpond_check_get};
pub(crate) use media::{
    media_dvpp_get_channel_desc_param, media_dvpp_set_channel_desc_param,
    media_vdec_set_channel_desc_callback, media_venc_set_channel_desc_callback,
};
pub(crate) use memory::{
    rt_get_mem_uce_info, rt_get_mem_usage_info, rt_get_stream_attribute, rt_ipc_get_event_handle,
    rt_ipc_open_event_handle, rt_malloc_for_task_scheduler, rt_malloc_host_with_cfg,
    rt_malloc_with_cfg, rt_mem_export_to_shareable_handle_v2,
    rt_mem_import_from_shareable_handle_v2, rt_mem_pool_get_attr, rt_mem_pool_set_attr,
    rt_mem_set_pid_to_shareable_handle_v2, rt_set_stream_attribute,
};
pub(crate) use model::{
    acl_get_tensor_desc_dim_range, mdl_add_dataset_buffer, mdl_get_input_dynamic_dims,
    mdl_ri_add_cond_task, mdl_ri_capture_thread_exchange_mode, mdl_set_dataset_tensor_desc,
    op_set_attr_list_list_int,
};
pub(crate) use options::{
    acl_get_cann_attribute_list, acl_get_compileopt, mdl_set_config_opt, mdl_set_exec_config_opt,
    rt_device_get_uuid, rt_set_stream_config_opt,
};
pub(crate) use own::{
    acl_app_log, acl_get_recent_err_msg, millpond_bytes_address, millpond_bytes_at, millpond_close,
    millpond_empty, millpond_forked, millpond_nothing, millpond_set_frame_provider,
};
