//! What the program has annotated: domains and ranges; heaps and regions are in `regions`.
//!
//! Pure: takes what was read, returns handles, and collects the records to emit. Numbers are never
//! reused, so a destroyed handle is recognised as unknown. Everything is bounded; beyond a bound a
//! thing is not tracked, and for heaps and regions that is recorded once.
//!
//! Each thing has one handle for each injected tool, because every tool mints its own.

use std::collections::{HashMap, HashSet};

use millpond_trace::{DomainRef, Operation, StreamRef, Text};

use super::dialect::{Dialect, Flaw};
use super::regions::Memory;
use crate::registry::Kind;

/// The handle of each tool of the chain; 0 if the tool returned none.
pub(super) type ToolHandles = Box<[u64]>;

pub(super) const MAX_DOMAINS: usize = 1 << 12;
pub(super) const MAX_RANGES: usize = 1 << 16;
/// The longest name of a domain, in bytes.
pub(super) const MAX_NAME: usize = 1023;
const NUMBERS: u64 = (1 << 48) - 1;

/// The handle of a thing, by its number.
pub(super) fn handle(kind: Kind, number: u64) -> u64 {
    kind.top() | number & NUMBERS
}

/// The number behind a handle, if it is one of this kind.
pub(super) fn number(kind: Kind, handle: u64) -> Option<u64> {
    (handle & !NUMBERS == kind.top()).then_some(handle & NUMBERS)
}

/// The records of one call.
#[derive(Debug)]
pub(super) struct Notes {
    /// Whether our own listener receives the call. If not, there are no records.
    pub(super) heard: bool,
    pub(super) operations: Vec<Operation>,
}

impl Notes {
    pub(super) fn new(heard: bool) -> Self {
        Self {
            heard,
            operations: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, operation: Operation) {
        if self.heard {
            self.operations.push(operation);
        }
    }

    pub(super) fn unknown(&mut self, domain: DomainRef, value: u64, expected: &'static str) {
        self.push(Operation::AnnotationUnknown {
            domain,
            value,
            expected: Text::Borrowed(expected),
        });
    }
}

#[derive(Debug)]
struct Domain {
    name: String,
    words: ToolHandles,
    /// Whether there is a record of it. There is none if only tools have received it.
    recorded: bool,
}

/// A range that has begun.
#[derive(Debug)]
struct Range {
    /// Its number in records.
    number: u64,
    words: ToolHandles,
}

/// A domain that a call named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NamedDomain {
    pub(super) number: DomainRef,
    pub(super) dialect: Dialect,
}

/// The global domain.
const GLOBAL: NamedDomain = NamedDomain {
    number: 0,
    dialect: Dialect::Documented,
};

/// Everything that is registered.
#[derive(Debug, Default)]
pub(super) struct State {
    domains: HashMap<DomainRef, Domain>,
    names: HashMap<String, DomainRef>,
    last_domain: u64,
    /// By the number that the program has.
    ranges: HashMap<u64, Range>,
    last_range: u64,
    reported: HashSet<(DomainRef, Flaw)>,
    pub(super) memory: Memory,
    /// Whether PyTorch's task queue is on.
    queued: bool,
}

