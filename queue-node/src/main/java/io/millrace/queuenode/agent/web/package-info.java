/** Where other queue nodes ask this one to keep room for weight. Called by {@code node}. */
package io.millrace.queuenode.agent.web;
