# Usage: setsid sh watchdog.sh ATTEMPT_DIRECTORY LEADER_PID LEADER_START ATTEMPT NODE ATTEMPTS
#
# Kills all processes of a single instance once its lease is over, whether the agent that should
# have renewed it lives or not (M-07). The lease is a file in the attempt's directory, replaced as
# a whole: "deadline=" in hundredths of a second since the machine's start, the clock that no one
# sets. Without a lease there is no time left. Ends when nothing of the attempt is left.
#
# Wakes once a second at most. Says "watching" on standard output, closes it and goes on.

PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
directory=$1
leader=$2
leader_start=$3
attempt=$4
node=$5
attempts=$6
deadline=0

# A request to end is for the attempt: this process ends with it, not before.
trap '' HUP INT QUIT PIPE TERM

# Sets what /proc tells of a process; fails when there is none.
look_at() {
  { read -r stat < "/proc/$1/stat"; } 2> /dev/null || return 1
  # The name may hold blanks and parentheses; behind the last one field 3 begins.
  set -- ${stat##*) }
  state=$1
  group=$3
  session=$4
  shift 19
  start=$1
}

is_alive() {
  [ "$state" != Z ] && [ "$state" != X ]
}

leader_lives() {
  look_at "$leader" && [ "$start" = "$leader_start" ] && is_alive
}

# The kernel gives no one the leader's id while its group or session has members; another process
# of that id means that they are gone.
leader_is_somebody_else() {
  look_at "$leader" && [ "$start" != "$leader_start" ]
}

# Not of a copy of this node, whose folder is another one. One that is no longer there was this one's
# before it was moved; processes that were started by a version without this mark have none.
is_of_this_node() {
  grep -qsxzF -e "MILLRACE_NODE=$node" "$1" || return
  marked=$(tr '\0' '\n' 2> /dev/null < "$1" | sed -n 's/^MILLRACE_ATTEMPTS_DIRECTORY=//p')
  [ ! -e "$marked" ] || [ "$marked" -ef "$attempts" ]
}

# Sets "found" to the attempt's processes: of the leader's group and session, and those that moved
# away from both but carry the marks in their environment.
find_processes() {
  found=
  if ! leader_is_somebody_else; then
    for entry in /proc/[0-9]*; do
      if look_at "${entry#/proc/}" && is_alive; then
        if [ "$group" = "$leader" ] || [ "$session" = "$leader" ]; then
          found="$found ${entry#/proc/}"
        fi
      fi
    done
  fi
  for file in $(grep -lsxzF -e "MILLRACE_ATTEMPT=$attempt" /proc/[0-9]*/environ); do
    if is_of_this_node "$file"; then
      file=${file#/proc/}
      found="$found ${file%/environ}"
    fi
  done
}

# The attempt may have put something else in its place, and a pipe would be waited for.
read_lease() {
  [ -f "$directory/lease" ] || return
  { while read -r line; do
    case $line in
      deadline=*[!0-9]*) ;;
      deadline=?*) deadline=${line#deadline=} ;;
    esac
  done < "$directory/lease"; } 2> /dev/null
}

read_clock() {
  read -r now line < /proc/uptime
  now=${now%.*}${now#*.}
}

# Waits until shortly after the deadline, at most a second.
wait_a_while() {
  left=$((deadline - now))
  case $left in
    ?) sleep "0.0$left" ;;
    ??) sleep "0.$left" ;;
    *) sleep 1 ;;
  esac
}

kill_all() {
  if [ ! -e "$directory/exit" ] && [ ! -e "$directory/stopping" ]; then
    printf 'kind=LOST\nreason=%s\ncomplete\n' \
      "killed by its watchdog: a single instance whose lease no central manager renewed in time" \
      > "$directory/stopping"
  fi
  pause=0.02
  find_processes
  while [ -n "$found" ]; do
    leader_is_somebody_else || kill -s KILL -- "-$leader"
    kill -s KILL $found
    sleep "$pause"
    # What does not go waits for a disk; it is not worth more than a look a second.
    [ "$pause" = 0.02 ] && pause=0.2 || pause=1
    find_processes
  done
} 2> /dev/null

umask 077
look_at "$$" || exit 1
read -r boot < /proc/sys/kernel/random/boot_id
# Of the watchdog before this one, or something that the attempt has put there: a pipe, which would
# be waited for, or a link.
if [ -e "$directory/watchdog" ] || [ -h "$directory/watchdog" ]; then
  rm -f "$directory/watchdog"
fi
printf 'pid=%s\nstart=%s\nboot=%s\ncomplete\n' "$$" "$start" "$boot" > "$directory/watchdog" \
  || exit 1
echo watching
exec > /dev/null 2>&1

while :; do
  read_lease
  read_clock
  if [ "$now" -ge "$deadline" ]; then
    kill_all
    exit 0
  fi
  if ! leader_lives; then
    find_processes
    [ -n "$found" ] || exit 0
  fi
  wait_a_while
done