/// Whether a domain may have this name.
pub(super) fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl State {
    /// Nothing is registered.
    pub(super) fn new(queued: bool) -> Self {
        Self {
            queued,
            ..Self::default()
        }
    }

    /// Records what is wrong with a domain's annotations, once. A handle that is passed as an address
    /// is recorded only for the dialects: elsewhere it is understood.
    pub(super) fn flaw(&mut self, member: NamedDomain, flaw: Flaw, notes: &mut Notes) {
        let NamedDomain { number, dialect } = member;
        let flaw = match (dialect, flaw) {
            (Dialect::Documented, Flaw::Dialect) => return,
            (dialect, Flaw::Dialect) if dialect.is_understood() => return,
            (Dialect::Documented, flaw) => flaw,
            // For a dialect there is one record, whatever shows it.
            _ => Flaw::Dialect,
        };
        if notes.heard && self.reported.insert((number, flaw)) {
            notes.push(Operation::AnnotationStrange {
                domain: number,
                what: Text::Borrowed(dialect.sentence(flaw)),
            });
        }
    }

    /// A domain by its name, new or known. 0 if no tool and no listener accepts the name.
    pub(super) fn create_domain(
        &mut self,
        name: &str,
        words: ToolHandles,
        notes: &mut Notes,
    ) -> u64 {
        if let Some(&number) = self.names.get(name) {
            if let Some(domain) = self.domains.get_mut(&number) {
                // Some tools return a handle only the first time.
                for (known, word) in domain.words.iter_mut().zip(words) {
                    if *known == 0 {
                        *known = word;
                    }
                }
            }
            self.member(handle(Kind::MstxDomain, number), notes);
            return handle(Kind::MstxDomain, number);
        }
        let taken = notes.heard && is_name(name) || words.iter().any(|&word| word != 0);
        if !taken || self.domains.len() >= MAX_DOMAINS {
            return 0;
        }
        self.last_domain += 1;
        let number = self.last_domain;
        self.names.insert(name.to_owned(), number);
        let domain = Domain {
            name: name.to_owned(),
            words,
            recorded: false,
        };
        self.domains.insert(number, domain);
        let handle = handle(Kind::MstxDomain, number);
        self.member(handle, notes);
        handle
    }

    /// Ends a domain. What is registered in it stays.
    pub(super) fn destroy_domain(&mut self, domain: u64, notes: &mut Notes) {
        let Some(NamedDomain { number, .. }) = self.member(domain, notes) else {
            return;
        };
        let Some(gone) = self.domains.remove(&number) else {
            return; // The global one cannot end.
        };
        self.names.remove(&gone.name);
        self.reported.retain(|&(domain, _)| domain != number);
        notes.push(Operation::DomainDestroyed { domain: number });
    }

    /// The domain that a handle names; an unknown one is recorded.
    pub(super) fn member(&mut self, domain: u64, notes: &mut Notes) -> Option<NamedDomain> {
        if domain == 0 {
            return Some(GLOBAL);
        }
        let known = number(Kind::MstxDomain, domain)
            .and_then(|number| Some((number, self.domains.get_mut(&number)?)));
        let Some((number, known)) = known else {
            notes.unknown(0, domain, "domain");
            return None;
        };
        if notes.heard && !known.recorded {
            known.recorded = true;
            notes.push(Operation::DomainCreated {
                domain: number,
                name: known.name.clone(),
            });
        }
        Some(NamedDomain {
            number,
            dialect: Dialect::of(&known.name, self.queued),
        })
    }

    /// The dialect of a domain; an unknown domain has the documented one.
    pub(super) fn dialect(&self, domain: u64) -> Dialect {
        let known = number(Kind::MstxDomain, domain).and_then(|number| self.domains.get(&number));
        known.map_or(Dialect::Documented, |known| {
            Dialect::of(&known.name, self.queued)
        })
    }

    /// A tool's handle of a domain. An unknown handle is passed on unchanged.
    pub(super) fn domain_word(&self, domain: u64, tool: usize) -> u64 {
        let known = number(Kind::MstxDomain, domain).and_then(|number| self.domains.get(&number));
        known.map_or(domain, |known| word(&known.words, tool))
    }

    /// Records a mark.
    pub(super) fn mark(
        &mut self,
        domain: u64,
        message: String,
        stream: Option<StreamRef>,
        notes: &mut Notes,
    ) {
        if let Some(NamedDomain { number, .. }) = self.member(domain, notes) {
            notes.push(Operation::Marked {
                domain: number,
                message,
                stream,
            });
        }
    }

    /// Begins a range and returns its number for the program, 0 if nothing tracks it. With one tool that is the tool's own
    /// number, because programs and tools compare them. With several, or if the only one does not track ranges, it is ours.
    pub(super) fn start_range(
        &mut self,
        domain: u64,
        message: String,
        stream: Option<StreamRef>,
        words: ToolHandles,
        notes: &mut Notes,
    ) -> u64 {
        let member = self.member(domain, notes);
        let followed = notes.heard && member.is_some() || words.iter().any(|&word| word != 0);
        let only = match words[..] {
            [word] => word,
            _ => 0,
        };
        if !followed || self.ranges.len() >= MAX_RANGES {
            return only;
        }
        self.last_range += 1;
        let number = self.last_range;
        let id = if only == 0 { number } else { only };
        // A tool that uses a number twice has ended the first range.
        if let Some(before) = self.ranges.insert(id, Range { number, words }) {
            let range = before.number;
            notes.push(Operation::RangeEnded { range });
        }
        if let Some(NamedDomain { number: domain, .. }) = member {
            notes.push(Operation::RangeStarted {
                range: number,
                domain,
                message,
                stream,
            });
        }
        id
    }

    /// Ends a range and returns each tool's number of it; `None` if it is unknown.
    pub(super) fn end_range(&mut self, id: u64, notes: &mut Notes) -> Option<ToolHandles> {
        let Range { number, words } = self.ranges.remove(&id)?;
        notes.push(Operation::RangeEnded { range: number });
        Some(words)
    }
}

