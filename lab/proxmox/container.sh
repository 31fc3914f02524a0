#!/bin/sh
# container.sh FOLDER NAME: the mounts of a container of the lab, inside namespaces of its own.
# FOLDER holds rootfs and local, its /usr/local.
set -eu
folder=$1 name=$2
root=$folder/rootfs

mount --rbind /usr "$root/usr"
for top in bin sbin lib lib32 lib64 libx32; do
  if [ -d "/$top" ] && [ ! -L "/$top" ]; then mount --rbind "/$top" "$root/$top"; fi
done
mount --bind "$folder/local" "$root/usr/local"
mount --rbind /usr/local/lib/lab "$root/usr/local/lib/lab"
exec /bin/sh /usr/local/lib/lab/confine.sh "$root" "$name" /usr/local/lib/lab/container-init.sh \
  /run/lab/boot_id
