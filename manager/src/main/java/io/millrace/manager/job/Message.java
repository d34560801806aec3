package io.millrace.manager.job;

import io.millrace.api.job.JobView;
import io.millrace.api.job.Notification.Occasion;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is told, as JSON to a web address and as MILLRACE_NOTIFY_… variables to a command. Pure.
 *
 * @param occasion what happened
 * @param job the job's id
 * @param name its name
 * @param owner whose it is
 * @param state its state by now
 * @param reason why, for people; null if plain
 * @param at when it is told, by the database's clock
 */
public record Message(
    Occasion occasion,
    long job,
    String name,
    String owner,
    String state,
    String reason,
    Instant at) {
  static Message of(Occasion occasion, JobView job, Instant now) {
    return new Message(
        occasion, job.id(), job.name(), job.owner(), job.state().name(), job.reason(), now);
  }

  Map<String, String> variables() {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("MILLRACE_NOTIFY_OCCASION", occasion.name());
    variables.put("MILLRACE_NOTIFY_JOB", Long.toString(job));
    variables.put("MILLRACE_NOTIFY_NAME", name);
    variables.put("MILLRACE_NOTIFY_OWNER", owner);
    variables.put("MILLRACE_NOTIFY_STATE", state);
    variables.put("MILLRACE_NOTIFY_REASON", reason == null ? "" : reason);
    variables.put("MILLRACE_NOTIFY_AT", at.toString());
    return variables;
  }
}
