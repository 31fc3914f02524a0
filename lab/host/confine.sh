#!/bin/sh
# confine.sh ROOT NAME INIT [BOOT]: makes ROOT the root of this mount namespace and becomes the first
# process of it. Runs as the first process of new pid, mount, uts, ipc and net namespaces.
# BOOT is the file with the boot id of the kernel around it; without one a kernel boots here.
# Says "ready PID" on stdout, PID as the caller's /proc counts it.
set -eu
root=$1 name=$2 init=$3 boot=${4:-/proc/sys/kernel/random/uuid}
read -r pid rest </proc/self/stat

# The copy belongs to this namespace: only such a mount can become its root.
mount --rbind "$root" "$root"
cd "$root"

mount -t tmpfs -o mode=755,size=1m dev dev
for node in null zero full random urandom tty; do
  : >"dev/$node"
  mount --bind "/dev/$node" "dev/$node"
done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 shm dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx

mount -t proc proc proc
mount -t tmpfs -o mode=755 run run
mkdir run/lab
cat "$boot" >run/lab/boot_id
mount --bind run/lab/boot_id proc/sys/kernel/random/boot_id
mount -t tmpfs -o mode=1777 tmp tmp

mkdir run/old
pivot_root . run/old
cd /
umount -l /run/old
rmdir /run/old

mkdir -p /run/lock/lxc /var/lib/lab/faults
ln -s /var/lib/lab/faults /run/lab/faults
hostname "$name"
ip link set lo up || ifconfig lo up

echo "ready $pid"
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
  /bin/bash -c 'exec -a /sbin/init /bin/bash "$0" >/dev/null 2>&1' "$init"
