//! Inputs and outputs of a model run: datasets on one side, arguments of the runtime on the
//! other.
//!
//! Everything is read from the datasets before the run and written to them after it, so that no lock is
//! held while the program's allocator is called.

use millpond::{Argument, Data, Destination, Element, Output, Shapes};
use millpond_abi as abi;
use parking_lot::Mutex;

use super::dataset::Dataset;
use super::description::{Port, bytes_of};
use super::models::Loaded;
use crate::acl::data_buffer::{self, DataBuffer, Extent};
use crate::acl::tensor_desc::{self, TensorDesc};
use crate::boundary::CallError;
use crate::registry::HandleGuard;

/// A run whose inputs and outputs were looked up and checked.
#[derive(Debug)]
pub(crate) struct Prepared<'m> {
    loaded: &'m Loaded,
    inputs: Vec<Input>,
    outputs: Vec<Target>,
}

#[derive(Debug)]
struct Input {
    extent: Extent,
    dims: Vec<i64>,
}

#[derive(Debug)]
struct Target {
    buffer: HandleGuard<'static, DataBuffer>,
    extent: Extent,
}

impl Target {
    /// Whether the program leaves it to the run to find memory.
    fn is_open(&self) -> bool {
        self.extent.address == 0 && self.extent.bytes == 0
    }
}

fn wrong(text: String) -> CallError {
    CallError::coded(abi::ACL_ERROR_INVALID_PARAM, text)
}

/// Looks up and checks what a run is given.
pub(crate) fn prepare<'m>(
    id: u32,
    loaded: &'m Loaded,
    input: &Mutex<Dataset>,
    output: &Mutex<Dataset>,
) -> Result<Prepared<'m>, CallError> {
    let description = &loaded.description;
    let inputs = {
        let dataset = input.lock();
        enough(dataset.entries.len(), description.inputs.len(), "input")?;
        let chosen = chosen(id, loaded, &dataset)?;
        let ports = description.graph_inputs().iter().enumerate();
        let inputs = ports.zip(&dataset.entries).map(|((index, port), place)| {
            let extent = data_buffer::find(place.buffer(), "input")?.extent();
            let desc = place.desc();
            let described = (!desc.is_null()).then(|| tensor_desc::find(desc, "input"));
            let described = described.transpose()?.map(|desc| {
                let desc = desc.lock();
                (desc.data_type, desc.dims.clone())
            });
            let geared = chosen.as_ref().and_then(|shapes| shapes.get(index));
            let described = geared
                .map(|dims| (port.element.acl(), dims.clone()))
                .or(described);
            one_input(index, port, extent, described)
        });
        inputs.collect::<Result<Vec<_>, CallError>>()?
    };
    let outputs = {
        let dataset = output.lock();
        enough(dataset.entries.len(), description.outputs.len(), "output")?;
        let ports = description.outputs.iter().zip(&dataset.entries);
        let outputs = ports.map(|(_, place)| {
            let buffer = data_buffer::find(place.buffer(), "output")?;
            let extent = buffer.extent();
            Ok(Target { buffer, extent })
        });
        outputs.collect::<Result<Vec<_>, CallError>>()?
    };
    Ok(Prepared {
        loaded,
        inputs,
        outputs,
    })
}

/// The shapes of the inputs in the gear that was chosen for this run; `None` for a model without gears.
fn chosen(id: u32, loaded: &Loaded, dataset: &Dataset) -> Result<Option<Vec<Vec<i64>>>, CallError> {
    let Some(gears) = &loaded.description.gears else {
        return Ok(None);
    };
    match dataset.gear {
        Some((model, gear)) if model == id => Ok(Some(gears.shapes(gear))),
        _ => Err(wrong(
            "the model has gears, but none was chosen for this dataset: call aclmdlSetDynamicBatchSize, \
             aclmdlSetDynamicHWSize or aclmdlSetInputDynamicDims before each run"
                .to_owned(),
        )),
    }
}

fn enough(given: usize, wanted: usize, which: &'static str) -> Result<(), CallError> {
    if given >= wanted {
        return Ok(());
    }
    Err(wrong(format!(
        "the dataset in '{which}' has {given} buffers, but the model has {wanted} {which}s"
    )))
}

