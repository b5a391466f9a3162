//! Standard input: the order, and then, for a driver that is held, when each phase begins.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, channel};

use serde::Deserialize;

/// A line on a held driver's standard input: when a phase begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Go {
    /// Which phase of the order.
    pub(crate) go: usize,
    /// Unix time, µs.
    pub(crate) at_us: u64,
}

/// What a held driver is told, line by line; the channel ends where the input does.
pub(crate) type Gos = Receiver<Result<Go, String>>;

/// Reads on in a thread of its own, which ends with the input or the process.
pub(crate) fn listen(input: impl BufRead + Send + 'static) -> Gos {
    let (sender, told) = channel();
    std::thread::spawn(move || {
        for line in input.lines().map_while(Result::ok) {
            if line.trim().is_empty() {
                continue;
            }
            let read = serde_json::from_str(&line).map_err(|error| {
                format!(
                    "standard input: {line:?} is not {{\"go\": PHASE, \"at_us\": TIME}}: {error}"
                )
            });
            let understood = read.is_ok();
            if sender.send(read).is_err() || !understood {
                return;
            }
        }
    });
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_in_order_to_the_end_of_the_input() {
        let told = listen(&b"\n{\"go\": 0, \"at_us\": 5}\n  \n{\"go\":1,\"at_us\":6}"[..]);
        let all: Vec<_> = told.iter().collect();
        assert_eq!(all, [Ok(Go { go: 0, at_us: 5 }), Ok(Go { go: 1, at_us: 6 })]);
    }

    #[test]
    fn what_is_no_go_is_told_and_ends_it() {
        for wrong in ["{\"go\": 0}", "go", "{\"go\": 0, \"at_us\": 1, \"in\": 2}"] {
            let text = format!("{wrong}\n{{\"go\": 0, \"at_us\": 5}}\n");
            let all: Vec<_> = listen(std::io::Cursor::new(text)).iter().collect();
            assert_eq!(all.len(), 1, "{wrong}");
            assert!(all[0].as_ref().is_err_and(|message| message.starts_with("standard input")));
        }
    }
}
