//! A way to a server on which answers can get lost.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::server::Server;

/// Passes connections on to a server; it ends with this value.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Connections before this one get no answers any more.
    silent: AtomicUsize,
    ended: AtomicBool,
}

impl Proxy {
    /// A way to a server.
    #[must_use]
    pub fn to(server: &Server) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared::default());
        let (seen, port) = (Arc::clone(&shared), server.port());
        std::thread::spawn(move || {
            for (index, near) in listener.incoming().enumerate() {
                if seen.ended.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(near) = near else { return };
                // Without a server the connection ends at once.
                let Ok(far) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let (near_too, far_too) =
                    (near.try_clone().expect("a socket"), far.try_clone().expect("a socket"));
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || pass(&near, &far, || true));
                std::thread::spawn(move || {
                    pass(&far_too, &near_too, || index >= seen.silent.load(Ordering::SeqCst));
                });
            }
        });
        Self { address, shared }
    }

    /// Its endpoint in an order.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("tcp://{}", self.address)
    }

    /// From now on the first so many connections stay open, and no answer passes.
    pub fn silence(&self, connections: usize) {
        self.shared.silent.store(connections, Ordering::SeqCst);
    }
}

/// Passes bytes on, or drops them, until one side ends.
fn pass(mut from: &TcpStream, mut to: &TcpStream, passes: impl Fn() -> bool) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if passes() && to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}
