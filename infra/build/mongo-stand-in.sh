# A wire-compatible stand-in, not MongoDB, for the tests of the mongodb driver: mongo-java-server, a
# server in memory that answers MongoDB's protocol. Maven fetches and checks it; javac compiles the
# few lines that start it, engine/testkit/stand-in/MongoStandIn.java.
#
# Sourced before tests (it exports WEIGHHOUSE_MONGO_STAND_IN, the folder with `lib` and `classes`), or
# run by itself. Does nothing when they are there already. Nothing but tests makes use of it.

mongo_stand_in() {
  local version=1.47.0
  local cache=${WEIGHHOUSE_CACHE:-$HOME/.cache/weighhouse}
  local plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1
  local here source directory work
  here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || return 1
  source="$here/engine/testkit/stand-in/MongoStandIn.java"

  if [ -n "${WEIGHHOUSE_MONGO_STAND_IN:-}" ]; then return 0; fi
  # Another source is another folder: what was compiled from the last one is not taken for it.
  directory="$cache/mongo-stand-in/$version-$(sha256sum <"$source" | cut -c1-12)"
  if [ ! -d "$directory/classes" ]; then
    if ! command -v mvn >/dev/null || ! command -v javac >/dev/null; then
      echo "weighhouse: mvn and javac are needed to get the stand-in for MongoDB" >&2
      return 1
    fi
    echo "· getting mongo-java-server $version, a stand-in for MongoDB in tests (about 3 MB, once)" >&2
    mkdir -p "$cache/mongo-stand-in"
    work=$(mktemp -d "$cache/mongo-stand-in/get.XXXXXX") || return 1
    cat >"$work/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>weighhouse</groupId><artifactId>mongo-stand-in</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>de.bwaldvogel</groupId><artifactId>mongo-java-server</artifactId>
      <version>$version</version>
    </dependency>
  </dependencies>
</project>
POM
    if (cd "$work" &&
      mvn -q -B "$plugin:copy-dependencies" -DincludeScope=runtime -DoutputDirectory=home/lib \
        >"$work/log" 2>&1 &&
      javac -cp "home/lib/*" -d home/classes "$source" >>"$work/log" 2>&1); then
      # Other accounts may read it; last, and by renaming: whoever sees the folder sees all of it.
      chmod -R a+rX "$work/home"
      mv -T "$work/home" "$directory" 2>/dev/null || [ -d "$directory/classes" ]
      rm -rf "$work"
    else
      tail -n 15 "$work/log" >&2
      rm -rf "$work"
      echo "weighhouse: the stand-in de.bwaldvogel:mongo-java-server:$version could not be made" >&2
      return 1
    fi
  fi
  export WEIGHHOUSE_MONGO_STAND_IN=$directory
}

mongo_stand_in
