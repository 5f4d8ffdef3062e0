#![expect(
    unsafe_code,
    reason = "touches what it mapped, as work and programs do"
)]

use super::*;
use crate::machine::MachineMemory;

const MIB: u64 = 1 << 20;

fn space(unified: bool) -> HostAddressSpace {
    HostAddressSpace::sharing(unified, &Arc::default()).unwrap()
}

fn poke(address: u64, value: u8) {
    let place = std::ptr::with_exposed_provenance_mut::<u8>(usize::try_from(address).unwrap());
    // SAFETY: tests pass addresses that they have mapped and that nobody else knows.
    unsafe { place.write_volatile(value) };
}

fn peek(address: u64) -> u8 {
    let place = std::ptr::with_exposed_provenance::<u8>(usize::try_from(address).unwrap());
    // SAFETY: tests pass addresses that they have mapped and that nobody else knows.
    unsafe { place.read_volatile() }
}

/// What `/proc/self/maps` says about an address: its rights.
fn rights(address: u64) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let line = maps.lines().find(|line| {
        let (range, _) = line.split_once(' ').unwrap();
        let (start, end) = range.split_once('-').unwrap();
        let number = |text| u64::from_str_radix(text, 16).unwrap();
        (number(start)..number(end)).contains(&address)
    });
    let line = line.expect("a mapped address");
    line.split(' ').nth(1).unwrap()[..2].to_owned()
}

#[test]
fn a_piece_keeps_its_bytes_wherever_it_is_mapped() {
    let space = space(false);
    let window = space.reserve(64 * MIB, None).unwrap();
    let (at, work) = (window.range.start, window.range.start + window.distance);
    let piece = space.create(2 * MIB, Home::Machine).unwrap();
    space.map(piece, at + 4 * MIB, false).unwrap();
    poke(work + 4 * MIB, 7);
    assert_eq!(rights(at + 4 * MIB), "--", "programs cannot touch it");
    // Two places at once show the same bytes.
    space.map(piece, at, false).unwrap();
    assert_eq!(peek(work), 7);
    poke(work + 1, 8);
    assert_eq!(peek(work + 4 * MIB + 1), 8);
    space.unmap(at).unwrap();
    space.unmap(at + 4 * MIB).unwrap();
    assert_eq!(rights(work), "--");
    space.map(piece, at + 32 * MIB, false).unwrap();
    assert_eq!((peek(work + 32 * MIB), peek(work + 32 * MIB + 1)), (7, 8));
    space.unmap(at + 32 * MIB).unwrap();
    space.destroy(piece).unwrap();
    // The next piece has the same offsets and nothing of the old bytes.
    let other = space.create(2 * MIB, Home::Machine).unwrap();
    space.map(other, at, false).unwrap();
    assert_eq!(peek(work), 0);
    space.unmap(at).unwrap();
    space.destroy(other).unwrap();
    space.release(at).unwrap();
}

#[test]
fn pieces_side_by_side_are_contiguous_for_work() {
    let space = space(false);
    let window = space.reserve(8 * MIB, None).unwrap();
    let (at, work) = (window.range.start, window.range.start + window.distance);
    let pieces = [1, 2, 3].map(|_| space.create(2 * MIB, Home::Machine).unwrap());
    for (piece, place) in [(pieces[2], 0), (pieces[0], 2), (pieces[1], 4)] {
        space.map(piece, at + place * MIB, false).unwrap();
    }
    for address in (work..work + 6 * MIB).step_by(4096) {
        poke(address, 1);
    }
    assert!(space.physical.resident().unwrap() >= 6 * MIB);
    for place in [0, 2, 4] {
        space.unmap(at + place * MIB).unwrap();
    }
    for piece in pieces {
        space.destroy(piece).unwrap();
    }
    assert_eq!(space.physical.resident(), Ok(0));
}

