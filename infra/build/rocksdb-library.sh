# The RocksDB library for the rocksdb driver: the one that the project RocksDB itself publishes for
# Java, which exports the C interface too. Maven fetches and checks it; nothing is compiled.
#
# Sourced before cargo runs (it exports ROCKSDB_LIB_DIR), or run by itself. Does nothing when the
# library is there already. Without it every other part builds; only the rocksdb driver does not.

rocksdb_library() {
  local version=11.8.1 # what the crate rocksdb 0.25 declares the functions of
  local cache=${WEIGHHOUSE_CACHE:-$HOME/.cache/weighhouse}
  local directory="$cache/rocksdb/$version" machine entry work
  local plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1

  if [ ! -f "$directory/librocksdb.so" ]; then
    machine=$(uname -m)
    case $machine in
      x86_64) entry=librocksdbjni-linux64.so ;;
      aarch64) entry=librocksdbjni-linux-aarch64.so ;;
      *)
        echo "weighhouse: no RocksDB library is published for $machine" >&2
        return 1
        ;;
    esac
    if ! command -v mvn >/dev/null || ! command -v unzip >/dev/null; then
      echo "weighhouse: mvn and unzip are needed to get the RocksDB library" >&2
      return 1
    fi
    echo "· getting the RocksDB library $version (about 90 MB, once)" >&2
    mkdir -p "$directory"
    work=$(mktemp -d "$directory/get.XXXXXX") || return 1
    # In the work folder: Maven must not see a pom.xml of somebody else's.
    if (cd "$work" &&
      mvn -q -B "$plugin:copy" -Dartifact="org.rocksdb:rocksdbjni:$version" \
        -DoutputDirectory="$work" >"$work/maven.log" 2>&1 &&
      unzip -q -o "$work/rocksdbjni-$version.jar" "$entry"); then
      # Last, and by renaming: whoever sees the file sees all of it.
      mv "$work/$entry" "$directory/librocksdb.so"
      rm -rf "$work"
    else
      tail -n 15 "$work/maven.log" >&2
      rm -rf "$work"
      echo "weighhouse: Maven could not get org.rocksdb:rocksdbjni:$version" >&2
      return 1
    fi
  fi
  export ROCKSDB_LIB_DIR=$directory
}

rocksdb_library
