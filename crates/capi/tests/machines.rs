//! Ranks on several machines: processes in network namespaces that this test makes, two and four of them, with a switch between them.
//! Every operation, the documented order of sums, a cable that is pulled in the middle, a machine that dies.
//!
//! Skipped, with a message, where namespaces are not permitted or Gloo is not installed; `MILLPOND_REQUIRE=netns,gloo` makes that a
//! failure.

#![expect(
    clippy::unwrap_used,
    reason = "a test harness stops at the first surprise"
)]

#[path = "../../collective/tests/common/mod.rs"]
mod common;
#[path = "support/library.rs"]
mod library;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Ends a hang, nothing else.
const LONG: Duration = Duration::from_mins(5);

/// Seconds after which a silent machine counts as lost.
const HEARTBEAT: u64 = 2;

/// Set in the process that runs a test inside a user's own namespaces.
const INSIDE: &str = "MILLPOND_TEST_INSIDE";

fn ip(arguments: &str) -> Result<(), String> {
    let output = Command::new("ip")
        .args(arguments.split_whitespace())
        .output()
        .map_err(|error| format!("ip: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(format!("ip {arguments}: {why}"))
}

/// Machines with a cable each to a switch. They go when the value does.
struct Machines {
    prefix: String,
    count: usize,
    folder: PathBuf,
}

impl Machines {
    fn new(count: usize) -> Result<Self, String> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let prefix = format!("mp{}x{number}", std::process::id());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(&prefix);
        fs::create_dir_all(&folder).unwrap();
        let made = Self {
            prefix,
            count,
            folder,
        };
        let switch = made.switch();
        ip(&format!("netns add {switch}"))?;
        ip(&format!("-n {switch} link add bridge0 type bridge"))?;
        ip(&format!("-n {switch} link set bridge0 up"))?;
        for machine in 0..count {
            let name = made.name(machine);
            ip(&format!("netns add {name}"))?;
            ip(&format!("-n {name} link set lo up"))?;
            ip(&format!(
                "-n {switch} link add port{machine} type veth peer name eth0 netns {name}"
            ))?;
            ip(&format!(
                "-n {switch} link set port{machine} master bridge0 up"
            ))?;
            let address = Self::address(machine);
            ip(&format!("-n {name} addr add {address}/24 dev eth0"))?;
            ip(&format!("-n {name} link set eth0 up"))?;
        }
        Ok(made)
    }

    fn switch(&self) -> String {
        format!("{}s", self.prefix)
    }

    fn name(&self, machine: usize) -> String {
        format!("{}m{machine}", self.prefix)
    }

    fn address(machine: usize) -> String {
        format!("10.77.0.{}", machine + 1)
    }

    fn pull_cable(&self, machine: usize) {
        ip(&format!("-n {} link set port{machine} down", self.switch())).unwrap();
    }

    /// Starts the ranks of a job; `machines` has the machine of each.
    fn start(&self, case: &str, machines: &str, variables: &[(&str, &str)]) -> Vec<Rank> {
        let machine = |digit: char| digit.to_digit(10).unwrap() as usize;
        let ranks = machines.chars().enumerate();
        ranks
            .map(|(rank, digit)| {
                assert!(machine(digit) < self.count);
                let mut command = Command::new("ip");
                command
                    .args(["netns", "exec", &self.name(machine(digit))])
                    .arg(program())
                    .env("CASE", case)
                    .env("RANK", rank.to_string())
                    .env("MACHINES", machines)
                    .env("FOLDER", &self.folder)
                    .env("MILLPOND_DEVICES", "1")
                    .env("MILLPOND_HCCL_HEARTBEAT", HEARTBEAT.to_string())
                    .env("LD_LIBRARY_PATH", library::library_dir())
                    .env_remove("WORLD_SIZE")
                    .env_remove("LOCAL_WORLD_SIZE")
                    .envs(variables.iter().copied())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped());
                Rank {
                    number: rank,
                    machine: machine(digit),
                    child: Some(command.spawn().unwrap()),
                }
            })
            .collect()
    }

    /// Waits until every rank has left a file of this name.
    fn wait_for(&self, name: &str, ranks: &mut [Rank]) {
        let until = Instant::now() + LONG;
        for rank in ranks {
            while !self.folder.join(format!("{name}.{}", rank.number)).exists() {
                assert!(Instant::now() < until, "rank {} is late", rank.number);
                let ended = rank.child.as_mut().unwrap().try_wait().unwrap();
                if ended.is_some() {
                    let (number, ended) = (rank.number, rank.end());
                    panic!("rank {number} ended early: {ended:?}");
                }
                thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        for machine in 0..self.count {
            drop(ip(&format!("netns del {}", self.name(machine))));
        }
        drop(ip(&format!("netns del {}", self.switch())));
        drop(fs::remove_dir_all(&self.folder));
    }
}

struct Rank {
    number: usize,
    machine: usize,
    child: Option<Child>,
}

#[derive(Debug)]
struct Ended {
    is_success: bool,
    output: String,
}

impl Rank {
    fn end(&mut self) -> Ended {
        let output = self.child.take().unwrap().wait_with_output().unwrap();
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        Ended {
            is_success: output.status.success(),
            output: text,
        }
    }
}

impl Drop for Rank {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// Sends a signal to the ranks of a machine.
fn signal(ranks: &[Rank], machine: usize, signal: &str) {
    for rank in ranks.iter().filter(|rank| rank.machine == machine) {
        let process = rank.child.as_ref().unwrap().id().to_string();
        let status = Command::new("kill").args([signal, &process]).status();
        assert!(status.unwrap().success());
    }
}

/// Waits for all ranks, and returns what they printed. None may fail or hang.
fn all_end(ranks: &mut [Rank]) -> Vec<String> {
    let until = Instant::now() + LONG;
    let mut left: Vec<usize> = (0..ranks.len()).collect();
    while !left.is_empty() {
        left.retain(|&rank| {
            let child = ranks[rank].child.as_mut().unwrap();
            child.try_wait().unwrap().is_none()
        });
        assert!(Instant::now() < until, "ranks {left:?} do not end");
        thread::sleep(Duration::from_millis(20));
    }
    let ended: Vec<Ended> = ranks.iter_mut().map(Rank::end).collect();
    for (rank, ended) in ended.iter().enumerate() {
        assert!(ended.is_success, "rank {rank} failed: {ended:#?}");
    }
    ended.into_iter().map(|ended| ended.output).collect()
}

/// The C program, compiled once.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let root = library::repository();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let program = folder.join("hccl_machines");
        // A process that runs beside this one may use the old file.
        let made = folder.join(format!("hccl_machines.{}", std::process::id()));
        let compiler = env::var_os("CC").unwrap_or_else(|| OsString::from("cc"));
        let status = Command::new(compiler)
            .args(["-std=c99", "-g", "-Wall", "-Wextra", "-Werror", "-I"])
            .arg(root.join("include"))
            .arg(root.join("crates/capi/tests/c/hccl_machines.c"))
            .arg("-L")
            .arg(library::library_dir())
            .args(["-lascendcl", "-lpthread", "-o"])
            .arg(&made)
            .status();
        assert!(status.unwrap().success());
        fs::rename(&made, &program).unwrap();
        program
    })
}

