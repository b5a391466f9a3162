//! What the library is told to do, by the options.

use std::borrow::Cow;

use aerospike::AuthMode;
use aerospike::policy::{
    BasePolicy, BatchPolicy, ClientPolicy, Concurrency, Expiration, ReadPolicy, RecordExistsAction,
    Replica, WritePolicy,
};
use weighhouse_driver_api::{ClientFailed, Expiry, Operation, RecordShape, Request};

use crate::options::Settings;

/// How long a connection may take to come about, and a node to tell of itself, ms.
const PATIENCE_MS: u32 = 5_000;
/// Most connections to a node where an open loop has more under way than there are clients.
const MOST_CONNECTIONS: usize = 256;

/// A policy for each kind of operation.
pub(crate) struct Policies {
    pub(crate) read: ReadPolicy,
    pub(crate) batch: BatchPolicy,
    pub(crate) insert: WritePolicy,
    pub(crate) update: WritePolicy,
    pub(crate) delete: WritePolicy,
    /// Each write has a time of its own, or none.
    varied: bool,
}

impl Policies {
    pub(crate) fn new(settings: &Settings, shape: &RecordShape) -> Self {
        let base = BasePolicy {
            read_mode_ap: settings.read_mode_ap,
            read_mode_sc: settings.read_mode_sc,
            replica: settings.replica,
            socket_timeout: settings.socket_timeout_ms,
            total_timeout: settings.total_timeout_ms,
            max_retries: settings.max_retries,
            ..BasePolicy::default()
        };
        let write = |action: RecordExistsAction, expiration: Expiration| WritePolicy {
            base_policy: base.clone(),
            record_exists_action: action,
            commit_level: settings.commit_level,
            expiration,
            send_key: settings.send_key,
            durable_delete: settings.durable_delete,
            ..WritePolicy::default()
        };
        let expiration = shape.expiry.longest().map_or(Expiration::Never, Expiration::Seconds);
        Self {
            read: ReadPolicy { base_policy: base.clone() },
            batch: BatchPolicy {
                base_policy: base.clone(),
                concurrency: Concurrency::Parallel,
                ..BatchPolicy::default()
            },
            insert: write(settings.insert, expiration),
            update: write(RecordExistsAction::UpdateOnly, expiration),
            delete: write(RecordExistsAction::Update, Expiration::NamespaceDefault),
            varied: matches!(shape.expiry, Expiry::Drawn { .. }),
        }
    }

    /// Of an insert or an update.
    pub(crate) fn writing(&self, request: &Request<'_>) -> Cow<'_, WritePolicy> {
        let policy =
            if request.operation == Operation::Insert { &self.insert } else { &self.update };
        if !self.varied {
            return Cow::Borrowed(policy);
        }
        let expiration = request.ttl_seconds().map_or(Expiration::Never, Expiration::Seconds);
        Cow::Owned(WritePolicy { expiration, ..policy.clone() })
    }
}

/// How the cluster is kept in touch with, for so many clients.
pub(crate) fn of_client(settings: &Settings, clients: usize) -> Result<ClientPolicy, ClientFailed> {
    let most = match settings.connections {
        0 => clients.max(MOST_CONNECTIONS),
        most => most,
    };
    let mut policy = ClientPolicy {
        timeout: PATIENCE_MS,
        // Made before the run, so that no operation waits for one to be made.
        min_conns_per_node: clients.min(most),
        max_conns_per_node: most,
        max_error_rate: 0,
        tend_interval: settings.tend_interval_ms,
        seed_only_cluster: settings.only_endpoints,
        rack_ids: (settings.replica == Replica::PreferRack).then(|| vec![settings.rack]),
        ..ClientPolicy::default()
    };
    if !settings.username.is_empty() {
        let file = &settings.password_file;
        let password = std::fs::read_to_string(file).map_err(|error| ClientFailed {
            message: format!("target.options.password_file: {file}: {error}"),
            hint: "the file must be readable to the agent".to_owned(),
        })?;
        let password = password.trim_end_matches(['\n', '\r']).to_owned();
        policy.auth_mode = AuthMode::Internal(settings.username.clone(), password);
    }
    Ok(policy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use weighhouse_driver_api::{Fields, Keys, Payload, ValueSource};

    #[test]
    fn nothing_is_tried_again_unless_told() {
        let shape = RecordShape::new(1, 10, "field");
        for (max_retries, settings) in
            [(0, Settings::default()), (3, Settings { max_retries: 3, ..Settings::default() })]
        {
            let policies = Policies::new(&settings, &shape);
            let all = [
                &policies.read.base_policy,
                &policies.batch.base_policy,
                &policies.insert.base_policy,
                &policies.update.base_policy,
                &policies.delete.base_policy,
            ];
            assert!(all.iter().all(|base| base.max_retries == max_retries));
        }
    }

    #[test]
    fn connections_are_made_for_all_clients_before_the_run() {
        for (asked, clients, made, most) in
            [(0, 4, 4, 256), (0, 1000, 1000, 1000), (8, 4, 4, 8), (2, 4, 2, 2)]
        {
            let settings = Settings { connections: asked, ..Settings::default() };
            let policy = of_client(&settings, clients).unwrap();
            assert_eq!((policy.min_conns_per_node, policy.max_conns_per_node), (made, most));
            assert_eq!(policy.max_error_rate, 0);
            assert_eq!(policy.tend_interval, 1000);
        }
        let settings = Settings { tend_interval_ms: 250, ..Settings::default() };
        assert_eq!(of_client(&settings, 1).unwrap().tend_interval, 250);
    }

    #[test]
    fn records_expire_by_the_workload_alone() {
        let mut shape = RecordShape::new(1, 10, "field");
        assert_eq!(
            Policies::new(&Settings::default(), &shape).insert.expiration,
            Expiration::Never
        );
        shape.expiry = Expiry::All(7);
        let policies = Policies::new(&Settings::default(), &shape);
        assert_eq!(policies.insert.expiration, Expiration::Seconds(7));
        assert_eq!(policies.update.expiration, Expiration::Seconds(7));

        shape.expiry = Expiry::Drawn { fraction: 0.5, min_seconds: 7, max_seconds: 7 };
        let policies = Policies::new(&Settings::default(), &shape);
        let source = ValueSource::new(1, &shape);
        let of = |version| {
            let request = Request {
                operation: Operation::Update,
                key: b"user1",
                more_keys: &Keys::NONE,
                scan_length: 0,
                fields: Fields::All,
                payload: Payload::new(&source, 1, version),
            };
            policies.writing(&request).expiration
        };
        let expiring = (0..100).filter(|&version| of(version) == Expiration::Seconds(7)).count();
        let lasting = (0..100).filter(|&version| of(version) == Expiration::Never).count();
        assert_eq!(expiring + lasting, 100);
        assert!((30..=70).contains(&expiring), "{expiring}");
    }

    #[test]
    fn a_password_that_is_not_there_is_told_by_its_option() {
        let settings = Settings {
            username: "me".to_owned(),
            password_file: "/nowhere/password".to_owned(),
            ..Settings::default()
        };
        let failed = of_client(&settings, 1).unwrap_err();
        assert!(failed.message.contains("password_file: /nowhere/password"), "{failed}");
    }
}
