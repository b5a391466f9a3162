#!/bin/sh
# Makes this machine an agent of the Weighhouse platform that this script was read from, with the
# packages that the platform itself serves, and none from anywhere else.
#
#   --token TOKEN         registration token, from the page Agents (or WEIGHHOUSE_REGISTRATION_TOKEN)
#   --token-file FILE     the token from a file
#   --name NAME           of the agent; default: the host's
#   --systems redis,…     plugins to install; `all`; default: those without large libraries
#   --networks A/B,…      where systems under test may be; default: this machine's own networks
#   --python PROGRAM      Python 3.11 or newer; default: the newest that is found
#   --dry-run             tell what would be done
#   --remove              remove the agent, and all that this script made
set -u
umask 022
address=@ADDRESS@
host=@HOST@
version=@VERSION@
installer=@INSTALLER@
installer_sha256=@INSTALLER_SHA256@
plugins=@PLUGINS@
systems=@SYSTEMS@
authority=@AUTHORITY@
folder=@NAME@

user=weighhouse-agent
root=/opt/weighhouse-agent
home=/var/lib/weighhouse-agent
unit=/etc/systemd/system/weighhouse-agent.service
remover=/usr/local/sbin/weighhouse-agent-remove
programs=$root/programs

say() { printf '%s\n' "$*"; }
fail() {
  printf 'weighhouse-agent: %s\n' "$1" >&2
  printf '  %s\n' "$2" >&2
  exit 1
}

# What removes all of it, by itself: it stays on the machine.
remove_script() {
  cat <<'REMOVER'
#!/bin/sh
# Removes the Weighhouse agent of this machine, and all that its installation made.
# --force: also runs that are not delivered yet.
set -u
user=weighhouse-agent root=/opt/weighhouse-agent home=/var/lib/weighhouse-agent
unit=/etc/systemd/system/weighhouse-agent.service
if [ "$(id -u)" != 0 ]; then
  echo 'weighhouse-agent-remove: only root may remove it; run it with sudo' >&2
  exit 1
fi
waiting=$(find "$home/attempts" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)
if [ "$waiting" -gt 0 ] && [ "${1:-}" != --force ]; then
  echo "weighhouse-agent-remove: $waiting runs are under way or not delivered yet" >&2
  echo '  drain the agent on its page and wait until its spool is empty, or say --force' >&2
  exit 1
fi
if [ -d /run/systemd/system ] && [ -e "$unit" ]; then
  systemctl disable --now weighhouse-agent >/dev/null 2>&1
fi
if [ -e "$root/made-user" ] && number=$(id -u "$user" 2>/dev/null); then
  of_user() {
    for one in /proc/[0-9]*; do
      [ "$(stat -c %u "$one" 2>/dev/null)" = "$number" ] || continue
      # What has ended, and was not reaped yet, has none.
      [ -z "$(tr -d '\0' < "$one/cmdline" 2>/dev/null)" ] || printf '%s\n' "${one#/proc/}"
    done
  }
  of_user | while read -r one; do kill -TERM "$one" 2>/dev/null; done
  left=100
  while [ -n "$(of_user)" ] && [ "$left" -gt 0 ]; do sleep 1; left=$((left - 1)); done
  of_user | while read -r one; do kill -KILL "$one" 2>/dev/null; done
  left=20
  while [ -n "$(of_user)" ] && [ "$left" -gt 0 ]; do sleep 1; left=$((left - 1)); done
  userdel "$user" 2>/dev/null || deluser "$user" >/dev/null 2>&1
  getent group "$user" >/dev/null 2>&1 && groupdel "$user" 2>/dev/null
fi
rm -f "$unit"
[ -d /run/systemd/system ] && systemctl daemon-reload >/dev/null 2>&1
rm -rf "$root" "$home"
rm -f /usr/local/sbin/weighhouse-agent-remove
echo 'the agent is removed; revoke it on its page, where that was not done'
REMOVER
}

