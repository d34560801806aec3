package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionDefinition.SessionOrder;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds whatever happens to nodes, workers, slots and transactions. */
class SessionWorldTest {
  private static final int WORLDS = 15;

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void eventsOfAKeyReachOneWorkerAtATimeInOrderAndNoneIsLost(long seed) throws Exception {
    SessionOrder order = seed % 2 == 0 ? SessionOrder.STRICT : SessionOrder.PIPELINED;
    try (SessionWorld world = new SessionWorld(folder, new Random(seed), order)) {
      world.run(400);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatWasAcceptedIsDeliveredUntilItIsCompletedWhicheverOwnersAreLostAndReturn(long seed) {
    for (int i = 0; i < WORLDS; i++) {
      play(1_000 * seed + i, true);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void whatWasAcceptedIsAcknowledgedAlsoIfLostOwnersAreNotWaitedFor(long seed) {
    for (int i = 0; i < WORLDS; i++) {
      play(1_000 * seed + i, false);
    }
  }

  /** Snapshots before a later opening of their key, and repetitions beside a snapshot. */
  @ParameterizedTest
  @ValueSource(longs = {2019, 100_485, 100_607, 101_219})
  void worldsThatOnceFailedHold(long number) {
    play(number, true);
  }

  private void play(long number, boolean waits) {
    try (LostSlotsWorld world =
        new LostSlotsWorld(folder.resolve("w" + number + waits), new Random(number), waits)) {
      world.run(80);
    } catch (AssertionError e) {
      throw new AssertionError("world " + number + "\n" + e.getMessage(), e.getCause());
    }
  }
}
