//! A real server on a free port of the loopback interface.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use tempfile::TempDir;

use crate::authority::{Authority, Certified};
use crate::process::{Stopped, listens, stop};
use crate::state::{PATIENCE, until};

/// A server; it ends with this value.
pub struct Server {
    program: &'static str,
    arguments: Vec<String>,
    scheme: &'static str,
    port: u16,
    child: Child,
    directory: TempDir,
}

/// Tries of another port.
const TRIES: usize = 50;

/// A port to try, each only once. It is below those that connections are given for their own end: a
/// connection to such a port that nobody listens on yet may meet itself. Nor is it tried by
/// listening: another thread's child inherits such a socket for a moment, and answers for it.
pub(crate) fn next_port() -> u16 {
    const PORTS: Range<u16> = 20_000..32_000;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Test programs that run side by side begin at unlike places.
    let begin = u16::try_from(std::process::id() % 600).unwrap_or_default() * 20;
    let step = NEXT.fetch_add(1, Ordering::Relaxed);
    PORTS.start + begin.wrapping_add(step) % (PORTS.end - PORTS.start)
}

impl Server {
    /// A Redis that keeps nothing on disk.
    #[must_use]
    pub fn redis(more: &[&str]) -> Self {
        let fixed = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
        Self::start("redis-server", "--port", fixed.iter().chain(more))
    }

    /// A Redis that speaks TLS alone. `more` may say which clients it takes (`--tls-auth-clients`).
    #[must_use]
    pub fn redis_tls(authority: &Authority, shown: &Certified, more: &[&str]) -> Self {
        let paths = [&authority.file(), &shown.certificate, &shown.key];
        let [ca, certificate, key] = paths.map(|path| path.to_str().expect("text"));
        let files =
            ["--tls-ca-cert-file", ca, "--tls-cert-file", certificate, "--tls-key-file", key];
        let fixed = ["--bind", "127.0.0.1", "--save", "", "--port", "0"];
        let arguments = fixed.iter().chain(&files).chain(more);
        let mut server = Self::start("redis-server", "--tls-port", arguments);
        server.scheme = "tls";
        server
    }

    /// A memcached that speaks TLS alone.
    #[must_use]
    pub fn memcached_tls(shown: &Certified) -> Self {
        let paths = [&shown.certificate, &shown.key].map(|path| path.to_str().expect("text"));
        let files = format!("ssl_chain_cert={},ssl_key={}", paths[0], paths[1]);
        let fixed = ["-u", "root", "-l", "127.0.0.1", "-U", "0", "-t", "1", "-Z", "-o", &files];
        let mut server = Self::start("memcached", "-p", fixed.iter());
        server.scheme = "tls";
        server
    }

    /// A memcached.
    #[must_use]
    pub fn memcached(more: &[&str]) -> Self {
        let fixed = ["-u", "root", "-l", "127.0.0.1", "-U", "0", "-t", "1"];
        Self::start("memcached", "-p", fixed.iter().chain(more))
    }

    /// Any server that listens at a TCP port: the program, and its arguments for a port of the
    /// loopback interface. It works in a new directory, which goes with it.
    #[must_use]
    pub fn of(program: &'static str, arguments: impl Fn(u16) -> Vec<String>) -> Self {
        for _ in 0..TRIES {
            let directory = TempDir::new().expect("a temporary directory");
            let port = next_port();
            let arguments = arguments(port);
            let child = spawn(program, &arguments, &directory);
            let mut server = Self { program, arguments, scheme: "tcp", port, child, directory };
            if server.comes_up() {
                return server;
            }
        }
        panic!("{program} ends at once, on {TRIES} ports");
    }

    fn start<'a>(
        program: &'static str,
        port_flag: &str,
        arguments: impl Iterator<Item = &'a &'a str>,
    ) -> Self {
        let fixed: Vec<String> = arguments.map(ToString::to_string).collect();
        Self::of(program, |port| {
            let flag = [port_flag.to_owned(), port.to_string()];
            fixed.iter().cloned().chain(flag).collect()
        })
    }

    /// Waits until it listens; false when it has ended, because somebody else has its port.
    fn comes_up(&mut self) -> bool {
        let Self { child, port, program, .. } = self;
        until(&format!("{program} listens"), || {
            if child.try_wait().expect("a child").is_some() {
                return Some(false);
            }
            listens(child.id(), *port).then_some(true)
        })
    }

    /// Its endpoint in an order.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("{}://127.0.0.1:{}", self.scheme, self.port)
    }

    /// Where it listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Sends commands and returns all that they are answered, whenever that comes: behind them goes
    /// one whose answer is known.
    #[allow(clippy::must_use_candidate)] // often asked for what it does
    pub fn ask(&self, request: &str) -> String {
        let (last, known) = match self.program {
            "memcached" => ("mn\r\n", "MN\r\n"),
            _ => ("ECHO that-is-all\r\n", "$11\r\nthat-is-all\r\n"),
        };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.write_all(format!("{request}{last}").as_bytes()).expect("written");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let mut answer = Vec::new();
        let mut buffer = vec![0; 65536];
        while !answer.ends_with(known.as_bytes()) {
            let count = stream.read(&mut buffer).expect("an answer");
            assert!(count > 0, "{request}: {}", String::from_utf8_lossy(&answer));
            answer.extend_from_slice(&buffer[..count]);
        }
        answer.truncate(answer.len() - known.len());
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Waits until what it answers is as it is to be.
    pub fn ask_until(&self, request: &str, is_it: impl Fn(&str) -> bool) {
        until(request, || is_it(&self.ask(request)).then_some(()));
    }

    /// Keeps it from running until what is returned goes.
    #[must_use]
    pub fn stop(&self) -> Stopped {
        stop(self.child.id())
    }

    /// Ends it without warning.
    pub fn kill(&mut self) {
        self.child.kill().expect("a running server");
        self.child.wait().expect("an end");
    }

    /// Starts it again on the same port, after [`Server::kill`].
    pub fn restart(&mut self) {
        // Somebody else's connection may still have the port.
        until(&format!("{} starts again", self.program), || {
            self.child = spawn(self.program, &self.arguments, &self.directory);
            self.comes_up().then_some(())
        });
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
