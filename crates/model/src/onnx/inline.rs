//! Inlines external weights into the bytes of a model.

use super::external::External;
use super::message::{Bounds, Tensor};
use super::read::{constant, read};
use super::wire::{Reader, Writer};
use crate::Error;

/// The maximum size of an ONNX file.
const LARGEST: u64 = (1 << 31) - 1;

/// The message types that can contain tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Message {
    Model,
    Graph,
    Function,
    Node,
    Attribute,
    Sparse,
    Tensor,
}

impl Message {
    /// The message type of a field, if it can contain tensors.
    fn field(self, number: u32) -> Option<Self> {
        match (self, number) {
            (Self::Model, 7) | (Self::Attribute, 6 | 11) => Some(Self::Graph),
            (Self::Model, 25) => Some(Self::Function),
            (Self::Graph, 1) | (Self::Function, 7) => Some(Self::Node),
            (Self::Node, 5) => Some(Self::Attribute),
            (Self::Graph, 15) | (Self::Attribute, 22 | 23) => Some(Self::Sparse),
            (Self::Graph, 5) | (Self::Attribute, 5 | 10) | (Self::Sparse, 1 | 2) => {
                Some(Self::Tensor)
            }
            _ => None,
        }
    }
}

/// Inlines all external weights into the model. `fetch` returns their bytes.
pub fn inline_externals(
    bytes: &[u8],
    mut fetch: impl FnMut(&External) -> Result<Vec<u8>, Error>,
) -> Result<Vec<u8>, Error> {
    // Reading first bounds the recursion below and gives the size of the result.
    let model = read(bytes)?;
    let outside = model.externals.iter();
    let total = outside.fold(bytes.len() as u64, |sum, one| sum.saturating_add(one.bytes));
    if total > LARGEST {
        return Err(Error::unsupported(format!(
            "the model with its weights has {total} bytes, but an ONNX file can hold at most {LARGEST}: models \
             of this size are not supported"
        )));
    }
    Ok(rewrite(bytes, Message::Model, &mut fetch)?.finish())
}

fn rewrite(
    bytes: &[u8],
    message: Message,
    fetch: &mut dyn FnMut(&External) -> Result<Vec<u8>, Error>,
) -> Result<Writer, Error> {
    let mut writer = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        match message.field(entry.number) {
            None => writer.copy(&entry),
            Some(Message::Tensor) => match tensor(entry.run()?, fetch)? {
                None => writer.copy(&entry),
                Some(tensor) => writer.message(entry.number, &tensor),
            },
            Some(inner) => writer.message(entry.number, &rewrite(entry.run()?, inner, fetch)?),
        };
    }
    Ok(writer)
}

/// The tensor with its bytes inlined; `None` if it is not external.
fn tensor(
    bytes: &[u8],
    fetch: &mut dyn FnMut(&External) -> Result<Vec<u8>, Error>,
) -> Result<Option<Writer>, Error> {
    let tensor = Tensor::read(bytes, &mut Bounds::new())?;
    if !tensor.is_beside {
        return Ok(None);
    }
    let external = External::read(&tensor, constant(&tensor)?.bytes)?;
    let data = fetch(&external)?;
    if data.len() as u64 != external.bytes {
        return Err(Error::damaged(format!(
            "the weights '{}' should have {} bytes, but have {}",
            external.name.escape_debug(),
            external.bytes,
            data.len()
        )));
    }
    let mut writer = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        // raw_data, external_data, data_location.
        if !matches!(entry.number, 9 | 13 | 14) {
            writer.copy(&entry);
        }
    }
    writer.run(9, &data);
    Ok(Some(writer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Element;
    use crate::onnx::{Dim, Graph};

    /// A model with one external weight in its graph and one inside a node.
    fn outside() -> Vec<u8> {
        let mut graph = Graph::new("g");
        let x = graph.input("x", Element::F32, &[Dim::Is(2)]);
        graph.output("y", &x, Element::F32, None);
        let bytes = graph.finish();
        let place = |offset: &str| {
            let mut tensor = Writer::default();
            tensor.int(1, 2).int(2, 1).text(8, "w").int(14, 1);
            for (key, value) in [("location", "w.bin"), ("offset", offset)] {
                let mut pair = Writer::default();
                pair.text(1, key).text(2, value);
                tensor.message(13, &pair);
            }
            tensor
        };
        let (mut attribute, mut node) = <(Writer, Writer)>::default();
        attribute.text(1, "value").message(5, &place("8"));
        node.text(2, "c").text(4, "Constant").message(5, &attribute);
        let mut model = Writer::default();
        for entry in Reader::new(&bytes).map(Result::unwrap) {
            if entry.number == 7 {
                let mut graph = Writer::default();
                graph.message(1, &node).message(5, &place("0"));
                for entry in Reader::new(entry.run().unwrap()).map(Result::unwrap) {
                    graph.copy(&entry);
                }
                model.message(7, &graph);
            } else {
                model.copy(&entry);
            }
        }
        model.finish()
    }

    #[test]
    fn weights_move_into_the_model_wherever_they_are_used() {
        let file: Vec<u8> = (0..16).collect();
        let bytes = outside();
        let before = read(&bytes).unwrap();
        assert_eq!(before.externals.len(), 2);
        let inside = inline_externals(&bytes, |external| {
            let start = usize::try_from(external.offset).unwrap();
            Ok(file[start..start + 8].to_vec())
        });
        let inside = inside.unwrap();
        let after = read(&inside).unwrap();
        assert_eq!(after.externals, []);
        assert_eq!((before.weight_bytes, after.weight_bytes), (16, 16));
        for part in [&file[..8], &file[8..]] {
            assert!(inside.windows(8).any(|window| window == part));
        }
        let again = inline_externals(&inside, |_| panic!("nothing is left outside"));
        assert_eq!(again.unwrap(), inside);
    }

    #[test]
    fn what_cannot_be_fetched_is_an_error() {
        let refused = inline_externals(&outside(), |external| external.path(None).map(|_| vec![]));
        assert!(matches!(refused, Err(Error::Unsupported(_))));
        let short = inline_externals(&outside(), |_| Ok(vec![1]));
        assert!(matches!(short, Err(Error::Damaged(_))));
    }
}
