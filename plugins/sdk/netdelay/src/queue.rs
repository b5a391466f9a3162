//! A packet queue of the kernel's.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, netlink, socket_with, sockopt};

use crate::wire::{self, Said};

/// Room for what the kernel tells while this program does not read.
const RECEIVED_BYTES: usize = 8 << 20;
/// More than the kernel puts into one datagram without a packet's contents.
const DATAGRAM_BYTES: usize = 64 << 10;
const TRIES: u16 = 64;
/// Numbers below are left to what people number by hand.
const FIRST: u16 = 1_024;

/// A queue of packets that wait until they are let go on. When it is dropped, so are they, and
/// what a rule with `--queue-bypass` sends to it passes.
pub(crate) struct Queue {
    socket: OwnedFd,
    number: u16,
    buffer: Vec<u8>,
}

impl Queue {
    /// Takes a free queue, looking from `from` on; of more than `longest` packets that wait, the
    /// kernel drops the last.
    ///
    /// # Errors
    ///
    /// When the kernel has no queues, or this process may not have one.
    pub(crate) fn take(from: u16, longest: u32) -> io::Result<Self> {
        let kind = netlink::NETFILTER;
        let flags = SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, Some(kind))?;
        // Without the right to more it stays as it is, which does for less traffic.
        let _ = sockopt::set_socket_recv_buffer_size_force(&socket, RECEIVED_BYTES);
        let mut queue = Self { socket, number: 0, buffer: vec![0; DATAGRAM_BYTES] };
        let mut refused = io::Error::from(io::ErrorKind::AddrInUse);
        for step in 0..TRIES {
            queue.number = FIRST + from.wrapping_add(step) % (u16::MAX - FIRST);
            match queue.ask(&wire::bind(queue.number)) {
                Ok(()) => {
                    queue.ask(&wire::configure(queue.number, longest))?;
                    return Ok(queue);
                }
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// What `--queue-num` has to say.
    pub(crate) fn number(&self) -> u16 {
        self.number
    }

    /// Waits until the kernel has said something; returns the numbers of packets that wait.
    ///
    /// # Errors
    ///
    /// Of the socket.
    pub(crate) fn read(&mut self) -> io::Result<Vec<u32>> {
        let said = self.hear()?;
        let packets = said.into_iter().filter_map(|one| match one {
            Said::Packet(id) => Some(id),
            // A verdict on packets that are gone already is none.
            Said::Answer(_) => None,
        });
        Ok(packets.collect())
    }

    /// Lets a packet go on, and all before it.
    ///
    /// # Errors
    ///
    /// Of the socket.
    pub(crate) fn accept_up_to(&self, packet: u32) -> io::Result<()> {
        rustix::io::write(&self.socket, &wire::accept_up_to(self.number, packet))?;
        Ok(())
    }

    fn hear(&mut self) -> io::Result<Vec<Said>> {
        match rustix::io::read(&self.socket, self.buffer.as_mut_slice()) {
            Ok(length) => Ok(wire::read(&self.buffer[..length])),
            // The kernel had more to tell than there was room for, and dropped those packets.
            Err(Errno::NOBUFS | Errno::INTR) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    fn ask(&mut self, request: &[u8]) -> io::Result<()> {
        rustix::io::write(&self.socket, request)?;
        loop {
            for one in self.hear()? {
                match one {
                    Said::Answer(0) => return Ok(()),
                    Said::Answer(code) => return Err(io::Error::from_raw_os_error(code)),
                    Said::Packet(_) => {}
                }
            }
        }
    }
}

impl AsFd for Queue {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
