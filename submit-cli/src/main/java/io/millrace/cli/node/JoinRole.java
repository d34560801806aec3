package io.millrace.cli.node;

import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What a new machine may join as. */
enum JoinRole {
  EXECUTION_NODE("execution-node", "executor-node", 7721, false),
  QUEUE_NODE("queue-node", "queue-node", 7711, true),
  LOAD_BALANCER("load-balancer", "load-balancer", 7701, true);

  private final String word;
  private final String verb;
  private final int port;
  private final boolean member;

  JoinRole(String word, String verb, int port, boolean member) {
    this.word = word;
    this.verb = verb;
    this.port = port;
    this.member = member;
  }

  /**
   * Reads the role's word, or that of the command that runs it.
   *
   * @throws TypeConversionException with the roles that there are
   */
  static JoinRole parse(String text) {
    return Arrays.stream(values())
        .filter(role -> role.word.equals(text) || role.verb.equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'" + text + "' is no role; use one of " + String.join(", ", words())));
  }

  /** Reads an option. */
  static final class Reader implements ITypeConverter<JoinRole> {
    @Override
    public JoinRole convert(String text) {
      return parse(text);
    }
  }

  private static List<String> words() {
    return Arrays.stream(values()).map(JoinRole::word).toList();
  }

  /** The word in requests. */
  String word() {
    return word;
  }

  /** The command that runs it. */
  String verb() {
    return verb;
  }

  /** Where it usually listens. */
  int port() {
    return port;
  }

  /** Whether it is a member of the cluster view. */
  boolean member() {
    return member;
  }
}
