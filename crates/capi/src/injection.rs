//! `MILLPOND_FAULT`: fault injection. Calls are made to fail, to test how a program handles it.
//!
//! `aclrtMalloc:nth=3:code=207001` makes the third call of `aclrtMalloc` return that code without doing
//! anything; several plans are separated by `;`. In place of `nth=3`: `every=10`, `after=5`, or `seed=7:one-in=20`, which
//! is chosen by a seeded generator and so the same in every run. `allocator.alloc` stands for the functions of registered
//! allocators, which then count as having returned NULL.
//!
//! Invariants: without the variable, calls cost nothing extra. If the variable is invalid, nothing fails, and a message on
//! stderr says what is wrong.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millpond_abi as abi;
use millpond_report::clean;
use millpond_trace::Operation;
use parking_lot::Mutex;

use crate::boundary::CallError;
use crate::{environment, process};

const SETTING: &str = "MILLPOND_FAULT";
const TEXT: &str = "made to fail by MILLPOND_FAULT";
/// The name of the allocating functions of registered allocators.
const ALLOCATOR: &str = "allocator.alloc";
/// Every function of the interface: one per line, its name first.
const FUNCTIONS: &str = include_str!("../compatibility.tsv");

/// The current plans: those of the variable, until the program sets others.
static PLANS: Mutex<Option<Arc<Vec<Plan>>>> = Mutex::new(None);

/// Which calls of a function fail, and how.
#[derive(Debug)]
struct Plan {
    function: String,
    when: When,
    code: i32,
    /// Calls so far.
    calls: AtomicU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// This call, counted from 1.
    Nth(u64),
    /// Every n-th call.
    Every(u64),
    /// All calls after this one.
    After(u64),
    /// One call in so many, by a seeded generator.
    OneIn { seed: u64, of: u64 },
}

impl When {
    fn includes(self, call: u64) -> bool {
        match self {
            Self::Nth(nth) => call == nth,
            Self::Every(every) => call.is_multiple_of(every),
            Self::After(after) => call > after,
            Self::OneIn { seed, of } => random(seed, call).is_multiple_of(of),
        }
    }
}

/// A pseudo-random number that depends on both.
fn random(seed: u64, call: u64) -> u64 {
    let mut word = seed ^ call.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for multiplier in [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB] {
        word = (word ^ (word >> 30)).wrapping_mul(multiplier);
    }
    word ^ (word >> 31)
}

/// The error that a call is made to return, if any. Counts the call.
#[cold]
pub(crate) fn failure_of(function: &str) -> Option<CallError> {
    let (code, nth) = injected(&plans(), function)?;
    process::emit(|| Operation::FaultInjected { code, nth });
    Some(CallError::coded(code, TEXT))
}

/// Whether an allocation from a registered allocator is made to fail. Counts it.
#[inline]
pub(crate) fn fails_allocator() -> bool {
    process::needs_slow_path() && allocator_fails()
}

#[cold]
fn allocator_fails() -> bool {
    let Some((_, nth)) = injected(&plans(), ALLOCATOR) else {
        return false;
    };
    process::emit(|| Operation::FaultInjected { code: 0, nth });
    true
}

/// The code and the number of the call, if a plan includes it.
fn injected(plans: &[Plan], function: &str) -> Option<(i32, u64)> {
    let mut found = None;
    for plan in plans.iter().filter(|plan| plan.function == function) {
        let call = plan.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if found.is_none() && plan.when.includes(call) {
            found = Some((plan.code, call));
        }
    }
    found
}

/// The current plans. The variable is read at the first call of any function.
fn plans() -> Arc<Vec<Plan>> {
    let mut plans = PLANS.lock();
    let plans = plans.get_or_insert_with(|| {
        let text = environment::variable(SETTING).unwrap_or_default();
        let plans = read(&text.to_string_lossy()).unwrap_or_else(|problem| {
            // If stderr cannot be written, the message is lost and the program continues.
            drop(writeln!(
                std::io::stderr(),
                "millpond: invalid {SETTING}: {}; no call is made to fail",
                clean(&problem)
            ));
            Vec::new()
        });
        if plans.is_empty() {
            process::set_injection(false);
        }
        Arc::new(plans)
    });
    Arc::clone(plans)
}

/// Replaces the plans and starts counting again; an empty text removes all.
pub(crate) fn replace(text: &str) -> Result<(), String> {
    let next = read(text)?;
    let mut plans = PLANS.lock();
    if next.is_empty() {
        process::set_injection(false);
    } else {
        process::set_injection(true);
    }
    *plans = Some(Arc::new(next));
    Ok(())
}

fn read(text: &str) -> Result<Vec<Plan>, String> {
    let parts = text.split(';').map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(|part| plan(part).map_err(|problem| format!("'{part}': {problem}")))
        .collect()
}

