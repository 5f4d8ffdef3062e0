//! `millpond query`: asks a folder of exported Parquet files something in SQL.
//!
//! The engine is `DuckDB`, as a library of Python. Nothing of SQL is understood here.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::say::say;

/// Arguments of `millpond query`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The table is called events. docs/queries/README.md has its columns and useful queries.
The variable PYTHON names the Python that has DuckDB, if it is not python3.

Exit code: 0 if there was an answer, 1 if the query failed, 2 if Python or DuckDB is missing or the
folder has no Parquet files.")]
pub(crate) struct Query {
    /// The query, or a file NAME.sql with it
    #[arg(allow_hyphen_values = true)]
    sql: String,

    /// The folder, with files of `millpond export --to parquet`; subfolders are included
    folder: PathBuf,

    /// Print CSV instead of a table
    #[arg(long)]
    csv: bool,
}

/// The query and the folder are arguments, never part of the program.
const SCRIPT: &str = r"
import sys, pathlib
try:
    import duckdb
except ImportError:
    sys.exit(77)
sql, folder, form = sys.argv[1:]
files = sorted(str(p) for p in pathlib.Path(folder).rglob('*.parquet'))
if not files:
    sys.exit(78)
try:
    database = duckdb.connect()
    database.read_parquet(files).create_view('events')
    if form == 'csv':
        import csv
        # Not a relation: from DuckDB 2.0 on those have no fetchmany.
        answer = database.execute(sql)
        if answer.description is None:
            sys.exit(0)
        out = csv.writer(sys.stdout, lineterminator='\n')
        out.writerow(column[0] for column in answer.description)
        while rows := answer.fetchmany(1000):
            out.writerows(rows)
    else:
        answer = database.sql(sql)
        if answer is not None:
            answer.show(max_rows=10000, max_width=1000)
except duckdb.Error as error:
    sys.stderr.write(f'millpond query: {error}\n')
    sys.exit(1)
";

const NO_ENGINE: i32 = 77;
const NO_FILES: i32 = 78;

impl Query {
    pub(crate) fn ask(&self) -> ExitCode {
        let mut sql = self.sql.clone();
        if Path::new(&sql)
            .extension()
            .is_some_and(|name| name == "sql")
        {
            sql = match std::fs::read_to_string(&sql) {
                Ok(read) => read,
                Err(error) => {
                    say!("millpond query: {sql}: {error}\n");
                    return ExitCode::from(2);
                }
            };
        }
        let python = std::env::var_os("PYTHON").filter(|python| !python.is_empty());
        let python = python.unwrap_or_else(|| "python3".into());
        let name = python.to_string_lossy().into_owned();
        let status = Command::new(&python)
            .args(["-c", SCRIPT, &sql])
            .arg(&self.folder)
            .arg(if self.csv { "csv" } else { "table" })
            .status();
        match status.map(|status| status.code()) {
            Err(error) => {
                say!(
                    "millpond query: cannot start {name}: {error}. Name a Python that has DuckDB in PYTHON\n"
                );
                ExitCode::from(2)
            }
            Ok(Some(NO_ENGINE)) => {
                say!(
                    "millpond query: {name} has no DuckDB. Install it with `{name} -m pip install duckdb`, \
                     or name another Python in PYTHON\n"
                );
                ExitCode::from(2)
            }
            Ok(Some(NO_FILES)) => {
                say!(
                    "millpond query: {}: no Parquet files. Write some with `millpond export FILE --to parquet -o {0}/rank0.parquet`\n",
                    self.folder.display()
                );
                ExitCode::from(2)
            }
            Ok(Some(0)) => ExitCode::SUCCESS,
            Ok(_) => ExitCode::FAILURE,
        }
    }
}
