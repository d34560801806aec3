package io.millrace.manager.job;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.manager.definition.DefinitionKind;
import io.millrace.manager.definition.DefinitionText;
import io.millrace.manager.definition.Definitions.DefinitionEffect;
import io.millrace.manager.job.JobRules.WaitRules;
import io.millrace.manager.job.NotificationRules.WebhookRule;
import io.millrace.platform.clock.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Jobs in definition files: each version of such a definition is submitted once, in the transaction
 * that stores it, so that applying a file again submits nothing. Thread-safe.
 */
public final class DefinedJobs implements DefinitionEffect {
  private final JobLedger ledger;

  public DefinedJobs(JobLedger ledger) {
    this.ledger = ledger;
  }

  /** Submits the job of a new version in the name of its author. */
  @Override
  public Optional<Long> applied(Handle handle, DefinitionText definition, String author) {
    if (!definition.kind().equals(DefinedJobKind.KEYWORD)) {
      return Optional.empty();
    }
    List<JobSpec> job = List.of(definition.as(JobSpec.class));
    return Optional.of(ledger.submit(handle, JobKind.SUBMITTED, author, job).get(0));
  }

  /** {@code kind: job}. */
  public static final class DefinedJobKind implements DefinitionKind<JobSpec> {
    /** The keyword after {@code kind:}. */
    public static final String KEYWORD = "job";

    private static final String NAME = "name";

    private final Clock clock;
    private final WebhookRule webhooks;

    /**
     * Of jobs whose deadline has not passed.
     *
     * @param clock of this host; a small difference does no harm
     * @param webhooks those that are never called are refused
     */
    public DefinedJobKind(Clock clock, WebhookRule webhooks) {
      this.clock = clock;
      this.webhooks = webhooks;
    }

    @Override
    public String keyword() {
      return KEYWORD;
    }

    @Override
    public Class<JobSpec> type() {
      return JobSpec.class;
    }

    @Override
    public String nameOf(JobSpec definition) {
      return definition.name();
    }

    /** Otherwise jobs of equal programs would be versions of one definition. */
    @Override
    public List<String> required() {
      return List.of(NAME);
    }

    @Override
    public List<String> problems(JobSpec job) {
      List<String> problems = new ArrayList<>(JobRules.problems(JobKind.SUBMITTED, job));
      webhooks.problem(job.notification()).ifPresent(problems::add);
      for (Runnable rule :
          List.<Runnable>of(
              () -> Names.require(NAME, job.name(), ErrorCode.INVALID_DEFINITION),
              () -> WaitRules.checkTime(job, clock.now()))) {
        try {
          rule.run();
        } catch (MillraceException e) {
          problems.add(e.getMessage());
        }
      }
      return problems;
    }

    @Override
    public ObjectNode minimal() {
      ObjectNode job = JsonNodeFactory.instance.objectNode().put(NAME, "job");
      job.putArray("command").add("true");
      return job;
    }
  }
}
