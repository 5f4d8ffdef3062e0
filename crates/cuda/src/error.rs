//! What can go wrong, in the driver's own words.

/// A code of the driver. Other codes than these are passed on as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub i32);

impl Code {
    /// An argument is out of range.
    pub const INVALID_VALUE: Self = Self(1);
    /// The device has not enough memory.
    pub const OUT_OF_MEMORY: Self = Self(2);
    /// The driver was not initialised in this process: after `fork`, for example.
    pub const NOT_INITIALIZED: Self = Self(3);
    /// The process is ending, and the driver has ended.
    pub const DEINITIALIZED: Self = Self(4);
    /// There is no GPU.
    pub const NO_DEVICE: Self = Self(100);
    /// There is no GPU with this number.
    pub const INVALID_DEVICE: Self = Self(101);
    /// No context is current, or it is gone.
    pub const INVALID_CONTEXT: Self = Self(201);
    /// Peer access is on already.
    pub const PEER_ACCESS_ALREADY_ENABLED: Self = Self(704);
    /// Host memory is registered already.
    pub const HOST_MEMORY_ALREADY_REGISTERED: Self = Self(712);
    /// Work in front is not over.
    pub const NOT_READY: Self = Self(600);
    /// A kernel or a copy accessed an address that is not mapped.
    pub const ILLEGAL_ADDRESS: Self = Self(700);
    /// The context was destroyed, by a reset of the device.
    pub const CONTEXT_IS_DESTROYED: Self = Self(709);
    /// The operation is not supported here.
    pub const NOT_SUPPORTED: Self = Self(801);

    /// Whether every later call in the process fails with the same code, until the process ends or resets the device.
    pub const fn is_sticky(self) -> bool {
        matches!(
            self.0,
            // uncorrectable memory error; illegal address, launch time-out, destroyed context, assertion,
            // hardware stack error to launch failure; contained and unknown failures
            214 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 999
        )
    }
}

/// A call of the driver that did not succeed, or a driver that is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no driver.
    #[error(
        "no CUDA driver: {library} cannot be opened ({reason}): install an NVIDIA driver or choose \
         MILLPOND_DEVICE=host"
    )]
    Absent {
        /// What was opened.
        library: String,
        /// Why it was not.
        reason: String,
    },
    /// The library lacks a function.
    #[error(
        "the CUDA driver {library} has no function {symbol}: Millpond needs a driver for CUDA 11.4 or newer"
    )]
    Missing {
        /// What was opened.
        library: String,
        /// The function's versioned name.
        symbol: String,
    },
    /// The driver refused a call.
    #[error("{call} returned {code} ({name}): {text}{remedy}", code = .code.0, remedy = remedy(*.code))]
    Refused {
        /// The function.
        call: &'static str,
        /// Its code.
        code: Code,
        /// The driver's name of the code.
        name: String,
        /// The driver's explanation.
        text: String,
    },
}

impl Error {
    /// The driver's code, if the driver was asked.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            Self::Absent { .. } | Self::Missing { .. } => None,
        }
    }

    /// Whether the device has not enough memory: giving some back may help.
    pub fn is_out_of_memory(&self) -> bool {
        self.code() == Some(Code::OUT_OF_MEMORY)
    }

    /// Whether every later call in the process fails too.
    pub fn is_sticky(&self) -> bool {
        self.code().is_some_and(Code::is_sticky)
    }

    /// Whether the driver is ending with the process, or was never initialised in it: nothing can be given back, and nothing
    /// has to be.
    pub fn is_gone(&self) -> bool {
        matches!(
            self.code(),
            Some(Code::NOT_INITIALIZED | Code::DEINITIALIZED)
        )
    }
}

/// What a user can do, where the driver's text does not say it.
fn remedy(code: Code) -> &'static str {
    match code {
        Code::NO_DEVICE => {
            ". Is a GPU there (nvidia-smi), and does CUDA_VISIBLE_DEVICES name one? \
                            MILLPOND_DEVICE=host needs none"
        }
        Code::NOT_INITIALIZED => {
            ". A process that was made by fork after its parent used CUDA cannot use it: use CUDA only after the \
             fork, or start a new program"
        }
        code if code.is_sticky() => {
            ". Work on the GPU failed, so every later CUDA call of this process fails too: the first such error \
             names the call, and the process has to be started again"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: Code) -> Error {
        Error::Refused {
            call: "cuMemCreate",
            code,
            name: "NAME".to_owned(),
            text: "text of the driver".to_owned(),
        }
    }

    #[test]
    fn errors_name_the_call_the_code_and_the_drivers_text() {
        let error = refused(Code::OUT_OF_MEMORY);
        assert_eq!(
            error.to_string(),
            "cuMemCreate returned 2 (NAME): text of the driver"
        );
        assert!(error.is_out_of_memory() && !error.is_sticky());
        let error = refused(Code::ILLEGAL_ADDRESS);
        assert!(error.is_sticky(), "{error}");
        assert!(error.to_string().contains("started again"), "{error}");
        assert!(refused(Code::NOT_INITIALIZED).is_gone());
        assert!(!refused(Code::NOT_READY).is_sticky());
    }
}
