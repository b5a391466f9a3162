//! A way to a server on which something else answers in its place: for what no server here can be
//! brought to say. What is passed on and what is answered is of the wire protocol; whether a server
//! would say it in such a case is not shown by it.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Of a whole answer: what is sent in its place, if anything.
type Instead = dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync;

/// Passes connections on to a server, and answers some requests itself; it ends with this value.
pub struct Interjection {
    address: SocketAddr,
    ended: Arc<AtomicBool>,
}

impl Interjection {
    /// A way to a CQL server where each write that was done is answered with an error.
    ///
    /// So is a statement that makes what is there already: each run wants a keyspace of its own.
    /// `code` and `more` as the protocol's version 4 has them: what follows the message.
    #[must_use]
    pub fn cql(endpoint: &str, code: u32, message: &str, more: &[u8]) -> Self {
        let mut body = code.to_be_bytes().to_vec();
        body.extend(u16::try_from(message.len()).unwrap().to_be_bytes());
        body.extend(message.as_bytes());
        body.extend(more);
        let length = |answer: &[u8]| Some(9 + number(answer.get(5..9)?, u32::from_be_bytes));
        Self::to(endpoint, length, move |answer| {
            // A result that is void.
            let is_done = answer[4] == 8 && answer[9..] == [0, 0, 0, 1];
            let mut error = answer[..4].to_vec();
            error.push(0);
            error.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
            is_done.then(|| [error, body.clone()].concat())
        })
    }

    /// A way to a server of MongoDB's protocol where each write that was done is answered with an
    /// error.
    #[must_use]
    pub fn mongo(endpoint: &str, code: i32, name: &str, message: &str) -> Self {
        let text = |key: &str, value: &str| {
            let length = u32::try_from(value.len() + 1).unwrap().to_le_bytes();
            [&[2], key.as_bytes(), &[0], &length, value.as_bytes(), &[0]].concat()
        };
        let fields = [
            [b"\x01ok\0".as_slice(), &0_f64.to_le_bytes()].concat(),
            text("errmsg", message),
            [b"\x10code\0".as_slice(), &code.to_le_bytes()].concat(),
            text("codeName", name),
            vec![0],
        ]
        .concat();
        let length = |answer: &[u8]| Some(number(answer.get(..4)?, u32::from_le_bytes));
        Self::to(endpoint, length, move |answer| {
            let is_done = answer.windows(3).any(|bytes| bytes == b"\x10n\0");
            let size = u32::try_from(4 + fields.len()).unwrap();
            // No flags, and one document.
            let body = [&[0; 5], size.to_le_bytes().as_slice(), &fields].concat();
            let whole = u32::try_from(16 + body.len()).unwrap().to_le_bytes();
            is_done.then(|| [&whole, &answer[4..16], &body].concat())
        })
    }

    fn to(
        endpoint: &str,
        length: fn(&[u8]) -> Option<usize>,
        instead: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        let server = endpoint.trim_start_matches("tcp://").to_owned();
        // At the server's own address: clients of clusters combine the port with what it tells.
        let host = server.rsplit_once(':').expect("HOST:PORT").0;
        let listener = TcpListener::bind((host, 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let ended = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&ended);
        let instead: Arc<Instead> = Arc::new(instead);
        std::thread::spawn(move || {
            for near in listener.incoming() {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(near), Ok(far)) = (near, TcpStream::connect(&server)) else { continue };
                let (mut near_too, mut far_too) =
                    (near.try_clone().expect("a socket"), far.try_clone().expect("a socket"));
                let instead = Arc::clone(&instead);
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut near_too, &mut far_too);
                    let _ = far_too.shutdown(Shutdown::Both);
                });
                std::thread::spawn(move || answer(&far, &near, length, &*instead));
            }
        });
        Self { address, ended }
    }

    /// Its endpoint in an order.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("tcp://{}", self.address)
    }
}

fn number(bytes: &[u8], of: fn([u8; 4]) -> u32) -> usize {
    of(bytes.try_into().expect("four bytes")) as usize
}

/// Passes answers on, whole ones each, until one side ends.
fn answer(
    mut from: &TcpStream,
    mut to: &TcpStream,
    length: fn(&[u8]) -> Option<usize>,
    instead: &Instead,
) {
    let (mut held, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        held.extend_from_slice(&buffer[..count]);
        while let Some(whole) = length(&held).filter(|&whole| whole <= held.len()) {
            let rest = held.split_off(whole);
            let whole = std::mem::replace(&mut held, rest);
            if to.write_all(&instead(&whole).unwrap_or(whole)).is_err() {
                break;
            }
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

impl Drop for Interjection {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}
