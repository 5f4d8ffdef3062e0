//! The value of `--fault`: `FUNCTION:nth=N:code=C` and its variants.
//!
//! The library reads the same text from its environment and only complains, because the program must run. On the command
//! line a mistake is an error; otherwise a test of a failure would pass without one.

/// Every function of the interface, one per line.
const FUNCTIONS: &str = include_str!("../../../capi/compatibility.tsv");
/// The functions of registered allocators that allocate.
const ALLOCATOR: &str = "allocator.alloc";

/// Checks one fault and returns it unchanged.
pub(super) fn fault(text: &str) -> Result<String, String> {
    const FORM: &str = "expected FUNCTION:nth=N:code=C, such as aclrtMalloc:nth=3:code=207001";
    let mut parts = text.split(':');
    let function = parts.next().unwrap_or_default();
    if !is_known(function) {
        return Err(format!("unknown function '{function}'; {FORM}"));
    }
    let mut seen = Vec::new();
    for part in parts {
        let key = part.split_once('=').and_then(|(key, value)| {
            let valid = match key {
                "nth" | "every" | "one-in" => value.parse::<u64>().is_ok_and(|number| number > 0),
                "after" | "seed" => value.parse::<u64>().is_ok(),
                "code" => value.parse::<i32>().is_ok_and(|number| number != 0),
                _ => false,
            };
            valid.then_some(key)
        });
        match key {
            Some(key) if !seen.contains(&key) => seen.push(key),
            _ => return Err(format!("invalid part '{part}'; {FORM}")),
        }
    }
    let has = |key| seen.contains(&key);
    let ways = ["nth", "every", "after", "one-in"];
    match ways.into_iter().filter(|way| has(way)).count() {
        0 => Err(format!("missing nth, every, after or one-in; {FORM}")),
        1 if !has("seed") || has("one-in") => Ok(text.to_owned()),
        _ => Err(format!(
            "only one of nth, every, after and seed:one-in is allowed; {FORM}"
        )),
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

    #[test]
    fn faults_name_a_function_and_a_call() {
        for good in [
            "aclrtMalloc:nth=3:code=207001",
            "aclrtMalloc:nth=1",
            "aclrtMalloc:every=10",
            "aclrtMalloc:after=0:code=1",
            "aclrtMemcpyAsync:seed=7:one-in=20",
            "allocator.alloc:nth=2",
        ] {
            assert_eq!(fault(good).as_deref(), Ok(good));
        }
        for bad in [
            "",
            "aclrtMalloc",
            "aclrtMaloc:nth=1",
            "aclrtMalloc:3",
            "aclrtMalloc:nth=0",
            "aclrtMalloc:nth=1:nth=2",
            "aclrtMalloc:nth=1:every=2",
            "aclrtMalloc:nth=1:seed=2",
            "aclrtMalloc:seed=2",
            "aclrtMalloc:code=1",
            "aclrtMalloc:code=0:nth=1",
            "aclrtMalloc:nth=1;aclrtFree:nth=1",
            "3x:nth=1",
            ":nth=1",
            "aclrtMalloc:nth=x",
        ] {
            assert!(fault(bad).is_err(), "{bad}");
        }
    }
}
