package io.millrace.cli.output;

import io.millrace.api.Json;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Streams of a command. Data is written to stdout, messages to stderr.
 *
 * @param in standard input
 * @param out standard output, UTF-8
 * @param err standard error, UTF-8
 * @param outIsTerminal whether stdout is a terminal
 * @param errIsTerminal whether stderr is a terminal
 */
public record Terminal(
    InputStream in,
    PrintStream out,
    PrintStream err,
    boolean outIsTerminal,
    boolean errIsTerminal) {
  private static final Pattern COLUMNS = Pattern.compile("[0-9]{1,5}");

  /**
   * How text is shown on stdout: with colours, unless disabled by the environment or the user, and
   * on lines as wide as the terminal.
   */
  public Palette palette(Map<String, String> environment, boolean disabled) {
    boolean off =
        disabled
            || !environment.getOrDefault("NO_COLOR", "").isEmpty()
            || environment.getOrDefault("TERM", "").equals("dumb");
    return new Palette(
        outIsTerminal && !off, outIsTerminal ? width(environment) : Palette.NO_LIMIT);
  }

  /** What bin/millrace or the user's shell has found out. */
  private static int width(Map<String, String> environment) {
    String columns = environment.getOrDefault("COLUMNS", "");
    return COLUMNS.matcher(columns).matches() ? Integer.parseInt(columns) : Palette.UNKNOWN_WIDTH;
  }

  /** The same terminal with all output written to stderr. */
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

  /** Prints a message on stderr. */
  public void note(String text) {
    err.println(text);
  }
}
