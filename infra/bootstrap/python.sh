#!/usr/bin/env bash
# The Python environment: .venv from requirements.lock, with every part installed in place.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
cd "$root"

parts=()
for file in protocol/pyproject.toml judging/pyproject.toml plugins/*/pyproject.toml agent/pyproject.toml \
  backend/pyproject.toml worker/pyproject.toml cli/pyproject.toml; do
  [ -f "$file" ] && parts+=("$(dirname "$file")")
done
packages=(requirements.lock infra/bootstrap/python.sh)
inputs=("${packages[@]}" "${parts[@]/%//pyproject.toml}")
current .venv/weighhouse-stamp "${inputs[@]}" && exit 0

python=$(command -v python3.11 || command -v python3) || fail "Python 3.11 or newer is missing (Debian: python3, python3-venv)"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "Python 3.11 or newer is needed; $python is $("$python" --version)"
# One after the other, should two ask at once.
exec 9>"$cache/python.lock"
flock 9
[ -x .venv/bin/python ] || { say "making .venv"; "$python" -m venv .venv || fail "the Debian package python3-venv is missing"; }
[ -x .venv/bin/uv ] || { say "getting uv"; .venv/bin/pip install -q --disable-pip-version-check uv; }
# Compiled once here, not at each program's start, also where the environment has Python keep nothing.
uv=(.venv/bin/uv pip install --compile-bytecode --python .venv/bin/python)
if ! current .venv/weighhouse-packages "${packages[@]}"; then
  say "installing Python packages"
  "${uv[@]}" --no-deps --require-hashes -r requirements.lock 2>&1 | python3 infra/bootstrap/progress.py uv "Python packages"
  mark .venv/weighhouse-packages "${packages[@]}"
fi
editable=()
for part in "${parts[@]}"; do editable+=(-e "./$part"); done
say "installing the parts in place: ${parts[*]}"
if ! "${uv[@]}" -q --no-deps --no-build-isolation "${editable[@]}" 2>"$cache/python.log"; then
  # One broken part keeps nobody from working on the others.
  broken=()
  for part in "${parts[@]}"; do
    "${uv[@]}" -q --no-deps --no-build-isolation -e "./$part" 2>"$cache/python.log" || {
      broken+=("$part")
      tail -n 3 "$cache/python.log" >&2
    }
  done
  fail "not installed: ${broken[*]}"
fi
mark .venv/weighhouse-stamp "${inputs[@]}"
