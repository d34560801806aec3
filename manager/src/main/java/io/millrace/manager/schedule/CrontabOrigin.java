package io.millrace.manager.schedule;

/**
 * Where a crontab comes from, as far as its lines depend on it.
 *
 * @param system whether each line names a user before the command, as in /etc/crontab and
 *     /etc/cron.d
 * @param zone time zone of the machine, which cron goes by
 * @param home directory in which cron ran the commands; null if it is not known
 */
public record CrontabOrigin(boolean system, String zone, String home) {}