/// One input: its shape from the description beside the buffer, or from the model.
fn one_input(
    index: usize,
    port: &Port,
    extent: Extent,
    described: Option<(abi::aclDataType, Vec<i64>)>,
) -> Result<Input, CallError> {
    let name = port.name().to_string_lossy();
    let dims = match described {
        Some((data_type, _)) if data_type != port.element.acl() => {
            return Err(wrong(format!(
                "input {index} ('{name}') is described with elements of type {data_type} ({}), but the \
                 model takes type {} ({})",
                Element::stored_from_acl(data_type).map_or("unknown", Element::name),
                port.element.acl(),
                port.element.name()
            )));
        }
        Some((_, dims)) => dims,
        None if port.is_open() => {
            return Err(wrong(format!(
                "input {index} ('{name}') takes {}: set the shape of this run with aclmdlSetDatasetTensorDesc",
                port.shape_text()
            )));
        }
        None => port.dims.clone(),
    };
    if !port.takes(&dims) {
        return Err(wrong(format!(
            "input {index} ('{name}') has the shape {dims:?}, but the model takes {}",
            port.shape_text()
        )));
    }
    let Some(bytes) = bytes_of(&dims, port.element) else {
        return Err(wrong(format!(
            "input {index} ('{name}') has the shape {dims:?}, which is too large"
        )));
    };
    if bytes > 0 && extent.address == 0 {
        return Err(wrong(format!(
            "the buffer of input {index} ('{name}') is NULL"
        )));
    }
    if extent.bytes < bytes {
        return Err(wrong(format!(
            "the buffer of input {index} ('{name}') has {} bytes, but the shape {dims:?} of {} has {bytes}",
            extent.bytes,
            port.element.name()
        )));
    }
    Ok(Input { extent, dims })
}

impl Prepared<'_> {
    /// Refuses outputs without memory where a run cannot provide it: asynchronous runs cannot return where their
    /// outputs are, and a size that is known is the program's to allocate.
    pub(crate) fn need_outputs(&self, queued: bool) -> Result<(), CallError> {
        let ports = self.loaded.description.outputs.iter().enumerate();
        for ((index, port), target) in ports.zip(&self.outputs) {
            let name = port.name().to_string_lossy();
            if target.extent.address != 0 || !port.is_open() && port.bytes == 0 {
                continue;
            }
            if !target.is_open() {
                return Err(wrong(format!(
                    "the buffer of output {index} ('{name}') is NULL with {} bytes",
                    target.extent.bytes
                )));
            }
            if queued {
                return Err(wrong(format!(
                    "the buffer of output {index} ('{name}') is NULL, but a queued run cannot return the address of an output: allocate \
                     it, or use aclmdlExecute"
                )));
            }
            if !port.is_open() {
                return Err(wrong(format!(
                    "the buffer of output {index} ('{name}') is NULL, but its size is known: allocate {} bytes",
                    port.bytes
                )));
            }
        }
        Ok(())
    }

    /// The inputs, as the runtime takes them.
    pub(crate) fn arguments(&self) -> Vec<Argument<'_>> {
        let ports = self
            .inputs
            .iter()
            .zip(self.loaded.description.graph_inputs());
        let arguments = ports.map(|(input, port)| Argument {
            data: if input.extent.address == 0 {
                Data::Host(&[])
            } else {
                Data::At {
                    address: input.extent.address,
                    bytes: input.extent.bytes as u64,
                }
            },
            element: port.element,
            dims: &input.dims,
        });
        arguments.collect()
    }

    /// The outputs, as the runtime takes them.
    pub(crate) fn places(&self) -> Vec<Output<'_>> {
        let ports = &self.loaded.description.outputs;
        // Nothing is to be found for an output that is known to have no elements.
        let outputs = self.outputs.iter().zip(ports).map(|(target, port)| Output {
            destination: if target.is_open() && port.is_open() {
                Destination::New
            } else {
                Destination::At {
                    address: target.extent.address,
                    room: target.extent.bytes as u64,
                }
            },
            dims: None,
            likely: None,
            whole: false,
        });
        outputs.collect()
    }

    /// The outputs as a queued run leaves them: type, dimensions, address.
    pub(crate) fn results<'s>(
        &'s self,
        shapes: &'s Shapes,
    ) -> impl Iterator<Item = (Element, &'s [i64], u64)> {
        let ports = self.loaded.description.outputs.iter().zip(&self.outputs);
        let outputs = ports.zip(shapes.iter());
        outputs.map(|((port, target), dims)| (port.element, &**dims, target.extent.address))
    }

    /// Puts memory that the run found into the buffers, and the shapes that it gave beside them.
    pub(crate) fn finish(
        &self,
        shapes: &Shapes,
        found: &[Option<u64>],
        output: &Mutex<Dataset>,
    ) -> Result<(), CallError> {
        let ports = &self.loaded.description.outputs;
        for ((target, address), (port, dims)) in self
            .outputs
            .iter()
            .zip(found)
            .zip(ports.iter().zip(shapes.iter()))
        {
            if let Some(address) = address {
                let bytes = bytes_of(dims, port.element).unwrap_or(0);
                target.buffer.set(crate::handles::pointer(*address), bytes);
            }
        }
        let mut dataset = output.lock();
        let described = ports.iter().zip(shapes.iter());
        for ((port, dims), place) in described.zip(&mut dataset.entries) {
            place.tell(TensorDesc {
                data_type: port.element.acl(),
                format: port.format,
                dims: dims.to_vec(),
                name: port.name.clone(),
                ..TensorDesc::default()
            })?;
        }
        Ok(())
    }
}
