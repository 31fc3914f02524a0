# Lives on the host beside one command, in a session of its own: it outlives the connection and the
# daemon. POSIX sh with coreutils or busybox. Arguments: spool, time limit in seconds, seconds from
# TERM to KILL or `never`, bytes of head and of tail kept of each stream.
#
# The spool holds `pid` (this program, its start time, boot id), `cmd`, `out` and `err` (the heads),
# `index` (`o 120`: by now 120 bytes of stdout; its order is the order of both streams), `out.0` and
# `out.1` (the end of a stream that outgrew its head), `exit` (exit code, why it was stopped, uptime
# at the end, how a Proxmox task ended or `-`), `tasks` (their UPIDs), `none` (there was no space to
# begin), and `stop`, which asks for an early end. Followers wait at `bell.*` and are rung.
#
# - `pid` is made with O_EXCL: whoever makes it decides, once, whether the command ever starts.
# - Both streams are read to their end whatever is kept, or the command would block for ever.
# - One loop waits for everything at `ctl`: nothing is polled while the command runs.
# - A stop reaches all descendants, but for Proxmox tasks: these are ended by their UPID, and are waited
#   for also when the tool that started them is gone.
d=$1 limit=$2 grace=$3 head=$4 tail=$5
task_patience=90 after_kill=5
cd / || exit
read -r boot </proc/sys/kernel/random/boot_id
read -r stat <"/proc/$$/stat"
set -- ${stat##*) }
shift 19
set -C
if ! { echo "$$ $1 $boot" >"$d/pid"; } 2>/dev/null; then
  # Somebody was quicker, or there is no space for it: a name more can be had all the same.
  [ -s "$d/pid" ] || mv "$d/exit.new" "$d/none"
  exit
fi
set +C
trap : HUP INT TERM
exec 3<>"$d/ctl"
timers='' stopped='' code='' group='' family='' ends=0 tasks='' held='' task=-

ring() {
  for bell in "$d"/bell.*; do
    if [ -p "$bell" ] && [ -s "$bell.armed" ]; then echo r 1<>"$bell"; fi
  done
}
note() { echo "$*" >>"$d/index"; ring; }
timer() {
  ( trap 'kill "$!" 2>/dev/null; exit' TERM; sleep "$1" 3<&- & wait "$!"; echo "$2" >&3 ) &
  timers="$timers $!"
}

# take COUNT FILE SIZE: appends what the pipe gives in so many reads to a file of that size; $taken
# says how much, 0 at its end. Not every busybox says how many bytes it copied.
take() {
  said=$(LC_ALL=C dd bs=65536 count="$1" 2>&1 >>"$2") || return 1
  set -- "$2" "$3" ${said##*records out}
  taken=${3:-$(($(wc -c <"$1") - $2))}
}
# keep o|e FILE: the first bytes as they come, then the last ones in two files by turns.
keep() {
  size=0
  while [ "$size" -lt "$head" ]; do
    take 1 "$2" "$size" || break
    [ "$taken" -gt 0 ] || { echo eof >&3; return; }
    # A child that outlived the command is read on, but its words come too late.
    [ -e "$d/exit" ] && break
    size=$((size + taken))
    note "$1 $size"
  done
  k=0 now=0 other=0 dropped=0
  [ "$size" -lt "$head" ] || echo "0 0" >"$2.cut"
  while [ -e "$2.cut" ] && take 16 "$2.$k" "$now"; do
    [ "$taken" -gt 0 ] || { echo eof >&3; return; }
    [ -e "$d/exit" ] && break
    now=$((now + taken))
    note m
    if [ "$now" -ge "$tail" ]; then
      k=$((1 - k)) dropped=$((dropped + other)) other=$now now=0
      printf '' >"$2.$k"
      echo "$k $dropped" >"$2.cut"
    fi
  done
  # Also where the disk is full: what cannot be kept is read all the same.
  cat >/dev/null
  echo eof >&3
}

descendants() {
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v root="$group" -v tasks="$tasks" '
    { pid = $1; sub(/^.*\) /, ""); up[pid] = $2; born[pid] = $20 }
    END {
      seen[root] = 1
      do {
        more = 0
        for (p in up) if (!(p in seen) && (up[p] in seen) && !index(tasks, " " up[p] "/")) { seen[p] = 1; more = 1; print p "/" born[p] }
      } while (more)
    }'
}
# lives PID/START: still the same process, and not only waiting to be reaped.
lives() {
  want=${1#*/}
  { read -r stat <"/proc/${1%/*}/stat"; } 2>/dev/null || return 1
  set -- ${stat##*) }
  case $1 in Z | X) return 1 ;; esac
  shift 19
  [ "$1" = "$want" ]
}
group_lives() {
  # Zombies count for kill: somebody must be more than that.
  kill -0 "-$group" 2>/dev/null && cat /proc/[0-9]*/stat 2>/dev/null | awk -v group="$group" '
    { sub(/^.*\) /, ""); if ($3 == group && $1 != "Z" && $1 != "X") found = 1 } END { exit !found }'
}
# in_guest PID: a process of a guest has more numbers than the one it has here.
in_guest() {
  set -- $(sed -n 's/^NSpid://p' "/proc/$1/status" 2>/dev/null)
  [ "$#" -ne 1 ]
}
# find_tasks: the workers of tasks among the descendants, as ` PID/START,UPID`. Their title is `task UPID`,
# and counts only where it holds this very node and process: nobody can have another one's task ended.
find_tasks() {
  read -r host </proc/sys/kernel/hostname
  for member in $(descendants); do
    title=$(tr '\0' '\n' 2>/dev/null <"/proc/${member%/*}/cmdline" | head -n 1)
    upid=${title#task }
    case $title in "task UPID:${host%%.*}:"*) ;; *) continue ;; esac
    case $upid in *[!A-Za-z0-9:@._!-]*) continue ;; esac
    named=$( (IFS=:; set -f; set -- $upid; echo "$((0x$3))/$((0x$4))") 2>/dev/null)
    [ "$named" = "$member" ] || continue
    in_guest "${member%/*}" && continue
    case $tasks in *"$upid"*) continue ;; esac
    tasks="$tasks $member,$upid"
    echo "$upid" >>"$d/tasks"
  done
}
tasks_live() { for one in $tasks; do lives "${one%%,*}" && return 0; done; return 1; }
# on_task VERB UPID [/status …]: asks the node that the UPID names.
on_task() {
  node=${2#UPID:}
  verb=$1 path=/nodes/${node%%:*}/tasks/$2$3
  timeout 60 pvesh "$verb" "$path" --output-format json 3<&- </dev/null 2>/dev/null
}
end_tasks() {
  for one in $tasks; do
    lives "${one%%,*}" || continue
    ( on_task delete "${one#*,}" || { one=${one%%,*}; kill -TERM "${one%/*}"; } ) >/dev/null 2>&1 &
  done
}
# How the last task ended, as one short word.
task_end() {
  said=$(on_task get "${tasks##*,}" /status | sed -n 's/.*"exitstatus" *: *"\([^"]*\)".*/\1/p')
  task=$(printf %s "${said:-unknown}" | tr -c 'A-Za-z0-9.:,-' _ | cut -c 1-80)
}
anybody() {
  for member in $family; do lives "$member" && return 0; done
  group_lives
}
signal() {
  # Before setsid has run there is no such group yet: then the process itself is meant.
  kill "-$1" "-$group" 2>/dev/null || kill "-$1" "$group" 2>/dev/null
  for member in $family; do
    case $tasks in *" $member,"*) continue ;; esac
    lives "$member" && kill "-$1" "${member%/*}" 2>/dev/null
  done
}
stop() {
  stopped=$1
  [ "$grace" != never ] || find_tasks
  family=$(descendants)
  end_tasks
  # Once the command is gone, its number may be another's.
  [ -n "$code" ] || signal TERM
  if [ "$grace" = never ]; then timer "$task_patience" still; else timer "$grace" kill; fi
}

