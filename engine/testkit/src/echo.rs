//! A server that holds every request for a time known beforehand, and writes down how long it
//! really held it.
//!
//! It speaks as much of RESP as reading takes. Requests of a connection are held side by side and
//! answered in their order.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What every read answers.
const ANSWER: &[u8] = b"$5\r\nvalue\r\n";

/// The server; it runs in threads of this process.
pub struct EchoServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: JoinHandle<Vec<JoinHandle<()>>>,
}

struct Shared {
    began: Instant,
    delays: Vec<Duration>,
    /// Requests that have been given a delay.
    given: AtomicUsize,
    ended: AtomicBool,
    connections: Mutex<Vec<Vec<Hold>>>,
}

/// One request on the server's clock.
#[derive(Debug, Clone, Copy)]
struct Hold {
    /// After it was read.
    received: Instant,
    /// Before its answer was written.
    answered: Instant,
}

/// What the server wrote down.
#[derive(Debug)]
pub struct Held {
    began: Instant,
    ended: Instant,
    connections: Vec<Vec<Hold>>,
}

impl EchoServer {
    /// Starts it on a free port of the loopback interface. Reads are given the delays in turn, over
    /// and over, whatever connection they come by: so many whole rounds of reads have just these
    /// delays, each as often.
    #[must_use]
    pub fn start(delays: &[Duration]) -> Self {
        assert!(!delays.is_empty(), "a delay is needed");
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("a bound socket");
        let shared = Arc::new(Shared {
            began: Instant::now(),
            delays: delays.to_vec(),
            given: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            connections: Mutex::new(Vec::new()),
        });
        let acceptor = {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || accept(&listener, &shared))
        };
        Self { address, shared, acceptor }
    }

    /// Its endpoint in an order.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("tcp://{}", self.address)
    }

    /// Waits until all clients have closed their connections, and ends.
    #[must_use]
    pub fn finish(self) -> Held {
        self.shared.ended.store(true, Ordering::Release);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.address).expect("a listener"));
        for connection in self.acceptor.join().expect("a thread that ends") {
            connection.join().expect("requests that are understood");
        }
        let mut connections = self.shared.connections.lock().expect("no thread is left");
        Held {
            began: self.shared.began,
            ended: Instant::now(),
            connections: std::mem::take(&mut connections),
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) -> Vec<JoinHandle<()>> {
    let mut connections = Vec::new();
    loop {
        let (stream, _) = listener.accept().expect("a connection");
        if shared.ended.load(Ordering::Acquire) {
            return connections;
        }
        let shared = Arc::clone(shared);
        connections.push(std::thread::spawn(move || serve(&stream, &shared)));
    }
}

/// What is to be answered, and when.
enum Work {
    /// At once.
    Greeting(&'static [u8]),
    /// A read, received then, held for so long.
    Read(Instant, Duration),
}

fn serve(stream: &TcpStream, shared: &Shared) {
    stream.set_nodelay(true).expect("a socket");
    let (work, queue) = channel();
    let holds = std::thread::scope(|scope| {
        let answers = scope.spawn(|| answer(stream, queue));
        listen(stream, shared, &work);
        drop(work);
        answers.join().expect("answers that are taken")
    });
    shared.connections.lock().expect("no thread has failed").push(holds);
}

/// Reads requests until the client closes the connection.
fn listen(stream: &TcpStream, shared: &Shared, work: &Sender<Work>) {
    let mut input = BufReader::new(stream);
    while let Some(name) = request(&mut input) {
        let received = Instant::now();
        let next = match name.as_slice() {
            b"GET" => {
                let turn = shared.given.fetch_add(1, Ordering::Relaxed);
                Work::Read(received, shared.delays[turn % shared.delays.len()])
            }
            b"PING" => Work::Greeting(b"+PONG\r\n"),
            b"SELECT" => Work::Greeting(b"+OK\r\n"),
            _ => Work::Greeting(b"-ERR this server knows GET, PING and SELECT\r\n"),
        };
        work.send(next).expect("the thread that answers");
    }
}

/// Answers in order, each when its time has come.
fn answer(mut stream: &TcpStream, queue: Receiver<Work>) -> Vec<Hold> {
    let mut holds = Vec::new();
    for work in queue {
        match work {
            Work::Greeting(text) => stream.write_all(text).expect("a client that reads"),
            Work::Read(received, delay) => {
                std::thread::sleep((received + delay).saturating_duration_since(Instant::now()));
                holds.push(Hold { received, answered: Instant::now() });
                stream.write_all(ANSWER).expect("a client that reads");
            }
        }
    }
    holds
}

/// The name of the next command; none at the end of the connection.
fn request(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let count = header(input, '*')?;
    let mut words = (0..count).map(|_| {
        let length = header(input, '$').expect("an argument");
        let mut word = vec![0; length + 2];
        input.read_exact(&mut word).expect("an argument");
        word.truncate(length);
        word
    });
    let name = words.next().expect("a command has a name");
    words.for_each(drop);
    Some(name)
}

fn header(input: &mut impl BufRead, kind: char) -> Option<usize> {
    let mut line = String::new();
    let length = input.read_line(&mut line).expect("a header");
    if length == 0 {
        return None;
    }
    let number = line.strip_prefix(kind).and_then(|rest| rest.trim_end().parse().ok());
    Some(number.unwrap_or_else(|| panic!("{line:?} where {kind} and a number belong")))
}

fn nanoseconds(from: Instant, to: Instant) -> u64 {
    u64::try_from(to.saturating_duration_since(from).as_nanos()).expect("less than 584 years")
}

impl Held {
    /// When the first read was received.
    #[must_use]
    pub fn first(&self) -> Option<Instant> {
        self.connections.iter().flatten().map(|hold| hold.received).min()
    }

    /// How long each read was held, ns, sorted: from after it was received to before it was
    /// answered. A client that measures from before its request is written to after the answer is
    /// read finds at least as much.
    #[must_use]
    pub fn times(&self) -> Vec<u64> {
        let all = self.connections.iter().flatten();
        sorted(all.map(|hold| nanoseconds(hold.received, hold.answered)).collect())
    }

    /// The most that a client in a closed loop can have found, ns, sorted. A client that keeps
    /// `depth` requests of each connection in flight begins number n of a connection after the
    /// answer to n - depth, and has the answer to n before it sends n + depth. So it finds no more
    /// than lies between these two on the server's clock. The first and the last of each connection
    /// have the server's own start and end there.
    #[must_use]
    pub fn bounds(&self, depth: usize) -> Vec<u64> {
        let of = |holds: &Vec<Hold>| {
            (0..holds.len())
                .map(|n| {
                    let from = n.checked_sub(depth).map_or(self.began, |n| holds[n].answered);
                    let to = holds.get(n + depth).map_or(self.ended, |hold| hold.received);
                    nanoseconds(from, to)
                })
                .collect::<Vec<_>>()
        };
        sorted(self.connections.iter().flat_map(of).collect())
    }
}

fn sorted(mut values: Vec<u64>) -> Vec<u64> {
    values.sort_unstable();
    values
}
