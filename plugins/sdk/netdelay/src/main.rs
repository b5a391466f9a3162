//! Holds packets back that a firewall rule sends to it (`iptables … -j NFQUEUE`).
//!
//! It takes a free queue, says which in its first line, `queue N`, and lets every packet go on in
//! order when its time has come. It ends when its standard input does, which is when whoever
//! started it ends, or at SIGTERM: what it holds then goes on at once, and what comes later passes
//! by, as the rule says `--queue-bypass`.

mod queue;
mod schedule;
mod wire;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::queue::Queue;
use crate::schedule::Schedule;

const USAGE: &str = "usage: weighhouse-netdelay DELAY_US JITTER_US";
/// Packets that may wait; a network that is as slow has no more room either.
const LONGEST: u32 = 16_384;

fn durations(arguments: &[String]) -> Option<(Duration, Duration)> {
    let [delay, jitter] = arguments else { return None };
    let microseconds = |text: &String| text.parse().map(Duration::from_micros).ok();
    Some((microseconds(delay)?, microseconds(jitter)?))
}

/// Until `due`; None: for ever.
fn timeout(due: Option<Instant>) -> Option<Timespec> {
    let left = due?.saturating_duration_since(Instant::now());
    Timespec::try_from(left).ok()
}

/// Lets go what is due, in one message.
fn release(
    queue: &Queue,
    waiting: &mut VecDeque<(u32, Instant)>,
    until: Instant,
) -> io::Result<()> {
    let mut last = None;
    while let Some((packet, _)) = waiting.front().filter(|(_, due)| *due <= until) {
        last = Some(*packet);
        waiting.pop_front();
    }
    last.map_or(Ok(()), |packet| queue.accept_up_to(packet))
}

fn serve(delay: Duration, jitter: Duration) -> io::Result<()> {
    let (asked, asks) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGTERM, asks)?;
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let seed = u64::try_from(seed & u128::from(u64::MAX)).unwrap_or_default();
    let from = u16::try_from(std::process::id() & 0xffff).unwrap_or_default();
    let mut queue = Queue::take(from, LONGEST)?;
    let mut schedule = Schedule::new(delay, jitter, seed);
    let mut waiting: VecDeque<(u32, Instant)> = VecDeque::new();
    let stdin = io::stdin();
    writeln!(io::stdout(), "queue {}", queue.number())?;
    loop {
        let mut ends = [
            PollFd::new(&queue, PollFlags::IN),
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(&asked, PollFlags::IN),
        ];
        match poll(&mut ends, timeout(waiting.front().map(|(_, due)| *due)).as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [packets, parent, signal] = ends.map(|end| !end.revents().is_empty());
        let now = Instant::now();
        if packets {
            waiting.extend(queue.read()?.into_iter().map(|packet| (packet, schedule.due(now))));
        }
        release(&queue, &mut waiting, now)?;
        if parent || signal {
            return waiting.back().map_or(Ok(()), |(last, _)| queue.accept_up_to(*last));
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match durations(&arguments) {
        Some((delay, jitter)) => serve(delay, jitter).map_err(|error| error.to_string()),
        None => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(io::stderr(), "weighhouse-netdelay: {message}");
            ExitCode::FAILURE
        }
    }
}
