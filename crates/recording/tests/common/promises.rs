//! What every source promises, whatever its file: used by the tests and by the fuzzers.

use std::collections::HashMap;

use millpond_recording::{Event, Kind, Source};

/// Reads everything twice and checks what [`Source`] promises.
pub(crate) fn hold(source: &mut dyn Source) {
    let mut blocks: HashMap<(u16, u64), (u64, bool)> = HashMap::new();
    let mut last = 0;
    let before = source.before().to_vec();
    for event in &before {
        assert!(
            event.time_ns == 0
                && matches!(
                    event.kind,
                    Kind::Alloc | Kind::SegmentAlloc | Kind::SegmentMap
                )
        );
        one(source, event, &mut blocks);
    }
    let mut events = Vec::new();
    while source
        .read(&mut events)
        .expect("opened files are read to their end")
    {}
    for event in &events {
        assert!(event.time_ns >= last, "times run backwards");
        last = event.time_ns;
        one(source, event, &mut blocks);
    }
    assert_eq!(source.events(), Some(events.len() as u64));
    source
        .rewind()
        .expect("a source that was read can be read again");
    let mut again = Vec::new();
    while source.read(&mut again).expect("the same as before") {}
    assert!(again == events, "the second time is different");
}

fn one(source: &dyn Source, event: &Event, blocks: &mut HashMap<(u16, u64), (u64, bool)>) {
    let tables = source.tables();
    assert!(
        (event.stack.0 as usize) < tables.nodes().len()
            && (event.label.0 as usize) < tables.texts().len()
    );
    assert!(tables.stack(event.stack).count() <= tables.nodes().len());
    let key = (event.device, event.address);
    match event.kind {
        Kind::Alloc => assert!(
            blocks.insert(key, (event.bytes, true)).is_none(),
            "a block begins where one is: {event:?}"
        ),
        Kind::FreeRequested => {
            let (bytes, live) = blocks
                .get_mut(&key)
                .expect("a free of a block that is alive");
            assert!(*live && *bytes == event.bytes, "{event:?}");
            *live = false;
        }
        Kind::FreeCompleted => {
            assert_eq!(blocks.remove(&key), Some((event.bytes, false)), "{event:?}");
        }
        _ => assert!(
            event.address.checked_add(event.bytes).is_some() || event.kind == Kind::OutOfMemory
        ),
    }
}
