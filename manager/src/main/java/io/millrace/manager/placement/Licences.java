package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.manager.placement.PlacementSnapshot.LicenceStock;
import java.util.HashMap;
import java.util.Map;

/** Licences while they are given out. Not thread-safe; lives for one plan. */
@Pure
final class Licences {
  private final Map<String, LicenceStock> stocks;
  private final Map<String, Integer> free = new HashMap<>();

  Licences(Map<String, LicenceStock> stocks) {
    this.stocks = stocks;
    stocks.forEach((name, stock) -> free.put(name, stock.free()));
  }

  /** Whether all that the shape asks for is free. */
  boolean enough(Shape shape) {
    return shape.licences().entrySet().stream()
        .allMatch(want -> want.getValue() <= free.getOrDefault(want.getKey(), 0));
  }

  void take(Shape shape) {
    shape.licences().forEach((name, amount) -> free.merge(name, -amount, Integer::sum));
  }

  /** What lacks, for people; the first by name. */
  String lacking(Shape shape) {
    return shape.sortedLicences().entrySet().stream()
        .filter(want -> want.getValue() > free.getOrDefault(want.getKey(), 0))
        .map(want -> words(want.getKey(), want.getValue()))
        .findFirst()
        .orElseThrow();
  }

  private String words(String name, int wanted) {
    LicenceStock stock = stocks.get(name);
    if (stock == null) {
      return "no licence '" + name + "' is defined; millrace licence set " + name + " --total N";
    }
    if (wanted > stock.total()) {
      return "needs " + wanted + " of licence " + name + ", of which there are " + stock.total();
    }
    int used = stock.total() - free.get(name);
    return "licence "
        + name
        + ": "
        + used
        + " of "
        + stock.total()
        + " in use"
        + (wanted > 1 ? ", " + wanted + " needed" : "");
  }
}
