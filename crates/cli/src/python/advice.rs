//! Which versions of PyTorch for Ascend and ONNX Runtime's CANN provider work together, and what to install otherwise.
//! Pure: packages in, sentences out.

use super::Python;

/// Versions of torch and `torch_npu` that import and compute together, the one to recommend first.
pub(crate) const PAIRS: [(&str, &str); 13] = [
    ("2.7.1", "2.7.1.post11"),
    ("2.8.0", "2.8.0.post5"),
    ("2.9.1", "2.9.1"),
    ("2.10.0", "2.10.0.post4"),
    ("2.10.0", "2.10.0.post7"),
    ("2.10.0", "2.10.0"),
    ("2.11.0", "2.11.0.post2"),
    ("2.11.0", "2.11.0.post3"),
    ("2.11.0", "2.11.0"),
    ("2.12.0", "2.12.0.post2"),
    ("2.12.0", "2.12.0.post3"),
    ("2.13.0", "2.13.0"),
    ("2.14.0", "2.14.0"),
];

/// How the installed packages match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
    /// There is no `torch_npu`.
    None,
    /// One of [`PAIRS`], or another build of the same versions.
    Known,
    /// Untested.
    Untested,
    /// `torch_npu` without torch.
    Alone,
    /// `torch_npu` is for another version of torch.
    Mismatched,
}

/// Something to change: a sentence, and the commands that do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    pub(crate) what: String,
    pub(crate) commands: Vec<String>,
}

impl Python {
    pub(crate) fn pair(&self) -> Pair {
        let (torch, npu) = (self.version_of("torch"), self.version_of("torch-npu"));
        let (torch, npu) = match (torch, npu) {
            (_, None) => return Pair::None,
            (None, Some(_)) => return Pair::Alone,
            (Some(torch), Some(npu)) => (torch, npu),
        };
        if series(torch) != series(npu) {
            return Pair::Mismatched;
        }
        let known = PAIRS.iter().any(|(_, known)| same_build(known, npu));
        if known { Pair::Known } else { Pair::Untested }
    }

    /// What `millpond run` prints before it starts this Python.
    pub(crate) fn advice(&self) -> Vec<Advice> {
        let mut advice = Vec::new();
        advice.extend(self.torch_advice());
        advice.extend(self.provider_advice());
        advice
    }

    /// What is wrong with the versions of PyTorch, if anything is.
    pub(crate) fn torch_advice(&self) -> Option<Advice> {
        let torch = self.version_of("torch").unwrap_or_default();
        let npu = self.version_of("torch-npu")?;
        let what = match self.pair() {
            Pair::Alone => format!("torch_npu {npu} is installed, but torch is not"),
            Pair::Mismatched => format!(
                "torch_npu {npu} is built for torch {}, but torch {torch} is installed; the import will fail",
                text(&release(npu))
            ),
            Pair::None | Pair::Known | Pair::Untested if self.version_of("numpy").is_none() => {
                return Some(Advice {
                    what: format!("torch_npu {npu} needs numpy, which is not installed"),
                    commands: vec![self.pip("numpy")],
                });
            }
            Pair::None | Pair::Known | Pair::Untested => return None,
        };
        Some(Advice {
            what,
            commands: self.install_pair(),
        })
    }

    /// The commands that install a working pair: for the installed torch, if there is one.
    pub(crate) fn install_pair(&self) -> Vec<String> {
        let known = |package| {
            let there = self.version_of(package).map(release);
            let mut pairs = PAIRS.iter();
            pairs.find(|(known, _)| Some(release(known)) == there)
        };
        // torch is by far the larger download, so it is kept if possible.
        let (torch, npu) = known("torch").or(known("torch-npu")).unwrap_or(&PAIRS[0]);
        let has_torch = self
            .version_of("torch")
            .is_some_and(|version| release(version) == release(torch));
        let mut commands = Vec::new();
        if !has_torch {
            commands.push(self.pip(&format!("torch=={torch} numpy pyyaml onnxruntime")));
        }
        // It requires a torch that is not on PyPI.
        commands.push(self.pip(&format!("--no-deps torch_npu=={npu}")));
        commands
    }

