//! Intervals: handed over by time, none lost, none tiny.

use std::sync::mpsc::{Receiver, channel};

use weighhouse_driver_api::{Operation, Outcome};
use weighhouse_engine::book::Book;
use weighhouse_engine::order::PhaseKind;
use weighhouse_engine::plan::{PhasePlan, Report};

const INTERVAL: u64 = 1_000;

fn book(deadline: u64) -> (Book, Receiver<Report>) {
    book_of(deadline, false)
}

fn book_of(deadline: u64, open: bool) -> (Book, Receiver<Report>) {
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
        open,
    };
    book.begin(&plan, vec![Operation::Read.into()]);
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
    book.finish(11_500);
    assert_eq!(intervals(&inbox), [(0, Some(0), 11_000, 2), (1, None, 11_500, 1)]);
}

#[test]
fn a_stall_gives_empty_intervals_and_none_is_left_out() {
    let (mut book, inbox) = book(u64::MAX);
    record(&mut book, 10_500);
    record(&mut book, 13_100);
    book.finish(13_200);
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
    book.finish(12_150);
    assert_eq!(intervals(&inbox), [(0, Some(0), 11_000, 0), (1, None, 12_150, 2)]);
}

#[test]
fn what_returns_long_after_the_deadline_has_intervals_of_its_own() {
    let (mut book, inbox) = book(12_000);
    record(&mut book, 12_100);
    record(&mut book, 13_400);
    book.finish(13_500);
    let expected = [(0, Some(0), 11_000, 0), (1, Some(2), 13_000, 1), (3, None, 13_500, 1)];
    assert_eq!(intervals(&inbox), expected);
}

#[test]
fn what_returns_after_the_deadline_of_an_open_loop_was_not_done_in_it() {
    let (mut book, inbox) = book_of(11_700, true);
    record(&mut book, 11_699);
    record(&mut book, 11_700);
    record(&mut book, 12_100);
    book.finish(12_200);
    let expected = [
        (0, Some(0), 11_000, 0),
        (1, Some(1), 11_700, 1),
        (2, Some(2), 12_000, 1),
        (3, None, 12_200, 1),
    ];
    assert_eq!(intervals(&inbox), expected);
}

#[test]
fn what_is_begun_late_or_never_is_counted_where_it_was_due() {
    let (mut book, inbox) = book_of(12_000, true);
    book.turn(10_400);
    book.begun(10_400);
    book.turn(11_500);
    for due in [10_500, 10_999, 11_000, 11_400] {
        book.begun(due);
    }
    book.turn(13_000);
    book.begun(11_800);
    book.give_up(Operation::Read, 11_900);
    book.finish(13_100);
    let told: Vec<_> = inbox
        .try_iter()
        .filter_map(|report| match report {
            Report::Interval { sequence, recorder, .. } => {
                let late = recorder.late.iter().map(|(&it, due)| (it, due.begun, due.never_sent));
                Some((sequence, recorder.in_time, late.collect::<Vec<_>>()))
            }
            _ => None,
        })
        .collect();
    let expected =
        [(0, 1, vec![]), (1, 2, vec![(0, 2, 0)]), (2, 0, vec![]), (3, 0, vec![(1, 1, 1)])];
    assert_eq!(told, expected);
}
