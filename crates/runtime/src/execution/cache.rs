//! Models by key, the least recently used of which are forgotten.

use std::collections::HashMap;
use std::hash::Hash;

use parking_lot::Mutex;

use super::model::Model;

/// Models by key: how operators are found again. It has a limit, beyond which the least recently used go.
#[derive(Debug)]
pub struct ModelCache<K> {
    state: Mutex<State<K>>,
}

#[derive(Debug)]
struct State<K> {
    models: HashMap<K, (u64, Model)>,
    clock: u64,
    limit: usize,
}

impl<K: Hash + Eq + Clone> ModelCache<K> {
    /// An empty one that will hold at most `limit` models.
    pub fn new(limit: usize) -> Self {
        Self {
            state: Mutex::new(State {
                models: HashMap::new(),
                clock: 0,
                limit: limit.max(1),
            }),
        }
    }

    /// The model with this key.
    pub fn get<Q>(&self, key: &Q) -> Option<Model>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let mut state = self.state.lock();
        state.clock += 1;
        let now = state.clock;
        let (used, model) = state.models.get_mut(key)?;
        *used = now;
        Some(model.clone())
    }

    /// Keeps a model under a key, in place of another.
    pub fn insert(&self, key: K, model: Model) {
        let mut state = self.state.lock();
        state.clock += 1;
        let now = state.clock;
        let before = state.models.insert(key, (now, model));
        let gone = state.shrink();
        // Unloading takes time: not under the lock.
        drop(state);
        drop((before, gone));
    }

    /// Forgets the models whose keys fit.
    pub fn remove_where(&self, fits: impl Fn(&K) -> bool) {
        let mut state = self.state.lock();
        let gone: Vec<_> = state.models.extract_if(|key, _| fits(key)).collect();
        drop(state);
        drop(gone);
    }

    /// Changes how many there may be.
    pub fn set_limit(&self, limit: usize) {
        let mut state = self.state.lock();
        state.limit = limit.max(1);
        let gone = state.shrink();
        drop(state);
        drop(gone);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.state.lock().models.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: Hash + Eq + Clone> State<K> {
    fn shrink(&mut self) -> Vec<(u64, Model)> {
        let mut gone = Vec::new();
        while self.models.len() > self.limit {
            let oldest = self.models.iter().min_by_key(|(_, (used, _))| *used);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                break;
            };
            gone.extend(self.models.remove(&key));
        }
        gone
    }
}
