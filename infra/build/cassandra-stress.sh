# cassandra-stress as Apache Cassandra's project publishes it in Maven's repository: 5.0 has no
# archive there, 4.0-alpha2 has, and its cassandra-stress works on 5.0. The archive's HdrHistogram
# needs a class that Java lost with version 11; a newer one is put beside it. Nothing is compiled.
#
# Sourced before tests (it exports CASSANDRA_STRESS_HOME), or run by itself. Does nothing when it is
# there already. An unpacked Cassandra of another origin does as well: set CASSANDRA_STRESS_HOME.

cassandra_stress() {
  local version=4.0-alpha2
  local cache=${WEIGHHOUSE_CACHE:-$HOME/.cache/weighhouse}
  local directory="$cache/cassandra-stress/$version" work artifact
  local plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1

  if [ -n "${CASSANDRA_STRESS_HOME:-}" ]; then return 0; fi
  if [ ! -d "$directory/tools" ]; then
    if ! command -v mvn >/dev/null; then
      echo "weighhouse: mvn is needed to get cassandra-stress" >&2
      return 1
    fi
    echo "· getting cassandra-stress $version (about 55 MB, once)" >&2
    mkdir -p "$cache/cassandra-stress"
    work=$(mktemp -d "$cache/cassandra-stress/.get.XXXXXX") || return 1
    for artifact in "org.apache.cassandra:apache-cassandra:$version:tar.gz:bin" \
      org.hdrhistogram:HdrHistogram:2.1.12; do
      if ! (cd "$work" && mvn -q -B "$plugin:copy" -Dartifact="$artifact" -DoutputDirectory="$work" \
        >"$work/maven.log" 2>&1); then
        tail -n 15 "$work/maven.log" >&2
        rm -rf "$work"
        echo "weighhouse: Maven could not get $artifact" >&2
        return 1
      fi
    done
    # Other accounts may read it; last, and by renaming: whoever sees the folder sees all of it.
    if mkdir "$work/home" &&
      tar -xzf "$work/apache-cassandra-$version-bin.tar.gz" -C "$work/home" --strip-components=1 &&
      mv "$work/HdrHistogram-2.1.12.jar" "$work/home/lib/" && chmod -R a+rX "$work/home"; then
      mv -T "$work/home" "$directory" 2>/dev/null || [ -d "$directory/tools" ]
    fi
    rm -rf "$work"
  fi
  export CASSANDRA_STRESS_HOME=$directory
}

cassandra_stress
