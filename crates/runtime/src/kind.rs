//! What devices are made of: the machine's own memory, or GPUs.

use millpond_device::Cuda;

use crate::config::Config;

/// What a device is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceKind {
    /// Memory of this machine.
    #[default]
    Host,
    /// Memory of the GPU with this number.
    Cuda(u32),
}

/// The kinds that a list such as `cuda:0,host` names, one device each. `cuda` alone stands for all GPUs, which `count`
/// counts.
pub(crate) fn parse(
    list: &str,
    count: impl Fn() -> Result<u32, String>,
) -> Result<Vec<DeviceKind>, String> {
    let expected = "must be host, cuda, or a list such as cuda:0,host";
    let mut kinds = Vec::new();
    for entry in list.split(',').map(str::trim) {
        match entry.split_once(':') {
            None if entry == "host" => kinds.push(DeviceKind::Host),
            None if entry == "cuda" => kinds.extend((0..count()?).map(DeviceKind::Cuda)),
            Some(("cuda", number)) => {
                let number = number.parse().map_err(|_| expected.to_owned())?;
                let gpus = count()?;
                if number >= gpus {
                    return Err(format!(
                        "must name a GPU that is there: {}",
                        match gpus {
                            1 => "there is one, cuda:0".to_owned(),
                            gpus => format!("there are cuda:0 to cuda:{}", gpus.saturating_sub(1)),
                        }
                    ));
                }
                kinds.push(DeviceKind::Cuda(number));
            }
            _ => return Err(expected.to_owned()),
        }
    }
    Ok(kinds)
}

/// What each of the devices is made of, for people; where it cannot be used, why.
pub fn describe_devices(config: &Config) -> Result<Vec<String>, String> {
    let cuda = config.has_gpus().then(Cuda::open).transpose();
    let cuda = cuda.map_err(|error| error.to_string())?;
    let describe = |index| match (config.kind(index), &cuda) {
        (DeviceKind::Cuda(gpu), Some(cuda)) => {
            cuda.describe(gpu).map_err(|error| error.to_string())
        }
        _ => Ok("memory of this machine".to_owned()),
    };
    (0..config.devices).map(describe).collect()
}

/// How many GPUs the driver of this machine has.
pub(crate) fn gpus() -> Result<u32, String> {
    let counted = Cuda::open().and_then(|cuda| cuda.count());
    counted.map_err(|error| format!("cannot be used here: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_one_device_each() {
        use DeviceKind::{Cuda, Host};
        let two = || Ok(2);
        for (list, kinds) in [
            ("host", vec![Host]),
            ("cuda", vec![Cuda(0), Cuda(1)]),
            ("cuda:1, host", vec![Cuda(1), Host]),
            ("host,cuda", vec![Host, Cuda(0), Cuda(1)]),
            ("cuda:0,cuda:0", vec![Cuda(0), Cuda(0)]),
        ] {
            assert_eq!(parse(list, two), Ok(kinds), "{list}");
        }
        for list in ["gpu", "cuda:", "cuda:-1", "host:0", "host,,cuda", ""] {
            let error = parse(list, two).unwrap_err();
            assert!(error.starts_with("must be host, cuda"), "{list}: {error}");
        }
        let error = parse("cuda:2", two).unwrap_err();
        assert!(error.ends_with("there are cuda:0 to cuda:1"), "{error}");
        // Without GPUs in the list no driver is asked.
        let absent = || Err("no driver".to_owned());
        assert_eq!(parse("host,host", absent), Ok(vec![Host, Host]));
        assert_eq!(parse("cuda:0", absent), Err("no driver".to_owned()));
    }
}
