//! The rules by which calls fail: `aclrtMalloc*:nth=3:code=207001`.
//!
//! A rule is a name, or a pattern with `*`, and words with `:` between them:
//!
//! | words | mean |
//! | --- | --- |
//! | `nth=N`, `every=N`, `after=N`, `one-in=N` with `seed=S`, `always` | which calls: one of these |
//! | `times=N` | no more than so many |
//! | `bytes>=N`, `device=N`, `thread=main`, `thread=others`, `thread=NAME` | only calls that are so; others are not counted |
//! | `code=C`, `out-of-memory`, `task=C`, `delay=MS`, `lost` | what happens: one of these |
//!
//! Rules are separated by `;`. The first that includes a call decides; all that match it count it. The language knows no function:
//! [`Names`] is what it may speak about.
//!
//! Invariant: the same calls in the same order give the same decisions.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::stall::this_thread;

/// The words of a language of rules.
pub trait Names {
    /// All functions that can be named.
    fn functions(&self) -> Vec<&'static str>;
    /// Functions with similar names.
    fn near(&self, name: &str) -> Vec<String>;
    /// The number of a code that is given by name, or what is wrong with it.
    fn code(&self, name: &str) -> Result<i32, String>;
    /// The code of a rule for these functions that gives none.
    fn usual_code(&self, function: &str) -> i32;
    /// The code of calls to a device that is lost.
    fn lost_code(&self) -> i32;
    /// Whether calls of a function have a number of bytes.
    fn has_size(&self, function: &str) -> bool;
}

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It returns this code and does nothing else.
    Return(i32),
    /// It succeeds, but its task does nothing and fails with this code when the stream comes to it.
    Task(i32),
    /// Its task runs so much later; a call without a task takes so long.
    Delay(Duration),
    /// It and all later calls that use the device return this code.
    Lost(i32),
}

/// A call, as far as rules know it.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// Its function.
    pub function: &'a str,
    /// Its bytes, where it is asked about by size. Rules with a size decide only then, others only without.
    pub bytes: Option<u64>,
    /// The device that it uses.
    pub device: Option<u32>,
}

/// That a rule includes a call.
#[derive(Debug, Clone)]
pub struct Decision {
    /// What happens.
    pub action: Action,
    /// The rule.
    pub rule: Arc<str>,
    /// Its number.
    pub id: u64,
    /// The number of the call among those that the rule counts.
    pub nth: u64,
}

impl Decision {
    /// What happened, in words.
    pub fn sentence(&self) -> String {
        let Self { rule, nth, .. } = self;
        format!("a fault was injected by the rule '{rule}' (call {nth} that it counts)")
    }
}

/// One rule and what it has seen.
#[derive(Debug)]
pub struct Rule {
    text: Arc<str>,
    pattern: String,
    when: When,
    times: u64,
    least_bytes: Option<u64>,
    device: Option<u32>,
    thread: Option<Thread>,
    action: Action,
    calls: AtomicU64,
    hits: AtomicU64,
    id: u64,
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

#[derive(Debug, Clone, PartialEq, Eq)]
enum Thread {
    Main,
    Others,
    Named(String),
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

impl Thread {
    fn is_this(&self) -> bool {
        let is_main = this_thread() == Some(u64::from(std::process::id()));
        match self {
            Self::Main => is_main,
            Self::Others => !is_main,
            Self::Named(pattern) => {
                let name = std::fs::read_to_string("/proc/thread-self/comm").unwrap_or_default();
                matches(pattern, name.trim_end())
            }
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

/// Whether a name matches a pattern, in which `*` stands for any text.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, mut rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(first) else {
        return false;
    };
    while let Some((part, next)) = rest.split_once('*') {
        let Some(at) = name.find(part) else {
            return false;
        };
        name = &name[at + part.len()..];
        rest = next;
    }
    name.ends_with(rest)
}

impl Rule {
    /// Its words.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn decide(&self, call: &Call<'_>) -> Option<Decision> {
        if !matches(&self.pattern, call.function)
            || self.least_bytes.is_some() != call.bytes.is_some()
            || self.least_bytes > call.bytes
            || self.device.is_some() && self.device != call.device
            || self.thread.as_ref().is_some_and(|thread| !thread.is_this())
        {
            return None;
        }
        let nth = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if !self.when.includes(nth) {
            return None;
        }
        let more = |hits| (hits < self.times).then_some(hits + 1);
        let hit = self
            .hits
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        hit.ok().map(|_| Decision {
            action: self.action,
            rule: Arc::clone(&self.text),
            id: self.id,
            nth,
        })
    }
}

/// The current rules.
#[derive(Debug, Default)]
pub struct Rules {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    rules: Arc<Vec<Arc<Rule>>>,
    last_id: u64,
}

impl Rules {
    /// No rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// What happens to a call. Every rule that matches it counts it.
    pub fn decide(&self, call: &Call<'_>) -> Option<Decision> {
        let rules = Arc::clone(&self.state.lock().rules);
        let mut first = None;
        for rule in &*rules {
            let decision = rule.decide(call);
            first = first.or(decision);
        }
        first
    }

