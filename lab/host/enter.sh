#!/bin/sh
# Login shell of the lab host: sshd calls it as `enter -c COMMAND`. STAGE is filled in when written.
# SSH_ORIGINAL_COMMAND is only there when sshd is told to force a command.
[ "${1-}" = -c ] || {
  echo 'This lab host runs commands only: ssh … COMMAND' >&2
  exit 1
}
read -r first <'STAGE/control/first-process' || {
  echo 'The lab host is down.' >&2
  exit 255
}
exec nsenter --target "$first" --user --mount --pid --uts --ipc --net --preserve-credentials -- \
  /usr/bin/env -i -C /root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  HOME=/root USER=root LOGNAME=root SHELL=/bin/bash LC_ALL=C.UTF-8 /bin/sh -c "${SSH_ORIGINAL_COMMAND-$2}"
