/**
 * The HTTP API of a queue node: reads and checks requests before anything is stored, and hands them
 * to {@code segment}. Called by {@code node}.
 */
package io.millrace.queuenode.web;
