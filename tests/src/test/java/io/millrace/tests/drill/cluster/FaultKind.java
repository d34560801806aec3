package io.millrace.tests.drill.cluster;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What goes wrong, whoever it happens to. */
public enum FaultKind {
  KILL("kill -9"),
  SHORT_FREEZE("frozen for seconds"),
  LONG_FREEZE("frozen for minutes"),
  FREEZE_IN_TRANSACTION("frozen in a transaction"),
  CUT("cut off"),
  CUT_ONE_WAY("cut one way"),
  SLOW("slow link"),
  REPEATED("requests repeated"),
  LATE("requests after newer"),
  READ_ONLY("read-only"),
  DISK_FULL("disk full"),
  SMALL_HEAP("small heap"),
  CLOCK_STEP("clock stepped");

  private static final String PROPERTY = "millrace.drill.kinds";

  private final String words;

  FaultKind(String words) {
    this.words = words;
  }

  /**
   * The kinds that the system property {@code millrace.drill.kinds} names, separated by commas; all
   * of them unless it names some.
   *
   * @throws IllegalArgumentException if it names something else
   */
  public static Set<FaultKind> wanted() {
    Set<FaultKind> named = EnumSet.noneOf(FaultKind.class);
    for (String name : System.getProperty(PROPERTY, "").split(",", -1)) {
      if (!name.isBlank()) {
        named.add(named(name.trim()));
      }
    }
    return named.isEmpty() ? EnumSet.allOf(FaultKind.class) : named;
  }

  private static FaultKind named(String name) {
    return Stream.of(values())
        .filter(kind -> kind.name().equals(name))
        .findAny()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    PROPERTY + ": no kind of fault is " + name + "; use " + List.of(values())));
  }

  /** For the table. */
  public String words() {
    return words;
  }
}
