//! The cache of operators, and the list of those that a program has compiled or loaded.
//!
//! Operators are built when they are first needed and cached by what they depend on. There is also a list
//! of what was compiled by name: programs that execute without compiling first get the documented error,
//! although the operator could be built.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use millpond::{Element, LoadOptions, Model, Threads, WorkspaceSource};
use millpond_abi as abi;
use millpond_operators::{Attributes, Cache, Refusal, Request, Why};
use parking_lot::Mutex;

use super::tensors::Described;
use crate::boundary::CallError;
use crate::process;

/// How many operators are kept ready unless a program says otherwise.
const READY: usize = 1024;
/// How many compiled shapes are remembered, at most.
const NOTED: usize = 1 << 20;

/// How many open shapes of one operator are remembered, at most.
const NOTED_OPEN: usize = 1024;

static READY_OPERATORS: Mutex<Option<Cache<Arc<Operator>>>> = Mutex::new(None);
static NOTES: Mutex<Option<Notes>> = Mutex::new(None);
/// Operators that were compiled elsewhere were announced: their files cannot be read here, so every
/// operator counts as compiled.
static ANNOUNCED: AtomicBool = AtomicBool::new(false);

/// An operator that is ready to run.
#[derive(Debug)]
pub(crate) struct Operator {
    pub(crate) model: Model,
    /// For each input of the model, which input of the operator feeds it.
    pub(crate) inputs: Vec<usize>,
    /// For each output of the model, which output of the operator it fills.
    pub(crate) outputs: Vec<usize>,
}

impl Operator {
    /// Loads a graph that computes an operator.
    pub(crate) fn load(
        name: &str,
        model: &[u8],
        inputs: Vec<usize>,
        outputs: Vec<usize>,
        by_contents: bool,
    ) -> Result<Self, CallError> {
        let options = LoadOptions {
            name: format!("operator {name}"),
            threads: Threads::Caller,
            by_contents,
            workspace: WorkspaceSource::Allocator,
            weights: None,
            geared: false,
            number: 0,
        };
        Ok(Self {
            model: process::runtime()?.load_model(model, &options)?,
            inputs,
            outputs,
        })
    }
}

/// Why there is no operator for a request.
#[derive(Debug)]
pub(crate) enum NotCompiled {
    /// The contents of this input decide what is computed, and they are not known yet.
    Needs {
        input: usize,
        refused: CallError,
    },
    Refused(CallError),
}

impl From<CallError> for NotCompiled {
    fn from(error: CallError) -> Self {
        Self::Refused(error)
    }
}

impl From<NotCompiled> for CallError {
    fn from(unready: NotCompiled) -> Self {
        match unready {
            NotCompiled::Needs { refused, .. } | NotCompiled::Refused(refused) => refused,
        }
    }
}

/// The operator for a request, made now if it is not ready.
pub(crate) fn operator(request: &Request<'_>) -> Result<Arc<Operator>, NotCompiled> {
    let ready = READY_OPERATORS
        .lock()
        .as_mut()
        .and_then(|cache| cache.get(request).cloned());
    if let Some(ready) = ready {
        return Ok(ready);
    }
    let built = millpond_operators::build(request).map_err(|refusal| match refusal.why {
        Why::MissingConstant(input) => NotCompiled::Needs {
            input,
            refused: refused(&refusal),
        },
        _ => NotCompiled::Refused(refused(&refusal)),
    })?;
    let operator = Arc::new(Operator::load(
        request.kind,
        &built.model,
        built.inputs,
        built.outputs,
        built.data_dependent,
    )?);
    // What has to go is dropped after the lock is let go.
    let gone = READY_OPERATORS
        .lock()
        .get_or_insert_with(|| Cache::new(READY))
        .insert(request, built.asked, Arc::clone(&operator));
    drop(gone);
    Ok(operator)
}

