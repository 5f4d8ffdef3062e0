//! Operators and models through the C interface.
#![expect(
    unsafe_code,
    reason = "calls functions of a library that is loaded at run time"
)]

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_abi as abi;

use super::{Acl, DeviceMemory, Stream};

/// A tensor of 32-bit floating-point numbers in device memory.
#[derive(Debug)]
pub(crate) struct Tensor<'acl> {
    memory: DeviceMemory<'acl>,
    description: *mut abi::aclTensorDesc,
    buffer: *mut abi::aclDataBuffer,
}

impl Acl {
    pub(crate) fn tensor(&self, dims: &[i64]) -> Result<Tensor<'_>, String> {
        let elements: i64 = dims.iter().product();
        let bytes = usize::try_from(elements).unwrap_or(0) * 4;
        let memory = self.device_memory(bytes)?;
        let (rank, format) = (c_int::try_from(dims.len()).unwrap_or(0), abi::ACL_FORMAT_ND);
        // SAFETY: `dims` has as many values as are said.
        let description =
            unsafe { (self.create_tensor_desc)(abi::ACL_FLOAT, rank, dims.as_ptr(), format) };
        // SAFETY: any address may be passed.
        let buffer = unsafe { (self.create_data_buffer)(memory.start, bytes) };
        Ok(Tensor {
            memory,
            description,
            buffer,
        })
    }

    /// Loads a model from the bytes of an ONNX file.
    pub(crate) fn model(&self, bytes: &[u8]) -> Result<Model<'_>, String> {
        let mut id = 0;
        // SAFETY: the bytes are as many as are said; `id` is writable.
        let code =
            unsafe { (self.mdl_load_from_mem)(bytes.as_ptr().cast(), bytes.len(), &raw mut id) };
        self.check("aclmdlLoadFromMem", code)?;
        Ok(Model { acl: self, id })
    }
}

impl Tensor<'_> {
    /// Writes numbers into it, now.
    pub(crate) fn write(&self, numbers: &[f32]) -> Result<(), String> {
        let acl = self.memory.acl;
        let mut host = acl.host_memory(self.memory.bytes)?;
        for (to, number) in host.bytes().chunks_exact_mut(4).zip(numbers) {
            to.copy_from_slice(&number.to_le_bytes());
        }
        acl.check("aclrtMemcpy", acl.to_device(&self.memory, &host))
    }

    /// Its numbers, now.
    pub(crate) fn read(&self) -> Result<Vec<f32>, String> {
        let acl = self.memory.acl;
        let mut host = acl.host_memory(self.memory.bytes)?;
        acl.check("aclrtMemcpy", acl.to_host(&host, &self.memory))?;
        let numbers = host.bytes().chunks_exact(4);
        Ok(numbers
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect())
    }
}

impl Drop for Tensor<'_> {
    fn drop(&mut self) {
        // SAFETY: any handle may be passed.
        unsafe { (self.memory.acl.destroy_data_buffer)(self.buffer) };
        // SAFETY: as above.
        unsafe { (self.memory.acl.destroy_tensor_desc)(self.description) };
    }
}

/// An operator with its arguments, ready to be called again and again.
#[derive(Debug)]
pub(crate) struct Operator<'a> {
    acl: &'a Acl,
    kind: &'static CStr,
    input_descriptions: Vec<*const abi::aclTensorDesc>,
    inputs: Vec<*const abi::aclDataBuffer>,
    output_description: *const abi::aclTensorDesc,
    output: *mut abi::aclDataBuffer,
}

impl<'a> Operator<'a> {
    pub(crate) fn new(
        kind: &'static CStr,
        inputs: &[&'a Tensor<'_>],
        output: &'a Tensor<'_>,
    ) -> Self {
        Self {
            acl: output.memory.acl,
            kind,
            input_descriptions: inputs
                .iter()
                .map(|input| input.description.cast_const())
                .collect(),
            inputs: inputs
                .iter()
                .map(|input| input.buffer.cast_const())
                .collect(),
            output_description: output.description,
            output: output.buffer,
        }
    }

    /// `aclopCompileAndExecute` without attributes.
    #[inline]
    pub(crate) fn run(&self, stream: &Stream<'_>) -> c_int {
        let mut output = self.output;
        // SAFETY: the arrays have as many elements as are said, and every handle may be passed.
        unsafe {
            (self.acl.op_compile_and_execute)(
                self.kind.as_ptr(),
                c_int::try_from(self.inputs.len()).unwrap_or(0),
                self.input_descriptions.as_ptr(),
                self.inputs.as_ptr(),
                1,
                &raw const self.output_description,
                &raw mut output,
                null(),
                abi::ACL_ENGINE_SYS,
                abi::ACL_COMPILE_SYS,
                null(),
                stream.handle(),
            )
        }
    }
}

