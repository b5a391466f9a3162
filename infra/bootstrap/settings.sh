# Shared by the scripts of this folder: where caches lie, and how they speak.
# Sourced, never run.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${WEIGHHOUSE_CACHE:-$HOME/.cache/weighhouse}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$cache/target}
mkdir -p "$cache"

say() { if [ -t 2 ]; then printf '\033[2m·\033[0m %s\n' "$*" >&2; else printf '· %s\n' "$*" >&2; fi; }
fail() {
  printf 'weighhouse: %s\n' "$*" >&2
  exit 1
}

# current STAMP FILE...: whether the stamp was made from just these files' contents.
digest() { (cd "$root" && cat -- "$@" 2>/dev/null; printf '%s\n' "$@" "$root") | sha256sum | cut -d' ' -f1; }
current() {
  local stamp=$1
  shift
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(digest "$@")" ]
}
mark() {
  local stamp=$1
  shift
  digest "$@" >"$stamp"
}
