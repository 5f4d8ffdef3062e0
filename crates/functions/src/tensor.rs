//! A tensor as a call gives it: a layout over memory that is somebody else's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use millpond_kernels::{Dims, Element, count};
use parking_lot::Mutex;

/// The dimensions that a result turned out to have, where contents decide them.
pub type ActualShape = Arc<Mutex<Option<Dims>>>;

/// A layout over memory. It owns nothing.
#[derive(Debug, Default)]
pub struct Tensor {
    /// Which object of the program it is; how addresses are changed later.
    pub id: u64,
    /// The type of its elements.
    pub element: Option<Element>,
    /// Its dimensions.
    pub dims: Dims,
    /// Distances between neighbours along each axis, in elements.
    pub strides: Dims,
    /// Where its first element is.
    pub address: u64,
    /// How many elements there are from the first one to the last one, both counted.
    pub reach: i64,
    /// Where the view begins in its storage, in elements.
    pub offset: i64,
    /// The format's number.
    pub format: i32,
    /// The dimensions of the storage that contains the view.
    pub storage: Dims,
    /// Written by functions whose result has as many elements as its contents say.
    actual: OnceLock<ActualShape>,
}

/// The number of the format whose storage lies in blocks.
pub const FRACTAL_NZ: i32 = 29;

/// How many rows a block has.
const ROWS: i64 = 16;

/// Storage in blocks: the last two axes are cut into columns of blocks, `[…, columns / width, rows / 16, 16, width]`.
#[derive(Debug, Clone)]
pub struct Blocks {
    /// The axes before the last two.
    pub lead: Dims,
    /// How many rows and columns there are without what blocks are filled up with.
    pub matrix: [i64; 2],
    /// How many columns a block has.
    pub width: i64,
    /// Whether the view has rows and columns the other way round.
    pub turned: bool,
}

impl Blocks {
    /// The storage of a matrix, or of matrices.
    pub fn storage(dims: &[i64], width: i64) -> Option<Dims> {
        let (lead, [rows, columns]) = dims.split_last_chunk::<2>()?;
        let up = |size: i64, unit: i64| size.checked_add(unit - 1).map(|size| size / unit);
        let mut storage = Dims::from_slice(lead);
        storage.extend([up(*columns, width)?, up(*rows, ROWS)?, ROWS, width]);
        Some(storage)
    }

    fn of(tensor: &Tensor) -> Result<Self, String> {
        let rank = tensor.rank();
        let dense = |dims: &[i64], strides: &[i64]| {
            let expected = millpond_kernels::contiguous_strides(dims);
            let axes = dims.iter().zip(strides.iter().zip(&expected));
            dims.contains(&0) || axes.into_iter().all(|(dim, (a, b))| *dim == 1 || a == b)
        };
        let swapped = |list: &Dims| {
            let mut list = list.clone();
            list.swap(rank - 2, rank - 1);
            list
        };
        let width = tensor.storage.last().copied().unwrap_or(0);
        let fits = |dims: &Dims, strides: &Dims| {
            tensor.offset == 0
                && width > 0
                && dense(dims, strides)
                && Self::storage(dims, width).as_ref() == Some(&tensor.storage)
        };
        // Where a dimension is 0 or 1 only the storage says which way round the matrix is.
        let other = swapped(&tensor.dims);
        let (dims, turned) = if fits(&tensor.dims, &tensor.strides) {
            (&tensor.dims, false)
        } else if fits(&other, &swapped(&tensor.strides)) {
            (&other, true)
        } else {
            return Err(format!(
                "a tensor in FRACTAL_NZ is a view of {:?} with strides {:?} that begins at element {} of the storage {:?}; Millpond takes the whole matrix, or its transpose",
                tensor.dims, tensor.strides, tensor.offset, tensor.storage
            ));
        };
        Ok(Self {
            lead: Dims::from_slice(&dims[..rank - 2]),
            matrix: [dims[rank - 2], dims[rank - 1]],
            width,
            turned,
        })
    }
}

