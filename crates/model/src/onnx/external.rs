//! External weights: constants whose bytes are in files beside the model.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use super::message::Tensor;
use crate::Error;
use crate::regular::open_regular;

/// The location of an external constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// The constant.
    pub name: String,
    /// The file name in the model.
    pub location: String,
    /// The offset of its bytes in the file.
    pub offset: u64,
    /// Their number.
    pub bytes: u64,
}

impl External {
    /// Reads the location from a tensor; `bytes` is the size of its shape.
    pub(super) fn read(tensor: &Tensor<'_>, bytes: u64) -> Result<Self, Error> {
        let name = tensor.name.escape_debug();
        let value = |key: &str| {
            let found = tensor.beside.iter().find(|(found, _)| *found == key);
            found.map(|(_, value)| *value)
        };
        let number = |key: &str, default: u64| match value(key) {
            None => Ok(default),
            Some(text) => text.parse::<u64>().map_err(|_| {
                Error::damaged(format!(
                    "the ONNX file is damaged: the {key} of constant '{name}' is '{}'",
                    text.escape_debug()
                ))
            }),
        };
        let Some(location) = value("location").filter(|location| !location.is_empty()) else {
            return Err(Error::damaged(format!(
                "the ONNX file is damaged: constant '{name}' is in an external file without a name"
            )));
        };
        let (offset, length) = (number("offset", 0)?, number("length", bytes)?);
        let known = crate::Element::from_onnx(tensor.element).is_some();
        if (known && length != bytes) || offset.checked_add(length).is_none() {
            return Err(Error::damaged(format!(
                "the ONNX file is damaged: constant '{name}' needs {bytes} bytes but has {length} at {offset}"
            )));
        }
        Ok(Self {
            name: tensor.name.to_owned(),
            location: location.to_owned(),
            offset,
            bytes: length,
        })
    }

    /// The path of the file. A model may only refer to files in its own folder and below, and it has a folder only
    /// if it came from a file.
    pub fn path(&self, model: Option<&Path>) -> Result<PathBuf, Error> {
        let (name, location) = (self.name.escape_debug(), self.location.escape_debug());
        let Some(model) = model else {
            return Err(Error::unsupported(format!(
                "the weights '{name}' are in the file '{location}', which cannot be found because the model \
                 was loaded from memory: load the model from its file, or include the weights with `millpond atc`"
            )));
        };
        let relative = Path::new(&self.location);
        let inside = relative
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !inside || self.location.contains('\0') {
            return Err(Error::unsupported(format!(
                "the weights '{name}' are in '{location}', outside the model's folder: move that file next \
                 to the model and save the model again"
            )));
        }
        Ok(model.parent().unwrap_or(Path::new("")).join(relative))
    }

    /// Reads the bytes. Links are followed, but must not lead out of the model's folder.
    pub fn load(&self, model: &Path) -> Result<Vec<u8>, Error> {
        let mut file = self.open(model)?;
        let failed = |error: io::Error| self.unreadable(model, &error);
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(self.offset)).map_err(failed)?;
        file.take(self.bytes)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() as u64 == self.bytes {
            Ok(bytes)
        } else {
            Err(failed(io::ErrorKind::UnexpectedEof.into()))
        }
    }

    fn unreadable(&self, model: &Path, error: &io::Error) -> Error {
        let path = self.path(Some(model)).unwrap_or_default();
        Error::damaged(format!(
            "the weights '{}' are in {}, which cannot be read: {error}",
            self.name.escape_debug(),
            path.display()
        ))
    }

    /// Opens the file and checks that the bytes are in it.
    pub fn open(&self, model: &Path) -> Result<File, Error> {
        let path = self.path(Some(model))?;
        let (name, shown) = (self.name.escape_debug(), path.display());
        let failed = |error: io::Error| self.unreadable(model, &error);
        let folder = match model.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let real = path.canonicalize().map_err(failed)?;
        if !real.starts_with(folder.canonicalize().map_err(failed)?) {
            return Err(Error::unsupported(format!(
                "the weights '{name}' are in {shown}, a link to a file outside the model's folder: copy the file itself there"
            )));
        }
        let (file, length) = open_regular(&real).map_err(failed)?;
        // Before anything is reserved: a model may claim any size.
        if self.offset.saturating_add(self.bytes) > length {
            return Err(Error::damaged(format!(
                "the weights '{name}' are {} bytes at {} of {shown}, which has {length}",
                self.bytes, self.offset
            )));
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(location: &str) -> External {
        External {
            name: "w".to_owned(),
            location: location.to_owned(),
            offset: 0,
            bytes: 4,
        }
    }

    #[test]
    fn weights_lie_in_the_models_folder_or_below() {
        let model = Path::new("/models/a.onnx");
        assert_eq!(
            at("w/one.bin").path(Some(model)),
            Ok(PathBuf::from("/models/w/one.bin"))
        );
        assert_eq!(
            at("one.bin").path(Some(Path::new("a.onnx"))),
            Ok(PathBuf::from("one.bin"))
        );
        for outside in ["../one.bin", "/etc/passwd", "w/../../one.bin", "a\0b"] {
            let error = at(outside).path(Some(model)).unwrap_err();
            assert!(matches!(error, Error::Unsupported(_)), "{outside}");
        }
        let sentence = at("one.bin").path(None).unwrap_err().to_string();
        assert!(
            sentence.contains("load the model from its file"),
            "{sentence}"
        );
    }

    #[test]
    fn a_place_is_read_and_checked() {
        let mut tensor = Tensor {
            name: "w",
            element: 1,
            is_beside: true,
            beside: vec![("location", "one.bin"), ("offset", "64"), ("length", "8")],
            ..Tensor::default()
        };
        let external = External::read(&tensor, 8).unwrap();
        assert_eq!((external.offset, external.bytes), (64, 8));
        assert!(External::read(&tensor, 12).is_err(), "too short");
        tensor.beside[1].1 = "-1";
        assert!(External::read(&tensor, 8).is_err());
        tensor.beside[1].1 = "18446744073709551615";
        assert!(
            External::read(&tensor, 8).is_err(),
            "beyond what can be counted"
        );
        tensor.beside.remove(0);
        assert!(External::read(&tensor, 8).is_err(), "no file");
    }

    #[test]
    fn bytes_are_loaded_and_links_do_not_lead_out() {
        let folder = std::env::temp_dir().join(format!("millpond-{}-weights", std::process::id()));
        std::fs::create_dir_all(folder.join("model")).unwrap();
        let model = folder.join("model/a.onnx");
        std::fs::write(folder.join("model/one.bin"), [1, 2, 3, 4, 5, 6]).unwrap();
        std::fs::write(folder.join("secret.bin"), [9; 8]).unwrap();
        std::os::unix::fs::symlink("../secret.bin", folder.join("model/link.bin")).unwrap();
        let mut one = at("one.bin");
        one.offset = 2;
        assert_eq!(one.load(&model), Ok(vec![3, 4, 5, 6]));
        one.offset = 3;
        assert!(matches!(one.load(&model), Err(Error::Damaged(_))));
        one.bytes = u64::MAX - 3;
        assert!(matches!(one.load(&model), Err(Error::Damaged(_))));
        assert!(matches!(
            at("link.bin").load(&model),
            Err(Error::Unsupported(_))
        ));
        assert!(matches!(
            at("none.bin").load(&model),
            Err(Error::Damaged(_))
        ));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
