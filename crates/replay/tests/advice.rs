//! Advice on recordings that are made here, where the right answer is known.

use millpond_recording::{
    About, Allocator, Device, Error, Event, Format, Frame, Kind, Notes, Source, StackId, Tables,
    TextId,
};
use millpond_replay::advise::{Question, advise, held};
use millpond_replay::holders::holders;
use millpond_replay::recorded::{Recording, Without};

const MIB: u64 = 1 << 20;

/// A source that is written down call by call.
#[derive(Debug)]
struct Written {
    about: About,
    tables: Tables,
    before: Vec<Event>,
    events: Vec<Event>,
    next: u64,
    delivered: bool,
}

impl Written {
    fn new(format: Format) -> Self {
        let mut tables = Tables::default();
        tables.add_device(&Device::default());
        Self {
            about: About {
                format,
                title: "written.pickle".to_owned(),
                process: 0,
                began_unix_ns: None,
                has_times: true,
                file_bytes: 0,
                settings: Vec::new(),
                allocator: None,
            },
            tables,
            before: Vec::new(),
            events: Vec::new(),
            next: 1 << 40,
            delivered: false,
        }
    }

    /// A stack of a line of the program that calls into a package.
    fn stack(&mut self, line: u32) -> StackId {
        let tables = &mut self.tables;
        let package = Frame {
            function: tables.add_text("empty"),
            file: tables.add_text("/lib/site-packages/torch/functional.py"),
            line: 1,
        };
        let own = Frame {
            function: tables.add_text("step"),
            file: tables.add_text("train.py"),
            line,
        };
        let frames = [tables.add_frame(package), tables.add_frame(own)];
        tables.add_stack(&frames)
    }

    fn event(&mut self, kind: Kind, address: u64, bytes: u64, stack: StackId) {
        let stream = self.tables.add_stream(0, 0);
        self.events.push(Event {
            time_ns: self.events.len() as u64,
            address,
            bytes,
            stream,
            stack,
            label: TextId(0),
            device: 0,
            kind,
        });
    }

    fn alloc(&mut self, bytes: u64, stack: StackId) -> (u64, u64) {
        let address = self.next;
        self.next += bytes.next_multiple_of(1 << 30);
        self.event(Kind::Alloc, address, bytes, stack);
        (address, bytes)
    }

    fn free(&mut self, (address, bytes): (u64, u64)) {
        self.event(Kind::FreeRequested, address, bytes, StackId(0));
        self.event(Kind::FreeCompleted, address, bytes, StackId(0));
    }

    fn finish(self) -> Recording {
        Recording::read(Box::new(self), |_part| ()).expect("it has no errors")
    }
}

impl Source for Written {
    fn about(&self) -> &About {
        &self.about
    }

    fn tables(&self) -> &Tables {
        &self.tables
    }

    fn before(&self) -> &[Event] {
        &self.before
    }

    fn read(&mut self, into: &mut Vec<Event>) -> Result<bool, Error> {
        if std::mem::replace(&mut self.delivered, true) {
            return Ok(false);
        }
        into.extend_from_slice(&self.events);
        Ok(!self.events.is_empty())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.delivered = false;
        Ok(())
    }

    fn notes(&self) -> Notes {
        Notes::default()
    }

    fn events(&self) -> Option<u64> {
        Some(self.events.len() as u64)
    }

    fn progress(&self) -> f64 {
        1.0
    }
}

/// Steps that allocate and free, and keep 30 MiB each for ever if `leaks`.
fn steps(leaks: bool) -> Recording {
    let mut written = Written::new(Format::Snapshot);
    let (weights, work, kept) = (written.stack(10), written.stack(20), written.stack(30));
    written.alloc(200 * MIB, weights);
    for _ in 0..40 {
        let block = written.alloc(100 * MIB, work);
        let other = written.alloc(30 * MIB, kept);
        written.free(block);
        if !leaks {
            written.free(other);
        }
    }
    written.finish()
}

