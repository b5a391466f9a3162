//! A real Redis Cluster on the loopback interface.

use std::cell::Cell;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::server::{Server, next_port};
use crate::state::{PATIENCE, until};

const SLOTS: usize = 16_384;

/// Masters, and a replica of each; they end with this value.
pub struct RedisCluster {
    /// The masters, then their replicas in the same order.
    pub servers: Vec<Server>,
    masters: usize,
}

/// What a server answers, without the line break at its end.
fn ask(server: &Server, words: &[&str]) -> String {
    let output = Command::new("redis-cli")
        .args(["-p", &server.port().to_string()])
        .args(words)
        .output()
        .expect("redis-cli");
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// Writes a record to a master, removes it, and waits until so many replicas have said that they have
/// done so too. A replica that calls its link up may receive nothing for another second: the master
/// holds the stream back until the replica's first acknowledgement, and who is killed in that second
/// takes all writes with it.
fn prove_replication(master: &Server, replicas: usize) {
    let port = master.port().to_string();
    let patience = PATIENCE.as_millis();
    // The names of a few records, of which a master of several takes those in its own slots alone.
    for number in 0.. {
        let mut asked = Command::new("redis-cli")
            .args(["-p", &port])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("redis-cli");
        // One connection: WAIT vouches for the writes of the connection it comes over.
        let words =
            format!("SET proof:{number} 1\nDEL proof:{number}\nWAIT {replicas} {patience}\n");
        asked.stdin.take().expect("a pipe").write_all(words.as_bytes()).expect("written");
        let output = asked.wait_with_output().expect("an end");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if !said.contains("MOVED") {
            let expected = format!("OK\n1\n{replicas}");
            assert_eq!(said.trim_end(), expected, "the replicas of {port} acknowledge no write");
            return;
        }
    }
}

/// A server of a cluster, and the port of its bus; with another try both are others.
fn node() -> (Server, String) {
    let bus = Cell::new(0);
    let server = Server::of("redis-server", |port| {
        bus.set(next_port());
        let (port, bus) = (port.to_string(), bus.get().to_string());
        ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--port", &port]
            .iter()
            .chain(&["--cluster-enabled", "yes", "--cluster-port", &bus])
            .chain(&["--cluster-node-timeout", "1000", "--repl-diskless-sync-delay", "0"])
            .map(ToString::to_string)
            .collect()
    });
    (server, bus.get().to_string())
}

impl RedisCluster {
    /// A cluster whose servers all know each other; with replicas, which have acknowledged a write.
    #[must_use]
    pub fn start(masters: usize, replicated: bool) -> Self {
        let count = if replicated { 2 * masters } else { masters };
        let (servers, buses): (Vec<Server>, Vec<String>) = (0..count).map(|_| node()).unzip();
        let cluster = Self { servers, masters };
        for (index, server) in cluster.servers[..masters].iter().enumerate() {
            let (first, last) = (index * SLOTS / masters, (index + 1) * SLOTS / masters - 1);
            let range = ["cluster", "addslotsrange", &first.to_string(), &last.to_string()];
            assert_eq!(ask(server, &range), "OK");
        }
        for (server, bus) in cluster.servers.iter().zip(&buses).skip(1) {
            let meet = ["cluster", "meet", "127.0.0.1", &server.port().to_string(), bus];
            assert_eq!(ask(&cluster.servers[0], &meet), "OK");
        }
        cluster.wait("all know all", |info| {
            info.contains("cluster_state:ok")
                && info.contains(&format!("cluster_known_nodes:{count}"))
        });
        for index in masters..count {
            let master = cluster.id(index - masters);
            let replicate = ["cluster", "replicate", &master];
            assert_eq!(ask(&cluster.servers[index], &replicate), "OK");
        }
        cluster
            .wait("all know the masters", |info| info.contains(&format!("cluster_size:{masters}")));
        if replicated {
            for master in &cluster.servers[..masters] {
                prove_replication(master, 1);
            }
        }
        cluster
    }

    /// Waits until so much holds of `CLUSTER INFO` of every server.
    fn wait(&self, what: &str, holds: impl Fn(&str) -> bool) {
        for server in &self.servers {
            until(what, || holds(&ask(server, &["cluster", "info"])).then_some(()));
        }
    }

    /// The name that a server has in the cluster.
    #[must_use]
    pub fn id(&self, index: usize) -> String {
        ask(&self.servers[index], &["cluster", "myid"])
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
