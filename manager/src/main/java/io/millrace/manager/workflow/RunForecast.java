package io.millrace.manager.workflow;

import io.millrace.api.Pure;
import io.millrace.api.workflow.TemplateGraph.EdgeKind;
import io.millrace.api.workflow.WorkflowView.ExpectedEnd;
import io.millrace.manager.graph.TemplateEdges;
import io.millrace.manager.graph.TemplateEdges.EdgeRow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * When the templates of a running workflow and the whole of it will have ended: the steps that are
 * left run for as long as those before them did on the average, as many at the same time as now. A
 * template that has not started gets as many slots as the workflow has now. An estimate: it knows
 * nothing of slots that others will take or free.
 */
@Pure
final class RunForecast {
  private static final Duration MOST = Duration.ofDays(3650);

  private final List<TemplateProgress> templates;
  private final Map<Integer, List<EdgeRow>> before;
  private final int running;
  private final Ahead[] ahead;

  /**
   * How far a template is.
   *
   * @param left steps that have not ended
   * @param lost steps that failed or were cancelled
   * @param running steps that run now
   * @param limit most steps that run at the same time; null for any number
   * @param meanMillis mean run time of its steps; negative if none was measured
   * @param awaited whether its steps are known only when a step has given their list
   */
  record TemplateProgress(
      String name,
      int left,
      int lost,
      int running,
      Integer limit,
      long meanMillis,
      boolean awaited) {
    TemplateProgress(String name, int left, int lost, int running, Integer limit, long meanMillis) {
      this(name, left, lost, running, limit, meanMillis, false);
    }
  }

  /** In how many milliseconds something ends, or why that is unknown. */
  private record Ahead(double millis, String unknown) {
    static final Ahead ENDED = new Ahead(0, null);
  }

  RunForecast(List<TemplateProgress> templates, TemplateEdges edges) {
    this.templates = List.copyOf(templates);
    this.before = edges.before();
    this.running = templates.stream().mapToInt(TemplateProgress::running).sum();
    this.ahead = new Ahead[templates.size()];
    for (int template : edges.order()) {
      ahead[template] = ahead(template);
    }
  }

  private Ahead ahead(int number) {
    TemplateProgress template = templates.get(number);
    if (template.left() == 0) {
      return Ahead.ENDED;
    }
    double own = (double) template.left() / parallel(template) * template.meanMillis();
    double end = Math.max(own, (double) template.meanMillis());
    for (EdgeRow edge : before.getOrDefault(number, List.of())) {
      TemplateProgress needed = templates.get(edge.from());
      Ahead other = ahead[edge.from()];
      if (edge.kind() == EdgeKind.ALL && needed.lost() > 0) {
        return new Ahead(
            0, "needs all steps of '%s', of which some did not succeed".formatted(needed.name()));
      }
      if (other.unknown() != null) {
        return other;
      }
      // Steps that wait for single ones begin while others of these still run.
      end =
          Math.max(
              end, other.millis() + (edge.kind() == EdgeKind.ALL ? own : template.meanMillis()));
    }
    if (template.awaited()) {
      return new Ahead(0, "the list of '%s' is not known yet".formatted(template.name()));
    }
    if (template.meanMillis() < 0) {
      return new Ahead(0, "no step of '%s' has been measured yet".formatted(template.name()));
    }
    return running == 0 ? new Ahead(0, "no step is running") : new Ahead(end, null);
  }

  private int parallel(TemplateProgress template) {
    int slots = template.running() > 0 ? template.running() : Math.max(1, running);
    if (template.limit() != null) {
      slots = Math.min(slots, Math.max(1, template.limit()));
    }
    return Math.max(1, Math.min(slots, template.left()));
  }

  /** The ends of the templates, in their order; null for those that have ended. */
  List<ExpectedEnd> ends(Instant now) {
    List<ExpectedEnd> ends = new ArrayList<>();
    for (int i = 0; i < ahead.length; i++) {
      ends.add(templates.get(i).left() == 0 ? null : end(ahead[i], now));
    }
    return ends;
  }

  /** The end of the whole: of its last template, and not before its work fits into its slots. */
  ExpectedEnd end(Instant now) {
    double last = 0;
    double work = 0;
    for (int i = 0; i < ahead.length; i++) {
      if (ahead[i].unknown() != null) {
        return end(ahead[i], now);
      }
      last = Math.max(last, ahead[i].millis());
      work += (double) templates.get(i).left() * Math.max(0, templates.get(i).meanMillis());
    }
    return end(new Ahead(Math.max(last, work / Math.max(1, running)), null), now);
  }

  private static ExpectedEnd end(Ahead ahead, Instant now) {
    if (ahead.unknown() != null) {
      return new ExpectedEnd(null, ahead.unknown());
    }
    long millis = (long) Math.min(ahead.millis(), (double) MOST.toMillis());
    return new ExpectedEnd(now.plusMillis(millis), null);
  }
}
