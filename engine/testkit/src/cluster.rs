//! A real Redis Cluster on the loopback interface.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::server::{Server, next_port};

const READY_LIMIT: Duration = Duration::from_secs(30);
const SLOTS: usize = 16_384;

/// Masters, and a replica of each; they end with this value.
pub struct RedisCluster {
    /// The masters, then their replicas in the same order.
    pub servers: Vec<Server>,
    masters: usize,
}

impl RedisCluster {
    /// A cluster whose servers all know each other; with replicas they have taken over all data.
    #[must_use]
    pub fn start(masters: usize, replicated: bool) -> Self {
        let count = if replicated { 2 * masters } else { masters };
        let mut buses = Vec::new();
        let servers: Vec<Server> = (0..count)
            .map(|_| {
                let bus = next_port().to_string();
                let server = Server::redis(&[
                    "--cluster-enabled",
                    "yes",
                    "--cluster-port",
                    &bus,
                    "--cluster-node-timeout",
                    "1000",
                    "--repl-diskless-sync-delay",
                    "0",
                ]);
                buses.push(bus);
                server
            })
            .collect();
        let cluster = Self { servers, masters };
        for (index, server) in cluster.servers[..masters].iter().enumerate() {
            let (first, last) = (index * SLOTS / masters, (index + 1) * SLOTS / masters - 1);
            assert_eq!(server.ask(&format!("CLUSTER ADDSLOTSRANGE {first} {last}\r\n")), "+OK\r\n");
        }
        for (server, bus) in cluster.servers.iter().zip(&buses).skip(1) {
            let meet = format!("CLUSTER MEET 127.0.0.1 {} {bus}\r\n", server.port());
            assert_eq!(cluster.servers[0].ask(&meet), "+OK\r\n");
        }
        cluster.wait("all know all", |info, _| {
            info.contains("cluster_state:ok")
                && info.contains(&format!("cluster_known_nodes:{count}"))
        });
        for index in masters..count {
            let master = cluster.id(index - masters);
            let replicate = format!("CLUSTER REPLICATE {master}\r\n");
            assert_eq!(cluster.servers[index].ask(&replicate), "+OK\r\n");
        }
        cluster.wait("replicas are connected", |_, replication| {
            !replication.contains("role:slave") || replication.contains("master_link_status:up")
        });
        cluster.wait("all know the masters", |info, _| {
            info.contains(&format!("cluster_size:{masters}"))
        });
        cluster
    }

    /// Waits until so much holds of `CLUSTER INFO` and `INFO replication` of every server.
    fn wait(&self, what: &str, holds: impl Fn(&str, &str) -> bool) {
        let began = Instant::now();
        for server in &self.servers {
            while !holds(&server.ask("CLUSTER INFO\r\n"), &server.ask("INFO replication\r\n")) {
                assert!(began.elapsed() < READY_LIMIT, "the cluster does not get so far: {what}");
            }
        }
    }

    /// The name that a server has in the cluster.
    #[must_use]
    pub fn id(&self, index: usize) -> String {
        let answer = self.servers[index].ask("CLUSTER MYID\r\n");
        answer.lines().nth(1).expect("a name").to_owned()
    }

    /// The endpoint of a master that stays.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.servers[0].endpoint()
    }

    /// Moves slots, with the records in them, from one master to another.
    pub fn reshard(&self, from: usize, to: usize, slots: usize) {
        assert!(from < self.masters && to < self.masters);
        let output = Command::new("redis-cli")
            .args(["--cluster", "reshard", &format!("127.0.0.1:{}", self.servers[0].port())])
            .args(["--cluster-from", &self.id(from), "--cluster-to", &self.id(to)])
            .args(["--cluster-slots", &slots.to_string(), "--cluster-yes"])
            .output()
            .expect("redis-cli");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
