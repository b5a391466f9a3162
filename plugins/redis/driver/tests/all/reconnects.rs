//! Connections that are opened anew after so many operations, by the server's own count.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

use serde_json::{Value, json};
use weighhouse_engine_testkit::{RedisCluster, Run, Server};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");

fn order(endpoint: &str, load: &Value, every: u64, operations: u64) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 100, "operations": {"read": 0.5, "update": 0.5},
                     "reconnect_every": every},
        "target": {"endpoints": [endpoint]},
        "load": load,
        "phases": [{"kind": "load"}, {"kind": "measure", "operation_count": operations}],
        "seed": 7,
    })
}

fn counted(server: &Server, name: &str) -> u64 {
    let told = server.ask("INFO everything\r\n");
    let line = told.lines().find_map(|line| line.strip_prefix(name));
    let digits: String = line
        .map_or("0", |line| line.trim_start_matches([':', '=']))
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or_default()
}

#[test]
fn the_server_counts_a_connection_for_every_so_many_operations() {
    let directory = tempfile::tempdir().expect("a directory");
    let socket = directory.path().join("redis.sock");
    let socket = socket.to_str().expect("text");
    let server = Server::redis(&["--unixsocket", socket]);
    let (tcp, unix) = (server.endpoint(), format!("unix://{socket}"));
    for (endpoint, every, load) in [
        (&tcp, 1, json!({"model": "closed", "clients": 1})),
        (&tcp, 10, json!({"model": "closed", "clients": 1, "pipeline": 4})),
        (&unix, 7, json!({"model": "closed", "clients": 3, "pipeline": 2})),
        (&unix, 4, json!({"model": "open", "rate_per_second": 2000, "connections": 3})),
    ] {
        let mut order = order(endpoint, &load, every, 700);
        order["target"]["options"] = json!({"resp3": true, "database": 2});
        let before = ["total_connections_received", "cmdstat_hello:calls", "cmdstat_select:calls"]
            .map(|name| counted(&server, name));
        let run = Run::of(DRIVER, &order);
        run.assert_finished();
        let after = ["total_connections_received", "cmdstat_hello:calls", "cmdstat_select:calls"]
            .map(|name| counted(&server, name));
        let measure = run.phase("measure");
        assert_eq!(measure.not_ok(), 0, "{load}: {:?}", measure.finished);
        let own = run.event("ready")["connections"].as_u64().expect("a number");
        let made = measure.driver_sum("reconnects");
        // Each look at the counters is a connection of its own.
        assert_eq!(after[0] - before[0] - 3, own + made, "{load}");
        assert_eq!([after[1] - before[1], after[2] - before[2]], [own + made; 2], "{load}");
        assert!((700 / every - own..=700 / every).contains(&made), "{load}: {made}");
    }
}

#[test]
fn so_it_is_in_a_cluster() {
    let cluster = RedisCluster::start(3, false);
    for load in [
        json!({"model": "closed", "clients": 2, "pipeline": 3}),
        json!({"model": "open", "rate_per_second": 2000, "connections": 2}),
    ] {
        let mut order = order(&cluster.endpoint(), &load, 5, 900);
        order["target"]["options"] = json!({"cluster": true});
        let run = Run::of(DRIVER, &order);
        run.assert_finished();
        let measure = run.phase("measure");
        assert_eq!(measure.not_ok(), 0, "{load}: {:?}", measure.finished);
        let made = measure.driver_sum("reconnects");
        assert!((900 / 5 - 6..=900 / 5).contains(&made), "{load}: {made}");
    }
}

/// In a network of its own the driver has sixteen ports, and none is given back.
#[test]
fn a_machine_without_ports_is_told_in_its_own_words() {
    let directory = tempfile::tempdir().expect("a directory");
    let script = directory.path().join("driver");
    let socket = directory.path().join("listening");
    let text = format!(
        "#!/bin/sh\nexec unshare --net sh -c 'rm -f {socket}; ip link set lo up\n\
         echo 40000 40015 > /proc/sys/net/ipv4/ip_local_port_range\n\
         echo 0 > /proc/sys/net/ipv4/tcp_tw_reuse\n\
         redis-server --port 7000 --save \"\" --unixsocket {socket} >/dev/null 2>&1 &\n\
         server=$!\n\
         until [ -S {socket} ]; do sleep 0.05; done\n\
         {DRIVER}\nended=$?\nkill $server\nwait $server\nexit $ended'\n",
        socket = socket.display()
    );
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .mode(0o755)
        .truncate(true)
        .open(&script)
        .expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    drop(file);
    for load in [
        json!({"model": "closed", "clients": 2}),
        json!({"model": "open", "rate_per_second": 200, "connections": 2}),
    ] {
        let order = order("tcp://127.0.0.1:7000", &load, 1, 100);
        let run = Run::of(script.to_str().expect("text"), &order);
        run.assert_finished();
        let measure = run.phase("measure");
        let lost = measure.count("read", "errors/no_ports");
        let others = measure.count("update", "errors/no_ports");
        assert!(lost > 0, "{load}: {:?}", measure.finished);
        assert_eq!(measure.not_ok(), lost + others, "{load}: {:?}", measure.finished);
        let said = ["read", "update"].map(|one| &measure.finished["operations"][one]["said"]);
        let words = said.map(|said| said["no_ports"]["words"].to_string()).concat();
        assert!(words.contains("Cannot assign requested address"), "{words}");
    }
}
