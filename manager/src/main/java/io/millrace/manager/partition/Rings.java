package io.millrace.manager.partition;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The last ring of each group, which costs more to make than to ask. Thread-safe. */
final class Rings {
  private static final int MOST = 100;

  // By the last use. Guarded by this.
  private final Map<String, Ring> rings = new LinkedHashMap<>(16, 0.75f, true);

  /** The ring of these members, who are in the order of their names. */
  Ring of(String group, List<String> members) {
    synchronized (this) {
      Ring known = rings.get(group);
      if (known != null && known.members().equals(members)) {
        return known;
      }
    }
    Ring made = Ring.of(members);
    synchronized (this) {
      rings.put(group, made);
      if (rings.size() > MOST) {
        rings.remove(rings.keySet().iterator().next());
      }
    }
    return made;
  }
}
