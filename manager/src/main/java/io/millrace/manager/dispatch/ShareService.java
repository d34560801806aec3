package io.millrace.manager.dispatch;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.Share;
import io.millrace.manager.job.ReadyJobDao;
import io.millrace.manager.job.ReadyJobDao.Head;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.placement.FairShareDao;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.platform.database.Database;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/** Lists fair shares and sets their weights. Thread-safe; blocks on the database. */
public final class ShareService {
  private static final double MAX = 1_000_000;
  private static final double MIN = 0.001;
  private static final int LONGEST_NAME = 200;
  // Not a million rows for a number that is only displayed.
  private static final long MAX_COUNTED = 100_000;

  private final Database database;
  private final FairShareDao shares = new FairShareDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final ShapeDao shapes;
  private final WakeUps wakeUps;

  public ShareService(Database database, ShapeDao shapes, WakeUps wakeUps) {
    this.database = database;
    this.shapes = shapes;
    this.wakeUps = wakeUps;
  }

  /**
   * Every share that has a weight, a waiting job or a started one, by name. Waiting jobs are
   * counted up to 100,000 of each shape.
   */
  public List<Share> list() {
    return database.read(this::list);
  }

  private List<Share> list(Handle handle) {
    Map<String, Double> weights = shares.weights(handle);
    Map<String, Long> waiting = waiting(handle);
    Map<String, Long> running = shares.running(handle);
    Map<String, Long> started = shares.started(handle);
    SortedSet<String> names = new TreeSet<>();
    List.of(weights, waiting, running, started).forEach(known -> names.addAll(known.keySet()));
    return names.stream()
        .map(
            name ->
                new Share(
                    name,
                    weights.getOrDefault(name, 1.0),
                    waiting.getOrDefault(name, 0L),
                    running.getOrDefault(name, 0L),
                    started.getOrDefault(name, 0L)))
        .toList();
  }

  private Map<String, Long> waiting(Handle handle) {
    Map<String, Long> waiting = new HashMap<>();
    for (String pool : ready.pools(handle)) {
      Map<Long, Long> byShape = new HashMap<>();
      Optional<Head> head = ready.nextShape(handle, pool, 0);
      while (head.isPresent()) {
        long shape = head.get().shape();
        byShape.put(shape, ready.count(handle, pool, shape, MAX_COUNTED));
        head = ready.nextShape(handle, pool, shape);
      }
      Map<Long, Shape> known = shapes.find(handle, byShape.keySet());
      byShape.forEach(
          (id, count) -> {
            if (known.containsKey(id)) {
              waiting.merge(known.get(id).share(), count, Long::sum);
            }
          });
    }
    return waiting;
  }

  /**
   * Sets a share's weight.
   *
   * @throws MillraceException INVALID_REQUEST for an invalid weight or name
   */
  public Share setWeight(String name, Double weight) {
    if (name.isBlank() || name.length() > LONGEST_NAME) {
      throw refuse("share", "use a name of 1 to " + LONGEST_NAME + " characters");
    }
    if (weight == null || !(weight >= MIN) || weight > MAX) {
      throw refuse(
          "weight", "must be from 0.001 to 1000000, not %s; the default is 1".formatted(weight));
    }
    return database.transaction(
        handle -> {
          shares.setWeight(handle, name, weight);
          wakeUps.ready(handle);
          return new Share(
              name,
              weight,
              waiting(handle).getOrDefault(name, 0L),
              shares.running(handle).getOrDefault(name, 0L),
              shares.started(handle).getOrDefault(name, 0L));
        });
  }

  private static MillraceException refuse(String field, String fix) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, field + ": " + fix);
  }
}
