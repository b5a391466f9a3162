//! Exchanges between the driver and a real node: written down on their way, and played again.
//!
//! What is asked goes in frames: version 2, a type, six bytes of length. Questions about the node
//! (type 1) are a name a line, answered by lines of name, tab and value. Operations are messages of
//! another type; a connection carries one at a time.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

const HEADER: usize = 8;
const INFO: u8 = 1;
/// Where the result code of an operation is in its reply.
const RESULT_CODE: usize = 13;

/// What was asked of a node, and what it answered.
#[derive(Debug, Default)]
pub(crate) struct Exchanges {
    /// What the node says of itself, by name.
    facts: BTreeMap<String, String>,
    /// Operations in their order, each with all that came before the next one.
    operations: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Exchanges {
    /// As they stand in a file.
    pub(crate) fn to_json(&self) -> Value {
        let operations = self.operations.iter().map(|(request, reply)| {
            json!({"request": STANDARD.encode(request), "reply": STANDARD.encode(reply)})
        });
        json!({"facts": self.facts, "operations": operations.collect::<Vec<_>>()})
    }

    pub(crate) fn from_json(value: &Value) -> Self {
        let bytes = |text: &Value| STANDARD.decode(text.as_str().unwrap()).unwrap();
        let facts = value["facts"].as_object().unwrap().iter();
        let operations = value["operations"].as_array().unwrap().iter();
        Self {
            facts: facts.map(|(k, v)| (k.clone(), v.as_str().unwrap().to_owned())).collect(),
            operations: operations
                .map(|one| (bytes(&one["request"]), bytes(&one["reply"])))
                .collect(),
        }
    }

    /// What the node said to a question.
    pub(crate) fn fact(&self, name: &str) -> &str {
        &self.facts[name]
    }

    /// What was asked, in its order.
    pub(crate) fn requests(&self) -> Vec<&[u8]> {
        self.operations.iter().map(|(request, _)| request.as_slice()).collect()
    }
}

/// A frame with its header; none at the end.
fn frame(mut from: &TcpStream) -> Option<Vec<u8>> {
    let mut bytes = vec![0; HEADER];
    from.read_exact(&mut bytes).ok()?;
    let length = bytes[2..].iter().fold(0, |sum, &byte| (sum << 8) | usize::from(byte));
    bytes.resize(HEADER + length, 0);
    from.read_exact(&mut bytes[HEADER..]).ok()?;
    Some(bytes)
}

/// The name that a question goes by: how the client calls itself is not part of it.
fn name_of(question: &str) -> &str {
    question.split(':').next().unwrap_or_default()
}

/// A way to a node that writes down what passes.
pub(crate) struct Recorder {
    address: SocketAddr,
    written: Arc<Mutex<Exchanges>>,
}

impl Recorder {
    /// To a node on a port of the loopback interface.
    pub(crate) fn to(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let written = Arc::new(Mutex::new(Exchanges::default()));
        let all = Arc::clone(&written);
        std::thread::spawn(move || {
            for near in listener.incoming() {
                let near = near.unwrap();
                let far = TcpStream::connect(("127.0.0.1", port)).unwrap();
                let all = Arc::clone(&all);
                std::thread::spawn(move || record(&near, &far, &all));
            }
        });
        Self { address, written }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("tcp://{}", self.address)
    }

