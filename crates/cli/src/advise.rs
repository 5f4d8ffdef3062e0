//! `millpond advise`: what to change so that a program needs less memory.

use std::path::PathBuf;
use std::process::ExitCode;

use millpond_replay::advise::{self, Question, Report, shell_word};
use millpond_replay::recorded::Recording;
use millpond_replay::sizes;
use millpond_trace::{clean, clean_lines};
use serde_json::json;

use crate::progress::Progress;
use crate::replay::add_line;
use crate::say::{say, to_stdout};

/// Arguments of `millpond advise`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit code: 0 if there is an answer, also if nothing helps; 2 if the file or an argument is wrong.")]
pub(crate) struct Advise {
    /// A recording: of Millpond, a PyTorch snapshot, a CSV trace, an RMM log
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// How much memory the device has, for example 64GiB. Default: it is never full
    #[arg(long, value_name = "SIZE", value_parser = sizes::parse)]
    device_memory: Option<u64>,

    /// Print JSON instead of sentences
    #[arg(long)]
    json: bool,
}

impl Advise {
    pub(crate) fn start(&self) -> ExitCode {
        let shown = self.advise().and_then(|report| {
            let text = if self.json {
                self.json(&report)
            } else {
                self.sentences(&report)
            };
            to_stdout(|out| out.write_all(text.as_bytes())).map_err(|error| error.to_string())
        });
        match shown {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                say!("millpond advise: {}\n", clean_lines(&error));
                ExitCode::from(2)
            }
        }
    }

    fn advise(&self) -> Result<Report, String> {
        let name = self.file.display().to_string();
        let name = clean(&name);
        let mut progress = Progress::new();
        let reading = |part| progress.show(&format!("reading {name}:"), part);
        let recording = Recording::open(&self.file, reading)
            .map_err(|error| clean(&error.to_string()).into_owned())?;
        for note in recording.notes() {
            say!("millpond advise: {name}: {note}\n");
        }
        if recording.devices().is_empty() {
            return Err(format!("{name}: there are no allocations in it"));
        }
        let question = Question {
            device: self.device_memory,
        };
        advise::advise(&recording, question, |part| {
            progress.show("replaying:", part);
        })
    }

    /// The replay that shows the numbers of a sentence.
    fn commands<'a>(&'a self, replays: &'a [String]) -> impl Iterator<Item = String> + 'a {
        let file = shell_word(&self.file.display().to_string());
        let device = self
            .device_memory
            .map_or_else(String::new, |it| format!(" --device-memory {it}"));
        replays
            .iter()
            .map(move |replay| format!("millpond replay {file} {replay}{device}"))
    }

    fn sentences(&self, report: &Report) -> String {
        let mut text = String::new();
        if report.advice.is_empty() {
            add_line(
                &mut text,
                format_args!(
                    "Nothing that was tried helps: {} holds {} where {} are live at the peak, and none of {} changes saves 1 % of that.",
                    report.baseline,
                    sizes::text(report.held),
                    sizes::text(report.live),
                    report.tried,
                ),
            );
        }
        if !report.advice.is_empty() {
            add_line(
                &mut text,
                format_args!(
                    "Compared with {}, which holds {} where {} are live at the peak.",
                    report.baseline,
                    sizes::text(report.held),
                    sizes::text(report.live),
                ),
            );
        }
        if let Some(recorded) = report.recorded {
            add_line(
                &mut text,
                format_args!(
                    "That is a model; the recorded allocator held {}.",
                    sizes::text(recorded)
                ),
            );
        }
        // Names of a recording may contain anything; a sentence stays one line.
        for (number, advice) in report.advice.iter().enumerate() {
            add_line(
                &mut text,
                format_args!("{}. {}", number + 1, clean(&advice.sentence)),
            );
            for command in self.commands(&advice.replays) {
                add_line(&mut text, format_args!("     {}", clean(&command)));
            }
        }
        text
    }

    fn json(&self, report: &Report) -> String {
        let advice: Vec<_> = report
            .advice
            .iter()
            .map(|advice| {
                json!({
                    "kind": advice.kind,
                    "sentence": advice.sentence,
                    "device": advice.device,
                    "peak_reserved_before": advice.before,
                    "peak_reserved_after": advice.after,
                    "saves": advice.saves(),
                    "owner": advice.holder.as_ref().map(|it| &it.name),
                    "blocks": advice.holder.as_ref().map(|it| it.blocks),
                    "bytes": advice.holder.as_ref().map(|it| it.bytes),
                    "replays": self.commands(&advice.replays).collect::<Vec<_>>(),
                })
            })
            .collect();
        let all = json!({
            "baseline": report.baseline,
            "peak_reserved": report.held,
            "recorded_reserved": report.recorded,
            "peak_live": report.live,
            "tried": report.tried,
            "advice": advice,
        });
        format!("{all:#}\n")
    }
}
