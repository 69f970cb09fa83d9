#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a package into a clean Debian 12 and runs the main job there as an ordinary user. Needs root and a package archive.
set -euo pipefail
deb=$(realpath "$1")
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT

# the archives and settings of this machine's apt
cp "$deb" /tmp/longarm-package.deb
mmdebstrap --quiet --variant=apt --mode=root --aptopt=/etc/apt/apt.conf.d \
  --setup-hook='mkdir -p "$1/tmp" && cp /tmp/longarm-package.deb "$1/tmp/longarm.deb"' \
  --customize-hook='chroot "$1" apt-get install -y -qq --no-install-recommends /tmp/longarm.deb >/dev/null' \
  bookworm "$root"
rm /tmp/longarm-package.deb

chroot "$root" useradd --create-home user
mount -t proc proc "$root/proc"
as_user() { chroot "$root" su - user -c "$*"; }
as_user longarm sweep ur5-latency
as_user 'test -s runs/ur5-latency-sweep/report.html && longarm run ur5-topology --set network.backend=ns3 --set length=1s'
as_user 'longarm list | grep -q ur5-waypoints'
chroot "$root" sh -c 'ls /usr/share/man/man1/longarm-run.1* /usr/share/bash-completion/completions/longarm /usr/include/longarm/cell/plugin.h'
echo "the package works in a clean root"
