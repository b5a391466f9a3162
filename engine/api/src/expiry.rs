//! When what is written expires.

/// When the records of a workload expire, after a write.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Expiry {
    /// Never.
    #[default]
    Never,
    /// All after so many seconds.
    All(u32),
    /// A share of the writes, after times that are drawn for each.
    Drawn {
        /// The share, above 0 and up to 1.
        fraction: f64,
        /// The shortest time, seconds.
        min_seconds: u32,
        /// The longest time, seconds.
        max_seconds: u32,
    },
}

impl Expiry {
    /// Whether nothing ever expires.
    #[must_use]
    pub fn is_never(self) -> bool {
        self == Self::Never
    }

    /// The longest time after which anything expires, seconds.
    #[must_use]
    pub fn longest(self) -> Option<u32> {
        match self {
            Self::Never => None,
            Self::All(seconds) => Some(seconds),
            Self::Drawn { max_seconds, .. } => Some(max_seconds),
        }
    }

    /// Seconds after which a write expires, by 64 random bits: the upper half says whether, the lower
    /// half when, each time in whole seconds alike.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // halves of 64 bits
    pub fn seconds(self, bits: u64) -> Option<u32> {
        match self {
            Self::Never => None,
            Self::All(seconds) => Some(seconds),
            Self::Drawn { fraction, min_seconds, max_seconds } => {
                let unit = f64::from((bits >> 32) as u32) / (1_u64 << 32) as f64;
                let times = u64::from(max_seconds - min_seconds) + 1;
                let drawn = (u64::from(bits as u32) * times) >> 32;
                (unit < fraction).then_some(min_seconds + drawn as u32)
            }
        }
    }
}
