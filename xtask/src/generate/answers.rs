//! What hardware answered to the questions of `oracle/`, as rows of the compatibility table cite it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use millpond_oracle::{File, by_function, compare};

/// Our own answers: what others are compared with.
const OURS: &str = "millpond.json";

/// The files that say something about a function: name, answers that agree with ours, all answers.
#[derive(Default)]
pub(crate) struct Citations(BTreeMap<String, Vec<(String, usize, usize)>>);

impl Citations {
    /// The end of a row's last cell; empty for a function that no file answers about.
    pub(crate) fn of(&self, function: &str) -> String {
        self.0
            .get(function)
            .into_iter()
            .flatten()
            .map(|(file, agree, all)| {
                format!("; [{file}](../oracle/answers/{file}): {agree} of {all} agree")
            })
            .collect::<Vec<_>>()
            .concat()
    }
}

/// Reads `oracle/answers`: every file but our own comes from another library.
pub(crate) fn read(root: &Path) -> Result<Citations, String> {
    let folder = root.join("oracle/answers");
    let open = |name: &str| -> Result<File, String> {
        let path = folder.join(name);
        let shown = path.display();
        let text =
            fs::read_to_string(&path).map_err(|error| format!("cannot read {shown}: {error}"))?;
        File::read(&text).map_err(|error| format!("{shown}: {error}"))
    };
    let failed = |error| format!("cannot list {}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
            && name != OURS
        {
            names.push(name.into_owned());
        }
    }
    names.sort();
    if names.is_empty() {
        return Ok(Citations::default());
    }
    let ours = open(OURS)?;
    let mut citations = Citations::default();
    for name in names {
        let theirs = open(&name)?;
        for (function, (agree, all)) in by_function(&compare(&ours, &theirs)) {
            let files = citations.0.entry(function).or_default();
            files.push((name.clone(), agree, all));
        }
    }
    Ok(citations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_cites_every_file_that_answers_about_its_function() {
        let root = std::env::temp_dir().join(format!("millpond-answers-{}", std::process::id()));
        let folder = root.join("oracle/answers");
        fs::create_dir_all(&folder).unwrap();
        let file = |answer: &str| {
            format!(
                r#"{{"format":1,"about":{{}},"answers":[{{"id":"q","functions":["f"],"asks":"?","answer":"{answer}"}}]}}"#
            )
        };
        fs::write(folder.join(OURS), file("a=1")).unwrap();
        assert_eq!(read(&root).unwrap().of("f"), "");
        fs::write(folder.join("910b.json"), file("a=2")).unwrap();
        let cited = read(&root).unwrap();
        assert_eq!(
            cited.of("f"),
            "; [910b.json](../oracle/answers/910b.json): 0 of 1 agree"
        );
        assert_eq!(cited.of("g"), "");
        fs::remove_dir_all(&root).unwrap();
    }
}
