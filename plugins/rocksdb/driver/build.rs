//! Puts the RocksDB library beside the driver, where its loader looks for it.
//!
//! `ROCKSDB_LIB_DIR` names the folder it comes from (infra/build/maven.sh rocksdb); without it
//! RocksDB is compiled in and there is nothing to put.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

const LIBRARY: &str = "librocksdb.so";

/// Copies by renaming, so that a driver that runs keeps the library it has loaded.
fn place(from: &Path, folder: &Path) -> io::Result<()> {
    let fresh = folder.join(format!(".{LIBRARY}.{}", std::process::id()));
    fs::copy(from, &fresh)?;
    fs::rename(&fresh, folder.join(LIBRARY))
}

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-env-changed=ROCKSDB_LIB_DIR");
    let Some(directory) = env::var_os("ROCKSDB_LIB_DIR") else { return Ok(()) };
    let library = PathBuf::from(directory).join(LIBRARY);
    println!("cargo:rerun-if-changed={}", library.display());
    // OUT_DIR is PROFILE/build/NAME-HASH/out: the executable goes to PROFILE, tests to PROFILE/deps.
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let Some(profile) = out.ancestors().nth(3) else {
        return Err(io::Error::other(format!("{} is no OUT_DIR of cargo's", out.display())));
    };
    place(&library, profile)?;
    place(&library, &profile.join("deps"))?;
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN");
    Ok(())
}
