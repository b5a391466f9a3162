#!/usr/bin/env bash
# The packages on a machine that has nothing: Debian 12 with Python alone, and an ordinary user in it. Ends
# with the demo's comparison, and with what that cost. Needs root and debootstrap.
# usage: empty-machine.sh [PACKAGES [EXTRAS]], for example: empty-machine.sh build/packages embedded,rocksdb
set -euo pipefail
. "$(dirname "$0")/../bootstrap/settings.sh"
cd "$root"
packages=$(realpath "${1:-build/packages}")
extras=${2:-embedded}
machine=$cache/packages/empty-machine
home=$machine/home/lab

[ "$(id -u)" = 0 ] || fail "this needs root: it makes a machine of its own, and mounts into it"
command -v debootstrap >/dev/null || fail "debootstrap is missing (Debian: apt-get install debootstrap)"
[ -f "$packages/release.json" ] || fail "$packages has no release.json: \`make packages\` builds them"
if [ ! -f "$machine/made" ]; then
  say "making a machine with Python alone"
  rm -rf --one-file-system "$machine"
  debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$machine" >/dev/null
  chroot "$machine" useradd --create-home lab
  touch "$machine/made"
fi
mounted=()
leave() { for one in ${mounted[@]+"${mounted[@]}"}; do umount "$machine/$one"; done; }
trap leave EXIT
# into KIND SOURCE PLACE [OPTION…]: mount into the machine, and take it out again at the end.
into() { mkdir -p "$machine/$3" && mount -t "$1" "${@:4}" "$2" "$machine/$3" && mounted=("$3" "${mounted[@]}"); }
into proc proc proc
into tmpfs tmpfs dev -o mode=755
for one in null zero full random urandom; do cp -a "/dev/$one" "$machine/dev/"; done
into tmpfs tmpfs dev/shm -o mode=1777
cp -L /etc/resolv.conf /etc/hosts "$machine/etc/"
cp -L /etc/ssl/certs/ca-certificates.crt "$machine/etc/ssl/certs/"
rm -rf --one-file-system "$home"/* && mkdir "$home/packages" && cp "$packages"/* "$home/packages/"
cat >"$home/weigh.sh" <<'WEIGH'
set -euo pipefail
cd ~
for program in cargo node java psql redis-server valkey-server; do
  ! command -v $program || { echo "$program is here"; exit 1; }
done
id && python3 --version
# spent NAME: a file with the processor seconds of all that was started and has ended.
spent() { times >times && awk -F '[ms ]+' 'NR == 2 {printf "%d", $1 * 60 + $2 + $3 * 60 + $4}' times >"$1"; }
SECONDS=0
python3 -m venv here
here/bin/pip install --no-cache-dir --disable-pip-version-check \
  --find-links packages -c packages/constraints.txt "weighhouse[$1]" >pip.log
installed=$SECONDS && spent by-pip
SECONDS=0
here/bin/weighhouse demo --once </dev/null
demo=$SECONDS && spent by-all
downloaded=$(grep -oE '\([0-9.]+ [kM]B\)' pip.log | tr -d '()' | awk '{sum += $1 / ($2 == "kB" ? 1000 : 1)} END {printf "%d", sum}')
on_disk=$(du -sm --exclude=__pycache__ here | cut -f1)
compiled=$(($(du -sm here | cut -f1) - on_disk))
(cd here/lib/python3*/site-packages && du -sm --exclude=__pycache__ -- */ | sort -rn | sed -n 1,12p)
echo "installed in $installed s ($(cat by-pip) of a processor): $downloaded MB downloaded, $on_disk MB on disk and" \
  "$compiled MB of compiled Python; demo in $demo s ($(($(cat by-all) - $(cat by-pip))) of a processor)"
WEIGH
chroot "$machine" chown -R lab: /home/lab
chroot --userspec=lab: "$machine" env -i HOME=/home/lab PATH=/usr/bin:/bin \
  WEIGHHOUSE_PORT="${WEIGHHOUSE_PORT:-8480}" ${PIP_CERT:+PIP_CERT="$PIP_CERT"} bash /home/lab/weigh.sh "$extras"