    /// What passed so far.
    pub(crate) fn written(&self) -> Exchanges {
        std::mem::take(&mut *self.written.lock().unwrap())
    }
}

/// Passes a connection on. An operation may be answered in several frames; the last one of a batch
/// says so, and others have one.
fn record(mut near: &TcpStream, mut far: &TcpStream, all: &Mutex<Exchanges>) {
    while let Some(request) = frame(near) {
        if far.write_all(&request).is_err() {
            break;
        }
        let Some(mut reply) = frame(far) else { break };
        if request[1] == INFO {
            let text = String::from_utf8(reply[HEADER..].to_vec()).unwrap();
            let lines = text.lines().filter_map(|line| line.split_once('\t'));
            let mut all = all.lock().unwrap();
            for (name, value) in lines {
                all.facts.insert(name_of(name).to_owned(), value.to_owned());
            }
        } else {
            while is_of_batch(&request) && !is_last(&reply) {
                reply.extend(frame(far).unwrap());
            }
            all.lock().unwrap().operations.push((request, reply.clone()));
        }
        if near.write_all(&reply).is_err() {
            break;
        }
    }
    let _ = near.shutdown(Shutdown::Both);
    let _ = far.shutdown(Shutdown::Both);
}

/// The first byte of flags after the length of the message's header has one for batches.
fn is_of_batch(request: &[u8]) -> bool {
    request[HEADER + 1] & 8 != 0
}

/// Whether the last message of these frames, which has no more than a header of 22 bytes, is marked
/// as the last one.
fn is_last(reply: &[u8]) -> bool {
    reply.len() >= 22 && reply[reply.len() - 22] == 22 && reply[reply.len() - 19] & 1 != 0
}

/// What is wrong with the replies to operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Damage {
    None,
    /// The last byte is another one.
    Altered,
    /// The connection ends within the reply.
    Cut,
    /// There is none.
    Silence,
    /// The server says this code instead.
    Code(u8),
}

/// A little server that answers what a node answered to the same request.
pub(crate) struct Player {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    facts: BTreeMap<String, String>,
    /// Replies to a request, in their order.
    replies: Mutex<HashMap<Vec<u8>, VecDeque<Vec<u8>>>>,
    damage: Mutex<Damage>,
    unknown: AtomicBool,
}

impl Player {
    pub(crate) fn of(exchanges: Exchanges) -> Self {
        let mut replies: HashMap<_, VecDeque<_>> = HashMap::new();
        for (request, reply) in exchanges.operations {
            replies.entry(request).or_default().push_back(reply);
        }
        let shared = Arc::new(Shared {
            facts: exchanges.facts,
            replies: Mutex::new(replies),
            damage: Mutex::new(Damage::None),
            unknown: AtomicBool::new(false),
        });
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let all = Arc::clone(&shared);
        std::thread::spawn(move || {
            for near in listener.incoming() {
                let near = near.unwrap();
                let shared = Arc::clone(&all);
                std::thread::spawn(move || play(&near, &shared));
            }
        });
        Self { address, shared }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("tcp://{}", self.address)
    }

    /// From now on all replies to operations are so. A damaged reply stays to be given again.
    pub(crate) fn set(&self, damage: Damage) {
        *self.shared.damage.lock().unwrap() = damage;
    }

    /// Operations that were recorded and not asked for; none when one was asked that was not
    /// recorded.
    pub(crate) fn left(&self) -> Option<usize> {
        let left = self.shared.replies.lock().unwrap().values().map(VecDeque::len).sum();
        (!self.shared.unknown.load(Ordering::SeqCst)).then_some(left)
    }
}

fn play(mut near: &TcpStream, shared: &Shared) {
    while let Some(request) = frame(near) {
        let sent = if request[1] == INFO {
            near.write_all(&told(&request, &shared.facts))
        } else {
            let damage = *shared.damage.lock().unwrap();
            let mut replies = shared.replies.lock().unwrap();
            let Some(mut reply) = replies.get(&request).and_then(|all| all.front()).cloned() else {
                shared.unknown.store(true, Ordering::SeqCst);
                break;
            };
            let last = reply.len() - 1;
            match damage {
                Damage::None => {
                    replies.get_mut(&request).unwrap().pop_front();
                }
                Damage::Altered => reply[last] ^= 1,
                Damage::Cut => {
                    let _ = near.write_all(&reply[..last]);
                    break;
                }
                Damage::Silence => continue,
                Damage::Code(code) => reply[RESULT_CODE] = code,
            }
            near.write_all(&reply)
        };
        if sent.is_err() {
            break;
        }
    }
    let _ = near.shutdown(Shutdown::Both);
}

/// The answer to questions about the node.
fn told(request: &[u8], facts: &BTreeMap<String, String>) -> Vec<u8> {
    let mut text = String::new();
    for name in std::str::from_utf8(&request[HEADER..]).unwrap().lines() {
        let value = facts.get(name_of(name)).map(String::as_str).unwrap_or_default();
        text.extend([name, "\t", value, "\n"]);
    }
    let mut answer = (text.len() as u64).to_be_bytes().to_vec();
    answer[..2].copy_from_slice(&[2, INFO]);
    answer.extend(text.into_bytes());
    answer
}
