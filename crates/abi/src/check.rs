//! `millpond/check.h`: the checker inside a program.

use core::ffi::c_char;

enums! {
    /// How bad a finding is.
    millpondCheckSeverity {
        MILLPOND_CHECK_HINT = 0,
        MILLPOND_CHECK_WARNING = 1,
        MILLPOND_CHECK_ERROR = 2,
    }

    /// The form of a report.
    millpondCheckFormat {
        MILLPOND_CHECK_TEXT = 0,
        MILLPOND_CHECK_JSON = 1,
        MILLPOND_CHECK_SARIF = 2,
        MILLPOND_CHECK_JUNIT = 3,
        MILLPOND_CHECK_HTML = 4,
    }
}

structs! {
    /// What is looked for.
    millpondCheckOptions {
        structSize: usize,
        rules: *const c_char,
        suppressions: *const c_char,
        stacks: u32,
        ignoresLeaks: u32,
        prints: u32,
    }

    /// A finding.
    millpondCheckFinding {
        structSize: usize,
        rule: *const c_char,
        message: *const c_char,
        text: *const c_char,
        call: *const c_char,
        function: *const c_char,
        file: *const c_char,
        line: u32,
        severity: u32,
        times: u64,
    }
}
