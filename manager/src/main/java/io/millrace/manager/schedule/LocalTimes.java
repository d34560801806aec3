package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/** Times on a wall clock that never jumps. Implementations are immutable and thread-safe. */
@Pure
@FunctionalInterface
interface LocalTimes {
  /** The first time strictly after another; empty when there is none in the next 100 years. */
  Optional<LocalDateTime> next(LocalDateTime after);

  /** The times of all of these. */
  static LocalTimes anyOf(List<LocalTimes> all) {
    return after ->
        all.stream()
            .map(one -> one.next(after).orElse(null))
            .filter(Objects::nonNull)
            .min(LocalDateTime::compareTo);
  }

  /** Those of the times that fall on certain days. */
  default LocalTimes on(Predicate<LocalDate> days) {
    return after -> {
      Optional<LocalDateTime> candidate = next(after);
      while (candidate.isPresent() && !days.test(candidate.get().toLocalDate())) {
        candidate = next(candidate.get().toLocalDate().plusDays(1).atStartOfDay().minusNanos(1));
      }
      return candidate;
    };
  }
}
