//! Opens a model file of any supported kind.

use std::borrow::Cow;
use std::path::Path;

use crate::compiled::{self, Contents};
use crate::onnx::{self, Model};
use crate::shapes::Interface;
use crate::singleop::Operator;
use crate::{Error, FileKind, classify};

/// The contents of a file that can be loaded.
#[derive(Debug, Clone, PartialEq)]
pub enum Opened<'a> {
    /// A model, compiled or plain ONNX.
    Model {
        /// Its name: the one set at compilation, or the graph's.
        name: String,
        /// Its inputs.
        interface: Interface,
        /// The description in its ONNX bytes.
        model: Box<Model>,
        /// The bytes for the engine, with all weights.
        onnx: Cow<'a, [u8]>,
    },
    /// A single operator.
    Operator(Operator),
}

/// Opens a file, or returns why it cannot be loaded. `path` is the file that the bytes came from, if any; external
/// weights are found only with it.
pub fn open<'a>(bytes: &'a [u8], path: Option<&Path>) -> Result<Opened<'a>, Error> {
    match classify(bytes) {
        FileKind::Compiled => {
            let (about, contents) = compiled::read(bytes)?;
            Ok(match contents {
                Contents::Operator(operator) => Opened::Operator(operator),
                Contents::Model {
                    interface,
                    model,
                    onnx,
                } => Opened::Model {
                    name: about.name,
                    interface,
                    model,
                    onnx: Cow::Borrowed(onnx),
                },
            })
        }
        FileKind::Onnx => plain(bytes, path),
        other => Err(other
            .refusal()
            .unwrap_or_else(|| Error::damaged("the file is not a model"))),
    }
}

fn plain<'a>(bytes: &'a [u8], path: Option<&Path>) -> Result<Opened<'a>, Error> {
    let mut model = onnx::read(bytes)?;
    let mut onnx = Cow::Borrowed(bytes);
    if !model.externals.is_empty() {
        let inside = onnx::inline_externals(bytes, |external| match path {
            Some(path) => external.load(path),
            // Returns the reason.
            None => external.path(None).map(|_| Vec::new()),
        })?;
        model = onnx::read(&inside)?;
        onnx = Cow::Owned(inside);
    }
    Ok(Opened::Model {
        name: model.name.clone(),
        interface: Interface::of(&model),
        model: Box::new(model),
        onnx,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Element;
    use crate::compiled::About;
    use crate::onnx::{Dim, Graph};

    #[test]
    fn a_plain_and_a_compiled_model_are_opened_alike() {
        let mut graph = Graph::new("g");
        let x = graph.input("x", Element::F32, &[Dim::Any]);
        graph.output("y", &x, Element::F32, None);
        let bytes = graph.finish();
        let Ok(Opened::Model {
            name, interface, ..
        }) = open(&bytes, None)
        else {
            panic!("not opened");
        };
        assert_eq!(name, "g");
        let about = About {
            name: "other".to_owned(),
            soc_version: None,
        };
        let compiled = compiled::write_model(&about, &interface, &bytes).unwrap();
        let Ok(Opened::Model {
            name,
            interface: again,
            onnx,
            ..
        }) = open(&compiled, None)
        else {
            panic!("not opened");
        };
        assert_eq!(
            (name.as_str(), &again, &*onnx),
            ("other", &interface, &bytes[..])
        );
    }

    #[test]
    fn what_is_no_model_is_refused() {
        for bytes in [&b""[..], b"IMOD", b"PK\x03\x04", b"text", b"MILLPOND"] {
            assert!(open(bytes, None).is_err());
        }
    }
}
