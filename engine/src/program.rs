//! A driver as a program: what its `main` calls.

use std::io::{self, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use signal_hook::consts::{SIGINT, SIGTERM};
use weighhouse_driver_api::{
    ClientDriver, Codec, Embedded, Feature, Identity, Operation, OptionRefused, Options, Server,
    ValueSource, Way,
};

use crate::book::Book;
use crate::client::{self, ClientSetup};
use crate::clock::Clock;
use crate::coordinator::{Coordinator, Count, Ended, Seat};
use crate::embedded::{Seat as EmbeddedSeat, SeatSetup};
use crate::event::EventWriter;
use crate::input;
use crate::net::{
    Announced, Chosen, Endpoint, HASHING_SCHEMA, Hashing, NetShard, ShardSetup, TLS_SCHEMA,
    TLS_SERVER_NAME, TlsOptions, WAY_SCHEMA, Wish,
};
use crate::order::{Distribution, Load, Order, Verify};
use crate::plan::{Failure, PhasePlan, Report, clients};
use crate::workload::{Acknowledged, stream_hash};

/// The engine's own option, beside those of the driver.
const TIMEOUT_OPTION: &str = "timeout_ms";
const DEFAULT_TIMEOUT_MS: u64 = 10_000;
const LONGEST_TIMEOUT_MS: u64 = 3_600_000;

/// Exit code after a refused order.
const REFUSED: u8 = 2;

/// Which options the engine has beside the driver's and those of TLS.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools)] // each is an option
struct Own {
    timeout: bool,
    hashing: bool,
    /// `tls_server_name`.
    other_names: bool,
    /// Whether connections are the engine's own, so that it can open them anew.
    connections: bool,
}

impl Own {
    /// Features that a driver has by the engine, beside its own.
    fn features(self) -> impl Iterator<Item = Feature> {
        let reconnect = self.connections.then_some(Feature::Reconnect);
        std::iter::once(Feature::FillOnMiss).chain(reconnect)
    }
}

/// What is the same for both kinds of driver.
struct Run {
    clock: Clock,
    order: Arc<Order>,
    values: Arc<ValueSource>,
    acknowledged: Arc<Acknowledged>,
    stop: Arc<AtomicBool>,
    timeout: u64,
    reports: Sender<Report>,
}

/// What a driver could not do.
enum Stopped {
    Refused(String),
    Failed(Failure),
}

impl From<OptionRefused> for Stopped {
    fn from(refused: OptionRefused) -> Self {
        Self::Refused(refused.to_string())
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// A thread to start, and its ways to and from the coordinator.
struct Crew {
    seats: Vec<Seat>,
    work: Vec<Box<dyn FnOnce() -> Result<(), Failure> + Send>>,
    connections: usize,
    layout: &'static str,
    /// By which way, where connections are the engine's own.
    way: Option<Chosen>,
    /// Of a database in the process.
    count: Option<Count>,
}

/// The program of a driver with a wire protocol.
#[must_use]
pub fn run_codec<C: Codec>() -> ExitCode {
    let own =
        Own { timeout: true, hashing: C::SPREAD_BY_CLIENTS, other_names: true, connections: true };
    program(C::IDENTITY, own, |run, options| {
        let mut options = options;
        let speaks_tls = C::IDENTITY.endpoint_kinds.contains(&"tls");
        let tls = if speaks_tls { TlsOptions::take(&mut options)? } else { TlsOptions::default() };
        let wish = Wish::take(&mut options)?;
        let hashing = if C::SPREAD_BY_CLIENTS { Hashing::take(&mut options)? } else { None };
        let codec = C::new(&run.order.shape(), &options)?;
        match (hashing, codec.spread()) {
            (Some(_), Some(_)) => {
                let message = "not beside an option by which the servers spread the keys";
                return Err(Hashing::refused(message).into());
            }
            (Some(_), None) => one_key_each(&run.order)?,
            (None, None) => single_endpoint(&run.order, C::IDENTITY).map(|_| ())?,
            (None, Some(_)) => {}
        }
        let endpoints = reached(&run.order, C::IDENTITY)?;
        let announced = announced(&run.order)?;
        let tls = match endpoints.first() {
            Some(Endpoint::Tls(_, host)) => Some(tls.ready(host)?),
            _ => tls.none().map(|()| None)?,
        };
        let chosen = wish.choose(tls.is_some(), run.clock)?;
        let fewest = (0..run.order.phases.len()).map(|index| clients(&run.order, index)).min();
        let wanted = usize::try_from(run.order.shards).unwrap_or(1);
        let shards = wanted.min(fewest.unwrap_or(1)).max(1);
        let mut crew = Crew::new(0, codec.layout());
        for shard in 0..shards {
            let (book, plans) = crew.seat(run, shard);
            let shard = NetShard::connect(ShardSetup {
                shard: (shard, shards),
                order: Arc::clone(&run.order),
                endpoints: endpoints.clone(),
                announced: announced.clone(),
                hashing,
                tls: tls.clone(),
                way: chosen.way,
                codec: codec.clone(),
                timeout: run.timeout,
                clock: run.clock,
                values: Arc::clone(&run.values),
                acknowledged: Arc::clone(&run.acknowledged),
                book,
                stop: Arc::clone(&run.stop),
            })?;
            crew.connections += shard.connections();
            crew.work.push(Box::new(move || shard.run(&plans)));
        }
        crew.way = Some(chosen);
        Ok((crew, Box::new(|| Ok(()))))
    })
}

/// The program of a driver with the database inside.
#[must_use]
pub fn run_embedded<E: Embedded>() -> ExitCode {
    program(
        E::IDENTITY,
        Own { timeout: false, hashing: false, other_names: false, connections: false },
        |run, options| {
            E::check(&options)?;
            if let Load::Closed { pipeline: 2.., .. } = run.order.load {
                return Err(Stopped::Refused(
                "load.pipeline: a database inside the driver answers each call before it returns; \
                 there is nothing to pipeline"
                    .to_owned(),
            ));
            }
            let endpoint = single_endpoint(&run.order, E::IDENTITY)?;
            let Some(directory) =
                endpoint.strip_prefix("file://").filter(|path| path.starts_with('/'))
            else {
                return Err(Stopped::Refused(format!(
                    "target.endpoints[0]: {endpoint}: not file:///DIRECTORY"
                )));
            };
            let failed = |error: weighhouse_driver_api::EmbeddedFailed| {
                Failure::new("target", error.message, error.hint)
            };
            let shape = run.order.shape();
            let database = E::open(&PathBuf::from(directory), &shape, &options).map_err(failed)?;
            let shards = run.order.most_clients();
            let database = Arc::new(database);
            let mut crew = Crew::new(shards, database.layout());
            let counting = Arc::clone(&database);
            crew.count = Some(Box::new(move || counting.counts()));
            let arrivals = Arc::new(Mutex::new(None));
            for shard in 0..shards {
                let (book, plans) = crew.seat(run, shard);
                let seat = EmbeddedSeat::new(SeatSetup {
                    shard: (shard, shards),
                    order: Arc::clone(&run.order),
                    session: database.session(),
                    timeout: run.timeout,
                    clock: run.clock,
                    values: Arc::clone(&run.values),
                    acknowledged: Arc::clone(&run.acknowledged),
                    book,
                    stop: Arc::clone(&run.stop),
                    arrivals: Arc::clone(&arrivals),
                });
                crew.work.push(Box::new(move || {
                    seat.run(&plans);
                    Ok(())
                }));
            }
            Ok((crew, Box::new(move || database.close().map_err(failed))))
        },
    )
}

/// The program of a driver over a client library.
#[must_use]
pub fn run_client<D: ClientDriver>() -> ExitCode {
    let own =
        Own { timeout: true, hashing: false, other_names: D::OTHER_NAMES, connections: false };
    program(D::IDENTITY, own, |run, options| {
        let mut options = options;
        let speaks_tls = D::IDENTITY.endpoint_kinds.contains(&"tls");
        let tls = if speaks_tls { TlsOptions::take(&mut options)? } else { TlsOptions::default() };
        if !D::OTHER_NAMES {
            tls.host_alone()?;
        }
        D::check(&run.order.shape(), &options)?;
        let endpoints = reached(&run.order, D::IDENTITY)?;
        let written = &run.order.target.endpoints;
        let servers: Vec<Server> = endpoints
            .iter()
            .zip(written)
            .map(|(one, text)| one.server(text, &run.order.target.hosts))
            .collect();
        let secure = if endpoints.iter().any(|one| matches!(one, Endpoint::Tls(..))) {
            Some(tls.secure(&servers)?)
        } else {
            tls.none().map(|()| None)?
        };
        let announced = announced(&run.order)?.addresses();
        let way = Arc::new(Way { servers, secure, announced });
        let fewest = (0..run.order.phases.len()).map(|index| clients(&run.order, index)).min();
        let wanted = usize::try_from(run.order.shards).unwrap_or(1);
        let shards = wanted.min(fewest.unwrap_or(1)).max(1);
        let mut crew = Crew::new(run.order.most_clients(), "");
        for shard in 0..shards {
            let (book, plans) = crew.seat(run, shard);
            let setup = ClientSetup {
                shard: (shard, shards),
                order: Arc::clone(&run.order),
                way: Arc::clone(&way),
                options: options.clone(),
                timeout: run.timeout,
                clock: run.clock,
                values: Arc::clone(&run.values),
                acknowledged: Arc::clone(&run.acknowledged),
                book,
                stop: Arc::clone(&run.stop),
            };
            let (ready, connected) = channel();
            let work = client::work::<D>(setup, plans, ready);
            let thread = std::thread::spawn(work);
            let gone = || Failure::new("internal", "a shard ended while it connected", "");
            crew.layout = connected.recv().map_err(|_| gone())??;
            // The thread that waits for it reports how it ends.
            crew.work.push(Box::new(move || match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            }));
        }
        Ok((crew, Box::new(|| Ok(()))))
    })
}

/// Where the servers of an order are, each reached in one of the ways that a driver has.
fn reached(order: &Order, identity: Identity) -> Result<Vec<Endpoint>, Stopped> {
    let one = |(position, endpoint): (usize, &String)| {
        let refused =
            |message| Stopped::Refused(format!("target.endpoints[{position}]: {message}"));
        let kind = endpoint.split_once("://").map_or("", |(kind, _)| kind);
        if !identity.endpoint_kinds.contains(&kind) {
            let ways: Vec<String> = identity
                .endpoint_kinds
                .iter()
                .map(|kind| match *kind {
                    "unix" => "unix:///PATH".to_owned(),
                    kind => format!("{kind}://HOST:PORT"),
                })
                .collect();
            return Err(refused(format!("{endpoint}: not {}", ways.join(", nor "))));
        }
        Endpoint::reached(endpoint, &order.target.hosts).map_err(refused)
    };
    order.target.endpoints.iter().enumerate().map(one).collect()
}

/// Where servers that others announce are reached.
fn announced(order: &Order) -> Result<Announced, Stopped> {
    let target = &order.target;
    Announced::read(&target.address_map, &target.hosts).map_err(Stopped::Refused)
}

impl Crew {
    fn new(connections: usize, layout: &'static str) -> Self {
        Self { seats: Vec::new(), work: Vec::new(), connections, layout, way: None, count: None }
    }

    fn seat(&mut self, run: &Run, shard: usize) -> (Book, Receiver<PhasePlan>) {
        let (plans, inbox) = channel();
        let (returned, spares) = channel();
        self.seats.push(Seat { plans, returned });
        (Book::new(shard, spares, run.reports.clone()), inbox)
    }
}

/// Refuses operations of several keys on several servers.
fn one_key_each(order: &Order) -> Result<(), Stopped> {
    let several = order.target.endpoints.len() > 1;
    if several && order.share(Operation::Scan) > 0.0 {
        let message = "with keys on several servers there are no scans: each has its own order";
        return Err(Hashing::refused(message).into());
    }
    if several && order.workload.keys_per_read > 1 {
        let message = "with keys on several servers a read asks for one key";
        return Err(Hashing::refused(message).into());
    }
    Ok(())
}

fn single_endpoint(order: &Order, identity: Identity) -> Result<&str, Stopped> {
    match order.target.endpoints.as_slice() {
        [one] => Ok(one),
        _ => Err(Stopped::Refused(format!(
            "target.endpoints: the {} driver loads one server, and does not spread keys over several \
             unless an option says how",
            identity.name
        ))),
    }
}

type Close = Box<dyn FnOnce() -> Result<(), Failure>>;

fn program(
    identity: Identity,
    own: Own,
    prepare: impl FnOnce(&Run, Options) -> Result<(Crew, Close), Stopped>,
) -> ExitCode {
    let mut stdout = io::stdout();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {}
        ["--describe"] => {
            let written = writeln!(stdout, "{}", describe(&identity, own));
            return if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        _ => {
            let _ = writeln!(
                io::stderr(),
                "weighhouse-driver-{}: reads an order on standard input and writes events on \
                 standard output; --describe tells what it can do",
                identity.name
            );
            return ExitCode::from(REFUSED);
        }
    }
    let clock = Clock::start();
    let events = EventWriter::new(clock, stdout);
    match serve(&identity, clock, events, own, prepare) {
        Ok(code) => code,
        // Nobody reads the events any more.
        Err(_) => ExitCode::FAILURE,
    }
}

/// Values as the order asks for them, and for what of them is checked.
fn values_of(order: &Order) -> ValueSource {
    let repetition = order.workload.value_repetition;
    let source = ValueSource::compressible(order.seed, &order.shape(), repetition);
    if order.verify == Verify::Shape { source.by_length() } else { source }
}

fn serve<W: Write>(
    identity: &Identity,
    clock: Clock,
    mut events: EventWriter<W>,
    own: Own,
    prepare: impl FnOnce(&Run, Options) -> Result<(Crew, Close), Stopped>,
) -> io::Result<ExitCode> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let mut input = BufReader::new(io::stdin());
    let (reports, inbox) = channel();
    let prepared = read_order(&mut input, own).and_then(|(order, timeout, options)| {
        supported(&order, identity, own)?;
        let run = Run {
            clock,
            values: Arc::new(values_of(&order)),
            acknowledged: Arc::new(Acknowledged::new(order.workload.record_count)),
            order: Arc::new(order),
            stop: Arc::clone(&stop),
            timeout,
            reports: reports.clone(),
        };
        let (crew, close) = prepare(&run, options)?;
        Ok((run.order, crew, close))
    });
    let (order, crew, close) = match prepared {
        Ok(prepared) => prepared,
        Err(Stopped::Refused(message)) => {
            events.failed("invalid", &message, "compare the order with the driver's --describe")?;
            return Ok(ExitCode::from(REFUSED));
        }
        Err(Stopped::Failed(failure)) => {
            events.failed(failure.kind, &failure.message, &failure.hint)?;
            return Ok(ExitCode::FAILURE);
        }
    };
    let streams = crew.seats.len() as u64;
    let hash = stream_hash(&order, streams);
    let counts = (crew.seats.len(), crew.connections);
    events.ready(identity, counts, crew.layout, crew.way.as_ref(), &hash)?;
    let threads: Vec<_> = crew
        .work
        .into_iter()
        .map(|work| {
            let reports = reports.clone();
            std::thread::spawn(move || {
                let failure = match catch_unwind(AssertUnwindSafe(work)) {
                    Ok(Ok(())) => return,
                    Ok(Err(failure)) => failure,
                    Err(_) => Failure::new("internal", "a shard panicked", "its log tells where"),
                };
                let _ = reports.send(Report::Failed(failure));
            })
        })
        .collect();
    drop(reports);
    let gos = order.hold.then(|| input::listen(input));
    let mut coordinator = Coordinator {
        clock,
        gos,
        order,
        events,
        seats: crew.seats,
        reports: inbox,
        stop,
        embedded: !own.timeout,
        count: crew.count,
    };
    let ended = coordinator.run()?;
    // Without plans to come the threads end.
    coordinator.seats.clear();
    for thread in threads {
        let _ = thread.join();
    }
    let ended = match (ended, close()) {
        (Ended::Finished | Ended::Interrupted, Err(failure)) => Ended::Failed(failure),
        (ended, _) => ended,
    };
    if let Ended::Failed(failure) = ended {
        coordinator.events.failed(failure.kind, &failure.message, &failure.hint)?;
        return Ok(ExitCode::FAILURE);
    }
    coordinator.events.finished()?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the order and takes the engine's own options out of the driver's.
fn read_order(input: &mut impl Read, own: Own) -> Result<(Order, u64, Options), Stopped> {
    let order = Order::read(input).map_err(|refused| Stopped::Refused(refused.to_string()))?;
    let mut options = order.target.options.clone();
    let mut timeout = DEFAULT_TIMEOUT_MS;
    if own.timeout
        && let Some(value) = options.remove(TIMEOUT_OPTION)
    {
        timeout = value
            .as_u64()
            .filter(|timeout| (1..=LONGEST_TIMEOUT_MS).contains(timeout))
            .ok_or_else(|| OptionRefused::new(TIMEOUT_OPTION, "a number within 1 and 60000"))?;
    }
    Ok((order, timeout * 1_000_000, options))
}

/// Refuses what the driver cannot do.
fn supported(order: &Order, identity: &Identity, own: Own) -> Result<(), Stopped> {
    let name = identity.name;
    for operation in Operation::ALL {
        if order.share(operation) > 0.0 && !identity.operations.contains(&operation) {
            let known: Vec<_> = identity.operations.iter().map(|one| one.name()).collect();
            return Err(Stopped::Refused(format!(
                "workload.operations.{}: the {name} driver does not have it; it has {}",
                operation.name(),
                known.join(", ")
            )));
        }
    }
    let wanted = [
        (order.workload.ttl_seconds.is_some(), "ttl_seconds", Feature::Ttl),
        (order.workload.expiry.is_some(), "expiry", Feature::VariedTtl),
        (order.workload.keys_per_read > 1, "keys_per_read", Feature::MultiGet),
        (order.workload.reconnect_every.is_some(), "reconnect_every", Feature::Reconnect),
    ];
    let has =
        |feature| identity.features.iter().copied().chain(own.features()).any(|one| one == feature);
    for (wanted, parameter, feature) in wanted {
        if wanted && !has(feature) {
            return Err(Stopped::Refused(format!(
                "workload.{parameter}: the {name} driver cannot do this ({})",
                feature.name()
            )));
        }
    }
    Ok(())
}

fn describe(identity: &Identity, own: Own) -> Value {
    let mut options: Value = serde_json::from_str(identity.options_schema).unwrap_or_default();
    if own.timeout
        && let Some(properties) = options.get_mut("properties")
    {
        properties[TIMEOUT_OPTION] = json!({
            "type": "integer",
            "minimum": 1,
            "maximum": LONGEST_TIMEOUT_MS,
            "default": DEFAULT_TIMEOUT_MS,
            "description": "How long an operation may take before its connection is given up, ms."
        });
    }
    let more = [
        (identity.endpoint_kinds.contains(&"tls"), TLS_SCHEMA),
        (own.hashing, HASHING_SCHEMA),
        (own.connections, WAY_SCHEMA),
    ];
    for (_, schema) in more.into_iter().filter(|&(has, _)| has) {
        if let Some(properties) = options.get_mut("properties").and_then(Value::as_object_mut)
            && let Ok(Value::Object(schema)) = serde_json::from_str(schema)
        {
            properties.extend(schema);
            if !own.other_names {
                properties.remove(TLS_SERVER_NAME);
            }
        }
    }
    let features = identity.features.iter().copied().chain(own.features());
    let features: Vec<_> = features.map(Feature::name).collect();
    json!({
        "driver": identity.name,
        "version": identity.version,
        "protocol": 1,
        "operations": identity.operations.iter().map(|one| one.name()).collect::<Vec<_>>(),
        "features": features,
        "distributions": Distribution::NAMES,
        "load_models": ["closed", "open"],
        "arrivals": ["constant", "poisson"],
        "profiles": ["sine", "steps"],
        "endpoint_kinds": identity.endpoint_kinds,
        "target_fields": ["hosts", "address_map"],
        "options": options,
    })
}
