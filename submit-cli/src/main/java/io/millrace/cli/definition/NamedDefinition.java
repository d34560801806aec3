package io.millrace.cli.definition;

import picocli.CommandLine.Parameters;

/** The arguments that name a definition. Filled by the parser. */
final class NamedDefinition {
  @Parameters(index = "0", paramLabel = "KIND", description = "queue or task.")
  private String kind;

  @Parameters(index = "1", paramLabel = "NAME", description = "Its name.")
  private String name;

  String kind() {
    return kind;
  }

  String name() {
    return name;
  }
}
