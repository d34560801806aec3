package io.millrace.api.node;

import io.millrace.api.Pure;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * As which users an execution node runs jobs. It is announced among the attributes of the node's
 * registration, so that nodes and central managers of versions without it ignore it. Immutable.
 *
 * @param named users that jobs may name
 * @param unnamed whether the node runs jobs that name no user
 */
@Pure
public record AcceptedUsers(Set<String> named, boolean unnamed) {
  /** The attribute with the users that jobs may name, separated by commas. */
  public static final String NAMED = "users";

  /** The attribute with {@code true} or {@code false}; without it nothing is announced. */
  public static final String UNNAMED = "withoutUser";

  private static final String SEPARATOR = ",";

  public AcceptedUsers {
    named = Set.copyOf(named);
  }

  /** What the attributes announce; empty if nothing, as those of earlier versions. */
  public static Optional<AcceptedUsers> of(Map<String, String> attributes) {
    String unnamed = attributes.get(UNNAMED);
    if (unnamed == null) {
      return Optional.empty();
    }
    Set<String> named = new TreeSet<>();
    Arrays.stream(attributes.getOrDefault(NAMED, "").split(SEPARATOR))
        .filter(name -> !name.isEmpty())
        .forEach(named::add);
    return Optional.of(new AcceptedUsers(named, Boolean.parseBoolean(unnamed)));
  }

  /** Whether the node runs a job as that user; null for a job that names none. */
  public boolean accepts(String user) {
    return user == null ? unnamed : named.contains(user);
  }

  /** As attributes of a registration. */
  public Map<String, String> attributes() {
    return Map.of(
        NAMED, String.join(SEPARATOR, new TreeSet<>(named)), UNNAMED, Boolean.toString(unnamed));
  }
}
