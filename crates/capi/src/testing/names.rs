//! What rules can name: the functions of the interface, and the codes that they return.

use std::sync::LazyLock;

use millpond::testing::Names;
use millpond_abi as abi;
use millpond_report::near;

use super::ALLOCATOR;

/// Every function of the interface: one per line, its name first.
const FUNCTIONS: &str = include_str!("../../compatibility.tsv");
/// What calls return that use a device which a rule made lost.
pub(super) const LOST_CODE: i32 = abi::ACL_ERROR_RT_LOST_HEARTBEAT;
/// How many similar names are listed.
const MOST_NEAR: usize = 3;
/// What names of constants with codes begin with.
const CODES: [&str; 3] = ["ACL_ERROR_", "ACLNN_ERR_", "HCCL_E_"];

/// The functions whose calls have a number of bytes that rules can ask for: those that call [`super::sized`].
const SIZED: [&str; 16] = [
    "aclrtMalloc",
    "aclrtMallocAlign32",
    "aclrtMallocCached",
    "aclrtMallocWithCfg",
    "aclrtMallocForTaskScheduler",
    "aclrtMallocHost",
    "aclrtMallocHostWithCfg",
    "aclrtMallocPhysical",
    "aclrtMemcpy",
    "aclrtMemcpyAsync",
    "aclrtMemcpyAsyncWithCondition",
    "aclrtMemcpy2d",
    "aclrtMemcpy2dAsync",
    "aclrtMemset",
    "aclrtMemsetAsync",
    "acldvppMalloc",
];

fn exported() -> impl Iterator<Item = &'static str> {
    let lines = FUNCTIONS.lines().skip(1);
    lines.filter_map(|line| line.split('\t').next().filter(|name| !name.is_empty()))
}

/// Whether a name, which may have a `*` in it, is that of a function.
pub(crate) fn is_known(pattern: &str) -> bool {
    exported().any(|name| millpond::testing::matches(pattern, name)) || is_operator(pattern)
}

/// Operators by function are in a table of their own.
fn is_operator(pattern: &str) -> bool {
    pattern.starts_with("aclnn")
        && operators().any(|name| millpond::testing::matches(pattern, name))
}

/// Both functions of each.
fn operators() -> impl Iterator<Item = &'static str> {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let both = |name: &str| [name.to_owned(), format!("{name}GetWorkspaceSize")];
        millpond_functions::names().flat_map(both).collect()
    });
    NAMES.iter().map(String::as_str)
}

/// Whether a call works on a device. What cleans up, and what asks who and where the program is, works without one.
pub(super) fn needs_device(function: &str) -> bool {
    const PREFIXES: [&str; 5] = ["aclrt", "aclop", "aclmdl", "aclnn", "Hccl"];
    const CLEANS: [&str; 13] = [
        "Destroy",
        "Free",
        "Reset",
        "Unload",
        "Release",
        "GetDevice",
        "QueryDeviceStatus",
        "LastError",
        "GetSocName",
        "GetVersion",
        "GetRunMode",
        "GetErrorString",
        "GetCurrentContext",
    ];
    PREFIXES.iter().any(|prefix| function.starts_with(prefix))
        && !CLEANS.iter().any(|word| function.contains(word))
}

/// The vocabulary of the rules of a process.
pub(super) struct Functions;

impl Names for Functions {
    fn functions(&self) -> Vec<&'static str> {
        let ours = |name: &&str| !name.starts_with("millpond");
        exported()
            .filter(ours)
            .chain(operators())
            .chain([ALLOCATOR])
            .collect()
    }

    fn near(&self, name: &str) -> Vec<String> {
        let found = near(name, self.functions(), MOST_NEAR);
        found.into_iter().map(str::to_owned).collect()
    }

    fn code(&self, name: &str) -> Result<i32, String> {
        let is_code = |name: &str| CODES.iter().any(|prefix| name.starts_with(prefix));
        let codes: Vec<(&str, i128)> = abi::constants().filter(|(name, _)| is_code(name)).collect();
        let found = codes.iter().find(|(known, _)| *known == name);
        if let Some(code) = found.and_then(|(_, code)| i32::try_from(*code).ok()) {
            return Ok(code);
        }
        let near = near(name, codes.iter().map(|(name, _)| *name), MOST_NEAR);
        let mut text = format!("'{name}' is neither a number other than 0 nor the name of a code");
        if !near.is_empty() {
            text += "; similar names: ";
            text += &near.join(", ");
        }
        Err(text)
    }

    fn usual_code(&self, function: &str) -> i32 {
        if function.contains("Malloc") || function.contains("Alloc") {
            abi::ACL_ERROR_RT_MEMORY_ALLOCATION
        } else {
            abi::ACL_ERROR_RT_INTERNAL_ERROR
        }
    }

    fn lost_code(&self) -> i32 {
        LOST_CODE
    }

    fn has_size(&self, function: &str) -> bool {
        SIZED.contains(&function)
    }
}

#[cfg(test)]
mod tests {
    use millpond::testing::{Action, Call, Rules};

    use super::*;

    fn first(text: &str, function: &str) -> Result<Action, String> {
        let rules = Rules::new();
        rules.set(text, &Functions)?;
        let call = Call {
            function,
            bytes: None,
            device: None,
        };
        Ok(rules.decide(&call).expect("a decision").action)
    }

    #[test]
    fn functions_and_codes_have_names() {
        let malloc = |text: &str| first(text, "aclrtMalloc");
        let code = Action::Return(abi::ACL_ERROR_RT_MEMORY_ALLOCATION);
        assert_eq!(malloc("aclrtMalloc:nth=1"), Ok(code));
        assert_eq!(
            malloc("aclrt*:nth=1:code=ACL_ERROR_RT_MEMORY_ALLOCATION"),
            Ok(code)
        );
        let inner = Action::Return(abi::ACL_ERROR_RT_INTERNAL_ERROR);
        assert_eq!(first("aclrtFree:nth=1", "aclrtFree"), Ok(inner));
        assert_eq!(first("allocator.alloc:nth=1", ALLOCATOR).map(drop), Ok(()));
        assert_eq!(first("aclnnAdd:nth=1", "aclnnAdd").map(drop), Ok(()));
        assert_eq!(
            first("HcclAllReduce:always:lost", "HcclAllReduce"),
            Ok(Action::Lost(LOST_CODE))
        );
    }

    #[test]
    fn what_is_misspelled_has_suggestions() {
        for (text, near) in [
            ("aclrtMaloc:nth=1", "aclrtMalloc"),
            ("aclnnAd:nth=1", "aclnnAdd"),
            (
                "aclrtFree:nth=1:code=ACL_ERROR_RT_MEMORY_ALOCATION",
                "ACL_ERROR_RT_MEMORY_ALLOCATION",
            ),
            ("millpondReset:nth=1", "unknown function"),
        ] {
            let said = first(text, "aclrtMalloc").unwrap_err();
            assert!(said.contains(near), "{text}: {said}");
        }
    }

    #[test]
    fn a_lost_device_can_still_be_cleaned_up() {
        for function in [
            "aclrtFree",
            "aclrtDestroyStream",
            "aclrtResetDeviceForce",
            "aclInit",
            "aclFinalize",
            "aclrtGetDevice",
        ] {
            assert!(!needs_device(function), "{function}");
        }
        for function in [
            "aclrtMalloc",
            "aclrtMemcpyAsync",
            "aclrtSynchronizeStream",
            "aclnnAdd",
            "HcclAllReduce",
        ] {
            assert!(needs_device(function), "{function}");
        }
    }
}
