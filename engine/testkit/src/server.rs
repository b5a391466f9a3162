//! A real server on a free port of the loopback interface.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

const START_LIMIT: Duration = Duration::from_secs(20);

/// A server; it ends with this value.
pub struct Server {
    program: &'static str,
    arguments: Vec<String>,
    port: u16,
    child: Child,
    directory: TempDir,
}

/// A port that nobody listens on, and that no other server of this process was given: between the
/// asking and the server's bind another test may ask.
fn free_port() -> u16 {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    loop {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("bound").port();
        if GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(port) {
            return port;
        }
    }
}

impl Server {
    /// A Redis that keeps nothing on disk.
    #[must_use]
    pub fn redis(more: &[&str]) -> Self {
        let fixed = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
        Self::start("redis-server", "--port", fixed.iter().chain(more))
    }

    /// A memcached.
    #[must_use]
    pub fn memcached(more: &[&str]) -> Self {
        let fixed = ["-u", "root", "-l", "127.0.0.1", "-U", "0", "-t", "1"];
        Self::start("memcached", "-p", fixed.iter().chain(more))
    }

    fn start<'a>(
        program: &'static str,
        port_flag: &str,
        arguments: impl Iterator<Item = &'a &'a str>,
    ) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let port = free_port();
        let mut arguments: Vec<String> = arguments.map(ToString::to_string).collect();
        arguments.extend([port_flag.to_owned(), port.to_string()]);
        let child = spawn(program, &arguments, &directory);
        let mut server = Self { program, arguments, port, child, directory };
        server.wait_until_ready();
        server
    }

    fn wait_until_ready(&mut self) {
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = self.child.try_wait().expect("a child");
            assert!(ended.is_none(), "{} ended: {ended:?}", self.program);
            assert!(began.elapsed() < START_LIMIT, "{} does not come up", self.program);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Its endpoint in an order.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("tcp://127.0.0.1:{}", self.port)
    }

    /// Sends raw bytes and returns what comes back until the server falls silent for a moment.
    #[allow(clippy::must_use_candidate)] // often asked for what it does
    pub fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.write_all(request.as_bytes()).expect("written");
        stream.set_read_timeout(Some(Duration::from_millis(300))).expect("a socket");
        let mut answer = Vec::new();
        let mut buffer = vec![0; 65536];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            answer.extend_from_slice(&buffer[..count]);
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().try_into().expect("a pid"));
        kill(pid, signal).expect("a running server");
    }

    /// Keeps it from running for a while; how long it really was.
    #[allow(clippy::must_use_candidate)] // often asked for what it does
    pub fn freeze(&self, length: Duration) -> Duration {
        let began = Instant::now();
        self.signal(Signal::SIGSTOP);
        std::thread::sleep(length);
        self.signal(Signal::SIGCONT);
        began.elapsed()
    }

    /// Ends it without warning.
    pub fn kill(&mut self) {
        self.child.kill().expect("a running server");
        self.child.wait().expect("an end");
    }

    /// Starts it again on the same port, after [`Server::kill`].
    pub fn restart(&mut self) {
        self.child = spawn(self.program, &self.arguments, &self.directory);
        self.wait_until_ready();
    }
}

fn spawn(program: &str, arguments: &[String], directory: &TempDir) -> Child {
    Command::new(program)
        .args(arguments)
        .current_dir(directory.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{program} is needed: {error}"))
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
