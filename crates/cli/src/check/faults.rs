//! What `--fault` says: `FUNCTION:nth=N:code=C` and its relatives.
//!
//! The library reads the same and only complains: a program must run with whatever its environment holds. Who
//! types a command wants to know before it runs, or a test of a failure would pass without one.

/// Every function of the interface, one a line, by name.
const FUNCTIONS: &str = include_str!("../../../capi/compatibility.tsv");
/// The functions of registered allocators that allocate.
const ALLOCATOR: &str = "allocator.alloc";

/// Reads one fault, and hands it on as it is.
pub(super) fn fault(text: &str) -> Result<String, String> {
    const FORM: &str = "expected FUNCTION:nth=N:code=C, such as aclrtMalloc:nth=3:code=207001";
    let mut parts = text.split(':');
    let function = parts.next().unwrap_or_default();
    if !is_known(function) {
        return Err(format!("there is no function called '{function}'; {FORM}"));
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
            _ => return Err(format!("'{part}' is not understood; {FORM}")),
        }
    }
    let has = |key| seen.contains(&key);
    let ways = ["nth", "every", "after", "one-in"];
    match ways.into_iter().filter(|way| has(way)).count() {
        0 => Err(format!(
            "one of nth, every, after and one-in is missing; {FORM}"
        )),
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
