//! Keeping the calling thread on a core of its own.
//!
//! Two threads that hand something over cost one thing on two cores and another on one, and which of
//! the two happens is up to the system and stays so for a whole run. A measurement has to choose.
#![expect(unsafe_code, reason = "asks the system which thread may run where")]

use std::fs;
use std::mem::{size_of, zeroed};

/// The calling thread has a core to itself, as far as this process is concerned, until this is dropped.
#[derive(Debug)]
pub(crate) struct Apart {
    before: libc::cpu_set_t,
}

impl Apart {
    /// Moves the calling thread to the first core and all threads that exist now to the others.
    ///
    /// `None` where there is only one core, or where the system does not allow it.
    pub(crate) fn now() -> Option<Self> {
        let before = allowed()?;
        let mut cores = (0..size_of::<libc::cpu_set_t>() * 8).filter(|core| has(&before, *core));
        let (first, _second) = (cores.next()?, cores.next()?);
        let mut others = before;
        // SAFETY: the number comes from the set, so it lies in it.
        unsafe { libc::CPU_CLR(first, &mut others) };
        // SAFETY: all zeros is the empty set.
        let mut own: libc::cpu_set_t = unsafe { zeroed() };
        // SAFETY: as above.
        unsafe { libc::CPU_SET(first, &mut own) };
        move_all(&others);
        allow(0, &own).then_some(Self { before })
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        move_all(&self.before);
    }
}

/// Keeps the calling thread on one core, a different one for each number as far as there are cores.
pub(crate) fn stay_on(number: usize) {
    let Some(cores) = allowed() else {
        return;
    };
    let all: Vec<usize> = (0..size_of::<libc::cpu_set_t>() * 8)
        .filter(|core| has(&cores, *core))
        .collect();
    if all.is_empty() {
        return;
    }
    // SAFETY: all zeros is the empty set.
    let mut own: libc::cpu_set_t = unsafe { zeroed() };
    // SAFETY: the number comes from the set, so it lies in it.
    unsafe { libc::CPU_SET(all[number % all.len()], &mut own) };
    allow(0, &own);
}

fn has(cores: &libc::cpu_set_t, core: usize) -> bool {
    // SAFETY: the caller counts up to the size of the set.
    unsafe { libc::CPU_ISSET(core, cores) }
}

/// The cores that the calling thread may run on.
fn allowed() -> Option<libc::cpu_set_t> {
    // SAFETY: all zeros is the empty set.
    let mut cores: libc::cpu_set_t = unsafe { zeroed() };
    // SAFETY: `cores` is writable and as long as is said; 0 is the calling thread.
    let answer = unsafe { libc::sched_getaffinity(0, size_of_val(&cores), &raw mut cores) };
    (answer == 0).then_some(cores)
}

/// Lets thread `id` run on `cores` only; 0 is the calling thread.
fn allow(id: libc::pid_t, cores: &libc::cpu_set_t) -> bool {
    // SAFETY: `cores` is readable and as long as is said; a thread that is gone is an error code.
    let answer = unsafe { libc::sched_setaffinity(id, size_of_val(cores), cores) };
    answer == 0
}

/// Lets every thread of this process run on `cores` only. One that ends meanwhile does not matter.
fn move_all(cores: &libc::cpu_set_t) {
    let threads = fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    for thread in threads {
        if let Ok(id) = thread.file_name().to_string_lossy().parse() {
            allow(id, cores);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    /// `Apart` moves all threads, those of the other test too.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    #[test]
    fn a_thread_stays_on_the_core_of_its_number() {
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        for number in 0..3 {
            let stays = move || {
                stay_on(number);
                let cores = allowed().unwrap();
                (0..1024).filter(|core| has(&cores, *core)).count()
            };
            assert_eq!(std::thread::spawn(stays).join().unwrap(), 1);
        }
    }

    #[test]
    fn the_cores_are_as_before_afterwards() {
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let before = allowed().unwrap();
        drop(Apart::now());
        let after = allowed().unwrap();
        assert!((0..1024).all(|core| has(&before, core) == has(&after, core)));
    }
}
