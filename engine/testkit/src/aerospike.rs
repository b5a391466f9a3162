//! A real Aerospike node on a free port of the loopback interface.

use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::server::next_port;
use crate::state::until;

/// Names the server's executable, where it is not the one on PATH.
const VARIABLE: &str = "WEIGHHOUSE_ASD";
const PROGRAM: &str = "asd";

/// A node that keeps its records in memory; it ends with this value.
pub struct Aerospike {
    program: PathBuf,
    child: Child,
    port: u16,
    directory: TempDir,
}

/// The file that is named, or the first on a search path.
fn at_hand(named: Option<OsString>, search: Option<OsString>) -> Option<PathBuf> {
    if let Some(named) = named {
        return Some(PathBuf::from(named));
    }
    let folders = search?;
    std::env::split_paths(&folders).map(|one| one.join(PROGRAM)).find(|one| one.is_file())
}

fn write_configuration(directory: &Path, port: u16) {
    let at = |name: &str| {
        let path = directory.join(name);
        fs::create_dir_all(&path).expect("a directory");
        path.display().to_string()
    };
    // It does not make this one by itself.
    at("work/smd");
    let namespace = |name: &str, more: &str| {
        format!(
            "namespace {name} {{\n replication-factor 1\n {more}\n \
             storage-engine memory {{\n data-size 512M\n }}\n}}\n"
        )
    };
    let text = format!(
        "service {{\n run-as-daemon false\n node-id a1\n proto-fd-max 1024\n \
         cluster-name weighhouse\n work-directory {work}\n}}\n\
         logging {{\n console {{\n context any info\n }}\n}}\n\
         mod-lua {{\n user-path {lua}\n}}\n\
         network {{\n service {{\n address 127.0.0.1\n port {port}\n }}\n \
         heartbeat {{\n mode mesh\n address 127.0.0.1\n port {heartbeat}\n \
         interval 150\n timeout 10\n }}\n \
         fabric {{\n address 127.0.0.1\n port {fabric}\n }}\n}}\n{records}{lasting}",
        work = at("work"),
        lua = at("lua"),
        heartbeat = next_port(),
        fabric = next_port(),
        records = namespace("ycsb", "nsup-period 1"),
        lasting = namespace("lasting", "nsup-period 0"),
    );
    fs::write(directory.join("aerospike.conf"), text).expect("a file");
}

impl Aerospike {
    /// A node that has started and serves all of its partitions: the namespace `ycsb`, and
    /// `lasting`, which takes no record that expires. None where the server is not at hand, which
    /// is said on standard error together with what would change it.
    #[must_use]
    pub fn start() -> Option<Self> {
        let Some(program) = at_hand(std::env::var_os(VARIABLE), std::env::var_os("PATH")) else {
            // Past the test harness, which keeps to itself what a test prints.
            let _ = writeln!(
                std::io::stderr(),
                "NOT RUN: this test needs a real Aerospike server: put {PROGRAM} on PATH, or set \
                 {VARIABLE} to its path"
            );
            return None;
        };
        let port = next_port();
        let directory = TempDir::new().expect("a temporary directory");
        write_configuration(directory.path(), port);
        let child = spawn(&program, directory.path());
        let mut node = Self { program, child, port, directory };
        node.wait();
        Some(node)
    }

    /// Its endpoint in an order.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("tcp://127.0.0.1:{}", self.port)
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What it answers to a question about itself, for example `sets/ycsb/usertable`.
    #[must_use]
    pub fn info(&self, question: &str) -> String {
        ask(self.port, question).expect("an answer")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }

    fn wait(&mut self) {
        // It listens before it has its partitions.
        until("Aerospike serves its partitions", || {
            let ended = self.child.try_wait().expect("a child");
            assert!(ended.is_none(), "Aerospike ended: {}", self.log());
            let answer = ask(self.port, "partition-generation")?;
            (!answer.starts_with('-')).then_some(())
        });
    }

    /// Ends it without warning: what it held is gone.
    pub fn kill(&mut self) {
        self.child.kill().expect("a running node");
        self.child.wait().expect("an end");
    }

    /// Starts it again, after [`Aerospike::kill`].
    pub fn restart(&mut self) {
        self.child = spawn(&self.program, self.directory.path());
        self.wait();
    }
}

fn spawn(program: &Path, directory: &Path) -> Child {
    let log = fs::File::create(directory.join("log")).expect("a file");
    Command::new(program)
        .arg("--foreground")
        .arg("--config-file")
        .arg(directory.join("aerospike.conf"))
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("a file"))
        .stderr(log)
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

/// One question of the text protocol: version 2, type 1, six bytes of length, the name; the answer
/// repeats the name before a tab.
fn ask(port: u16, question: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
    let mut message = (question.len() as u64 + 1).to_be_bytes();
    message[..2].copy_from_slice(&[2, 1]);
    stream.write_all(&message).ok()?;
    stream.write_all(question.as_bytes()).ok()?;
    stream.write_all(b"\n").ok()?;
    stream.read_exact(&mut message).ok()?;
    message[..2].fill(0);
    let mut answer = vec![0; usize::try_from(u64::from_be_bytes(message)).ok()?];
    stream.read_exact(&mut answer).ok()?;
    let answer = String::from_utf8(answer).ok()?;
    Some(answer.trim_end().split_once('\t')?.1.to_owned())
}

impl Drop for Aerospike {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_the_one_named_else_the_one_on_the_search_path() {
        let (empty, full) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let here = full.path().join(PROGRAM);
        fs::write(&here, "").unwrap();
        let search = std::env::join_paths([empty.path(), full.path()]).unwrap();
        assert_eq!(at_hand(None, Some(search.clone())), Some(here));
        assert_eq!(at_hand(None, Some(empty.path().into())), None);
        assert_eq!(at_hand(None, None), None);
        assert_eq!(at_hand(Some("/else/asd".into()), Some(search)), Some("/else/asd".into()));
    }
}
