//! `millpond view`: shows recordings in a browser.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use millpond_view::{Index, Server, page_with_answers, read};

use crate::export::same_file;
use crate::progress::Progress;
use crate::say::say;

/// About how many bytes of answers a self-contained page has.
const ROOM: usize = 12 << 20;

/// Arguments of `millpond view`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A FILE is a recording of millpond record, a memory snapshot of PyTorch or torch_npu, a CSV trace or an RMM log.
With several files, each is a recording of the page, and the tab Compare shows what differs.

The server listens on the loopback interface only. Ctrl-C ends it.

Exit code: 0 if the page was written or the server was ended, 2 if a file cannot be read.")]
pub(crate) struct View {
    /// Write one self-contained file instead of starting a server
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,

    /// Listen on this port; by default the system chooses one
    #[arg(long, default_value_t = 0, conflicts_with = "html")]
    port: u16,

    /// The recordings
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl View {
    pub(crate) fn start(&self) -> ExitCode {
        match self.show() {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                say!("millpond view: {message}\n");
                ExitCode::from(2)
            }
        }
    }

    fn show(&self) -> Result<(), String> {
        if let Some(out) = &self.html
            && self.files.iter().any(|file| same_file(file, out))
        {
            return Err(format!(
                "{}: this is a recording itself; nothing was written",
                out.display()
            ));
        }
        let mut runs: Vec<Index> = Vec::new();
        for file in &self.files {
            let mut source = millpond_recording::open(file).map_err(|error| error.to_string())?;
            let mut progress = Progress::new();
            let what = format!("reading {}:", file.display());
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let read = read(&mut *source, &name, &mut |part| progress.show(&what, part));
            runs.extend(read.map_err(|error| error.to_string())?);
        }
        if runs.iter().all(|run| run.blocks.is_empty()) {
            return Err(
                "the recording has no allocations\nhint: a snapshot of PyTorch has them only after \
                 torch.cuda.memory._record_memory_history()"
                    .to_owned(),
            );
        }
        match &self.html {
            Some(out) => {
                let page = page_with_answers(&runs, ROOM);
                fs::write(out, page).map_err(|error| format!("{}: {error}", out.display()))?;
                say!("millpond view: wrote {}\n", out.display());
                Ok(())
            }
            None => serve(runs, self.port),
        }
    }
}

fn serve(runs: Vec<Index>, port: u16) -> Result<(), String> {
    let server = Server::bind(runs, port).map_err(|error| {
        format!("cannot listen on port {port} of the loopback interface: {error}")
    })?;
    let address = server.address().map_err(|error| error.to_string())?;
    // The address is the result of the command; scripts read it.
    println!("{address}");
    say!("Open this address in a browser. Ctrl-C ends the server.\n");
    server.serve().map_err(|error| error.to_string())
}
