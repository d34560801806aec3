package io.millrace.manager.definition;

import java.util.List;

/**
 * What definition files say.
 *
 * @param definitions those without a problem
 * @param problems everything that is wrong, each with its file, document, field and line
 */
public record DefinitionReading(List<DefinitionText> definitions, List<String> problems) {
  public DefinitionReading {
    definitions = List.copyOf(definitions);
    problems = List.copyOf(problems);
  }
}
