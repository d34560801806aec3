package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import java.util.Map;

/** What a registration must say and may not. Pure. */
final class RegistrationRules {
  private static final int MOST_SLOTS = 30_000;
  private static final int LONGEST_ATTRIBUTES = 4_000;
  private static final int LONGEST_RESOURCES = 2_000;
  private static final int LONGEST_VERSION = 100;

  private RegistrationRules() {}

  static void check(NodeRegistration registration) {
    if (registration.id() == null || registration.address() == null) {
      throw refuse("a registration names the node's id and address");
    }
    if (registration.capacity() == null || registration.live() == null) {
      throw refuse("a registration says capacity and live, which may be an empty list");
    }
    check(registration.capacity());
    fits("attributes", registration.attributes(), LONGEST_ATTRIBUTES);
    fits("resources", registration.capacity().resources(), LONGEST_RESOURCES);
    if (registration.version() != null && registration.version().length() > LONGEST_VERSION) {
      throw refuse("version: at most " + LONGEST_VERSION + " characters");
    }
  }

  // M-15: a cap on jobs per worker.
  private static void check(NodeCapacity capacity) {
    if (capacity.slots() < 1 || capacity.slots() > MOST_SLOTS) {
      throw refuse("slots: a node offers 1 to " + MOST_SLOTS + ", not " + capacity.slots());
    }
    if (!(capacity.cpus() >= 0) || capacity.memoryBytes() < 0) {
      throw refuse("cpus and memory: not below 0; 0 says nothing of them");
    }
    capacity
        .resources()
        .forEach(
            (name, amount) -> {
              Names.require("resources", name, ErrorCode.INVALID_REQUEST);
              if (amount < 0) {
                throw refuse("resources." + name + ": not below 0, as " + amount + " is");
              }
            });
  }

  private static void fits(String field, Map<String, ?> pairs, int most) {
    if (pairs != null && Json.write(pairs).length() > most) {
      throw refuse(field + ": at most " + most + " characters in all; name fewer");
    }
  }

  private static MillraceException refuse(String words) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, words);
  }
}
