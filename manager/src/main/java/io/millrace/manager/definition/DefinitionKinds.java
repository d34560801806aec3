package io.millrace.manager.definition;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The kinds that exist, by their word. Immutable. */
public final class DefinitionKinds {
  private final Map<String, DefinitionKind<?>> kinds = new LinkedHashMap<>();

  public DefinitionKinds(List<DefinitionKind<?>> kinds) {
    kinds.forEach(kind -> this.kinds.put(kind.word(), kind));
  }

  public Optional<DefinitionKind<?>> find(String word) {
    return Optional.ofNullable(kinds.get(word));
  }

  public Set<String> words() {
    return kinds.keySet();
  }
}
