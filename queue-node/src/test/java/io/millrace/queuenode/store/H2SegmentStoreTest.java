package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract over H2, and what only a store on disk must do. */
class H2SegmentStoreTest extends SegmentStoreContract {
  @TempDir Path folder;

  @Override
  protected SegmentStore open() {
    return H2SegmentStore.open(folder.resolve("store"), clock);
  }

  @Test
  void readyEventsAreReadInTheOrderOfTheIndexWithoutSortingTheBacklog() throws SQLException {
    Path other = folder.resolve("plans");
    H2SegmentStore.open(other, clock).close();
    try (Connection connection =
        DriverManager.getConnection("jdbc:h2:file:" + other.resolve("events"), "sa", "")) {
      for (String query : EventTable.ORDERED_QUERIES) {
        assertThat(plan(connection, query))
            .contains("EVENT_BY_STATE")
            .containsIgnoringCase("index sorted");
      }
    }
  }

  private static String plan(Connection connection, String query) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("EXPLAIN " + query)) {
      for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
        statement.setInt(i, 1);
      }
      try (ResultSet rows = statement.executeQuery()) {
        assertThat(rows.next()).isTrue();
        return rows.getString(1);
      }
    }
  }

  @Test
  void aStoreThatIsOpenIsRefusedWithItsFolder() {
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(ErrorCode.STORE_FAILURE);
              assertThat(refusal).hasMessageContaining(folder.resolve("store").toString());
            });
  }

  @Test
  void aStoreThatCannotBeReadIsRefusedAndLeftAsItIs() throws IOException {
    byte[] noDatabase =
        "no database at all".repeat(1000).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    Path broken = Files.createDirectories(folder.resolve("broken"));
    Path file = broken.resolve("events.mv.db");
    Files.write(file, noDatabase);

    assertThatThrownBy(() -> H2SegmentStore.open(broken, clock))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(broken.toString())
        .hasMessageContaining("left as it is");
    assertThat(Files.readAllBytes(file)).isEqualTo(noDatabase);
  }

  @Test
  void aStoreWhoseFileHasGoneDoesNotBecomeAnEmptyOne() throws IOException {
    Path other = folder.resolve("other");
    H2SegmentStore.open(other, clock).close();
    Files.delete(other.resolve("events.mv.db"));

    assertThatThrownBy(() -> H2SegmentStore.open(other, clock))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("missing or empty");
    assertThat(other.resolve("events.mv.db")).doesNotExist();
  }
}
