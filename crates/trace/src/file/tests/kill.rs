//! A program that is killed leaves a file that is read.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use super::Random;
use crate::Sink;
use crate::file::{Reader, Writer};

const FILE: &str = "MILLPOND_TEST_KILLED_FILE";

/// Not a test: what the killed process does.
#[test]
#[ignore = "run by the test below, in a process of its own"]
fn child_that_writes_until_it_is_killed() {
    let Some(path) = env::var_os(FILE) else {
        return;
    };
    let writer = Writer::create(path).unwrap();
    let records = Random::new(3).records();
    for order in 1.. {
        let mut record = records[order % records.len()].clone();
        record.order = order as u64;
        record.nanoseconds = order as u64 * 1000;
        writer.record(&record);
    }
}

#[test]
fn a_file_of_a_killed_process_is_read_up_to_its_last_block() {
    let folder = env::temp_dir().join(format!("millpond-killed-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for round in 0..5 {
        let path: PathBuf = folder.join(format!("{round}.mpr"));
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "--ignored"])
            .arg("file::tests::kill::child_that_writes_until_it_is_killed")
            .env(FILE, &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_mins(10);
        while fs::metadata(&path).map_or(0, |found| found.len()) < 1 << 20 {
            assert!(Instant::now() < until, "the child writes");
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mut reader = Reader::open(&path).unwrap();
        let mut order = 0;
        for record in reader.by_ref().flatten() {
            order += 1;
            assert_eq!(record.order, order);
        }
        assert!(order > 1000, "{order} records");
        // At most the block that was just being written is torn.
        assert!(reader.losses().times <= 1, "{:?}", reader.losses());
        assert_eq!(reader.end(), None);
        assert_eq!(
            reader.header().map(|header| header.process),
            Some(child.id())
        );
    }
    fs::remove_dir_all(&folder).unwrap();
}
