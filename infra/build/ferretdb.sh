# FerretDB v1, Apache-2.0, for tests and for machines that have none: Go gets its source, pinned and
# checked by go.sum, and builds a program of it (infra/build/ferretdb/main.go; one to two minutes,
# once). Nothing that users start depends on it: without Go, tests of FerretDB say that they do not run.
#
# Sourced (it exports WEIGHHOUSE_FERRETDB, the program's path), or run by itself.

built_ferretdb() {
  local cache=${WEIGHHOUSE_CACHE:-$HOME/.cache/weighhouse}
  local source directory work
  source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/ferretdb || return 1

  if [ -n "${WEIGHHOUSE_FERRETDB:-}" ]; then return 0; fi
  # Another source is another folder: what was built of the last one is not taken for it.
  directory="$cache/ferretdb/$(cat "$source"/{main.go,go.mod,go.sum} | sha256sum | cut -c1-12)"
  if [ ! -x "$directory/ferretdb" ]; then
    if ! command -v go >/dev/null; then
      echo "weighhouse: go (1.24 or newer) is needed to build FerretDB" >&2
      return 1
    fi
    echo "· building FerretDB (about two minutes, once)" >&2
    mkdir -p "$cache/ferretdb"
    work=$(mktemp -d "$cache/ferretdb/build.XXXXXX") || return 1
    if (cd "$source" && CGO_ENABLED=0 GOFLAGS=-mod=readonly go build -trimpath -o "$work/home/ferretdb" . \
      >"$work/log" 2>&1); then
      # Other accounts may run it; by renaming: whoever sees the folder sees all of it.
      chmod -R a+rX "$work/home"
      mv -T "$work/home" "$directory" 2>/dev/null || [ -x "$directory/ferretdb" ]
      rm -rf "$work"
    else
      tail -n 15 "$work/log" >&2
      rm -rf "$work"
      echo "weighhouse: FerretDB could not be built" >&2
      return 1
    fi
  fi
  export WEIGHHOUSE_FERRETDB=$directory/ferretdb
}

built_ferretdb
