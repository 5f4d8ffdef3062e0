//! The C compiler and `millpond-abi` agree on every constant and every layout.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use crate::tools;

/// The lines `key value` that a C program with this `main` prints.
fn printed(name: &str, statements: &str) -> Option<BTreeMap<String, String>> {
    let compiler = tools::c_compiler()?;
    let scratch = tools::scratch(name);
    let source = scratch.join("print.c");
    let program = scratch.join("print");
    let text = format!(
        "#include <stdio.h>\n#include <stddef.h>\n{}\nint main(void) {{\n{statements}\
         return 0;\n}}\n",
        tools::include_all()
    );
    fs::write(&source, text).unwrap();
    tools::output(
        Command::new(compiler)
            .args(["-std=c11", "-I"])
            .arg(tools::include())
            .arg(&source)
            .arg("-o")
            .arg(&program),
    )
    .unwrap();
    let lines = tools::output(&mut Command::new(program)).unwrap();
    let pair = |line: &str| {
        let (key, value) = line.split_once(' ')?;
        Some((key.to_owned(), value.to_owned()))
    };
    Some(lines.lines().filter_map(pair).collect())
}

#[test]
fn constants_have_the_values_of_the_headers() {
    let mut statements = Vec::new();
    for (name, _) in millpond_abi::constants() {
        // No integer type of C holds both -1 and ACL_UNKNOWN_RANK, so the sign is printed apart.
        statements.push(format!(
            "printf(\"{name} %s%llu\\n\", ({name}) < 0 ? \"-\" : \"\", \
             ({name}) < 0 ? 0ULL - (unsigned long long)({name}) : (unsigned long long)({name}));\n"
        ));
    }
    let Some(in_c) = printed("constants", &statements.concat()) else {
        return;
    };
    let in_rust: BTreeMap<_, _> = millpond_abi::constants()
        .map(|(name, value)| (name.to_owned(), value.to_string()))
        .collect();
    assert_eq!(
        in_rust.len(),
        millpond_abi::constants().count(),
        "a name occurs twice"
    );
    assert_eq!(in_rust, in_c);
}

#[test]
fn layouts_are_those_of_the_headers() {
    let mut statements = Vec::new();
    let mut in_rust = BTreeMap::new();
    for layout in millpond_abi::layouts() {
        let name = layout.name;
        statements.push(format!(
            "printf(\"{name} %zu/%zu\\n\", sizeof({name}), _Alignof({name}));\n"
        ));
        in_rust.insert(name.to_owned(), format!("{}/{}", layout.size, layout.align));
        for (field, offset, size) in layout.fields {
            let field = field.trim_start_matches("r#");
            statements.push(format!(
                "printf(\"{name}.{field} %zu/%zu\\n\", offsetof({name}, {field}), \
                 sizeof((({name} *)0)->{field}));\n"
            ));
            in_rust.insert(format!("{name}.{field}"), format!("{offset}/{size}"));
        }
    }
    let Some(in_c) = printed("layouts", &statements.concat()) else {
        return;
    };
    assert_eq!(in_rust, in_c);
}

#[test]
fn every_constant_of_the_headers_has_a_twin() {
    let Some(compiler) = tools::c_compiler() else {
        return;
    };
    let source = tools::scratch("names").join("all.c");
    fs::write(&source, tools::include_all()).unwrap();
    let preprocess = |mode: &[&str]| {
        tools::output(
            Command::new(&compiler)
                .args(["-E", "-P", "-I"])
                .arg(tools::include())
                .args(mode)
                .arg(&source),
        )
        .unwrap()
    };
    let mut declared = BTreeSet::new();

    // Macros: object-like, ours, with a number as their value.
    for line in preprocess(&["-dM"]).lines() {
        let mut words = line.splitn(3, ' ').skip(1);
        let (Some(name), Some(value)) = (words.next(), words.next()) else {
            continue;
        };
        let ours = ["ACL_", "ACLNN_", "DRV_", "HCCL_", "MSTX_", "MILLPOND_"];
        if ours.iter().any(|prefix| name.starts_with(prefix))
            && !name.contains('(')
            && value.starts_with(|first: char| first.is_ascii_digit() || first == '-')
        {
            declared.insert(name.to_owned());
        }
    }

    // Enumerators: what stands before each `=` between the braces of an enumeration.
    let text = preprocess(&[]);
    for rest in text.split("enum ").skip(1) {
        let Some(body) = rest
            .split_once('{')
            .and_then(|(_, body)| body.split_once('}'))
        else {
            continue;
        };
        for enumerator in body.0.split(',') {
            if let Some((name, _)) = enumerator.split_once('=') {
                declared.insert(name.trim().to_owned());
            }
        }
    }

    let known: BTreeSet<_> = millpond_abi::constants()
        .map(|(name, _)| name.to_owned())
        .collect();
    assert!(
        declared.len() > 500,
        "only {} constants were found",
        declared.len()
    );
    assert_eq!(known, declared);
}

#[test]
fn every_struct_of_the_headers_has_a_twin() {
    let mut declared = BTreeSet::new();
    for header in tools::own_headers() {
        let text = fs::read_to_string(tools::include().join(header)).unwrap();
        for line in text.lines() {
            let name = ["typedef struct ", "typedef union "]
                .iter()
                .find_map(|start| line.strip_prefix(start)?.strip_suffix(" {"));
            declared.extend(name.map(ToOwned::to_owned));
        }
    }
    let known: BTreeSet<_> = millpond_abi::layouts()
        .map(|layout| layout.name.to_owned())
        .collect();
    assert_eq!(known, declared);
}
