//! Processes of servers: whether one listens, and keeping one from running.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::run::unix_us;
use crate::state::until;

/// Whether this very process listens at a TCP port, and not another that was faster.
pub(crate) fn listens(process: u32, port: u16) -> bool {
    let folder = Path::new("/proc").join(process.to_string());
    let sockets: Vec<String> = ["net/tcp", "net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(folder.join(table)).ok())
        .flat_map(|table| {
            table.lines().skip(1).filter_map(|line| listener(line, port)).collect::<Vec<_>>()
        })
        .collect();
    let Ok(descriptors) = fs::read_dir(folder.join("fd")) else { return false };
    descriptors.flatten().any(|descriptor| {
        fs::read_link(descriptor.path())
            .is_ok_and(|target| sockets.iter().any(|socket| target == Path::new(socket)))
    })
}

/// The socket of a line of the kernel's table, when it listens at the port.
fn listener(line: &str, port: u16) -> Option<String> {
    const LISTEN: &str = "0A";
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let (_, at) = fields.get(1)?.rsplit_once(':')?;
    let listens = fields.get(3) == Some(&LISTEN) && u16::from_str_radix(at, 16) == Ok(port);
    listens.then(|| format!("socket:[{}]", fields.get(9).unwrap_or(&"")))
}

/// The state of a process by its letter: `T` for one that is stopped.
fn state(process: u32) -> Option<char> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    text.rsplit_once(") ")?.1.chars().next()
}

fn signal(process: u32, signal: Signal) {
    let pid = Pid::from_raw(process.try_into().expect("a pid"));
    kill(pid, signal).expect("a running process");
}

/// A process that does not run as long as this value lives.
#[derive(Debug)]
pub struct Stopped {
    process: u32,
    /// When it had certainly stopped.
    since: (Instant, u64),
    resumed: bool,
}

/// How long a process did not run, at the least: a server that was stopped by a signal may stand still
/// before the test sees it, and go on a while after, however busy the machine is.
#[derive(Debug, Clone, Copy)]
pub struct Stall {
    /// By the clock of processes, unix time, µs: from when to when.
    pub us: (u64, u64),
    /// How long that was.
    pub length: Duration,
}

/// Stops a process, and waits until it has.
pub(crate) fn stop(process: u32) -> Stopped {
    signal(process, Signal::SIGSTOP);
    until("the process is stopped", || (state(process) == Some('T')).then_some(()));
    Stopped { process, since: (Instant::now(), unix_us(Duration::ZERO)), resumed: false }
}

impl Stopped {
    /// Leaves it stopped for a while, then lets it go on; what it was stopped for at the least.
    #[must_use]
    pub fn resume_after(mut self, length: Duration) -> Stall {
        std::thread::sleep(length);
        let stall =
            Stall { us: (self.since.1, unix_us(Duration::ZERO)), length: self.since.0.elapsed() };
        self.go_on();
        stall
    }

    /// Lets it go on.
    pub fn resume(mut self) {
        self.go_on();
    }

    fn go_on(&mut self) {
        if !std::mem::replace(&mut self.resumed, true) {
            signal(self.process, Signal::SIGCONT);
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.go_on();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_at_a_port_is_told_from_others() {
        let held = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = held.local_addr().unwrap().port();
        assert!(listens(std::process::id(), port));
        let mut other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        assert!(!listens(other.id(), port));
        other.kill().unwrap();
        other.wait().unwrap();
        drop(held);
        assert!(!listens(std::process::id(), port));
    }

    #[test]
    fn a_stopped_process_goes_on_again() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let stall = stop(child.id()).resume_after(Duration::from_millis(10));
        assert!(stall.length >= Duration::from_millis(10));
        until("it goes on", || (state(child.id()) != Some('T')).then_some(()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
