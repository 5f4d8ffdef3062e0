//! Functions of models and operators with results or lists that are not plain.
#![expect(unsafe_code, reason = "calls C functions")]

use millpond_abi as abi;

use crate::arguments::Args;
use crate::bindings::c;
use crate::object::{self, Answer, ToObject, tuple};
use crate::structs::{Struct, zeroed};

/// Lists that C fills are at most this long; no tensor and no model has more.
const MOST: usize = 4096;

pub(crate) fn acl_get_tensor_desc_dim_range(args: Args<'_>) -> Answer {
    let desc = args.pointer::<abi::aclTensorDesc>(0)?.cast_const();
    let index = args.usize(1)?;
    let count = args.usize(2)?;
    if count > MOST {
        return Err(args.out_of_range(2, "the length of a list, at most 4096"));
    }
    let mut range = vec![0_i64; count.max(2)];
    // SAFETY: the list has the length that is passed.
    let ret = unsafe { c::aclGetTensorDescDimRange(desc, index, count, range.as_mut_ptr()) };
    range.truncate(count);
    tuple([range.object()?, ret.object()?])
}

pub(crate) fn mdl_get_input_dynamic_dims(args: Args<'_>) -> Answer {
    let desc = args.pointer::<abi::aclmdlDesc>(0)?.cast_const();
    let index = args.usize(1)?;
    let count = args.usize(2)?;
    if count > MOST {
        return Err(args.out_of_range(2, "the length of a list, at most 4096"));
    }
    let mut gears: Vec<abi::aclmdlIODims> = vec![zeroed(); count];
    // SAFETY: as above.
    let ret = unsafe { c::aclmdlGetInputDynamicDims(desc, index, gears.as_mut_ptr(), count) };
    let gears = object::list(gears.iter().map(Struct::dict))?;
    tuple([gears, ret.object()?])
}

pub(crate) fn mdl_add_dataset_buffer(args: Args<'_>) -> Answer {
    let dataset = args.pointer(0)?;
    let buffer = args.pointer(1)?;
    // SAFETY: handles are looked up.
    let ret = unsafe { c::aclmdlAddDatasetBuffer(dataset, buffer) };
    tuple([dataset.object()?, ret.object()?])
}

pub(crate) fn mdl_set_dataset_tensor_desc(args: Args<'_>) -> Answer {
    let dataset = args.pointer(0)?;
    let desc = args.pointer(1)?;
    let index = args.usize(2)?;
    // SAFETY: handles are looked up.
    let ret = unsafe { c::aclmdlSetDatasetTensorDesc(dataset, desc, index) };
    tuple([dataset.object()?, ret.object()?])
}

pub(crate) fn op_set_attr_list_list_int(args: Args<'_>) -> Answer {
    let attr = args.pointer(0)?;
    let name = args.text(1)?;
    let lists: Vec<Vec<i64>> = args.list(2)?;
    let count = args.count(2, lists.len())?;
    let mut lengths = Vec::with_capacity(lists.len());
    for list in &lists {
        lengths.push(args.count(2, list.len())?);
    }
    let places: Vec<*const i64> = lists.iter().map(Vec::as_ptr).collect();
    let name = name.as_ptr();
    // SAFETY: as many lists as are counted, each as long as its length says.
    let ret =
        unsafe { c::aclopSetAttrListListInt(attr, name, count, lengths.as_ptr(), places.as_ptr()) };
    ret.object()
}

pub(crate) fn mdl_ri_capture_thread_exchange_mode(args: Args<'_>) -> Answer {
    let mut mode = args.i32(0)?;
    // SAFETY: the mode is read and written.
    let ret = unsafe { c::aclmdlRICaptureThreadExchangeMode(&raw mut mode) };
    tuple([mode.object()?, ret.object()?])
}

pub(crate) fn mdl_ri_add_cond_task(args: Args<'_>) -> Answer {
    let size = args.u32(2)?;
    if size as usize > MOST {
        return Err(args.out_of_range(2, "a number of branches, at most 4096"));
    }
    let mut graphs: Vec<abi::aclmdlRI> = vec![std::ptr::null_mut(); (size as usize).max(1)];
    let params = abi::aclmdlRICondTaskParams {
        handle: args.pointer(0)?,
        r#type: args.i32(1)?,
        size,
        modelRIArray: graphs.as_mut_ptr(),
    };
    // SAFETY: the array has a place for each branch.
    let ret = unsafe { c::aclmdlRIAddCondTask(params, args.pointer(3)?, args.u32(4)?) };
    graphs.truncate(size as usize);
    let graphs: Vec<u64> = graphs.iter().map(|graph| graph.addr() as u64).collect();
    tuple([graphs.object()?, ret.object()?])
}
