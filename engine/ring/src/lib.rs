//! Connections over `io_uring`: what is received of them and what is sent, with one system call for all
//! that a turn of a loop has to say and to wait for.
//!
//! A [`Ring`] receives of each attached socket until it ends; what has come lies in buffers of the ring
//! ([`Filled`]), which are given back when they are read. A send takes its bytes along, never waits, and
//! says nothing when all of them are taken: it is over once its entry is consumed. Of what a socket does
//! not take, the ring keeps the rest until there is room.

mod buffers;
mod slots;

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use io_uring::types::{Fd, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};

use buffers::Buffers;
pub use buffers::{BUFFER_BYTES, Filled};
pub use slots::Held;
use slots::{Slot, Slots};

/// Entries of the queue to the kernel; when it is full, what is in it is submitted.
const ENTRIES: u32 = 256;
/// Entries of the queue from the kernel, at least.
const COMPLETIONS: u32 = 4096;
const FEWEST_BUFFERS: usize = 16;
const MOST_BUFFERS: usize = 256;
const GROUP: u16 = 0;
/// `IORING_ENTER_GETEVENTS` and `IORING_ENTER_EXT_ARG`.
const GET_EVENTS: u32 = 1;
const EXTENDED: u32 = 8;

const RECEIVE: u64 = 0;
const SEND: u64 = 1;
const ROOM: u64 = 2;
const WATCH: u64 = 3;
const KINDS: u32 = 2;
const KIND: u64 = (1 << KINDS) - 1;
const OWNER: u32 = 32;
const SLOTS: u64 = (1 << OWNER) - 1 - KIND;

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// Bytes have come.
    Received(Filled),
    /// Nothing more will come: the other side has closed, or an error.
    Ended(Option<io::Error>),
    /// A send that was refused for its predecessor would be taken now.
    Room,
    /// The watched descriptor can be read. It is watched again after [`Ring::watch`].
    Watched,
}

/// Something that happened.
#[derive(Debug)]
pub struct Happened {
    /// What the socket was attached with.
    pub owner: usize,
    /// The socket's number, as [`Held::slot`]; another's once this one has ended.
    pub slot: usize,
    /// What it was.
    pub event: Event,
}

/// Bytes of a socket.
#[derive(Debug)]
pub struct Received {
    /// As [`Happened::owner`].
    pub owner: usize,
    /// As [`Happened::slot`].
    pub slot: usize,
    /// The bytes.
    pub filled: Filled,
}

/// Something else than bytes, for [`Ring::other`].
pub struct Completion(cqueue::Entry);

/// Connections over `io_uring`, for one thread: the one that calls [`Ring::enable`].
pub struct Ring {
    queues: IoUring,
    buffers: Buffers,
    slots: Slots,
    /// How often the queue to the kernel was emptied by a wait.
    turn: u64,
    /// Sockets of which a send was refused.
    asked: Vec<usize>,
    /// Sockets that have ended.
    leaving: Vec<usize>,
    watched: RawFd,
}

impl std::fmt::Debug for Ring {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Ring").field("turn", &self.turn).finish_non_exhaustive()
    }
}

/// What completions are told with: a kind, the number of a socket, and whose it is.
fn key(kind: u64, slot: usize, owner: usize) -> u64 {
    (owner as u64) << OWNER | ((slot as u64) << KINDS) & SLOTS | kind
}

#[inline]
fn slot_of(key: u64) -> usize {
    ((key & SLOTS) >> KINDS) as usize
}

#[inline]
fn owner_of(key: u64) -> usize {
    (key >> OWNER) as usize
}

