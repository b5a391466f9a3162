#!/usr/bin/env bash
# What other projects publish in Maven's repository: Maven fetches and checks it, once, into the
# cache; javac compiles at most a few lines of ours.
#
#   rocksdb           RocksDB's library for the rocksdb driver: the one its project publishes for
#                     Java, which exports the C interface too. Exports ROCKSDB_LIB_DIR. Without it
#                     every other driver builds.
#   cassandra         the server's own classes and what they need. Exports WEIGHHOUSE_CASSANDRA, the
#                     folder with `lib`. WEIGHHOUSE_CASSANDRA may name an unpacked Cassandra of another
#                     origin beforehand.
#   cassandra-stress  5.0 has no archive there, 4.0-alpha2 has, and its cassandra-stress works on 5.0.
#                     Its HdrHistogram needs a class that Java lost with version 11; a newer one is put
#                     beside it. Exports CASSANDRA_STRESS_HOME, unless that names one.
#   mongo-stand-in    a wire-compatible stand-in, not MongoDB, for tests alone: mongo-java-server, a
#                     server in memory that answers MongoDB's protocol, and the lines that start it.
#                     Exports WEIGHHOUSE_MONGO_STAND_IN, the folder with `lib` and `classes`.
#   s3proxy           an S3-compatible store, a program of its own, for tests alone. Exports
#                     WEIGHHOUSE_S3PROXY, the folder with `s3proxy.jar`.
#   ycsb              YCSB's own program, with an HdrHistogram that works on Java 11 and newer. Its
#                     clients of the systems are not there; for tests, a stand-in for the Redis one is
#                     compiled. Exports WEIGHHOUSE_YCSB, unless that names one, which has all clients.
#
# Sourced with names (`. infra/build/maven.sh rocksdb cassandra`: it exports), or run with names. Does
# nothing about what is there already. Each is described by a function `maven_NAME` below, which sets
# the variables of `maven_one` and is called there; `get`, `make_home` are what differs.

maven_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

maven_rocksdb() {
  version=11.8.1 # what the crate rocksdb 0.25 declares the functions of
  variable=ROCKSDB_LIB_DIR title="the RocksDB library" size="about 90 MB"
  folder=rocksdb/$version holds=librocksdb.so programs="mvn unzip" given=
  artifacts=(org.rocksdb:rocksdbjni:$version)
  case $(uname -m) in
    x86_64) entry=librocksdbjni-linux64.so ;;
    aarch64) entry=librocksdbjni-linux-aarch64.so ;;
    *) refused="no RocksDB library is published for $(uname -m)" ;;
  esac
  make_home() { unzip -q -o rocksdbjni-*.jar "$entry" && mv "$entry" home/librocksdb.so; }
}

maven_cassandra() {
  version=5.0.9
  variable=WEIGHHOUSE_CASSANDRA title=Cassandra size="about 70 MB"
  folder=cassandra/$version holds=lib programs=mvn
  dependencies=(org.apache.cassandra:cassandra-all:$version)
}

maven_cassandra-stress() {
  version=4.0-alpha2
  variable=CASSANDRA_STRESS_HOME title=cassandra-stress size="about 55 MB"
  folder=cassandra-stress/$version holds=tools programs=mvn
  artifacts=("org.apache.cassandra:apache-cassandra:$version:tar.gz:bin" org.hdrhistogram:HdrHistogram:2.1.12)
  make_home() {
    tar -xzf apache-cassandra-*-bin.tar.gz -C home --strip-components=1 && mv HdrHistogram-*.jar home/lib/
  }
}

maven_mongo-stand-in() {
  version=1.47.0
  variable=WEIGHHOUSE_MONGO_STAND_IN size="about 3 MB"
  title="mongo-java-server, a stand-in for MongoDB in tests,"
  source=engine/testkit/stand-in/MongoStandIn.java holds=classes programs="mvn javac"
  folder=mongo-stand-in/$version
  dependencies=(de.bwaldvogel:mongo-java-server:$version)
  make_home() { javac -cp "home/lib/*" -d home/classes "$maven_root/$source"; }
}

maven_s3proxy() {
  version=2.6.0
  variable=WEIGHHOUSE_S3PROXY title="s3proxy, a store in tests," size="about 42 MB"
  folder=s3proxy/$version holds=s3proxy.jar programs=mvn
  artifacts=("org.gaul:s3proxy:$version:jar:jar-with-dependencies")
  make_home() { mv s3proxy-*.jar home/s3proxy.jar; }
}

