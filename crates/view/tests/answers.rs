//! Every answer against a slow model that walks through all events.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use millpond_view::{Index, protocol::answer, read};
use proptest::prelude::*;
use serde_json::Value;

const HEADER: &str = "t_us,op,addr,size,stream\n";

/// One event of a made-up recording.
#[derive(Clone, Debug)]
enum Step {
    Allocate {
        bytes: u64,
        stream: u8,
    },
    /// The n-th live block, counted around.
    Free {
        which: usize,
        later: bool,
    },
    /// The n-th freed block that is not reusable yet.
    Complete {
        which: usize,
    },
}

fn steps() -> impl Strategy<Value = Vec<(u8, Step)>> {
    let step = prop_oneof![
        4 => (1..100_000_u64, 0..3_u8).prop_map(|(bytes, stream)| Step::Allocate { bytes, stream }),
        3 => (0..1_000_usize, any::<bool>()).prop_map(|(which, later)| Step::Free { which, later }),
        1 => (0..1_000_usize).prop_map(|which| Step::Complete { which }),
    ];
    prop::collection::vec((0..50_u8, step), 1..900)
}

/// A trace file, and what is live by stream and waiting after each event.
struct Model {
    csv: String,
    /// Live bytes after each alloc and free.
    live: Vec<u64>,
}

fn model(steps: &[(u8, Step)]) -> Model {
    let mut csv = "t_us,op,addr,size,stream\n".to_owned();
    let mut live: BTreeMap<u64, (u64, u8)> = BTreeMap::new();
    let mut waiting: BTreeMap<u64, (u64, u8)> = BTreeMap::new();
    let mut levels = Vec::new();
    let mut next = 1 << 40;
    let mut time = 0_u64;
    for (pause, step) in steps {
        time += u64::from(*pause);
        match step {
            Step::Allocate { bytes, stream } => {
                writeln!(csv, "{time},a,{next:x},{bytes},{stream}").unwrap();
                live.insert(next, (*bytes, *stream));
                next += 1 << 20;
            }
            Step::Free { which, later } => {
                let Some((&address, &(bytes, stream))) = live.iter().nth(which % live.len().max(1))
                else {
                    continue;
                };
                live.remove(&address);
                writeln!(csv, "{time},f,{address:x},{bytes},{stream}").unwrap();
                if *later {
                    waiting.insert(address, (bytes, stream));
                } else {
                    writeln!(csv, "{time},c,{address:x},{bytes},{stream}").unwrap();
                }
            }
            Step::Complete { which } => {
                let Some((&address, &(bytes, stream))) =
                    waiting.iter().nth(which % waiting.len().max(1))
                else {
                    continue;
                };
                waiting.remove(&address);
                writeln!(csv, "{time},c,{address:x},{bytes},{stream}").unwrap();
            }
        }
        levels.push(live.values().map(|&(bytes, _)| bytes).sum());
    }
    Model { csv, live: levels }
}

fn index(csv: &str) -> Option<Index> {
    let mut source = millpond_recording::from_bytes(csv.as_bytes(), "made up").unwrap();
    read(&mut *source, "made up", &mut |_| {}).unwrap().pop()
}

fn ask(runs: &[Index], question: &str) -> Value {
    let text = answer(runs, question).unwrap_or_else(|| panic!("no answer to {question}"));
    serde_json::from_str(&text).unwrap()
}

