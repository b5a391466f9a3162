# Apache Cassandra as its project publishes it for Java programs: the server's own classes and what
# they need. Maven fetches and checks them; nothing is compiled.
#
# Sourced before tests and the demo (it exports WEIGHHOUSE_CASSANDRA, the folder with `lib`), or run
# by itself. Does nothing when they are there already. An unpacked Cassandra of another origin does
# as well: set WEIGHHOUSE_CASSANDRA or CASSANDRA_HOME to it.

cassandra_jars() {
  local version=5.0.9
  local cache=${WEIGHHOUSE_CACHE:-$HOME/.cache/weighhouse}
  local directory="$cache/cassandra/$version" work
  local plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1

  if [ -n "${WEIGHHOUSE_CASSANDRA:-}" ]; then return 0; fi
  if [ ! -d "$directory/lib" ]; then
    if ! command -v mvn >/dev/null; then
      echo "weighhouse: mvn is needed to get Cassandra" >&2
      return 1
    fi
    echo "· getting Cassandra $version (about 70 MB, once)" >&2
    mkdir -p "$cache/cassandra"
    work=$(mktemp -d "$cache/cassandra/get.XXXXXX") || return 1
    cat >"$work/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>weighhouse</groupId><artifactId>cassandra</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.cassandra</groupId><artifactId>cassandra-all</artifactId>
      <version>$version</version>
    </dependency>
  </dependencies>
</project>
POM
    if (cd "$work" &&
      mvn -q -B "$plugin:copy-dependencies" -DincludeScope=runtime -DoutputDirectory=home/lib \
        >"$work/maven.log" 2>&1); then
      # Other accounts may read it; last, and by renaming: whoever sees the folder sees all of it.
      chmod -R a+rX "$work/home"
      mv -T "$work/home" "$directory" 2>/dev/null || [ -d "$directory/lib" ]
      rm -rf "$work"
    else
      tail -n 15 "$work/maven.log" >&2
      rm -rf "$work"
      echo "weighhouse: Maven could not get org.apache.cassandra:cassandra-all:$version" >&2
      return 1
    fi
  fi
  export WEIGHHOUSE_CASSANDRA=$directory
}

cassandra_jars
