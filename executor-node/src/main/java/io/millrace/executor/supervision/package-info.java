/**
 * Processes: started, watched, measured, limited and ended, so that a restart of the node loses
 * none of them and none is left behind.
 */
package io.millrace.executor.supervision;