fn plan(text: &str) -> Result<Plan, String> {
    let mut words = text.split(':').map(str::trim);
    let function = words.next().unwrap_or_default();
    if !is_known(function) {
        return Err(format!("unknown function '{function}'"));
    }
    let (mut code, mut seed, mut when) = (None, None, None);
    let mut of = None;
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            return Err(format!("'{word}' must have the form key=value"));
        };
        let number = || -> Result<u64, String> {
            let number = value.parse();
            number.map_err(|_| format!("{key} is '{value}', but must be a number"))
        };
        let count = || match number()? {
            0 => Err(format!("{key} is 0, but must be at least 1")),
            count => Ok(count),
        };
        let repeated = match key {
            "nth" => when.replace(When::Nth(count()?)).is_some(),
            "every" => when.replace(When::Every(count()?)).is_some(),
            "after" => when.replace(When::After(number()?)).is_some(),
            "seed" => seed.replace(number()?).is_some(),
            "one-in" => of.replace(count()?).is_some(),
            "code" => {
                let number = value.parse::<i32>().ok().filter(|code| *code != 0);
                let number = number.ok_or_else(|| {
                    format!("code is '{value}', but must be a number other than 0")
                })?;
                code.replace(number).is_some()
            }
            _ => {
                return Err(format!(
                    "unknown key '{key}'; use nth, every, after, seed with one-in, or code"
                ));
            }
        };
        if repeated {
            return Err("a key is given twice".to_owned());
        }
    }
    let when = match (when, seed, of) {
        (Some(when), None, None) => when,
        (None, seed, Some(of)) => When::OneIn {
            seed: seed.unwrap_or(0),
            of,
        },
        (None, _, None) => {
            return Err("it does not say which calls fail; add for example nth=1".to_owned());
        }
        (Some(_), _, _) => return Err("use only one of nth, every, after and one-in".to_owned()),
    };
    Ok(Plan {
        function: function.to_owned(),
        when,
        code: code.unwrap_or_else(|| usual_code(function)),
        calls: AtomicU64::new(0),
    })
}

/// The code of a plan that names none.
fn usual_code(function: &str) -> i32 {
    if function.contains("Malloc") || function.contains("Alloc") {
        abi::ACL_ERROR_RT_MEMORY_ALLOCATION
    } else {
        abi::ACL_ERROR_RT_INTERNAL_ERROR
    }
}

fn is_known(function: &str) -> bool {
    let mut names = FUNCTIONS
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').next());
    !function.is_empty() && (function == ALLOCATOR || names.any(|name| name == function))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the first calls fail.
    fn failing(text: &str, function: &str) -> Vec<u64> {
        let plans = read(text).unwrap();
        (1..=10)
            .filter(|&call| {
                injected(&plans, function).is_some_and(|(_, nth)| {
                    assert_eq!(nth, call);
                    true
                })
            })
            .collect()
    }

    #[test]
    fn the_calls_that_are_named_fail_and_no_others() {
        let malloc = |text: &str| failing(text, "aclrtMalloc");
        assert_eq!(malloc("aclrtMalloc:nth=3:code=207001"), [3]);
        assert_eq!(malloc("aclrtMalloc:every=4"), [4, 8]);
        assert_eq!(malloc("aclrtMalloc:after=8"), [9, 10]);
        assert_eq!(malloc(" aclrtMalloc:nth=2 ; aclrtMalloc:nth=5;"), [2, 5]);
        assert!(malloc("aclrtFree:nth=1").is_empty());
        assert!(malloc("").is_empty());
        assert_eq!(failing("allocator.alloc:nth=2", ALLOCATOR), [2]);
        let random = malloc("aclrtMalloc:seed=3:one-in=3");
        assert_eq!(random, malloc("aclrtMalloc:seed=3:one-in=3"));
        assert!(!random.is_empty() && random.len() < 8, "{random:?}");
        assert_ne!(random, malloc("aclrtMalloc:seed=4:one-in=3"));
    }

    #[test]
    fn codes_are_as_asked_or_what_fits_the_function() {
        let code = |text: &str| read(text).unwrap()[0].code;
        assert_eq!(code("aclrtFree:nth=1:code=-7"), -7);
        assert_eq!(
            code("aclrtMalloc:nth=1"),
            abi::ACL_ERROR_RT_MEMORY_ALLOCATION
        );
        assert_eq!(code("aclrtFree:nth=1"), abi::ACL_ERROR_RT_INTERNAL_ERROR);
    }

    #[test]
    fn invalid_plans_are_reported() {
        for (text, problem) in [
            ("aclrtMaloc:nth=1", "unknown function 'aclrtMaloc'"),
            (":nth=1", "unknown function ''"),
            ("aclrtMalloc", "for example nth=1"),
            ("aclrtMalloc:seed=4", "for example nth=1"),
            ("aclrtMalloc:nth", "key=value"),
            ("aclrtMalloc:nth=x", "nth is 'x'"),
            ("aclrtMalloc:nth=0", "at least 1"),
            ("aclrtMalloc:one-in=0", "at least 1"),
            ("aclrtMalloc:nth=1:code=0", "other than 0"),
            ("aclrtMalloc:nth=1:every=2", "given twice"),
            ("aclrtMalloc:nth=1:one-in=2", "only one of"),
            ("aclrtMalloc:when=now", "unknown key 'when'"),
            ("aclrtMalloc:nth=1;what:nth=1", "unknown function 'what'"),
        ] {
            let said = read(text).unwrap_err();
            assert!(said.contains(problem), "{text}: {said}");
        }
    }
}
