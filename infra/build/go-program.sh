# Programs of other projects that are to be had neither from Debian nor from a registry of packages: Go gets
# their source, pinned and checked by go.sum, and builds a program of it (infra/build/NAME; a minute or two, once).
#
# To be sourced: `built_go_program NAME VARIABLE` exports the program's path.

built_go_program() {
  local name=$1 variable=$2 cache=${WEIGHHOUSE_CACHE:-$HOME/.cache/weighhouse}
  local source directory work
  source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/$name || return 1

  if [ -n "${!variable:-}" ]; then return 0; fi
  # Another source is another folder: what was built of the last one is not taken for it.
  directory="$cache/$name/$(cat "$source"/{main.go,go.mod,go.sum} | sha256sum | cut -c1-12)"
  if [ ! -x "$directory/$name" ]; then
    if ! command -v go >/dev/null; then
      echo "weighhouse: go ($(sed -n 's/^go //p' "$source/go.mod") or newer) is needed to build $name" >&2
      return 1
    fi
    echo "· building $name (about two minutes, once)" >&2
    mkdir -p "$cache/$name"
    work=$(mktemp -d "$cache/$name/build.XXXXXX") || return 1
    if (cd "$source" && CGO_ENABLED=0 GOFLAGS=-mod=readonly go build -trimpath -o "$work/home/$name" . \
      >"$work/log" 2>&1); then
      # Other accounts may run it; by renaming: whoever sees the folder sees all of it.
      chmod -R a+rX "$work/home"
      mv -T "$work/home" "$directory" 2>/dev/null || [ -x "$directory/$name" ]
      rm -rf "$work"
    else
      tail -n 15 "$work/log" >&2
      rm -rf "$work"
      echo "weighhouse: $name could not be built" >&2
      return 1
    fi
  fi
  export "$variable=$directory/$name"
}