fn numbers(value: &Value) -> Vec<u64> {
    let list = value.as_array().unwrap();
    list.iter().map(|number| number.as_u64().unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_peak_is_the_same_everywhere(steps in steps()) {
        let model = model(&steps);
        let peak = model.live.iter().copied().max().unwrap_or(0);
        prop_assume!(peak > 0);
        let runs = [index(&model.csv).unwrap()];
        let run = &ask(&runs, "summary")["runs"][0];
        prop_assert_eq!(run["peak"].as_u64(), Some(peak));
        prop_assert_eq!(run["left_bytes"].as_u64(), model.live.last().copied());
        // The blocks at the peak, the chart and the range have the same bytes.
        let moment = ask(&runs, &format!("moment/0/{}", run["peak_time"]));
        prop_assert_eq!(moment["live"].as_u64(), Some(peak));
        prop_assert_eq!(moment["flame"]["bytes"].as_u64(), Some(peak));
        let lines = moment["lines"].as_array().unwrap();
        prop_assert_eq!(lines.iter().map(|line| line["bytes"].as_u64().unwrap()).sum::<u64>(), peak);
        let range = ask(&runs, &format!("range/0/{}/{}", run["from"], run["to"]));
        prop_assert_eq!(range["peak"].as_u64(), Some(peak));
        prop_assert_eq!(&range["allocations"], &run["allocations"]);
        for level in 0..6 {
            let tiles = (0..1_u64 << level).map(|number| ask(&runs, &format!("series/0/{level}/{number}")));
            let tiles: Vec<Value> = tiles.collect();
            let most = tiles.iter().flat_map(|tile| numbers(&tile["most"])).max();
            prop_assert_eq!(most, Some(peak), "level {}", level);
            // No event is in two buckets or in none.
            let events: u64 = tiles.iter().flat_map(|tile| numbers(&tile["events"])).sum();
            prop_assert_eq!(Some(events), run["events"].as_u64());
        }
    }

    #[test]
    fn a_chart_is_what_its_moments_are(steps in steps(), level in 0..6_u32, part in 0.0..1.0_f64) {
        let model = model(&steps);
        prop_assume!(model.live.iter().any(|&live| live > 0));
        let runs = [index(&model.csv).unwrap()];
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a tile of a few")]
        let number = (part * (1_u64 << level) as f64) as u64;
        let series = ask(&runs, &format!("series/0/{level}/{number}"));
        let streams: Vec<Vec<u64>> = series["streams"].as_array().unwrap().iter().map(numbers).collect();
        let most = numbers(&series["most"]);
        for bucket in 0..most.len() {
            let sum: u64 = streams.iter().map(|stream| stream[bucket]).sum();
            prop_assert_eq!(sum, most[bucket]);
        }
        // Before the last bucket nothing else happens than what the moment at its edge says.
        let to = series["to"].as_u64().unwrap();
        prop_assume!(to > 0);
        let last = ask(&runs, &format!("moment/0/{}", to - 1));
        let least = numbers(&series["least"]);
        let held = last["live"].as_u64().unwrap() + last["waiting"].as_u64().unwrap();
        prop_assert!(least[255] <= held);
        prop_assert!(most[255] >= last["live"].as_u64().unwrap());
    }
}

#[test]
fn what_is_not_a_question_has_no_answer() {
    let runs = [index("t_us,op,addr,size,stream\n1,a,10,100,0\n9,a,1000,50,0\n").unwrap()];
    for wrong in [
        "",
        "summary/",
        "series/1/0/0",
        "series/0/0/1",
        "series/0/57/0",
        "series/0/-1/0",
        "layout/0/0/0",
        "moment/0/x",
        "block/0/2",
        "find/0/zz",
        "../../etc/passwd",
        "range/0/18446744073709551616/0",
    ] {
        assert!(answer(&runs, wrong).is_none(), "{wrong}");
    }
    // Times that no recording has.
    assert_eq!(ask(&runs, "moment/0/0")["live"], 100);
    assert_eq!(ask(&runs, &format!("moment/0/{}", u64::MAX))["live"], 150);
    assert_eq!(ask(&runs, "range/0/100000/5")["allocations"], 0);
    assert_eq!(ask(&runs, "find/0/0x15")["count"], 1);
    assert_eq!(ask(&runs, "find/0/ffffffffffffffff")["count"], 0);
}

#[test]
fn blocks_that_are_not_shown_are_counted() {
    let mut csv = "t_us,op,addr,size,stream\n".to_owned();
    for block in 0..20_000_u64 {
        writeln!(csv, "{block},a,{:x},4096,0", (1 << 40) + block * 4096).unwrap();
    }
    let runs = [index(&csv).unwrap()];
    let layout = ask(&runs, "layout/0/0/0/0/0");
    let shown = layout["blocks"].as_array().unwrap().len() as u64;
    assert_eq!(shown + layout["hidden"].as_u64().unwrap(), 20_000);
    // Half of the picture is held: the staircase below the diagonal.
    let shade = layout["shade"].as_str().unwrap();
    let sum: u32 = shade.chars().map(|digit| digit.to_digit(16).unwrap()).sum();
    let part = f64::from(sum) / 15.0 / (256.0 * 96.0);
    assert!((0.45..0.6).contains(&part), "{part}");
    // Nearer, every block of the band is there.
    let near = ask(&runs, "layout/0/0/0/8/0");
    assert_eq!(near["hidden"], 0);
    assert!(near["blocks"].as_array().unwrap().len() >= 78);
}

#[test]
fn many_streams_are_one_after_the_first_ones() {
    let mut lines = String::new();
    for stream in 0..1000_u64 {
        writeln!(lines, "{stream},a,{:x},512,{stream}", stream * 4096).unwrap();
    }
    let run = index(&format!("{HEADER}{lines}")).unwrap();
    assert_eq!(run.streams.len(), 129);
    assert_eq!(run.streams[127], "stream 127");
    assert_eq!(run.streams[128], "all other streams");
    let level = run.peak().level;
    assert_eq!(level.live, 512_000);
    assert_eq!(level.by_stream[128], 512 * (1000 - 128));
}

#[test]
fn memory_that_is_reserved_twice_counts_once() {
    let run = index(&format!(
        "{HEADER}0,M,0,4096,0\n1,M,800,4096,0\n2,a,0,100,0\n3,m,0,1000,0\n4,m,3e8,1000,0\n"
    ))
    .unwrap();
    let reserved: Vec<u64> = run.reserved.iter().map(|&(_, bytes)| bytes).collect();
    assert_eq!(reserved, [4096, 6144, 5144, 4144]);
}

#[test]
fn a_page_of_many_ranks_does_not_have_every_comparison() {
    let run = || index(&format!("{HEADER}0,a,0,100,0\n")).unwrap();
    let runs: Vec<Index> = (0..60).map(|_| run()).collect();
    let page = millpond_view::page_with_answers(&runs, 40_000, &mut |_| ());
    let compared = page.matches("\"diff/").count();
    assert!((1..200).contains(&compared), "{compared} of {}", 60 * 59);
}

#[test]
fn blocks_in_segments_that_are_older_count_as_in_a_replay() {
    let run = index(&format!(
        "{HEADER}0,a,40000000,100,0\n1,S,0,4096,0\n2,a,0,100,0\n3,a,40000200,100,0\n"
    ))
    .unwrap();
    assert_eq!(run.reserved, [(0, 2 << 20), (1000, (2 << 20) + 4096)]);
    let without = index(&format!("{HEADER}0,a,40000000,100,0\n")).unwrap();
    assert_eq!(without.reserved, []);
}
