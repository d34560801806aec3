/** The execution node's HTTP routes: output of attempts, and the node's state. */
package io.millrace.executor.http;
