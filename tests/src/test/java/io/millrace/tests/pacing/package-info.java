/**
 * Queue managers against a real cluster: what the pacing rules promise is counted from the records
 * of jobs, decisions and events, and from what the workers wrote themselves. Run by the build; the
 * long forms by hand.
 */
package io.millrace.tests.pacing;