# What starts the agent, and goes back to the version of before when a new one does not come up. It
# belongs to root: no update changes it.
start_script() {
  cat <<'START'
#!/bin/sh
# Runs the Weighhouse agent, again when it ends by a fault. After an update `trial` names the version
# of before, until the new one has opened its session; without that in time, the old one runs again.
set -u
programs=/opt/weighhouse-agent/programs
: "${WEIGHHOUSE_AGENT_HOME:=/var/lib/weighhouse-agent}" "${WEIGHHOUSE_TRIAL_SECONDS:=120}"
WEIGHHOUSE_AGENT_PROGRAMS=$programs
# When this script is killed, so is its agent; a run goes on, and the next start finds it.
WEIGHHOUSE_AGENT_STARTER=$$
export WEIGHHOUSE_AGENT_HOME WEIGHHOUSE_AGENT_PROGRAMS WEIGHHOUSE_AGENT_STARTER
if [ -e /opt/weighhouse-agent/ca.pem ]; then
  SSL_CERT_FILE=/opt/weighhouse-agent/ca.pem
  export SSL_CERT_FILE
fi
child='' asked=''
end() {
  asked=yes
  [ -z "$child" ] || kill -TERM "$child" 2>/dev/null
}
trap end TERM INT
go_back() {
  before=$(cat "$programs/trial")
  ln -sfn "$before" "$programs/link" && mv -T "$programs/link" "$programs/current"
  printf '%s\n' "$1" > "$programs/returned"
  rm -f "$programs/trial"
  printf '{"event": "back to the version of before", "reason": "%s"}\n' "$1" >&2
}
while [ -z "$asked" ]; do
  "$programs/current/bin/weighhouse-agent" start &
  child=$!
  left=$WEIGHHOUSE_TRIAL_SECONDS
  while [ -e "$programs/trial" ] && [ -z "$asked" ] && [ "$left" -gt 0 ] && kill -0 "$child" 2>/dev/null
  do sleep 1; left=$((left - 1)); done
  if [ -e "$programs/trial" ] && [ -z "$asked" ]; then
    if kill -0 "$child" 2>/dev/null; then
      kill -KILL "$child" 2>/dev/null
      wait "$child"
      go_back "its new version did not open a session within $WEIGHHOUSE_TRIAL_SECONDS s"
    else
      wait "$child"
      go_back "its new version ended with status $? before it had opened a session"
    fi
    continue
  fi
  wait "$child"
  status=$?
  if [ -n "$asked" ]; then
    left=110
    while kill -0 "$child" 2>/dev/null && [ "$left" -gt 0 ]; do sleep 1; left=$((left - 1)); done
    kill -KILL "$child" 2>/dev/null
    exit 0
  fi
  # 0: ended, 2: not enrolled, 3: not wanted; trying again mends none. 5: its program was replaced.
  case $status in 0 | 2 | 3) exit "$status" ;; 5) continue ;; esac
  sleep 5
done
START
}

unit_file() {
  cat <<'UNIT'
[Unit]
Description=Weighhouse agent
Wants=network-online.target
After=network-online.target time-sync.target

[Service]
User=weighhouse-agent
StateDirectory=weighhouse-agent
StateDirectoryMode=0711
ExecStart=/opt/weighhouse-agent/start
Restart=always
RestartSec=5
# 2: not enrolled, 3: revoked. Trying again mends neither.
RestartPreventExitStatus=2 3
# A run under way is torn down by the agent itself when it is stopped. After a crash of the agent
# the run goes on, and the next start finds it: the unit's other processes must not be killed.
KillMode=process
SendSIGKILL=yes
TimeoutStopSec=120
LimitNOFILE=1048576
NoNewPrivileges=yes
PrivateTmp=yes
ProtectHome=yes
ProtectSystem=full

[Install]
WantedBy=multi-user.target
UNIT
}

policy_file() {
  cat <<POLICY
# What this machine accepts, whatever the platform says. Read anew for every run.
# All keys: infra/agent/policy.toml of the sources, and agent/README.md.

# Which plugins may run: identifiers, or "*" for every one that is installed.
plugins = ["*"]

# Where servers under test and other machines of a run may be. These are this machine's networks.
networks = [$1]

# Whether the platform may replace this agent's program by that of its own version.
updates = true

[machine]
# Where servers under test listen. For runs over several machines: this machine's own address, on a
# network whose every member you trust, for most of these servers ask nobody for a password.
host = "127.0.0.1"
POLICY
}

# All of it is read before any of it is done.
main() {
token=${WEIGHHOUSE_REGISTRATION_TOKEN:-} name='' networks='' python='' dry='' removal='' force=''
while [ $# -gt 0 ]; do
  option=$1
  case $option in
    --dry-run) dry=yes ;;
    --remove) removal=yes ;;
    --force) force=--force ;;
    -h | --help)
      say 'options: --token TOKEN | --token-file FILE, --name NAME, --systems redis,valkey,… | all,'
      say '  --networks 10.0.0.0/24,…, --python PROGRAM, --dry-run, --remove'
      exit 0
      ;;
    --token | --token-file | --name | --systems | --networks | --python)
      [ $# -ge 2 ] || fail "$option is without its value" "write it behind: $option VALUE"
      shift
      case $option in
        --token) token=$1 ;;
        --token-file) token=$(cat "$1") || fail "$1 cannot be read" 'name a file that root may read' ;;
        --name) name=$1 ;;
        --systems) systems=$1 ;;
        --networks) networks=$1 ;;
        --python) python=$1 ;;
      esac
      ;;
    *) fail "there is no option $option" '--help tells which there are' ;;
  esac
  shift
done

