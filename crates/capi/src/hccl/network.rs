//! How this process reaches other machines: the variables that choose address, ports and limits.
//!
//! Ranks of one machine need none of this, so a wrong value is an error only for those that do: it travels with the settings to
//! whoever wants to connect.

use std::net::IpAddr;
use std::time::Duration;

use millpond_abi as abi;
use millpond_collective::{
    NO_COMPANION, Network, Ports, choose_address, has_companion, own_machine,
};
use serde_json::Value;

use crate::boundary::CallError;
use crate::environment;

/// How long another machine may be silent.
const HEARTBEAT: u64 = 10;
/// How many ports belong to a base port.
const PORTS: u16 = 16;
/// The first port where a rank table names none.
const BASE_PORT: u16 = 60000;

fn text(name: &str) -> Option<String> {
    let text = environment::text(name)?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// What the environment says. Only a wrong value of one of our own variables is an error here.
pub(super) fn read() -> Result<Network, CallError> {
    let (address, ports, allowed) = match (address(), ports(), allowed()) {
        (Ok(address), Ok(ports), Ok(allowed)) => (Ok(address), ports, allowed),
        (Err(why), _, _) | (_, Err(why), _) | (_, _, Err(why)) => (Err(why), Ports::Any, None),
    };
    let host = match &address {
        Ok(address) => format!("machine {address}"),
        Err(_) => "this machine".to_owned(),
    };
    Ok(Network {
        machine: text("MILLPOND_HCCL_HOST").unwrap_or_else(own_machine),
        host,
        address,
        ports,
        allowed,
        heartbeat: Duration::from_secs(heartbeat()?),
        closed: closed(),
    })
}

/// Why processes of other machines cannot come.
fn closed() -> Option<&'static str> {
    let number = |name: &str| text(name)?.parse::<u32>().ok();
    let is_one_machine = match (number("LOCAL_WORLD_SIZE"), number("WORLD_SIZE")) {
        (Some(here), Some(all)) => here == all,
        _ => false,
    };
    if is_one_machine {
        return Some("LOCAL_WORLD_SIZE and WORLD_SIZE say that all ranks are there");
    }
    (!has_companion()).then_some(NO_COMPANION)
}

fn heartbeat() -> Result<u64, CallError> {
    let Some(text) = text("MILLPOND_HCCL_HEARTBEAT") else {
        return Ok(HEARTBEAT);
    };
    match text.parse() {
        Ok(seconds @ 1..=3600) => Ok(seconds),
        _ => Err(CallError::coded(
            abi::HCCL_E_PARA,
            format!(
                "MILLPOND_HCCL_HEARTBEAT is '{text}', but it must be a number of seconds from 1 to 3600"
            ),
        )),
    }
}

fn address() -> Result<IpAddr, String> {
    if let Some(text) = text("HCCL_IF_IP") {
        let address = text.parse();
        return address.map_err(|_| {
            format!("HCCL_IF_IP is '{text}', but it must be an address of this machine")
        });
    }
    let family = text("HCCL_SOCKET_FAMILY");
    let is_v6 = match family.as_deref() {
        None | Some("AF_INET") => false,
        Some("AF_INET6") => true,
        Some(other) => {
            return Err(format!(
                "HCCL_SOCKET_FAMILY is '{other}', but it must be AF_INET or AF_INET6"
            ));
        }
    };
    let names = text("HCCL_SOCKET_IFNAME");
    choose_address(names.as_deref(), is_v6).map_err(|_| {
        let names = names.unwrap_or_default();
        format!("HCCL_SOCKET_IFNAME is '{names}', but no such interface is up and has an address")
    })
}

/// Where this process may listen: any port unless a variable says otherwise.
fn ports() -> Result<Ports, String> {
    if let Some(text) = text("HCCL_HOST_SOCKET_PORT_RANGE") {
        return range(&text);
    }
    Ok(match base_port()? {
        Some(first) => Ports::These((first..first + PORTS).collect()),
        None => Ports::Any,
    })
}

fn base_port() -> Result<Option<u16>, String> {
    let Some(text) = text("HCCL_IF_BASE_PORT") else {
        return Ok(None);
    };
    match text.parse() {
        Ok(port @ 1024..=65520) => Ok(Some(port)),
        _ => Err(format!(
            "HCCL_IF_BASE_PORT is '{text}', but it must be from 1024 to 65520"
        )),
    }
}

/// `auto`, or ports and ranges with commas between them.
fn range(text: &str) -> Result<Ports, String> {
    if text == "auto" {
        return Ok(Ports::Any);
    }
    let wrong = || {
        format!(
            "HCCL_HOST_SOCKET_PORT_RANGE is '{text}', but it must be auto or ports such as 60000,60050-60100"
        )
    };
    let mut ports = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let port = |text: &str| {
            let port = text.trim().parse::<u16>().ok();
            port.filter(|port| *port > 0).ok_or_else(wrong)
        };
        let (first, last) = (port(first)?, port(last)?);
        if first > last {
            return Err(wrong());
        }
        ports.extend(first..=last);
    }
    Ok(Ports::These(ports))
}

/// The first port of rank 0's machine where a rank table does not name it: the same on all machines.
pub(super) fn table_port() -> Result<u16, String> {
    match ports()? {
        Ports::These(ports) => Ok(ports.first().copied().unwrap_or(BASE_PORT)),
        Ports::Any => Ok(BASE_PORT),
    }
}

/// The addresses that may connect: all, unless the list is switched on.
fn allowed() -> Result<Option<Vec<IpAddr>>, String> {
    if text("HCCL_WHITELIST_DISABLE").as_deref() != Some("0") {
        return Ok(None);
    }
    let Some(path) = text("HCCL_WHITELIST_FILE") else {
        return Err(
            "HCCL_WHITELIST_DISABLE is 0, but HCCL_WHITELIST_FILE names no file".to_owned(),
        );
    };
    let wrong = |why: &dyn std::fmt::Display| format!("invalid HCCL_WHITELIST_FILE {path}: {why}");
    let list = std::fs::read_to_string(&path).map_err(|error| wrong(&error))?;
    let list: Value = serde_json::from_str(&list).map_err(|error| wrong(&error))?;
    let hosts = list.get("host_ip").and_then(Value::as_array);
    let hosts = hosts.ok_or_else(|| wrong(&"host_ip is missing"))?;
    let hosts = hosts.iter().map(|host| {
        let address = host.as_str().and_then(|host| host.parse().ok());
        address.ok_or_else(|| wrong(&format!("{host} is not an address")))
    });
    hosts.collect::<Result<_, _>>().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_ports() {
        assert_eq!(range("auto"), Ok(Ports::Any));
        assert_eq!(
            range("60000, 60050-60052"),
            Ok(Ports::These(vec![60000, 60050, 60051, 60052]))
        );
        for wrong in ["", "x", "5-4", "1-", "0", "70000"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
