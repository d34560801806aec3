/**
 * Takes backups of a running cluster, checks them, and restores them on stopped servers. The format
 * of a backup is described by {@code BackupFile}.
 */
package io.millrace.cli.backup;
