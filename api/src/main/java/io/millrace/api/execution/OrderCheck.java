package io.millrace.api.execution;

import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.file.Files;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds what would make an order fail, or run something else than was asked for. Immutable; looks
 * for the working directory on the disk.
 */
public final class OrderCheck {

  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private final Charset charset;

  /**
   * Checks for one way of writing arguments.
   *
   * @param charset in which this JVM passes text to other programs
   */
  OrderCheck(Charset charset) {
    this.charset = charset;
  }

  /** For this JVM, whose charset follows from the locale that it was started with. */
  public static OrderCheck ofThisMachine() {
    return new OrderCheck(
        Charset.forName(System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name())));
  }

  /** The first problem as a message with the fix; empty for none. */
  public Optional<String> problem(CommandOrder order) {
    if (order.argv().isEmpty() || order.argv().get(0).isEmpty()) {
      return Optional.of("the command is empty; name a program");
    }
    String program = order.argv().get(0);
    if (program.startsWith("-")) {
      return Optional.of(
          "the program '"
              + program
              + "' begins with '-'; write ./"
              + program
              + " or its full path");
    }
    if (hasNul(order.argv()) || hasNul(order.environment().values())) {
      return Optional.of("an argument or variable holds a NUL character; pass it through a file");
    }
    for (String name : order.environment().keySet()) {
      // A shell may drop others silently.
      if (!VARIABLE.matcher(name).matches()) {
        return Optional.of(
            "environment variable '"
                + name
                + "' may contain only letters, digits and _; rename it");
      }
    }
    return order
        .workingDirectory()
        .filter(directory -> !Files.isDirectory(directory))
        .map(
            directory ->
                "working directory "
                    + directory
                    + " is not on this node; create it there or name another")
        .or(() -> unencodable(order.argv()))
        .or(() -> unencodable(order.environment()));
  }

  private static boolean hasNul(Collection<String> texts) {
    return texts.stream().anyMatch(text -> text.indexOf('\0') >= 0);
  }

  // The JDK would write a '?' silently.
  private Optional<String> unencodable(Collection<String> texts) {
    CharsetEncoder encoder = charset.newEncoder();
    return texts.stream()
        .filter(text -> !encoder.canEncode(text))
        .findFirst()
        .map(text -> unencodable("'" + text + "'"));
  }

  // The value may be a secret.
  private Optional<String> unencodable(Map<String, String> variables) {
    CharsetEncoder encoder = charset.newEncoder();
    return variables.entrySet().stream()
        .filter(variable -> !encoder.canEncode(variable.getValue()))
        .findFirst()
        .map(variable -> unencodable("the value of environment variable " + variable.getKey()));
  }

  private String unencodable(String what) {
    return what
        + " cannot be written in "
        + charset
        + "; start the execution node with LC_ALL=C.UTF-8";
  }
}