    /// Replaces all rules, if all of the text is valid; counting starts again.
    pub fn set(&self, text: &str, names: &dyn Names) -> Result<(), String> {
        let mut next = read(text, names)?;
        let mut state = self.state.lock();
        for rule in &mut next {
            state.last_id += 1;
            rule.id = state.last_id;
        }
        state.rules = Arc::new(next.into_iter().map(Arc::new).collect());
        Ok(())
    }

    /// Adds one rule after the others, and returns its number.
    pub fn add(&self, text: &str, names: &dyn Names) -> Result<u64, String> {
        let mut next = read(text, names)?;
        let (Some(mut rule), None) = (next.pop(), next.pop()) else {
            return Err(format!("'{text}' must be one rule"));
        };
        let mut state = self.state.lock();
        state.last_id += 1;
        rule.id = state.last_id;
        let mut rules = (*state.rules).clone();
        rules.push(Arc::new(rule));
        state.rules = Arc::new(rules);
        Ok(state.last_id)
    }

    /// Removes a rule; false if there is none with this number.
    pub fn remove(&self, id: u64) -> bool {
        let mut state = self.state.lock();
        let mut rules = (*state.rules).clone();
        let before = rules.len();
        rules.retain(|rule| rule.id != id);
        let removed = rules.len() < before;
        state.rules = Arc::new(rules);
        removed
    }

    /// How many calls a rule has counted, and how many it has changed.
    pub fn seen(&self, id: u64) -> Option<(u64, u64)> {
        let rules = Arc::clone(&self.state.lock().rules);
        let rule = rules.iter().find(|rule| rule.id == id)?;
        Some((
            rule.calls.load(Ordering::Relaxed),
            rule.hits.load(Ordering::Relaxed),
        ))
    }