    /// What is wrong with ONNX Runtime's CANN provider, if anything is.
    pub(crate) fn provider_advice(&self) -> Option<Advice> {
        let provider = self.version_of("onnxruntime-cann")?;
        if let Some(plain) = self.version_of("onnxruntime") {
            return Some(Advice {
                what: format!(
                    "onnxruntime {plain} and onnxruntime-cann {provider} are both installed; they share one folder, so \
                     one has overwritten the other"
                ),
                commands: vec![
                    format!("{} -m pip uninstall -y onnxruntime", self.shown()),
                    self.pip(&format!(
                        "--force-reinstall --no-deps onnxruntime-cann=={provider}"
                    )),
                ],
            });
        }
        let what = match self.version_of("numpy") {
            None => format!("onnxruntime-cann {provider} needs numpy, which is not installed"),
            Some(numpy) if release(numpy) >= [2].into() => format!(
                "onnxruntime-cann {provider} is built for numpy 1 and does not import with numpy {numpy}"
            ),
            Some(_) => return None,
        };
        Some(Advice {
            what,
            commands: vec![self.pip("'numpy<2'")],
        })
    }

    fn version_of(&self, package: &str) -> Option<&str> {
        self.packages.version(package)
    }

    fn pip(&self, what: &str) -> String {
        format!("{} -m pip install {what}", self.shown())
    }

    fn shown(&self) -> String {
        let shown = self.executable.display().to_string();
        if shown.contains([' ', '\'', '"', '$', '(', ')', '&', ';']) {
            format!("'{}'", shown.replace('\'', "'\\''"))
        } else {
            shown
        }
    }
}

/// The leading numbers: 2, 7, 1 of `2.7.1.post11+cpu`. Trailing zeros do not count.
fn release(version: &str) -> Vec<u32> {
    let version = version.split('+').next().unwrap_or_default();
    let parts = version.split('.').map(str::parse);
    let mut numbers: Vec<u32> = parts.map_while(Result::ok).collect();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    numbers
}

/// The first two numbers: packages of one series load each other.
fn series(version: &str) -> [u32; 2] {
    let numbers = release(version);
    let at = |index| numbers.get(index).copied().unwrap_or(0);
    [at(0), at(1)]
}

fn text(release: &[u32]) -> String {
    let mut words: Vec<String> = release.iter().map(u32::to_string).collect();
    while words.len() < 3 {
        words.push("0".to_owned());
    }
    words.join(".")
}