#[test]
fn a_leak_is_found_by_its_line_and_its_bytes_are_those_of_the_replay() {
    let recording = steps(true);
    let leak = holders(&recording).leak.unwrap();
    // Three quarters of the recording count.
    assert_eq!(
        (leak.name.as_str(), leak.blocks, leak.bytes),
        ("train.py:30", 30, 900 * MIB)
    );
    let report = advise(&recording, Question::default(), |_part| ()).unwrap();
    let advice = report.advice.iter().find(|it| it.kind == "leak").unwrap();
    let only_leaks = Without {
        leaks: vec!["train.py:30".to_owned()],
        ..Without::default()
    };
    let without = recording.traces_without(&only_leaks);
    let left_out = without[0].left_out;
    assert_eq!((left_out.blocks, left_out.bytes), (30, 900 * MIB));
    assert_eq!(
        advice.before,
        held("pytorch", &recording.traces(), None).unwrap()
    );
    assert_eq!(advice.after, held("pytorch", &without, None).unwrap());
    // 200 MiB of weights, 100 of work and the 10 × 30 of the first quarter are left of 200, 100 and 40 × 30.
    assert_eq!((advice.before, advice.after), (1500 * MIB, 600 * MIB));
    assert!(
        advice.sentence.contains("943718400 bytes"),
        "{}",
        advice.sentence
    );
    // The leak holds most at the peak too, and is told once.
    assert!(
        report.advice.iter().all(|it| it.kind != "owner"),
        "{report:?}"
    );
}

/// The same line allocates 300 MiB for a moment in each step, and keeps 1 MiB of it. Who mends the leak saves the latter.
#[test]
fn a_leak_costs_what_is_never_freed_and_not_what_its_owner_has() {
    let mut written = Written::new(Format::Snapshot);
    let (weights, line) = (written.stack(10), written.stack(20));
    written.alloc(20 * MIB, weights);
    for _ in 0..40 {
        let block = written.alloc(300 * MIB, line);
        written.alloc(20 * MIB, line);
        written.free(block);
    }
    let recording = written.finish();
    let report = advise(&recording, Question::default(), |_part| ()).unwrap();
    let advice = report.advice.iter().find(|it| it.kind == "leak").unwrap();
    let holder = advice.holder.as_ref().unwrap();
    assert_eq!((holder.blocks, holder.bytes), (30, 600 * MIB));
    assert_eq!(advice.saves(), holder.bytes);
    assert!(
        advice.sentence.contains("(30 blocks, 600.00 MiB, growing"),
        "{}",
        advice.sentence
    );
    assert!(advice.replays[1].ends_with("--without-leaks-of train.py:20"));
}

#[test]
fn without_a_leak_the_owner_of_the_peak_is_named() {
    let recording = steps(false);
    let found = holders(&recording);
    assert_eq!(found.leak, None);
    let owner = found.owner.unwrap();
    assert_eq!(
        (owner.name.as_str(), owner.blocks, owner.bytes),
        ("train.py:10", 1, 200 * MIB)
    );
}

#[test]
fn advice_claims_only_what_its_replay_shows() {
    for recording in [steps(true), steps(false)] {
        let report = advise(&recording, Question::default(), |_part| ()).unwrap();
        assert!(report.advice.len() <= 3);
        assert_eq!(
            report.held,
            held(&report.baseline, &recording.traces(), None).unwrap()
        );
        for advice in &report.advice {
            assert_eq!(advice.before, report.held);
            assert!(advice.saves() * 100 >= advice.before, "{advice:?}");
        }
    }
}

#[test]
fn when_nothing_helps_there_is_no_advice() {
    // Blocks that fill segments exactly, of many owners, each of which holds too little to matter.
    let mut written = Written::new(Format::Snapshot);
    for line in 1..=200 {
        let stack = written.stack(line);
        written.alloc(20 * MIB, stack);
    }
    let recording = written.finish();
    assert_eq!(holders(&recording).leak, None);
    let report = advise(&recording, Question::default(), |_part| ()).unwrap();
    assert_eq!(report.advice, []);
    assert_eq!((report.held, report.live), (4000 * MIB, 4000 * MIB));
}

