package io.millrace.tests.history;

import io.millrace.tests.server.DatabaseProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongFunction;

/**
 * Fills the tables of a central manager on MariaDB with history, using statements over MariaDB's
 * sequences, so that millions of rows take minutes. Most rows are within their retention, a small
 * part is due for deletion.
 *
 * @param url of the schema
 * @param jobs ended jobs; there are as many attempts and three times as many history lines
 */
record HistoryLoader(String url, long jobs) {
  /** Ended jobs beyond their retention. */
  private static final int OLD_JOBS = 2_000;

  /** Rows per transaction. */
  private static final long CHUNK = 200_000;

  // End times of the jobs, spread over six days; the first ones are beyond the retention.
  private static final String ENDED =
      "utc_timestamp(6) - interval (case when seq <= "
          + OLD_JOBS
          + " then 700000 else seq % 518400 end) second";

  private static final String JOBS_SQL =
      "insert into job (id, name, kind, state, owner, priority, pool, slots, queue, segment_node,"
          + " spec, restarts, retry_max, retry_first_millis, retry_longest_millis,"
          + " attempt_number, node_id, node_name, failed_tries, lost_tries, short_runs, outcome,"
          + " exit_code, submitted_at, started_at, ended_at, share, definition, shape_id, lane)"
          + " select seq, concat('job', seq % 500), case when seq % 50 = 1 then 'WORKER' else"
          + " 'SUBMITTED' end, case when seq % 10 = 1 then 'FAILED' when seq % 50 = 2 then"
          + " 'CANCELLED' else 'SUCCEEDED' end, concat('owner', seq % 50), 0, 'default', 1, case"
          + " when seq % 50 = 1 then concat('queue', seq % 3) end, case when seq % 50 = 1 then"
          + " 'q1' end, '{\"command\":[\"true\"]}', false, 0, 1000, 60000, 1, uuid(),"
          + " concat('e', seq % 20), 0, 0, 0, 'SUCCEEDED', 0, "
          + ENDED
          + ", "
          + ENDED
          + ", "
          + ENDED
          + ", concat('owner', seq % 50), concat('owner', seq % 50, '/job', seq % 500), 1 + seq"
          + " % 100, case when seq % 100 = 3 then concat('lane', seq % 20000) end";
  private static final String ATTEMPTS_SQL =
      "insert into attempt (job_id, attempt_number, node_id, node_name, state, recorded_at,"
          + " started_at, ended_at, outcome, exit_code, events, run_millis) select id, 1,"
          + " node_id, node_name, state, submitted_at, started_at, ended_at, outcome, 0, 0, 10"
          + " from job";
  private static final String LINES_SQL =
      "insert into job_event (job_id, happened_at, state, attempt_number, words) select 1 +"
          + " floor((seq - 1) / 3), utc_timestamp(6) - interval (seq % 518400) second,"
          + " 'SUCCEEDED', 1, 'an ordinary line of history'";

