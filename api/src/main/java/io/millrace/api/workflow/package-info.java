/** Workflows: graphs of steps, their templates, and how they progress. */
package io.millrace.api.workflow;
