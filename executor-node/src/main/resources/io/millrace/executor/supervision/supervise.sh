# Usage: setsid sh supervise.sh ATTEMPT_DIRECTORY COMMAND [ARGUMENT...]
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

# "exec" finds programs only; without it a command named like a builtin ("exit") would act here.
(exec "$@")
printf 'code=%s\ncomplete\n' "$?" > "$_millrace_directory/exit"

# While this process lives its group cannot be mistaken for another one; it dies with the rest.
kill -KILL 0
