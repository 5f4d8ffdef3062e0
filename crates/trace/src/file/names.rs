//! Names of called functions, each kept once for the whole process.
//!
//! Every record has one, and a file has millions of records and a few hundred names. A file may claim any number of them, so there is a bound.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A name that is kept until the process ends.
pub(super) type Name = &'static str;

/// The interfaces have fewer functions, and shorter names.
const MOST: usize = 4096;
const LONGEST: usize = 64;

static NAMES: Mutex<BTreeSet<Name>> = Mutex::new(BTreeSet::new());

/// The kept name that equals a text. None if it is too long, or one too many.
pub(super) fn known(text: &str) -> Option<Name> {
    if text.len() > LONGEST {
        return None;
    }
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&name) = names.get(text) {
        return Some(name);
    }
    if names.len() >= MOST {
        return None;
    }
    let name: Name = Box::leak(text.to_owned().into_boxed_str());
    names.insert(name);
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, known};

    #[test]
    fn equal_names_are_kept_once() {
        let (one, other) = (known("aclrtOne").unwrap(), known("aclrtOne").unwrap());
        assert!(std::ptr::eq(one, other));
        assert_eq!(known(&"x".repeat(LONGEST + 1)), None);
    }
}
