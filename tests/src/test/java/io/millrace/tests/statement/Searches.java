package io.millrace.tests.statement;

import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.job.SearchParser;
import io.millrace.platform.database.Database;
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
          "tag:x name:x state:failed");

  private Searches() {}

  static void run(Database database) {
    JobReadDao jobs = new JobReadDao();
    for (String text : TEXTS) {
      for (Long before : new Long[] {null, 10L}) {
        database.read(handle -> jobs.ids(handle, SearchParser.parse(text), before, 50));
      }
    }
  }
}
