package io.millrace.manager.notification;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.AttemptDao;
import io.millrace.manager.job.JobWatcher;
import io.millrace.manager.notification.NoticeFailureDao.NoticeCommand;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Notes how the commands of notifications end, so that one that cannot deliver, for instance
 * because its program is not installed, is a problem. Thread-safe.
 */
public final class CommandOutcomes implements JobWatcher {
  private final AttemptDao attempts = new AttemptDao();

  @Override
  public void jobsEnded(Handle handle, List<EndedJob> ends, Instant now) {
    List<EndedJob> likely =
        ends.stream()
            .filter(end -> end.job().kind() == JobKind.SUBMITTED)
            .filter(end -> end.job().array() == null)
            .toList();
    if (likely.isEmpty()) {
      return;
    }
    Map<Long, NoticeCommand> commands =
        NoticeFailureDao.commands(handle, likely.stream().map(end -> end.job().id()).toList());
    List<Long> ended = new ArrayList<>();
    for (EndedJob end : likely) {
      NoticeCommand command = commands.get(end.job().id());
      if (command != null) {
        ended.add(command.job());
        note(handle, end, command, now);
      }
    }
    if (!ended.isEmpty()) {
      NoticeFailureDao.ended(handle, ended);
    }
  }

  /** A cancelled one shows nothing about the command. */
  private void note(Handle handle, EndedJob end, NoticeCommand command, Instant now) {
    if (end.state() == JobState.SUCCEEDED) {
      NoticeFailureDao.delivered(handle, command.hash());
    } else if (end.state() == JobState.FAILED) {
      String reason =
          attempts
              .lastRun(handle, command.job())
              .map(run -> "job %d, %s".formatted(command.job(), run.ending()))
              .orElse("job %d, %s".formatted(command.job(), end.reason()));
      NoticeFailureDao.failed(handle, command.target(), command.toldOf(), reason, now);
    }
  }
}
