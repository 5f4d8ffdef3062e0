//! Words for the types of an operation's fields.

use std::fmt;

use crate::{
    Accesses, Bytes, DescriptorProblem, Frame, Outcome, PoolSetting, Position, Space, Span, Stall,
    Target,
};

impl fmt::Display for PoolSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (right, allowed) = match self {
            Self::FollowEvents(allowed) => ("reuse across events", allowed),
            Self::Opportunistic(allowed) => ("opportunistic reuse", allowed),
            Self::InternalWaits(allowed) => ("reuse with inserted waits", allowed),
            Self::ReleaseThreshold(bytes) => {
                return write!(f, "keeps {bytes} bytes at a synchronisation");
            }
        };
        write!(f, "{right} {}", if *allowed { "on" } else { "off" })
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => write!(f, "{address:#x}"),
            Self::Named {
                function,
                file,
                line,
            } => write!(f, "{function} ({file}:{line})"),
        }
    }
}

impl fmt::Display for DescriptorProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("it does not exist"),
            Self::NullStream => f.write_str("the stream is NULL"),
            Self::Missing(field) => write!(f, "{field:?} is not set"),
        }
    }
}

/// When a release takes effect: now, or after queued work.
pub(super) struct Later(pub(super) bool);

impl fmt::Display for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0 {
            ", released after queued work"
        } else {
            ""
        })
    }
}

/// From where memory is accessed.
pub(super) struct User(pub(super) Space);

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Space::Device(index) => write!(f, "device {index}"),
            Space::Pinned | Space::Foreign => f.write_str("the host"),
        }
    }
}

impl fmt::Display for Accesses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.task)?;
        if !self.name.is_empty() {
            write!(f, " {}", self.name)?;
        }
        let (results, scratch) = self.written();
        let kinds = [
            ("reads", &self.reads[..]),
            ("writes", results),
            ("uses as scratch", scratch),
        ];
        for (verb, spans) in kinds {
            for span in spans {
                write!(f, ", {verb} {span}")?;
            }
        }
        if self.room != 0 {
            write!(f, ", room for {}", self.room)?;
        }
        Ok(())
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}+{}", self.start, self.width)?;
        if self.rows == 1 {
            return Ok(());
        }
        write!(f, " in {} rows, {} apart", self.rows, self.pitch)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}+{}", self.start, self.bytes)
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(index) => write!(f, "device {index}"),
            Self::Pinned => f.write_str("pinned host memory"),
            Self::Foreign => f.write_str("the program's own memory"),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {} of stream {}", self.task, self.stream)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(stream) => write!(f, "stream {stream}"),
            Self::Device(device) => write!(f, "device {device}"),
            Self::Event(event) => write!(f, "event {event}"),
            Self::Waits(event) => write!(f, "waits for event {event}"),
        }
    }
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unrecorded => "waits for an event that was not recorded",
            Self::Circle => "waits for itself through other streams",
            Self::Report => "waits for the thread that processes its reports",
            Self::Outside => "waits for a word, an event or a notification that was not set",
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::NotReady => f.write_str("not ready"),
            Self::Failed(reason) => write!(f, "failed: {reason}"),
            Self::Skipped => f.write_str("skipped"),
            Self::Dropped => f.write_str("dropped"),
        }
    }
}
