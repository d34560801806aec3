package io.millrace.manager.job;

import static io.millrace.manager.job.Refusals.checkName;
import static io.millrace.manager.job.Refusals.refuse;
import static io.millrace.manager.job.Refusals.require;

import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobSpec;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** What a job may wait for, and which ways of being repeated go together. Pure. */
final class WaitRules {
  private static final Pattern TAG = Pattern.compile("[a-z0-9._:/-]{1,100}");
  private static final Pattern LANE = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._:@/-]{0,99}");
  private static final int MOST_TAGS = 20;
  private static final int MOST_DEPENDENCIES = 1000;

  private WaitRules() {}

  static void check(JobSpec spec) {
    require(
        spec.tags().size() <= MOST_TAGS,
        "tags",
        "it has " + spec.tags().size() + "; use at most " + MOST_TAGS);
    for (String tag : spec.tags()) {
      if (!TAG.matcher(tag).matches()) {
        throw refuse(
            "tags", "'" + tag + "' is no tag; use 1 to 100 of a-z, 0-9, '.', '_', ':', '/', '-'");
      }
    }
    require(
        new HashSet<>(spec.tags()).size() == spec.tags().size(),
        "tags",
        "one is there twice; name each once");
    checkName(
        "lane",
        spec.lane(),
        LANE,
        "letters, digits, '.', '_', ':', '@', '/' and '-', at most 100 characters");
    require(
        spec.deadline() == null
            || spec.notBefore() == null
            || spec.deadline().isAfter(spec.notBefore()),
        "deadline",
        "it is not after notBefore, " + spec.notBefore() + "; give a later one");
    checkDependencies(spec);
    checkRepetition(spec);
  }

  /** Refuses, at the submission, what is over already. */
  static void checkTime(JobSpec spec, Instant now) {
    require(
        spec.deadline() == null || spec.deadline().isAfter(now),
        "deadline",
        spec.deadline() + " has passed; give a later one");
  }

  private static void checkDependencies(JobSpec spec) {
    require(
        spec.after().size() <= MOST_DEPENDENCIES,
        "after",
        "it names " + spec.after().size() + " jobs; use at most " + MOST_DEPENDENCIES);
    Set<Long> named = new HashSet<>();
    for (Dependency condition : spec.after()) {
      require(named.add(condition.job()), "after", "job " + condition.job() + " is there twice");
    }
  }

  private static void checkRepetition(JobSpec spec) {
    require(
        !spec.restart() || spec.lane() == null,
        "lane",
        "a job with restart: true never lets the next of its lane start; leave one of them out");
    if (spec.array() == null) {
      return;
    }
    require(
        spec.single() == null,
        "single",
        "only one element of an array could live at a time; use array limit %1 or a lane instead");
    require(
        spec.lane() == null,
        "lane",
        "an array has an order and a limit of its own; use array limit %1 instead");
    require(!spec.restart(), "restart", "the elements of an array end; leave restart or array out");
  }
}
