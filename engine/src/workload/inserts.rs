//! Numbers for new records, and how far they are acknowledged.
//!
//! Shards reserve numbers in blocks, so that inserting touches no line of memory that another shard
//! writes. A key may be read only when it and all before it are acknowledged. That bound moves
//! inside a block by the hand of the shard that owns the block, and hops over blocks that others
//! completed before; it only grows. The number of an insert that failed is given back and used for
//! a later insert, or the bound would stand still before it for ever.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Numbers in a block.
const BLOCK: u64 = 64;

/// What the shards share.
#[derive(Debug)]
pub struct Acknowledged {
    next: AtomicU64,
    bound: AtomicU64,
    /// Blocks complete beyond the bound: start to end.
    complete: Mutex<BTreeMap<u64, u64>>,
}

impl Acknowledged {
    /// All numbers below `first` are there already.
    #[must_use]
    pub fn new(first: u64) -> Self {
        Self {
            next: AtomicU64::new(first),
            bound: AtomicU64::new(first),
            complete: Mutex::default(),
        }
    }

    /// All numbers below this are acknowledged.
    #[must_use]
    #[inline]
    pub fn bound(&self) -> u64 {
        self.bound.load(Ordering::Acquire)
    }

    fn complete(&self, block: &Range<u64>) {
        let mut complete = self.complete.lock().unwrap_or_else(PoisonError::into_inner);
        complete.insert(block.start, block.end);
        let mut bound = self.bound();
        while let Some(first) = complete.first_entry() {
            if *first.key() > bound {
                break;
            }
            bound = bound.max(first.remove());
        }
        self.bound.fetch_max(bound, Ordering::Release);
    }

    /// The owner of a block acknowledged all of it below `to`.
    fn advance(&self, start: u64, to: u64) {
        if (start..to).contains(&self.bound()) {
            self.bound.fetch_max(to, Ordering::Release);
        }
    }
}

/// A block of one shard that is not wholly acknowledged.
#[derive(Debug)]
struct Block {
    range: Range<u64>,
    /// All below this are acknowledged.
    prefix: u64,
    /// One bit for each number.
    done: u64,
}

/// The numbers of one shard.
#[derive(Debug)]
pub struct InsertNumbers {
    shared: Arc<Acknowledged>,
    fresh: Range<u64>,
    given_back: Vec<u64>,
    open: VecDeque<Block>,
}

impl InsertNumbers {
    /// A shard's part.
    #[must_use]
    pub fn new(shared: Arc<Acknowledged>) -> Self {
        Self { shared, fresh: 0..0, given_back: Vec::new(), open: VecDeque::new() }
    }

    /// All numbers below this are acknowledged, by whatever shard.
    #[must_use]
    pub fn bound(&self) -> u64 {
        self.shared.bound()
    }

    /// The number of the next record to insert.
    pub fn reserve(&mut self) -> u64 {
        if let Some(number) = self.given_back.pop() {
            return number;
        }
        if let Some(number) = self.fresh.next() {
            return number;
        }
        let start = self.shared.next.fetch_add(BLOCK, Ordering::Relaxed);
        self.open.push_back(Block { range: start..start + BLOCK, prefix: start, done: 0 });
        self.fresh = start + 1..start + BLOCK;
        start
    }

    /// The record with this number is there.
    pub fn acknowledge(&mut self, number: u64) {
        let Some(index) = self.open.iter().position(|block| block.range.contains(&number)) else {
            return;
        };
        let block = &mut self.open[index];
        block.done |= 1 << (number - block.range.start);
        let prefix = block.range.start + u64::from(block.done.trailing_ones());
        if prefix == block.range.end {
            let range = block.range.clone();
            self.open.remove(index);
            self.shared.complete(&range);
        } else if prefix > block.prefix {
            block.prefix = prefix;
            let start = block.range.start;
            self.shared.advance(start, prefix);
        }
        // The bound may have come to a block of ours through another shard's hand.
        if let Some(oldest) = self.open.front() {
            self.shared.advance(oldest.range.start, oldest.prefix);
        }
    }

    /// The insert failed: the number goes to the next one.
    pub fn give_back(&mut self, number: u64) {
        self.given_back.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_waits_for_the_lowest_number() {
        let shared = Arc::new(Acknowledged::new(100));
        let mut numbers = InsertNumbers::new(Arc::clone(&shared));
        let first: Vec<_> = (0..200).map(|_| numbers.reserve()).collect();
        assert_eq!(first, (100..300).collect::<Vec<_>>());
        for &number in &first[1..] {
            numbers.acknowledge(number);
        }
        assert_eq!(shared.bound(), 100);
        numbers.acknowledge(100);
        assert_eq!(shared.bound(), 300);
    }

    #[test]
    fn a_failed_number_is_used_again() {
        let shared = Arc::new(Acknowledged::new(0));
        let mut numbers = InsertNumbers::new(Arc::clone(&shared));
        let (one, two) = (numbers.reserve(), numbers.reserve());
        numbers.give_back(one);
        numbers.acknowledge(two);
        assert_eq!(shared.bound(), 0);
        assert_eq!(numbers.reserve(), one);
        numbers.acknowledge(one);
        assert_eq!(shared.bound(), 2);
    }

    #[test]
    fn the_bound_hops_over_the_blocks_of_other_shards() {
        let shared = Arc::new(Acknowledged::new(0));
        let mut one = InsertNumbers::new(Arc::clone(&shared));
        let mut two = InsertNumbers::new(Arc::clone(&shared));
        let mine: Vec<_> = (0..BLOCK).map(|_| one.reserve()).collect();
        let theirs: Vec<_> = (0..BLOCK).map(|_| two.reserve()).collect();
        for number in theirs {
            two.acknowledge(number);
        }
        let third = one.reserve();
        one.acknowledge(third);
        assert_eq!(shared.bound(), 0);
        for number in mine {
            one.acknowledge(number);
        }
        assert_eq!(shared.bound(), third + 1);
    }

    #[test]
    fn all_is_acknowledged_in_the_end_whatever_the_threads_do() {
        let shared = Arc::new(Acknowledged::new(5));
        std::thread::scope(|scope| {
            for shard in 0..4_u64 {
                let shared = Arc::clone(&shared);
                scope.spawn(move || {
                    let mut numbers = InsertNumbers::new(shared);
                    let mut waiting = VecDeque::new();
                    for turn in 0..(64 * 500) {
                        waiting.push_back(numbers.reserve());
                        if turn % 7 > shard {
                            let newest = waiting.pop_back().unwrap();
                            numbers.acknowledge(newest);
                        }
                        assert!(waiting.front().is_none_or(|&oldest| numbers.bound() <= oldest));
                    }
                    for number in waiting {
                        numbers.acknowledge(number);
                    }
                });
            }
        });
        assert_eq!(shared.bound(), 5 + 4 * 64 * 500);
    }
}
