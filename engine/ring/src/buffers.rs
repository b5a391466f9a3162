//! Buffers that the kernel fills: it takes one when bytes have come, and gets it back when they are
//! read.

use std::alloc::{Layout, alloc_zeroed};
use std::io;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::types::BufRingEntry;

/// Bytes of a buffer, and so the most that is received at once.
pub const BUFFER_BYTES: usize = 64 << 10;

const PAGE: usize = 4096;

/// Bytes that were received, in a buffer that is the kernel's again once it is given back.
#[derive(Debug)]
pub struct Filled {
    at: NonNull<u8>,
    length: usize,
    number: u16,
}

// SAFETY: the pointer is to memory that is never freed and that nobody else uses while this exists.
#[allow(unsafe_code)]
unsafe impl Send for Filled {}

impl Deref for Filled {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the kernel wrote `length` bytes there and writes no more until the buffer is given
        // back, which consumes `self`; the memory is never freed.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts(self.at.as_ptr(), self.length)
        }
    }
}

/// The buffers of a ring, and the queue by which they go to the kernel. Their memory is never freed:
/// what the kernel still has to do with a ring that is closed happens after that.
#[derive(Debug)]
pub(crate) struct Buffers {
    memory: NonNull<u8>,
    entries: NonNull<BufRingEntry>,
    /// How many there are, a power of two.
    count: u16,
    tail: u16,
}

// SAFETY: the pointers are to memory that is never freed, and what is done by them wants `&mut self`.
#[allow(unsafe_code)]
unsafe impl Send for Buffers {}

impl Buffers {
    /// `count`: a power of two.
    pub(crate) fn new(count: u16) -> io::Result<Self> {
        let mut buffers = Self {
            memory: pages(usize::from(count) * BUFFER_BYTES)?,
            entries: pages(usize::from(count) * size_of::<BufRingEntry>())?.cast(),
            count,
            tail: 0,
        };
        for number in 0..count {
            buffers.give(buffers.at(number), number);
        }
        Ok(buffers)
    }

    /// Where the queue is, and how long.
    pub(crate) fn queue(&self) -> (u64, u16) {
        (self.entries.as_ptr() as u64, self.count)
    }

    #[inline]
    fn at(&self, number: u16) -> NonNull<u8> {
        // SAFETY: the memory has `count` buffers, and of a power of two the masked number is below it.
        #[allow(unsafe_code)]
        unsafe {
            self.memory.add(usize::from(number & (self.count - 1)) * BUFFER_BYTES)
        }
    }

    /// What the kernel says it has put into a buffer.
    ///
    /// # Safety
    /// The kernel must have said so, and only once since the buffer was given to it.
    #[inline]
    #[allow(unsafe_code)]
    pub(crate) unsafe fn filled(&self, number: u16, length: usize) -> Filled {
        Filled { at: self.at(number), length, number }
    }

    /// The kernel may fill it again. One of another ring is left alone: its number means another here.
    #[inline]
    #[allow(clippy::needless_pass_by_value)] // it is given back
    pub(crate) fn recycle(&mut self, filled: Filled) {
        let own = self.memory.as_ptr().wrapping_add(usize::from(filled.number) * BUFFER_BYTES);
        if own == filled.at.as_ptr() {
            self.give(filled.at, filled.number);
        }
    }

    #[inline]
    fn give(&mut self, at: NonNull<u8>, number: u16) {
        let place = usize::from(self.tail & (self.count - 1));
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: `place` is below `count`, the length of the queue. The kernel reads an entry only
        // after the store of the tail below. The tail is where the first entry's reserved field is, as
        // the interface has it, aligned to two bytes.
        #[allow(unsafe_code)]
        unsafe {
            let entry = self.entries.add(place).as_mut();
            entry.set_addr(at.as_ptr() as u64);
            #[allow(clippy::cast_possible_truncation)] // 65536
            entry.set_len(BUFFER_BYTES as u32);
            entry.set_bid(number);
            let tail = BufRingEntry::tail(self.entries.as_ptr()).cast_mut();
            AtomicU16::from_ptr(tail).store(self.tail, Ordering::Release);
        }
    }
}

/// Memory of its own, at a page's begin, all zero.
fn pages(bytes: usize) -> io::Result<NonNull<u8>> {
    let layout = Layout::from_size_align(bytes.max(PAGE), PAGE).map_err(io::Error::other)?;
    // SAFETY: the layout is not empty.
    #[allow(unsafe_code)]
    let memory = unsafe { alloc_zeroed(layout) };
    NonNull::new(memory).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}
