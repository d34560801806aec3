/**
 * How long the directories of ended attempts, and with them their logs, stay. Called by the agent.
 */
package io.millrace.executor.log;
