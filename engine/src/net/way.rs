//! By which way bytes go to and from the system: readiness by epoll and a system call for each read and
//! write, or all of a turn by `io_uring`.
//!
//! Many machines refuse `io_uring` (containers by default, kernels before 6.1), so epoll is always there.
//! Where both are, a trial tells: turns over connections of the machine with itself, by the one and by
//! the other in turn, of which the quickest counts.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use mio::{Events, Interest, Poll, Token};
use weighhouse_driver_api::{OptionRefused, Options};
use weighhouse_engine_ring::{Event, Happened, Held, Ring};

use super::endpoint::Socket;
use crate::clock::Clock;

/// The engine's option.
const IO: &str = "io";
const AUTO: &str = "auto";
const EPOLL: &str = "epoll";
const IO_URING: &str = "io_uring";

/// JSON Schema of the option, which stands beside those of a driver with a wire protocol.
pub const SCHEMA: &str = r#"{
  "io": {
    "type": "string",
    "enum": ["auto", "epoll", "io_uring"],
    "default": "epoll",
    "description": "How the driver waits for replies and sends requests. io_uring: with one system call for all that is ready, on Linux from 6.1 where it is allowed, not over TLS. epoll: everywhere. auto: io_uring where it is allowed and a short trial at the start does not find it dearer; the run's facts tell which."
  }
}"#;

/// Connections of the trial.
const PAIRS: usize = 8;
/// Turns of each way.
const TURNS: usize = 60;
/// From which share of the other's the quickest turn by `io_uring` counts as dearer: where both cost
/// nearly the same, chance does not decide from run to run.
const DEARER: f64 = 1.05;
const REQUEST: [u8; 40] = [b'q'; 40];
const REPLY: [u8; 1000] = [b'a'; 1000];
/// How long a turn of the trial may wait for what is there already.
const PATIENCE: Duration = Duration::from_secs(1);

/// A way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// epoll.
    Epoll,
    /// `io_uring`.
    IoUring,
}

impl Way {
    /// As it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Epoll => EPOLL,
            Self::IoUring => IO_URING,
        }
    }
}

/// What an order wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Whichever is cheaper.
    Auto,
    /// This one.
    This(Way),
}

/// A way and why.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// Which.
    pub way: Way,
    /// Why, in words that are the same for the same reason.
    pub reason: String,
    /// What the quickest turns of a trial took, ns: by epoll and by `io_uring`.
    pub trial: Option<(u64, u64)>,
}

impl Wish {
    /// Takes the option out of those of a driver.
    ///
    /// # Errors
    /// When it is another word.
    pub fn take(options: &mut Options) -> Result<Self, OptionRefused> {
        match options.remove(IO).as_ref().map(serde_json::Value::as_str) {
            Some(Some(AUTO)) => Ok(Self::Auto),
            None | Some(Some(EPOLL)) => Ok(Self::This(Way::Epoll)),
            Some(Some(IO_URING)) => Ok(Self::This(Way::IoUring)),
            Some(_) => Err(OptionRefused::new(IO, "auto, epoll or io_uring")),
        }
    }

    /// The way for connections with or without TLS.
    ///
    /// # Errors
    /// When `io_uring` is wanted and cannot be had.
    pub fn choose(self, secure: bool, clock: Clock) -> Result<Chosen, OptionRefused> {
        let chosen = |way, reason: &str| Chosen { way, reason: reason.to_owned(), trial: None };
        match self {
            Self::This(Way::Epoll) => Ok(chosen(Way::Epoll, "by the option `io`")),
            Self::Auto if secure => Ok(chosen(Way::Epoll, "the connections speak TLS")),
            Self::This(Way::IoUring) if secure => {
                Err(OptionRefused::new(IO, "connections with TLS go by epoll"))
            }
            Self::This(Way::IoUring) => match apart(|| Ring::new(1)?.enable()) {
                Ok(()) => Ok(chosen(Way::IoUring, "by the option `io`")),
                Err(error) => Err(OptionRefused::new(
                    IO,
                    format!("{}; `auto` takes epoll then", refused(&error)),
                )),
            },
            Self::Auto => Ok(match apart(move || trial(clock)) {
                Ok((epoll, ring)) => {
                    let way = better(epoll, ring);
                    let reason = match way {
                        Way::Epoll => "io_uring is dearer here",
                        Way::IoUring => "no dearer than epoll here",
                    };
                    Chosen { trial: Some((epoll, ring)), ..chosen(way, reason) }
                }
                Err(error) => chosen(Way::Epoll, &refused(&error)),
            }),
        }
    }
}

/// Does something on a thread of its own: the end of a ring interrupts calls of the thread that had it.
fn apart<T: Send + 'static>(
    what: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let ended = std::thread::spawn(what).join();
    ended.unwrap_or_else(|_| Err(io::Error::other("its trial panicked")))
}

/// What is said where it cannot be had.
fn refused(error: &io::Error) -> String {
    format!("this machine refuses io_uring: {error}")
}

/// The better way by what the quickest turns took.
fn better(epoll: u64, ring: u64) -> Way {
    if (ring as f64) < epoll as f64 * DEARER { Way::IoUring } else { Way::Epoll }
}

/// The quickest turn by epoll and by `io_uring`, ns.
fn trial(clock: Clock) -> io::Result<(u64, u64)> {
    let mut ringed = ByRing::new()?;
    let mut polled = ByEpoll::new()?;
    let mut quickest = (u64::MAX, u64::MAX);
    for _ in 0..TURNS {
        quickest.0 = quickest.0.min(polled.turn(clock)?);
        quickest.1 = quickest.1.min(ringed.turn(clock)?);
    }
    Ok(quickest)
}

