package io.millrace.tests.drill.session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The command of a worker with {@code input: session}: one process for each session, which writes a
 * journal of its own and ends the session after its last event. It does not know its queue node.
 */
final class SessionScript {
  private static final String TEXT =
      """
      journals=$1
      name=$MILLRACE_ATTEMPT-$$
      worker=job:$name@-
      key=$MILLRACE_SESSION_KEY number=$MILLRACE_SESSION_NUMBER
      journal=$journals/session-$name.journal
      now() { read -r up rest < /proc/uptime; }
      read -r session
      from=1
      case $session in
        *'"through":'*) from=${session#*'"through":'}; from=${from%%[!0-9]*}; from=$((from + 1)) ;;
      esac
      now
      echo "received $up $worker $key $number $from" >> "$journal"
      last= patience=100000
      # After the last event, one that came later may follow.
      while read -r -t $patience event; do
        n=${event#*'"n":'}; n=${n%%[!0-9]*}
        id=${event#*'"id":"'}; id=${id%%'"'*}
        now
        echo "begun $up $worker $key $number $n $id" >> "$journal"
        sleep 0.01
        case $event in *'"last":true'*) last=yes patience=1 ;; esac
        now
        echo "ended $up $worker $key $number $n" >> "$journal"
        if [ -z "$last" ] && [ $((n % 4)) = 0 ]; then
          echo "sent $up $worker $key $number $n SNAPSHOT" >> "$journal"
          echo "{\\"n\\":$n,\\"snapshot\\":{\\"through\\":$n,\\"last\\":false}}"
        else
          echo "{\\"n\\":$n,\\"ok\\":true}"
        fi
      done
      [ -n "$last" ]
      """;

  private final Path script;

  /** Writes the script. */
  SessionScript(Path folder) throws IOException {
    this.script = Files.writeString(folder.resolve("session.sh"), TEXT);
  }

  /** The command, which writes its journals to a folder. */
  List<String> command(Path journals) {
    return List.of("bash", script.toString(), journals.toString());
  }
}
