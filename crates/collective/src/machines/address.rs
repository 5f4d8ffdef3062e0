//! Which address and ports this process uses towards other machines.
#![expect(unsafe_code, reason = "asks the system for its interfaces")]

use std::ffi::CStr;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

/// How this process reaches other machines, and is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// What distinguishes this machine from all others; ranks that share it can share memory.
    pub machine: String,
    /// How people know it.
    pub host: String,
    /// Its own address, or why there is none. Ranks of one machine do not need it.
    pub address: Result<IpAddr, String>,
    /// Where it may listen.
    pub ports: Ports,
    /// The addresses that may connect; all without a list.
    pub allowed: Option<Vec<IpAddr>>,
    /// How long another machine may be silent.
    pub heartbeat: Duration,
    /// Why processes of other machines are not invited, if so.
    pub closed: Option<&'static str>,
}

/// Ports, in the order in which they are tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ports {
    /// Whichever is free.
    Any,
    /// One of these.
    These(Vec<u16>),
}

impl Default for Network {
    /// This machine, without any other.
    fn default() -> Self {
        Self {
            machine: own_machine(),
            host: "this machine".to_owned(),
            address: Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            ports: Ports::Any,
            allowed: None,
            heartbeat: Duration::from_secs(10),
            closed: Some("it was not started for several machines"),
        }
    }
}

/// What processes have in common that can share memory and names: the kernel since it was started, and the network namespace.
pub fn own_machine() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = std::fs::read_link("/proc/self/ns/net").unwrap_or_default();
    format!("{} {}", boot.trim(), namespace.display())
}

/// Sixteen bytes that stand for a machine.
pub(crate) fn number(machine: &str) -> [u8; 16] {
    let hash = |seed: u64| {
        machine.bytes().fold(seed, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let mut number = [0; 16];
    number[..8].copy_from_slice(&hash(0xcbf2_9ce4_8422_2325).to_le_bytes());
    number[8..].copy_from_slice(&hash(0x6c62_272e_07bb_0142).to_le_bytes());
    number
}

/// The address of an interface that is up. `names` is a list as in `HCCL_SOCKET_IFNAME`: `eth` for names that start so, `=eth0` for
/// this name, and `^` in front of the list for all others. Without a list: the first that is neither the loopback nor a
/// container's bridge, or else the loopback.
pub fn choose_address(names: Option<&str>, is_v6: bool) -> io::Result<IpAddr> {
    let found = interfaces()?;
    let mut fitting = found.into_iter().filter(|it| it.address.is_ipv6() == is_v6);
    if let Some(names) = names {
        let fits = |it: &Interface| matches(names, &it.name);
        return fitting
            .find(fits)
            .map(|it| it.address)
            .ok_or_else(|| io::ErrorKind::AddrNotAvailable.into());
    }
    let is_usual = |it: &Interface| {
        let bridges = ["docker", "virbr", "cni", "br-"];
        !it.address.is_loopback() && !bridges.iter().any(|name| it.name.starts_with(name))
    };
    Ok(fitting.find(is_usual).map_or(
        if is_v6 {
            IpAddr::V6(Ipv6Addr::LOCALHOST)
        } else {
            IpAddr::V4(Ipv4Addr::LOCALHOST)
        },
        |it| it.address,
    ))
}

fn matches(names: &str, interface: &str) -> bool {
    let (others, names) = match names.strip_prefix('^') {
        Some(names) => (true, names),
        None => (false, names),
    };
    let is_named = names.split(',').any(|name| match name.trim() {
        "" => false,
        name => match name.strip_prefix('=') {
            Some(whole) => whole == interface,
            None => interface.starts_with(name),
        },
    });
    is_named != others
}

struct Interface {
    name: String,
    address: IpAddr,
}

fn interfaces() -> io::Result<Vec<Interface>> {
    let mut first: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: the list is freed below.
    if unsafe { libc::getifaddrs(&raw mut first) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let mut found = Vec::new();
    let mut next = first;
    // SAFETY: the system's list ends with null.
    while let Some(entry) = unsafe { next.as_ref() } {
        next = entry.ifa_next;
        let is_up = entry.ifa_flags & libc::IFF_UP.unsigned_abs() != 0;
        if !is_up || entry.ifa_addr.is_null() || entry.ifa_name.is_null() {
            continue;
        }
        // SAFETY: every address begins with its family.
        let family = i32::from(unsafe { (*entry.ifa_addr).sa_family });
        let address = match family {
            libc::AF_INET => {
                // SAFETY: an address of this family has this type.
                let address =
                    unsafe { entry.ifa_addr.cast::<libc::sockaddr_in>().read_unaligned() };
                IpAddr::V4(Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr)))
            }
            libc::AF_INET6 => {
                // SAFETY: an address of this family has this type.
                let address =
                    unsafe { entry.ifa_addr.cast::<libc::sockaddr_in6>().read_unaligned() };
                let address = Ipv6Addr::from(address.sin6_addr.s6_addr);
                // Those have a meaning on one interface only, and need its number.
                if address.is_unicast_link_local() {
                    continue;
                }
                IpAddr::V6(address)
            }
            _ => continue,
        };
        // SAFETY: a string of the system's.
        let name = unsafe { CStr::from_ptr(entry.ifa_name) };
        found.push(Interface {
            name: name.to_string_lossy().into_owned(),
            address,
        });
    }
    // SAFETY: the list that the system made.
    unsafe { libc::freeifaddrs(first) };
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_are_chosen_by_name() {
        let cases = [
            ("eth", "eth0", true),
            ("eth", "wlan0", false),
            ("=eth0", "eth0", true),
            ("=eth", "eth0", false),
            ("eth,wlan", "wlan0", true),
            ("^eth,=lo", "lo", false),
            ("^eth", "wlan0", true),
            ("^=eth0", "eth1", true),
        ];
        for (names, interface, fits) in cases {
            assert_eq!(matches(names, interface), fits, "{names} {interface}");
        }
        assert_eq!(
            choose_address(Some("=lo"), false).unwrap(),
            IpAddr::V4(Ipv4Addr::LOCALHOST)
        );
        assert!(choose_address(Some("=none"), false).is_err());
    }

    #[test]
    fn machines_have_numbers() {
        assert_eq!(number("a"), number("a"));
        assert_ne!(number("a"), number("b"));
    }
}
