package io.millrace.platform.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What was committed and forced before a kill -9 is there afterwards, also when space is used
 * again.
 */
class TornTailTest {
  private static final int KILLS = 6;
  private static final int COMMITS_BEFORE_KILL = 400;

  @TempDir private Path folder;

  @Tag("drill")
  @Test
  void everyAcknowledgedCommitIsThereAfterKillsWhileSpaceIsUsedAgain() throws Exception {
    for (int kill = 0; kill < KILLS; kill++) {
      long acknowledged = killAfterCommits(COMMITS_BEFORE_KILL + 37 * kill);
      TornTail.repair(folder.resolve("db.mv.db"));
      assertThat(last()).as("after kill %d", kill).isGreaterThanOrEqualTo(acknowledged);
    }
  }

  @Test
  void fileThatWasClosedCleanlyIsLeftAlone() throws Exception {
    try (Connection connection = connect(folder)) {
      prepare(connection);
    }
    byte[] before = Files.readAllBytes(folder.resolve("db.mv.db"));
    TornTail.repair(folder.resolve("db.mv.db"));
    assertThat(Files.readAllBytes(folder.resolve("db.mv.db"))).isEqualTo(before);
    TornTail.repair(folder.resolve("none.mv.db"));
    assertThat(folder.resolve("none.mv.db")).doesNotExist();
  }

  private long killAfterCommits(int commits) throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process writer =
        new ProcessBuilder(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out = writer.inputReader()) {
      long last = 0;
      for (int i = 0; i < commits; i++) {
        String line = out.readLine();
        assertThat(line).as("the writer goes on").isNotNull();
        last = Long.parseLong(line);
      }
      assertThat(writer.toHandle().destroyForcibly()).isTrue();
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        last = line.isEmpty() ? last : Math.max(last, Long.parseLong(line));
      }
      return last;
    } finally {
      writer.destroyForcibly();
      assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private long last() throws SQLException {
    try (Connection connection = connect(folder)) {
      return last(connection);
    }
  }

  private static long last(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select coalesce(max(seq), 0) from event")) {
      row.next();
      return row.getLong(1);
    }
  }

  // Without retention every freed chunk is used again at once, which is when H2 loses its way.
  private static Connection connect(Path folder) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:h2:file:"
            + folder.resolve("db")
            + ";WRITE_DELAY=0;RETENTION_TIME=0;DB_CLOSE_ON_EXIT=FALSE",
        "sa",
        "");
  }

  private static void prepare(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "create table if not exists event (seq bigint primary key, data varbinary(1000))");
    }
  }

  /** Commits, forces and then tells, until it is killed. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) throws SQLException {
      try (Connection connection = connect(Path.of(arguments[0]))) {
        prepare(connection);
        connection.setAutoCommit(false);
        long seq = last(connection);
        try (PreparedStatement insert =
                connection.prepareStatement("insert into event values (?, ?)");
            PreparedStatement delete =
                connection.prepareStatement("delete from event where seq < ?");
            Statement force = connection.createStatement()) {
          while (true) {
            for (int i = 0; i < 20; i++) {
              insert.setLong(1, ++seq);
              insert.setBytes(2, new byte[300 + (int) (seq * 7919 % 500)]);
              insert.addBatch();
            }
            insert.executeBatch();
            delete.setLong(1, seq - 400);
            delete.executeUpdate();
            connection.commit();
            force.execute("CHECKPOINT SYNC");
            System.out.println(seq);
            System.out.flush();
          }
        }
      }
    }
  }
}
