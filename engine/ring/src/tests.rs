#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::thread;

use super::*;

const LONG: Duration = Duration::from_secs(60);

fn ring() -> Ring {
    let mut ring = Ring::new(1).unwrap();
    ring.enable().unwrap();
    ring
}

/// What happens next, whenever it does.
fn awaited(ring: &mut Ring) -> Happened {
    loop {
        if let Some(happened) = ring.next() {
            return happened;
        }
        ring.wait(LONG).unwrap();
    }
}

/// All bytes of a socket until it ends.
fn all(ring: &mut Ring, owner: usize) -> (Vec<u8>, Option<io::Error>) {
    let mut got = Vec::new();
    loop {
        let happened = awaited(ring);
        assert_eq!(happened.owner, owner);
        match happened.event {
            Event::Received(filled) => {
                got.extend_from_slice(&filled);
                ring.recycle(filled);
            }
            Event::Ended(error) => return (got, error),
            other => unreachable!("{other:?}"),
        }
    }
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| u8::try_from(at % 251).unwrap()).collect()
}

fn over_tcp() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let ours = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (ours, listener.accept().unwrap().0)
}

#[test]
fn bytes_go_both_ways_and_an_end_is_told_after_them() {
    let mut ring = ring();
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let held = ring.attach(ours.into(), 7).unwrap();
    let mut out = b"ping".to_vec();
    assert!(ring.send(&held, &mut out).unwrap());
    assert!(out.is_empty());
    ring.wait(Duration::ZERO).unwrap();
    let mut got = [0; 4];
    theirs.read_exact(&mut got).unwrap();
    assert_eq!(&got, b"ping");
    theirs.write_all(b"pong").unwrap();
    drop(theirs);
    let (got, error) = all(&mut ring, 7);
    assert_eq!(got, b"pong");
    assert!(error.is_none(), "{error:?}");
}

#[test]
fn more_than_all_buffers_hold_arrives_in_order() {
    let mut ring = ring();
    let (ours, mut theirs) = over_tcp();
    let held = ring.attach(ours.into(), 0).unwrap();
    let whole = pattern(3 * FEWEST_BUFFERS * BUFFER_BYTES + 1);
    let sent = whole.clone();
    let peer = thread::spawn(move || theirs.write_all(&sent).unwrap());
    let (got, error) = all(&mut ring, 0);
    peer.join().unwrap();
    assert!(error.is_none(), "{error:?}");
    assert!(got == whole, "{} of {}", got.len(), whole.len());
    drop(held);
}

#[test]
fn without_a_buffer_to_give_nothing_is_lost() {
    let mut ring = ring();
    let (ours, mut theirs) = over_tcp();
    let _held = ring.attach(ours.into(), 0).unwrap();
    let whole = pattern(2 * FEWEST_BUFFERS * BUFFER_BYTES);
    let sent = whole.clone();
    let peer = thread::spawn(move || theirs.write_all(&sent).unwrap());
    let (mut kept, mut got) = (Vec::new(), Vec::new());
    while kept.len() < FEWEST_BUFFERS {
        let Event::Received(filled) = awaited(&mut ring).event else { unreachable!() };
        kept.push(filled);
    }
    for filled in kept {
        got.extend_from_slice(&filled);
        ring.recycle(filled);
    }
    let (rest, _) = all(&mut ring, 0);
    got.extend_from_slice(&rest);
    peer.join().unwrap();
    assert!(got == whole, "{} of {}", got.len(), whole.len());
}

