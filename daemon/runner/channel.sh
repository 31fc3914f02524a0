# The near side of a detached run, sent on stdin of `sh -s` behind the values it works with (see
# scripts.ts). Everything it says is a frame: `oikos NONCE KIND …`, and after `data o START LENGTH`
# exactly that many bytes. Only this program writes to the channel, so that nothing a command
# prints can be taken for a frame. Words come on stdin: `go NONCE`, `stop`, `clean`.
# `printf ''` makes an empty file where `:` would end the whole shell when it cannot.
say() { printf '%s\n' "oikos $nonce $*"; }
quit() { say "$@"; exit 0; }

# A folder of ours alone: 0700, of our user, no link anywhere in its path, not on a network.
usable() {
  [ -d "$1" ] || mkdir -m 700 "$1" 2>/dev/null || [ -d "$1" ] || return 1
  path=
  for part in $(IFS=/; set -f; echo $1); do
    path=$path/$part
    [ ! -L "$path" ] || return 1
  done
  [ -O "$1" ] || return 1
  case $(ls -ld "$1") in drwx------*) ;; *) return 1 ;; esac
}
# With space left in $base, which is no network's. A lack of inodes shows when the spool is made.
roomy() {
  set -- $(LC_ALL=C df -Pk "$base" 2>/dev/null)
  case ${8-} in *:* | //*) return 1 ;; esac
  [ "${11:-0}" -ge "$need_kb" ]
}
choose_base() {
  base_trouble=base
  for pair in $bases; do
    base=${pair%,*} need_kb=${pair#*,}
    usable "$base" || continue
    base_trouble=space
    roomy && base_trouble='' && return
  done
}
find_spool() {
  for pair in $bases; do
    d=${pair%,*}/$id
    [ -e "$d" ] && return 0
  done
  return 1
}
# What nobody has begun must not begin later: whoever makes `pid` decides.
bury() { ( set -C; echo none >"$d/pid" ) 2>/dev/null; }

alive() {
  on=''
  { read -r pid born on <"$d/pid"; } 2>/dev/null
  [ "$on" = "$boot" ] || return 1
  { read -r stat <"/proc/$pid/stat"; } 2>/dev/null || return 1
  set -- ${stat##*) }
  case $1 in Z | X) return 1 ;; esac
  shift 19
  [ "$1" = "$born" ]
}

# part o|e FD FROM TO: the bytes between, read on from where the descriptor stands.
part() {
  [ "$4" -gt "$3" ] || return 0
  say data "$1" "$3" "$(($4 - $3))"
  dd bs="$(($4 - $3))" count=1 2>/dev/null <&"$2"
}
flush() {
  case $open in
  o) [ "$upto" -gt "$po" ] && part o 6 "$po" "$upto" && po=$upto ;;
  e) [ "$upto" -gt "$pe" ] && part e 7 "$pe" "$upto" && pe=$upto ;;
  esac
  open=
}
# tail_of o|e FILE POSITION: the last bytes of a stream that outgrew its head.
tail_of() {
  last=$3
  [ -e "$2.cut" ] || return 0
  read -r k dropped <"$2.cut"
  older=$((1 - k)) kept=0
  for one in "$2.0" "$2.1"; do
    [ -e "$one" ] && kept=$((kept + $(wc -c <"$one")))
  done
  head_size=$(($(wc -c <"$2")))
  last=$((head_size + dropped + kept))
  from=$((last - (kept < tail ? kept : tail)))
  [ "$from" -ge "$3" ] || from=$3
  [ "$last" -gt "$from" ] || return 0
  say data "$1" "$from" "$((last - from))"
  { [ -e "$2.$older" ] && cat "$2.$older"; cat "$2.$k"; } 2>/dev/null |
    head -c "$kept" | tail -c "$((last - from))"
}
finish() {
  tail_of o "$d/out" "$po"; last_o=$last
  tail_of e "$d/err" "$pe"; last_e=$last
  read -r code why ended task _ <"$d/exit"
  read -r up _ </proc/uptime
  read -r _ _ on <"$d/pid"
  ago=$((${up%.*} - ended))
  [ "$on" = "$boot" ] || ago=-1
  say end "$code" "$why" "$ago" "$last_o" "$last_e" "$task"
}
gone() {
  read -r _ _ on <"$d/pid"
  [ "$on" = "$boot" ] || quit lost reboot 0
  left=0
  { read -r group <"$d/group"; } 2>/dev/null && kill -0 "-$group" 2>/dev/null && left=1
  quit lost killed "$left"
}
# The program beside the command makes `pid` first of all; where it could not, it must not any more.
never_began() {
  [ ! -e "$d/none" ] || quit refused space
  read -r up _ </proc/uptime
  [ "$((${up%.*} - ${began%.*}))" -lt 10 ] && return
  # One without content was made where there was no space: it decides all the same.
  if bury || [ -e "$d/pid" ]; then quit absent; fi
}
# Sends what there is and what comes, until the end; sleeps at its bell in between.
follow() {
  open='' upto=0 told=''
  printf '' >>"$d/index"; printf '' >>"$d/out"; printf '' >>"$d/err"
  exec 5<"$d/index" 6<"$d/out" 7<"$d/err"
  # Without an inode for a bell it is looked once a second.
  rung=''
  mkfifo "$bell" 2>/dev/null && exec 8<>"$bell" && rung=1
  [ "$po" -gt 0 ] && dd bs="$po" count=1 2>/dev/null <&6 >/dev/null
  [ "$pe" -gt 0 ] && dd bs="$pe" count=1 2>/dev/null <&7 >/dev/null
  while :; do
    over='' news=''
    # Looked for before the index is read: what is noted after the end comes too late anyway.
    if [ -s "$d/exit" ]; then over=end; elif [ -s "$d/pid" ] && ! alive; then over=gone; fi
    while read -r what n <&5; do
      news=1
      case $what in
      o | e)
        [ "$what" = "$open" ] || flush
        open=$what upto=$n ;;
      m) flush; say more ;;
      esac
    done
    flush
    [ "$over" = end ] && { finish; return; }
    [ "$over" = gone ] && [ ! -s "$d/exit" ] && gone
    [ -d "$d" ] || quit lost killed 0
    [ -s "$d/pid" ] || never_began
    [ -z "$told" ] && [ -e "$d/still" ] && { told=1; say still; }
    if [ -n "$news$over" ]; then
      [ -z "$rung" ] || printf '' >"$bell.armed"
    elif [ -s "$bell.armed" ]; then
      read -r _ <&8
      printf '' >"$bell.armed"
    else
      [ -n "$rung" ] && echo armed >"$bell.armed" || sleep 1
    fi
  done
}
# The program beside the command may be killed without a word: then nobody else would ring.
watch() { while sleep 3; do alive || echo r 1<>"$bell"; done; }
attend() {
  bell=$d/bell.$$
  read -r began _ </proc/uptime
  say started
  ( follow; rm -f "$bell" "$bell.armed" ) &
  follower=$!
  watch >/dev/null 2>&1 &
  watcher=$!
  while read -r word; do
    case $word in
    stop)
      printf '' >"$d/stop"
      [ -p "$d/ctl" ] && echo poke 1<>"$d/ctl" ;;
    clean) rm -rf "$d"; say cleaned ;;
    esac
  done
  kill "$follower" "$watcher" 2>/dev/null
  rm -f "$bell" "$bell.armed"
}

