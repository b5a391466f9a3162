//! The messages of Linux's packet queues (`linux/netfilter/nfnetlink_queue.h`), as bytes.
//!
//! A message is a netlink header (length, type, flags, sequence, port; the machine's byte order),
//! then family, version and the queue's number (network order), then attributes, each with length
//! and type and padded to four bytes.

/// Type of a message of this subsystem (`NFNL_SUBSYS_QUEUE`), but for its last byte.
const SUBSYSTEM: u16 = 3 << 8;
const PACKET: u16 = 0;
const CONFIGURE: u16 = 2;
const VERDICT_ON_ALL: u16 = 3;
const NETLINK_ERROR: u16 = 2;
const REQUEST: u16 = 1;
const ACKNOWLEDGE: u16 = 4;
const HEADER: usize = 16;
const QUEUE_HEADER: usize = 4;

const PACKET_HEADER: u16 = 1;
const VERDICT_HEADER: u16 = 2;
const ACCEPT: u32 = 1;

const COMMAND: u16 = 1;
const PARAMETERS: u16 = 2;
const LONGEST: u16 = 3;
const MASK: u16 = 4;
const FLAGS: u16 = 5;
const BIND: u8 = 1;
/// Of each packet its number, and nothing of what it carries.
const METADATA: u8 = 1;
/// Packets that the card would cut up come whole.
const WHOLE: u32 = 1 << 2;

/// What the kernel says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// A packet waits for its verdict.
    Packet(u32),
    /// An answer to a request: 0, or an error's number.
    Answer(i32),
}

fn message(kind: u16, flags: u16, queue: u16, attributes: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; HEADER];
    bytes.extend([0, 0]);
    bytes.extend(queue.to_be_bytes());
    for (kind, payload) in attributes {
        let length = u16::try_from(4 + payload.len()).unwrap_or(u16::MAX);
        bytes.extend(length.to_ne_bytes());
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(*payload);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    bytes[0..4].copy_from_slice(&length.to_ne_bytes());
    bytes[4..6].copy_from_slice(&(SUBSYSTEM | kind).to_ne_bytes());
    bytes[6..8].copy_from_slice(&(REQUEST | flags).to_ne_bytes());
    bytes
}

/// Asks for a queue that nobody else has.
pub(crate) fn bind(queue: u16) -> Vec<u8> {
    message(CONFIGURE, ACKNOWLEDGE, queue, &[(COMMAND, &[BIND, 0, 0, 0])])
}

/// Sets a queue up; `longest`: how many packets may wait before further ones are dropped.
pub(crate) fn configure(queue: u16, longest: u32) -> Vec<u8> {
    let whole = WHOLE.to_be_bytes();
    let attributes: [(u16, &[u8]); 4] = [
        (PARAMETERS, &[0, 0, 0, 0, METADATA]),
        (LONGEST, &longest.to_be_bytes()),
        (MASK, &whole),
        (FLAGS, &whole),
    ];
    message(CONFIGURE, ACKNOWLEDGE, queue, &attributes)
}

/// Lets a packet go on, and all that came before it.
pub(crate) fn accept_up_to(queue: u16, packet: u32) -> Vec<u8> {
    let mut verdict = [0; 8];
    verdict[..4].copy_from_slice(&ACCEPT.to_be_bytes());
    verdict[4..].copy_from_slice(&packet.to_be_bytes());
    message(VERDICT_ON_ALL, 0, queue, &[(VERDICT_HEADER, &verdict)])
}

/// What stands in a datagram from the kernel; what is of no interest is left out.
pub(crate) fn read(mut bytes: &[u8]) -> Vec<Said> {
    let mut found = Vec::new();
    while let Some(length) = number(bytes, 0).filter(|length| *length >= HEADER) {
        let Some(one) = bytes.get(..length) else { break };
        match u16_at(one, 4) {
            Some(NETLINK_ERROR) => {
                found.extend(four(one, HEADER).map(|code| Said::Answer(-i32::from_ne_bytes(code))));
            }
            Some(kind) if kind == SUBSYSTEM | PACKET => {
                found.extend(packet_of(one.get(HEADER + QUEUE_HEADER..).unwrap_or(&[])));
            }
            _ => {}
        }
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or(&[]);
    }
    found
}

fn packet_of(mut attributes: &[u8]) -> Option<Said> {
    while let Some(length) = u16_at(attributes, 0).map(usize::from).filter(|length| *length >= 4) {
        if u16_at(attributes, 2)? == PACKET_HEADER {
            return four(attributes, 4).map(|id| Said::Packet(u32::from_be_bytes(id)));
        }
        attributes = attributes.get(length.next_multiple_of(4)..)?;
    }
    None
}

fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at + 4)?.try_into().ok()
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_ne_bytes(four(bytes, at)?)).ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(id: u32) -> Vec<u8> {
        let mut header = id.to_be_bytes().to_vec();
        header.extend([8, 0, 3]);
        let hook: [u8; 4] = 1_u32.to_be_bytes();
        message(PACKET, 0, 5, &[(9, &hook), (PACKET_HEADER, &header)])
    }

    #[test]
    fn packets_are_read_one_after_the_other() {
        let both = [packet(7), packet(8)].concat();
        assert_eq!(read(&both), [Said::Packet(7), Said::Packet(8)]);
    }

    #[test]
    fn an_answer_has_its_errors_number() {
        let mut bytes = vec![0; 36];
        bytes[0] = 36;
        bytes[4..6].copy_from_slice(&NETLINK_ERROR.to_ne_bytes());
        assert_eq!(read(&bytes), [Said::Answer(0)]);
        bytes[16..20].copy_from_slice(&(-16_i32).to_ne_bytes());
        assert_eq!(read(&bytes), [Said::Answer(16)]);
    }

    #[test]
    fn what_is_cut_off_or_nonsense_says_nothing() {
        let whole = packet(7);
        assert!((0..whole.len()).all(|end| read(&whole[..end]).is_empty()));
        assert_eq!(read(&[0; 64]), []);
        assert_eq!(read(&[0xff; 64]), []);
    }

    #[test]
    fn requests_are_whole_and_name_their_queue() {
        for bytes in [bind(513), configure(513, 9), accept_up_to(513, 70_000)] {
            assert_eq!(number(&bytes, 0), Some(bytes.len()));
            assert_eq!(bytes.len() % 4, 0);
            assert_eq!(bytes[18..20], [2, 1]);
        }
    }
}
