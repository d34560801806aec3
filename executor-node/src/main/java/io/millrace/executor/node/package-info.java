/** The execution node as one service: its settings, its identity and how its parts are wired. */
package io.millrace.executor.node;
