//! Nodes and constants of the graph. Rows use the methods of `Val`, which know about element types.

use super::Context;
use crate::Element;
use crate::flow::Val;
use millpond_model::onnx::{self, Attribute, Graph};

impl Context<'_> {
    /// A node whose inputs are all values of this context; says nothing about element types.
    pub(crate) fn raw(
        &self,
        op: &str,
        inputs: &[Option<Val<'_>>],
        attributes: &[(&str, Attribute)],
        elements: &[Element],
    ) -> Vec<Val<'_>> {
        let mut state = self.state.borrow_mut();
        let absent = onnx::Value::absent();
        let inputs: Vec<onnx::Value> = inputs
            .iter()
            .map(|input| input.map_or(absent.clone(), |it| state.values[it.id()].clone()))
            .collect();
        let inputs: Vec<&onnx::Value> = inputs.iter().collect();
        let top = state.graphs.len() - 1;
        let made = state.graphs[top].node_with(op, &inputs, attributes, elements.len());
        let first = state.values.len();
        state.values.extend(made);
        let made = elements.iter().zip(first..);
        made.map(|(element, id)| Val::new(self, id, *element))
            .collect()
    }

    /// A constant of the graph, from its bytes.
    pub(crate) fn tensor_constant(&self, element: Element, dims: &[i64], data: &[u8]) -> Val<'_> {
        let mut state = self.state.borrow_mut();
        let top = state.graphs.len() - 1;
        let value = state.graphs[top].constant(element, dims, data);
        state.values.push(value);
        Val::new(self, state.values.len() - 1, element)
    }

    /// Writes the body of a loop: `write` gets one value per element type and returns the body's outputs.
    pub(crate) fn body<'c>(
        &'c self,
        inputs: &[Element],
        write: impl FnOnce(&[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Graph {
        let mut state = self.state.borrow_mut();
        let top = state.graphs.len() - 1;
        let mut graph = state.graphs[top].inner("body");
        let mut values = Vec::new();
        for element in inputs {
            let value = graph.inner_input(*element);
            state.values.push(value);
            values.push(Val::new(self, state.values.len() - 1, *element));
        }
        state.graphs.push(graph);
        drop(state);
        let results = write(&values);
        let mut state = self.state.borrow_mut();
        let mut graph = state.graphs.pop().unwrap_or_default();
        for result in results {
            graph.inner_output(&state.values[result.id()], result.element());
        }
        graph
    }
}
