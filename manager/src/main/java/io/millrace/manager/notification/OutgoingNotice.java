package io.millrace.manager.notification;

import io.millrace.api.job.JobDraft;
import io.millrace.manager.notification.NotificationDao.Notice.NoticeKind;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** A notice that is due, of whichever table. Used by one thread. */
interface OutgoingNotice {
  long id();

  /** Where it is among those that are due. */
  DuePosition position();

  Destination destination();

  int tries();

  /** What happened to what, for people. */
  String toldOf();

  /**
   * Reads what the message contains; called before the methods below.
   *
   * @return false if it is no longer of interest
   */
  boolean load();

  /** Of what it is about, for the name of the job of a command. */
  String name();

  Object message(Instant now);

  Map<String, String> variables(Instant now);

  long submit(Handle handle, JobDraft draft);

  boolean lock(Handle handle);

  /** Ends a notice that is delivered or given up. */
  void done(Handle handle);

  /** Deletes a notice that is no longer of interest. */
  void drop(Handle handle);

  void failed(Handle handle, String failure, Instant next);

  /**
   * Where a notice is sent.
   *
   * @param kind how
   * @param target the address, or JSON of argv
   * @param ofOperators whether the address is from the central managers' settings; others are
   *     called by other rules
   */
  record Destination(NoticeKind kind, String target, boolean ofOperators) {}

  /** The due notices of one table, or of a part of it. */
  interface NoticeTable {
    /** Notices that are due, the longest due first. */
    List<OutgoingNotice> due(Handle handle, Instant now, DuePosition after, int limit);

    /** Records one failed attempt to deliver those of these that still have had so many tries. */
    void failedTogether(Handle handle, List<Long> ids, int tries, String failure, Instant next);

    /** Gives those of these up that still have had so many tries; returns how many. */
    int givenUpTogether(Handle handle, List<Long> ids, int tries);
  }
}
