package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The user that the commands of a shape's jobs run as. Immutable.
 *
 * <p>It is stored among the consumables of the shape, as one of which the job takes 0: a central
 * manager of a version without it books nothing for it. The blanks in the name distinguish it from
 * resources of jobs.
 *
 * @param name the user that the jobs name; null if they name none
 */
@Pure
public record ShapeUser(String name) {
  private static final String UNNAMED = "no user";
  private static final String NAMED = "user ";
  // Keys of definitions of users have a slash; names of users have none.
  private static final String DENIED = "user:";

  /** Whether the node runs the jobs; also if it does not announce its users. */
  boolean acceptedBy(PlacementNode node) {
    return node.users().map(users -> users.accepts(name)).orElse(true);
  }

  /** The consumables of a shape with its user, in the order of their names. */
  static Map<String, Integer> stored(Shape shape) {
    Map<String, Integer> all = new TreeMap<>(shape.resources());
    if (shape.user() != null) {
      all.put(shape.user().storedName(), 0);
    }
    return all;
  }

  /** The user among stored consumables, removed from them; empty for none. */
  static Optional<ShapeUser> takeFrom(Map<String, Integer> stored) {
    Optional<ShapeUser> found =
        stored.keySet().stream()
            .filter(name -> name.equals(UNNAMED) || name.startsWith(NAMED))
            .map(ShapeUser::read)
            .findFirst();
    found.ifPresent(user -> stored.remove(user.storedName()));
    return found;
  }

  /** The key under which nodes deny all jobs of this user. */
  public String denialKey() {
    return DENIED + (name == null ? "" : name);
  }

  /** The jobs that such a key denies, in words; empty if it is the key of a definition. */
  public static Optional<String> denied(String key) {
    if (!key.startsWith(DENIED)) {
      return Optional.empty();
    }
    String user = key.substring(DENIED.length());
    return Optional.of(user.isEmpty() ? "jobs that name no user" : "jobs of user '" + user + "'");
  }

  private String storedName() {
    return name == null ? UNNAMED : NAMED + name;
  }

  private static ShapeUser read(String stored) {
    return new ShapeUser(stored.equals(UNNAMED) ? null : stored.substring(NAMED.length()));
  }
}
