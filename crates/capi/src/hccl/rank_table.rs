//! The file that names the ranks of a communicator.

use std::collections::BTreeSet;
use std::io::Read;

use millpond_abi as abi;
use serde_json::Value;

use crate::boundary::CallError;

/// What a rank table says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RankTable {
    pub(super) ranks: u32,
    /// A number that every rank gets from the same contents.
    pub(super) fingerprint: u64,
}

/// More than the largest table anybody writes.
const MOST_BYTES: u64 = 64 << 20;

/// Reads a rank table from a file.
pub(super) fn read(path: &str) -> Result<RankTable, CallError> {
    let cannot = |error: std::io::Error| {
        CallError::coded(
            abi::HCCL_E_OPEN_FILE_FAILURE,
            format!("cannot read the rank table {path}: {error}"),
        )
    };
    let file = std::fs::File::open(path).map_err(cannot)?;
    let mut text = String::new();
    file.take(MOST_BYTES)
        .read_to_string(&mut text)
        .map_err(cannot)?;
    parse(&text).map_err(|problem| {
        CallError::coded(
            abi::HCCL_E_PARA,
            format!("invalid rank table {path}: {problem}"),
        )
    })
}

fn parse(text: &str) -> Result<RankTable, String> {
    let table: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match table.get("status").and_then(Value::as_str) {
        Some("completed") => {}
        Some(status) => return Err(format!("status is '{status}', expected 'completed'")),
        None => return Err("status is missing".to_owned()),
    }
    let servers = table
        .get("server_list")
        .and_then(Value::as_array)
        .ok_or("server_list is missing")?;
    if servers.len() != 1 {
        return Err(format!(
            "server_list has {} servers; ranks on several machines are not supported",
            servers.len()
        ));
    }
    let mut ranks = BTreeSet::new();
    for server in servers {
        if server.get("server_id").and_then(Value::as_str).is_none() {
            return Err("server_id is missing".to_owned());
        }
        let devices = server
            .get("device")
            .and_then(Value::as_array)
            .ok_or("device is missing")?;
        for device in devices {
            number(device, "device_id")?;
            let rank = number(device, "rank_id")?;
            if !ranks.insert(rank) {
                return Err(format!("rank_id {rank} occurs twice"));
            }
        }
    }
    let count = u32::try_from(ranks.len()).unwrap_or(u32::MAX);
    if ranks.last().is_none_or(|last| *last != count - 1) {
        return Err("the values of rank_id must start at 0 and continue without a gap".to_owned());
    }
    Ok(RankTable {
        ranks: count,
        fingerprint: fingerprint(text),
    })
}

/// Numbers are texts in this file.
fn number(device: &Value, key: &str) -> Result<u32, String> {
    let value = device.get(key).ok_or_else(|| format!("{key} is missing"))?;
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), ToOwned::to_owned);
    text.parse()
        .map_err(|_| format!("{key} is {text}, expected a number"))
}

/// FNV-1a.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables() {
        let table = |status: &str, ranks: &[&str]| {
            let devices: Vec<String> = ranks
                .iter()
                .map(|rank| {
                    format!(r#"{{"device_id":"{rank}","device_ip":"1.1.1.1","rank_id":"{rank}"}}"#)
                })
                .collect();
            format!(
                r#"{{"status":"{status}","version":"1.0","server_count":"1","server_list":[{{"server_id":"a","device":[{}]}}]}}"#,
                devices.join(",")
            )
        };
        assert_eq!(parse(&table("completed", &["1", "0"])).unwrap().ranks, 2);
        let cases = [
            (table("initializing", &["0"]), "status"),
            (table("completed", &["0", "0"]), "rank_id 0 occurs twice"),
            (table("completed", &["0", "2"]), "without a gap"),
            (table("completed", &[]), "without a gap"),
            (table("completed", &["x"]), "device_id is x"),
            ("{".to_owned(), "EOF"),
            (r#"{"status":"completed"}"#.to_owned(), "server_list"),
        ];
        for (text, problem) in cases {
            let found = parse(&text).unwrap_err();
            assert!(found.contains(problem), "{problem}: {found}");
        }
    }
}
