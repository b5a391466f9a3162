//! A connection with TLS: requests out, replies in.

use std::io::ErrorKind as IoError;

use weighhouse_driver_api::{Codec, ErrorKind};

use super::desk::Desk;
use super::link::{Link, Lost, stamp};
use super::state::State;

impl<C: Codec> Link<C> {
    /// [`Link::receive`] with TLS.
    #[inline(never)]
    pub(super) fn receive_secure(
        &mut self,
        desk: &mut Desk<C>,
        input: &mut [u8],
    ) -> Result<(), Lost> {
        loop {
            let State::Secure(secure) = &mut self.state else { return Ok(()) };
            let count = match secure.read(input) {
                Ok(0) => return Err(Lost(ErrorKind::Connection)),
                Ok(count) => count,
                Err(error) if error.kind() == IoError::WouldBlock => {
                    return self.flush_secure(desk);
                }
                Err(error) if error.kind() == IoError::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            self.answer(desk, &input[..count])?;
        }
    }

    /// [`Link::flush`] with TLS, which may have something of its own to say.
    #[inline(never)]
    pub(super) fn flush_secure(&mut self, desk: &mut Desk<C>) -> Result<(), Lost> {
        let State::Secure(secure) = &mut self.state else { return Ok(()) };
        if self.unstamped > 0 {
            desk.now = desk.clock.now();
            stamp(&mut self.pending, std::mem::take(&mut self.unstamped), desk);
        }
        loop {
            let (count, more) = secure.write(&self.out[self.written..])?;
            self.written += count;
            if self.written == self.out.len() {
                desk.book.recorder().wire.sent += self.out.len() as u64;
                self.out.clear();
                self.written = 0;
                return Ok(());
            }
            if !more {
                return Ok(());
            }
        }
    }
}