/// Only changes that were replayed: not one that is in force already, and no owner or leak where there is none.
#[test]
fn the_changes_that_were_tried_are_counted() {
    let tried = |recording: &Recording| {
        let mut steps = Vec::new();
        let report = advise(recording, Question::default(), |part| steps.push(part)).unwrap();
        assert_eq!(steps.len(), report.tried);
        assert_eq!(steps.last().copied(), Some(1.0));
        report.tried
    };
    // Seven settings and our pool; then an owner; a leak that is the owner too.
    assert_eq!(tried(&steps(false)), 9);
    assert_eq!(tried(&steps(true)), 9);
    let set = |settings: &[(&str, &str)]| {
        let mut written = Written::new(Format::Snapshot);
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        written.about.settings = settings.iter().map(owned).collect();
        written.alloc(MIB, StackId(0));
        written.finish()
    };
    assert_eq!(tried(&set(&[])), 9);
    assert_eq!(tried(&set(&[("expandable_segments", "True")])), 8);
    let mut written = Written::new(Format::Millpond);
    written.alloc(0, StackId(0));
    // One setting, and nobody holds anything.
    assert_eq!(tried(&written.finish()), 1);
}

type Settings<'a> = &'a [(&'a str, &'a str)];

#[test]
fn the_allocator_of_the_recording_is_what_others_are_compared_with() {
    let alike: Vec<String> = (0..16).map(|it| format!("{}:4", 1 << it)).collect();
    let rising: Vec<String> = (0..16)
        .map(|it| format!("{}:{}", 1 << it, it / 8 * 8))
        .collect();
    let (alike, rising) = (alike.join(","), rising.join(","));
    let list = "[1:1,2:1,4:1,8:1,16:1,32:1,64:1,128:1,256:8,512:8,1024:8,2048:8,4096:8,8192:8,16384:8,32768:8]";
    let rounded = format!("pytorch,roundup_power2_divisions={list}");
    let unlimited = i64::MAX.to_string();
    // As `torch.cuda.memory._snapshot()` writes settings that nobody changed.
    let usual = [
        ("expandable_segments", "false"),
        ("max_split_size", "-1"),
        ("garbage_collection_threshold", "0"),
        ("roundup_power2_divisions", "1:0,2:0"),
    ];
    let npu = |pads| Some(Allocator::TorchNpu { pads });
    let rows: [(Format, Option<Allocator>, Settings, &str); 17] = [
        (Format::Millpond, None, &[], "millpond"),
        (
            Format::Millpond,
            Some(Allocator::MillpondCuda),
            &[],
            "millpond-cuda",
        ),
        (
            Format::Millpond,
            Some(Allocator::MillpondPlugin),
            &[],
            "millpond-mempool,reuse=polling,slack=5,most_slack=5",
        ),
        (Format::Millpond, npu(true), &[], "torch_npu"),
        (
            Format::Millpond,
            npu(false),
            &[("expandable_segments", "true")],
            "torch_npu,padding=0,expandable_segments=True",
        ),
        (Format::Snapshot, npu(false), &[], "torch_npu,padding=0"),
        (Format::Rmm, None, &[], "rmm-pool"),
        (Format::Csv, None, &[], "pytorch"),
        (Format::Snapshot, None, &usual, "pytorch"),
        (Format::Snapshot, npu(true), &[], "torch_npu"),
        (
            Format::Snapshot,
            npu(true),
            &[("expandable_segments", "true")],
            "torch_npu,expandable_segments=True",
        ),
        (
            Format::Snapshot,
            None,
            &[
                ("expandable_segments", "True"),
                ("max_split_size", "67108864"),
            ],
            "pytorch,expandable_segments=True,max_split_size_mb=64",
        ),
        (
            Format::Snapshot,
            None,
            &[
                ("max_split_size", &unlimited),
                ("roundup_power2_divisions", &alike),
            ],
            "pytorch,roundup_power2_divisions=4",
        ),
        (
            Format::Snapshot,
            None,
            &[("roundup_power2_divisions", &rising)],
            &rounded,
        ),
        // Without the size of the device, its share means nothing.
        (
            Format::Snapshot,
            None,
            &[("garbage_collection_threshold", "0.8")],
            "pytorch",
        ),
        (
            Format::Snapshot,
            None,
            &[(
                "PYTORCH_CUDA_ALLOC_CONF",
                "max_non_split_rounding_mb:64,roundup_power2_divisions:[256:1,>:4],expandable_segments:False",
            )],
            "pytorch,expandable_segments=False,max_non_split_rounding_mb=64,roundup_power2_divisions=[256:1,>:4]",
        ),
        // What PyTorch would refuse was not in force.
        (
            Format::Snapshot,
            None,
            &[
                ("max_split_size", "1"),
                ("roundup_power2_divisions", "3:x,y"),
            ],
            "pytorch",
        ),
    ];
    for (format, made, settings, baseline) in rows {
        let mut written = Written::new(format);
        written.about.allocator = made;
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        written.about.settings = settings.iter().map(owned).collect();
        written.alloc(MIB, StackId(0));
        let report = advise(&written.finish(), Question::default(), |_part| ()).unwrap();
        assert_eq!(report.baseline, baseline);
        let told = report.advice.iter().any(|it| it.kind == "pytorch");
        let is_pytorch = baseline.starts_with("pytorch") || baseline.starts_with("torch_npu");
        assert!(is_pytorch || !told, "{report:?}");
        // The pool of a library or plug-in is Millpond's already, and has not the variable of its runtime: only the owner is left.
        let by_another_way = [Allocator::MillpondCuda, Allocator::MillpondPlugin];
        if made.is_some_and(|made| by_another_way.contains(&made)) {
            assert_eq!(report.tried, 1, "{report:?}");
        }
    }
}

