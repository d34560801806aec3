package io.millrace.platform.identity;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What a caller may be (DESIGN §8). */
public enum Role {
  /** Everything that people do. */
  ADMIN,
  /** Submits, cancels, defines. */
  OPERATOR,
  /** Sends events. */
  PRODUCER,
  /** One attempt: takes events of its own queue. */
  WORKER,
  /** A queue node, load balancer or execution node. */
  NODE,
  /** Looks and changes nothing. */
  VIEWER,
  /** A central manager that calls nodes. */
  MANAGER;

  /** Those who may look. */
  public static Set<Role> lookers() {
    return EnumSet.of(ADMIN, OPERATOR, VIEWER, MANAGER);
  }

  /** Those who may change what people own. */
  public static Set<Role> operators() {
    return EnumSet.of(ADMIN, OPERATOR);
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The role of that word, if there is one. */
  public static Optional<Role> of(String word) {
    for (Role role : values()) {
      if (role.word().equals(word)) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }
}
