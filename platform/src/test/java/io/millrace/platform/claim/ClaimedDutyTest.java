package io.millrace.platform.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClaimedDutyTest {

  private static final Duration TICK = Duration.ofMillis(5);
  private static final Duration LONG = Duration.ofHours(1);

  private final Database database =
      Database.open(DatabaseSettings.memory("duty-" + UUID.randomUUID()), List.of("platform"));
  private final ClaimDao claims = new ClaimDao(database);
  private final Queue<Claim> runs = new ConcurrentLinkedQueue<>();
  private final ClaimedDuty one = duty("one");
  private final ClaimedDuty two = duty("two");

  @AfterEach
  void stop() {
    one.stop();
    two.stop();
    database.close();
  }

  @Test
  void onlyTheInstanceThatHoldsTheClaimRunsTheDuty() {
    one.start();
    await().until(() -> runs.size() > 2);
    two.start();
    await().until(() -> runs.size() > 20);

    assertThat(runs).containsOnly(new Claim("sweep", "one", 1));
  }

  @Test
  void whenTheHolderStopsAnotherContinuesImmediatelyUnderAHigherTerm() {
    one.start();
    await().until(() -> !runs.isEmpty());
    two.start();

    one.stop();

    await().until(() -> runs.contains(new Claim("sweep", "two", 2)));
  }

  @Test
  void anInstanceThatLostItsClaimNoticesAtItsNextRunAndDoesNothing() {
    one.start();
    await().until(() -> !runs.isEmpty());
    one.stop();
    runs.clear();

    claims.acquireOrRenew("sweep", "three", LONG);
    two.start();

    await().during(Duration.ofMillis(50)).until(runs::isEmpty);
  }

  @Test
  void aClaimThatIsShorterThanTheIntervalIsRefused() {
    assertThatThrownBy(() -> new ClaimedDuty("sweep", "one", TICK, TICK, claims, runs::add))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private ClaimedDuty duty(String claimant) {
    return new ClaimedDuty("sweep", claimant, LONG, TICK, claims, runs::add);
  }
}
