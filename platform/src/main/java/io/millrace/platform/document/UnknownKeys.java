package io.millrace.platform.document;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Describes the unknown keys of one document, or of one element of a list or map, with what was
 * probably meant. One thread only.
 */
final class UnknownKeys {
  private final JsonNode document;
  private final String path;
  private final Supplier<Map<String, String>> places;
  private final Set<String> named = new HashSet<>();

  /**
   * Those of a document.
   *
   * @param path of the document itself, empty unless it is an element
   * @param places where its keys belong
   */
  UnknownKeys(JsonNode document, String path, Supplier<Map<String, String>> places) {
    this.document = document;
    this.path = path;
    this.places = places;
  }

  /**
   * Where each key of a record belongs, such as {@code pacing.maxWorkers}. Keys that belong at
   * several places are left out, and those in lists and maps are not searched.
   *
   * @param nested what a component with keys of its own consists of; null for any other one
   */
  static Map<String, String> places(RecordType root, Function<JavaType, RecordType> nested) {
    Map<String, String> places = new HashMap<>();
    Set<String> several = new HashSet<>();
    collect(root, "", nested, Set.of(), places, several);
    places.keySet().removeAll(several);
    return Map.copyOf(places);
  }

  private static void collect(
      RecordType record,
      String path,
      Function<JavaType, RecordType> nested,
      Set<Class<?>> outer,
      Map<String, String> places,
      Set<String> several) {
    // Without this, a record that contains itself would have no end.
    Set<Class<?>> above = new HashSet<>(outer);
    above.add(record.raw());
    for (int i = 0; i < record.size(); i++) {
      String key = record.names().get(i);
      String place = DocumentBinder.join(path, key);
      if (places.putIfAbsent(key, place) != null) {
        several.add(key);
      }
      RecordType inner = nested.apply(record.type(i));
      if (inner != null && !above.contains(inner.raw())) {
        collect(inner, place, nested, above, places, several);
      }
    }
  }

  /**
   * What is wrong with an unknown key.
   *
   * @param record whose keys may stand where it stands
   * @param listed the keys to name if it resembles none; empty if they were named before
   */
  String described(String key, RecordType record, List<String> listed) {
    String hint =
        NearestName.of(key, record.names())
            .map(near -> "did you mean '" + near + "'?")
            .or(() -> place(key).map(place -> "write it as " + place))
            .orElse(listed.isEmpty() ? "" : "known keys: " + String.join(", ", listed));
    return hint.isEmpty() ? "unknown key" : "unknown key; " + hint;
  }

  /** Where the key belongs if that place is free and was named for no other. */
  private Optional<String> place(String key) {
    return Optional.ofNullable(places.get().get(key))
        .filter(place -> document.at("/" + place.replace('.', '/')).isMissingNode())
        .filter(named::add)
        .map(place -> DocumentBinder.join(path, place));
  }
}
