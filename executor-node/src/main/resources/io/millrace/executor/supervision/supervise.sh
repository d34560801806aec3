# Usage: setsid sh supervise.sh ATTEMPT_DIRECTORY [OPTION...] -- COMMAND [ARGUMENT...]
#   guard=SCRIPT  a single instance: starts its watchdog first, and nothing without one
#   group=FILE    the command joins the control group whose cgroup.procs this is; this shell, which
#                 has to tell of the end, stays outside
#
# Leads the session and process group of one attempt: records who it is, runs the command in the
# foreground, records how the command ended, and takes the rest of the group with it. Standard
# input, output and error are set by the caller and belong to the command. Forks once, for the
# command. A record is whole only with its last line, "complete".
#
# Variables carry a prefix, because assigning one that came in with the environment would change
# what the command sees.

_millrace_directory=$1
shift
_millrace_guard=
_millrace_group=
while [ "$1" != -- ]; do
  case $1 in
    guard=*) _millrace_guard=${1#guard=} ;;
    group=*) _millrace_group=${1#group=} ;;
  esac
  shift
done
shift

umask 077
ulimit -S -c 0

# Caught, not ignored: an ignored signal would stay ignored in the command, a caught one is reset.
trap : HUP INT QUIT PIPE ALRM TERM USR1 USR2

# Field 22 of stat is the start time. The name, field 2, may hold blanks and parentheses: count
# from behind the last one, where field 3 begins.
_millrace_take_start() {
  shift 19
  _millrace_start=$1
}
read -r _millrace_stat < "/proc/$$/stat"
_millrace_take_start ${_millrace_stat##*) }
read -r _millrace_boot < /proc/sys/kernel/random/boot_id
printf 'pid=%s\nstart=%s\nboot=%s\ncomplete\n' "$$" "$_millrace_start" "$_millrace_boot" \
  > "$_millrace_directory/supervisor" || exit 125

# The watchdog has a session and an environment of its own, so that nothing that is done to the
# attempt reaches it. It closes the pipe when it watches.
if [ -n "$_millrace_guard" ]; then
  _millrace_word=$(
    PATH=/usr/local/bin:/usr/bin:/bin
    exec 2>> "$_millrace_directory/stderr"
    env -i setsid /bin/sh "$_millrace_guard" "$_millrace_directory" "$$" "$_millrace_start" \
      "$MILLRACE_ATTEMPT" "$MILLRACE_NODE" "$MILLRACE_ATTEMPTS_DIRECTORY" < /dev/null &
  )
  if [ "$_millrace_word" != watching ]; then
    printf 'failure=%s\ncomplete\n' "the watchdog of a single instance could not be started" \
      > "$_millrace_directory/exit"
    kill -KILL 0
  fi
fi

# A request to end that came before this point was caught above, or found no group to be sent to yet.
# The agent records it first ("stopping") and sends the signal then, so the command, which the signal
# ends from here on, looks for the record once and does not begin.
#
# "exec" finds programs only; without it a command named like a builtin ("exit") would act here.
(
  [ ! -e "$_millrace_directory/stopping" ] || exit 143
  [ -z "$_millrace_group" ] || printf 0 > "$_millrace_group" || exit 126
  exec "$@"
)
{ printf 'code=%s\n' "$?"; times; printf 'complete\n'; } > "$_millrace_directory/exit"

# While this process lives its group cannot be mistaken for another one; it dies with the rest.
kill -KILL 0
