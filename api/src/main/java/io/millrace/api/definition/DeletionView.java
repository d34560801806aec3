package io.millrace.api.definition;

import java.time.Instant;
import java.util.List;

/**
 * The deletion of a definition. Its versions stay, so that it can be rolled back to one of them.
 *
 * @param kind queue, …
 * @param name its name
 * @param version the version that was in force
 * @param mode what becomes of its work
 * @param state how far the deletion is; null if it was only tried
 * @param by who asked for it
 * @param at when, by the database's clock
 * @param endedAt when it was done; null before
 * @param dropped events that it drops, as last reported when it was asked for
 * @param waitsFor what it waits for, human-readable; empty once it is done
 * @param work of one that was only tried: what the definition has to do, human-readable
 */
public record DeletionView(
    String kind,
    String name,
    int version,
    DeletionMode mode,
    DeletionState state,
    String by,
    Instant at,
    Instant endedAt,
    long dropped,
    List<String> waitsFor,
    List<String> work) {
  public DeletionView {
    waitsFor = waitsFor == null ? List.of() : List.copyOf(waitsFor);
    work = work == null ? List.of() : List.copyOf(work);
  }

  /** A deletion that has begun. */
  public DeletionView(
      String kind,
      String name,
      int version,
      DeletionMode mode,
      DeletionState state,
      String by,
      Instant at,
      Instant endedAt,
      long dropped,
      List<String> waitsFor) {
    this(kind, name, version, mode, state, by, at, endedAt, dropped, waitsFor, List.of());
  }

  /**
   * How far a deletion is.
   *
   * <pre>
   *   DELETING --nothing left to drain--&gt; ENDING --workers and managers ended--&gt; DELETED
   * </pre>
   */
  public enum DeletionState {
    /** Nothing new is accepted or started by schedule; its work goes on. */
    DELETING,
    /** Nothing is started any more; what runs is being stopped. */
    ENDING,
    /** It is not in force any more. */
    DELETED
  }

  /**
   * Asks for the deletion of a definition.
   *
   * @param mode what becomes of its work; null refuses the deletion if there is any
   * @param dryRun whether to report only what would be done
   * @param expect refuses the deletion if another version is in force; null for any
   */
  public record DeletionRequest(DeletionMode mode, boolean dryRun, Integer expect) {
    public DeletionRequest {
      if (expect != null && expect < 1) {
        throw new IllegalArgumentException("expect must be a version from 1, not " + expect);
      }
    }

    /** Of whatever version is in force. */
    public DeletionRequest(DeletionMode mode, boolean dryRun) {
      this(mode, dryRun, null);
    }
  }
}
