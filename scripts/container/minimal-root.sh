#!/bin/sh
# Makes a root file system that holds only what the service needs: Node.js, its shared libraries, dist/,
# static/ and package.json. The Dockerfile builds its image from this file system, and prove.sh runs the
# service in it.
set -eu

if [ $# -ne 1 ] || [ "$1" = --help ]; then
  echo 'Usage: NODE=/path/to/node scripts/container/minimal-root.sh FOLDER     (default of NODE: the Node.js on PATH; npm run build must have made dist/)' >&2
  exit 64
fi
project=$(cd "$(dirname "$0")/../.." && pwd)
node=$(readlink -f "${NODE:-$(command -v node)}")
root=$1

mkdir -p "$root/app" "$root/bin" "$root/data"
chmod 700 "$root/data"
cp "$node" "$root/bin/node"
# ldd prints lines such as "libm.so.6 => /lib/…/libm.so.6 (0x…)", and a line such as
# "/lib64/ld-linux-x86-64.so.2 (0x…)" for the loader.
ldd "$node" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp --dereference "$library" "$root$library"
done
cp -R "$project/dist" "$project/static" "$project/package.json" "$root/app/"
