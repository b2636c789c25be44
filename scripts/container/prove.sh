#!/usr/bin/env bash
# Proves the claims of the Dockerfile. This script needs no container engine: minimal-root.sh makes a root
# file system, which is read-only except for /data. In this file system, the service is process 1, with an
# unprivileged numeric user, no capabilities, and an environment of two variables. This script calls all
# routes of the service from outside. In the end, this script removes its mounts and ends its processes.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: sudo scripts/container/prove.sh

Needs root on Linux, for mounts and namespaces (unshare, setpriv and nsenter of util-linux), curl, and a built dist/.

  NODE=/path/to/node   replaces the Node.js on PATH
  IMAGE_ROOT=FOLDER    runs the files that build-image.sh wrote into FOLDER
  EARLIER_FILE=FILE    starts with a database of an earlier release, which the service upgrades

Exit codes: 0 if every claim holds, 1 if a claim does not hold, 64 if the arguments are wrong,
77 if this machine cannot run the checks.
TEXT
}

case "$#:${1:-}" in
  0:) ;;
  1:--help) usage; exit 0 ;;
  *) usage >&2; exit 64 ;;
esac

impossible() { echo "Cannot prove the claims on this machine: $1" >&2; exit 77; }
fail() { echo "NOT AS CLAIMED  $1" >&2; tail -n 20 "$work/log" >&2; exit 1; }
ok() { echo "ok  $1"; }

[ "$(uname)" = Linux ] || impossible 'this script needs Linux'
[ "$(id -u)" = 0 ] || impossible 'this script needs root, to mount file systems and to become another user'
for tool in unshare setpriv nsenter chroot ldd curl; do
  command -v "$tool" > /dev/null || impossible "there is no $tool"
done
unshare --mount --pid --fork mount -t tmpfs tmpfs /mnt 2> /dev/null || impossible 'mounts or namespaces are not permitted'

here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
[ -f "$project/dist/server.js" ] || impossible 'there is no dist/; run npm run build'
export NODE=${NODE:-$(command -v node)}
user=65532
work=$(mktemp -d)
mkdir "$work/root"
touch "$work/log"
launcher=
server=
cleanup() {
  if [ -n "$launcher" ]; then # the end of the launcher ends process 1 and all mounts
    kill -KILL "$launcher" 2> /dev/null || true
    wait "$launcher" 2> /dev/null || true
  fi
  rm -rf "$work"
}
trap cleanup EXIT

# Process 1, which has its own mounts, runs the following script. The script builds the root file system on a
# tmpfs, makes the file system read-only, and starts the service as an unprivileged user.
# shellcheck disable=SC2016
unshare --mount --pid --fork --kill-child bash -euc '
  root=$1 user=$2 here=$3 image=$4 earlier=$5
  mount -t tmpfs -o mode=755 tmpfs "$root"
  if [ -n "$image" ]; then cp -R "$image/." "$root"; else "$here/minimal-root.sh" "$root"; fi
  mount -t tmpfs -o mode=700,uid=$user,gid=$user,size=16m,nosuid,nodev,noexec tmpfs "$root/data"
  if [ -n "$earlier" ]; then install --mode=600 --owner=$user --group=$user "$earlier" "$root/data/service.sqlite"; fi
  mount -o remount,ro "$root"
  cd "$root"
  exec env --ignore-environment PATH="$PATH" setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid \
    env --ignore-environment PORT=0 DATABASE_URL=sqlite:/data/service.sqlite \
    "$(command -v chroot)" --userspec="$user:$user" --groups= "$root" /bin/node --max-semi-space-size=4 /app/dist/server.js
' -- "$work/root" "$user" "$here" "${IMAGE_ROOT:-}" "${EARLIER_FILE:-}" > "$work/log" 2>&1 < /dev/null &
launcher=$!

url=
for _ in $(seq 200); do
  url=$(sed -n 's/.*"message":"listening","url":"\([^"]*\)".*/\1/p' "$work/log")
  [ -z "$url" ] || break
  kill -0 "$launcher" 2> /dev/null || fail 'the service ended before it listened'
  sleep 0.1
done
[ -n "$url" ] || fail 'the service does not listen'
server=$(cat "/proc/$launcher/task/$launcher/children")
server=${server%% *}

status() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$server/status" | tr '\t' ' '; }
expect() { [ "$2" = "$3" ] || fail "$1: expected \"$3\", got \"$2\""; ok "$1: $2"; }
# inside ARGUMENTS…: runs Node.js next to the service, with the user and the root file system of the service.
inside() {
  env --ignore-environment PORT="${url##*:}" DATABASE_URL=sqlite:/data/service.sqlite \
    "$(command -v nsenter)" --target "$server" --mount --pid --root --wd --setuid "$user" --setgid "$user" /bin/node "$@"
}

expect 'user'                 "$(status Uid)" "$user $user $user $user"
expect 'other groups'         "$(status Groups)" ''
expect 'capabilities'         "$(status CapEff) $(status CapPrm) $(status CapInh)" '0000000000000000 0000000000000000 0000000000000000'
expect 'no new privileges'    "$(status NoNewPrivs)" 1
expect 'process'              "$(status NSpid | sed 's/.* //')" 1
expect 'environment'          "$(tr '\0' ' ' < "/proc/$server/environ")" 'PORT=0 DATABASE_URL=sqlite:/data/service.sqlite '
expect 'folders of the root'  "$(find "/proc/$server/root/" -mindepth 1 -maxdepth 1 ! -name 'lib*' ! -name usr -printf '%P\n' | sort | tr '\n' ' ')" 'app bin data '
expect 'programs in it'       "$(find "/proc/$server/root/" -xdev -type f -perm /111 ! -name '*.so*' -printf '%P ')" 'bin/node '

bash "$project/scripts/smoke.sh" "$url" > "$work/smoke" || { cat "$work/smoke" >&2; fail 'the smoke test'; }
ok "$(grep -c ^ok "$work/smoke") steps of the smoke test"
inside -e "fetch('http://127.0.0.1:${url##*:}/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))" || fail 'the health check'
ok 'health check'
made=$(echo 'a long phrase' | inside /app/dist/admin.js create operator --email root@example.org)
expect 'admin program'           "$made" 'Created the administrator "operator"'
expect 'a file outside of /data' "$(inside -e "try { fs.writeFileSync('/app/new', ''); } catch (error) { process.stdout.write(error.code); }")" EROFS
copy=
if [ -n "${EARLIER_FILE:-}" ]; then
  copy=$(sed -n 's/.*"message":"database upgraded".*"copy":"\/data\/\([^"]*\)".*/\1/p' "$work/log")
  [ -n "$copy" ] || fail 'the file of the earlier release is not upgraded'
  ok "upgraded, with the copy $copy"
fi
expect 'files in /data'          "$(find "/proc/$server/root/data" -type f ! -name "$copy" -printf '%P\n' | sort | tr '\n' ' ')" 'service.sqlite service.sqlite-shm service.sqlite-wal '

ok "memory: $(($(status VmRSS | cut -d ' ' -f 1) / 1024)) MB"
kill -TERM "$server"
code=0
wait "$launcher" || code=$?
launcher=
expect 'exit code after SIGTERM' "$code" 0
echo "All as claimed, with $("$NODE" --version)"
