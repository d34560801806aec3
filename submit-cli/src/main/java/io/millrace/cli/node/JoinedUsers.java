package io.millrace.cli.node;

import java.nio.file.Path;
import java.util.Optional;

/**
 * As whom a node that joins runs jobs. Pure.
 *
 * @param role of the node
 * @param user who runs the join, and later the node
 * @param runAs the user of jobs that was asked for; empty for none
 */
record JoinedUsers(JoinRole role, String user, Optional<String> runAs) {
  private static final String ROOT = "root";
  private static final Path FOR_OTHER_USERS = Path.of("/var/lib/millrace");

  /** The user of jobs that name none; empty if such jobs are refused, or the node runs no jobs. */
  Optional<String> defaultUser() {
    if (role != JoinRole.EXECUTION_NODE || (isRoot() && runAs.isEmpty())) {
      return Optional.empty();
    }
    return Optional.of(runAs.orElse(user));
  }

  /** The {@code limits} of its configuration, as YAML or as a comment; empty if it needs none. */
  String limits() {
    if (role != JoinRole.EXECUTION_NODE || !isRoot()) {
      return "";
    }
    return runAs
        .map(
            name ->
                """
                limits:
                  defaultUser: %s   # jobs that name no user run as this one
                #   runAsUsers: [reports]   # users that jobs may name besides
                """
                    .formatted(JoinedFiles.quoted(name)))
        .orElse(
            """
            # As root, the node takes no jobs until the users of jobs are set here:
            # limits:
            #   defaultUser: millrace-jobs   # jobs that name no user run as this one
            #   runAsUsers: [reports]        # users that jobs may name
            #   allowRoot: false             # true: jobs that name no user run as root
            """);
  }

  /** One line about it; empty for a node without jobs. */
  Optional<String> description() {
    if (role != JoinRole.EXECUTION_NODE) {
      return Optional.empty();
    }
    if (runAs.isPresent()) {
      return Optional.of(
          "its jobs run as %s and cannot read its keys and data".formatted(runAs.get()));
    }
    return Optional.of(
        isRoot()
            ? "started as root, it takes no jobs until 'limits' in its configuration name their users"
                + " (join with --run-as USER to have that written)"
            : "its jobs run as %s and can read its keys and data; root can separate them with --run-as USER"
                .formatted(user));
  }

  /** The folder of its node's folder. */
  Path folder(Path home) {
    // The users of jobs cannot pass through the home directory of root.
    return role == JoinRole.EXECUTION_NODE && isRoot() ? FOR_OTHER_USERS : home;
  }

  boolean isRoot() {
    return ROOT.equals(user);
  }
}