#[test]
fn what_is_shown_can_be_touched_by_the_program_until_it_is_hidden() {
    let space = space(false);
    let window = space.reserve(4 * MIB, None).unwrap();
    let (at, work) = (window.range.start, window.range.start + window.distance);
    let piece = space.create(2 * MIB, Home::Machine).unwrap();
    space.map(piece, at, true).unwrap();
    poke(at, 5);
    assert_eq!(peek(work), 5);
    space.hide(at).unwrap();
    assert_eq!((rights(at).as_str(), peek(work)), ("--", 5));
    space.show(at).unwrap();
    space.show(at).unwrap();
    assert_eq!(peek(at), 5);
    space.unmap(at).unwrap();
    assert_eq!((rights(at), rights(work)), ("--".into(), "--".into()));
    space.destroy(piece).unwrap();
    space.release(at).unwrap();
    assert_eq!(space.state.lock().mappings, 0, "nothing is left to count");
}

#[test]
fn in_unified_mode_there_is_one_view() {
    let space = space(true);
    let window = space.reserve(4 * MIB, None).unwrap();
    assert_eq!(window.distance, 0);
    let piece = space.create(2 * MIB, Home::Machine).unwrap();
    let at = window.range.start;
    space.map(piece, at, false).unwrap();
    assert_eq!(rights(at), "--", "without access nobody can touch it");
    space.show(at).unwrap();
    poke(at, 3);
    space.hide(at).unwrap();
    assert_eq!(peek(at), 3, "work may still use it");
    space.unmap(at).unwrap();
    assert_eq!(rights(at), "--");
}

#[test]
fn a_forked_child_gets_nothing_that_is_mapped() {
    let space = space(false);
    let window = space.reserve(4 * MIB, None).unwrap();
    let piece = space.create(2 * MIB, Home::Machine).unwrap();
    let at = window.range.start;
    space.map(piece, at, true).unwrap();
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    for address in [at, at + window.distance] {
        let entry = maps.find(&format!("{address:x}-")).unwrap();
        let flags = maps[entry..]
            .lines()
            .find(|line| line.starts_with("VmFlags:"));
        assert!(flags.unwrap().contains(" dc"), "{flags:?}");
    }
}

#[test]
fn a_wanted_address_is_a_wish() {
    let space = space(false);
    let wanted = 0x1700_4000_0000;
    let first = space.reserve(2 * MIB, Some(wanted)).unwrap();
    assert_eq!(first.range.start, wanted);
    let second = space.reserve(2 * MIB, Some(wanted)).unwrap();
    assert!(!second.range.overlaps(first.range), "it is taken");
    let odd = space
        .reserve(2 * MIB, Some(wanted + (1 << 30) + 1))
        .unwrap();
    assert_eq!(odd.range.start % HUGE_PAGE, 0);
    for window in [first, second, odd] {
        space.release(window.range.start).unwrap();
    }
    for bytes in [u64::MAX, u64::MAX / 2, 1 << 60] {
        let error = space.reserve(bytes, None).unwrap_err();
        assert!(matches!(error, DeviceError::System { .. }), "{error}");
    }
}

#[test]
fn mappings_end_before_the_system_runs_out_of_them() {
    let space = HostAddressSpace::with_limit(false, &Arc::default(), 8).unwrap();
    let window = space.reserve(64 * MIB, None).unwrap();
    let at = window.range.start;
    let piece = space.create(os_page(), Home::Machine).unwrap();
    // Apart from each other each costs two; then the third one that is shown does not fit.
    for place in [2, 4] {
        space.map(piece, at + place * MIB, false).unwrap();
    }
    let error = space.map(piece, at + 6 * MIB, true).unwrap_err();
    assert_eq!(error, DeviceError::TooManyMappings { limit: 8 });
    space.map(piece, at + 6 * MIB, false).unwrap();
    assert!(space.show(at + 6 * MIB).is_err());
    assert!(space.reserve(1, None).is_err());
    space.unmap(at + 4 * MIB).unwrap();
    space.show(at + 6 * MIB).unwrap();
}

#[test]
fn pieces_count_in_the_ledger_from_the_beginning() {
    let ledger = Arc::new(Ledger::reading(|| {
        Some(MachineMemory {
            bytes: 32 * MIB,
            by: "test",
        })
    }));
    let space = HostAddressSpace::sharing(false, &ledger).unwrap();
    let piece = space.create(30 * MIB, Home::Machine).unwrap();
    let error = space.create(4 * MIB, Home::Machine).unwrap_err();
    assert!(matches!(error, DeviceError::MachineFull { .. }), "{error}");
    space.destroy(piece).unwrap();
    space.create(4 * MIB, Home::Machine).unwrap();
}
