package io.millrace.tests.pacing;

import io.millrace.tests.process.SeparateRoles;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The short form of {@link LongOverload}: every configured time is reduced to a twentieth. */
@Tag("drill")
class OverloadTest {
  private static final Duration TICK = Duration.ofMillis(250);

  @RegisterExtension
  static final SeparateRoles ROLES =
      new SeparateRoles(1, 1, Map.of("q1", Overload.SLOW_NODE, "e1", "slots: 32\n"));

  @Test
  void anOverloadedNodeGetsFewerWorkersAndItsQueueDrainsWithoutAnOperator() throws Exception {
    new Overload(ROLES, TICK, 60).play();
  }
}
