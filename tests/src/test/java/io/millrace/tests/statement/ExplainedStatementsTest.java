package io.millrace.tests.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.database.Database;
import io.millrace.tests.server.SqlSchema;
import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * MariaDB explains every statement of the central manager with statistics that claim millions of
 * rows in all growing tables: no statement may scan one of them, and none may be left out.
 */
@Tag("drill")
class ExplainedStatementsTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  /** Tables that stay small regardless of retention, with the reason. */
  private static final Map<String, String> SMALL =
      Map.ofEntries(
          Map.entry("booking", "attempts that run: the slots of all nodes"),
          Map.entry("node", "a row for each node by name; lost ones are forgotten"),
          Map.entry("claim", "a row for each duty and pool"),
          Map.entry("restoration", "a row for each restoration by an operator"),
          Map.entry("new_node_drain", "a row after a restoration with --drained"),
          Map.entry("worker_total", "a row for each queue and queue node by name"),
          Map.entry("queue_weight", "a row for each queue"),
          Map.entry("queue_slot", "a row for each queue of sessions"),
          Map.entry("queue_control", "a row for each paused queue"),
          Map.entry("breaker", "a row for each queue"),
          Map.entry("pacing_state", "a row for each segment; gone ones are deleted"),
          Map.entry("place_allowance", "a row for each segment; gone ones are deleted"),
          Map.entry("pacing_rate", "a row for each segment; gone ones are deleted"),
          Map.entry("job_total", "a row for each kind and state, and one for each queue"),
          Map.entry("share_weight", "what operators set"),
          Map.entry("licence", "what operators set"),
          Map.entry("task_schedule", "a row for each task"),
          Map.entry("partition_group", "a row for each group"),
          Map.entry("partition_member", "members of the last two days"),
          Map.entry("partition_cycle", "ten rows for each group"),
          Map.entry("login_code", "codes of some minutes"),
          Map.entry("join_token", "tokens that operators made; expired ones are deleted"),
          Map.entry("join_token_terms", "a row for each join token"),
          Map.entry("node_identity", "a row for each node that has joined"),
          Map.entry("definition", "versions that operators apply"),
          Map.entry("job_total_change", "differences of the last seconds"),
          Map.entry("usage_change", "differences of the last seconds"),
          Map.entry("usage_day", "a row for each day, owner and queue, for 400 days"),
          Map.entry("fair_share", "owners who started something within 30 days, in each pool"),
          Map.entry("problem_silence", "what operators set; ended ones are deleted"),
          Map.entry("dead_letter_count", "a row for each queue"),
          Map.entry("clock_step", "steps of the last hour"));

  /** Lines with statements that generated arguments do not reach, and why that is acceptable. */
  private static final Set<String> UNREACHED = Set.of();

  /** A scan in index order ends after that many rows. */
  private static final long LIMITED = 2_000;

  private static final Pattern ALIAS =
      Pattern.compile("(?:from|join|update|into)\\s+(\\w+)(?:\\s+(?:as\\s+)?(\\w+))?");

  @Test
  void noStatementScansAGrowingTable() throws Exception {
    Recorder recorder = new Recorder();
    StoreCalls calls = new StoreCalls();
    List<String> growing;
    try (Database database = Database.open(SCHEMA.settings(), List.of("platform", "central"))) {
      List<String> all;
      try (Connection connection = SCHEMA.connect()) {
        all = tables(connection);
        assertThat(all).as("tables named as small").containsAll(SMALL.keySet());
        growing = all.stream().filter(table -> !SMALL.containsKey(table)).toList();
        Seeds.write(connection, all);
      }
      Jdbi jdbi = jdbi(database);
      recorder.listenTo(jdbi);
      calls.run(jdbi);
      try (Connection connection = SCHEMA.connect()) {
        Seeds.revive(connection);
      }
      calls.run(jdbi);
      Searches.run(database);
      Claims.run(database);
      try (Connection connection = SCHEMA.connect()) {
        Seeds.delete(connection, all);
      }
      calls.run(jdbi);
    }
    try (Connection connection = SCHEMA.connect()) {
      WrittenStatistics.write(connection, growing);
      List<String> scans = new ArrayList<>();
      for (String text : recorder.statements()) {
        scans.addAll(explain(connection, text, growing));
      }
      Set<String> unseen = new TreeSet<>(calls.lines());
      unseen.removeAll(recorder.lines());
      System.out.printf(
          "%d statements of %d lines explained; %d lines not reached%n",
          recorder.statements().size(), recorder.lines().size(), unseen.size());
      scans.forEach(System.out::println);
      unseen.forEach(System.out::println);
      assertThat(recorder.lines()).as("lines whose statements were run").hasSizeGreaterThan(300);
      assertThat(scans).as("statements that read whole tables").isEmpty();
      assertThat(unseen).as("lines whose statements were not run").isEqualTo(UNREACHED);
    }
  }

  private static List<String> tables(Connection connection) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("show tables")) {
      while (rows.next()) {
        if (!rows.getString(1).startsWith("migration_")) {
          tables.add(rows.getString(1));
        }
      }
    }
    return tables;
  }

  // The product neither has nor needs an interface for it.
  private static Jdbi jdbi(Database database) throws ReflectiveOperationException {
    Field field = Database.class.getDeclaredField("jdbi");
    field.setAccessible(true);
    return (Jdbi) field.get(database);
  }

  private static List<String> explain(Connection connection, String text, List<String> growing)
      throws SQLException {
    List<String> scans = new ArrayList<>();
    if (!text.matches("(?is)\\s*(select|insert|update|delete).*")) {
      return scans;
    }
    Map<String, String> names = names(text);
    try (Statement statement = connection.createStatement();
        ResultSet plan = statement.executeQuery("explain " + text)) {
      while (plan.next()) {
        String type = plan.getString("type");
        String table = plan.getString("table");
        boolean whole = "ALL".equals(type) || "index".equals(type);
        if (whole
            && growing.contains(names.getOrDefault(table, table))
            && plan.getLong("rows") > LIMITED) {
          scans.add(type + " of " + table + " in: " + text);
        }
      }
    } catch (SQLException e) {
      throw new SQLException("cannot explain: " + text, e);
    }
    return scans;
  }

  private static Map<String, String> names(String text) {
    Map<String, String> names = new HashMap<>();
    Matcher matcher = ALIAS.matcher(text.toLowerCase(Locale.ROOT));
    while (matcher.find()) {
      names.put(matcher.group(1), matcher.group(1));
      if (matcher.group(2) != null) {
        names.put(matcher.group(2), matcher.group(1));
      }
    }
    return names;
  }
}
