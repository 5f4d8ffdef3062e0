//! What a pickle put aside by number, to name it again.
//!
//! Python puts every list, dictionary and text aside: several for each event of a snapshot, of which hardly one is named
//! again. So old pages of the memo take one byte an entry: a place in the list of the page's different values.

use super::Value;
use crate::event::{StackId, TextId};

/// Entries of a page. Few enough that most pages have at most 256 different values.
const PAGE: usize = 512;
/// Pages that are kept plain. Objects are completed a thousand at a time, and then their entries change.
const PLAIN: usize = 32;
/// How far beyond the last one a number may be.
const GAP: usize = 1 << 16;

/// A value in four bytes: its kind in the lowest two, its number above. The two highest are special.
type Slim = u32;
const NEVER: Slim = u32::MAX;
const USED: Slim = u32::MAX - 1;

#[derive(Debug)]
enum Page {
    Plain(Box<[Slim]>),
    Coded {
        codes: Box<[u8]>,
        values: Box<[Slim]>,
    },
}

impl Page {
    fn get(&self, entry: usize) -> Slim {
        match self {
            Self::Plain(entries) => entries[entry],
            Self::Coded { codes, values } => values[usize::from(codes[entry])],
        }
    }

    fn set(&mut self, entry: usize, slim: Slim) {
        if let Self::Coded { codes, values } = self {
            let plain = codes
                .iter()
                .map(|&code| values[usize::from(code)])
                .collect();
            *self = Self::Plain(plain);
            self.set(entry, slim);
            self.code();
            return;
        }
        if let Self::Plain(entries) = self {
            entries[entry] = slim;
        }
    }

    /// Makes it small, if it has few different values.
    fn code(&mut self) {
        let Self::Plain(entries) = self else { return };
        let mut values: Vec<Slim> = entries.to_vec();
        values.sort_unstable();
        values.dedup();
        if values.len() > 256 {
            return;
        }
        let code = |slim: &Slim| {
            values
                .binary_search(slim)
                .ok()
                .and_then(|place| u8::try_from(place).ok())
        };
        let codes = entries.iter().map(|slim| code(slim).unwrap_or(0)).collect();
        *self = Self::Coded {
            codes,
            values: values.into(),
        };
    }
}

#[derive(Debug, Default)]
pub(super) struct Memo {
    pages: Vec<Page>,
    /// One more than the highest number so far: MEMOIZE counts.
    next: u32,
}

impl Memo {
    /// The number that the next object without an explicit one gets.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// Returns false if the number is far beyond all others.
    pub(super) fn put(&mut self, number: u32, value: Value) -> bool {
        let entry = number as usize;
        if entry > self.next as usize + GAP || number == u32::MAX {
            return false;
        }
        while entry / PAGE >= self.pages.len() {
            self.pages.push(Page::Plain(vec![NEVER; PAGE].into()));
            if let Some(old) = self.pages.len().checked_sub(PLAIN + 1) {
                self.pages[old].code();
            }
        }
        self.next = self.next.max(number + 1);
        self.replace(number, value);
        true
    }

    /// What an object became.
    pub(super) fn replace(&mut self, number: u32, value: Value) {
        let slim = match value {
            Value::Text(TextId(text)) => Some((text, 0)),
            Value::Object(place) => Some((place, 1)),
            Value::Frame(frame) => Some((frame, 2)),
            Value::Stack(StackId(stack)) => Some((stack, 3)),
            _ => None,
        };
        let packed = |(id, kind): (u32, u32)| (id < (1 << 30) - 1).then_some(id << 2 | kind);
        let slim = slim.and_then(packed).unwrap_or(USED);
        if let Some(page) = self.pages.get_mut(number as usize / PAGE) {
            page.set(number as usize % PAGE, slim);
        }
    }

    /// None if nothing was put there.
    pub(super) fn get(&self, number: u32) -> Option<Value> {
        let page = self.pages.get(number as usize / PAGE)?;
        let slim = page.get(number as usize % PAGE);
        let id = slim >> 2;
        Some(match (slim, slim & 3) {
            (NEVER, _) => return None,
            (USED, _) => Value::Used,
            (_, 0) => Value::Text(TextId(id)),
            (_, 1) => Value::Object(id),
            (_, 2) => Value::Frame(id),
            _ => Value::Stack(StackId(id)),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn value(kind: u8, id: u32) -> Value {
        match kind % 5 {
            0 => Value::Text(TextId(id)),
            1 => Value::Object(id),
            2 => Value::Frame(id),
            3 => Value::Stack(StackId(id)),
            _ => Value::Used,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// Against a map, with changes of old pages and with pages of many and of few different values.
        #[test]
        fn it_is_a_map(spread in 1..2000_u32, steps in prop::collection::vec((any::<u8>(), any::<u32>(), any::<u32>()), 30_000)) {
            let (mut memo, mut model) = (Memo::default(), HashMap::new());
            for (kind, id, place) in steps {
                let new = value(kind, id % spread);
                let next = memo.next();
                let number = if kind % 16 == 0 && next > 0 { place % next } else { next };
                prop_assert!(memo.put(number, new));
                model.insert(number, new);
                let asked = place % (next + 2);
                prop_assert_eq!(memo.get(asked), model.get(&asked).copied());
            }
        }
    }
}
