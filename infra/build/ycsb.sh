# YCSB's own program as its project publishes it in Maven's repository: site.ycsb:core and what it
# needs, with an HdrHistogram that works on Java 11 and newer. Its clients of the systems are not
# there; for tests, javac compiles a stand-in for the Redis one, plugins/ycsb/tests/stand-in.
#
# Sourced before tests (it exports WEIGHHOUSE_YCSB), or run by itself. Does nothing when it is there
# already. An unpacked archive of YCSB, which has all clients, does as well: set WEIGHHOUSE_YCSB.

ycsb() {
  local version=0.17.0
  local cache=${WEIGHHOUSE_CACHE:-$HOME/.cache/weighhouse}
  local plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1
  local here source directory work
  here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || return 1
  source="$here/plugins/ycsb/tests/stand-in/RedisClient.java"

  if [ -n "${WEIGHHOUSE_YCSB:-}" ]; then return 0; fi
  # Another source is another folder: what was compiled from the last one is not taken for it.
  directory="$cache/ycsb/$version-$(sha256sum <"$source" | cut -c1-12)"
  if [ ! -d "$directory/lib" ]; then
    if ! command -v mvn >/dev/null || ! command -v javac >/dev/null; then
      echo "weighhouse: mvn and javac are needed to get YCSB" >&2
      return 1
    fi
    echo "· getting YCSB $version (about 3 MB, once)" >&2
    mkdir -p "$cache/ycsb"
    work=$(mktemp -d "$cache/ycsb/get.XXXXXX") || return 1
    cat >"$work/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>weighhouse</groupId><artifactId>ycsb</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>site.ycsb</groupId><artifactId>core</artifactId><version>$version</version>
    </dependency>
    <dependency>
      <groupId>org.hdrhistogram</groupId><artifactId>HdrHistogram</artifactId>
      <version>2.1.12</version>
    </dependency>
  </dependencies>
</project>
POM
    if (cd "$work" &&
      mvn -q -B "$plugin:copy-dependencies" -DincludeScope=runtime -DoutputDirectory=home/lib \
        >"$work/maven.log" 2>&1 &&
      mkdir -p home/redis-binding/lib classes &&
      javac -cp "home/lib/*" -d classes "$source" >>"$work/maven.log" 2>&1 &&
      jar --create --file home/redis-binding/lib/stand-in.jar -C classes . >>"$work/maven.log" 2>&1); then
      # Other accounts may read it; last, and by renaming: whoever sees the folder sees all of it.
      chmod -R a+rX "$work/home"
      mv -T "$work/home" "$directory" 2>/dev/null || [ -d "$directory/lib" ]
      rm -rf "$work"
    else
      tail -n 15 "$work/maven.log" >&2
      rm -rf "$work"
      echo "weighhouse: Maven could not get site.ycsb:core:$version, or javac its stand-in" >&2
      return 1
    fi
  fi
  export WEIGHHOUSE_YCSB=$directory
}

ycsb
