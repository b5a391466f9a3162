//! A real Redis Cluster on the loopback interface.

use std::io::Write;
use std::process::{Command, Stdio};
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
    let patience = READY_LIMIT.as_millis();
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

impl RedisCluster {
    /// A cluster whose servers all know each other; with replicas, which have acknowledged a write.
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
        let began = Instant::now();
        for server in &self.servers {
            while !holds(&ask(server, &["cluster", "info"])) {
                assert!(began.elapsed() < READY_LIMIT, "the cluster does not get so far: {what}");
                std::thread::sleep(Duration::from_millis(20));
            }
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