#[test]
fn what_a_socket_does_not_take_goes_when_there_is_room_and_the_next_is_asked_for() {
    let mut ring = ring();
    let (ours, mut theirs) = over_tcp();
    let held = ring.attach(ours.into(), 3).unwrap();
    let whole = pattern(64 << 20);
    let mut out = whole.clone();
    assert!(ring.send(&held, &mut out).unwrap());
    ring.wait(Duration::ZERO).unwrap();
    while ring.next().is_some() {}
    let mut more = b"more".to_vec();
    assert!(!ring.send(&held, &mut more).unwrap());
    assert_eq!(more, b"more");
    let expected = whole.len() + more.len();
    let peer = thread::spawn(move || {
        let mut got = vec![0; expected];
        theirs.read_exact(&mut got).unwrap();
        got
    });
    let Happened { owner: 3, event: Event::Room, .. } = awaited(&mut ring) else { unreachable!() };
    assert!(ring.send(&held, &mut more).unwrap());
    let (rest, _) = all(&mut ring, 3);
    assert!(rest.is_empty());
    let got = peer.join().unwrap();
    assert!(got[..whole.len()] == whole);
    assert_eq!(&got[whole.len()..], b"more");
}

#[test]
fn a_socket_that_is_dropped_is_shut_down_and_its_place_is_anothers() {
    let mut ring = ring();
    let (ours, mut theirs) = over_tcp();
    let held = ring.attach(ours.into(), 1).unwrap();
    let slot = held.slot();
    // Queued, and no longer to be sent to whoever gets the descriptor's number.
    assert!(ring.send(&held, &mut b"late".to_vec()).unwrap());
    drop(held);
    let happened = awaited(&mut ring);
    assert_eq!((happened.owner, happened.slot), (1, slot));
    assert!(matches!(happened.event, Event::Ended(_)));
    ring.wait(Duration::ZERO).unwrap();
    assert!(ring.next().is_none());
    let mut got = Vec::new();
    theirs.read_to_end(&mut got).unwrap();
    assert!(got.is_empty(), "{got:?}");
    let (ours, mut theirs) = over_tcp();
    let held = ring.attach(ours.into(), 2).unwrap();
    assert_eq!(held.slot(), slot);
    theirs.write_all(b"anew").unwrap();
    theirs.shutdown(Shutdown::Write).unwrap();
    assert_eq!(all(&mut ring, 2).0, b"anew");
    // What is handed over for one that has ended goes nowhere.
    let mut out = b"gone".to_vec();
    assert!(ring.send(&held, &mut out).unwrap());
    assert!(out.is_empty());
}

#[test]
fn a_send_that_fails_ends_the_socket_after_what_came_before() {
    let mut ring = ring();
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let held = ring.attach(ours.into(), 0).unwrap();
    theirs.write_all(b"too large").unwrap();
    drop(theirs);
    assert!(ring.send(&held, &mut b"more".to_vec()).unwrap());
    assert_eq!(all(&mut ring, 0).0, b"too large");
    assert!(ring.send(&held, &mut b"late".to_vec()).unwrap());
}

#[test]
fn a_watched_descriptor_is_told_once_for_each_time_it_is_watched() {
    let mut ring = ring();
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    for _ in 0..2 {
        ring.watch(ours.as_fd()).unwrap();
        theirs.write_all(b"x").unwrap();
        assert!(matches!(awaited(&mut ring).event, Event::Watched));
        ring.wait(Duration::ZERO).unwrap();
        assert!(ring.next().is_none());
        (&ours).read_exact(&mut [0]).unwrap();
    }
}

#[test]
fn more_sockets_than_the_queue_has_entries_are_served() {
    let mut ring = ring();
    let mut held = Vec::new();
    let mut peers = Vec::new();
    for owner in 0..ENTRIES as usize + 50 {
        let (ours, theirs) = UnixStream::pair().unwrap();
        held.push(ring.attach(ours.into(), owner).unwrap());
        peers.push(theirs);
    }
    for one in &held {
        assert!(ring.send(one, &mut b"?".to_vec()).unwrap());
    }
    ring.wait(Duration::ZERO).unwrap();
    for peer in &mut peers {
        peer.read_exact(&mut [0]).unwrap();
        peer.write_all(b"!").unwrap();
    }
    let mut told = vec![false; held.len()];
    while told.contains(&false) {
        let Happened { owner, event: Event::Received(filled), .. } = awaited(&mut ring) else {
            unreachable!()
        };
        assert_eq!(&*filled, b"!");
        ring.recycle(filled);
        told[owner] = true;
    }
}
