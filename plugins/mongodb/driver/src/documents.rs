//! Records as documents, and what is asked of them.

use mongodb::bson::raw::CString;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Document, RawBsonRef, RawDocument, RawDocumentBuf, cstr, doc};
use weighhouse_driver_api::{ClientFailed, Fields, RecordShape, Request, Verifier};

/// The field that holds the key.
pub(crate) const KEY: &str = "_id";

/// The names of a record's fields in the forms in which they are needed.
pub(crate) struct Documents {
    names: Vec<String>,
    raw_names: Vec<CString>,
    /// Reads of all fields name them.
    by_name: bool,
}

/// Keys are of printable ASCII characters.
pub(crate) fn text(key: &[u8]) -> &str {
    std::str::from_utf8(key).unwrap_or_default()
}

/// The record of a key.
pub(crate) fn of(key: &[u8]) -> Document {
    doc! { KEY: text(key) }
}

/// The records of several keys, and how many keys there are: each counts once.
pub(crate) fn of_several<'a>(keys: impl Iterator<Item = &'a [u8]>) -> (Document, usize) {
    let mut keys: Vec<&str> = keys.map(text).collect();
    keys.sort_unstable();
    keys.dedup();
    let count = keys.len();
    (doc! { KEY: { "$in": keys } }, count)
}

/// The records from a key on.
pub(crate) fn from(key: &[u8]) -> Document {
    doc! { KEY: { "$gte": text(key) } }
}

impl Documents {
    /// # Errors
    /// When a field cannot be called so in a document.
    pub(crate) fn new(shape: &RecordShape) -> Result<Self, ClientFailed> {
        let names = shape.field_names().to_vec();
        let mut raw_names = Vec::new();
        for name in &names {
            let is_path = name.starts_with('$') || name.contains('.') || name == KEY;
            let raw = CString::try_from(name.as_str()).ok().filter(|_| !is_path);
            raw_names.push(raw.ok_or_else(|| ClientFailed {
                message: format!("workload.field_name_prefix: {name:?} cannot be a field's name"),
                hint: "MongoDB gives $ and . in names a meaning of its own".to_owned(),
            })?);
        }
        Ok(Self { names, raw_names, by_name: shape.reads_by_name })
    }

    /// What of a record is read; none: all of it.
    pub(crate) fn projection(&self, fields: Fields) -> Option<Document> {
        let included =
            |names: &[String]| names.iter().map(|name| (name.clone(), 1.into())).collect();
        match fields {
            Fields::All => self.by_name.then(|| included(&self.names)),
            Fields::One(index) => {
                Some(included(&self.names[usize::from(index)..=usize::from(index)]))
            }
        }
    }

    /// A record as it is inserted, with its key.
    pub(crate) fn record(&self, request: &Request<'_>) -> RawDocumentBuf {
        let mut record = RawDocumentBuf::new();
        record.append(cstr!("_id"), text(request.key));
        let mut value = Vec::new();
        for (index, name) in (0..).zip(&self.raw_names) {
            value.clear();
            request.payload.field(index, &mut value);
            let bytes =
                mongodb::bson::raw::RawBinaryRef { subtype: BinarySubtype::Generic, bytes: &value };
            record.append(name, bytes);
        }
        record
    }

    /// What an update sets.
    pub(crate) fn update(&self, request: &Request<'_>) -> Document {
        let indices = match request.fields {
            Fields::All => 0..self.names.len(),
            Fields::One(index) => usize::from(index)..usize::from(index) + 1,
        };
        let mut set = Document::new();
        for (index, name) in (0..).zip(&self.names).skip(indices.start).take(indices.len()) {
            let mut bytes = Vec::new();
            request.payload.field(index, &mut bytes);
            set.insert(name, Binary { subtype: BinarySubtype::Generic, bytes });
        }
        doc! { "$set": set }
    }

    /// Whether a record holds what was written, each field that was asked for.
    pub(crate) fn verify(
        &self,
        found: &RawDocument,
        fields: Fields,
        verifier: &Verifier<'_>,
    ) -> bool {
        let right = |index: u16| {
            let value = found.get(&self.names[usize::from(index)]);
            matches!(value, Ok(Some(RawBsonRef::Binary(value)))
                if value.subtype == BinarySubtype::Generic && verifier.field(index, value.bytes))
        };
        match fields {
            Fields::One(index) => right(index),
            Fields::All => (0..).take(self.names.len()).all(right),
        }
    }
}
