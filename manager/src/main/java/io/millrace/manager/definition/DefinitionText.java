package io.millrace.manager.definition;

import java.util.List;

/**
 * A definition that was read without a problem.
 *
 * @param kind its kind's word
 * @param name its name
 * @param json canonical, as stored
 * @param lines canonical, as compared and shown
 */
record DefinitionText(String kind, String name, String json, List<String> lines) {
  static <T> DefinitionText of(DefinitionKind<T> kind, T definition) {
    return new DefinitionText(
        kind.word(),
        kind.nameOf(definition),
        CanonicalForm.json(definition),
        CanonicalForm.yaml(kind.word(), definition));
  }
}
