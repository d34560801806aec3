package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A kind of definition: the keyword after {@code kind:} and the record type of its definitions.
 * Stateless.
 *
 * @param <T> a record whose constructor fills in defaults and refuses with INVALID_DEFINITION, in
 *     messages that begin with the field's path
 */
public interface DefinitionKind<T extends Record> {
  /** The keyword after {@code kind:}. */
  String keyword();

  /** The canonical record. */
  Class<T> type();

  /** The definition's name, unique within its kind. */
  String nameOf(T definition);

  /** Keys that must be given, whatever default the record has for them. */
  default List<String> required() {
    return List.of();
  }

  /** Problems beyond the record's own rules; each begins with the field's path. */
  List<String> problems(T definition);

  /**
   * Why a definition in force must not be replaced by another one, with what to do instead; empty if
   * it may be.
   */
  default Optional<String> refusal(T inForce, T next) {
    return Optional.empty();
  }

  /**
   * The smallest valid definition, nested parts included. Its fields replace broken ones, so that
   * the remaining rules are checked as well.
   */
  ObjectNode minimal();

  /** The kinds that exist, by keyword. Immutable. */
  final class DefinitionKinds {
    private final Map<String, DefinitionKind<?>> kinds = new LinkedHashMap<>();

    public DefinitionKinds(List<DefinitionKind<?>> kinds) {
      kinds.forEach(kind -> this.kinds.put(kind.keyword(), kind));
    }

    public Optional<DefinitionKind<?>> find(String keyword) {
      return Optional.ofNullable(kinds.get(keyword));
    }

    public Set<String> keywords() {
      return kinds.keySet();
    }
  }
}
