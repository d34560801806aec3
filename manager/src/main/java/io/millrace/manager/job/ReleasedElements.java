package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Elements of arrays that are released one by one, in any order, instead of in the order of their
 * indexes. Called under the claim of the dispatch of the arrays' pool, in its transaction.
 * Implementations are thread-safe.
 */
public interface ReleasedElements {
  /** No array has such elements. */
  ReleasedElements NONE =
      new ReleasedElements() {
        @Override
        public Map<Long, ElementAllowance> allowances(Handle handle, Collection<Long> arrays) {
          return Map.of();
        }

        @Override
        public List<ReleasedElement> take(
            Handle handle, long array, JobSpec common, int count, long characters) {
          throw new IllegalStateException("array " + array + " does not release its elements");
        }

        @Override
        public Optional<JobSpec> spec(Handle handle, long array, JobSpec common, long index) {
          return Optional.empty();
        }

        @Override
        public Optional<Long> workflow(Handle handle, long array) {
          return Optional.empty();
        }

        @Override
        public List<ElementHold> holds(Handle handle, long array) {
          return List.of();
        }

        @Override
        public Optional<String> changed(Handle handle, long array, String wanted) {
          return Optional.empty();
        }
      };

  /**
   * How many elements may become jobs.
   *
   * @param queued released elements that have no job
   * @param most how many of them may become jobs now
   * @param limit elements that may wait or run at the same time; 0 for any number
   */
  record ElementAllowance(long queued, long most, int limit) {}

  /**
   * A released element.
   *
   * @param spec what it runs
   * @param index its index in the array
   */
  record ReleasedElement(JobSpec spec, long index) {}

  /**
   * What keeps released elements from waiting for a slot.
   *
   * @param words human-readable
   * @param all whether none of the array may start; otherwise only some at a time
   */
  record ElementHold(String words, boolean all) {}

  /** The allowances of those of the arrays whose elements are released one by one. */
  Map<Long, ElementAllowance> allowances(Handle handle, Collection<Long> arrays);

  /**
   * Takes released elements, in the order of their release.
   *
   * @param common the specification of the array, as its elements have it
   * @param count most elements, at least 1; fewer are returned if fewer are released
   * @param characters how long the texts of all of them may be together, as of {@link
   *     ElementTexts.StoredLength}; the last element may exceed it, so that the first one always
   *     can
   */
  List<ReleasedElement> take(Handle handle, long array, JobSpec common, int count, long characters);

  /**
   * What an element runs; empty if the array's elements are not released one by one.
   *
   * @param common the specification of the array, as its elements have it
   */
  Optional<JobSpec> spec(Handle handle, long array, JobSpec common, long index);

  /** The workflow whose steps are the elements of the array; empty if they are none. */
  Optional<Long> workflow(Handle handle, long array);

  /** What keeps elements of the array that wait for their turn from waiting for a slot. */
  List<ElementHold> holds(Handle handle, long array);

  /**
   * How a user lets the elements ask for something else, as a clause that begins with a verb; empty
   * if they are jobs like others.
   *
   * @param wanted what they are to ask for, such as {@code less}
   */
  Optional<String> changed(Handle handle, long array, String wanted);
}