/// The other ends of a trial's connections.
struct Peers(Vec<TcpStream>);

impl Peers {
    /// Connections, and their other ends.
    fn connected() -> io::Result<(Vec<TcpStream>, Self)> {
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..PAIRS {
            let stream = TcpStream::connect(listener.local_addr()?)?;
            stream.set_nodelay(true)?;
            ours.push(stream);
            let (peer, _) = listener.accept()?;
            peer.set_nodelay(true)?;
            peer.set_nonblocking(true)?;
            theirs.push(peer);
        }
        Ok((ours, Self(theirs)))
    }

    /// Takes the requests that are there, and replies to all.
    fn reply(&mut self) -> io::Result<()> {
        let mut input = [0; 2 * REQUEST.len()];
        for peer in &mut self.0 {
            match peer.read(&mut input) {
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                _ => {}
            }
            peer.write_all(&REPLY)?;
        }
        Ok(())
    }
}

struct ByEpoll {
    peers: Peers,
    poll: Poll,
    events: Events,
    sockets: Vec<Socket>,
    input: Vec<u8>,
}

impl ByEpoll {
    fn new() -> io::Result<Self> {
        let (ours, peers) = Peers::connected()?;
        let poll = Poll::new()?;
        let mut sockets = Vec::new();
        for (index, stream) in ours.into_iter().enumerate() {
            stream.set_nonblocking(true)?;
            let mut socket = Socket::Tcp(mio::net::TcpStream::from_std(stream));
            poll.registry().register(&mut socket, Token(index), Interest::READABLE)?;
            sockets.push(socket);
        }
        Ok(Self {
            peers,
            poll,
            events: Events::with_capacity(PAIRS),
            sockets,
            input: vec![0; 4 * REPLY.len()],
        })
    }

    /// All replies in, and all requests out.
    fn turn(&mut self, clock: Clock) -> io::Result<u64> {
        self.peers.reply()?;
        let begin = clock.now();
        let mut received = 0;
        while received < PAIRS * REPLY.len() {
            self.poll.poll(&mut self.events, Some(PATIENCE))?;
            if self.events.is_empty() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            for event in &self.events {
                let socket = &self.sockets[event.token().0];
                received += socket.read(&mut self.input)?;
                socket.write(&REQUEST)?;
            }
        }
        Ok(clock.now() - begin)
    }
}

struct ByRing {
    peers: Peers,
    ring: Ring,
    held: Vec<Held>,
    out: Vec<u8>,
}

impl ByRing {
    fn new() -> io::Result<Self> {
        let mut ring = Ring::new(PAIRS)?;
        ring.enable()?;
        let (ours, peers) = Peers::connected()?;
        let attach = |(index, stream): (usize, TcpStream)| ring.attach(stream.into(), index);
        let held = ours.into_iter().enumerate().map(attach).collect::<io::Result<_>>()?;
        Ok(Self { peers, ring, held, out: Vec::new() })
    }

    /// The same; what is to go out goes out with the next wait.
    fn turn(&mut self, clock: Clock) -> io::Result<u64> {
        self.peers.reply()?;
        let begin = clock.now();
        let mut received = 0;
        while received < PAIRS * REPLY.len() {
            self.ring.wait(PATIENCE)?;
            let mut idle = true;
            while let Some(Happened { owner, event, .. }) = self.ring.next() {
                idle = false;
                let Event::Received(filled) = event else {
                    return Err(io::ErrorKind::ConnectionReset.into());
                };
                received += filled.len();
                self.ring.recycle(filled);
                self.out.extend_from_slice(&REQUEST);
                self.ring.send(&self.held[owner], &mut self.out)?;
            }
            if idle {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        Ok(clock.now() - begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_others_refused() {
        for (word, wish) in [
            ("auto", Wish::Auto),
            ("epoll", Wish::This(Way::Epoll)),
            ("io_uring", Wish::This(Way::IoUring)),
        ] {
            let mut options = Options::from_iter([(IO.to_owned(), word.into())]);
            assert_eq!(Wish::take(&mut options).ok(), Some(wish));
            assert!(options.is_empty());
        }
        assert_eq!(Wish::take(&mut Options::new()).ok(), Some(Wish::This(Way::Epoll)));
        for wrong in [serde_json::json!("select"), serde_json::json!(1)] {
            assert!(Wish::take(&mut Options::from_iter([(IO.to_owned(), wrong)])).is_err());
        }
    }

    #[test]
    fn what_is_dearer_is_not_chosen() {
        assert_eq!(better(1000, 900), Way::IoUring);
        assert_eq!(better(1000, 1040), Way::IoUring);
        assert_eq!(better(1000, 1060), Way::Epoll);
    }

    #[test]
    fn tls_goes_by_epoll() {
        let clock = Clock::start();
        assert_eq!(Wish::Auto.choose(true, clock).map(|one| one.way).ok(), Some(Way::Epoll));
        assert!(Wish::This(Way::IoUring).choose(true, clock).is_err());
    }

    #[test]
    fn a_choice_says_why() {
        let chosen = Wish::Auto.choose(false, Clock::start()).unwrap();
        match chosen.trial {
            Some((epoll, ring)) => assert_eq!(chosen.way, better(epoll, ring)),
            None => assert!(chosen.reason.contains("refuses io_uring"), "{}", chosen.reason),
        }
    }
}