impl Ring {
    /// A ring for about so many connections; [`Ring::enable`] follows on the thread that uses it.
    ///
    /// # Errors
    /// When the kernel does not have it (before 6.1) or refuses it.
    pub fn new(connections: usize) -> io::Result<Self> {
        let queues: IoUring = IoUring::builder()
            .setup_r_disabled()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_coop_taskrun()
            .setup_taskrun_flag()
            .setup_submit_all()
            .setup_cqsize(COMPLETIONS.max(u32::try_from(4 * connections).unwrap_or(u32::MAX)))
            .setup_clamp()
            .build(ENTRIES)?;
        let found = queues.params();
        let needed = found.is_feature_ext_arg() && found.is_feature_nodrop();
        if !(needed && found.is_feature_skip_cqe_on_success()) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let count = (2 * connections).next_power_of_two().clamp(FEWEST_BUFFERS, MOST_BUFFERS);
        let buffers = Buffers::new(u16::try_from(count).unwrap_or(u16::MAX))?;
        let (queue, length) = buffers.queue();
        // SAFETY: the queue is never freed, and its entries are of memory that is never freed.
        #[allow(unsafe_code)]
        unsafe {
            queues.submitter().register_buf_ring_with_flags(queue, length, GROUP, 0)?;
        }
        Ok(Self {
            queues,
            buffers,
            slots: Slots::default(),
            turn: 1,
            asked: Vec::new(),
            leaving: Vec::new(),
            watched: -1,
        })
    }

    /// From now on it is the calling thread's.
    ///
    /// # Errors
    /// When the kernel refuses it.
    pub fn enable(&mut self) -> io::Result<()> {
        self.queues.submitter().register_enable_rings()
    }

    /// Receives of a connected socket from now on, until it ends or what is returned is dropped.
    ///
    /// `owner`: what its events are told with.
    ///
    /// # Errors
    /// When the kernel takes no more.
    pub fn attach(&mut self, socket: OwnedFd, owner: usize) -> io::Result<Held> {
        let held = self.slots.take(socket, owner);
        self.receive(held.slot)?;
        Ok(held)
    }

    /// Tells once when a descriptor can be read, which stays open as long as the ring.
    ///
    /// # Errors
    /// When the kernel takes no more.
    pub fn watch(&mut self, descriptor: BorrowedFd<'_>) -> io::Result<()> {
        self.watched = descriptor.as_raw_fd();
        let readable = opcode::PollAdd::new(Fd(self.watched), libc::POLLIN as u32).build();
        self.push(&readable.user_data(key(WATCH, 0, 0)))
    }

    fn receive(&mut self, slot: usize) -> io::Result<()> {
        let of = self.slots.of(slot);
        of.receiving = true;
        let (fd, owner) = (of.descriptor(), of.owner);
        let receive = opcode::RecvMulti::new(Fd(fd), GROUP).build();
        self.push(&receive.user_data(key(RECEIVE, slot, owner)))
    }

    /// Takes bytes along to be sent, and leaves an empty buffer; false, with nothing taken, when what was
    /// sent before has not gone out. [`Event::Room`] tells when it has.
    ///
    /// # Errors
    /// When the kernel takes no more.
    #[inline]
    pub fn send(&mut self, held: &Held, bytes: &mut Vec<u8>) -> io::Result<bool> {
        if self.slots.has(held) {
            return self.send_at(held.slot, bytes);
        }
        bytes.clear();
        Ok(true)
    }

    /// The same over the socket that has this number, of which bytes were received just now.
    ///
    /// # Errors
    /// As [`Ring::send`].
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub fn send_at(&mut self, number: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let slot = self.slots.of(number);
        if slot.sends_since >= self.turn {
            self.refuse(number);
            return Ok(false);
        }
        slot.sending.clear();
        std::mem::swap(&mut slot.sending, bytes);
        slot.sends_since = self.turn;
        let send = sending(slot, number);
        self.push(&send)?;
        Ok(true)
    }

