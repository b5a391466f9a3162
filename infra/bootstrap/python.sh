#!/usr/bin/env bash
# The Python environment: .venv from requirements.lock, with every part installed in place.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
cd "$root"

parts=()
for file in protocol/pyproject.toml plugins/*/pyproject.toml agent/pyproject.toml \
  backend/pyproject.toml worker/pyproject.toml cli/pyproject.toml tests/weighhouse_testing/pyproject.toml; do
  [ -f "$file" ] && parts+=("$(dirname "$file")")
done
inputs=(requirements.lock infra/bootstrap/python.sh "${parts[@]/%//pyproject.toml}")
stamp=.venv/weighhouse-stamp
current "$stamp" "${inputs[@]}" && exit 0

python=$(command -v python3.11 || command -v python3) || fail "Python 3.11 or newer is missing (Debian: python3, python3-venv)"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "Python 3.11 or newer is needed; $python is $("$python" --version)"
[ -x .venv/bin/python ] || { say "making .venv"; "$python" -m venv .venv; }
[ -x .venv/bin/uv ] || .venv/bin/pip install -q --disable-pip-version-check uv
say "installing Python packages"
.venv/bin/uv pip install -q --python .venv/bin/python --require-hashes -r requirements.lock
editable=()
for part in "${parts[@]}"; do editable+=(-e "./$part"); done
.venv/bin/uv pip install -q --python .venv/bin/python --no-deps --no-build-isolation "${editable[@]}"
mark "$stamp" "${inputs[@]}"
