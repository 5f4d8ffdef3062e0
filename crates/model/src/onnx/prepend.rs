//! Puts nodes in front of an input of a model.

use super::build::{Graph, Value};
use super::retype::Renamed;
use super::wire::{Reader, Writer};
use crate::Error;

/// The model with the nodes of `before` in front of the input `name`. `before` has one input, of the same name, which
/// becomes the model's; `result` is what the model's nodes get instead of it.
pub fn prepend(bytes: &[u8], name: &str, before: &Graph, result: &Value) -> Result<Vec<u8>, Error> {
    let inside = result.name().to_owned();
    let renamed = Renamed::new(name, &inside);
    let mut writer = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        if entry.number != 7 {
            writer.copy(&entry);
            continue;
        }
        let mut graph = Writer::default();
        for node in before.nodes() {
            graph.message(1, node);
        }
        for entry in Reader::new(entry.run()?) {
            let entry = entry?;
            match entry.number {
                1 => graph.message(1, &renamed.node(entry.run()?)?),
                11 if info_name(entry.run()?)? == name => {
                    for input in before.inputs() {
                        graph.message(11, input);
                    }
                    &mut graph
                }
                12 if info_name(entry.run()?)? == name => {
                    return Err(Error::argument(format!(
                        "input '{}' is also an output of the model, so nothing can be put in front of it",
                        name.escape_debug()
                    )));
                }
                // The stored type of the input no longer applies.
                13 if info_name(entry.run()?)? == name => &mut graph,
                _ => graph.copy(&entry),
            };
        }
        for constant in before.constants() {
            graph.message(5, constant);
        }
        writer.message(7, &graph);
    }
    Ok(writer.finish())
}

fn info_name(info: &[u8]) -> Result<&str, Error> {
    for entry in Reader::new(info) {
        let entry = entry?;
        if entry.number == 1 {
            return entry.text();
        }
    }
    Ok("")
}