#[test]
fn a_share_of_the_device_is_replayed_on_a_device_of_the_size_that_is_named() {
    let mut written = Written::new(Format::Snapshot);
    written.about.settings = vec![("garbage_collection_threshold".to_owned(), "0.8".to_owned())];
    written.alloc(MIB, StackId(0));
    let question = Question {
        device: Some(1 << 30),
    };
    let report = advise(&written.finish(), question, |_part| ()).unwrap();
    assert_eq!(report.baseline, "pytorch,garbage_collection_threshold=0.8");
}

/// Blocks of 33 MiB and 39 MiB in turn need 40 MiB each with four divisions, so that one serves the other.
#[test]
fn advice_for_torch_npu_names_its_variable_and_its_model() {
    let mut written = Written::new(Format::Snapshot);
    written.about.allocator = Some(Allocator::TorchNpu { pads: true });
    for _ in 0..4 {
        for size in [33, 35, 37, 39] {
            let block = written.alloc(size * MIB, StackId(0));
            written.free(block);
        }
    }
    let report = advise(&written.finish(), Question::default(), |_part| ()).unwrap();
    let advice = report
        .advice
        .iter()
        .find(|it| it.kind == "pytorch")
        .unwrap();
    assert!(
        advice.sentence.starts_with("Set PYTORCH_NPU_ALLOC_CONF="),
        "{advice:?}"
    );
    assert!(
        advice.replays[0].starts_with("--allocator torch_npu --allocator torch_npu,"),
        "{advice:?}"
    );
}

/// The same, as Millpond records it, where CANN adds nothing to requests: that is no setting of PyTorch.
#[test]
fn advice_for_a_recording_of_torch_npu_sets_only_what_pytorch_knows() {
    let mut written = Written::new(Format::Millpond);
    written.about.allocator = Some(Allocator::TorchNpu { pads: false });
    written.event(Kind::SegmentAlloc, 1 << 50, 100 * MIB, StackId(0));
    for _ in 0..4 {
        for size in [33, 35, 37, 39] {
            let block = written.alloc(size * MIB, StackId(0));
            written.free(block);
        }
    }
    let recording = written.finish();
    let report = advise(&recording, Question::default(), |_part| ()).unwrap();
    let told = |kind: &str| report.advice.iter().find(|it| it.kind == kind).unwrap();
    let advice = told("pytorch");
    assert!(
        advice.sentence.starts_with("Set PYTORCH_NPU_ALLOC_CONF="),
        "{advice:?}"
    );
    assert!(!advice.sentence.contains("padding"), "{advice:?}");
    let begin = "--allocator torch_npu,padding=0 --allocator torch_npu,padding=0,";
    assert!(advice.replays[0].starts_with(begin), "{advice:?}");
    assert_eq!(report.recorded, recording.traces()[0].recorded_reserved);
    assert!(report.recorded >= Some(100 * MIB));
}

