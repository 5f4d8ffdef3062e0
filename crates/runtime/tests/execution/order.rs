//! Runs beside copies, events and the tap.

use std::sync::Arc;

use millpond::trace::{Collector, Operation, Outcome, TaskKind};

use crate::common::SCHEDULES;
use crate::world::{Floats, add, open, open_eager};

#[test]
fn copies_and_runs_of_one_stream_keep_their_order() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let add = add(&runtime, 1);
        let [x, y, z] = [1.0, 0.0, 0.0].map(|value| Floats::new(&device, &[256], value));
        for _ in 0..20 {
            add.run_on(&stream, &[x.input(), x.input()], &[y.output()])
                .unwrap();
            stream.copy(x.block.all(), y.block.all()).unwrap();
            stream.fill(y.block.all(), 0xff).unwrap();
        }
        stream.copy(z.block.all(), x.block.all()).unwrap();
        stream.synchronize().unwrap();
        assert!(z.is(1_048_576.0), "{schedule:?}");
    }
}

#[test]
fn a_run_is_one_task_in_the_records_with_what_it_reads_and_writes() {
    let (runtime, device, stream) = open_eager();
    let add = add(&runtime, 1);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[8], value));
    let collector = Arc::new(Collector::default());
    runtime.tap().attach(collector.clone());
    for _ in 0..3 {
        add.run_on(&stream, &[x.input(), x.input()], &[y.output()])
            .unwrap();
    }
    stream.synchronize().unwrap();
    let records = collector.operations();
    let mut enqueued = 0;
    for record in &records {
        if let Operation::Enqueued { accesses, .. } = record {
            assert_eq!(accesses.task, TaskKind::Compute);
            assert_eq!((accesses.reads.len(), accesses.writes.len()), (2, 1));
            let written = accesses.writes[0].hull();
            assert_eq!((written.start, written.bytes), (y.block.address(), 32));
            enqueued += 1;
        }
    }
    let ended = records.iter().filter(|record| {
        matches!(
            record,
            Operation::Completed {
                outcome: Outcome::Done,
                ..
            }
        )
    });
    assert_eq!((enqueued, ended.count()), (3, 3));
}
