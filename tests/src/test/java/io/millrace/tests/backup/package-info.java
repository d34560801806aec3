/** Backups and restorations on every database and with whole clusters. */
package io.millrace.tests.backup;