keep o "$d/out" <"$d/o" &
keep e "$d/err" <"$d/e" &
(
  ( trap - HUP INT TERM; . "$d/cmd" ) </dev/null >"$d/o" 2>"$d/e" 3<&- &
  echo "pid $!" >&3
  wait "$!"
  echo "exit $?" >&3
) &
timer "$limit" limit
# Only while what started a task lives can it be told which one is its own.
if [ "$grace" = never ]; then
  ( trap 'kill "$!" 2>/dev/null; exit' TERM
    pause=0.5
    while :; do sleep "$pause" 3<&- & wait "$!"; echo look >&3; pause=2; done ) &
  timers="$timers $!"
fi
stoppable() { [ -z "$stopped" ] && [ -n "$group" ] && { [ -z "$code" ] || [ -n "$held" ]; }; }
while :; do
  [ -e "$d/stop" ] && stoppable && stop cancel
  if [ -n "$code" ] && [ "$ends" -ge 2 ]; then
    if [ -n "$stopped" ]; then
      anybody || break
      timer 0.1 tick
    else
      [ -n "$held" ] && tasks_live || break
    fi
  fi
  read -r what value <&3
  case $what in
  pid) group=$value; echo "$group" >"$d/group" ;;
  exit)
    code=$value
    tasks_live && held=1
    timer 2 late ;;
  look) [ -n "$code" ] || find_tasks ;;
  eof) ends=$((ends + 1)) ;;
  late) ends=2 ;;
  limit) stoppable && stop limit ;;
  kill) signal KILL; timer "$after_kill" still ;;
  still)
    printf '' >"$d/still"
    ring
    [ -n "$code" ] && break ;;
  esac
done
[ -n "$tasks" ] && { [ -n "$held$stopped" ] || [ "$code" -gt 128 ]; } && task_end
read -r up _ </proc/uptime
# Its place on the disk is taken since before the start.
echo "$code ${stopped:-none} ${up%.*} $task ." 1<>"$d/exit.new"
mv "$d/exit.new" "$d/exit"
ring
# Nobody waits for this; it only makes a power cut that comes now lose less. Not every sync knows files.
sync "$d/out" "$d/err" "$d/index" "$d/exit" "$d" 2>/dev/null
for one in $timers; do kill "$one" 2>/dev/null; done
