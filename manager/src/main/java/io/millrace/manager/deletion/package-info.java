/** What the deletion of a queue does to its events, workers, managers and rows. */
package io.millrace.manager.deletion;
