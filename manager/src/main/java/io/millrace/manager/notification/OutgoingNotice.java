package io.millrace.manager.notification;

import io.millrace.api.job.JobDraft;
import io.millrace.manager.notification.NotificationDao.Notice.NoticeKind;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** A notice that is due, as it was read from whichever table. Used by one thread. */
interface OutgoingNotice {
  /** The table that it was read from. */
  NoticeTable table();

  long id();

  /** When it was due; another try, or the same occasion anew, gives it another time. */
  Instant dueAt();

  /** How many tries of its own have failed; those that it shared do not count. */
  int tries();

  Destination destination();

  /** What happened to what, for people, without what must be loaded. */
  String toldOf();

  /** Reads what the message contains; blocks. Empty if the notice is no longer of interest. */
  Optional<LoadedNotice> load();

  /** Deletes a notice that is no longer of interest, unless it has changed since it was read. */
  void drop(Handle handle);

  /** Where it is among those that are due. */
  default DuePosition position() {
    return new DuePosition(dueAt(), id());
  }

  /**
   * Ends a notice that is delivered or given up.
   *
   * @return false if it has changed since it was read: it then stays as it is
   */
  default boolean end(Handle handle) {
    return table().end(handle, List.of(id()), dueAt()) > 0;
  }

  /** Counts a failed try and lets the notice wait, unless it has changed since it was read. */
  default void failed(Handle handle, String failure, Instant next) {
    table().postpone(handle, List.of(id()), dueAt(), 1, failure, next);
  }

  /** A notice with what its message contains. */
  interface LoadedNotice {
    /** What happened to what, for people. */
    String toldOf();

    /** Of what it is about, for the name of the job of a command. */
    String name();

    /**
     * What is posted as JSON; the same for each try but for its time.
     *
     * @param now time of the try, by the database's clock
     */
    Object message(Instant now);

    /**
     * The message as environment variables of a command.
     *
     * @param now time of the try, by the database's clock
     */
    Map<String, String> variables(Instant now);

    /**
     * Submits the job of a command, with the owner and user of what the notice is about.
     *
     * @param draft the command, its name and its environment
     * @return the job's id
     * @throws io.millrace.api.MillraceException if such a job is refused
     */
    long submit(Handle handle, JobDraft draft);
  }

  /**
   * Where a notice is sent.
   *
   * @param kind how
   * @param target the address, or JSON of argv
   * @param ofOperators whether the address is from the central managers' settings; others are
   *     called by other rules
   */
  record Destination(NoticeKind kind, String target, boolean ofOperators) {
    /** Scheme, host and port of a web address; a command is its own. */
    Destination server() {
      return kind == NoticeKind.COMMAND
          ? this
          : new Destination(kind, WebhookPost.server(target), ofOperators);
    }
  }

  /** The due notices of one table, or of a part of it. */
  interface NoticeTable {
    /** Notices that are due, the longest due first. */
    List<OutgoingNotice> due(Handle handle, Instant now, DuePosition after, int limit);

    /**
     * Lets those of these that still are due since that time wait.
     *
     * @param tries failed tries of their own to count: 1, or 0 for a try of another notice
     * @param failure why that try failed
     */
    void postpone(
        Handle handle, List<Long> ids, Instant dueAt, int tries, String failure, Instant next);

    /** Ends those of these that still are due since that time; returns how many. */
    int end(Handle handle, List<Long> ids, Instant dueAt);
  }
}
