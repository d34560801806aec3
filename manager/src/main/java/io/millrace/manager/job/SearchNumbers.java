package io.millrace.manager.job;

import io.millrace.api.Durations;
import io.millrace.manager.job.JobSearch.ExitCondition;
import io.millrace.manager.job.JobSearch.TimeCondition;
import io.millrace.manager.job.JobSearch.TimeField;
import io.millrace.manager.job.SearchParser.SearchTerm;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.Set;

/**
 * Parses the terms of a search that are numbers or times: {@code exit:1,2}, {@code since:2h},
 * {@code ended:>2026-03-01T12:00:00Z}. Pure.
 */
final class SearchNumbers {
  private static final String TIMES =
      "use an age such as 2h, a date such as 2026-03-01, or a time such as 2026-03-01T12:00:00Z";

  private SearchNumbers() {}

  /** Exit codes of which the last ended attempt has one. */
  static ExitCondition exit(SearchTerm term) {
    Set<Integer> codes = new HashSet<>();
    for (String value : term.values()) {
      try {
        codes.add(Integer.parseInt(value.strip()));
      } catch (NumberFormatException e) {
        throw SearchParser.refuse(
            "exit: '" + value + "' is not an exit code; use exit:1 or exit:1,2");
      }
    }
    return new ExitCondition(codes, term.negated());
  }

  /** Submitted not earlier than that. */
  static TimeCondition since(SearchTerm term) {
    return condition("since", single(term), TimeField.SUBMITTED, true);
  }

  /** Ended after {@code >}, or before {@code <}, a time. */
  static TimeCondition ended(SearchTerm term) {
    String value = single(term);
    boolean before = value.startsWith("<");
    boolean signed = before || value.startsWith(">");
    String text = signed ? value.substring(1) : value;
    return condition(
        "ended", text.startsWith("=") ? text.substring(1) : text, TimeField.ENDED, !before);
  }

  private static String single(SearchTerm term) {
    if (term.values().size() != 1) {
      throw SearchParser.refuse(term.key() + ": give one time; " + TIMES);
    }
    return term.values().get(0).strip();
  }

  private static TimeCondition condition(String key, String text, TimeField field, boolean after) {
    if (!text.isEmpty() && Character.isDigit(text.charAt(0)) && text.contains("-")) {
      try {
        Instant time =
            text.contains("T")
                ? Instant.parse(text)
                : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
        return new TimeCondition(field, after, time, null);
      } catch (DateTimeException e) {
        throw SearchParser.refuse("%s: '%s' is not a time; %s".formatted(key, text, TIMES));
      }
    }
    try {
      Duration age = Durations.parse(text);
      return new TimeCondition(field, after, null, age);
    } catch (IllegalArgumentException e) {
      throw SearchParser.refuse("%s: '%s' is not a time; %s".formatted(key, text, TIMES));
    }
  }
}
