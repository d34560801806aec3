package io.millrace.tests.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.tests.server.SqlSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Three managers on one database server, one of them cut off every few seconds in the middle of its
 * work, while planned times pass, 250 or {@code -Dlaunch.fires=N}: each is launched once or
 * recorded once. {@code LongTaskDrill} does the same with killed processes.
 */
@Timeout(300)
@Tag("drill")
class LaunchDrillTest {
  private static final int TASKS = 20;
  private static final int FIRES = Integer.getInteger("launch.fires", 250);
  private static final long SEED = 20260301;

  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  @Test
  void plannedTimesAreEachLaunchedOrRecordedOnce() throws SQLException {
    DatabaseSettings settings = SCHEMA.settings();
    List<LaunchingManager> managers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      managers.add(new LaunchingManager(settings, "m" + i));
    }
    Random random = new Random(SEED);
    int kills = 0;
    try {
      managers.get(0).apply(new ApplyRequest(List.of(new SourceFile("t.yaml", tasks())), false));
      while (planned() < FIRES) {
        long until = planned() + 15 + random.nextInt(25);
        await().atMost(Duration.ofSeconds(60)).until(() -> planned() >= until);
        int victim = random.nextInt(managers.size());
        managers.get(victim).kill();
        kills++;
        managers.set(victim, new LaunchingManager(settings, "m" + victim + "-" + kills));
      }
    } finally {
      managers.forEach(LaunchingManager::kill);
    }

    assertThat(kills).isGreaterThan(2);
    assertThat(gaps()).as("planned times neither launched nor recorded").isEmpty();
    assertThat(count("select count(*) from task_run where started_at is not null"))
        .as("exactly one task manager for each started run")
        .isEqualTo(count("select count(*) from job where kind = 'MANAGER'"))
        .isEqualTo(count("select count(distinct manager_job) from task_run"))
        .isPositive();
  }

  private static String tasks() {
    StringBuilder yaml = new StringBuilder();
    for (int i = 0; i < TASKS; i++) {
      // Odd tasks record missed times, even ones catch up; each run replaces the one before.
      String catchUp = i % 2 == 0 ? "all, catchUpLimit: 1000" : "none";
      yaml.append("---\n{kind: task, name: t")
          .append(i)
          .append(", schedule: {every: 1s, overlap: ")
          .append(i % 2 == 0 ? "replace" : "skip")
          .append(", catchUp: ")
          .append(catchUp)
          .append("}, job: {command: ['true']}}\n");
    }
    return yaml.toString();
  }

  private static long planned() throws SQLException {
    return count("select count(*) from task_run");
  }

  /** Rows of one task whose planned time is not one second after the one before. */
  private static List<String> gaps() throws SQLException {
    TreeMap<String, LocalDateTime> last = new TreeMap<>();
    List<String> gaps = new ArrayList<>();
    try (Connection connection = SCHEMA.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select task, planned_at from task_run order by task, planned_at")) {
      while (rows.next()) {
        String task = rows.getString(1);
        LocalDateTime planned = rows.getObject(2, LocalDateTime.class);
        LocalDateTime before = last.put(task, planned);
        if (before != null && !before.plusSeconds(1).equals(planned)) {
          gaps.add(task + ": " + planned + " after " + before);
        }
      }
    }
    return gaps;
  }

  private static long count(String sql) throws SQLException {
    try (Connection connection = SCHEMA.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
