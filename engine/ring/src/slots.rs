//! The sockets of a ring, each kept open until the kernel has nothing more to do with it.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

/// A socket that a ring receives of. Dropped, the socket is shut down in both directions, and the ring
/// forgets it when the kernel is done with it.
#[derive(Debug)]
pub struct Held {
    pub(crate) slot: usize,
    generation: u64,
    socket: Arc<OwnedFd>,
}

impl Held {
    /// The number that its events are told with.
    #[inline]
    #[must_use]
    pub fn slot(&self) -> usize {
        self.slot
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        shut_down(self.socket.as_raw_fd());
    }
}

fn shut_down(socket: RawFd) {
    // SAFETY: a call on a number alone. What it finds wrong with it (not connected any more) is no matter.
    #[allow(unsafe_code)]
    unsafe {
        libc::shutdown(socket, libc::SHUT_RDWR);
    }
}

/// A socket's place in a ring.
#[derive(Debug)]
pub(crate) struct Slot {
    descriptor: RawFd,
    socket: Option<Arc<OwnedFd>>,
    generation: u64,
    pub(crate) owner: usize,
    /// What the kernel sends.
    pub(crate) sending: Vec<u8>,
    /// The kernel receives.
    pub(crate) receiving: bool,
    /// The kernel is to tell when there is room.
    pub(crate) awaits_room: bool,
    /// In which turn of the ring the last send was begun; `u64::MAX` while its rest waits for room.
    pub(crate) sends_since: u64,
    /// Nothing more comes.
    pub(crate) ended: bool,
}

impl Slot {
    #[inline]
    pub(crate) fn descriptor(&self) -> RawFd {
        self.descriptor
    }

    /// Sends no more; that makes what is received end.
    pub(crate) fn give_up(&mut self) {
        self.sends_since = 0;
        if self.socket.is_some() {
            shut_down(self.descriptor);
        }
    }
}

/// All sockets.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    all: Vec<Slot>,
    free: Vec<usize>,
}

impl Slots {
    pub(crate) fn take(&mut self, socket: OwnedFd, owner: usize) -> Held {
        let descriptor = socket.as_raw_fd();
        let socket = Arc::new(socket);
        let slot = self.free.pop().unwrap_or(self.all.len());
        if slot == self.all.len() {
            self.all.push(Slot {
                descriptor,
                socket: None,
                generation: 0,
                owner,
                sending: Vec::new(),
                receiving: false,
                awaits_room: false,
                sends_since: 0,
                ended: false,
            });
        }
        let of = &mut self.all[slot];
        of.generation += 1;
        of.descriptor = descriptor;
        of.socket = Some(Arc::clone(&socket));
        of.owner = owner;
        of.ended = false;
        of.sends_since = 0;
        Held { slot, generation: of.generation, socket }
    }

    #[inline]
    pub(crate) fn of(&mut self, slot: usize) -> &mut Slot {
        &mut self.all[slot]
    }

    /// Whether a socket has not ended.
    #[inline]
    pub(crate) fn has(&self, held: &Held) -> bool {
        let slot = &self.all[held.slot];
        slot.generation == held.generation && !slot.ended
    }

    /// Forgets a socket that has ended, if the kernel is done with it; whether it is.
    pub(crate) fn release(&mut self, slot: usize, turn: u64) -> bool {
        let of = &mut self.all[slot];
        let done = !of.receiving && !of.awaits_room && of.sends_since < turn;
        if done {
            of.socket = None;
            of.generation += 1;
            self.free.push(slot);
        }
        done
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        for slot in &mut self.all {
            // The kernel may still read it.
            std::mem::forget(std::mem::take(&mut slot.sending));
        }
    }
}
