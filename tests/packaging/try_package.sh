#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks a package with lintian, installs it into a clean Debian 12 and runs the main job there as an ordinary user. Needs
# root and a package archive. Called with the package, and optionally the archive of a clean Debian 12 to begin with.
set -euo pipefail
deb=$(realpath "$1")
base=${2:-}
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT

say() { printf 'try_package: %s (%s s)\n' "$*" "$SECONDS"; }

say "lintian"
# Not mended: there is no address to write to, and nobody waits for a bug in Debian's tracker to be closed.
lintian --fail-on error,warning --suppress-tags bogus-mail-host,initial-upload-closes-no-bugs "$deb"

say "making a clean root"
if [ -n "$base" ]; then
  tar -xf "$base" -C "$root"
else
  mmdebstrap --quiet --variant=apt --mode=root bookworm "$root"
fi
chmod 755 "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"

say "installing"
cp "$deb" "$root/tmp/longarm.deb"
in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
in_root apt-get -qq update
in_root apt-get -qq install -y --no-install-recommends /tmp/longarm.deb >"$root/tmp/apt.log" 2>&1 ||
  { cat "$root/tmp/apt.log"; exit 1; }
in_root useradd --create-home --shell /bin/bash user
as_user() { in_root su - user -c "$*"; }

say "the main job"
as_user longarm sweep ur5-latency
as_user 'grep -q report-data runs/ur5-latency-sweep/report.html && test -s runs/ur5-latency-sweep/study.db'
# more than a page that says that npm was not there
as_user 'test $(stat -c %s runs/ur5-latency-sweep/report.html) -gt 100000'

say "ns-3, a cell, the viewer"
as_user longarm run armar-rectangle --set network.backend=ns3 --set length=1s
as_user longarm run aprs-kitting --set length=2s --out runs/kitting
as_user longarm view runs/kitting --out kitting.html

say "what else it brings"
for file in share/man/man1/longarm.1.gz share/man/man1/longarm-run.1.gz share/man/man1/longarm-ns3.1.gz \
  share/bash-completion/completions/longarm share/doc/longarm/copyright share/doc/longarm/changelog.Debian.gz \
  share/longarm/scenarios/ur5-waypoints.yaml share/longarm/studies/ur5-latency.yaml share/longarm/models/ur5/ur5.urdf \
  include/longarm/cell/plugin.h lib/cmake/longarm/longarmConfig.cmake; do
  test -e "$root/usr/$file" || { echo "no /usr/$file"; exit 1; }
done
# as bash calls it: subcommands, options of one, scenarios
completes() {  # completes WORDS EXPECTED
  as_user "source /usr/share/bash-completion/completions/longarm; COMP_WORDS=($1); COMP_CWORD=\$((\${#COMP_WORDS[@]} - 1))
    _longarm; [ \"\${COMPREPLY[*]}\" = '$2' ] || { echo \"'$1' completes to '\${COMPREPLY[*]}'\"; exit 1; }"
}
completes "longarm ma" margin
completes "longarm run --ref" --reference
completes "longarm run ur5-way" ur5-waypoints
say "the package works in a clean root"
