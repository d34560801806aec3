package io.millrace.cli.node;

import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The roles in which a new machine may join. */
enum JoinRole {
  EXECUTION_NODE("execution-node", "executor-node", 7721, false),
  QUEUE_NODE("queue-node", "queue-node", 7711, true),
  LOAD_BALANCER("load-balancer", "load-balancer", 7701, true);

  private final String label;
  private final String verb;
  private final int port;
  private final boolean member;

  JoinRole(String label, String verb, int port, boolean member) {
    this.label = label;
    this.verb = verb;
    this.port = port;
    this.member = member;
  }

  /**
   * Parses the name of a role, or of the command that runs it.
   *
   * @throws TypeConversionException listing the roles
   */
  static JoinRole parse(String text) {
    return Arrays.stream(values())
        .filter(role -> role.label.equals(text) || role.verb.equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'%s' is not a role; use one of %s"
                        .formatted(text, String.join(", ", labels()))));
  }

  /** Converter of options. */
  static final class Reader implements ITypeConverter<JoinRole> {
    @Override
    public JoinRole convert(String text) {
      return parse(text);
    }
  }

  private static List<String> labels() {
    return Arrays.stream(values()).map(JoinRole::label).toList();
  }

  /** Name of the role in requests. */
  String label() {
    return label;
  }

  /** The command that runs it. */
  String verb() {
    return verb;
  }

  /** Default port. */
  int port() {
    return port;
  }

  /** Whether it is a member of the cluster view. */
  boolean member() {
    return member;
  }
}
