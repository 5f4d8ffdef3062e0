//! What programs are told: `millpondCudaListen`.
#![expect(unsafe_code, reason = "calls functions of the program")]

use std::ffi::{c_int, c_void};

use parking_lot::RwLock;

/// The moments of `millpondCudaMoment`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Shortage = 1,
    OutOfMemory = 2,
    Mapped = 3,
    Unmapping = 4,
}

/// The C structure. Fields are only ever added at its end.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct News {
    pub(crate) struct_size: usize,
    pub(crate) moment: u32,
    pub(crate) device: i32,
    pub(crate) pool: u64,
    pub(crate) stream: u64,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) reserved_bytes: u64,
    pub(crate) device_free_bytes: u64,
    pub(crate) device_total_bytes: u64,
}

pub(crate) type Callback = unsafe extern "C" fn(*mut c_void, *const News) -> c_int;

#[derive(Clone, Copy)]
struct Listener {
    callback: Callback,
    user: usize,
}

/// The most listeners.
const MOST: usize = 16;

static LISTENERS: RwLock<Vec<Listener>> = RwLock::new(Vec::new());

/// Adds a listener; false if there are too many.
pub(crate) fn listen(callback: Callback, user: *mut c_void) -> bool {
    let mut listeners = LISTENERS.write();
    if listeners.len() >= MOST {
        return false;
    }
    listeners.push(Listener {
        callback,
        user: user.expose_provenance(),
    });
    true
}

pub(crate) fn anybody() -> bool {
    !LISTENERS.read().is_empty()
}

/// Tells everybody, without a lock; answers whether somebody returned other than 0.
pub(crate) fn tell(news: &News) -> bool {
    let listeners = LISTENERS.read().clone();
    let mut answer = false;
    for listener in listeners {
        let user = std::ptr::with_exposed_provenance_mut(listener.user);
        // SAFETY: the program has promised that the function can be called with this until the process ends.
        answer |= unsafe { (listener.callback)(user, news) } != 0;
    }
    answer
}
