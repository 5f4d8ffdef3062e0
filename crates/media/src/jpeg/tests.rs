//! The files come from `samples/make.py`, whose formulas are repeated here.

use super::*;

fn sample(name: &str) -> Vec<u8> {
    let path = format!("{}/samples/{name}.jpg", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap()
}

/// Brightness and colour of the chroma sample at a place.
fn expected(channel: usize, x: usize, y: usize) -> u8 {
    let value = match channel {
        0 => 30 + (x * 3 + y * 2) % 180,
        1 => 100 + 56 * ((x + y) % 2),
        _ => 90 + (x * 7 + y * 11) % 70,
    };
    u8::try_from(value).unwrap()
}

/// How far the samples of a decoded file are from what was encoded.
fn worst(image: &Image) -> Vec<u8> {
    let of = |(channel, plane): (usize, &Plane)| {
        let places = plane.data.iter().enumerate();
        let differences = places.map(|(index, byte)| {
            byte.abs_diff(expected(channel, index % plane.width, index / plane.width))
        });
        differences.max().unwrap()
    };
    image.planes.iter().enumerate().map(of).collect()
}

#[test]
fn stored_samples_are_those_that_were_encoded() {
    for (name, width, height, family, most) in [
        ("444", 40, 36, Family::Yuv(Sampling::Full), 2),
        ("422", 48, 34, Family::Yuv(Sampling::Half), 4),
        ("420", 66, 50, Family::Yuv(Sampling::Quarter), 4),
        ("odd", 67, 51, Family::Yuv(Sampling::Quarter), 4),
        ("gray", 40, 36, Family::Gray, 2),
    ] {
        let bytes = sample(name);
        let components = if family == Family::Gray { 1 } else { 3 };
        let says = Info {
            width,
            height,
            components,
            family,
        };
        assert_eq!(info(&bytes), Ok(says), "{name}");
        let image = decode(&bytes).unwrap();
        assert_eq!(
            (image.family, image.width(), image.height()),
            (family, width, height)
        );
        let worst = worst(&image);
        assert!(worst.iter().all(|one| *one <= most), "{name}: {worst:?}");
    }
}

#[test]
fn other_kinds_are_refused_with_a_reason() {
    for (name, expected) in [("progressive", "progressive"), ("rotated", "orientation 6")] {
        for error in [
            info(&sample(name)).unwrap_err(),
            decode(&sample(name)).unwrap_err(),
        ] {
            assert!(matches!(error, Problem::Unsupported(_)));
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}

/// Files that are cut or changed anywhere are errors or pictures, not panics.
#[test]
fn damaged_files_do_not_stop_the_process() {
    let whole = sample("420");
    for end in 0..200 {
        assert!(decode(&whole[..end]).is_err(), "{end}");
    }
    assert!(decode(&whole[..whole.len() / 2]).is_err());
    assert!(
        info(b"\x89PNG")
            .unwrap_err()
            .to_string()
            .contains("not a JPEG file")
    );
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        let ended = std::panic::catch_unwind(|| drop(decode(&changed)));
        assert!(ended.is_ok(), "byte {at}");
    }
}
