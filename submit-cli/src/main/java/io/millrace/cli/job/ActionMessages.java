package io.millrace.cli.job;

import io.millrace.api.job.JobAction.Verb;
import java.util.Locale;

/** What can be done to jobs, in words. */
enum ActionMessages {
  CANCEL(
      Verb.CANCEL,
      "cancels",
      "cancelled",
      "Ends jobs: TERM, then KILL; a waiting one never starts.",
      "state:waiting tag:nightly"),
  HOLD(
      Verb.HOLD,
      "holds",
      "held",
      "Lets jobs that have not started wait until they are released.",
      "state:waiting owner:ann"),
  RELEASE(
      Verb.RELEASE,
      "releases",
      "released",
      "Lets held jobs wait for a slot again.",
      "state:held tag:nightly"),
  RETRY(
      Verb.RETRY,
      "retries",
      "put in the queue again",
      "Runs failed or cancelled jobs again.",
      "state:failed name:report*"),
  PRIORITY(
      Verb.PRIORITY,
      "changes the priority of",
      "given another priority",
      "Changes the priority of jobs; for running ones it counts from the next try.",
      "state:waiting lane:import");

  private final Verb verb;
  private final String does;
  private final String done;
  private final String description;
  private final String search;

  ActionMessages(Verb verb, String does, String done, String description, String search) {
    this.verb = verb;
    this.does = does;
    this.done = done;
    this.description = description;
    this.search = search;
  }

  Verb verb() {
    return verb;
  }

  /** {@code cancels}. */
  String does() {
    return does;
  }

  /** {@code cancelled}. */
  String done() {
    return done;
  }

  String command() {
    return name().toLowerCase(Locale.ROOT);
  }

  String description() {
    return description;
  }

  /** A search for which this makes sense, as an example. */
  String search() {
    return search;
  }
}
