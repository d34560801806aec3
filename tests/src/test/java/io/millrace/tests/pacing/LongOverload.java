package io.millrace.tests.pacing;

import io.millrace.tests.process.SeparateRoles;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Ten minutes of overload with the default settings. Not part of an ordinary build, because it
 * takes a quarter of an hour:
 *
 * <pre>
 * mvn package -Dtest=LongOverload -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 */
class LongOverload {
  @RegisterExtension
  static final SeparateRoles ROLES =
      new SeparateRoles(1, 1, Map.of("q1", Overload.SLOW_NODE, "e1", "slots: 64\n"));

  @Test
  void anOverloadedNodeGetsFewerWorkersAndItsQueueDrainsWithoutAnOperator() throws Exception {
    new Overload(ROLES, Duration.ofSeconds(5), 20).play();
  }
}
