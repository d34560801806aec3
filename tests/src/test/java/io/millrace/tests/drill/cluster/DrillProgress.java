package io.millrace.tests.drill.cluster;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.api.Json;
import io.millrace.tests.drill.cluster.FaultTally.Count;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The progress of a long drill, stored in a small file so that it can be stopped at any time and
 * resumes with the next round. Not thread-safe.
 *
 * <p>System properties: {@code millrace.drill.progress} names the file (none: nothing is stored),
 * {@code millrace.drill.seed} the seed of a new run, {@code millrace.drill.faults} how many counted
 * faults the run needs in total, {@code millrace.drill.rounds} how many rounds at most, and {@code
 * millrace.drill.minutes} for how long this run starts rounds. A round that was not checked does
 * not count and is repeated.
 */
public final class DrillProgress {
  private static final String PREFIX = "millrace.drill.";
  private static final int FAULTS = Integer.getInteger(PREFIX + "faults", 100);
  private static final int ROUNDS = Integer.getInteger(PREFIX + "rounds", Integer.MAX_VALUE);
  private static final int MINUTES = Integer.getInteger(PREFIX + "minutes", 7 * 24 * 60);

  private final String drill;
  private final Path file;
  private final int wanted;
  private final long began = System.nanoTime();
  private final FaultTally tally = new FaultTally();
  private final List<String> violations = new ArrayList<>();
  private long seed;
  private int rounds;

  /** The content of the file. */
  private record Kept(
      @JsonProperty("drill") String drill,
      @JsonProperty("seed") long seed,
      @JsonProperty("rounds") int rounds,
      @JsonProperty("faults") Map<String, Count> faults,
      @JsonProperty("violations") List<String> violations) {}

  private DrillProgress(String drill, Path file, long seed, int wanted) {
    this.wanted = wanted;
    this.drill = drill;
    this.file = file;
    this.seed = seed;
  }

  /**
   * The progress of a drill, read from its file if there is one.
   *
   * @throws IllegalStateException if the file belongs to another drill
   */
  public static DrillProgress open(String drill) {
    String name = System.getProperty(PREFIX + "progress");
    long seed = Long.getLong(PREFIX + "seed", System.nanoTime());
    Path file = name == null ? null : Path.of(name).toAbsolutePath();
    DrillProgress progress = open(drill, file, seed, FAULTS);
    System.out.println(progress.words());
    return progress;
  }

  /** The same without system properties; a null file stores nothing. */
  static DrillProgress open(String drill, Path file, long seed, int wanted) {
    DrillProgress progress = new DrillProgress(drill, file, seed, wanted);
    if (file != null && Files.exists(file)) {
      progress.read();
    }
    return progress;
  }

  private void read() {
    try {
      Kept kept = Json.read(Files.readString(file), Kept.class);
      if (!kept.drill().equals(drill)) {
        throw new IllegalStateException(file + " is the progress of " + kept.drill());
      }
      seed = kept.seed();
      rounds = kept.rounds();
      kept.faults().forEach((cell, count) -> tally.add(FaultCell.parse(cell), count));
      violations.addAll(kept.violations());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write() {
    if (file == null) {
      return;
    }
    Map<String, Count> faults = new LinkedHashMap<>();
    tally.counts().forEach((cell, count) -> faults.put(cell.toString(), count));
    try {
      Path fresh = file.resolveSibling(file.getFileName() + ".new");
      Files.writeString(fresh, Json.write(new Kept(drill, seed, rounds, faults, violations)));
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public long seed() {
    return seed;
  }

  /** Checked rounds, including those of earlier runs. */
  public int rounds() {
    return rounds;
  }

  /** Whether this run is to execute another round. */
  public boolean goesOn() {
    boolean time = System.nanoTime() - began < Duration.ofMinutes(MINUTES).toNanos();
    return time && rounds < ROUNDS && tally.counted() < wanted;
  }

  /** Records a round without violations, possibly a repeated one. */
  public void passed(FaultTally faults) {
    rounds++;
    tally.add(faults);
    violations.removeIf(one -> one.startsWith(round()));
    write();
  }

  /**
   * Records a round with violations; the next run continues after it. Its faults count once it was
   * repeated and has passed.
   */
  public void violated(Throwable what) {
    rounds++;
    violations.add(round() + what);
    write();
  }

  private String round() {
    return "round " + rounds + ": ";
  }

  /** The table, the seed and the totals. */
  @Override
  public String toString() {
    return tally.table() + words();
  }

  private String words() {
    return "%s: seed %d, %d rounds, %d faults dealt, %d of them hit work in progress, %d violations%s"
        .formatted(
            drill,
            seed,
            rounds,
            tally.dealt(),
            tally.counted(),
            violations.size(),
            file == null ? "" : "; progress in " + file);
  }
}