/// Devices have their peaks at different times, and the one with most at its own counts. On two devices, half a leak each is two leaks,
/// of which advice names the larger.
#[test]
fn each_device_has_its_own_peak_and_its_own_leak() {
    let mut written = Written::new(Format::Snapshot);
    let second = written.tables.add_device(&Device {
        rank: None,
        index: 1,
        capacity: 0,
    });
    let (first, other, leak) = (written.stack(10), written.stack(20), written.stack(30));
    let on_second = |written: &mut Written| {
        let stream = written.tables.add_stream(second, 0);
        let event = written.events.last_mut().expect("an event");
        (event.device, event.stream) = (second, stream);
    };
    // 500 MiB on device 1, freed before device 0 has its peak of 300.
    let large = written.alloc(500 * MIB, other);
    on_second(&mut written);
    written.event(Kind::FreeRequested, large.0, large.1, StackId(0));
    on_second(&mut written);
    written.event(Kind::FreeCompleted, large.0, large.1, StackId(0));
    on_second(&mut written);
    written.alloc(300 * MIB, first);
    for number in 0..48 {
        written.alloc(if number % 2 == 0 { 20 } else { 40 } * MIB / 20, leak);
        if number % 2 == 0 {
            on_second(&mut written);
        }
    }
    let recording = written.finish();
    let found = holders(&recording);
    let owner = found.owner.unwrap();
    assert_eq!((owner.name.as_str(), owner.device), ("train.py:20", second));
    assert_eq!((owner.blocks, owner.bytes), (1, 500 * MIB));
    let leak = found.leak.unwrap();
    assert_eq!((leak.name.as_str(), leak.device), ("train.py:30", 0));
    assert_eq!((leak.blocks, leak.bytes), (20, 40 * MIB));
    let report = advise(&recording, Question::default(), |_part| ()).unwrap();
    let all = recording.traces();
    assert_eq!(report.held, held("pytorch", &all, None).unwrap());
    let told = |kind: &str| report.advice.iter().find(|it| it.kind == kind).unwrap();
    let (owner, leak) = (told("owner"), told("leak"));
    assert!(
        owner
            .sentence
            .starts_with("Reduce train.py:20 first on device 1 ("),
        "{owner:?}"
    );
    assert!(
        owner
            .sentence
            .contains("peak reserved of device 1 falls from"),
        "{owner:?}"
    );
    assert_eq!(owner.before, held("pytorch", &all[1..], None).unwrap());
    assert!(
        leak.sentence
            .contains("peak reserved of device 0 falls from"),
        "{leak:?}"
    );
    assert_eq!(leak.before, held("pytorch", &all[..1], None).unwrap());
}

#[test]
fn blocks_older_than_the_recording_and_several_devices_are_replayed() {
    let mut written = Written::new(Format::Snapshot);
    let second = written.tables.add_device(&Device {
        rank: None,
        index: 1,
        capacity: 0,
    });
    written.alloc(3 * MIB, StackId(0));
    let old = Event {
        bytes: 5 * MIB,
        address: 1 << 50,
        ..written.events[0]
    };
    written.before.push(old);
    let on_second = Event {
        device: second,
        bytes: 7 * MIB,
        address: 1 << 51,
        ..written.events[0]
    };
    written.events.push(on_second);
    written.free((1 << 50, 5 * MIB));
    let traces = written.finish().traces();
    let names: Vec<&str> = traces.iter().map(|trace| trace.name.as_str()).collect();
    assert_eq!(names, ["written:device0", "written:device1"]);
    assert_eq!(
        (traces[0].peak_live(), traces[0].older, traces[0].calls()),
        (8 * MIB, 1, 3)
    );
    assert_eq!((traces[1].peak_live(), traces[1].older), (7 * MIB, 0));
}

