//! The symbols and lines of one file.

use std::fmt;
use std::path::Path;

use addr2line::{Loader, demangle_auto};

use crate::told::Place;

/// Files larger than this are not read: their tables alone would take seconds.
const LARGEST: u64 = 4 << 30;

/// As many lines are shown for one address; the others were inlined into each other.
const MOST_INLINED: usize = 16;

/// A file that was read.
pub(crate) struct Code(Loader);

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

impl Code {
    /// `None` if it cannot be read or understood.
    pub(crate) fn load(file: &str) -> Option<Self> {
        let path = Path::new(file);
        let about = path.metadata().ok()?;
        if !about.is_file() || about.len() > LARGEST {
            return None;
        }
        Loader::new(path).ok().map(Self)
    }

    /// The function at an address of the file, before it those that were inlined there.
    pub(crate) fn places(&self, address: u64) -> Vec<Place> {
        let mut places = Vec::new();
        if let Ok(mut frames) = self.0.find_frames(address) {
            while places.len() < MOST_INLINED
                && let Ok(Some(frame)) = frames.next()
            {
                let mut place = Place {
                    inlined: true,
                    ..Place::default()
                };
                if let Some(location) = frame.location {
                    location
                        .file
                        .unwrap_or_default()
                        .clone_into(&mut place.file);
                    place.line = location.line.unwrap_or(0);
                }
                if let Some(name) = frame.function
                    && let Ok(raw) = name.raw_name()
                {
                    place.function = demangle_auto(raw, name.language).into_owned();
                }
                places.push(place);
            }
        }
        // A file without debug information has the names of its functions at least.
        if places.last().is_none_or(|place| place.function.is_empty())
            && let Some(symbol) = self.0.find_symbol(address)
        {
            let name = demangle_auto(symbol.into(), None).into_owned();
            match places.last_mut() {
                Some(place) => place.function = name,
                None => places.push(Place {
                    function: name,
                    ..Place::default()
                }),
            }
        }
        if let Some(last) = places.last_mut() {
            last.inlined = false;
        }
        places
    }
}
