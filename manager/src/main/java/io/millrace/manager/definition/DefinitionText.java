package io.millrace.manager.definition;

import io.millrace.api.Json;
import java.util.List;

/**
 * A definition that was read without a problem.
 *
 * @param kind its kind's word
 * @param name its name
 * @param place where it was read, for messages
 * @param json canonical, as stored
 * @param lines canonical, as compared and shown
 */
public record DefinitionText(
    String kind, String name, String place, String json, List<String> lines) {
  static <T extends Record> DefinitionText of(DefinitionKind<T> kind, String place, T definition) {
    return new DefinitionText(
        kind.word(),
        kind.nameOf(definition),
        place,
        CanonicalForm.json(definition),
        CanonicalForm.yaml(kind.word(), definition));
  }

  /** The definition as its kind's record. */
  public <T> T as(Class<T> type) {
    return Json.read(json, type);
  }
}
