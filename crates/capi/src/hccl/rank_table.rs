//! The file that names the ranks of a communicator.

use std::collections::BTreeMap;
use std::io::Read;
use std::net::{IpAddr, SocketAddr};

use millpond_abi as abi;
use millpond_collective::Host;
use serde_json::Value;

use super::network;
use crate::boundary::CallError;

/// What a rank table says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RankTable {
    pub(super) ranks: u32,
    /// A number that every rank gets from the same contents.
    pub(super) fingerprint: u64,
    /// The server of each rank.
    servers: Vec<usize>,
    /// What the table says about where rank 0 can be reached.
    address: Option<IpAddr>,
    port: Option<u16>,
}

impl RankTable {
    /// Where rank 0 is for this rank; `None` if all ranks are on one machine.
    pub(super) fn host(&self, rank: u32) -> Result<Option<Host>, CallError> {
        let first = self.servers.first().copied();
        if self.servers.iter().all(|server| Some(*server) == first) {
            return Ok(None);
        }
        let wrong = |why: String| CallError::coded(abi::HCCL_E_PARA, why);
        let Some(address) = self.address else {
            return Err(wrong(
                "invalid rank table: the server of rank 0 has neither host_ip nor a server_id that is an address, and the other servers \
                 have to reach it"
                    .to_owned(),
            ));
        };
        let port = match self.port {
            Some(port) => port,
            None => network::table_port().map_err(wrong)?,
        };
        Ok(Some(Host {
            is_here: self.servers.get(rank as usize).copied() == first,
            address: SocketAddr::new(address, port),
        }))
    }
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
    if servers.is_empty() {
        return Err("server_list is empty".to_owned());
    }
    let mut ranks: BTreeMap<u32, usize> = BTreeMap::new();
    let mut ids: Vec<&str> = Vec::new();
    let mut address = None;
    let mut port = None;
    for (index, server) in servers.iter().enumerate() {
        let Some(id) = server.get("server_id").and_then(Value::as_str) else {
            return Err("server_id is missing".to_owned());
        };
        if ids.contains(&id) {
            return Err(format!("server_id {id} occurs twice"));
        }
        ids.push(id);
        let devices = server
            .get("device")
            .and_then(Value::as_array)
            .ok_or("device is missing")?;
        for device in devices {
            number(device, "device_id")?;
            let rank = number(device, "rank_id")?;
            if ranks.insert(rank, index).is_some() {
                return Err(format!("rank_id {rank} occurs twice"));
            }
            if rank == 0 {
                let host = server.get("host_ip").and_then(Value::as_str);
                address = host.or(Some(id)).and_then(|text| text.parse().ok());
                if device.get("host_port").is_some() {
                    let text = number(device, "host_port")?;
                    let wrong = |_| format!("host_port is {text}, expected a port");
                    port = Some(u16::try_from(text).map_err(wrong)?);
                }
            }
        }
    }
    let count = u32::try_from(ranks.len()).unwrap_or(u32::MAX);
    if ranks.keys().last().is_none_or(|last| *last != count - 1) {
        return Err("the values of rank_id must start at 0 and continue without a gap".to_owned());
    }
    Ok(RankTable {
        ranks: count,
        fingerprint: fingerprint(text),
        servers: ranks.into_values().collect(),
        address,
        port,
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

    #[test]
    fn tables_of_several_servers() {
        let server = |id: &str, ip: &str, rank: u32, port: &str| {
            format!(
                r#"{{"server_id":"{id}"{ip},"device":[{{"device_id":"0","rank_id":"{rank}"{port}}}]}}"#
            )
        };
        let table = |one: String, two: String| {
            parse(&format!(
                r#"{{"status":"completed","server_list":[{one},{two}]}}"#
            ))
        };
        let read = table(
            server("b", "", 1, ""),
            server("10.0.0.1", "", 0, r#","host_port":"7000""#),
        )
        .unwrap();
        let host = |is_here| Host {
            is_here,
            address: "10.0.0.1:7000".parse().unwrap(),
        };
        assert_eq!(read.host(0).unwrap(), Some(host(true)));
        assert_eq!(read.host(1).unwrap(), Some(host(false)));
        let read = table(
            server("a", r#","host_ip":"10.0.0.2""#, 0, ""),
            server("b", "", 1, ""),
        );
        let address = read.unwrap().host(1).unwrap().unwrap().address;
        assert_eq!(address, "10.0.0.2:60000".parse().unwrap());
        let unknown = table(server("a", "", 0, ""), server("b", "", 1, "")).unwrap();
        assert!(
            unknown.host(0).is_err(),
            "the table has no address for rank 0"
        );
        let twice = table(server("a", "", 0, ""), server("a", "", 1, ""));
        assert!(twice.unwrap_err().contains("occurs twice"));
    }
}
