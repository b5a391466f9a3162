//! A real Cassandra node on an address of its own within the loopback network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::process::listens;
use crate::server::next_port;
use crate::state::until;

/// What the Java machine must be told, the plugin's own file. Tests work in their package's folder;
/// a path that the compiler wrote down would point to wherever it was built.
const JAVA_OPTIONS: &str = "plugins/cassandra/weighhouse_plugin_cassandra/java17.options";

fn java_options() -> PathBuf {
    let here = std::env::current_dir().expect("a working directory");
    let found = here.ancestors().map(|folder| folder.join(JAVA_OPTIONS)).find(|path| path.exists());
    found.expect("the Cassandra plugin's options, above the package's folder")
}

/// A node; it ends with this value.
pub struct Cassandra {
    child: Child,
    address: String,
    port: u16,
    directory: TempDir,
}

/// Where Cassandra is, by `infra/build/maven.sh cassandra`.
fn home() -> PathBuf {
    let cache = std::env::var("WEIGHHOUSE_CACHE")
        .map(PathBuf::from)
        .or_else(|_| std::env::var("HOME").map(|home| Path::new(&home).join(".cache/weighhouse")));
    let place = std::env::var("WEIGHHOUSE_CASSANDRA").map(PathBuf::from);
    let place = place.or_else(|_| cache.map(|cache| cache.join("cassandra/5.0.9")));
    let place = place.expect("WEIGHHOUSE_CASSANDRA or a home");
    assert!(
        place.join("lib").is_dir(),
        "Cassandra is needed in {}: run infra/build/maven.sh cassandra",
        place.display()
    );
    place
}

fn write_configuration(directory: &Path, address: &str, port: u16) {
    let yaml = format!(
        "cluster_name: test\nnum_tokens: 1\ninitial_token: '0'\nauto_bootstrap: false\n\
         partitioner: org.apache.cassandra.dht.Murmur3Partitioner\n\
         data_file_directories: [{0}/data]\ncommitlog_directory: {0}/commitlog\n\
         saved_caches_directory: {0}/saved_caches\nhints_directory: {0}/hints\n\
         cdc_raw_directory: {0}/cdc_raw\n\
         start_native_transport: true\ncommitlog_sync: periodic\n\
         commitlog_sync_period: 10s\n\
         listen_address: {address}\nrpc_address: {address}\nnative_transport_port: {port}\n\
         storage_port: 7000\nendpoint_snitch: SimpleSnitch\n\
         seed_provider:\n  - class_name: org.apache.cassandra.locator.SimpleSeedProvider\n\
         \x20   parameters: [{{seeds: '{address}:7000'}}]\n",
        directory.display()
    );
    fs::write(directory.join("cassandra.yaml"), yaml).expect("a file");
    let log = "<configuration><appender name=\"OUT\" class=\"ch.qos.logback.core.ConsoleAppender\">\
               <encoder><pattern>%-5level %msg%n</pattern></encoder></appender>\
               <root level=\"INFO\"><appender-ref ref=\"OUT\"/></root></configuration>";
    fs::write(directory.join("logback.xml"), log).expect("a file");
}

impl Cassandra {
    /// A node that has started and says so.
    #[must_use]
    pub fn start() -> Self {
        let port = next_port();
        // Nodes keep apart by their addresses: all speak to each other on one port.
        let address = format!("127.{}.{}.1", 1 + port / 256, port % 256);
        let directory = TempDir::new().expect("a temporary directory");
        write_configuration(directory.path(), &address, port);
        let child = spawn(directory.path());
        let mut node = Self { child, address, port, directory };
        node.wait();
        node
    }

    /// Its endpoint in an order.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("tcp://{}:{}", self.address, self.port)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }

    fn wait(&mut self) {
        let (process, port) = (self.child.id(), self.port);
        // A node alone listens for clients when it has joined itself; in a cluster this would be
        // too soon.
        until("Cassandra listens", || {
            let ended = self.child.try_wait().expect("a child");
            assert!(ended.is_none(), "Cassandra ended: {}", self.log());
            listens(process, port).then_some(())
        });
    }

    /// Ends it without warning.
    pub fn kill(&mut self) {
        self.child.kill().expect("a running node");
        self.child.wait().expect("an end");
    }

    /// Starts it again on the same data, after [`Cassandra::kill`].
    pub fn restart(&mut self) {
        self.child = spawn(self.directory.path());
        self.wait();
    }
}

fn spawn(directory: &Path) -> Child {
    let at = |name: &str| directory.join(name).display().to_string();
    let log = fs::File::create(directory.join("log")).expect("a file");
    Command::new("java")
        .arg(format!("@{}", java_options().display()))
        .args(["-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
        .arg(format!("-Dcassandra.config=file://{}", at("cassandra.yaml")))
        .arg(format!("-Dlogback.configurationFile=file://{}", at("logback.xml")))
        .arg(format!("-Dcassandra.storagedir={}", directory.display()))
        .args(["-Dcassandra.ring_delay_ms=1000", "-Dcassandra.skip_wait_for_gossip_to_settle=0"])
        .args(["-Dcassandra.superuser_setup_delay_ms=0", "-cp"])
        .arg(format!("{}/lib/*", home().display()))
        .arg("org.apache.cassandra.service.CassandraDaemon")
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("a file"))
        .stderr(log)
        .spawn()
        .unwrap_or_else(|error| panic!("java is needed: {error}"))
}

impl Drop for Cassandra {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