    /// How many calls all rules together have changed.
    pub fn hits(&self) -> u64 {
        let rules = Arc::clone(&self.state.lock().rules);
        let hits = rules.iter().map(|rule| rule.hits.load(Ordering::Relaxed));
        hits.sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.state.lock().rules.is_empty()
    }
}

fn read(text: &str, names: &dyn Names) -> Result<Vec<Rule>, String> {
    let parts = text.split(';').map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(|part| rule(part, names).map_err(|problem| format!("'{part}': {problem}")))
        .collect()
}

/// What the words of a rule have said so far.
#[derive(Default)]
struct Words {
    when: Option<When>,
    seed: Option<u64>,
    one_in: Option<u64>,
    times: Option<u64>,
    bytes: Option<u64>,
    device: Option<u32>,
    thread: Option<Thread>,
    action: Option<Action>,
}

fn rule(text: &str, names: &dyn Names) -> Result<Rule, String> {
    let mut words = text.split(':').map(str::trim);
    let pattern = words.next().unwrap_or_default();
    let functions = names.functions();
    let mut named = functions.iter().filter(|known| matches(pattern, known));
    let Some(first) = named.next() else {
        return Err(unknown(pattern, &names.near(pattern)));
    };
    let mut said = Words::default();
    for word in words {
        said.take(word, pattern, names)?;
    }
    if said.bytes.is_some()
        && !functions
            .iter()
            .any(|known| matches(pattern, known) && names.has_size(known))
    {
        return Err(format!(
            "'{pattern}' has no size, so bytes>= cannot be used"
        ));
    }
    let when = match (said.when, said.seed, said.one_in) {
        (Some(when), None, None) => when,
        (None, seed, Some(of)) => When::OneIn {
            seed: seed.unwrap_or(0),
            of,
        },
        // A condition on the call says which calls.
        (None, None, None)
            if said.bytes.is_some() || said.device.is_some() || said.thread.is_some() =>
        {
            When::After(0)
        }
        (None, _, None) => {
            return Err("it does not say which calls fail; add for example nth=1".to_owned());
        }
        (Some(_), _, _) => {
            return Err("use only one of nth, every, after, always and one-in".to_owned());
        }
    };
    Ok(Rule {
        text: text.into(),
        pattern: pattern.to_owned(),
        when,
        times: said.times.unwrap_or(u64::MAX),
        least_bytes: said.bytes,
        device: said.device,
        thread: said.thread,
        action: said
            .action
            .unwrap_or_else(|| Action::Return(names.usual_code(first))),
        calls: AtomicU64::new(0),
        hits: AtomicU64::new(0),
        id: 0,
    })
}

impl Words {
    fn take(&mut self, word: &str, pattern: &str, names: &dyn Names) -> Result<(), String> {
        let flag = match word {
            "always" => Some(self.when.replace(When::After(0)).is_some()),
            "out-of-memory" => {
                let code = names.usual_code("aclrtMalloc");
                Some(self.action.replace(Action::Return(code)).is_some())
            }
            "lost" => {
                let code = names.lost_code();
                Some(self.action.replace(Action::Lost(code)).is_some())
            }
            _ => None,
        };
        let repeated = match flag {
            Some(repeated) => repeated,
            None => self.take_pair(word, pattern, names)?,
        };
        if repeated {
            return Err("a key is given twice, or two that exclude each other".to_owned());
        }
        Ok(())
    }

    /// Takes `key=value`, and returns whether it was given before.
    fn take_pair(&mut self, word: &str, pattern: &str, names: &dyn Names) -> Result<bool, String> {
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
        let code = || match value.parse::<i32>() {
            Ok(0) => Err(format!("{key} is 0, but must be a number other than 0")),
            Ok(code) => Ok(code),
            Err(_) => names.code(value),
        };
        Ok(match key {
            "nth" => self.when.replace(When::Nth(count()?)).is_some(),
            "every" => self.when.replace(When::Every(count()?)).is_some(),
            "after" => self.when.replace(When::After(number()?)).is_some(),
            "seed" => self.seed.replace(number()?).is_some(),
            "one-in" => self.one_in.replace(count()?).is_some(),
            "times" => self.times.replace(count()?).is_some(),
            "bytes>" => {
                let bytes = crate::config::parse_size(value).ok_or_else(|| {
                    format!("bytes>= is '{value}', but must be a size such as 4096 or 1M")
                })?;
                self.bytes.replace(bytes).is_some()
            }
            "device" => {
                let device = u32::try_from(number()?)
                    .map_err(|_| format!("device is '{value}', which is too large"))?;
                self.device.replace(device).is_some()
            }
            "thread" => {
                let thread = match value {
                    "main" => Thread::Main,
                    "others" => Thread::Others,
                    "" => {
                        return Err(
                            "thread must be main, others or the name of a thread".to_owned()
                        );
                    }
                    name => Thread::Named(name.to_owned()),
                };
                self.thread.replace(thread).is_some()
            }
            "code" => self.action.replace(Action::Return(code()?)).is_some(),
            "task" => self.action.replace(Action::Task(code()?)).is_some(),
            "delay" => {
                let time = Duration::from_millis(number()?);
                self.action.replace(Action::Delay(time)).is_some()
            }
            _ => {
                return Err(format!(
                    "unknown key '{key}' for '{pattern}'; use nth, every, after, one-in with seed, always or times; \
                     bytes>=, device or thread; code, out-of-memory, task, delay or lost"
                ));
            }
        })
    }
}

fn unknown(name: &str, near: &[String]) -> String {
    let mut text = format!("unknown function '{name}'");
    if !near.is_empty() {
        fmt::Write::write_fmt(
            &mut text,
            format_args!("; similar names: {}", near.join(", ")),
        )
        .ok();
    }
    text
}

#[cfg(test)]
mod tests;