/// Annotations have times of their own, and may come between a free and its completion. Another event of memory says that something waited.
#[test]
fn an_annotation_within_a_free_does_not_hold_it() {
    for (between, held) in [
        (Kind::Mark, 0),
        (Kind::RangeBegin, 0),
        (Kind::RangeEnd, 0),
        (Kind::Snapshot, 0),
        (Kind::SegmentAlloc, 1),
    ] {
        let mut written = Written::new(Format::Snapshot);
        let (address, bytes) = written.alloc(MIB, StackId(0));
        written.event(Kind::FreeRequested, address, bytes, StackId(0));
        written.event(between, 1 << 50, 2 * MIB, StackId(0));
        written.event(between, 1 << 50, 2 * MIB, StackId(0));
        written.event(Kind::FreeCompleted, address, bytes, StackId(0));
        let traces = written.finish().traces();
        assert_eq!(traces[0].held_frees(), held, "{between:?}");
    }
}

/// A wait names the other stream by its handle.
#[test]
fn a_wait_lets_another_stream_reuse_what_was_freed() {
    let held_with = |waits: bool| {
        let mut written = Written::new(Format::Millpond);
        let (first, second) = (
            written.tables.add_stream(0, 0),
            written.tables.add_stream(0, 77),
        );
        let block = written.alloc(512 * MIB, StackId(0));
        written.free(block);
        if waits {
            written.event(Kind::StreamWait, 0, 0, StackId(0));
            let wait = written.events.last_mut().expect("the wait");
            wait.stream = second;
        }
        written.alloc(512 * MIB, StackId(0));
        let last = written.events.last_mut().expect("the allocation");
        assert_eq!(last.stream, first);
        last.stream = second;
        let traces = written.finish().traces();
        assert_eq!(traces[0].streams().len(), 2);
        held("millpond,slack=0", &traces, Some(1 << 30)).unwrap()
    };
    assert_eq!((held_with(true), held_with(false)), (512 * MIB, 1024 * MIB));
}

/// The wait of the second stream is for what the first one had queued when the event was recorded, which was before or after
/// the free; and what a stream uses is not reused by the others until they wait for it.
#[test]
fn a_wait_for_a_recording_knows_no_more_than_the_recording() {
    let held_with = |recorded_after: bool, used: bool| {
        let mut written = Written::new(Format::Millpond);
        let second = written.tables.add_stream(0, 77);
        let third = written.tables.add_stream(0, 78);
        let block = written.alloc(512 * MIB, StackId(0));
        if used {
            written.event(Kind::StreamUse, block.0, 0, StackId(0));
            written.events.last_mut().expect("the use").stream = third;
        }
        let free = |written: &mut Written| written.free(block);
        if recorded_after {
            free(&mut written);
        }
        written.event(Kind::EventRecord, 1, 0, StackId(0));
        if !recorded_after {
            free(&mut written);
        }
        written.event(Kind::StreamWait, 0, 1, StackId(0));
        written.events.last_mut().expect("the wait").stream = second;
        written.alloc(512 * MIB, StackId(0));
        written.events.last_mut().expect("the allocation").stream = second;
        let traces = written.finish().traces();
        held("millpond,slack=0", &traces, Some(1 << 30)).unwrap()
    };
    assert_eq!(held_with(true, false), 512 * MIB);
    assert_eq!(held_with(false, false), 1024 * MIB);
    assert_eq!(held_with(true, true), 1024 * MIB);
}

/// `old_blocks.pickle`: three segments with a block each that no event allocated, and one event.
#[test]
fn every_block_of_a_snapshot_that_is_older_than_its_events_is_replayed() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/old_blocks.pickle");
    let recording = Recording::open(file.as_ref(), |_part| ()).unwrap();
    let traces = recording.traces();
    assert_eq!((traces[0].older, traces[0].calls()), (3, 4));
    assert_eq!(traces[0].peak_live(), 3 * 4_000_000 + 3 + 20_000_000);
}
