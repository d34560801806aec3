/**
 * What a job's process finds around it on this node: variables from files, secrets, and the user it
 * runs as. Called by the runners right before a start.
 */
package io.millrace.executor.environment;
