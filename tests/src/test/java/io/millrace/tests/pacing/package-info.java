/**
 * Queue managers on a real cluster: the guarantees of pacing are checked with the records of jobs,
 * decisions and events, and with what the workers wrote themselves. Run by the build; the long
 * forms are run manually.
 */
package io.millrace.tests.pacing;