maven_ycsb() {
  version=0.17.0
  variable=WEIGHHOUSE_YCSB title=YCSB size="about 3 MB"
  source=plugins/ycsb/tests/stand-in/RedisClient.java holds=lib programs="mvn javac"
  folder=ycsb/$version
  dependencies=(site.ycsb:core:$version org.hdrhistogram:HdrHistogram:2.1.12)
  make_home() {
    mkdir -p home/redis-binding/lib classes &&
      javac -cp "home/lib/*" -d classes "$maven_root/$source" &&
      jar --create --file home/redis-binding/lib/stand-in.jar -C classes .
  }
}

# Maven, its output in `log`, and how far it is on the screen.
maven_run() {
  mvn "$@" </dev/null 2>&1 | tee -a log | python3 "$maven_root/infra/bootstrap/progress.py" maven "$title"
  return "${PIPESTATUS[0]}"
}

maven_artifacts() {
  local artifact
  for artifact in "${artifacts[@]}"; do
    maven_run "$plugin:copy" "-Dartifact=$artifact" -DoutputDirectory=. || return 1
  done
}

maven_dependencies() {
  [ ${#dependencies[@]} -gt 0 ] || return 0
  local group artifact number
  {
    echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
    echo '<groupId>weighhouse</groupId><artifactId>wanted</artifactId><version>1</version><dependencies>'
    for each in "${dependencies[@]}"; do
      IFS=: read -r group artifact number <<<"$each"
      printf '<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>\n' \
        "$group" "$artifact" "$number"
    done
    echo '</dependencies></project>'
  } >pom.xml
  maven_run "$plugin:copy-dependencies" -DincludeScope=runtime -DoutputDirectory=home/lib
}

# maven_one NAME: gets it unless it is there, and exports where.
maven_one() {
  local plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1
  local cache=${WEIGHHOUSE_CACHE:-$HOME/.cache/weighhouse}
  local version variable title size folder holds programs given=1 source="" refused="" entry=""
  local artifacts=() dependencies=() directory work program each
  make_home() { :; }
  if ! declare -F "maven_$1" >/dev/null; then
    echo "weighhouse: infra/build/maven.sh knows no $1" >&2
    return 1
  fi
  "maven_$1"

  # `given`: the variable may say beforehand where it is.
  if [ -n "$given" ] && [ -n "${!variable:-}" ]; then return 0; fi
  directory=$cache/$folder
  # Another source is another folder: what was compiled from the last one is not taken for it.
  [ -z "$source" ] || directory+=-$(sha256sum <"$maven_root/$source" | cut -c1-12)
  if [ ! -e "$directory/$holds" ]; then
    for program in $programs; do
      command -v "$program" >/dev/null || refused="$program is needed to get $title"
    done
    if [ -n "$refused" ]; then
      echo "weighhouse: $refused" >&2
      return 1
    fi
    echo "· getting $title $version ($size, once)" >&2
    mkdir -p "$(dirname "$directory")"
    work=$(mktemp -d "$(dirname "$directory")/.get.XXXXXX") || return 1
    # In the work folder: Maven must not see a pom.xml of somebody else's.
    if ! (cd "$work" && mkdir home && maven_artifacts && maven_dependencies && make_home >>log 2>&1); then
      tail -n 15 "$work/log" >&2
      rm -rf "$work"
      echo "weighhouse: Maven could not get ${artifacts[*]}${dependencies[*]}, or it could not be set up" >&2
      return 1
    fi
    # Other accounts may read it; last, and by renaming: whoever sees the folder sees all of it.
    chmod -R a+rX "$work/home"
    mv -T "$work/home" "$directory" 2>/dev/null
    rm -rf "$work"
    if [ ! -e "$directory/$holds" ]; then
      echo "weighhouse: $directory has no $holds; remove it, it is made anew" >&2
      return 1
    fi
  fi
  export "$variable=$directory"
}

# maven NAME...: each of them; what fails keeps the others from nothing.
maven() {
  local name status=0
  if [ $# -eq 0 ]; then
    echo "weighhouse: which? infra/build/maven.sh rocksdb | cassandra | cassandra-stress | mongo-stand-in | s3proxy | ycsb" >&2
    return 2
  fi
  for name in "$@"; do maven_one "$name" || status=1; done
  return "$status"
}

maven "$@"
