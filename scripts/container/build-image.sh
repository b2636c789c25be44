#!/usr/bin/env bash
# Builds the image of the Dockerfile with buildah, without pulling another image. The base image is made of
# Node.js, npm and a few tools of this machine, and gets the name that the Dockerfile expects, so that the
# steps of the Dockerfile run unchanged.
set -euo pipefail

if [ $# -ne 1 ] || [ "$1" = --help ]; then
  cat <<'TEXT'
Usage: sudo scripts/container/build-image.sh FOLDER

Builds the image, prints its size, and writes the files of the image into FOLDER, which must not exist yet.
The script prove.sh can run these files. NODE=/path/to/node replaces the Node.js on PATH.
Exit codes: 0 built, 1 failed, 64 wrong arguments, 77 not possible on this machine.
TEXT
  [ $# -eq 1 ] && exit 0 || exit 64
fi
for tool in buildah ldd npm; do
  command -v "$tool" > /dev/null || { echo "Cannot build the image: there is no $tool" >&2; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo 'Cannot build the image: run this script as root' >&2; exit 77; }

here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
node=${NODE:-$(command -v node)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
run() { buildah --root "$work/storage" --runroot "$work/run" "$@"; }

# copy_program PROGRAM TARGET: copies a program of this machine, and the libraries that the program needs.
copy_program() {
  local target=$base/$2
  mkdir -p "$(dirname "$target")"
  cp --dereference "$1" "$target"
  { ldd "$1" 2> /dev/null || true; } | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' |
    while read -r library; do
      mkdir -p "$base$(dirname "$library")"
      cp --dereference "$library" "$base$library"
    done
}

base=$work/base
mkdir -p "$base/tmp" "$base/root" "$base/etc/ssl/certs" "$base/usr/lib/node_modules"
chmod 1777 "$base/tmp"
echo 'root:x:0:0:root:/root:/bin/sh' > "$base/etc/passwd"
copy_program "$node" usr/bin/node
for tool in sh bash cat chmod chown cp dirname env ldd mkdir readlink rm sed uname; do
  copy_program "$(command -v "$tool")" "usr/bin/$tool"
done
ln -s usr/bin "$base/bin"
npm=$(readlink -f "$(command -v npm)") # for example /usr/lib/node_modules/npm/bin/npm-cli.js
cp -R "${npm%/bin/npm-cli.js}" "$base/usr/lib/node_modules/npm"
printf '#!/bin/sh\nexec node /usr/lib/node_modules/npm/bin/npm-cli.js "$@"\n' > "$base/usr/bin/npm"
chmod 755 "$base/usr/bin/npm"

name=$(sed -n 's/^FROM \(.*\) AS build$/\1/p' "$here/Dockerfile")
authorities=/etc/ssl/certs/ca-certificates.crt # the certificate authorities that this machine trusts
[ ! -f "$authorities" ] || cp "$authorities" "$base$authorities"
container=$(run from scratch)
run copy "$container" "$base" / > "$work/log"
run config --env PATH=/usr/bin --env HOME=/root --env NODE_EXTRA_CA_CERTS=$authorities "$container"
run commit --quiet "$container" "docker.io/library/$name" >> "$work/log"

run build --pull-never --quiet --file "$here/Dockerfile" --tag rollcall "$project" >> "$work/log" 2>&1 ||
  { cat "$work/log" >&2; exit 1; }
image=$(run from --pull-never rollcall)
cp -a "$(run mount "$image")" "$1"
run umount "$image" > /dev/null
run inspect --type image --format 'user {{.OCIv1.Config.User}}, command {{.OCIv1.Config.Cmd}}' rollcall
echo "$(du --summarize --block-size=1000000 "$1" | cut -f 1) MB"