/// Whether two versions are equal except for the part after a plus.
fn same_build(one: &str, other: &str) -> bool {
    one.split('+').next() == other.split('+').next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::Packages;

    fn python(packages: &[(&str, &str)]) -> Python {
        Python {
            executable: "/e/bin/python".into(),
            version: Some("3.11".into()),
            packages: Packages::of(packages),
        }
    }

    fn torch(torch: &str, npu: &str) -> Python {
        python(&[("torch", torch), ("torch-npu", npu), ("numpy", "2.4.6")])
    }

    #[test]
    fn pairs_are_judged_by_what_was_tested() {
        for (one, other, expected) in [
            ("2.7.1", "2.7.1.post11", Pair::Known),
            ("2.7.1+cpu", "2.7.1.post11", Pair::Known),
            ("2.8.0", "2.8.0.post5", Pair::Known),
            ("2.9.1", "2.9.1", Pair::Known),
            ("2.7.1", "2.7.1.post4", Pair::Untested),
            ("2.6.0", "2.6.0", Pair::Untested),
            ("2.9.1", "2.7.1.post11", Pair::Mismatched),
            ("2.10.0", "2.10.0", Pair::Known),
            ("2.10.0", "2.10.0.post2", Pair::Untested),
            ("2.11.0", "2.11.0.post3", Pair::Known),
            ("2.12.0", "2.12.0.post3", Pair::Known),
            ("2.13.0", "2.13.0", Pair::Known),
            ("2.14.0", "2.14.0", Pair::Known),
            ("2.14.1+cu130", "2.14.0", Pair::Known),
            ("2.10.0+cpu", "2.10.0.post7", Pair::Known),
        ] {
            assert_eq!(torch(one, other).pair(), expected, "{one} {other}");
        }
        assert_eq!(python(&[("torch", "2.7.1")]).pair(), Pair::None);
        assert_eq!(python(&[("torch-npu", "2.7.1")]).pair(), Pair::Alone);
    }

    #[test]
    fn working_and_untested_pairs_get_no_advice() {
        assert_eq!(torch("2.7.1", "2.7.1.post11").advice(), []);
        assert_eq!(torch("2.6.0", "2.6.0").advice(), []);
        assert_eq!(python(&[("torch", "2.14.0")]).advice(), []);
        assert_eq!(
            python(&[("onnxruntime", "1.24.4"), ("numpy", "2.0.0")]).advice(),
            []
        );
    }

    #[test]
    fn a_mismatch_keeps_the_installed_torch_if_possible() {
        let advice = torch("2.9.1", "2.7.1.post11").advice();
        assert!(
            advice[0].what.contains("built for torch 2.7.1"),
            "{advice:?}"
        );
        assert_eq!(
            advice[0].commands,
            ["/e/bin/python -m pip install --no-deps torch_npu==2.9.1"]
        );
        assert!(
            torch("2.9.1", "2.10.0").advice()[0]
                .what
                .contains("torch 2.10.0,")
        );
        assert_eq!(
            torch("2.9.1", "2.10.0").advice()[0].commands,
            ["/e/bin/python -m pip install --no-deps torch_npu==2.9.1"]
        );
        let alone = python(&[("torch-npu", "2.8.0.post5")]).advice();
        assert_eq!(
            alone[0].commands[0],
            "/e/bin/python -m pip install torch==2.8.0 numpy pyyaml onnxruntime"
        );
    }

    #[test]
    fn a_missing_numpy_is_reported() {
        let advice = python(&[("torch", "2.7.1"), ("torch-npu", "2.7.1.post11")]).advice();
        assert_eq!(advice[0].commands, ["/e/bin/python -m pip install numpy"]);
    }

    #[test]
    fn the_provider_needs_numpy_1_and_its_own_folder() {
        let with = |packages: &[(&str, &str)]| python(packages).provider_advice();
        let cann = ("onnxruntime-cann", "1.24.4");
        assert_eq!(with(&[cann, ("numpy", "1.26.4")]), None);
        let advice = with(&[cann, ("numpy", "2.4.6")]).unwrap();
        assert_eq!(advice.commands, ["/e/bin/python -m pip install 'numpy<2'"]);
        let both = with(&[cann, ("onnxruntime", "1.22.0")]).unwrap();
        assert!(both.commands[0].ends_with("uninstall -y onnxruntime"));
    }

    #[test]
    fn the_extra_of_the_wheel_is_the_newest_pair() {
        let newest = PAIRS.iter().max_by_key(|(torch, _)| release(torch));
        let (torch, _) = newest.unwrap();
        let metadata = include_str!("../../../python/wheel.py");
        let line = format!("Requires-Dist: torch=={torch}; extra == \"torch\"");
        assert!(metadata.contains(&line), "{line}");
    }

    #[test]
    fn a_path_with_spaces_is_quoted() {
        let mut python = torch("2.14.0", "2.13.0");
        python.executable = "/my env/bin/python".into();
        assert!(python.advice()[0].commands[0].starts_with("'/my env/bin/python' -m"));
    }

    #[test]
    fn numbers_are_read_up_to_the_first_word() {
        for (version, numbers) in [
            ("2.7.1.post11", vec![2, 7, 1]),
            ("2.8.0", vec![2, 8]),
            ("2.7.1+cpu", vec![2, 7, 1]),
            ("2.10.0rc1", vec![2, 10]),
            ("", vec![]),
        ] {
            assert_eq!(release(version), numbers, "{version}");
        }
    }
}