if [ -n "$removal" ]; then
  if [ -n "$dry" ]; then
    say "would end the agent, and remove $root, $home, $unit, $remover and the user $user"
    exit 0
  fi
  remove_script | sh -s -- $force
  exit
fi

# Everything that can be known beforehand is looked at before anything is made.
[ "$(uname -s)" = Linux ] || fail "this is $(uname -s), and agents run on Linux" 'choose another machine'
if [ -z "$python" ]; then
  for one in python3.14 python3.13 python3.12 python3.11 python3; do
    if "$one" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      python=$(command -v "$one")
      break
    fi
  done
  [ -n "$python" ] || fail 'no Python 3.11 or newer was found' \
    'install one (Debian: apt install python3), or name it by --python'
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  fail "$python is no Python 3.11 or newer" 'name another by --python'
fi
"$python" -c 'import venv, ssl' 2>/dev/null ||
  fail "$python lacks the modules venv or ssl" 'install the whole of Python (Debian: apt install python3)'
if [ "$systems" = all ]; then chosen=$plugins; else chosen=$(printf '%s' "$systems" | tr ',' ' '); fi
wanted="weighhouse-agent==$version"
for one in $chosen; do
  case " $plugins " in
    *" $one "*) wanted="$wanted weighhouse-plugin-$one" ;;
    *) fail "this platform has no plugin $one" "it has: $plugins" ;;
  esac
done
if command -v useradd >/dev/null 2>&1; then accounts=useradd
elif command -v adduser >/dev/null 2>&1; then accounts=adduser
else accounts=''; fi
if command -v setpriv >/dev/null 2>&1; then become=setpriv
elif command -v runuser >/dev/null 2>&1; then become=runuser
else become=''; fi
[ -n "$networks" ] || networks=$("$python" - <<'NETWORKS'
import ipaddress, json, subprocess
found = ["127.0.0.0/8", "::1/128"]
try:
    told = subprocess.run(["ip", "-j", "address"], capture_output=True, text=True).stdout
    for device in json.loads(told or "[]"):
        for one in device.get("addr_info", []):
            if one.get("scope") == "global":
                net = ipaddress.ip_network(f"{one['local']}/{one['prefixlen']}", strict=False)
                found.append(str(net))
except (OSError, ValueError):
    pass
print(",".join(dict.fromkeys(found)))
NETWORKS
)
listed=$("$python" - "$networks" <<'LISTED'
import ipaddress, json, sys
try:
    nets = [str(ipaddress.ip_network(one.strip())) for one in sys.argv[1].split(",")]
except ValueError as error:
    sys.exit(f"  {error}")
print(", ".join(json.dumps(one) for one in nets))
LISTED
) || fail "--networks $networks cannot be understood" 'write networks as 10.0.0.0/24, with commas between'
if [ -d /run/systemd/system ]; then service=yes; else service=''; fi

if [ -n "$dry" ]; then
  say "would make this machine an agent of $address:"
  say "  a user          $user, who may not sign in"
  say "  programs        $programs/$folder, by $python: $wanted"
  say "                  from $address/agent/simple/ alone"
  say "  a directory     $home, with policy.toml; networks: $listed"
  if [ -n "$service" ]; then say "  a service       $unit, started now and with the machine"
  else say "  no service      systemd does not run here; $root/start starts the agent"; fi
  say "  its removal     $remover"
  say 'and enrol it with the token, and look whether the machine is fit to measure. Nothing was changed.'
  exit 0
fi

[ "$(id -u)" = 0 ] || fail 'only root may make a user and a service' 'pipe it into `sudo sh` in place of `sh`'
[ -n "$token" ] || fail 'the registration token is missing' 'copy the line from the page Agents: it has --token'
[ -n "$accounts" ] || fail 'neither useradd nor adduser is here' 'install the package passwd or shadow'
[ -n "$become" ] || fail 'neither setpriv nor runuser is here' 'install the package util-linux'
for one in "$root" "$home" "$unit" "$remover"; do
  [ ! -e "$one" ] || fail "$one is there already: an agent was installed here" \
    'bring it up to date on the page Agents, or remove it first: weighhouse-agent-remove'
done
! id "$user" >/dev/null 2>&1 || fail "a user $user is there already" \
  "an agent was set up here by hand: end it, and remove the user (userdel $user)"
[ -z "$host" ] || say "the connection to $host is not encrypted; whoever is between can change what is installed"

work=$(mktemp -d) || fail 'no temporary directory can be made' 'is the disk full?'
made='' done=''
undo() {
  status=$?
  trap - EXIT
  rm -rf "$work"
  if [ -z "$done" ] && [ -n "$made" ]; then
    remove_script | sh -s -- --force >/dev/null
    printf '%s\n' 'weighhouse-agent: what was begun is removed again' >&2
  fi
  exit "$status"
}
trap undo EXIT
trap 'exit 130' INT TERM HUP

