//! Making requests of steps: keys, fields and values.

use std::sync::Arc;

use weighhouse_driver_api::{
    Fields, Keys, Operation, Outcome, Payload, Request, ValueSource, Verifier,
};

use crate::order::{Order, Workload};
use crate::supply::Supply;
use crate::workload::{KeyMaker, Step, is_nowhere};

/// Makes requests. One for each thread, for its buffers.
#[derive(Debug)]
pub(crate) struct Composer {
    keys: KeyMaker,
    values: Arc<ValueSource>,
    key: Vec<u8>,
    more_keys: Keys,
    /// Keys of a read beyond the first.
    further: u16,
}

impl Composer {
    pub(crate) fn new(workload: &Workload, values: Arc<ValueSource>) -> Self {
        Self {
            keys: KeyMaker::new(workload),
            values,
            key: Vec::new(),
            more_keys: Keys::NONE,
            further: workload.keys_per_read - 1,
        }
    }

    /// The request of a read.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(crate) fn read(&mut self, number: u64, fields: Fields, supply: &mut Supply) -> Request<'_> {
        if self.further > 0 {
            self.draw_further(Operation::Read, supply);
        }
        self.keys.write(number, &mut self.key);
        Request {
            operation: Operation::Read,
            key: &self.key,
            more_keys: &self.more_keys,
            scan_length: 0,
            fields,
            payload: Payload::new(&self.values, number, 0),
        }
    }

    /// The request of any step; of a read-modify-write its read.
    pub(crate) fn request(&mut self, step: &Step, supply: &mut Supply) -> Request<'_> {
        let operation = first_part(step.operation);
        let version = if operation.writes() { supply.version() } else { 0 };
        if self.further > 0 {
            self.draw_further(operation, supply);
        }
        self.keys.write(step.number, &mut self.key);
        Request {
            operation,
            key: &self.key,
            more_keys: &self.more_keys,
            scan_length: step.scan_length(),
            fields: step.fields,
            payload: Payload::new(&self.values, step.number, version),
        }
    }

    /// The key of the request that was made last.
    pub(crate) fn key(&self) -> &[u8] {
        &self.key
    }

    /// A request of one record that no step of its own stands for: the update that ends a
    /// read-modify-write, the fill of what was missing, or what is asked once more elsewhere.
    pub(crate) fn single(
        &mut self,
        operation: Operation,
        number: u64,
        fields: Fields,
        supply: &mut Supply,
    ) -> Request<'_> {
        let version = if operation.writes() { supply.version() } else { 0 };
        self.more_keys.clear();
        self.keys.write(number, &mut self.key);
        Request {
            operation,
            key: &self.key,
            more_keys: &self.more_keys,
            scan_length: 0,
            fields,
            payload: Payload::new(&self.values, number, version),
        }
    }

    #[inline(never)]
    fn draw_further(&mut self, operation: Operation, supply: &mut Supply) {
        self.more_keys.clear();
        if operation == Operation::Read {
            for _ in 0..self.further {
                self.keys.write(supply.another(), &mut self.key);
                self.more_keys.push(&self.key);
            }
        }
    }

    /// Checks values of a record.
    pub(crate) fn verifier(&self, number: u64) -> Verifier<'_> {
        Verifier::new(&self.values, number)
    }
}

/// Whether a step that came to an outcome is followed by a fill: a read found nothing of a record that
/// the backing store has.
pub(crate) fn fills(order: &Order, step: &Step, found: Outcome) -> bool {
    order.workload.fill_on_miss
        && step.operation == Operation::Read
        && found == Outcome::NotFound
        && !is_nowhere(step.number)
}

/// What a driver is asked for first.
#[inline]
pub(crate) fn first_part(operation: Operation) -> Operation {
    if operation == Operation::ReadModifyWrite { Operation::Read } else { operation }
}