    #[cold]
    #[inline(never)]
    fn refuse(&mut self, slot: usize) {
        if !self.asked.contains(&slot) {
            self.asked.push(slot);
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        // SAFETY: an entry is of a descriptor that its slot or the caller of `watch` keeps open, and its
        // bytes are the slot's, which neither change nor move before a wait has emptied the queue: the
        // kernel does not keep a send that must not wait. Of a ring that is dropped before, they are
        // never freed.
        #[allow(unsafe_code)]
        if unsafe { self.queues.submission().push(entry) }.is_ok() {
            return Ok(());
        }
        self.push_after_all(entry)
    }

    #[cold]
    #[inline(never)]
    fn push_after_all(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        self.queues.submit()?;
        // SAFETY: as in `push`.
        #[allow(unsafe_code)]
        unsafe { self.queues.submission().push(entry) }.map_err(io::Error::other)
    }

    /// Hands all that is to be sent to the kernel, and waits until something happens, at most so long.
    ///
    /// # Errors
    /// When the kernel refuses to.
    #[inline]
    pub fn wait(&mut self, most: Duration) -> io::Result<()> {
        if most.is_zero() {
            let queue = self.queues.submission();
            if queue.is_empty() && !queue.taskrun() && !queue.cq_overflow() {
                return Ok(());
            }
        }
        let at_once = most.is_zero() || (!self.asked.is_empty() && self.frees());
        let want = usize::from(!at_once);
        let most = Timespec::new().sec(most.as_secs()).nsec(most.subsec_nanos());
        let waited = self.enter(want, &SubmitArgs::new().timespec(&most));
        if self.queues.submission().is_empty() {
            self.turn += 1;
        }
        match waited {
            Err(error) => passing(error),
            Ok(_) => Ok(()),
        }
    }

    #[inline]
    fn enter(&mut self, want: usize, most: &SubmitArgs<'_, '_>) -> io::Result<usize> {
        let length = self.queues.submission().len();
        #[allow(clippy::cast_possible_truncation)] // of a queue that counts by 32 bits
        let (length, want) = (length as u32, want as u32);
        // SAFETY: what is in the queue is as `push` has it, and the argument is what the flag says.
        #[allow(unsafe_code)]
        unsafe {
            self.queues.submitter().enter(length, want, GET_EVENTS | EXTENDED, Some(most))
        }
    }

    /// Whether what is in the queue was asked for: it is over once it is submitted, and says nothing.
    #[cold]
    #[inline(never)]
    fn frees(&mut self) -> bool {
        self.asked.iter().any(|&slot| self.slots.of(slot).sends_since == self.turn)
    }

    /// Bytes, if they are what comes next, as nearly always; else what is to be told of by [`Ring::other`].
    ///
    /// # Errors
    /// With whatever else comes next; None: nothing.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub fn received(&mut self) -> Result<Received, Option<Completion>> {
        let Some(entry) = self.queues.completion().next() else { return Err(None) };
        let (key, result, flags) = (entry.user_data(), entry.result(), entry.flags());
        if key & KIND == RECEIVE
            && result > 0
            && cqueue::more(flags)
            && let Some(number) = cqueue::buffer_select(flags)
        {
            // SAFETY: the kernel says so, with a completion that is taken once.
            #[allow(unsafe_code)]
            let filled = unsafe { self.buffers.filled(number, result.unsigned_abs() as usize) };
            return Ok(Received { owner: owner_of(key), slot: slot_of(key), filled });
        }
        Err(Some(Completion(entry)))
    }

    /// What a completion tells, if anything; without one, whose send was refused and would be taken now.
    #[inline]
    pub fn other(&mut self, completion: Option<Completion>) -> Option<Happened> {
        match completion {
            Some(Completion(entry)) => self.rare(&entry),
            None if self.asked.is_empty() && self.leaving.is_empty() => None,
            None => self.settle(),
        }
    }

    /// What happened next.
    #[allow(clippy::should_implement_trait)] // what it gives is given back by `recycle` in between
    pub fn next(&mut self) -> Option<Happened> {
        loop {
            match self.received() {
                Ok(Received { owner, slot, filled }) => {
                    return Some(Happened { owner, slot, event: Event::Received(filled) });
                }
                Err(None) => return self.other(None),
                Err(one) => {
                    if let Some(happened) = self.other(one) {
                        return Some(happened);
                    }
                }
            }
        }
    }

    /// The kernel may fill what was read again.
    #[inline]
    pub fn recycle(&mut self, filled: Filled) {
        self.buffers.recycle(filled);
    }

    #[cold]
    #[inline(never)]
    fn receive_again(&mut self, slot: usize) {
        // It ends by what the kernel then says of the socket, or by the time-out of what is awaited.
        let _ = self.receive(slot);
    }

