//! The shape of a record: fields of one length.

/// Which fields an operation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fields {
    /// All of the record.
    All,
    /// One, by index.
    One(u32),
}

/// How records look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordShape {
    field_length: usize,
    names: Vec<String>,
}

impl RecordShape {
    /// Records of `field_count` fields of `field_length` bytes, named `prefix0`, `prefix1`, …
    #[must_use]
    pub fn new(field_count: u32, field_length: usize, prefix: &str) -> Self {
        let names = (0..field_count).map(|index| format!("{prefix}{index}")).collect();
        Self { field_length, names }
    }

    /// Names of the fields, by index.
    #[must_use]
    pub fn field_names(&self) -> &[String] {
        &self.names
    }

    /// Bytes in a field.
    #[must_use]
    pub fn field_length(&self) -> usize {
        self.field_length
    }

    /// Bytes in a record that is stored as one value: all fields one after another.
    #[must_use]
    pub fn blob_length(&self) -> usize {
        self.field_length * self.names.len()
    }
}
