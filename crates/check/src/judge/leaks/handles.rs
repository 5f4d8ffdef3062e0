//! Handles: contexts, pools, descriptors and models that the program created and did not destroy.

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_trace::{HandleKind, Operation, Record};

use crate::world::Origin;

/// The live handles.
#[derive(Debug, Default)]
pub(super) struct Handles {
    contexts: BTreeMap<u64, Arc<Origin>>,
    others: BTreeMap<(Kind, u64), Arc<Origin>>,
}

/// Kinds of handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Pool,
    AllocatorDescription,
    Handle(u8),
}

impl Handles {
    pub(super) fn learn(&mut self, record: &Record) {
        match &record.operation {
            // The context of a device is the runtime's.
            Operation::ContextCreated { context, .. }
                if record.site.call.starts_with("aclrtCreateContext") =>
            {
                self.contexts.insert(*context, Origin::of(record));
            }
            Operation::ContextDestroyed { context } => {
                self.contexts.remove(context);
            }
            Operation::PoolCreated { pool, .. } if record.site.call == "aclrtMemPoolCreate" => {
                self.add(Kind::Pool, *pool, record);
            }
            Operation::PoolDestroyed { pool } => self.remove(Kind::Pool, *pool),
            Operation::DescriptorCreated { descriptor } => {
                self.add(Kind::AllocatorDescription, *descriptor, record);
            }
            Operation::DescriptorDestroyed { descriptor } => {
                self.remove(Kind::AllocatorDescription, *descriptor);
            }
            Operation::HandleCreated { kind, handle } => {
                self.add(Kind::Handle(number(*kind)), *handle, record);
            }
            Operation::HandleDestroyed { kind, handle } => {
                self.remove(Kind::Handle(number(*kind)), *handle);
            }
            _ => {}
        }
    }

    fn add(&mut self, kind: Kind, handle: u64, record: &Record) {
        self.others.insert((kind, handle), Origin::of(record));
    }

    fn remove(&mut self, kind: Kind, handle: u64) {
        self.others.remove(&(kind, handle));
    }

    /// Contexts that the program created.
    pub(super) fn contexts(&self) -> impl Iterator<Item = (u64, &Arc<Origin>)> {
        self.contexts.iter().map(|(context, made)| (*context, made))
    }

    /// Everything else that the program made, and what it is.
    pub(super) fn others(&self) -> impl Iterator<Item = (&'static str, &Arc<Origin>)> {
        self.others.iter().map(|((kind, _), made)| {
            let what = match kind {
                Kind::Pool => "pool",
                Kind::AllocatorDescription => "allocator descriptor",
                Kind::Handle(number) => NAMES.get(usize::from(*number)).map_or("", |row| row.1),
            };
            (what, made)
        })
    }

    pub(super) fn state_bytes(&self) -> u64 {
        let made = self.contexts.len() + self.others.len();
        let each = size_of::<Origin>() + 48;
        (made * each) as u64
    }
}

/// Frameworks leave communicators to the end of the process on purpose.
pub(super) const COMMUNICATOR: &str = "HcclComm";

/// What handles are called.
const NAMES: [(HandleKind, &str); 10] = [
    (HandleKind::DataBuffer, "aclDataBuffer"),
    (HandleKind::TensorDesc, "aclTensorDesc"),
    (HandleKind::OperatorAttributes, "aclopAttr"),
    (HandleKind::Operator, "aclopHandle"),
    (HandleKind::Dataset, "aclmdlDataset"),
    (HandleKind::ModelDescription, "aclmdlDesc"),
    (HandleKind::LoadOptions, "aclmdlConfigHandle"),
    (HandleKind::RunOptions, "aclmdlExecConfigHandle"),
    (HandleKind::Model, "model"),
    (HandleKind::Communicator, COMMUNICATOR),
];

fn number(kind: HandleKind) -> u8 {
    let found = NAMES.iter().position(|(known, _)| *known == kind);
    found
        .and_then(|index| u8::try_from(index).ok())
        .unwrap_or(u8::MAX)
}

/// The function that ends what another made.
pub(super) fn ender(maker: &str) -> Option<&'static str> {
    let pairs = [
        ("aclrtCreateStream", "aclrtDestroyStream"),
        ("aclrtCreateEvent", "aclrtDestroyEvent"),
        ("aclrtCreateContext", "aclrtDestroyContext"),
        ("aclrtMemPoolCreate", "aclrtMemPoolDestroy"),
        ("aclrtAllocatorCreateDesc", "aclrtAllocatorDestroyDesc"),
        ("aclCreateDataBuffer", "aclDestroyDataBuffer"),
        ("aclCreateTensorDesc", "aclDestroyTensorDesc"),
        ("aclopCreateAttr", "aclopDestroyAttr"),
        ("aclopCreateHandle", "aclopDestroyHandle"),
        ("aclmdlCreateDataset", "aclmdlDestroyDataset"),
        ("aclmdlCreateDesc", "aclmdlDestroyDesc"),
        ("aclmdlCreateConfigHandle", "aclmdlDestroyConfigHandle"),
        (
            "aclmdlCreateExecConfigHandle",
            "aclmdlDestroyExecConfigHandle",
        ),
        ("aclmdlLoad", "aclmdlUnload"),
        ("HcclComm", "HcclCommDestroy"),
        ("HcclCreateSubComm", "HcclCommDestroy"),
    ];
    let pair = pairs.iter().find(|(start, _)| maker.starts_with(start));
    pair.map(|(_, ender)| *ender)
}