# The installer, by the digest that stands in this script.
[ -z "$authority" ] || printf '%s\n' "$authority" > "$work/ca.pem"
"$python" - "$address/agent/packages/$installer_sha256/$installer" "$work/$installer" "$installer_sha256" \
  "${authority:+$work/ca.pem}" <<'FETCH' || fail "the installer could not be fetched from $address" \
  'does this machine reach the platform, and does its certificate hold?'
import hashlib, ssl, sys, urllib.request
url, path, digest, authority = sys.argv[1:]
context = ssl.create_default_context(cafile=authority or None)
try:
    with urllib.request.urlopen(url, timeout=60, context=context) as answer:
        content = answer.read(64 << 20)
except OSError as error:
    sys.exit(f"weighhouse-agent: {error}")
if hashlib.sha256(content).hexdigest() != digest:
    sys.exit("weighhouse-agent: what came is not what the platform named")
open(path, "wb").write(content)
FETCH

made=yes
mkdir -p "$root" "${remover%/*}" || fail "$root cannot be made" 'is the file system writable?'
remove_script > "$remover" && chmod 755 "$remover" || fail "$remover cannot be written" 'is the file system writable?'
if [ "$accounts" = useradd ]; then
  useradd --system --user-group --home-dir "$home" --no-create-home --shell /usr/sbin/nologin "$user"
else
  adduser -S -D -H -h "$home" -s /sbin/nologin "$user"
fi || fail "the user $user could not be made" 'see the line above'
: > "$root/made-user"
group=$(id -g "$user")
as_agent() {
  if [ "$become" = setpriv ]; then
    HOME=$home setpriv --reuid "$user" --regid "$group" --clear-groups -- "$@"
  else
    HOME=$home runuser -u "$user" -- "$@"
  fi
}
mkdir "$programs" "$home" && chmod 711 "$home" && chown "$user:$group" "$programs" "$home" ||
  fail "$programs and $home could not be made" 'is the disk full?'
[ -z "$authority" ] || cp "$work/ca.pem" "$root/ca.pem"
start_script > "$root/start" && chmod 755 "$root/start" || fail "$root/start could not be written" 'is the disk full?'
policy_file "$listed" > "$home/policy.toml" && chmod 644 "$home/policy.toml" ||
  fail "$home/policy.toml could not be written" 'is the disk full?'
cp "$work/$installer" "$root/$installer" && chmod 644 "$root/$installer"

say "installing version $version from $address"
cd "$root" || exit 1
as_agent "$python" -c '' 2>/dev/null || fail "the user $user may not run $python" \
  'name by --python one that everybody may run; below /root nobody else may'
as_agent "$python" -m venv --without-pip "$programs/$folder" || fail 'no virtual environment could be made' \
  'see the lines above; is the disk full?'
set -- "$programs/$folder/bin/python" "$root/$installer/pip" --isolated --disable-pip-version-check \
  --no-cache-dir --quiet
[ -z "$authority" ] || set -- "$@" --cert "$root/ca.pem"
[ -z "$host" ] || set -- "$@" --trusted-host "$host"
as_agent env PIP_CONFIG_FILE=/dev/null "$@" install --only-binary :all: --no-compile \
  --index-url "$address/agent/simple/" $wanted ||
  fail "the packages could not be installed from $address" \
    'see the lines above; where no file fits this Python, another is named by --python'
as_agent ln -s "$folder" "$programs/current" || fail "$programs/current could not be made" 'is the disk full?'
rm -f "$root/$installer"

[ -z "$authority" ] || { SSL_CERT_FILE=$root/ca.pem; export SSL_CERT_FILE; }
set -- --home "$home" --url "$address"
[ -z "$name" ] || set -- "$@" --name "$name"
WEIGHHOUSE_REGISTRATION_TOKEN=$token
export WEIGHHOUSE_REGISTRATION_TOKEN
as_agent "$programs/current/bin/weighhouse-agent" enrol "$@" ||
  fail 'the platform did not take this machine' 'see the lines above; a new token is made on the page Agents'
if [ -n "$service" ]; then
  unit_file > "$unit" && systemctl daemon-reload && systemctl enable --now weighhouse-agent ||
    fail 'the service could not be started' 'see the lines above; then revoke the agent on its page'
fi
done=yes
as_agent "$programs/current/bin/weighhouse-agent" doctor --home "$home"
if [ -n "$service" ]; then
  say 'the agent runs: systemctl status weighhouse-agent'
else
  say "systemd does not run here; start the agent with: setpriv --reuid $user --regid $group --clear-groups $root/start"
fi
say "what it may run says $home/policy.toml; it is removed by weighhouse-agent-remove"
}

main "$@" </dev/null
