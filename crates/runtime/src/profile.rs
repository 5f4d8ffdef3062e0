//! The chips that a device can emulate.
//!
//! A profile changes what queries return and how much programs may allocate; it changes nothing
//! about how work is done. The figures are what programs written for these chips commonly see.
//! Nothing here was compared with hardware.

/// The kind of memory that a device reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryKind {
    /// High-bandwidth memory.
    Hbm,
    /// Ordinary memory modules.
    Ddr,
}

/// One chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// The name that selects it, in lower case.
    pub name: &'static str,
    /// The name that programs see.
    pub soc_name: &'static str,
    /// Bytes of device memory.
    pub capacity: u64,
    /// What the memory is called.
    pub memory: MemoryKind,
    /// Bytes that `aclrtMalloc` adds after a block.
    pub padding: u64,
    /// Whether 1 GiB pages exist.
    pub gigabyte_pages: bool,
    /// How many streams may exist at once.
    pub streams: u32,
    /// Matrix cores.
    pub cube_cores: u32,
    /// Vector cores.
    pub vector_cores: u32,
    /// Bytes of second-level cache.
    pub l2_bytes: u64,
    /// Whether it also runs kernels of single threads.
    pub has_threads: bool,
    /// Whether results can be brought into the range of their type.
    pub saturates: bool,
}

/// How many events may exist at once, on every profile.
pub const EVENT_LIMIT: u32 = 65_536;

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

const BASE: Profile = Profile {
    name: "ascend910b2",
    soc_name: "Ascend910B2",
    capacity: 64 * GIB,
    memory: MemoryKind::Hbm,
    padding: 32,
    gigabyte_pages: true,
    streams: 1984,
    cube_cores: 24,
    vector_cores: 48,
    l2_bytes: 192 * MIB,
    has_threads: false,
    saturates: true,
};

/// All profiles; the first is the default.
pub const PROFILES: &[Profile] = &[
    BASE,
    Profile {
        name: "ascend910b1",
        soc_name: "Ascend910B1",
        ..BASE
    },
    Profile {
        name: "ascend910b3",
        soc_name: "Ascend910B3",
        cube_cores: 20,
        vector_cores: 40,
        ..BASE
    },
    Profile {
        name: "ascend910b4",
        soc_name: "Ascend910B4",
        capacity: 32 * GIB,
        cube_cores: 20,
        vector_cores: 40,
        l2_bytes: 96 * MIB,
        ..BASE
    },
    Profile {
        name: "ascend910_93",
        soc_name: "Ascend910_9392",
        ..BASE
    },
    Profile {
        name: "ascend310p3",
        soc_name: "Ascend310P3",
        capacity: 24 * GIB,
        memory: MemoryKind::Ddr,
        gigabyte_pages: false,
        streams: 1024,
        cube_cores: 8,
        vector_cores: 8,
        l2_bytes: 16 * MIB,
        ..BASE
    },
    Profile {
        name: "ascend950",
        soc_name: "Ascend950",
        padding: 0,
        has_threads: true,
        saturates: false,
        ..BASE
    },
];

impl Profile {
    /// The profile of that name; upper and lower case are the same.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROFILES
            .iter()
            .find(|profile| profile.name.eq_ignore_ascii_case(name))
    }
}

impl Default for Profile {
    fn default() -> Self {
        BASE
    }
}
