//! Intervals: handed over by time, none lost, none tiny.

use std::sync::mpsc::{Receiver, channel};

use weighhouse_driver_api::{Operation, Outcome};
use weighhouse_engine::book::Book;
use weighhouse_engine::order::PhaseKind;
use weighhouse_engine::plan::{PhasePlan, Report};

const INTERVAL: u64 = 1_000;

fn book(deadline: u64) -> (Book, Receiver<Report>) {
    let (reports, inbox) = channel();
    let (_, returned) = channel();
    let mut book = Book::new(1, returned, reports);
    let plan = PhasePlan {
        kind: PhaseKind::Measure,
        index: 0,
        start: 10_000,
        begin: 10_000,
        deadline,
        operations: u64::MAX,
        operations_of_all: u64::MAX,
        clients: 1,
        interval: INTERVAL,
    };
    book.begin(&plan, vec![Operation::Read], false);
    (book, inbox)
}

fn record(book: &mut Book, at: u64) {
    book.turn(at);
    book.record(Operation::Read, Outcome::Ok, 5, None);
}

/// (sequence, through, end, operations) of each interval.
fn intervals(inbox: &Receiver<Report>) -> Vec<(u64, Option<u64>, u64, u64)> {
    inbox
        .try_iter()
        .filter_map(|report| match report {
            Report::Interval { sequence, through, end, recorder, .. } => {
                let count = recorder.count(Operation::Read, Outcome::Ok);
                Some((sequence, through, end, count))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn an_operation_lies_in_the_interval_it_ended_in() {
    let (mut book, inbox) = book(u64::MAX);
    record(&mut book, 10_000);
    record(&mut book, 10_999);
    record(&mut book, 11_000);
    book.finish(11_500, 0);
    assert_eq!(intervals(&inbox), [(0, Some(0), 11_000, 2), (1, None, 11_500, 1)]);
}

#[test]
fn a_stall_gives_empty_intervals_and_none_is_left_out() {
    let (mut book, inbox) = book(u64::MAX);
    record(&mut book, 10_500);
    record(&mut book, 13_100);
    book.finish(13_200, 0);
    let expected = [
        (0, Some(0), 11_000, 1),
        (1, Some(1), 12_000, 0),
        (2, Some(2), 13_000, 0),
        (3, None, 13_200, 1),
    ];
    assert_eq!(intervals(&inbox), expected);
}

#[test]
fn what_returns_soon_after_the_deadline_belongs_to_the_last_interval() {
    let (mut book, inbox) = book(12_000);
    record(&mut book, 11_500);
    record(&mut book, 12_100);
    book.finish(12_150, 0);
    assert_eq!(intervals(&inbox), [(0, Some(0), 11_000, 0), (1, None, 12_150, 2)]);
}

#[test]
fn what_returns_long_after_the_deadline_has_intervals_of_its_own() {
    let (mut book, inbox) = book(12_000);
    record(&mut book, 12_100);
    record(&mut book, 13_400);
    book.finish(13_500, 0);
    let expected = [(0, Some(0), 11_000, 0), (1, Some(2), 13_000, 1), (3, None, 13_500, 1)];
    assert_eq!(intervals(&inbox), expected);
}