  void load() throws Exception {
    // The two large halves concurrently, each on its own thread.
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<?> lines = threads.submit(() -> inChunks("job_event", 3 * jobs, this::lines));
      Future<?> attempts =
          threads.submit(
              () -> {
                inChunks("job", jobs, this::jobs);
                inChunks("attempt", jobs, this::attempts);
                return null;
              });
      lines.get();
      attempts.get();
    } finally {
      threads.shutdownNow();
    }
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements()) {
        execute(statement, sql);
      }
      for (String table : List.of("job", "attempt", "job_event", "decision", "task_run")) {
        statement.execute("analyze table " + table);
      }
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(url, DatabaseProcess.USER, DatabaseProcess.PASSWORD);
  }

  private static void execute(Statement statement, String sql) throws SQLException {
    long start = System.nanoTime();
    int rows = statement.executeUpdate(sql);
    System.out.printf(
        "%,12d rows %6.1f s  %s%n",
        rows, (System.nanoTime() - start) / 1e9, sql.substring(0, Math.min(60, sql.length())));
  }

  /**
   * Inserts rows in the order of the primary key; the other indexes are built afterwards by
   * sorting.
   */
  private Void inChunks(String table, long rows, LongFunction<LongFunction<String>> insert)
      throws SQLException {
    long start = System.nanoTime();
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("set unique_checks = 0, foreign_key_checks = 0");
      List<String[]> indexes = indexes(statement, table);
      for (String[] index : indexes) {
        statement.execute("alter table " + table + " drop index " + index[0]);
      }
      for (long first = 1; first <= rows; first += CHUNK) {
        statement.executeUpdate(insert.apply(first).apply(Math.min(rows, first + CHUNK - 1)));
      }
      System.out.printf("%,12d rows %6.1f s  %s%n", rows, seconds(start), table);
      for (String[] index : indexes) {
        statement.execute("alter table " + table + " add " + index[1]);
      }
      System.out.printf("%,12d indexes %3.1f s  %s%n", indexes.size(), seconds(start), table);
    }
    return null;
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  /** The names of a table's secondary indexes, and the clauses that create them. */
  private static List<String[]> indexes(Statement statement, String table) throws SQLException {
    List<String[]> indexes = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery(
            "select index_name, min(non_unique), group_concat(column_name order by seq_in_index)"
                + " from information_schema.statistics where table_schema = database() and"
                + " table_name = '"
                + table
                + "' and index_name <> 'PRIMARY' group by index_name")) {
      while (rows.next()) {
        String kind = rows.getInt(2) == 0 ? "unique index " : "index ";
        indexes.add(
            new String[] {
              rows.getString(1), kind + rows.getString(1) + " (" + rows.getString(3) + ")"
            });
      }
    }
    return indexes;
  }

  private LongFunction<String> jobs(long first) {
    return last -> JOBS_SQL + " from seq_" + first + "_to_" + last;
  }

  private LongFunction<String> attempts(long first) {
    return last -> ATTEMPTS_SQL + " where id between " + first + " and " + last + " order by id";
  }

  private LongFunction<String> lines(long first) {
    return last -> LINES_SQL + " from seq_" + first + "_to_" + last;
  }

  private List<String> statements() {
    long few = Math.max(1_000, jobs / 100);
    // Spread over slightly more than a day.
    long samples = Math.min(52_000, few * 3);
    return List.of(
        "insert into job_total (queue, kind, state, jobs) select '', kind, state, count(*) from job"
            + " group by kind, state",
        "update job set is_array = true where id % 100 = 10",
        "insert into job_array (job_id, pool, first_index, last_index, step_width, most_at_once,"
            + " next_index, skipped, succeeded, failed, cancelled, again_cancelled, hungry,"
            + " settled, fed_at) select id, 'default', 1, 2560, 1, 0, 2561, 0, 2560, 0, 0, false,"
            + " false, true, ended_at from job where is_array",
        "insert into element_ids (first_id, array_id, elements, first_index) select 1000000000 +"
            + " 2560 * id, id, 2560, 1 from job where is_array",
        "insert into ended_elements (array_id, block_number, elements, bits, facts) select id,"
            + " seq, 256, unhex(repeat('ff', 32)), unhex(repeat('01', 4000)) from job join"
            + " seq_0_to_9 where is_array",
        "insert into array_usage (array_id, elements, measured, run_millis, cpu_millis,"
            + " memory_bytes_max, memory_bytes_sum, read_bytes, written_bytes) select id, 2560, 0,"
            + " 0, 0, 0, 0, 0, 0 from job where is_array",
        "insert into array_node (array_id, ordinal, node_id, node_name) select id, seq, uuid(),"
            + " concat('e', seq) from job join seq_0_to_9 where is_array",
        "insert into lane (name, last_position) select distinct lane, 1 from job where lane is not"
            + " null",
        "insert into job_tag (tag, job_id) select concat('tag', seq % 100), seq from seq_1_to_"
            + few,
        "insert into job_shape (fingerprint, pool, share, priority, slots, cpu_millis,"
            + " memory_bytes, resources, licences, requires_words, rank_words, used_at) select"
            + " sha2(seq, 256), 'default', concat('owner', seq), 0, 1, 0, 0, '', '', '', '',"
            + " utc_timestamp(6) - interval (seq % 900) hour from seq_1_to_"
            + few,
        "insert into shape_wait (shape_id, pool, code, words, began_at, ended_at) select 1 + seq %"
            + " 100, 'default', 'BEHIND_OTHERS', 'others come first', utc_timestamp(6) - interval"
            + " (seq % 700000) second, utc_timestamp(6) - interval (seq % 700000) second from"
            + " seq_1_to_"
            + few * 5,
        "insert into fair_share (pool, share, pass, start_tag, started, charged_at) select"
            + " 'default', concat('owner', seq), seq, seq, 1, utc_timestamp(6) - interval (seq %"
            + " 900) hour from seq_1_to_"
            + few,
        "insert into usage_profile (definition, memory_runs, cpu_runs, cpu_millis, cpu_most,"
            + " memory_bytes, memory_high, memory_most, changed_at) select concat('owner/job',"
            + " seq), 1, 1, 1, 1, 1, 1, 1, utc_timestamp(6) - interval (seq * 7 % 2500) hour"
            + " from seq_1_to_"
            + few,
        "insert into node_closure (node_id, definition, quick_failures, times, closed_until,"
            + " reason, changed_at) select concat('00000000-0000-0000-0000-00000000000', seq % 10),"
            + " concat('owner/job', seq), 1, 0, null, 'exit code 1', utc_timestamp(6) - interval"
            + " (seq % 30) hour from seq_1_to_"
            + few,
        "insert into idempotency_key (owner, key_hash, fingerprint, job_id, used_at) select"
            + " 'owner', sha2(seq, 256), sha2(seq, 256), seq, utc_timestamp(6) - interval (seq %"
            + " 660) second from seq_1_to_"
            + few,
        "insert into decision (queue, node, decided_at, job_id, attempt_number, start_count,"
            + " policy, gate, reason, inputs) select concat('queue', seq % 3), 'q1',"
            + " utc_timestamp(6) - interval (2600000 * ("
            + few * 10
            + " - seq) / "
            + few * 10
            + ") second, 1, 1, 0, 'demand', 'OPEN', 'enough run', '{}' from seq_1_to_"
            + few * 10,
        "insert into balancing_decision (id, decided_at, node, kind, policy, reason, inputs) select"
            + " uuid(), utc_timestamp(6) - interval (2600000 * ("
            + few
            + " - seq) / "
            + few
            + ") second, 'q1', 'MOVE', 'measured', 'too busy', '{}' from seq_1_to_"
            + few,
        "insert into balancing_move (id, position, queue, version, giver, receiver, points) select"
            + " id, 0, 'queue1', number, 'q1', 'q2', 1 from balancing_decision",
        "insert into weight_history (queue, version, changed_at, points, kind, reason) select"
            + " 'queue1', seq, utc_timestamp(6) - interval (2600000 * ("
            + few
            + " - seq) / "
            + few
            + ") second, '{\"q1\":1000}', 'MOVE', 'too busy' from seq_1_to_"
            + few,
        "insert into queue_sample (queue, sampled_at, waiting, inserted, acknowledged, worker_runs,"
            + " workers_running, oldest_seconds, event_rate, done_rate, worker_rate, points) select"
            + " concat('queue', seq % 3), utc_timestamp(6) - interval (seq * 90000 div "
            + samples
            + ") second, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{\"q1\":1000}' from seq_1_to_"
            + samples,
        "insert into node_sample (kind, node, sampled_at, figures) select 'QUEUE_NODE', concat('q',"
            + " seq % 3), utc_timestamp(6) - interval (seq * 90000 div "
            + samples
            + ") second, '{\"load\":[0.5]}' from seq_1_to_"
            + samples,
        "insert into minute_sample (kind, subject, minute_at, seconds, figures, points) select 'QUEUE',"
            + " concat('queue', seq % 3), date_format(utc_timestamp(), '%Y-%m-%d %H:%i:00') -"
            + " interval (seq * 44000 div "
            + few
            + " + 5) minute, 60, '{\"waiting\":[0]}', '{\"q1\":1000}' from seq_1_to_"
            + few,
        "insert into pacing_override (queue, max_workers, until_at, said_by, said_at, ended_by,"
            + " ended_at) select 'queue1', 1, utc_timestamp(6) - interval (seq % 800) hour, 'ann',"
            + " utc_timestamp(6), 'ann', utc_timestamp(6) from seq_1_to_"
            + few,
        "insert into task_run (task, version, cause, planned_at, planned_once, state, reason,"
            + " started_at, ended_at, total, listed, next_chunk, done, idle, failed, failed_in_row,"
            + " worker_millis) select concat('task', seq % 20), 1, 'SCHEDULE', utc_timestamp(6) -"
            + " interval (seq % 2600000) second, utc_timestamp(6) - interval seq second, case when"
            + " seq % 5 = 0 then 'MISSED' else 'SUCCEEDED' end, null, utc_timestamp(6),"
            + " utc_timestamp(6) - interval (seq % 2600000) second, 1, true, 1, 1, 0, 0, 0, 10 from"
            + " seq_1_to_"
            + few * 4,
        "insert into task_chunk (run_id, position, chunk) select seq % 1000 + 1, seq, 'chunk' from"
            + " seq_1_to_"
            + few,
        "insert into task_worker (run_id, role, state, position, chunk) select seq % 1000 + 1,"
            + " 'WORK', 'FAILED', seq, 'chunk' from seq_1_to_"
            + few,
        // Rows that the sweep of late, already started jobs, 50 at a time, has not processed yet.
        "insert into notice (job_id, occasion, kind, target, tries, due_at, state) select seq,"
            + " 'LATE', 'WEBHOOK', 'http://x', 0, utc_timestamp(6) - interval (seq % 90000) second,"
            + " 'TOLD' from seq_1_to_50",
        "insert into claim (resource, claimant, term, expires_at) select concat('dispatch:pool',"
            + " seq), 'gone', 1, utc_timestamp(6) - interval seq hour from seq_1_to_50",
        // A service with a month of restarts.
        "insert into job (id, name, kind, state, owner, priority, pool, slots, spec, restarts,"
            + " retry_max, retry_first_millis, retry_longest_millis, attempt_number, failed_tries,"
            + " lost_tries, short_runs, submitted_at, shape_id) values ("
            + (jobs + 1)
            + ", 'service', 'SUBMITTED', 'HELD', 'ann', 0, 'default', 1,"
            + " '{\"command\":[\"true\"],\"restart\":true}', true, 0, 1000, 60000, 3000, 0, 0, 0,"
            + " utc_timestamp(6), 1)",
        "insert into job_restarting (job_id, trim_at) values ("
            + (jobs + 1)
            + ", utc_timestamp(6))",
        "insert into attempt (job_id, attempt_number, node_id, node_name, state, recorded_at,"
            + " started_at, ended_at, outcome, exit_code, events, run_millis) select "
            + (jobs + 1)
            + ", seq, uuid(), 'e1', 'FAILED', utc_timestamp(6), utc_timestamp(6), utc_timestamp(6)"
            + " - interval (30 * (3000 - seq) / 3000) day, 'FAILED', 1, 0, 10 from seq_1_to_2999");
  }
}
