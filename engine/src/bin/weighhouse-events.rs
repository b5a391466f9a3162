//! Reads what drivers wrote: merges event streams, and turns them into other tools' forms.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use weighhouse_engine::recorded::{Unreadable, merge, read_events, write_hlog, write_ycsb};

const USAGE: &str = "\
usage: weighhouse-events merge|hlog|ycsb [FILE…]

Reads the events of one or several drivers, one file each (standard input without any), adds them
up exactly, and writes on standard output:
  merge   events again, as one driver would have written them
  hlog    an HdrHistogram log, a tag for each operation and outcome
  ycsb    the measured phase as YCSB's text exporter prints it
";

/// What could not be done, and with which file.
enum Refused {
    Usage,
    File(String, String),
    Write(io::Error),
}

fn run(arguments: &[String]) -> Result<(), Refused> {
    let Some((form, files)) = arguments.split_first() else { return Err(Refused::Usage) };
    let mut streams = Vec::new();
    for file in files {
        let refused = |message: String| Refused::File(file.clone(), message);
        let text = std::fs::read_to_string(file).map_err(|error| refused(error.to_string()))?;
        streams.push(read_events(&text).map_err(|error| refused(error.to_string()))?);
    }
    let stdin = || "standard input".to_owned();
    if files.is_empty() {
        let mut text = String::new();
        let read = io::stdin().read_to_string(&mut text);
        read.map_err(|error| Refused::File(stdin(), error.to_string()))?;
        let events = read_events(&text);
        streams.push(events.map_err(|error| Refused::File(stdin(), error.to_string()))?);
    }
    let refused = |error: Unreadable| match error {
        Unreadable::Io(error) => Refused::Write(error),
        other => Refused::File(
            if files.is_empty() { stdin() } else { files.join(", ") },
            other.to_string(),
        ),
    };
    let events = if let [_] = streams.as_slice() {
        streams.remove(0)
    } else {
        merge(&streams).map_err(refused)?
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    match form.as_str() {
        "merge" => {
            events.iter().try_for_each(|event| writeln!(out, "{event}").map_err(Refused::Write))?;
        }
        "hlog" => write_hlog(&events, &mut out).map_err(refused)?,
        "ycsb" => write_ycsb(&events, &mut out).map_err(refused)?,
        _ => return Err(Refused::Usage),
    }
    out.flush().map_err(Refused::Write)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [only] = arguments.as_slice()
        && (only == "--help" || only == "-h")
    {
        let _ = io::stdout().write_all(USAGE.as_bytes());
        return ExitCode::SUCCESS;
    }
    let message = match run(&arguments) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Refused::Usage) => USAGE.to_owned(),
        Err(Refused::File(file, message)) => format!("weighhouse-events: {file}: {message}\n"),
        // Whoever read has seen enough.
        Err(Refused::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => String::new(),
        Err(Refused::Write(error)) => format!("weighhouse-events: {error}\n"),
    };
    let _ = io::stderr().write_all(message.as_bytes());
    ExitCode::from(2)
}