/// A number that no other tensor has.
#[inline]
fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Tensor {
    /// A tensor whose elements are contiguous.
    pub fn dense(element: Element, dims: &[i64], address: u64) -> Self {
        let reach = i64::try_from(count(dims)).unwrap_or(i64::MAX);
        let strides = millpond_kernels::contiguous_strides(dims);
        let mut tensor = Self::new(element, dims.into(), strides, address, reach);
        tensor.storage = dims.into();
        tensor
    }

    /// A tensor of any layout, which reaches over `reach` elements. It has no storage yet.
    #[inline]
    pub fn new(element: Element, dims: Dims, strides: Dims, address: u64, reach: i64) -> Self {
        Self {
            id: next_id(),
            element: Some(element),
            dims,
            strides,
            address,
            reach,
            offset: 0,
            format: 2,
            storage: Dims::new(),
            actual: OnceLock::new(),
        }
    }

    /// A tensor that is described field by field, where it stays.
    #[inline]
    pub fn blank() -> Self {
        Self {
            id: next_id(),
            element: None,
            dims: Dims::new(),
            strides: Dims::new(),
            address: 0,
            reach: 0,
            offset: 0,
            format: 2,
            storage: Dims::new(),
            actual: OnceLock::new(),
        }
    }

    /// What stands for a member of a list that is NULL: no elements, no type.
    pub fn absent() -> Self {
        Self {
            dims: Dims::from_slice(&[0]),
            strides: Dims::from_slice(&[1]),
            ..Self::default()
        }
    }

    /// The type of its elements.
    pub fn element(&self) -> Element {
        self.element.unwrap_or(Element::F32)
    }

    /// How many axes it has.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// How many elements it has.
    pub fn count(&self) -> usize {
        count(&self.dims)
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.dims.contains(&0)
    }

    /// How many bytes it reaches over.
    pub fn bytes(&self) -> u64 {
        self.reach
            .unsigned_abs()
            .saturating_mul(self.element().bytes() as u64)
    }

    /// Where the real dimensions of a result go.
    pub fn actual(&self) -> ActualShape {
        Arc::clone(self.actual.get_or_init(ActualShape::default))
    }

    /// The real dimensions, once a run has found them; until then those that the program gave.
    pub fn actual_dims(&self) -> Dims {
        let found = self.actual.get().and_then(|actual| actual.lock().clone());
        found.unwrap_or_else(|| self.dims.clone())
    }

    /// How its storage lies if that is in blocks, as [`Blocks`] describes.
    ///
    /// A tensor that says so, but whose storage has no axes for blocks, is taken as it is: that is how `aclnnTransMatmulWeight` leaves it.
    pub fn blocks(&self) -> Option<Result<Blocks, String>> {
        self.has_blocks().then(|| Blocks::of(self))
    }

    /// Whether its storage lies in blocks.
    #[inline]
    pub fn has_blocks(&self) -> bool {
        let rank = self.rank();
        self.format == FRACTAL_NZ && rank >= 2 && self.storage.len() == rank + 2
    }

    /// Whether two tensors share bytes.
    pub fn overlaps(&self, other: &Self) -> bool {
        let (end, other_end) = (
            self.address.saturating_add(self.bytes()),
            other.address.saturating_add(other.bytes()),
        );
        self.address < other_end && other.address < end
    }

    /// Whether two tensors are the same elements in the same order.
    pub fn same_layout(&self, other: &Self) -> bool {
        self.address == other.address
            && self.element == other.element
            && self.dims == other.dims
            && self.strides == other.strides
    }

    /// An axis counted from the front; `None` if there is no such axis. A tensor without axes has axis 0, as in PyTorch.
    pub fn axis(&self, axis: i64) -> Option<usize> {
        let rank = i64::try_from(self.rank().max(1)).unwrap_or(1);
        (-rank..rank)
            .contains(&axis)
            .then(|| usize::try_from(axis.rem_euclid(rank)).unwrap_or(0))
    }
}