/// Changes how many operators are kept ready.
pub(crate) fn keep(operators: usize) {
    let gone = READY_OPERATORS
        .lock()
        .get_or_insert_with(|| Cache::new(operators))
        .set_capacity(operators);
    drop(gone);
}

/// The code of a refusal. The text is that of the table, with what a C program can do about it.
pub(crate) fn refused(refusal: &Refusal) -> CallError {
    let code = match &refusal.why {
        Why::Unknown { .. } => abi::ACL_ERROR_OP_NOT_FOUND,
        Why::MissingOutput(_) | Why::OutputElement { .. } => abi::ACL_ERROR_OP_OUTPUT_NOT_MATCH,
        Why::MissingAttribute(_)
        | Why::UnknownAttribute { .. }
        | Why::AttributeKind { .. }
        | Why::AttributeValue { .. } => abi::ACL_ERROR_OP_ATTR_NOT_MATCH,
        Why::Format { .. } | Why::OutputFormat { .. } => abi::ACL_ERROR_FORMAT_NOT_MATCH,
        Why::MissingInput(_)
        | Why::Element { .. }
        | Why::Rank { .. }
        | Why::MissingConstant(_)
        | Why::Constant { .. }
        | Why::Other(_) => abi::ACL_ERROR_OP_INPUT_NOT_MATCH,
    };
    let way_out = match &refusal.why {
        Why::MissingConstant(_) => "; pass a buffer, or set the values with aclSetTensorConst",
        _ => "",
    };
    CallError::coded(code, format!("{refusal}{way_out}"))
}

/// A fast hash: it is computed for every run, and needs no protection against collisions.
#[derive(Debug, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        let product = (self.0.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}

/// What was compiled: whole shapes by a number made of everything, open shapes by operator.
#[derive(Debug, Default)]
struct Notes {
    whole: HashSet<u64, BuildHasherDefault<Mixer>>,
    open: HashMap<String, Vec<Note>>,
}

/// What a tensor may be: its elements, its dimensions and their ranges.
type Pattern = (Option<Element>, Vec<i64>, Vec<[i64; 2]>);

#[derive(Debug, PartialEq)]
struct Note {
    tensors: Vec<Pattern>,
    inputs: usize,
    attributes: Attributes,
}

impl Notes {
    fn add(&mut self, number: u64) {
        if self.whole.len() >= NOTED {
            self.whole.clear();
        }
        self.whole.insert(number);
    }

    /// Notes open shapes once, however often they are compiled; of too many the oldest go.
    fn add_open(&mut self, kind: &str, note: Note) {
        let known = self.open.entry(kind.to_owned()).or_default();
        if known.contains(&note) {
            return;
        }
        if known.len() >= NOTED_OPEN {
            known.remove(0);
        }
        known.push(note);
    }
}

/// One operator by name, as `aclopCompile` and `aclopExecute` compare it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) kind: &'a str,
    pub(crate) inputs: &'a [Described],
    pub(crate) outputs: &'a [Described],
    pub(crate) attributes: &'a Attributes,
}

impl Named<'_> {
    fn tensors(&self) -> impl Iterator<Item = &Described> {
        self.inputs.iter().chain(self.outputs)
    }

    /// A number made of everything, by which whole shapes are known.
    pub(crate) fn number(&self) -> u64 {
        let mut state = Mixer::default();
        self.kind.hash(&mut state);
        self.inputs.len().hash(&mut state);
        for tensor in self.tensors() {
            (tensor.element, &tensor.dims).hash(&mut state);
        }
        self.attributes.hash(&mut state);
        state.finish()
    }

    /// Whether some dimension is open.
    pub(crate) fn is_open(&self) -> bool {
        self.tensors().any(Described::is_open)
    }
}

