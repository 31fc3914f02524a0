#!/bin/sh
# monitor.sh VMID NAME: what stays beside a container while it runs. One that was told to restart from
# inside is started again, as lxc-start does it.
vmid=$1 name=$2
power=/var/lib/lxc/$vmid/rootfs/var/lib/lab/power
rm -f "$power"
unshare --mount --pid --uts --ipc --net --fork --propagation private \
  /bin/sh /usr/local/lib/lab/container.sh "/var/lib/lxc/$vmid" "$name"
# Its pipes are those of whoever started it, who is gone by now.
exec >/dev/null 2>&1
read -r wish <"$power" || exit 0
[ "$wish" = reboot ] || exit 0
exec /usr/local/lib/lab/node /usr/local/lib/lab/proxmox/main.ts pct start "$vmid"
