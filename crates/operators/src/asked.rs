//! What a row looked at while its model was put together.

/// A set of small numbers. Everything from the last bit on shares it: more is noted than was asked, which
/// is always sound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Places(u128);

impl Places {
    const LAST: usize = 127;

    /// Adds `index`.
    pub fn add(&mut self, index: usize) {
        self.0 |= 1 << index.min(Self::LAST);
    }

    /// Whether `index` is in it.
    pub fn has(self, index: usize) -> bool {
        self.0 >> index.min(Self::LAST) & 1 == 1
    }

    /// Whether there is nothing in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// What a model depends on beyond types, ranks and attributes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Asked {
    /// Inputs whose constant contents are part of the model.
    pub constants: Places,
    /// Inputs whose dimensions are part of the model.
    pub input_dims: Places,
    /// Outputs whose dimensions are part of the model.
    pub output_dims: Places,
    /// Inputs whose format decided something.
    pub formats: Places,
    /// Outputs whose format decided something.
    pub output_formats: Places,
}

impl Asked {
    /// Everything that one of the two asked for.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            constants: Places(self.constants.0 | other.constants.0),
            input_dims: Places(self.input_dims.0 | other.input_dims.0),
            output_dims: Places(self.output_dims.0 | other.output_dims.0),
            formats: Places(self.formats.0 | other.formats.0),
            output_formats: Places(self.output_formats.0 | other.output_formats.0),
        }
    }

    /// Whether nothing was asked for.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_past_the_last_bit_share_it() {
        let mut places = Places::default();
        places.add(200);
        assert!(places.has(127) && places.has(500) && !places.has(126));
    }
}
