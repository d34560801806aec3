package io.millrace.cli.output;

import io.millrace.api.Json;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.Map;

/**
 * Where a command reads and writes. Data goes to the output, messages to the error stream.
 *
 * @param in standard input
 * @param out standard output, UTF-8
 * @param err standard error, UTF-8
 * @param outIsTerminal whether a person sees the output
 * @param errIsTerminal whether a person sees the messages
 */
public record Terminal(
    InputStream in,
    PrintStream out,
    PrintStream err,
    boolean outIsTerminal,
    boolean errIsTerminal) {

  /** Colours for the output, unless the environment or the user objects. */
  public Palette palette(Map<String, String> environment, boolean unwanted) {
    boolean objected =
        unwanted
            || !environment.getOrDefault("NO_COLOR", "").isEmpty()
            || environment.getOrDefault("TERM", "").equals("dumb");
    return new Palette(outIsTerminal && !objected);
  }

  /** The same terminal with everything going where messages go. */
  public Terminal messagesOnly() {
    return new Terminal(in, err, err, errIsTerminal, errIsTerminal);
  }

  public void line(String text) {
    out.println(text);
  }

  public void lines(Iterable<String> lines) {
    lines.forEach(out::println);
  }

  public void json(Object value) {
    out.println(Json.write(value));
  }

  /** A message for people. */
  public void note(String text) {
    err.println(text);
  }
}
