//! Several keys in one buffer.

/// Keys, one after another in one buffer that is used again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Keys {
    /// None.
    pub const NONE: Self = Self { bytes: Vec::new(), ends: Vec::new() };

    /// Forgets all keys and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Adds a key.
    pub fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The keys in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.bytes[std::mem::replace(&mut start, end)..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_in_their_order() {
        let mut keys = Keys::NONE;
        assert!(keys.is_empty());
        for key in ["one", "", "three"] {
            keys.push(key.as_bytes());
        }
        assert_eq!(keys.iter().collect::<Vec<_>>(), [&b"one"[..], b"", b"three"]);
        keys.clear();
        assert_eq!((keys.len(), keys.iter().count()), (0, 0));
    }
}
