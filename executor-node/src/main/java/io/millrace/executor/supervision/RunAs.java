package io.millrace.executor.supervision;

/**
 * Another user than the agent's, whose rights an attempt gets.
 *
 * @param name the user's name
 * @param user its number, never 0
 * @param group number of its main group
 */
public record RunAs(String name, int user, int group) {
  public RunAs {
    if (user <= 0) {
      throw new IllegalArgumentException("attempts never run as user " + user);
    }
  }
}