impl Note {
    fn covers(&self, named: &Named<'_>) -> bool {
        self.inputs == named.inputs.len()
            && self.tensors.len() == named.inputs.len() + named.outputs.len()
            && self.attributes == *named.attributes
            && self
                .tensors
                .iter()
                .zip(named.tensors())
                .all(|((element, dims, ranges), tensor)| {
                    *element == tensor.element && fits(dims, ranges, &tensor.dims)
                })
    }
}

/// Whether a shape matches dynamic dimensions and their ranges.
fn fits(open: &[i64], ranges: &[[i64; 2]], dims: &[i64]) -> bool {
    if open.first() == Some(&-2) {
        return true;
    }
    open.len() == dims.len()
        && open
            .iter()
            .zip(dims)
            .enumerate()
            .all(|(index, (open, dim))| {
                let within = ranges
                    .get(index)
                    .is_none_or(|[least, most]| dim >= least && (*most < 0 || dim <= most));
                open == dim || *open < 0 && within
            })
}

/// Notes that an operator was compiled.
pub(crate) fn note(named: &Named<'_>) {
    let mut notes = NOTES.lock();
    let notes = notes.get_or_insert_default();
    if named.is_open() {
        let tensors = named.tensors();
        let tensors = tensors.map(|it| (it.element, it.dims.clone(), it.ranges.clone()));
        let note = Note {
            tensors: tensors.collect(),
            inputs: named.inputs.len(),
            attributes: named.attributes.clone(),
        };
        notes.add_open(named.kind, note);
        return;
    }
    notes.add(named.number());
}

/// Notes that an operator with this number, whose shapes are whole, was compiled.
pub(crate) fn note_whole(number: u64) {
    NOTES.lock().get_or_insert_default().add(number);
}

/// Notes that operators compiled elsewhere were announced.
pub(crate) fn announce() {
    ANNOUNCED.store(true, Ordering::Relaxed);
}

/// Refuses an operator that was not compiled.
pub(crate) fn need(named: &Named<'_>, number: u64) -> Result<(), CallError> {
    if ANNOUNCED.load(Ordering::Relaxed) {
        return Ok(());
    }
    let notes = NOTES.lock();
    let known = notes.as_ref().is_some_and(|notes| {
        notes.whole.contains(&number)
            || notes
                .open
                .get(named.kind)
                .is_some_and(|notes| notes.iter().any(|note| note.covers(named)))
    });
    if known {
        return Ok(());
    }
    Err(CallError::coded(
        abi::ACL_ERROR_OP_NOT_FOUND,
        format!(
            "operator {} was not compiled for these tensors and attributes: call aclopCompile with the same \
             ones or aclopSetModelDir first, or use aclopCompileAndExecute",
            named.kind
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_shapes_are_noted_once_and_not_without_end() {
        let note = |dim: i64| Note {
            tensors: vec![(Some(Element::F32), vec![-1, dim], Vec::new())],
            inputs: 1,
            attributes: Attributes::new(),
        };
        let mut notes = Notes::default();
        for _ in 0..3 {
            notes.add_open("Add", note(1));
        }
        assert_eq!(notes.open["Add"].len(), 1);
        for dim in 2..5000 {
            notes.add_open("Add", note(dim));
        }
        let noted = &notes.open["Add"];
        assert_eq!(noted.len(), NOTED_OPEN);
        assert_eq!(noted.last(), Some(&note(4999)));
    }

    #[test]
    fn open_dimensions_stand_for_those_in_their_range() {
        assert!(fits(&[-1, 3], &[[1, 4], [3, 3]], &[4, 3]));
        assert!(!fits(&[-1, 3], &[[1, 4], [3, 3]], &[5, 3]));
        assert!(fits(&[-1, 3], &[], &[5, 3]));
        assert!(fits(&[-1], &[[2, -1]], &[1 << 40]));
        assert!(!fits(&[-1, 3], &[], &[5, 4]));
        assert!(!fits(&[-1, 3], &[], &[5]));
        assert!(fits(&[-2], &[], &[5, 4, 3]));
    }
}