/// A loaded model.
#[derive(Debug)]
pub(crate) struct Model<'acl> {
    acl: &'acl Acl,
    id: u32,
}

impl Drop for Model<'_> {
    fn drop(&mut self) {
        // SAFETY: any number may be passed.
        unsafe { (self.acl.mdl_unload)(self.id) };
    }
}

/// A model with one input and one output, ready to be run again and again.
#[derive(Debug)]
pub(crate) struct Bound<'a> {
    model: &'a Model<'a>,
    inputs: *mut abi::aclmdlDataset,
    outputs: *mut abi::aclmdlDataset,
}

impl<'a> Model<'a> {
    /// The input's dimensions are given with every run, as a model of open dimensions needs it.
    pub(crate) fn bind(
        &'a self,
        input: &'a Tensor<'_>,
        output: &'a Tensor<'_>,
    ) -> Result<Bound<'a>, String> {
        let set_of = |tensor: &Tensor<'_>| {
            // SAFETY: it takes nothing.
            let set = unsafe { (self.acl.mdl_create_dataset)() };
            // SAFETY: any handles may be passed.
            let code = unsafe { (self.acl.mdl_add_dataset_buffer)(set, tensor.buffer) };
            self.acl.check("aclmdlAddDatasetBuffer", code)?;
            Ok::<_, String>(set)
        };
        let (inputs, outputs) = (set_of(input)?, set_of(output)?);
        // SAFETY: any handles may be passed.
        let code = unsafe { (self.acl.mdl_set_dataset_tensor_desc)(inputs, input.description, 0) };
        self.acl.check("aclmdlSetDatasetTensorDesc", code)?;
        Ok(Bound {
            model: self,
            inputs,
            outputs,
        })
    }
}

impl Bound<'_> {
    /// `aclmdlExecuteAsync`.
    #[inline]
    pub(crate) fn run(&self, stream: &Stream<'_>) -> c_int {
        let (acl, id) = (self.model.acl, self.model.id);
        // SAFETY: any handles may be passed.
        unsafe { (acl.mdl_execute_async)(id, self.inputs, self.outputs, stream.handle()) }
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        for set in [self.inputs, self.outputs] {
            // SAFETY: any handle may be passed.
            unsafe { (self.model.acl.mdl_destroy_dataset)(set) };
        }
    }
}

/// How often the allocator of [`register_counting`] was asked.
static ASKED: AtomicU64 = AtomicU64::new(0);

pub(crate) fn asked() -> u64 {
    ASKED.load(Relaxed)
}

unsafe extern "C-unwind" fn alloc(_object: *mut c_void, bytes: usize) -> *mut c_void {
    ASKED.fetch_add(1, Relaxed);
    // SAFETY: any number may be asked for.
    unsafe { libc::malloc(bytes) }
}

unsafe extern "C-unwind" fn free(_object: *mut c_void, block: *mut c_void) {
    // A queued run may still use it: a few bytes for each run of a short measurement are let go.
    let _ = block;
}

unsafe extern "C-unwind" fn address(block: *mut c_void) -> *mut c_void {
    block
}

/// Registers an allocator on a stream that counts how often it is asked.
pub(crate) fn register_counting(acl: &Acl, stream: &Stream<'_>) -> Result<(), String> {
    // SAFETY: it takes nothing.
    let description = unsafe { (acl.allocator_create_desc)() };
    let object = null_mut::<c_void>().wrapping_byte_add(1);
    let codes = [
        // SAFETY: any handles and addresses may be passed; the object is never looked at.
        unsafe { (acl.allocator_set_obj)(description, object) },
        // SAFETY: as above; functions are there for good.
        unsafe { (acl.allocator_set_alloc)(description, Some(alloc)) },
        // SAFETY: as above.
        unsafe { (acl.allocator_set_free)(description, Some(free)) },
        // SAFETY: as above.
        unsafe { (acl.allocator_set_address)(description, Some(address)) },
        // SAFETY: as above.
        unsafe { (acl.allocator_register)(stream.handle(), description) },
        // SAFETY: as above.
        unsafe { (acl.allocator_destroy_desc)(description) },
    ];
    let failed = codes.into_iter().find(|code| *code != 0);
    acl.check("registering an allocator", failed.unwrap_or(0))
}
