package io.millrace.manager.dispatch;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.Licence;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.placement.LicenceDao;
import io.millrace.manager.placement.LicenceDao.Holding;
import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.List;

/** Lists and sets licences. Thread-safe; blocks on the database. */
public final class LicenceService {
  private static final int MAX = 1_000_000;
  private static final int MAX_HOLDERS = 100;

  private final Database database;
  private final LicenceDao licences = new LicenceDao();
  private final WakeUps wakeUps;

  public LicenceService(Database database, WakeUps wakeUps) {
    this.database = database;
    this.wakeUps = wakeUps;
  }

  /** All licences, by name. */
  public List<Licence> list() {
    return database.read(
        handle -> {
          List<Holding> holdings = licences.holdings(handle);
          return licences.totals(handle).entrySet().stream()
              .map(entry -> licence(entry.getKey(), entry.getValue(), holdings))
              .toList();
        });
  }

  /**
   * Defines a licence or changes its total. A total below the number in use revokes none; no more
   * are granted until enough have been returned. A total of 0 removes a licence that nobody holds.
   *
   * @throws MillraceException INVALID_REQUEST for an invalid total or name
   */
  public Licence set(String name, Integer total) {
    Names.require("name", name, ErrorCode.INVALID_REQUEST);
    if (total == null || total < 0 || total > MAX) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "total must be from 0 to %d, not %s".formatted(MAX, total));
    }
    return database.transaction(
        handle -> {
          licences.set(handle, name, total);
          wakeUps.ready(handle);
          Licence licence = licence(name, total, licences.holdings(handle));
          // Its row is locked, and nothing is granted of none: jobs that ask for it wait as before.
          if (total == 0 && licence.used() == 0) {
            licences.delete(handle, name);
          }
          return licence;
        });
  }

  private static Licence licence(String name, int total, List<Holding> holdings) {
    List<AttemptId> holders = new ArrayList<>();
    int used = 0;
    for (Holding holding : holdings) {
      int amount = holding.amount().getOrDefault(name, 0);
      used += amount;
      if (amount > 0 && holders.size() < MAX_HOLDERS) {
        holders.add(holding.attempt());
      }
    }
    return new Licence(name, total, used, holders);
  }
}