# All that a run needs is made before it starts: a disk that is full says so here.
furnish() {
  { mkfifo "$d/o" "$d/e" "$d/ctl" && printf '' >"$d/index" && printf '' >"$d/out" && printf '' >"$d/err" &&
    printf '%s\n' "$command" >"$d/cmd" && printf '%s\n' "$detached" >"$d/run" &&
    printf '%160s\n' '' >"$d/exit.new"; } 2>/dev/null
}
# mkdir is the lock. Where a base cannot take it (no inodes, no space), the next one with room does.
claim_spool() {
  while :; do
    d=$base/$id
    if mkdir "$d" 2>/dev/null; then
      furnish && return
      rm -rf "$d"
    fi
    [ ! -d "$d" ] || quit exists
    # It was the last one.
    case $bases in *"$base,$need_kb "*) ;; *) quit refused space ;; esac
    bases=${bases#*"$base,$need_kb "}
    choose_base
    [ -z "$base_trouble" ] || quit refused space
  done
}
start() {
  for program in $needs; do
    command -v "$program" >/dev/null 2>&1 || quit missing "$program"
  done
  [ "$looks" = none ] || { seen=$(look); printf '%s\n' "$seen"; }
  say ready
  read -r asked _ </proc/uptime
  choose_base
  read -r word || exit 125
  [ "$word" = "go $nonce" ] || exit 125
  read -r now _ </proc/uptime
  # A start that was held up on its way is none any more.
  [ "$((${now%.*} - ${asked%.*}))" -le "$start_seconds" ] || quit refused late
  [ -z "$base_trouble" ] || quit refused "$base_trouble"
  ! find_spool || quit exists
  # As near to the start as can be: nothing comes between but what starts it.
  [ "$looks" != twice ] || [ "$(look)" = "$seen" ] || quit changed
  claim_spool
  setsid sh "$d/run" "$d" "$limit" "$grace" "$head" "$tail" </dev/null >/dev/null 2>&1 &
  attend
}
attach() {
  if ! find_spool; then
    # A power cut may take a spool away that was not on the disk yet, a restart those in memory.
    read -r up _ </proc/uptime
    [ "${up%.*}" -ge "$age" ] || quit lost reboot 0
    buried=
    for pair in $bases; do
      usable "${pair%,*}" || continue
      d=${pair%,*}/$id
      mkdir "$d" 2>/dev/null && bury && buried=1
    done
    [ -n "$buried" ] || find_spool || quit refused base
    find_spool
  fi
  pid=''
  [ -s "$d/pid" ] && read -r pid _ <"$d/pid"
  [ "$pid" != none ] || quit absent
  attend
}
# What nobody asks for any more: a week old, and nothing of it runs.
sweep() {
  for pair in $bases; do
    base=${pair%,*}
    [ -d "$base" ] && usable "$base" || continue
    find "$base"/* -prune -type d -mtime +7 2>/dev/null |
      while read -r d; do alive || rm -rf "$d"; done
  done
  quit swept
}

main() {
  umask 077
  read -r boot </proc/sys/kernel/random/boot_id
  "$op"
}
