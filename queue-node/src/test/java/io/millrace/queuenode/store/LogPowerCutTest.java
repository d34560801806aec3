package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A power failure loses only the latest commits that were not forced. */
class LogPowerCutTest {
  private static final int STEPS = 150;
  private static final int CUTS = 6;
  private static final long MIDDLE = 200;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void forcedGroupsSurviveAndAPrefixOfTheRest(long seed) throws IOException {
    Random random = new Random(seed);
    for (int cut = 0; cut < CUTS; cut++) {
      Path store = folder.resolve("store-" + cut);
      PowerCutDisk disk = new PowerCutDisk();
      RandomWork work = new RandomWork(random.nextLong());
      List<List<String>> allowed = workedUntilThePowerWent(store, disk, work, random);

      List<String> left;
      try (LogRows rows = LogFolderFixture.open(store)) {
        left = work.picture(rows, MIDDLE);
        assertThat(allowed.contains(left)).as("a state that was committed").isTrue();
        rows.addQueue("afterwards", 0);
        rows.commit();
        left = work.picture(rows, MIDDLE);
      }
      try (LogRows rows = LogFolderFixture.open(store)) {
        assertThat(work.picture(rows, MIDDLE)).isEqualTo(left);
      }
    }
  }

  /** What the store may hold: its state when last forced, and after each commit since. */
  private static List<List<String>> workedUntilThePowerWent(
      Path store, PowerCutDisk disk, RandomWork work, Random random) throws IOException {
    List<List<String>> allowed = new ArrayList<>();
    LogRows rows = LogFolderFixture.open(store, disk);
    allowed.add(work.picture(rows, MIDDLE));
    int steps = 20 + random.nextInt(STEPS);
    for (int step = 0; step < steps; step++) {
      work.step(List.of(rows));
      rows.commit();
      if (random.nextInt(4) == 0) {
        rows.force();
        allowed.clear();
      }
      allowed.add(work.picture(rows, MIDDLE));
    }
    disk.cut(random);
    try {
      rows.close();
    } catch (StoreFailure withoutPower) {
      assertThat(withoutPower).hasRootCauseMessage("no power");
    }
    return allowed;
  }
}