    /// Of a send that was not taken as a whole: goes on with the rest when there is room. Where the other
    /// side is gone, the receiving tells of it.
    fn send_rest(&mut self, slot: usize, result: i32) {
        let of = self.slots.of(slot);
        if of.ended || (result < 0 && ![-libc::EAGAIN, -libc::EINTR].contains(&result)) {
            of.give_up();
            return;
        }
        of.sending.drain(..usize::try_from(result).unwrap_or(0));
        of.sends_since = u64::MAX;
        of.awaits_room = true;
        let room = opcode::PollAdd::new(Fd(of.descriptor()), libc::POLLOUT as u32).build();
        if self.push(&room.user_data(key(ROOM, slot, 0))).is_err() {
            self.slots.of(slot).awaits_room = false;
            self.slots.of(slot).give_up();
        }
    }

    /// Forgets sockets that the kernel is done with; no completion of theirs is left.
    #[cold]
    #[inline(never)]
    fn settle(&mut self) -> Option<Happened> {
        let Self { slots, turn, asked, leaving, .. } = self;
        leaving.retain(|&slot| !slots.release(slot, *turn));
        let at = asked.iter().position(|&slot| slots.of(slot).sends_since < *turn)?;
        let slot = asked.swap_remove(at);
        let owner = slots.of(slot).owner;
        Some(Happened { owner, slot, event: Event::Room })
    }

    #[cold]
    #[inline(never)]
    fn rare(&mut self, entry: &cqueue::Entry) -> Option<Happened> {
        let slot = slot_of(entry.user_data());
        match (entry.user_data() & KIND, entry.result()) {
            (WATCH, _) => Some(Happened { owner: 0, slot, event: Event::Watched }),
            (SEND, result) => {
                self.send_rest(slot, result);
                None
            }
            (ROOM, _) => {
                let turn = self.turn;
                let of = self.slots.of(slot);
                of.awaits_room = false;
                if of.ended {
                    of.give_up();
                    return None;
                }
                of.sends_since = turn;
                let send = sending(of, slot);
                if self.push(&send).is_err() {
                    self.slots.of(slot).give_up();
                }
                None
            }
            (_, result) if result > 0 => {
                // The last that a receive brings, which is begun anew.
                let filled = cqueue::buffer_select(entry.flags()).map(|number| {
                    // SAFETY: the kernel says so, with a completion that is taken once.
                    #[allow(unsafe_code, clippy::cast_sign_loss)]
                    unsafe {
                        self.buffers.filled(number, result as usize)
                    }
                });
                if !cqueue::more(entry.flags()) {
                    self.receive_again(slot);
                }
                let owner = self.slots.of(slot).owner;
                filled.map(|filled| Happened { owner, slot, event: Event::Received(filled) })
            }
            (_, result) => {
                if [-libc::ENOBUFS, -libc::EINTR, -libc::EAGAIN].contains(&result) {
                    self.receive_again(slot);
                    return None;
                }
                let of = self.slots.of(slot);
                of.receiving = false;
                of.ended = true;
                let owner = of.owner;
                self.asked.retain(|&one| one != slot);
                self.leaving.push(slot);
                let error = (result < 0).then(|| io::Error::from_raw_os_error(-result));
                Some(Happened { owner, slot, event: Event::Ended(error) })
            }
        }
    }
}

#[inline(always)]
#[allow(clippy::inline_always)] // counted by make bench-engine
fn sending(slot: &Slot, number: usize) -> squeue::Entry {
    let bytes = &slot.sending;
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    // A send that takes less than all counts as failed, and so has a completion.
    opcode::Send::new(Fd(slot.descriptor()), bytes.as_ptr(), length)
        .flags(libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
        .build()
        .flags(squeue::Flags::SKIP_SUCCESS)
        .user_data(key(SEND, number, 0))
}

/// What a wait may end with.
#[cold]
fn passing(error: io::Error) -> io::Result<()> {
    match error.raw_os_error() {
        Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN) => Ok(()),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests;
