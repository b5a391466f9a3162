//! Connections that speak TLS.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::TcpStream;

use rustls::{ClientConnection, Stream};

use super::super::endpoint::Socket;
use super::options::Tls;

/// Bytes taken from a socket at once.
const RAW_BYTES: usize = 32 << 10;

/// A connection with TLS on a socket that does not block.
#[derive(Debug)]
pub(in crate::net) struct Secure {
    pub(in crate::net) socket: Socket,
    connection: ClientConnection,
    /// What came over the socket; it is decrypted from `at` to `filled`.
    raw: Vec<u8>,
    at: usize,
    filled: usize,
    /// The last read did not fill the buffer: there is nothing more in the socket.
    drained: bool,
}

impl Secure {
    /// Begins a handshake over a socket that is connected.
    pub(in crate::net) fn begin(socket: Socket, tls: &Tls) -> io::Result<Self> {
        let connection = tls.connection().map_err(io::Error::other)?;
        Ok(Self::over(socket, connection))
    }

    fn over(socket: Socket, connection: ClientConnection) -> Self {
        Self { socket, connection, raw: vec![0; RAW_BYTES], at: 0, filled: 0, drained: false }
    }

    /// Whether requests can go out.
    pub(in crate::net) fn is_ready(&self) -> bool {
        !self.connection.is_handshaking()
    }

    /// Reads what was decrypted, decrypts what has come; 0 at the end.
    pub(in crate::net) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.connection.reader().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                other => return other,
            }
            if self.at == self.filled {
                if std::mem::take(&mut self.drained) {
                    return Err(ErrorKind::WouldBlock.into());
                }
                self.filled = 0;
                self.at = 0;
                self.filled = self.socket.read(&mut self.raw)?;
                self.drained = self.filled < self.raw.len();
                if self.filled == 0 {
                    return Ok(0);
                }
            }
            let mut coming = &self.raw[self.at..self.filled];
            self.at += self.connection.read_tls(&mut coming)?;
            if let Err(error) = self.connection.process_new_packets() {
                // The server is told why, if it still listens.
                let _ = self.push();
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        }
    }

    /// Encrypts and sends; how much was taken, and false when the socket takes no more.
    pub(in crate::net) fn write(&mut self, bytes: &[u8]) -> io::Result<(usize, bool)> {
        let count = if bytes.is_empty() { 0 } else { self.connection.writer().write(bytes)? };
        let more = self.push()?;
        Ok((count, more && (count > 0 || self.is_ready())))
    }

    /// Sends what is encrypted; false when the socket takes no more.
    fn push(&mut self) -> io::Result<bool> {
        while self.connection.wants_write() {
            match self.connection.write_tls(&mut Outgoing(&self.socket)) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}

/// The way out for what is encrypted.
struct Outgoing<'a>(&'a Socket);

impl Write for Outgoing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.write_vectored(parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A connection with TLS on a socket that still blocks.
#[derive(Debug)]
pub(in crate::net) struct BlockingSecure {
    stream: TcpStream,
    connection: ClientConnection,
}

impl BlockingSecure {
    /// Shakes hands.
    pub(in crate::net) fn over(mut stream: TcpStream, tls: &Tls) -> io::Result<Self> {
        let mut connection = tls.connection().map_err(io::Error::other)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut stream)?;
        }
        Ok(Self { stream, connection })
    }

    fn plain(&mut self) -> Stream<'_, ClientConnection, TcpStream> {
        Stream::new(&mut self.connection, &mut self.stream)
    }

    pub(in crate::net) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.plain().read(buffer)
    }

    pub(in crate::net) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.plain().write_all(bytes)?;
        self.plain().flush()
    }

    /// Blocks no longer.
    pub(in crate::net) fn release(self) -> io::Result<Box<Secure>> {
        self.stream.set_nonblocking(true)?;
        let socket = Socket::Tcp(mio::net::TcpStream::from_std(self.stream));
        Ok(Box::new(Secure::over(socket, self.connection)))
    }
}
