//! `docs/rules/README.md`: every rule with its page.

use millpond_check::rules;

const HEAD: &str = "\
<!-- Written by `cargo xtask generate` from crates/check/src/rules. -->
# Rules

The rules that `millpond check` checks. Each is a documented restriction of AscendCL, HCCL or MSTX, or follows from
what the documentation says about memory. Its page has the documented requirement, a program that breaks it, the fixed program, and how
the mistake is found. Tests compile and run both programs.

*Errors* and *warnings* make `millpond check` exit with 1; a *hint* does not change the exit status. A warning is something that works
here but that the documentation does not promise elsewhere.

`millpond check --rules 'stream.*,memory.leak'` checks only some of them; [suppressions](../suppressions.md) hide
known findings.
";

const GROUPS: &[(&str, &str)] = &[
    ("memory", "Blocks of memory and their bytes"),
    ("handle", "Streams, events, descriptions"),
    ("stream", "Order between streams"),
    ("event", "Events"),
    ("graph", "Graphs"),
    ("allocator", "Allocators that a program registers"),
    ("heap", "Heaps and regions of MSTX"),
    ("segment", "Segments of a large block"),
    ("collective", "Operations between ranks"),
];

pub(super) fn render() -> String {
    let mut lines = vec![HEAD.to_owned()];
    for (group, title) in GROUPS {
        lines.push(format!(
            "## {title}\n\n| rule | | what is wrong |\n| --- | --- | --- |"
        ));
        for rule in rules::all().filter(|rule| rule.group() == *group) {
            let (id, severity, title) = (rule.id, rule.severity, rule.title);
            lines.push(format!("| [{id}]({id}.md) | {severity} | {title} |"));
        }
        lines.push(String::new());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_group_is_left_out() {
        let text = render();
        for rule in rules::all() {
            assert!(text.contains(&format!("| [{}](", rule.id)), "{}", rule.id);
        }
    }
}