/// A tool's handle; 0 for a tool that was attached later.
pub(super) fn word(words: &ToolHandles, tool: usize) -> u64 {
    words.get(tool).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard() -> Notes {
        Notes::new(true)
    }

    fn none() -> ToolHandles {
        ToolHandles::default()
    }

    #[test]
    fn the_same_name_is_the_same_domain_and_is_recorded_once() {
        let mut state = State::default();
        let mut notes = heard();
        let one = state.create_domain("pool_1", none(), &mut notes);
        let again = state.create_domain("pool_1", none(), &mut notes);
        let other = state.create_domain("other", none(), &mut notes);
        assert_eq!(one, again);
        assert_ne!(one, other);
        let created = |number, name: &str| Operation::DomainCreated {
            domain: number,
            name: name.to_owned(),
        };
        assert_eq!(
            notes.operations,
            [created(1, "pool_1"), created(2, "other")]
        );
    }

    #[test]
    fn names_have_letters_digits_and_underscores_up_to_1023() {
        for (name, good) in [
            ("a", true),
            ("A_9", true),
            ("", false),
            ("a b", false),
            ("ä", false),
            ("a-b", false),
        ] {
            assert_eq!(is_name(name), good, "{name:?}");
        }
        assert!(is_name(&"x".repeat(1023)) && !is_name(&"x".repeat(1024)));
        let mut state = State::default();
        let mut notes = heard();
        assert_eq!(state.create_domain("a b", none(), &mut notes), 0);
        assert!(notes.operations.is_empty(), "the answer says it");
    }

    #[test]
    fn a_destroyed_domain_is_unknown_and_its_name_is_free() {
        let mut state = State::default();
        let mut notes = heard();
        let old = state.create_domain("pool", none(), &mut notes);
        state.destroy_domain(old, &mut notes);
        let mut notes = heard();
        assert_eq!(
            state.start_range(old, String::new(), None, none(), &mut notes),
            0
        );
        assert!(matches!(
            notes.operations[..],
            [Operation::AnnotationUnknown { value, .. }] if value == old
        ));
        assert_ne!(state.create_domain("pool", none(), &mut notes), old);
        state.destroy_domain(0, &mut notes);
        assert!(
            state.member(0, &mut notes).is_some(),
            "the global one stays"
        );
    }

    #[test]
    fn with_one_tool_the_program_has_the_number_of_the_tool() {
        let mut state = State::default();
        let mut notes = heard();
        let mut start = |state: &mut State, words: &[u64]| {
            let words = words.iter().copied().collect();
            state.start_range(0, "r".to_owned(), None, words, &mut notes)
        };
        assert_eq!(start(&mut state, &[77]), 77);
        // One that follows no ranges, and two.
        let own = start(&mut state, &[0]);
        assert_eq!(own, 2);
        assert_eq!(start(&mut state, &[77, 501]), 3);
        let mut notes = heard();
        let ended = |state: &mut State, id, notes: &mut Notes| {
            state.end_range(id, notes).map(|words| words.to_vec())
        };
        assert_eq!(ended(&mut state, 77, &mut notes), Some(vec![77]));
        assert_eq!(ended(&mut state, own, &mut notes), Some(vec![0]));
        assert_eq!(ended(&mut state, 3, &mut notes), Some(vec![77, 501]));
        let numbers = [1, 2, 3].map(|range| Operation::RangeEnded { range });
        assert_eq!(notes.operations, numbers);
        // Without records: still the tool's number, even if it is 0.
        let mut unheard = Notes::new(false);
        for word in [0, 5] {
            let words = std::iter::once(word).collect();
            let id = state.start_range(0, String::new(), None, words, &mut unheard);
            assert_eq!(id, word);
        }
    }

    #[test]
    fn ranges_count_from_one_and_end_once() {
        let mut state = State::default();
        let mut notes = heard();
        let mut start =
            |notes: &mut Notes| state.start_range(0, "r".to_owned(), None, none(), notes);
        assert_eq!((start(&mut notes), start(&mut notes)), (1, 2));
        let mut notes = heard();
        assert!(state.end_range(1, &mut notes).is_some());
        assert!(state.end_range(1, &mut notes).is_none());
        assert!(state.end_range(77, &mut notes).is_none());
        assert_eq!(notes.operations, [Operation::RangeEnded { range: 1 }]);
    }

    #[test]
    fn without_a_listener_only_what_a_tool_takes_gets_a_handle() {
        let mut state = State::default();
        let mut notes = Notes::new(false);
        assert_eq!(state.create_domain("a", Box::new([0]), &mut notes), 0);
        let domain = state.create_domain("b", Box::new([7]), &mut notes);
        assert_ne!(domain, 0);
        assert_eq!(state.domain_word(domain, 0), 7);
        assert_eq!(state.domain_word(domain, 1), 0, "a tool that came later");
        assert_eq!(state.domain_word(0x1234, 0), 0x1234, "not ours");
        assert!(notes.operations.is_empty());
        // Heard of later: the record comes before the first that needs it.
        let mut notes = heard();
        state.mark(domain, "m".to_owned(), None, &mut notes);
        assert!(matches!(
            notes.operations[..],
            [
                Operation::DomainCreated { domain: 1, .. },
                Operation::Marked { domain: 1, .. }
            ]
        ));
    }

    #[test]
    fn a_tool_that_answers_only_once_keeps_its_word() {
        let mut state = State::default();
        let mut notes = Notes::new(false);
        let domain = state.create_domain("atb", Box::new([5, 0]), &mut notes);
        state.create_domain("atb", Box::new([0, 6]), &mut notes);
        assert_eq!(
            (state.domain_word(domain, 0), state.domain_word(domain, 1)),
            (5, 6)
        );
    }

    #[test]
    fn ranges_are_bounded() {
        let mut state = State::default();
        let mut notes = heard();
        for _ in 0..MAX_RANGES {
            state.start_range(0, String::new(), None, none(), &mut notes);
        }
        let mut notes = heard();
        assert_eq!(
            state.start_range(0, String::new(), None, none(), &mut notes),
            0
        );
        assert!(state.end_range(1, &mut notes).is_some());
        assert_ne!(
            state.start_range(0, String::new(), None, none(), &mut notes),
            0
        );
    }
}
