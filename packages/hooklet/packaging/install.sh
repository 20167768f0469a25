#!/bin/sh
# Installs hooklet from its release tarball, as root: the program to /usr/local, its unit to /etc/systemd/system.
# PREFIX=FOLDER installs the program to FOLDER and leaves systemd alone.
# Versions lie side by side, because a running agent still reads files of its own; /usr/local/bin/hooklet leads to the last one installed.
set -eu
from=$(cd "$(dirname "$0")" && pwd)
prefix=${PREFIX:-/usr/local}
target=$prefix/lib/$(basename "$from")
new=$prefix/lib/.hooklet-new.$$

trap 'rm -rf "$new"' EXIT
mkdir -p "$prefix/lib" "$prefix/bin" "$new"
cp -R "$from/." "$new"
rm -rf "$target"
mv "$new" "$target"
ln -s "$target/bin/hooklet" "$prefix/bin/hooklet.$$"
mv -f "$prefix/bin/hooklet.$$" "$prefix/bin/hooklet"

if [ -z "${PREFIX:-}" ] && [ -d /etc/systemd/system ]; then
  install -m 644 "$target/lib/packaging/hooklet.service" /etc/systemd/system/hooklet.service
  if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
fi

echo "Installed $("$prefix/bin/hooklet" --version) to $target."
echo "Next: hooklet init --config /etc/hooklet/.hookletrc.yaml && systemctl enable --now hooklet"
