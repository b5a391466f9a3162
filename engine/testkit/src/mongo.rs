//! A wire-compatible stand-in, not MongoDB: a server in memory that answers MongoDB's protocol.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::process::{Stopped, stop};
use crate::server::next_port;
use crate::state::until;

/// Tries of another port.
const TRIES: usize = 50;

/// The stand-in; it ends with this value, and what it holds with it.
pub struct MongoStandIn {
    child: Child,
    port: u16,
    directory: TempDir,
}

/// Where the stand-in is, by `infra/build/maven.sh mongo-stand-in`.
fn class_path() -> String {
    let place = std::env::var("WEIGHHOUSE_MONGO_STAND_IN").unwrap_or_else(|_| {
        panic!(
            "WEIGHHOUSE_MONGO_STAND_IN names no stand-in for MongoDB: source \
             infra/build/maven.sh mongo-stand-in first, which gets one and sets it"
        )
    });
    format!("{place}/classes:{place}/lib/*")
}

/// The stand-in on a port, once it listens; none when it has ended instead.
fn spawn(port: u16, directory: &TempDir) -> Option<Child> {
    let log = File::create(directory.path().join("log")).expect("a file");
    let mut child = Command::new("java")
        .args(["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", &class_path()])
        .args(["MongoStandIn", &port.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap_or_else(|error| panic!("java is needed: {error}"));
    let mut said = String::new();
    let output = child.stdout.take().expect("a pipe");
    BufReader::new(output).read_line(&mut said).expect("a line of text");
    if said.trim() == port.to_string() {
        return Some(child);
    }
    child.kill().expect("a child");
    child.wait().expect("an end");
    None
}

impl MongoStandIn {
    /// An empty one that listens.
    #[must_use]
    pub fn start() -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        for _ in 0..TRIES {
            let port = next_port();
            if let Some(child) = spawn(port, &directory) {
                return Self { child, port, directory };
            }
        }
        let log = std::fs::read_to_string(directory.path().join("log")).unwrap_or_default();
        panic!("the stand-in ends at once, on {TRIES} ports: {log}");
    }

    /// Its endpoint in an order.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("tcp://{}", self.address())
    }

    /// Where it listens: HOST:PORT.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Keeps it from running until what is returned goes.
    #[must_use]
    pub fn stop(&self) -> Stopped {
        stop(self.child.id())
    }

    /// Ends it without warning.
    pub fn kill(&mut self) {
        self.child.kill().expect("a running stand-in");
        self.child.wait().expect("an end");
    }

    /// Starts it again on the same port, after [`MongoStandIn::kill`]: empty.
    pub fn restart(&mut self) {
        self.child = until("the stand-in starts again", || spawn(self.port, &self.directory));
    }
}

impl Drop for MongoStandIn {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
