package io.millrace.platform.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Whatever the instances do and whenever claims expire, there is one holder and no term returns.
 */
class ClaimPropertiesTest {

  enum Deed {
    ASK,
    RELEASE,
    EXPIRE
  }

  record Step(Deed deed, String claimant) {}

  private static final Duration LONG = Duration.ofHours(1);
  private static Database database;

  @BeforeContainer
  static void open() {
    database =
        Database.open(
            DatabaseSettings.memory("claim-properties-" + UUID.randomUUID()), List.of("platform"));
  }

  @AfterContainer
  static void close() {
    database.close();
  }

  @Property(tries = 200)
  void atMostOneClaimEverGivenCanBeLockedAndTermsOnlyRise(@ForAll("histories") List<Step> steps) {
    ClaimDao claims = new ClaimDao(database);
    String resource = "resource-" + UUID.randomUUID();
    List<Claim> given = new ArrayList<>();
    for (Step step : steps) {
      Optional<Claim> got = take(claims, resource, step);
      got.ifPresent(
          claim -> {
            given.forEach(
                earlier -> assertThat(claim.term()).isGreaterThanOrEqualTo(earlier.term()));
            given.stream()
                .filter(earlier -> earlier.term() == claim.term())
                .forEach(earlier -> assertThat(earlier).isEqualTo(claim));
            given.add(claim);
          });
      List<Claim> lockable =
          given.stream()
              .distinct()
              .filter(claim -> database.transaction(handle -> claims.lock(handle, claim)))
              .toList();
      assertThat(lockable).hasSizeLessThanOrEqualTo(1);
      got.ifPresent(claim -> assertThat(lockable).containsExactly(claim));
    }
  }

  private static Optional<Claim> take(ClaimDao claims, String resource, Step step) {
    switch (step.deed()) {
      case ASK -> {
        return claims.acquireOrRenew(resource, step.claimant(), LONG);
      }
      case RELEASE -> claims.release(resource, step.claimant());
      case EXPIRE ->
          database.read(
              handle ->
                  handle.execute(
                      "UPDATE claim SET expires_at = "
                          + database.dialect().nowPlusMicros("-1")
                          + " WHERE resource = ?",
                      resource));
    }
    return Optional.empty();
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Step> steps =
        Combinators.combine(Arbitraries.of(Deed.class), Arbitraries.of("one", "two", "three"))
            .as(Step::new);
    return steps.list().ofMinSize(1).ofMaxSize(20);
  }
}
