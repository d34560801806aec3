/**
 * Watches the clocks of the database, the central managers and the execution nodes for steps, which
 * are shown and expire nothing. Wired by the central manager; the problems list reads it.
 */
package io.millrace.manager.clock;
