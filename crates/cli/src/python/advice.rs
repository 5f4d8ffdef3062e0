//! Which versions of PyTorch for Ascend and ONNX Runtime's CANN provider work together, and what to install
//! where they do not. Pure: packages in, sentences out.

use super::Python;

/// Versions of torch and `torch_npu` that import and compute together, the one to recommend first.
pub(crate) const PAIRS: [(&str, &str); 3] = [
    ("2.7.1", "2.7.1.post11"),
    ("2.8.0", "2.8.0.post5"),
    ("2.9.1", "2.9.1"),
];

/// From this version on, the import of `torch_npu` ends the process if torch has its CUDA part, which the packages on
/// `PyPI` have: both register the same setting of an allocator.
const FIRST_THAT_ABORTS: [u32; 2] = [2, 10];

/// How the installed packages stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
    /// There is no `torch_npu`.
    None,
    /// One of [`PAIRS`], or another build of the same versions.
    Known,
    /// Nobody tried.
    Untried,
    /// `torch_npu` without torch.
    Alone,
    /// `torch_npu` is for another version of torch.
    Mismatched,
    /// The import ends the process.
    Aborts,
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
        if release(torch) != release(npu) {
            return Pair::Mismatched;
        }
        if release(torch) >= FIRST_THAT_ABORTS.into() && !torch.ends_with("+cpu") {
            return Pair::Aborts;
        }
        let known = PAIRS.iter().any(|(_, known)| same_build(known, npu));
        if known { Pair::Known } else { Pair::Untried }
    }

    /// What `millpond run` says before it starts this Python.
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
                "torch_npu {npu} is made for torch {}, but torch {torch} is installed; it will not import",
                text(&release(npu))
            ),
            Pair::Aborts => format!(
                "torch {torch} with torch_npu {npu} aborts at import: the CUDA part of torch and torch_npu claim \
                 the same setting"
            ),
            Pair::None | Pair::Known | Pair::Untried if self.version_of("numpy").is_none() => {
                return Some(Advice {
                    what: format!("torch_npu {npu} needs numpy, which is not installed"),
                    commands: vec![self.pip("numpy")],
                });
            }
            Pair::None | Pair::Known | Pair::Untried => return None,
        };
        Some(Advice {
            what,
            commands: self.install_pair(),
        })
    }

    /// The commands that install versions which work: those of the torch that is there, if there are such.
    pub(crate) fn install_pair(&self) -> Vec<String> {
        let known = |package| {
            let there = self.version_of(package).map(release);
            let mut pairs = PAIRS.iter();
            pairs.find(|(known, _)| Some(release(known)) == there)
        };
        // torch is by far the larger download, so it stays if it can.
        let (torch, npu) = known("torch").or(known("torch-npu")).unwrap_or(&PAIRS[0]);
        let has_torch = self
            .version_of("torch")
            .is_some_and(|version| release(version) == release(torch));
        let mut commands = Vec::new();
        if !has_torch {
            commands.push(self.pip(&format!("torch=={torch} numpy pyyaml onnxruntime")));
        }
        // Its own wish is a torch that is not on PyPI.
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
                     that one has overwritten the other"
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
                "onnxruntime-cann {provider} is made for numpy 1 and does not import with numpy {numpy}"
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

/// The numbers before anything else: 2, 7, 1 of `2.7.1.post11+cpu`. Zeros at the end do not count.
fn release(version: &str) -> Vec<u32> {
    let version = version.split('+').next().unwrap_or_default();
    let parts = version.split('.').map(str::parse);
    let mut numbers: Vec<u32> = parts.map_while(Result::ok).collect();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    numbers
}

fn text(release: &[u32]) -> String {
    let mut words: Vec<String> = release.iter().map(u32::to_string).collect();
    while words.len() < 3 {
        words.push("0".to_owned());
    }
    words.join(".")
}

/// Whether two versions are equal but for what stands behind a plus.
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
    fn pairs_are_judged_by_what_was_tried() {
        for (one, other, expected) in [
            ("2.7.1", "2.7.1.post11", Pair::Known),
            ("2.7.1+cpu", "2.7.1.post11", Pair::Known),
            ("2.8.0", "2.8.0.post5", Pair::Known),
            ("2.9.1", "2.9.1", Pair::Known),
            ("2.7.1", "2.7.1.post4", Pair::Untried),
            ("2.6.0", "2.6.0", Pair::Untried),
            ("2.9.1", "2.7.1.post11", Pair::Mismatched),
            ("2.10.0", "2.10.0", Pair::Aborts),
            ("2.14.0", "2.14.0", Pair::Aborts),
            ("2.10.0+cpu", "2.10.0.post7", Pair::Untried),
        ] {
            assert_eq!(torch(one, other).pair(), expected, "{one} {other}");
        }
        assert_eq!(python(&[("torch", "2.7.1")]).pair(), Pair::None);
        assert_eq!(python(&[("torch-npu", "2.7.1")]).pair(), Pair::Alone);
    }

    #[test]
    fn what_works_and_what_nobody_tried_is_not_talked_about() {
        assert_eq!(torch("2.7.1", "2.7.1.post11").advice(), []);
        assert_eq!(torch("2.6.0", "2.6.0").advice(), []);
        assert_eq!(python(&[("torch", "2.14.0")]).advice(), []);
        assert_eq!(
            python(&[("onnxruntime", "1.24.4"), ("numpy", "2.0.0")]).advice(),
            []
        );
    }

    #[test]
    fn a_pair_that_aborts_is_replaced_by_one_that_works() {
        let advice = torch("2.14.0", "2.14.0").advice();
        assert!(advice[0].what.contains("aborts at import"), "{advice:?}");
        assert_eq!(
            advice[0].commands,
            [
                "/e/bin/python -m pip install torch==2.7.1 numpy pyyaml onnxruntime",
                "/e/bin/python -m pip install --no-deps torch_npu==2.7.1.post11",
            ]
        );
    }

    #[test]
    fn a_mismatch_keeps_the_torch_that_is_there_where_that_works() {
        let advice = torch("2.9.1", "2.7.1.post11").advice();
        assert!(
            advice[0].what.contains("made for torch 2.7.1"),
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
    fn numpy_is_missed_where_it_is_needed() {
        let advice = python(&[("torch", "2.7.1"), ("torch-npu", "2.7.1.post11")]).advice();
        assert_eq!(advice[0].commands, ["/e/bin/python -m pip install numpy"]);
    }

    #[test]
    fn the_provider_wants_an_older_numpy_and_its_folder_for_itself() {
        let with = |packages: &[(&str, &str)]| python(packages).provider_advice();
        let cann = ("onnxruntime-cann", "1.24.4");
        assert_eq!(with(&[cann, ("numpy", "1.26.4")]), None);
        let advice = with(&[cann, ("numpy", "2.4.6")]).unwrap();
        assert_eq!(advice.commands, ["/e/bin/python -m pip install 'numpy<2'"]);
        let both = with(&[cann, ("onnxruntime", "1.22.0")]).unwrap();
        assert!(both.commands[0].ends_with("uninstall -y onnxruntime"));
    }

    #[test]
    fn a_path_that_a_shell_would_cut_is_quoted() {
        let mut python = torch("2.14.0", "2.14.0");
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