/// Runs a test where Gloo and namespaces are available. Without root's rights it runs again inside namespaces of its own.
fn on_machines(test: &str, count: usize, body: impl FnOnce(&Machines)) {
    let skip = |why: &str| {
        let required = env::var("MILLPOND_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|it| it == "netns"), "{why}");
        common::skipped(why);
    };
    if common::companion().is_none() {
        return;
    }
    match Machines::new(count) {
        Ok(machines) => body(&machines),
        Err(why) if env::var_os(INSIDE).is_some() => {
            skip(&format!("network namespaces are not permitted: {why}"));
        }
        Err(why) => {
            // A user may have namespaces where the system permits it.
            let status = Command::new("unshare")
                .args(["--map-root-user", "--net", "--mount", "sh", "-c"])
                .arg("mount -t tmpfs none /run && exec \"$0\" \"$@\"")
                .arg(env::current_exe().unwrap())
                .args(["--exact", test, "--nocapture"])
                .env(INSIDE, "1")
                .status();
            match status.map(|status| status.code()) {
                Ok(Some(0)) => {}
                Ok(Some(101)) => panic!("{test} failed inside its own namespaces"),
                _ => skip(&format!("network namespaces are not permitted: {why}")),
            }
        }
    }
}

#[test]
fn two_machines_compute_what_one_does() {
    on_machines("two_machines_compute_what_one_does", 2, |machines| {
        all_end(&mut machines.start("all", "0011", &[]));
    });
}

#[test]
fn four_machines_compute_what_one_does() {
    on_machines("four_machines_compute_what_one_does", 4, |machines| {
        // Not in the order of the machines.
        let variables = [
            ("HCCL_SOCKET_IFNAME", "=eth0"),
            ("HCCL_IF_BASE_PORT", "50000"),
        ];
        all_end(&mut machines.start("all", "01230321", &variables));
    });
}

#[test]
fn a_rank_table_names_the_machines() {
    on_machines("a_rank_table_names_the_machines", 2, |machines| {
        let server = |machine: usize, ranks: [usize; 2]| {
            let device = |(index, rank): (usize, usize)| {
                format!(r#"{{"device_id":"{index}","rank_id":"{rank}"}}"#)
            };
            let devices: Vec<String> = ranks.into_iter().enumerate().map(device).collect();
            format!(
                r#"{{"server_id":"{}","device":[{}]}}"#,
                Machines::address(machine),
                devices.join(",")
            )
        };
        let table = machines.folder.join("table.json");
        let servers = format!("{},{}", server(0, [0, 2]), server(1, [1, 3]));
        let text = format!(
            r#"{{"status":"completed","version":"1.0","server_count":"2","server_list":[{servers}]}}"#
        );
        fs::write(&table, text).unwrap();
        let table = [("TABLE", table.to_str().unwrap())];
        all_end(&mut machines.start("table", "0101", &table));
    });
}

#[test]
fn a_pulled_cable_ends_every_rank_and_a_machine_that_pauses_does_not() {
    let test = "a_pulled_cable_ends_every_rank_and_a_machine_that_pauses_does_not";
    on_machines(test, 4, |machines| {
        let mut ranks = machines.start("loses", "00112233", &[]);
        machines.wait_for("ready", &mut ranks);
        // For longer than a machine may be silent: its kernel replies all the same.
        signal(&ranks, 2, "-STOP");
        thread::sleep(2 * Duration::from_secs(HEARTBEAT) + Duration::from_secs(1));
        signal(&ranks, 2, "-CONT");
        fs::write(machines.folder.join("continued.0"), "").unwrap();
        machines.wait_for("again", &mut ranks);
        machines.pull_cable(3);
        for output in all_end(&mut ranks) {
            assert!(output.contains("Heartbeat Lost"), "{output}");
        }
    });
}

#[test]
fn a_machine_that_dies_ends_the_ranks_of_the_others() {
    on_machines(
        "a_machine_that_dies_ends_the_ranks_of_the_others",
        2,
        |machines| {
            let mut ranks = machines.start("loses", "0011", &[]);
            machines.wait_for("ready", &mut ranks);
            let mut left = Vec::new();
            for mut rank in ranks {
                if rank.machine == 1 {
                    rank.child.as_mut().unwrap().kill().unwrap();
                } else {
                    left.push(rank);
                }
            }
            all_end(&mut left);
        },
    );
}

#[test]
fn ranks_that_end_after_their_last_operation_do_not_take_it_from_the_others() {
    let test = "ranks_that_end_after_their_last_operation_do_not_take_it_from_the_others";
    on_machines(test, 2, |machines| {
        for _ in 0..5 {
            all_end(&mut machines.start("exits", "0011", &[]));
            fs::remove_file(machines.folder.join("info.0")).unwrap();
        }
    });
}

#[test]
fn a_machine_without_the_companion_is_named_to_all() {
    let test = "a_machine_without_the_companion_is_named_to_all";
    on_machines(test, 2, |machines| {
        let nowhere = [("MILLPOND_GLOO", "/nonexistent")];
        let mut ranks = machines.start("alone", "01", &[]);
        // The second machine has none: both ranks get the reason.
        drop(ranks.pop());
        let second = machines.start("alone", "01", &nowhere).pop().unwrap();
        ranks.push(second);
        let outputs = all_end(&mut ranks);
        // One that hears it from nobody in time sees that the process which coordinates them has ended.
        let is_named = |output: &&String| output.starts_with("result 7: ");
        assert!(
            outputs.iter().any(|output| is_named(&output)),
            "{outputs:?}"
        );
        for output in &outputs {
            if is_named(&output) {
                assert!(output.contains("libgloo-dev"), "{output}");
                assert!(output.contains("10.77.0.2"), "{output}");
            } else {
                assert!(output.starts_with("result 21: "), "{output}");
            }
        }
        fs::remove_file(machines.folder.join("info.0")).unwrap();
        // The first one has none: the second knows from the root info. The first has nobody to hear it from.
        let variables = [nowhere[0], ("HCCL_CONNECT_TIMEOUT", "3")];
        let outputs = all_end(&mut machines.start("alone", "01", &variables));
        assert!(outputs[0].starts_with("result 9: "), "{outputs:?}");
        assert!(outputs[1].starts_with("result 7: "), "{outputs:?}");
        assert!(outputs[1].contains("libgloo-dev"), "{outputs:?}");
    });
}
