/** What an execution node answers over HTTP: the logs of its attempts, and its own state. */
package io.millrace.executor.web;
