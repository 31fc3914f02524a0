#!/bin/sh
# stage.sh STAGE DIR NAME NODE SOURCE [PREFIX…]: runs in a mount namespace of its own, where the
# machine's files are all still there; puts together what the lab host will see, and starts it in
# namespaces below this one. What is mounted read-only here cannot be made writable from there.
# PREFIX is put before the command that leaves this level (as root: it gives root up).
set -eu
stage=$1 dir=$2 name=$3 node=$4 source=$5
shift 5

# Short paths that any user may walk, wherever DIR lies.
mount -t tmpfs -o mode=755,size=1m lab "$stage"
mkdir "$stage/control" "$stage/root"
mount --bind "$dir/control" "$stage/control"
mount --bind "$dir/root" "$stage/root"
root=$stage/root

read_only() {
  mount --rbind "$1" "$2"
  mount -o remount,bind,ro,nosuid,nodev "$2"
}

read_only /usr "$root/usr"
for top in bin sbin lib lib32 lib64 libx32; do
  if [ -d "/$top" ] && [ ! -L "/$top" ]; then read_only "/$top" "$root/$top"; fi
done
mount --bind "$dir/local" "$root/usr/local"
lib=$root/usr/local/lib/lab
mount --bind "$node" "$lib/node"
mount -o remount,bind,ro,nosuid,nodev "$lib/node"
read_only "$source" "$lib/proxmox"

# A tool called by its full path must not be the machine's own.
for tool in "$lib"/tools/*; do
  for folder in usr/bin usr/sbin; do
    path=$root/$folder/${tool##*/}
    if [ -f "$path" ] && [ ! -L "$path" ]; then mount --bind "$tool" "$path"; fi
  done
done

# The login of this user is the lab host's root, his shell is the way in.
mount --bind "$stage/control/passwd" /etc/passwd
mount --bind "$stage/control/shadow" /etc/shadow

exec 3<&0
"$@" unshare --user --map-root-user --mount --pid --uts --ipc --net --fork --kill-child \
  --propagation private /bin/sh "$lib/confine.sh" "$root" "$name" /usr/local/lib/lab/host-init.sh <&3 &
exec 3<&- </dev/null
wait
