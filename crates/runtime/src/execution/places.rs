//! How many sessions a GPU has room for.
//!
//! A session takes memory of the GPU beside its weights, for handles of cuBLAS and cuDNN and their workspace: 146 MiB on an
//! H200. A program may load hundreds of operators, so only so many have a session at a time. A further one takes the place of one that
//! no recent run used. If recent runs used all of them, it gets none: otherwise, models that take turns would make a session for
//! every run.

use std::sync::Arc;

use super::site::GpuSession;
use crate::lock::{Mutex, rank};

/// What a session takes, rounded up.
const SESSION: u64 = 160 << 20;
/// Sessions may take this fraction of a GPU's memory, as a divisor.
const PART: u64 = 16;
/// Whatever the GPU's memory is, at least and at most this many sessions are allowed.
const LIMITS: std::ops::RangeInclusive<u64> = 4..=64;
/// A session loses its place to another one if none of this many runs used it.
const RECENT: u64 = 1000;

/// How many sessions a GPU with this much memory has room for.
pub(super) fn most_on(total: u64) -> usize {
    let most = (total / PART / SESSION).clamp(*LIMITS.start(), *LIMITS.end());
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// Who has a place on one GPU, and when it was used last.
#[derive(Debug)]
struct Places<T> {
    held: Vec<(T, u64)>,
    runs: u64,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self {
            held: Vec::new(),
            runs: 0,
        }
    }
}

/// Whether there is room for one more session.
#[derive(Debug, PartialEq, Eq)]
enum Room<T> {
    Free,
    /// There is, because this one lost its place.
    After(T),
    None,
}

impl<T> Places<T> {
    /// Counts a run, and notes which session it uses.
    fn used(&mut self, is: impl Fn(&T) -> bool) {
        self.runs += 1;
        if let Some((_, used)) = self.held.iter_mut().find(|(held, _)| is(held)) {
            *used = self.runs;
        }
    }

    fn room(&mut self, most: usize) -> Room<T> {
        if self.held.len() < most {
            return Room::Free;
        }
        let places = self.held.iter().enumerate();
        let oldest = places.min_by_key(|(_, (_, used))| *used);
        match oldest {
            Some((at, &(_, used))) if self.runs - used >= RECENT => {
                Room::After(self.held.swap_remove(at).0)
            }
            _ => Room::None,
        }
    }

    fn add(&mut self, one: T) {
        self.held.push((one, self.runs));
    }

    fn remove(&mut self, is: impl Fn(&T) -> bool) -> Option<T> {
        let at = self.held.iter().position(|(held, _)| is(held))?;
        Some(self.held.swap_remove(at).0)
    }
}

type Sessions = Places<Arc<GpuSession>>;

/// The sessions of one runtime on GPUs, by the number of the GPU.
#[derive(Debug, Default)]
pub(crate) struct GpuPlaces {
    gpus: Mutex<rank::GpuPlaces, Vec<(u32, Sessions)>>,
}

impl GpuPlaces {
    /// The caller drops what `act` returns, so that sessions end outside of the lock.
    fn on<R>(&self, gpu: u32, act: impl FnOnce(&mut Sessions) -> R) -> R {
        let mut gpus = self.gpus.lock();
        let at = gpus.iter().position(|(index, _)| *index == gpu);
        let at = at.unwrap_or_else(|| {
            gpus.push((gpu, Places::default()));
            gpus.len() - 1
        });
        act(&mut gpus[at].1)
    }

    /// A run uses this session.
    pub(super) fn used(&self, session: &Arc<GpuSession>) {
        self.on(session.access.index(), |places| {
            places.used(|held| Arc::ptr_eq(held, session));
        });
    }

    /// Whether a GPU has room for a further session. An unused one may be ended to make room.
    pub(super) fn make_room(&self, gpu: u32, most: usize) -> bool {
        let room = self.on(gpu, |places| {
            // A run that gets no session counts, too: otherwise unused sessions would never age.
            places.used(|_| false);
            places.room(most)
        });
        !matches!(room, Room::None)
    }

    pub(super) fn add(&self, session: Arc<GpuSession>) {
        self.on(session.access.index(), |places| places.add(session));
    }

    /// The model of this session is gone.
    pub(super) fn remove(&self, session: &Arc<GpuSession>) {
        let gpu = session.access.index();
        let removed = self.on(gpu, |places| {
            places.remove(|held| Arc::ptr_eq(held, session))
        });
        drop(removed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_take_a_sixteenth_of_a_gpu() {
        assert_eq!(most_on(140 << 30), 56);
        assert_eq!(most_on(24 << 30), 9);
        assert_eq!(most_on(2 << 30), 4);
        assert_eq!(most_on(1 << 40), 64);
    }

    #[test]
    fn a_place_goes_to_another_when_no_recent_run_used_it() {
        let mut places = Places::default();
        for one in [1, 2] {
            assert_eq!(places.room(2), Room::Free);
            places.add(one);
        }
        for _ in 0..RECENT - 1 {
            places.used(|one| *one == 1);
        }
        assert_eq!(places.room(2), Room::None);
        places.used(|one| *one == 1);
        assert_eq!(places.room(2), Room::After(2));
        places.add(3);
        assert_eq!(places.room(2), Room::None, "the new one counts as used");
        assert_eq!(places.remove(|one| *one == 1), Some(1));
        assert_eq!(places.remove(|one| *one == 1), None);
        assert_eq!(places.room(2), Room::Free);
    }

    #[test]
    fn models_that_take_turns_do_not_take_each_others_places() {
        let mut places = Places::default();
        let mut made = 0;
        for _ in 0..100 {
            for model in 0..8 {
                if places.held.iter().any(|(held, _)| *held == model) {
                    places.used(|held| *held == model);
                    continue;
                }
                places.used(|_| false);
                match places.room(4) {
                    Room::None => {}
                    Room::Free | Room::After(_) => {
                        places.add(model);
                        made += 1;
                    }
                }
            }
        }
        assert_eq!(made, 4);
    }
}
