package io.millrace.tests.statement;

import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.job.SearchParser;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.List;

/** Searches of operators: each term alone, and combined terms. */
final class Searches {
  private static final List<String> TEXTS =
      List.of(
          "",
          "state:failed",
          "kind:worker",
          "name:x",
          "name:x*",
          "node:x",
          "pool:x",
          "queue:x",
          "owner:x",
          "lane:x",
          "tag:x",
          "array:1",
          "id:1",
          "state:failed owner:x",
          "state:failed queue:x kind:worker",
          "tag:x name:x state:failed",
          "task:x",
          "run:1",
          "run:1,2 tag:x state:failed",
          "since:2h",
          "ended:>2h",
          "ended:>2h ended:<1h state:failed kind:all",
          "exit:1 state:failed",
          "-state:succeeded -name:x");

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private Searches() {}

  static void run(Database database) {
    JobReadDao jobs = new JobReadDao(database.dialect());
    for (String text : TEXTS) {
      for (Long before : new Long[] {null, 10L}) {
        database.read(handle -> jobs.ids(handle, SearchParser.parse(text).at(NOW), before, 50));
      }
    }
  }
}
