package io.millrace.platform.identity;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The roles of callers. */
public enum Role {
  /** May do everything that people do. */
  ADMIN,
  /** Submits and cancels jobs, changes definitions. */
  OPERATOR,
  /** Sends events. */
  PRODUCER,
  /** A worker's attempt, or a program that takes sessions: takes events of its queue. */
  WORKER,
  /** A worker's attempt of a task's run: takes chunks of that run. */
  TASK_WORKER,
  /** A queue node. */
  QUEUE_NODE,
  /** A load balancer. */
  LOAD_BALANCER,
  /** An execution node. */
  EXECUTION_NODE,
  /** Reads and changes nothing. */
  VIEWER,
  /** A central manager that calls nodes on its own account. */
  MANAGER;

  private static final Set<Role> NODES = EnumSet.of(QUEUE_NODE, LOAD_BALANCER, EXECUTION_NODE);
  private static final Set<Role> ATTEMPTS = EnumSet.of(WORKER, TASK_WORKER);

  /** Roles that may read. */
  public static Set<Role> readers() {
    return EnumSet.of(ADMIN, OPERATOR, VIEWER, MANAGER);
  }

  /** Roles that may change jobs, queues and definitions. */
  public static Set<Role> operators() {
    return EnumSet.of(ADMIN, OPERATOR);
  }

  /** The roles of nodes, which have an identity and sign each call. */
  public static Set<Role> nodes() {
    return EnumSet.copyOf(NODES);
  }

  /** Whether it is a role of nodes. */
  public boolean isNode() {
    return NODES.contains(this);
  }

  /** Whether it is a role of servers, which sign each call and have no tokens. */
  public boolean isServer() {
    return isNode() || this == MANAGER;
  }

  /** Whether it is a role of single attempts, which have a token of their own. */
  public boolean isAttempt() {
    return ATTEMPTS.contains(this);
  }

  /** Whether people and their programs can have it: neither a server nor a single attempt. */
  public boolean isOfPeople() {
    return !isServer() && !isAttempt();
  }

  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The role of that name, if there is one. */
  public static Optional<Role> of(String label) {
    for (Role role : values()) {
      if (role.label().equals(label)) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }
}
