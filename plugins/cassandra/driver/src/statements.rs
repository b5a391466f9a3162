//! The table, and the statements on it.

use std::fmt::Write as _;

use scylla::client::session::Session;
use scylla::serialize::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::value::SerializeValue;
use scylla::serialize::writers::RowWriter;
use scylla::statement::prepared::PreparedStatement;
use scylla::statement::{Consistency, Statement};
use weighhouse_driver_api::{ClientFailed, Fields, RecordShape};

use crate::options::Settings;

/// All statements of a workload, prepared.
pub(crate) struct Statements {
    pub(crate) fields: u16,
    read_all: PreparedStatement,
    read_one: Vec<PreparedStatement>,
    pub(crate) read_several: PreparedStatement,
    scan_all: PreparedStatement,
    scan_one: Vec<PreparedStatement>,
    pub(crate) insert: PreparedStatement,
    update_all: PreparedStatement,
    update_one: Vec<PreparedStatement>,
    pub(crate) delete: PreparedStatement,
}

/// The values of an insert or an update, in the order of its marks.
pub(crate) struct Row<'a> {
    pub(crate) ttl_first: Option<i32>,
    pub(crate) key: &'a str,
    pub(crate) key_first: bool,
    pub(crate) fields: &'a [&'a str],
    pub(crate) ttl_last: Option<i32>,
}

impl SerializeRow for Row<'_> {
    fn serialize(
        &self,
        context: &RowSerializationContext<'_>,
        writer: &mut RowWriter<'_>,
    ) -> Result<(), SerializationError> {
        let mut columns = context.columns().iter();
        let mut write = |value: &dyn SerializeValue| -> Result<(), SerializationError> {
            if let Some(column) = columns.next() {
                value.serialize(column.typ(), writer.make_cell_writer())?;
            }
            Ok(())
        };
        if let Some(ttl) = &self.ttl_first {
            write(ttl)?;
        }
        if self.key_first {
            write(&self.key)?;
        }
        for field in self.fields {
            write(field)?;
        }
        if !self.key_first {
            write(&self.key)?;
        }
        if let Some(ttl) = &self.ttl_last {
            write(ttl)?;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        false
    }
}

fn failed(what: &str, error: &impl std::fmt::Display, hint: &str) -> ClientFailed {
    ClientFailed { message: format!("{what}: {error}"), hint: hint.to_owned() }
}

impl Statements {
    /// Makes keyspace and table where they are not there, and prepares the statements.
    pub(crate) async fn prepare(
        session: &Session,
        shape: &RecordShape,
        settings: &Settings,
    ) -> Result<Self, ClientFailed> {
        make_table(session, shape, settings).await?;
        let table = format!("{}.{}", settings.keyspace, settings.table);
        let names = shape.field_names();
        let ttl = if shape.expiry.is_never() { "" } else { " USING TTL ?" };
        let all = names.join(", ");
        let select = |what: &str| format!("SELECT {what} FROM {table} WHERE y_id = ?");
        let range = |what: &str| {
            format!("SELECT {what} FROM {table} WHERE token(y_id) >= token(?) LIMIT ?")
        };
        let update = |what: &str| format!("UPDATE {table}{ttl} SET {what} WHERE y_id = ?");
        let sets: Vec<String> = names.iter().map(|name| format!("{name} = ?")).collect();
        let marks = vec!["?"; names.len()].join(", ");
        let insert = format!("INSERT INTO {table} (y_id, {all}) VALUES (?, {marks}){ttl}");
        let several = format!("SELECT {all} FROM {table} WHERE y_id IN ?");
        let preparing = Preparing { session };
        let (reads, writes, scans) = (settings.reads, settings.writes, settings.scans);
        let mut statements = Self {
            fields: shape.field_count(),
            read_all: preparing.one(select(&all), reads).await?,
            read_one: Vec::new(),
            read_several: preparing.one(several, reads).await?,
            scan_all: preparing.one(range(&all), scans).await?,
            scan_one: Vec::new(),
            insert: preparing.one(insert, writes).await?,
            update_all: preparing.one(update(&sets.join(", ")), writes).await?,
            update_one: Vec::new(),
            delete: preparing.one(format!("DELETE FROM {table} WHERE y_id = ?"), writes).await?,
        };
        for (name, set) in names.iter().zip(&sets) {
            statements.read_one.push(preparing.one(select(name), reads).await?);
            statements.update_one.push(preparing.one(update(set), writes).await?);
            if shape.scans {
                statements.scan_one.push(preparing.one(range(name), scans).await?);
            }
        }
        Ok(statements)
    }

    pub(crate) fn read(&self, fields: Fields) -> &PreparedStatement {
        one_of(&self.read_all, &self.read_one, fields)
    }

    pub(crate) fn scan(&self, fields: Fields) -> &PreparedStatement {
        one_of(&self.scan_all, &self.scan_one, fields)
    }

    pub(crate) fn update(&self, fields: Fields) -> &PreparedStatement {
        one_of(&self.update_all, &self.update_one, fields)
    }
}

fn one_of<'a>(
    all: &'a PreparedStatement,
    each: &'a [PreparedStatement],
    fields: Fields,
) -> &'a PreparedStatement {
    match fields {
        Fields::All => all,
        Fields::One(index) => each.get(usize::from(index)).unwrap_or(all),
    }
}

struct Preparing<'a> {
    session: &'a Session,
}

impl Preparing<'_> {
    async fn one(
        &self,
        text: String,
        consistency: Consistency,
    ) -> Result<PreparedStatement, ClientFailed> {
        let hint = "a table of that name that has other columns? drop it, or name another by \
                    target.options.table";
        let mut statement = Statement::new(text);
        statement.set_consistency(consistency);
        let prepared = self.session.prepare(statement).await;
        prepared.map_err(|error| failed("a statement is refused", &error, hint))
    }
}

async fn make_table(
    session: &Session,
    shape: &RecordShape,
    settings: &Settings,
) -> Result<(), ClientFailed> {
    let Settings { keyspace, table, replication_factor, compaction, compression, .. } = settings;
    let hint = "may the account make keyspaces and tables, or are they there already?";
    let refused = |error: scylla::errors::ExecutionError| {
        failed("keyspace and table cannot be made", &error, hint)
    };
    let text = format!(
        "CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = \
         {{'class': 'NetworkTopologyStrategy', 'replication_factor': {replication_factor}}}"
    );
    session.query_unpaged(text, ()).await.map_err(refused)?;
    let mut text =
        format!("CREATE TABLE IF NOT EXISTS {keyspace}.{table} (y_id varchar PRIMARY KEY");
    for name in shape.field_names() {
        let _ = write!(text, ", {name} varchar");
    }
    text.push(')');
    let mut with = Vec::new();
    if let Some(class) = compaction {
        with.push(format!("compaction = {{'class': '{class}'}}"));
    }
    match compression.as_deref() {
        Some("none") => with.push("compression = {'enabled': 'false'}".to_owned()),
        Some(class) => with.push(format!("compression = {{'class': '{class}'}}")),
        None => {}
    }
    if !with.is_empty() {
        let _ = write!(text, " WITH {}", with.join(" AND "));
    }
    session.query_unpaged(text, ()).await.map_err(refused)?;
    session.await_schema_agreement().await.map(|_| ()).map_err(|error| {
        failed("the nodes do not agree on the schema", &error, "are all nodes up?")
    })
}
